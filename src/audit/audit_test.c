#include "audit/audit.h"

#include "base/buf.h"
#include "base/test.h"
#include "db/db.h"
#include "json/writer.h"
#include "support/indexed.h"
#include "support/past.h"
#include "support/team.h"

/* A store of the team's app with two people and a task. */
struct world {
    struct team team;
    struct tr_db *db;
    struct tr_buf said; /* findings, as JSON */
};

static void create(struct team *team, const char *type, const char *iri,
                   const char *fields)
{
    struct team_call call;
    tr_str made;
    team_begin(&call, team);
    CHECK_OK(team_create(&call, type, iri, fields, &made), &call.err);
    CHECK_OK(team_land(&call), &call.err);
    team_end(&call);
}

static void open_world(struct world *w)
{
    struct tr_err err = {0};
    team_open(&w->team);
    tr_buf_init(&w->said, TR_KIB(64));
    const char *path = tr_graph_store_path(w->team.store);
    CHECK_OK(indexed_fit(path, NULL, w->team.model, &err), &err);
    create(&w->team, "Person", "http://e/1",
           "{\"name\":\"A\",\"email\":\"a\"}");
    create(&w->team, "Person", "http://e/2",
           "{\"name\":\"B\",\"email\":\"b\"}");
    create(&w->team, "Task", "http://e/3",
           "{\"name\":\"C\",\"project\":\"p\",\"number\":1,\"state\":\"open\","
           "\"owner\":\"http://e/1\"}");
    CHECK_OK(tr_db_open(path, NULL, &w->db, &err), &err);
}

static void close_world(struct world *w)
{
    tr_db_close(w->db);
    tr_buf_done(&w->said);
    team_close(&w->team);
}

static tr_status take(void *context, const struct tr_audit_finding *finding,
                      struct tr_err *err)
{
    struct world *w = context;
    struct tr_json_writer json;
    tr_jw_init(&json, &w->said);
    tr_audit_finding_write(&json, finding);
    tr_buf_putc(&w->said, '\n');
    return tr_jw_finish(&json, err);
}

static tr_status audit(struct world *w, const struct tr_audit_opts *opts,
                       struct tr_err *err)
{
    const struct tr_audit_sink sink = {take, w};
    tr_buf_clear(&w->said);
    return tr_audit_store(w->db, opts, &sink, err);
}

static void check(struct world *w, struct tr_audit_opts opts,
                  const char *expected)
{
    struct tr_err err = {0};
    CHECK_OK(audit(w, &opts, &err), &err);
    CHECK_STR(tr_buf_str(&w->said), expected);
}

static void exec(struct world *w, const char *sql)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_exec(w->db, sql, &err), &err);
}

static bool says(struct world *w, const char *text)
{
    tr_buf_putc(&w->said, '\0');
    return strstr(w->said.ptr, text) != NULL;
}

#define FILE_IS_WELL                                                           \
    "{\"id\":\"store.integrity\",\"status\":\"ok\",\"message\":\"the whole "   \
    "store can be read\"}\n"
#define RESTORE ",\"fix\":\"restore a backup: trails restore\"}\n"

TEST(audit_of_a_sound_store_says_that_it_was_compared)
{
    struct world w;
    open_world(&w);
    check(&w, (struct tr_audit_opts){0},
          FILE_IS_WELL
          "{\"id\":\"store.indexes\",\"status\":\"ok\",\"message\":\"indexes "
          "and counts say what the nodes say\"}\n");
    close_world(&w);
}

TEST(audit_tells_each_kind_of_fault_once_and_how_many)
{
    struct world w;
    open_world(&w);
    exec(&w, "DELETE FROM pos WHERE p = (SELECT p FROM pos LIMIT 1)");
    exec(&w, "INSERT INTO pos SELECT p, o, s + 1600, g FROM pos LIMIT 2");
    exec(&w, "UPDATE type_count SET count = count + 1");
    check(&w, (struct tr_audit_opts){0},
          FILE_IS_WELL
          "{\"id\":\"store.indexes\",\"status\":\"fail\",\"message\":\"rows of "
          "indexes do not say what the nodes say: 2 too many, 3 "
          "missing\"" RESTORE
          "{\"id\":\"store.counts\",\"status\":\"fail\",\"message\":\"3 types "
          "have another number of nodes than is kept\"" RESTORE);
    close_world(&w);
    open_world(&w);
    exec(&w, "DELETE FROM term WHERE id = (SELECT s FROM spo LIMIT 1)");
    check(&w, (struct tr_audit_opts){0},
          FILE_IS_WELL
          "{\"id\":\"store.terms\",\"status\":\"fail\",\"message\":\"5 "
          "statements have a term that is not there\"" RESTORE);
    close_world(&w);
}

