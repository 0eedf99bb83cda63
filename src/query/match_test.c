#include "base/test.h"
#include "query/query.h"
#include "support/world.h"

static void open_quads(struct world *world)
{
    world_open(world);
    world_add(world, "w:a w:size 1, 2, 3 ; w:title 'x'@en ."
                     "w:g { w:a w:size 1 . w:b w:size 1 }");
}

TEST(match_tells_the_default_graph_from_any)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query_matches matches = {0};
    tr_rdf_term one =
        tr_rdf_term_typed(TR_STR("1"), TR_STR(TR_RDF_IRI_XSD_INTEGER));
    tr_rdf_term size = tr_rdf_term_iri(TR_STR("http://w/size"));
    tr_rdf_term nowhere = {.kind = TR_RDF_TERM_NONE};
    struct tr_query_match match = {.predicate = &size, .object = &one};
    open_quads(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    CHECK_OK(tr_query_match_quads(&ctx, &match, &matches, &err), &err);
    CHECK_INT(matches.count, 3);
    match.graph = &nowhere;
    CHECK_OK(tr_query_match_quads(&ctx, &match, &matches, &err), &err);
    CHECK_INT(matches.count, 1);
    CHECK(matches.items[0].graph.kind == TR_RDF_TERM_NONE);
    match = (struct tr_query_match){.graph = &nowhere, .object = &size};
    CHECK_OK(tr_query_match_quads(&ctx, &match, &matches, &err), &err);
    CHECK_INT(matches.count, 0);
    world_close(&world);
}

/* A text alone has no index: every quad is looked at, and only so many. */
TEST(match_does_not_search_through_everything)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query_matches matches = {0};
    tr_rdf_term text = tr_rdf_term_lang(TR_STR("x"), TR_STR("en"));
    struct tr_query_match match = {.object = &text, .max_work = 3};
    open_quads(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    CHECK(tr_query_match_quads(&ctx, &match, &matches, &err) == TR_E_LIMIT);
    match.max_work = 0;
    CHECK_OK(tr_query_match_quads(&ctx, &match, &matches, &err), &err);
    CHECK_INT(matches.count, 1);
    CHECK_STR(matches.items[0].object.language, "en");
    world_close(&world);
}
