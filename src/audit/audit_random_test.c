/*
 * Stores with a single fault, in any table beside the quads and in the quads
 * themselves: each is found, and nothing is found without one.
 */
#include "audit/audit.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/test.h"
#include "graph/load.h"
#include "support/indexed.h"
#include "support/team.h"

#define FAULTS "test/fixtures/store_faults.sql"

enum { QUADS = 120, KINDS_MAX = 64, FAULT_COUNT = 300 };

/* A store in which all indexes have rows, and some predicates have none. */
struct world {
    struct team team;
    struct tr_arena arena;
    const char *faults[KINDS_MAX]; /* statements */
    size_t kinds;
    struct tr_db *db;
};

static void load_some(struct world *w)
{
    struct tr_graph_load_opts opts = {
        .path = tr_graph_store_path(w->team.store), .project = TR_STR("team")};
    struct tr_graph_load *load = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_graph_load_create(&opts, &load, &err), &err);
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    for (size_t i = 0; i < QUADS; i++) {
        tr_rdf_quad quad = indexed_quad();
        CHECK_OK(sink.quad(sink.context, &quad, &err), &err);
    }
    CHECK_OK(tr_graph_load_finish(load, &err), &err);
    tr_graph_load_free(load);
}

static void read_faults(struct world *w)
{
    struct tr_err err = {0};
    tr_str text;
    tr_str line;
    tr_str own;
    tr_arena_init(&w->arena, TR_MIB(1));
    CHECK_OK(tr_file_read(&w->arena, FAULTS, TR_KIB(64), &text, &err), &err);
    while (tr_str_cut(text, '\n', &line, &text)) {
        if (tr_str_starts(line, TR_STR("--")))
            continue;
        CHECK(w->kinds < KINDS_MAX && tr_arena_copy(&w->arena, line, &own));
        w->faults[w->kinds++] = own.ptr;
    }
    CHECK(w->kinds > 30);
}

static void open_world(struct world *w)
{
    struct tr_err err = {0};
    *w = (struct world){0};
    team_open(&w->team);
    read_faults(w);
    tr_model_free(w->team.model);
    w->team.model = indexed_model(INDEXED_SETS - 1);
    load_some(w);
    const char *path = tr_graph_store_path(w->team.store);
    CHECK_OK(indexed_fit(path, NULL, w->team.model, &err), &err);
    load_some(w);
    CHECK_OK(tr_db_open(path, NULL, &w->db, &err), &err);
}

static void close_world(struct world *w)
{
    tr_db_close(w->db);
    tr_arena_done(&w->arena);
    team_close(&w->team);
}

static void exec(struct world *w, const char *sql)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_exec(w->db, sql, &err), &err);
}

static uint64_t count_faults(struct world *w)
{
    struct tr_audit_compared found;
    struct tr_err err = {0};
    CHECK_OK(tr_audit_compare(w->db, &found, &err), &err);
    return found.extra + found.missing + found.unknown + found.counted;
}

struct findings {
    size_t count;
    size_t failed;
};

static tr_status take_finding(void *context,
                              const struct tr_audit_finding *finding,
                              struct tr_err *err)
{
    struct findings *found = context;
    (void)err;
    CHECK(finding->message.len > 0);
    found->count++;
    if (finding->health == TR_AUDIT_FAIL) {
        CHECK(finding->fix.len > 0);
        found->failed++;
    }
    return TR_OK;
}

static struct findings audit(struct world *w)
{
    struct findings found = {0};
    struct tr_err err = {0};
    const struct tr_audit_sink sink = {take_finding, &found};
    const struct tr_audit_opts opts = {.model = w->team.model};
    CHECK_OK(tr_audit_store(w->db, &opts, &sink, &err), &err);
    return found;
}

TEST(audit_finds_each_single_fault_and_nothing_without_one)
{
    struct world w;
    open_world(&w);
    size_t made = 0;
    for (size_t n = tr_test_scaled(FAULT_COUNT) + w.kinds; n > 0; n--) {
        /* Each kind once, then any. */
        const char *fault =
            w.faults[n <= w.kinds ? n - 1 : tr_test_random_below(w.kinds)];
        exec(&w, "BEGIN");
        CHECK_INT(count_faults(&w), 0);
        exec(&w, fault);
        if (tr_db_changes(w.db) > 0) {
            CHECK_ROW(count_faults(&w) > 0, fault);
            CHECK_ROW(audit(&w).failed > 0, fault);
            made++;
        }
        exec(&w, "ROLLBACK");
    }
    CHECK(made > w.kinds / 2);
    CHECK_INT(audit(&w).failed, 0);
    close_world(&w);
}
