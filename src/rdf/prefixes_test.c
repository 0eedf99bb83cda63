#include "base/limits.h"
#include "base/test.h"
#include "rdf/iri.h"

static void set(struct tr_rdf_prefixes *prefixes, const char *name,
                const char *iri)
{
    CHECK_OK(tr_rdf_prefixes_set(prefixes, tr_str_from(name), tr_str_from(iri),
                                 NULL),
             NULL);
}

TEST(prefixes_expand_names)
{
    struct tr_arena arena;
    struct tr_rdf_prefixes prefixes;
    struct tr_err err = {0};
    tr_str iri;
    tr_arena_init(&arena, TR_KIB(64));
    tr_rdf_prefixes_init(&prefixes, &arena);
    set(&prefixes, "e", "http://old/");
    set(&prefixes, "e", "http://e/");
    set(&prefixes, "", "http://d/");
    CHECK_OK(
        tr_rdf_prefixes_expand(&prefixes, &arena, TR_STR("e:a:b"), &iri, &err),
        &err);
    CHECK_STR(iri, "http://e/a:b");
    CHECK_OK(tr_rdf_prefixes_expand(&prefixes, &arena, TR_STR(":"), &iri, &err),
             &err);
    CHECK_STR(iri, "http://d/");
    CHECK_INT(
        tr_rdf_prefixes_expand(&prefixes, &arena, TR_STR("x:y"), &iri, &err),
        TR_E_NOT_FOUND);
    CHECK(strcmp(err.msg, "unknown prefix 'x'") == 0);
    CHECK_INT(
        tr_rdf_prefixes_expand(&prefixes, &arena, TR_STR("xy"), &iri, &err),
        TR_E_SYNTAX);
    CHECK(strcmp(err.msg, "'xy' is not a prefixed name") == 0);
    tr_arena_done(&arena);
}

TEST(prefixes_shorten_with_the_longest_that_fits)
{
    struct tr_arena arena;
    struct tr_rdf_prefixes prefixes;
    tr_str name;
    tr_str local;
    tr_arena_init(&arena, TR_KIB(64));
    tr_rdf_prefixes_init(&prefixes, &arena);
    set(&prefixes, "a", "http://e/");
    set(&prefixes, "b", "http://e/x/");
    set(&prefixes, "nothing", "");
    CHECK(tr_rdf_prefixes_shorten(&prefixes, TR_STR("http://e/x/y"), &name,
                                  &local));
    CHECK_STR(name, "b");
    CHECK_STR(local, "y");
    CHECK(
        tr_rdf_prefixes_shorten(&prefixes, TR_STR("http://e/"), &name, &local));
    CHECK_STR(name, "a");
    CHECK_STR(local, "");
    CHECK(!tr_rdf_prefixes_shorten(&prefixes, TR_STR("http://e/y/z"), &name,
                                   &local));
    CHECK(!tr_rdf_prefixes_shorten(&prefixes, TR_STR("urn:x"), &name, &local));
    tr_arena_done(&arena);
}

TEST(prefixes_report_an_arena_that_ends)
{
    size_t failed = 0;
    for (size_t size = 0; size < 4096; size += 16) {
        struct tr_arena arena;
        struct tr_rdf_prefixes prefixes;
        tr_str iri;
        tr_arena_init(&arena, size);
        tr_rdf_prefixes_init(&prefixes, &arena);
        tr_status status = tr_rdf_prefixes_set(&prefixes, TR_STR("e"),
                                               TR_STR("http://e/"), NULL);
        if (status == TR_OK)
            status = tr_rdf_prefixes_expand(&prefixes, &arena, TR_STR("e:x"),
                                            &iri, NULL);
        CHECK(status == TR_OK || status == TR_E_NOMEM);
        failed += status == TR_E_NOMEM;
        tr_arena_done(&arena);
    }
    CHECK(failed > 0);
}