/* Who has opened it with an app is told; who only looks is not. */
TEST(audit_tells_what_was_not_put_right_to_who_has_the_store_open)
{
    struct world w;
    struct tr_err err = {0};
    open_world(&w);
    exec(&w, "DELETE FROM value_index");
    exec(&w, "DELETE FROM value_part");
    exec(&w, "DELETE FROM value_row");
    check(&w, (struct tr_audit_opts){0},
          FILE_IS_WELL
          "{\"id\":\"store.indexes\",\"status\":\"ok\",\"message\":\"indexes "
          "and counts say what the nodes say\"}\n");
    struct tr_audit_opts opts = {.model = w.team.model};
    CHECK_OK(audit(&w, &opts, &err), &err);
    CHECK(says(&w, "{\"id\":\"store.spelling\",\"status\":\"warn\""));
    CHECK(says(&w, "{\"id\":\"store.indexes\",\"status\":\"warn\""));
    close_world(&w);
}

TEST(audit_of_a_large_store_looks_at_its_counts_alone)
{
    static const char said[] =
        "{\"id\":\"store.integrity\",\"status\":\"ok\",\"message\":\"the "
        "counts of types can be read; all of a store of this size is read by "
        "trails check --store\"}\n";
    struct world w;
    uint64_t bytes = 0;
    struct tr_err err = {0};
    open_world(&w);
    exec(&w, "DELETE FROM pos");
    CHECK_OK(tr_db_size(w.db, &bytes, &err), &err);
    check(&w, (struct tr_audit_opts){.max_bytes = bytes - 1}, said);
    struct tr_audit_opts opts = {.max_bytes = bytes};
    CHECK_OK(audit(&w, &opts, &err), &err);
    CHECK(says(&w, "{\"id\":\"store.indexes\",\"status\":\"fail\""));
    close_world(&w);
}

/* Those with all tables that are compared are compared. */
TEST(audit_of_an_older_store_says_that_it_was_not_compared)
{
    struct world w;
    struct tr_err err = {0};
    size_t compared = past_version_with("bare");
    open_world(&w);
    CHECK(compared > 1);
    for (size_t i = 1; i <= past_versions(); i++) {
        const char *old = folder_path(&w.team.folder, "old.db");
        (void)remove(old);
        CHECK_OK(past_make(tr_graph_store_path(w.team.store), old, i, &err),
                 &err);
        tr_db_close(w.db);
        CHECK_OK(tr_db_open(old, NULL, &w.db, &err), &err);
        check(&w, (struct tr_audit_opts){0},
              i < compared ? FILE_IS_WELL
                  "{\"id\":\"store.version\",\"status\":\"warn\",\"message\":"
                  "\"the store is of an older version: what it says can be "
                  "compared when it was opened\",\"fix\":\"start the server "
                  "where it can write to its store\"}\n"
                           : FILE_IS_WELL
                  "{\"id\":\"store.indexes\",\"status\":\"ok\",\"message\":"
                  "\"indexes and counts say what the nodes say\"}\n");
    }
    close_world(&w);
}

TEST(audit_of_a_table_that_is_gone_tells_why_it_cannot_be_read)
{
    struct world w;
    struct tr_err err = {0};
    struct tr_audit_opts opts = {0};
    open_world(&w);
    exec(&w, "DROP TABLE ops");
    CHECK_OK(audit(&w, &opts, &err), &err);
    CHECK(says(&w, "{\"id\":\"store.indexes\",\"status\":\"fail\","
                   "\"message\":\"the store: no such table: ops\""));
    close_world(&w);
}

/* On a connection of its own, which keeps no statements. */
static tr_status audit_all(void *context, struct tr_err *err)
{
    struct world *w = context;
    struct tr_audit_opts opts = {.model = w->team.model};
    struct tr_db *own = w->db;
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(tr_graph_store_path(w->team.store), NULL, &db, err));
    w->db = db;
    tr_status status = audit(w, &opts, err);
    tr_db_close(w->db);
    w->db = own;
    return status;
}

TEST(audit_survives_every_allocation_that_fails)
{
    struct world w;
    struct tr_err err = {0};
    open_world(&w);
    CHECK_OK(audit_all(&w, &err), &err); /* makes room in `said` */
    tr_test_sweep(audit_all, &w);
    close_world(&w);
}
