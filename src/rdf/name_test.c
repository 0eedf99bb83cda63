#include "base/test.h"
#include "rdf/iri.h"

struct row {
    const char *text;
    size_t len;
};

TEST(name_finds_the_end_of_a_label)
{
    static const struct row rows[] = {
        {"a", 1},
        {"a.b.", 3},
        {"a..b c", 4},
        {"1-2", 3},
        {"_x", 2},
        {"-a", 0},
        {".a", 0},
        {"", 0},
        {"a:b", 1},
        {"a.", 1},
        {"\xC3\xA4\xC2\xB7", 4},
        {"\xC2\xB7", 0},
        {"a\xFF", 1},
        {"\xC3\x97", 0},
        {"a\xE2\x80\xBF>", 4},
        {"a\xCC\x80", 3},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(tr_rdf_label_len(tr_str_from(rows[i].text)) == rows[i].len,
                  rows[i].text);
}

TEST(name_finds_the_end_of_a_language_tag)
{
    static const struct row rows[] = {
        {"en", 2}, {"en-GB .", 5}, {"en-", 2}, {"1", 0},     {"", 0},
        {"e1", 1}, {"en-1-x", 6},  {"-en", 0}, {"en--x", 2},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(tr_rdf_language_len(tr_str_from(rows[i].text)) == rows[i].len,
                  rows[i].text);
}

TEST(name_knows_local_names_that_need_no_escapes)
{
    static const char *const good[] = {"",  "a",   "1a",  "a:b",
                                       ":", "_-1", "a.b", "\xC3\xA4"};
    static const char *const bad[] = {"-a",  "a.",  ".a",    "a/b", "a%20",
                                      "a b", "a#b", "a\xFF", "(",   "\xC2\xB7"};
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(tr_rdf_is_plain_local(tr_str_from(good[i])), good[i]);
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_rdf_is_plain_local(tr_str_from(bad[i])), bad[i]);
}

TEST(name_knows_prefixes)
{
    static const char *const good[] = {"", "a", "a-1", "a.b", "\xC3\xA4"};
    static const char *const bad[] = {"1", "_", "a.", "-", "a:b", "a b"};
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(tr_rdf_is_prefix(tr_str_from(good[i])), good[i]);
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_rdf_is_prefix(tr_str_from(bad[i])), bad[i]);
}
