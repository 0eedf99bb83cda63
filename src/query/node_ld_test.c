#include "base/limits.h"
#include "base/test.h"
#include "query/node.h"
#include "query/query.h"
#include "support/world.h"

static tr_status write_node(struct world *world, struct tr_graph_read_ctx *ctx,
                            const char *iri, struct tr_buf *out,
                            struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_query_node_shown shown;
    tr_rdf_id id;
    (void)world;
    tr_jw_init(&w, out);
    TR_TRY(tr_graph_node_find(ctx, tr_str_from(iri), &id, err));
    TR_TRY(tr_query_node_write_ld(ctx, id, NULL, &w, &shown, err));
    return tr_jw_finish(&w, err);
}

static void check_node(struct world *world, const char *iri,
                       const char *expected)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_KIB(64));
    CHECK_OK(write_node(world, &ctx, iri, &out, &err), &err);
    CHECK_STR(tr_buf_str(&out), expected);
    tr_buf_done(&out);
}

#define XSD "http://www.w3.org/2001/XMLSchema#"

TEST(a_node_is_written_field_by_field_and_then_the_rest)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:t a w:Thing, w:Task ; w:done true ; w:size 5 ;"
                      " w:title 'T' ; w:share 5.0E-1 ; w:other 'x'@en, w:t ;"
                      " w:owner w:p ; w:needs w:t .");
    world_land(&world);
    check_node(&world, "http://w/t",
               "{\"@id\":\"http://w/t\",\"@type\":[\"http://w/Task\","
               "\"http://w/Thing\"],\"http://w/title\":\"T\","
               "\"http://w/size\":5,\"http://w/tag\":[],"
               "\"http://w/done\":true,\"http://w/share\":{\"@value\":"
               "\"5.0E-1\",\"@type\":\"" XSD "double\"},"
               "\"http://w/owner\":{\"@id\":\"http://w/p\"},"
               "\"http://w/needs\":[{\"@id\":\"http://w/t\"}],"
               "\"http://w/other\":[{\"@id\":\"http://w/t\"},"
               "{\"@value\":\"x\",\"@language\":\"en\"}]}");
    world_close(&world);
}

/* What a reader of JSON could take for something else says what it is. */
TEST(only_plain_numbers_and_booleans_are_plain)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:t a w:Loose ; w:a 9007199254740991 ;"
                      " w:b 9007199254740992 ; w:c '05'^^xsd:integer ;"
                      " w:d '1'^^xsd:boolean ; w:e -7 ; w:f 'x'^^w:dt .");
    world_land(&world);
    check_node(&world, "http://w/t",
               "{\"@id\":\"http://w/t\",\"@type\":\"http://w/Loose\","
               "\"http://w/a\":[9007199254740991],"
               "\"http://w/b\":[{\"@value\":\"9007199254740992\","
               "\"@type\":\"" XSD "integer\"}],"
               "\"http://w/c\":[{\"@value\":\"05\",\"@type\":\"" XSD
               "integer\"}],\"http://w/d\":[{\"@value\":\"1\","
               "\"@type\":\"" XSD "boolean\"}],\"http://w/e\":[-7],"
               "\"http://w/f\":[{\"@value\":\"x\",\"@type\":\"http://w/dt\"}]"
               "}");
    world_close(&world);
}

TEST(named_graphs_are_included)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:t a w:Thing . w:g { w:t w:size 1 . }"
                      " w:h { w:t w:size 1 . w:t a w:Other . }");
    world_land(&world);
    check_node(&world, "http://w/t",
               "{\"@id\":\"http://w/t\",\"@type\":\"http://w/Thing\","
               "\"http://w/tag\":[],\"@included\":["
               "{\"@id\":\"http://w/g\",\"@graph\":[{\"@id\":\"http://w/t\","
               "\"http://w/size\":1}]},"
               "{\"@id\":\"http://w/h\",\"@graph\":[{\"@id\":\"http://w/t\","
               "\"@type\":\"http://w/Other\",\"http://w/size\":1}]}]}");
    world_close(&world);
}

/* A type that is a literal cannot be a class, but it is said. */
TEST(a_literal_as_a_type_is_a_value)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:t a 'x' .");
    check_node(&world, "http://w/t",
               "{\"@id\":\"http://w/t\",\"http://www.w3.org/1999/02/22-rdf-"
               "syntax-ns#type\":[\"x\"]}");
    world_close(&world);
}

