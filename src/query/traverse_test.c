#include "base/limits.h"
#include "base/test.h"
#include "graph/node.h"
#include "query/query.h"
#include "support/world.h"

static void open_chain(struct world *world)
{
    world_open(world);
    world_add(world,
              "w:a w:needs w:b, w:x . w:b w:needs w:c . w:c w:needs w:a ."
              "w:x w:needs w:c ; w:title 'X' . w:p w:boss w:q ."
              "w:a w:owner w:p .");
}

static tr_status go(struct world *world, const struct tr_query_route *route,
                    struct tr_query_page *page, bool *more, struct tr_err *err)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    tr_rdf_id from;
    TR_TRY(tr_graph_node_find(&ctx, TR_STR("http://w/a"), &from, err));
    return tr_query_traverse(&ctx, from, route, page, more, err);
}

static void check_route(struct world *world, const struct tr_query_step *steps,
                        size_t count, const char *expected)
{
    struct tr_query_route route = {.steps = steps, .count = count};
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    struct tr_buf text;
    bool more = false;
    tr_buf_init(&text, TR_KIB(4));
    CHECK_OK(go(world, &route, &page, &more, &err), &err);
    CHECK(!more);
    for (size_t i = 0; i < page.count; i++) {
        tr_rdf_term term = {0};
        CHECK_OK(tr_rdf_graph_get(ctx.graph, page.ids[i], &term, &err), &err);
        tr_buf_put(&text, tr_str_skip(term.text, sizeof("http://w/") - 1));
    }
    CHECK_STR(tr_buf_str(&text), expected);
    tr_buf_done(&text);
}

#define ROUTE(world, expected, ...)                                            \
    check_route(world, (const struct tr_query_step[]){__VA_ARGS__},            \
                sizeof((const struct tr_query_step[]){__VA_ARGS__}) /          \
                    sizeof(struct tr_query_step),                              \
                expected)

TEST(traverse_follows_fields_and_predicates_both_ways)
{
    struct world world;
    open_chain(&world);
    check_route(&world, NULL, 0, "a");
    ROUTE(&world, "bx", {.path = TR_STR("needs")});
    ROUTE(&world, "c", {.path = TR_STR("needs")}, {.path = TR_STR("needs")});
    ROUTE(&world, "c", {.path = TR_STR("^needs")});
    ROUTE(&world, "bx", {.path = TR_STR("http://w/needs")});
    ROUTE(&world, "c", {.path = TR_STR("^w:needs")});
    /* The owner of a task and the owner of a person are two predicates. */
    ROUTE(&world, "q", {.path = TR_STR("owner")}, {.path = TR_STR("owner")});
    ROUTE(&world, "", {.path = TR_STR("needs")}, {.path = TR_STR("title")});
    ROUTE(&world, "", {.path = TR_STR("w:never")});
    world_close(&world);
}

TEST(traverse_repeats_a_step_and_meets_each_node_once)
{
    struct world world;
    open_chain(&world);
    ROUTE(&world, "bxca", {.path = TR_STR("needs"), .min = 1, .max = 16});
    ROUTE(&world, "abxc", {.path = TR_STR("needs"), .min = 0, .max = 16});
    ROUTE(&world, "abxc", {.path = TR_STR("needs"), .min = 3, .max = 16});
    ROUTE(&world, "ca", {.path = TR_STR("needs"), .min = 2, .max = 3});
    world_close(&world);
}

static const struct {
    struct tr_query_step step;
    tr_status status;
    const char *message;
} refusals[] = {
    {{.path = TR_STR_INIT("need")},
     TR_E_VALIDATION,
     "no type has a field 'need'; did you mean 'needs'?"},
    {{.path = TR_STR_INIT("^xyzxyz")},
     TR_E_VALIDATION,
     "no type has a field 'xyzxyz'"},
    {{.path = TR_STR_INIT("")}, TR_E_VALIDATION, "no type has a field ''"},
    {{.path = TR_STR_INIT("what:is")},
     TR_E_VALIDATION,
     "'what:is' has the prefix 'what', which is not known"},
    {{.path = TR_STR_INIT("needs"), .min = 3, .max = 2},
     TR_E_VALIDATION,
     "a step cannot go at least 3 and at most 2 times"},
    {{.path = TR_STR_INIT("needs"), .max = 17},
     TR_E_VALIDATION,
     "a path has at most 16 steps, repetitions counted"},
    {{.path = TR_STR_INIT("needs"), .max = SIZE_MAX},
     TR_E_VALIDATION,
     "a path has at most 16 steps, repetitions counted"},
};

TEST(traverse_refuses_steps_that_lead_nowhere)
{
    struct world world;
    struct tr_query_page page = {0};
    bool more = false;
    open_chain(&world);
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        struct tr_query_route route = {.steps = &refusals[i].step, .count = 1};
        struct tr_err err = {0};
        CHECK_ROW(go(&world, &route, &page, &more, &err) == refusals[i].status,
                  refusals[i].message);
        CHECK_STR(tr_str_from(err.msg), refusals[i].message);
        CHECK(go(&world, &route, &page, &more, NULL) == refusals[i].status);
    }
    world_close(&world);
}

TEST(traverse_is_bounded_in_steps_results_and_work)
{
    struct world world;
    struct tr_query_step steps[TR_LIMIT_TRAVERSE_DEPTH + 1];
    struct tr_query_route route = {.steps = steps, .count = TR_LEN(steps)};
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    bool more = false;
    open_chain(&world);
    for (size_t i = 0; i < TR_LEN(steps); i++)
        steps[i] = (struct tr_query_step){.path = TR_STR("needs")};
    CHECK(go(&world, &route, &page, &more, &err) == TR_E_VALIDATION);
    route.count--;
    CHECK_OK(go(&world, &route, &page, &more, &err), &err);
    route.max_work = 5;
    CHECK(go(&world, &route, &page, &more, &err) == TR_E_LIMIT);
    route = (struct tr_query_route){.steps = steps, .count = 1, .limit = 1};
    CHECK_OK(go(&world, &route, &page, &more, &err), &err);
    CHECK_INT(page.count, 1);
    CHECK(more);
    world_close(&world);
}

static tr_status go_far(void *context, struct tr_err *err)
{
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query_step step = {.path = TR_STR("w:next"), .min = 1, .max = 16};
    struct tr_query_route route = {.steps = &step, .count = 1};
    struct tr_arena arena;
    struct tr_query_page page = {0};
    bool more = false;
    tr_rdf_id from;
    tr_arena_init(&arena, TR_MIB(1));
    ctx.arena = &arena;
    tr_rows_terms_forget(world->terms);
    tr_status status =
        tr_graph_node_find(&ctx, TR_STR("http://w/0"), &from, err);
    if (status == TR_OK)
        status = tr_query_traverse(&ctx, from, &route, &page, &more, err);
    tr_arena_done(&arena);
    return status;
}

TEST(traverse_says_so_when_there_is_no_memory)
{
    struct world world;
    world_open(&world);
    for (size_t i = 1; i < 40; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "w:%zu w:next w:%zu .", i / 2, i);
        world_add(&world, text);
    }
    CHECK(go_far(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(go_far, &world);
    world_close(&world);
}
