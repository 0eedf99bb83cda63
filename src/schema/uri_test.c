#include "schema/uri.h"

#include "base/limits.h"
#include "base/test.h"

static const char *const others[][3] = {
    {"http://a/b/c?q", "g#s", "http://a/b/g"},
    {"http://a/b/c?q", "#s", "http://a/b/c?q"},
    {"http://a/b/c?q", "../d?x#", "http://a/d?x"},
    {"", "a/b", "a/b"},
    {"", "a#b", "a"},
    {"a/b", "c", "a/c"},
    {"", "", ""},
    {"urn:x:y", "#f", "urn:x:y"},
    {"urn:x:y", "urn:z", "urn:z"},
    {"http://a", "g", "http://a/g"},
    {"http://a?x", "g", "http://a/g"},
    {"file:", "g", "file:g"},
};

/* The rest of RFC 3986 is tested with rdf/iri.h. */
TEST(references_resolve_without_their_fragment)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(others); i++) {
        tr_str out;
        CHECK(tr_schema_uri_resolve(&arena, tr_str_from(others[i][0]),
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
        CHECK(tr_schema_uri_decode(&arena, tr_str_from(texts[i][0]), &out));
        CHECK_STR(out, texts[i][1]);
    }
    tr_arena_done(&arena);
}

TEST(uris_survive_without_memory)
{
    struct tr_arena full;
    tr_str out;
    tr_arena_init(&full, 0);
    CHECK(!tr_schema_uri_resolve(&full, TR_STR("a"), TR_STR("b"), &out));
    CHECK(!tr_schema_uri_decode(&full, TR_STR("a"), &out));
}
