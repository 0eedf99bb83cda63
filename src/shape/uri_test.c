#include "shape/uri.h"

#include "base/limits.h"
#include "base/test.h"

#define BASE "http://a/b/c/d;p?q"

/* RFC 3986, sections 5.4.1 and 5.4.2; fragments are not part of the result. */
static const char *const references[][2] = {
    {"g:h", "g:h"},
    {"g", "http://a/b/c/g"},
    {"./g", "http://a/b/c/g"},
    {"g/", "http://a/b/c/g/"},
    {"/g", "http://a/g"},
    {"//g", "http://g"},
    {"?y", "http://a/b/c/d;p?y"},
    {"g?y", "http://a/b/c/g?y"},
    {"#s", "http://a/b/c/d;p?q"},
    {"g#s", "http://a/b/c/g"},
    {"g?y#s", "http://a/b/c/g?y"},
    {";x", "http://a/b/c/;x"},
    {"g;x", "http://a/b/c/g;x"},
    {"", "http://a/b/c/d;p?q"},
    {".", "http://a/b/c/"},
    {"./", "http://a/b/c/"},
    {"..", "http://a/b/"},
    {"../", "http://a/b/"},
    {"../g", "http://a/b/g"},
    {"../..", "http://a/"},
    {"../../g", "http://a/g"},
    {"../../../g", "http://a/g"},
    {"../../../../g", "http://a/g"},
    {"/./g", "http://a/g"},
    {"/../g", "http://a/g"},
    {"g.", "http://a/b/c/g."},
    {".g", "http://a/b/c/.g"},
    {"g..", "http://a/b/c/g.."},
    {"./../g", "http://a/b/g"},
    {"./g/.", "http://a/b/c/g/"},
    {"g/./h", "http://a/b/c/g/h"},
    {"g/../h", "http://a/b/c/h"},
    {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
    {"g;x=1/../y", "http://a/b/c/y"},
    {"g?y/../x", "http://a/b/c/g?y/../x"},
    {"http:g", "http:g"},
};

TEST(references_resolve_as_in_rfc_3986)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(references); i++) {
        tr_str out;
        CHECK(tr_uri_resolve(&arena, TR_STR(BASE),
                             tr_str_from(references[i][0]), &out));
        CHECK_STR(out, references[i][1]);
    }
    tr_arena_done(&arena);
}

static const char *const others[][3] = {
    {"", "a/b", "a/b"},
    {"", "", ""},
    {"urn:x:y", "#f", "urn:x:y"},
    {"urn:x:y", "urn:z", "urn:z"},
    {"http://a", "g", "http://a/g"},
    {"http://a?x", "g", "http://a/g"},
    {"file:", "g", "file:g"},
};

TEST(other_bases_resolve_too)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(others); i++) {
        tr_str out;
        CHECK(tr_uri_resolve(&arena, tr_str_from(others[i][0]),
                             tr_str_from(others[i][1]), &out));
        CHECK_STR(out, others[i][2]);
    }
    tr_arena_done(&arena);
}

TEST(percent_decoding_leaves_what_is_no_encoding)
{
    static const char *const texts[][2] = {{"a%20b", "a b"},   {"%41%4a", "AJ"},
                                           {"100%", "100%"},   {"%4", "%4"},
                                           {"%zz%7E", "%zz~"}, {"", ""}};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        tr_str out;
        CHECK(tr_uri_decode(&arena, tr_str_from(texts[i][0]), &out));
        CHECK_STR(out, texts[i][1]);
    }
    tr_arena_done(&arena);
}

TEST(uris_survive_without_memory)
{
    struct tr_arena full;
    tr_str out;
    tr_arena_init(&full, 0);
    CHECK(!tr_uri_resolve(&full, TR_STR("a"), TR_STR("b"), &out));
    CHECK(!tr_uri_decode(&full, TR_STR("a"), &out));
}
