#include "query/node.h"

#include "base/limits.h"
#include "base/test.h"
#include "support/world.h"

static const char tasks[] =
    "w:t1 a w:Thing, w:Task ; w:title 'First' ; w:size 5 ; w:tag 'b', 'a' ;"
    " w:done true ; w:share 2.5e0 ; w:owner w:ann ; w:needs w:t2 ;"
    " w:due '2026-07-28T12:00:00Z'^^xsd:dateTime ."
    "w:t2 a w:Thing, w:Task ; w:secret 'not a field' ."
    "w:ann a w:Person ; person:name 'Ann' ."
    "w:odd w:title 'x'@en ; w:size 5, '05'^^xsd:integer ; w:owner w:ann .";

static void check_read(struct world *world, const char *iri,
                       const char *expected)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_json node;
    struct tr_json again;
    bool found = false;
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_query_node_read(&ctx, tr_str_from(iri), &node, &found, &err),
             &err);
    CHECK_ROW(found == (expected != NULL), iri);
    if (!expected)
        return;
    world_check_json(&node, expected);
    CHECK_OK(tr_graph_node_find(&ctx, tr_str_from(iri), &id, &err), &err);
    CHECK_OK(tr_query_node_read_id(&ctx, id, &again, &found, &err), &err);
    world_check_json(&again, expected);
}

TEST(node_has_its_fields_in_the_order_of_their_declaration)
{
    struct world world;
    world_open(&world);
    world_add(&world, tasks);
    world_land(&world);
    check_read(&world, "http://w/t1",
               "{\"id\":\"http://w/t1\",\"_type\":\"Task\",\"_version\":1,"
               "\"title\":\"First\",\"size\":5,\"tag\":[\"a\",\"b\"],"
               "\"done\":true,\"due\":\"2026-07-28T12:00:00Z\",\"share\":2.5,"
               "\"owner\":\"http://w/ann\",\"needs\":[\"http://w/t2\"]}");
    check_read(&world, "http://w/t2",
               "{\"id\":\"http://w/t2\",\"_type\":\"Task\",\"_version\":1,"
               "\"tag\":[],\"needs\":[]}");
    check_read(&world, "http://w/nobody", NULL);
    check_read(&world, "http://w/Task", NULL);
    world_close(&world);
}

TEST(node_of_no_known_type_has_its_predicates)
{
    struct world world;
    world_open(&world);
    world_add(&world, tasks);
    world_land(&world);
    check_read(&world, "http://w/odd",
               "{\"id\":\"http://w/odd\",\"http://w/title\":[{\"value\":\"x\","
               "\"language\":\"en\"}],\"http://w/size\":[5,5],"
               "\"http://w/owner\":[{\"id\":\"http://w/ann\"}]}");
    world_close(&world);
}

TEST(node_shows_all_values_where_only_one_is_allowed)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:p a w:Person ; person:name 'A', 'B' ;"
                      " w:boss 'nobody' .");
    check_read(&world, "http://w/p",
               "{\"id\":\"http://w/p\",\"_type\":\"Person\",\"_version\":0,"
               "\"name\":[\"A\",\"B\"],\"owner\":\"nobody\"}");
    world_close(&world);
}

TEST(node_says_once_what_two_graphs_say)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:p a w:Person ; person:name 'A' ."
                      "w:g { w:p a w:Person ; person:name 'A' ; w:boss w:q }");
    check_read(&world, "http://w/p",
               "{\"id\":\"http://w/p\",\"_type\":\"Person\",\"_version\":0,"
               "\"name\":\"A\",\"owner\":\"http://w/q\"}");
    world_close(&world);
}

static void check_facts(struct world *world, const char *iri, const char *label,
                        const char *type, int64_t version)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    const struct tr_model_type *found;
    int64_t number = -1;
    tr_str text;
    bool exists = false;
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_graph_node_find(&ctx, tr_str_from(iri), &id, &err), &err);
    CHECK_OK(tr_graph_node_exists(&ctx, id, &exists, &err), &err);
    CHECK_ROW(exists == (label != NULL), iri);
    CHECK_OK(tr_graph_node_type(&ctx, id, &found, &err), &err);
    CHECK_STR(found ? found->name : TR_STR("none"), type);
    CHECK_OK(tr_graph_node_label(&ctx, id, &text, &err), &err);
    CHECK_STR(text, label ? label : "");
    CHECK_OK(tr_graph_node_version(&ctx, id, &number, &err), &err);
    CHECK_INT(number, version);
}