TEST(a_node_of_another_type_is_not_written)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_json_writer w;
    struct tr_buf out;
    struct tr_query_node_shown shown = {0};
    tr_rdf_id id;
    world_open(&world);
    world_add(&world, "w:t a w:Thing .");
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    tr_buf_init(&out, TR_KIB(64));
    tr_jw_init(&w, &out);
    CHECK_OK(tr_graph_node_find(&ctx, TR_STR("http://w/t"), &id, &err), &err);
    CHECK_OK(tr_query_node_write_ld(&ctx, id, world_type(&world, "Task"), &w,
                                    &shown, &err),
             &err);
    CHECK(!shown.found && out.len == 0);
    CHECK_OK(tr_query_node_write_ld(&ctx, id, world_type(&world, "Thing"), &w,
                                    &shown, &err),
             &err);
    CHECK(shown.found && out.len > 0);
    tr_buf_done(&out);
    world_close(&world);
}

static tr_status write_all(void *context, struct tr_err *err)
{
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_arena arena;
    struct tr_buf out;
    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&out, TR_KIB(64));
    ctx.arena = &arena;
    tr_rows_terms_forget(world->terms);
    tr_status status = write_node(world, &ctx, "http://w/t", &out, err);
    tr_buf_done(&out);
    tr_arena_done(&arena);
    return status;
}

TEST(a_node_says_so_when_there_is_no_memory)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:t a w:Thing ; w:title 'T' . w:g { w:t w:size 1 . }");
    world_land(&world);
    CHECK(write_all(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(write_all, &world);
    world_close(&world);
}

TEST(labels_of_a_page_are_those_of_its_nodes_or_how_they_end)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    struct tr_json_writer w;
    struct tr_buf out;
    world_open(&world);
    world_add(&world, "w:p a w:Person ; person:name 'P' . w:q a w:Person .");
    world_land(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    tr_buf_init(&out, TR_KIB(64));
    tr_jw_init(&w, &out);
    CHECK_OK(tr_query_list_type(&ctx, world_type(&world, "Person"), TR_STR(""),
                                0, &page, &err),
             &err);
    CHECK_OK(tr_query_page_write_labels(&ctx, &page, &w, &err), &err);
    CHECK_STR(tr_buf_str(&out), "[{\"iri\":\"http://w/p\",\"label\":\"P\"},"
                                "{\"iri\":\"http://w/q\",\"label\":\"q\"}]");
    tr_buf_done(&out);
    world_close(&world);
}

static void check_prefix(struct world *world, struct tr_query_prefix prefix,
                         size_t count, bool has_more)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_query_page page;
    bool more;
    prefix.type = world_type(world, "Person");
    CHECK_OK(tr_query_prefix_find(&ctx, &prefix, &page, &more, &err), &err);
    CHECK_INT(page.count, count);
    CHECK(more == has_more);
}

static void check_fits(struct world *world, const char *name, bool fits)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query_node_shown shown = {0};
    struct tr_json_writer w;
    struct tr_err err = {0};
    struct tr_buf out;
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_graph_node_find(&ctx, tr_str_from(name), &id, &err), &err);
    tr_buf_init(&out, TR_KIB(4));
    tr_jw_init(&w, &out);
    CHECK_OK(tr_query_node_write_ld(&ctx, id, NULL, &w, &shown, &err), &err);
    CHECK_ROW(shown.found && shown.type && shown.fits == fits, name);
    tr_buf_done(&out);
}

/* Where graphs say something together, somebody has to look. */
TEST(a_node_is_judged_while_it_is_written)
{
    struct world world;
    world_open(&world);
    world_add(&world,
              "w:good a w:Thing ; w:title 't' ; w:size 3 ; w:tag 'a', 'b' ."
              "w:two a w:Thing ; w:title 't', 'u' ."
              "w:kind a w:Thing ; w:title 't' ; w:size 'three' ."
              "w:item a w:Thing ; w:title 't' ; w:tag 'a', 5 ."
              "w:more a w:Thing ; w:title 't' ; w:other 5 ."
              "w:graphs a w:Thing ; w:title 't' . w:g { w:graphs w:size 3 }");
    world_land(&world);
    check_fits(&world, "http://w/good", true);
    check_fits(&world, "http://w/two", false);
    check_fits(&world, "http://w/kind", false);
    check_fits(&world, "http://w/item", false);
    check_fits(&world, "http://w/more", true);
    check_fits(&world, "http://w/graphs", false);
    world_close(&world);
}

TEST(instances_are_found_by_how_their_iris_begin)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:a1 a w:Person . w:a2 a w:Person . w:a3 a w:Thing ."
                      " w:b1 a w:Person .");
    world_land(&world);
    const tr_str a = TR_STR("http://w/a");
    check_prefix(&world, (struct tr_query_prefix){.text = a, .limit = 9}, 2,
                 false);
    check_prefix(&world, (struct tr_query_prefix){.text = a, .limit = 2}, 2,
                 false);
    check_prefix(&world, (struct tr_query_prefix){.text = a, .limit = 1}, 1,
                 true);
    check_prefix(&world, (struct tr_query_prefix){.limit = 9}, 3, false);
    check_prefix(&world,
                 (struct tr_query_prefix){.text = TR_STR("x:"), .limit = 9}, 0,
                 false);
    world_close(&world);
}
