/* The alternatives of an `any`, each along an index of its own. */
#include "base/test.h"
#include "query/query.h"
#include "support/indexed.h"
#include "support/team.h"

/* Nodes 0 to 11: size and rank go up, due is there for one. */
static void open_things(struct team *team)
{
    struct team_call call;
    struct tr_err err = {0};
    tr_str iri;
    team_open(team);
    tr_model_free(team->model);
    team->model = indexed_model(INDEXED_SETS - 1);
    CHECK_OK(
        indexed_fit(tr_graph_store_path(team->store), NULL, team->model, &err),
        &err);
    team_begin(&call, team);
    for (size_t i = 0; i < INDEXED_NODES; i++) {
        char json[128];
        (void)snprintf(json, sizeof(json),
                       "{\"size\":%zu,\"rank\":\"%zu.5\"%s}", i, i,
                       i ? "" : ",\"due\":\"2026-01-01T00:00:00Z\"");
        CHECK_OK(team_create(&call, "Task", indexed_node(i).ptr, json, &iri),
                 &call.err);
    }
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
}

/* What is found, and how many nodes were looked at for it. */
static const struct {
    const char *filter;
    const char *order;
    size_t found;
    size_t looked;
} rows[] = {
    /* Two ranges that share nodes, which come once. */
    {"{\"any\":[{\"size\":{\"max\":2}},{\"rank\":{\"below\":\"3\"}}]}", "", 3,
     6},
    {"{\"any\":[{\"size\":{\"max\":1}},{\"due\":{\"present\":true}}]}", "", 2,
     3},
    /* A range and a value. */
    {"{\"any\":[{\"size\":{\"min\":11}},{\"rank\":\"4.5\"}]}", "", 2, 2},
    /* With an order that no index has. */
    {"{\"any\":[{\"size\":{\"min\":11}},{\"rank\":{\"max\":\"0.5\"}}]}",
     "owner", 2, 2},
    /* What stands beside the alternatives is asked of each. */
    {"{\"size\":{\"one_of\":[0,5,11]},"
     "\"any\":[{\"size\":{\"min\":11}},{\"rank\":{\"max\":\"1.5\"}}]}",
     "", 2, 3},
    /* One without a way: all are looked at. */
    {"{\"any\":[{\"size\":{\"min\":11}},"
     "{\"any\":[{\"size\":{\"max\":0}},{\"rank\":{\"max\":\"0.5\"}}]}]}",
     "", 2, 12},
};

TEST(alternatives_are_walked_along_their_indexes)
{
    struct team team;
    open_things(&team);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_graph_read_ctx ctx;
        struct tr_query_page page;
        struct tr_query_count count;
        struct team_call call;
        team_begin(&call, &team);
        CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
        struct tr_query query = {.type =
                                     tr_model_find(team.model, TR_STR("Task")),
                                 .order = tr_str_from(rows[i].order),
                                 .filter = team_json(&call, rows[i].filter)};
        tr_status status = tr_query_where(&ctx, &query, &page, &call.err);
        CHECK_OK(status, &call.err);
        CHECK_ROW(page.count == rows[i].found, rows[i].filter);
        CHECK_ROW(page.looked == rows[i].looked, rows[i].filter);
        CHECK_OK(tr_query_where_count(&ctx, &query, &count, &call.err),
                 &call.err);
        CHECK_ROW(count.count == rows[i].found, rows[i].filter);
        tr_graph_kg_leave(&call.kg);
        team_end(&call);
    }
    team_close(&team);
}