TEST(node_is_known_by_label_type_and_version)
{
    struct world world;
    world_open(&world);
    world_add(&world, tasks);
    world_land(&world);
    world_land(&world);
    check_facts(&world, "http://w/t1", "First", "Task", 2);
    check_facts(&world, "http://w/ann", "Ann", "Person", 2);
    check_facts(&world, "http://w/odd", "", "none", 0);
    check_facts(&world, "http://w/nobody", NULL, "none", 0);
    check_facts(&world, "http://w/Task", NULL, "none", 0);
    world_close(&world);
}

TEST(node_is_read_with_the_changes_of_the_call)
{
    struct world world;
    world_open(&world);
    world_add(&world, tasks);
    world_land(&world);
    world_change(&world);
    world_remove(&world, "w:t1 w:title 'First' ; w:tag 'b' ; w:size 5 .");
    world_add(&world, "w:t1 w:title 'Now' ; w:tag 'c' ; w:size 7 ."
                      "w:new a w:Task, w:Thing ; w:title 'New' .");
    world_remove(&world, "w:ann a w:Person ; person:name 'Ann' .");
    check_read(&world, "http://w/t1",
               "{\"id\":\"http://w/t1\",\"_type\":\"Task\",\"_version\":2,"
               "\"title\":\"Now\",\"size\":7,\"tag\":[\"a\",\"c\"],"
               "\"done\":true,\"due\":\"2026-07-28T12:00:00Z\",\"share\":2.5,"
               "\"owner\":\"http://w/ann\",\"needs\":[\"http://w/t2\"]}");
    check_read(&world, "http://w/new",
               "{\"id\":\"http://w/new\",\"_type\":\"Task\",\"_version\":1,"
               "\"title\":\"New\",\"tag\":[],\"needs\":[]}");
    check_read(&world, "http://w/ann", NULL);
    check_facts(&world, "http://w/t1", "Now", "Task", 2);
    check_facts(&world, "http://w/new", "New", "Task", 1);
    check_facts(&world, "http://w/t2", "", "Task", 1);
    world_close(&world);
}

static void check_brief(struct world *world, const char *iri,
                        const char *expected)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_json brief;
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_graph_node_find(&ctx, tr_str_from(iri), &id, &err), &err);
    CHECK_OK(tr_query_node_brief(&ctx, id, &brief, &err), &err);
    world_check_json(&brief, expected);
}

TEST(node_in_brief_is_what_a_list_shows)
{
    struct world world;
    world_open(&world);
    world_add(&world, tasks);
    world_land(&world);
    check_brief(&world, "http://w/t1",
                "{\"id\":\"http://w/t1\",\"_type\":\"Task\",\"_version\":1,"
                "\"label\":\"First\"}");
    check_brief(&world, "http://w/odd", "{\"id\":\"http://w/odd\"}");
    world_change(&world);
    world_add(&world, "w:odd a w:Person ; rdfs:label 'Odd' ."
                      "w:t1 a w:Person .");
    check_brief(&world, "http://w/odd",
                "{\"id\":\"http://w/odd\",\"_type\":\"Person\",\"_version\":1,"
                "\"label\":\"Odd\"}");
    check_brief(&world, "http://w/t1",
                "{\"id\":\"http://w/t1\",\"_type\":\"Task\",\"_version\":2,"
                "\"label\":\"First\"}");
    world_close(&world);
}

TEST(node_is_no_literal)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_json node;
    tr_rdf_term text = tr_rdf_term_string(TR_STR("First"));
    bool found;
    tr_rdf_id id = TR_RDF_ID_NONE;
    world_open(&world);
    world_add(&world, tasks);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    CHECK_OK(tr_rdf_graph_find(ctx.graph, &text, &id, &err), &err);
    CHECK(tr_query_node_read_id(&ctx, id, &node, &found, &err) == TR_E_INVALID);
    world_close(&world);
}

static tr_status read_one(void *context, struct tr_err *err)
{
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_arena arena;
    struct tr_json node;
    bool found;
    tr_arena_init(&arena, TR_MIB(1));
    ctx.arena = &arena;
    tr_rows_terms_forget(world->terms);
    tr_status status =
        tr_query_node_read(&ctx, TR_STR("http://w/t1"), &node, &found, err);
    tr_arena_done(&arena);
    return status;
}

TEST(node_says_so_when_there_is_no_memory)
{
    struct world world;
    world_open(&world);
    world_add(&world, tasks);
    world_land(&world);
    CHECK(read_one(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(read_one, &world);
    world_close(&world);
}
