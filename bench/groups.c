/*
 * bench/groups.c - how many nodes have each value, read of an index, against
 * the bare statement over a table with an indexed column.
 */
#include "base/limits.h"
#include "bench.h"
#include "db/db.h"
#include "model/builder.h"
#include "query/aggregate.h"
#include "values/build.h"

#include <assert.h>
#include <unistd.h>

#define TASKS "1000000"

static const char bare_sql[] =
    "SELECT status, count(*) FROM task GROUP BY status";
/* As bench/kg.c writes them. */
static const char bare_schema[] =
    "CREATE TABLE task (id INTEGER PRIMARY KEY, status TEXT NOT NULL);"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
    " WHERE i < " TASKS " - 1)"
    "INSERT INTO task SELECT i, iif(i % 3, 'open', 'done') FROM n;"
    "CREATE INDEX task_status ON task (status);";

/* The status of bench/kg_app, and what has an index beside it. */
static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("status"), .index = TR_FIELD_INDEX_VALUE},
    {.name = TR_STR_INIT("rank"),
     .kind = TR_FIELD_INTEGER,
     .index = TR_FIELD_INDEX_VALUE,
     .optional = true},
};

struct side {
    struct tr_graph_reader *reader;
    const struct tr_model *model;
    struct tr_db *bare;
};

static const struct tr_model *make_model(void)
{
    const struct tr_model_type_draft draft = {
        .shape = {
            .name = TR_STR("Task"), .fields = fields, .count = TR_LEN(fields)}};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    tr_status status = tr_model_builder_create(TR_STR("bench"), &builder, NULL);
    assert(status == TR_OK);
    status = tr_model_builder_add_type(builder, &draft, NULL);
    assert(status == TR_OK);
    status = tr_model_build(builder, &model, NULL);
    assert(status == TR_OK);
    tr_model_builder_free(builder);
    return model;
}

static uint64_t count_groups(const void *data)
{
    const struct side *side = data;
    struct tr_arena arena;
    struct tr_query_groups groups;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_graph_reader_begin(side->reader, NULL);
    assert(status == TR_OK);
    struct tr_graph_read_ctx ctx =
        tr_graph_read_ctx_of(side->reader, NULL, side->model, &arena);
    struct tr_query_aggregate asked = {
        .type = tr_model_find(side->model, TR_STR("Task")),
        .group = TR_STR("status")};
    status = tr_query_aggregate(&ctx, &asked, &groups, NULL);
    assert(status == TR_OK && groups.count == 2);
    uint64_t count = groups.items[0].count + groups.items[1].count;
    tr_graph_reader_end(side->reader);
    tr_arena_done(&arena);
    return count;
}

static uint64_t count_bare(const void *data)
{
    const struct side *side = data;
    struct tr_db_stmt *stmt;
    uint64_t count = 0;
    bool row;
    tr_status status = tr_db_prepare(side->bare, bare_sql, &stmt, NULL);
    assert(status == TR_OK);
    status = tr_db_stmt_step(stmt, &row, NULL);
    while (status == TR_OK && row) {
        count += (uint64_t)tr_db_column_i64(stmt, 1);
        status = tr_db_stmt_step(stmt, &row, NULL);
    }
    return count;
}

static bool open_bare(char *folder, struct tr_db **out)
{
    char path[64];
    struct tr_db_opts opts = {.no_sync = true};
    struct tr_err err = {0};
    (void)snprintf(path, sizeof(path), "%s/bare.db", folder);
    if (tr_db_open(path, &opts, out, &err) == TR_OK &&
        tr_db_exec(*out, bare_schema, &err) == TR_OK)
        return true;
    (void)fprintf(stderr, "bench: %s\n", err.msg);
    return false;
}

static bool open_ours(struct side *side, const char *store)
{
    char path[TR_BENCH_PATH + 16];
    struct tr_values_wanted wanted = {.model = side->model};
    struct tr_values_built built;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    const struct tr_db_opts opts = {.read_only = true};
    (void)snprintf(path, sizeof(path), "%s/graph.db", store);
    tr_status status = tr_db_open(path, NULL, &db, &err);
    if (status == TR_OK)
        status = tr_values_sync(db, &wanted, &built, &err);
    tr_db_close(db);
    if (status == TR_OK)
        status = tr_graph_reader_create(path, &opts, &side->reader, &err);
    if (status == TR_OK)
        return true;
    (void)fprintf(stderr, "bench: %s\n", err.msg);
    return false;
}

static bool compare(const struct side *side, const char *name)
{
    double ours_ns;
    double theirs_ns;
    uint64_t count = count_groups(side);
    assert(count == count_bare(side));
    (void)count;
    struct tr_bench_row row = {
        .ours = count_groups, .theirs = count_bare, .data = side};
    tr_bench_compare(&row, &ours_ns, &theirs_ns);
    struct tr_bench_ratio ratio = {name, "bare SQL", ours_ns, theirs_ns,
                                   1 / 1.5};
    return tr_bench_report_ratio(&ratio);
}

bool tr_bench_groups(const char *name, const char *store)
{
    char folder[] = "/tmp/trails-bench-XXXXXX";
    char command[64];
    struct side side = {.model = make_model()};
    if (!mkdtemp(folder))
        return false;
    bool good = open_bare(folder, &side.bare) && open_ours(&side, store) &&
                compare(&side, name);
    tr_graph_reader_free(side.reader);
    tr_model_free(side.model);
    tr_db_close(side.bare);
    (void)snprintf(command, sizeof(command), "rm -r '%s'", folder);
    return tr_bench_run(command) && good;
}
