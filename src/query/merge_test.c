/* What a filter costs, in rows that are read and times that a walk is asked:
 * both are the same on every machine. */
#include "query/merge.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "query/filter.h"
#include "support/world.h"

enum { TASKS = 3000, EVERY = 100, RAREST = TASKS / EVERY, RUN = 20 };

static void add_tasks(struct world *world, const char *format, size_t first,
                      size_t end, size_t step)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(1));
    for (size_t i = first; i < end; i += step)
        tr_buf_putf(&text, "w:t%zu %s .\n", i, format);
    tr_buf_putc(&text, '\0');
    world_add(world, text.ptr);
    tr_buf_done(&text);
}

/*
 * Of many tasks half are done; RAREST each have the tag x, the tag late, or are
 * persons too. Titles and needs: of those by three and by five few have both;
 * `turn` is rare first and then frequent, w:t7 the other way round; `run` is a
 * few in a row, here and there.
 */
static void open_tasks(struct world *world)
{
    world_open(world);
    add_tasks(world, "a w:Task ; w:size 1", 0, TASKS, 1);
    add_tasks(world, "w:done true", 1, TASKS, 2);
    add_tasks(world, "w:done false", 0, TASKS, 2);
    add_tasks(world, "w:tag 'x'", 7, TASKS, EVERY);
    add_tasks(world, "w:tag 'late'", TASKS - RAREST, TASKS, 1);
    add_tasks(world, "a w:Person", 50, TASKS, EVERY);
    add_tasks(world, "w:boss w:t1", 0, TASKS, 2);
    add_tasks(world, "w:title 'three'", 0, TASKS, 3);
    add_tasks(world, "w:needs w:t5", 0, TASKS, 5);
    add_tasks(world, "w:title 'turn'", 0, TASKS / 2, EVERY);
    add_tasks(world, "w:title 'turn'", TASKS / 2, TASKS, 1);
    add_tasks(world, "w:needs w:t7", 0, TASKS / 2, 1);
    add_tasks(world, "w:needs w:t7", TASKS / 2, TASKS, EVERY);
    for (size_t i = 0; i < TASKS; i += 3 * EVERY)
        add_tasks(world, "w:title 'run'", i, i + RUN, 1);
    world_land(world);
}

/* What it took to find all matches. */
struct cost {
    size_t matches;
    size_t asked; /* times */
    size_t rows;
};

static struct tr_query_pairs pairs_of(struct world *world,
                                      const struct tr_query_filter *filter)
{
    size_t count = filter->root.count;
    struct tr_query_pair *items =
        TR_NEW_ARRAY(&world->arena, struct tr_query_pair, count + 1);
    CHECK(items != NULL);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct tr_query_pair){filter->root.parts[i].slot.p,
                                          filter->root.parts[i].choices[0].id};
    items[count] = (struct tr_query_pair){filter->type.p, filter->class};
    return (struct tr_query_pairs){.items = items, .count = count + 1};
}

static struct cost take_all(struct world *world, const char *type,
                            const char *filter)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_query query = {.type = world_type(world, type)};
    struct tr_query_filter compiled;
    struct tr_query_pairs pairs;
    struct tr_query_merge merge;
    struct cost cost = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_json_read(&world->arena, tr_str_from(filter), NULL,
                          &query.filter, &err),
             &err);
    CHECK_OK(tr_query_filter_compile(&ctx, &query, &compiled, &err), &err);
    pairs = pairs_of(world, &compiled);
    CHECK_OK(tr_query_merge_open(&merge, &ctx, &pairs, TR_RDF_ID_NONE,
                                 TR_LIMIT_QUERY_WORK, &err),
             &err);
    CHECK_OK(tr_query_merge_next(&merge, &id, &err), &err);
    for (; id != TR_RDF_ID_NONE; cost.matches++)
        CHECK_OK(tr_query_merge_next(&merge, &id, &err), &err);
    CHECK(!merge.is_cut);
    cost.asked = pairs.count * TR_LIMIT_QUERY_WORK - merge.work;
    for (size_t i = 0; i < pairs.count; i++)
        cost.rows += merge.walks[i].rows;
    tr_query_merge_close(&merge);
    return cost;
}

static const struct {
    const char *type;
    const char *filter;
    size_t matches;
    size_t rarest;
} filters[] = {
    {"Task", "{\"size\":1,\"done\":true,\"tag\":\"x\"}", RAREST, RAREST},
    {"Task", "{\"tag\":\"x\",\"size\":1,\"done\":true}", RAREST, RAREST},
    {"Task", "{\"done\":true,\"tag\":\"x\",\"size\":1}", RAREST, RAREST},
    {"Task", "{\"done\":false,\"tag\":\"x\",\"size\":1}", 0, RAREST},
    {"Task", "{\"size\":1,\"tag\":\"late\",\"done\":true}", RAREST / 2, RAREST},
    {"Task", "{\"size\":1,\"tag\":\"x\"}", RAREST, RAREST},
    {"Task", "{\"tag\":\"x\"}", RAREST, RAREST},
    {"Person", "{\"owner\":\"http://w/t1\"}", RAREST, RAREST},
    {"Task", "{\"title\":\"three\",\"needs\":\"http://w/t5\"}", TASKS / 15,
     TASKS / 5},
    {"Task", "{\"title\":\"turn\",\"needs\":\"http://w/t7\"}", RAREST, RAREST},
    {"Task", "{\"needs\":\"http://w/t7\",\"title\":\"turn\"}", RAREST, RAREST},
    {"Task", "{\"size\":1,\"title\":\"run\"}", RAREST / 3 * RUN,
     RAREST / 3 * RUN},
};

/* Whatever else there is, and in whatever order they are named: about once for
 * each pair and each node that has the rarest. */
TEST(merge_costs_what_the_rarest_pair_costs)
{
    struct world world;
    open_tasks(&world);
    for (size_t i = 0; i < TR_LEN(filters); i++) {
        struct cost cost = take_all(&world, filters[i].type, filters[i].filter);
        CHECK_ROW(cost.matches == filters[i].matches, filters[i].filter);
        CHECK_ROW(cost.asked <= 5 * filters[i].rarest, filters[i].filter);
        CHECK_ROW(cost.rows <= 5 * filters[i].rarest, filters[i].filter);
    }
    world_close(&world);
}

TEST(merge_passes_over_a_statement_in_many_graphs)
{
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < 1000; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "w:g%zu { w:t0 w:tag 'x' . }", i);
        world_add(&world, text);
    }
    world_add(&world, "w:t0 a w:Task . w:t1 a w:Task ; w:tag 'x' .");
    world_land(&world);
    struct cost cost = take_all(&world, "Task", "{\"tag\":\"x\"}");
    CHECK_INT(cost.matches, 2);
    CHECK(cost.rows < 50);
    world_close(&world);
}
