#include "base/test.h"
#include "rdf/iri.h"

TEST(language_tags_that_bcp_47_knows_are_valid)
{
    static const char *const good[] = {
        "en",
        "de-AT",
        "en-GB-oed",
        "i-klingon",
        "zh-min-nan",
        "abcd",
        "abcdefgh",
        "zh-yue-HK",
        "es-419",
        "sr-Latn-RS",
        "sl-rozaj-biske",
        "de-1996",
        "de-CH-1901",
        "en-u-co-phonebk",
        "x-a-b-12345678",
        "en-x-a",
        "de-a-foo-x-b",
        "zh-cmn-Hans-CN",
        "EN-us",
        "x-1",
    };
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(tr_rdf_language_is_valid(tr_str_from(good[i])), good[i]);
}

TEST(language_tags_that_bcp_47_does_not_know_are_not)
{
    static const char *const bad[] = {
        "",
        "a",
        "1",
        "e1",
        "abcdefghi",
        "en-",
        "-en",
        "en--us",
        "en-a",
        "en-abcdefghi",
        "x",
        "x-",
        "i",
        "i-x",
        "en-x",
        "en-u-a",
        "en-us-us",
        "en_us",
        "en us",
        "x-123456789",
        "de-19a",
        "en-a-x",
        "en-\xC3\xA4",
        "419",
        "en-1",
        "aa-bbb-ccc-ddd-eee",
    };
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_rdf_language_is_valid(tr_str_from(bad[i])), bad[i]);
}
