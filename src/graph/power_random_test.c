/*
 * Calls that write to a store on a disk that fails, fills up or loses power:
 * what was acknowledged is there, nothing is there in part, and what is kept
 * beside the quads agrees with them.
 */
#include "audit/audit.h"
#include "base/test.h"
#include "db/db.h"
#include "loop/loop.h"
#include "shacl/report.h"
#include "support/indexed.h"
#include "support/team.h"
#include "support/vfs.h"

enum { CALLS = 16, INDEXES = 2, BARE = 3 };

/* Calls that are all on their way at once. */
struct run {
    struct team team;
    unsigned told;
    bool is_indexed; /* the indexes are whole, as far as we know */
    struct call {
        struct team_call base; /* first: it finds us by it */
        struct run *run;
        bool is_acknowledged;
    } calls[CALLS];
};

static void name_nodes(size_t number, char person[64], char task[64])
{
    (void)snprintf(person, 64, "trails://team/Person/%zu", number);
    (void)snprintf(task, 64, "trails://team/Task/%zu", number);
}

/* Somebody and what he has to do: one is nothing without the other. */
static void fill_call(struct call *call, size_t number)
{
    struct team_call *base = &call->base;
    char person[64];
    char task[64];
    char fields[256];
    tr_str iri;
    name_nodes(number, person, task);
    (void)snprintf(fields, sizeof(fields),
                   "{\"name\":\"N %zu\",\"email\":\"%zu@x\"}", number, number);
    CHECK_OK(team_create(base, "Person", person, fields, &iri), &base->err);
    (void)snprintf(fields, sizeof(fields),
                   "{\"name\":\"T %zu\",\"project\":\"p\",\"number\":%zu,"
                   "\"state\":\"open\",\"owner\":\"%s\"}",
                   number, number, person);
    CHECK_OK(team_create(base, "Task", task, fields, &iri), &base->err);
}

static void told(struct tr_db_write *write)
{
    struct call *call = write->data;
    call->is_acknowledged = write->status == TR_OK;
    CHECK(write->status == TR_OK || write->err.msg[0]);
    if (++call->run->told == CALLS)
        tr_loop_release(call->run->team.loop);
}

static void begin_all(struct run *run)
{
    for (size_t i = 0; i < CALLS; i++) {
        struct call *call = &run->calls[i];
        *call = (struct call){.run = run};
        team_begin(&call->base, &run->team);
        fill_call(call, i);
    }
}

static void land_all(struct run *run)
{
    struct tr_err err = {0};
    run->told = 0;
    tr_loop_hold(run->team.loop);
    for (size_t i = 0; i < CALLS; i++) {
        struct call *call = &run->calls[i];
        call->base.write = (struct tr_graph_store_write){
            .write = {.done = told, .data = call, .loop = run->team.loop},
            .landing = {.changes = &call->base.kg.changes,
                        .model = run->team.model,
                        .arena = &call->base.arena},
        };
        CHECK_OK(
            tr_graph_store_submit(run->team.store, &call->base.write, &err),
            &err);
    }
    tr_loop_run(run->team.loop);
}

static int64_t count(struct tr_db *db, const char *sql)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = false;
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t value = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return value;
}

/* What is kept beside the quads says what they say. */
static void check_tables(struct tr_db *db)
{
    struct tr_audit_compared found;
    struct tr_err err = {0};
    CHECK_OK(tr_db_check(db, &err), &err);
    CHECK_OK(tr_audit_compare(db, &found, &err), &err);
    CHECK_INT(found.extra + found.missing + found.unknown + found.counted, 0);
    CHECK_INT(count(db, "SELECT count(*) FROM node"),
              count(db, "SELECT count(DISTINCT s) FROM spo"));
    CHECK_INT(count(db, "SELECT count(*) FROM search"),
              count(db, "SELECT count(*) FROM node"));
    CHECK_INT(count(db, "SELECT count(*) FROM change"),
              count(db, "SELECT count(*) FROM node"));
}

/* Either all indexes are there, or none is; `*has` is which. */
static void check_indexes(struct tr_graph_reader *reader, bool *has)
{
    int64_t count_of = count(reader->db, "SELECT count(*) FROM value_index");
    CHECK(count_of == 0 || count_of == INDEXES);
    CHECK_INT(count(reader->db, "SELECT count(*) FROM bare"),
              count_of ? BARE : 0);
    *has = count_of > 0;
}

static void check_shapes(const struct run *run, struct tr_graph_reader *reader)
{
    struct tr_shacl_validation *validation = NULL;
    struct tr_shacl_report report;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(16));
    tr_shacl_report_init(&report, &arena, 0);
    CHECK_OK(tr_shacl_validation_create(run->team.model->shapes,
                                        &reader->stored.base, NULL, &validation,
                                        &err),
             &err);
    CHECK_OK(
        tr_shacl_validation_run(validation, tr_shacl_report_add, &report, &err),
        &err);
    CHECK(tr_shacl_report_conforms(&report));
    tr_shacl_validation_free(validation);
    tr_arena_done(&arena);
}

static bool has_node(struct tr_graph_reader *reader, const char *iri)
{
    tr_rdf_ids pattern = {
        .p = TR_RDF_ID_ANY, .o = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    struct tr_err err = {0};
    bool has = false;
    CHECK_OK(tr_rdf_graph_find_iri(&reader->stored.base, tr_str_from(iri),
                                   &pattern.s, &err),
             &err);
    CHECK_OK(tr_rdf_graph_has(&reader->stored.base, pattern, &has, &err), &err);
    return has;
}

/* With a sound disk, and what the disk has kept. */
static void check_store(struct run *run)
{
    struct tr_graph_store_opts opts = {.folder = run->team.folder.path};
    struct tr_graph_store *store = NULL;
    struct tr_graph_reader *reader = NULL;
    struct tr_err err = {0};
    bool has_indexes;
    CHECK_OK(tr_graph_store_open(&opts, &store, &err), &err);
    CHECK_OK(tr_graph_store_reader(store, &reader, &err), &err);
    check_tables(reader->db);
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    check_indexes(reader, &has_indexes);
    CHECK(has_indexes || !run->is_indexed);
    for (size_t i = 0; i < CALLS; i++) {
        char person[64];
        char task[64];
        name_nodes(i, person, task);
        bool first = has_node(reader, person);
        CHECK(first == has_node(reader, task));
        CHECK(first || !run->calls[i].is_acknowledged);
    }
    check_shapes(run, reader);
    tr_graph_reader_end(reader);
    tr_graph_reader_free(reader);
    tr_graph_store_close(store);
}

static bool index_all(struct run *run)
{
    const struct tr_db_opts opts = {.vfs = TR_TEST_VFS};
    return indexed_fit(tr_graph_store_path(run->team.store), &opts,
                       run->team.model, NULL) == TR_OK;
}

static void open_run(struct run *run)
{
    struct tr_err err = {0};
    run->is_indexed = false;
    vfs_install();
    vfs_reset();
    folder_open(&run->team.folder);
    struct tr_graph_store_opts opts = {
        .folder = run->team.folder.path,
        .db.vfs = TR_TEST_VFS,
        .max_group = 1 + (size_t)tr_test_random_below(6),
    };
    CHECK_OK(tr_graph_store_open(&opts, &run->team.store, &err), &err);
    CHECK_OK(tr_graph_store_reader(run->team.store, &run->team.reader, &err),
             &err);
    CHECK_OK(tr_loop_create(NULL, &run->team.loop, &err), &err);
    run->team.model = team_model();
    begin_all(run);
}

/* The store, but not its files. */
static void close_store(struct run *run)
{
    for (size_t i = 0; i < CALLS; i++)
        team_end(&run->calls[i].base);
    tr_graph_reader_free(run->team.reader);
    tr_graph_store_close(run->team.store);
}

static void close_run(struct run *run)
{
    tr_loop_free(run->team.loop);
    tr_model_free(run->team.model);
    folder_close(&run->team.folder);
}

static size_t count_acknowledged(const struct run *run)
{
    size_t acknowledged = 0;
    for (size_t i = 0; i < CALLS; i++)
        acknowledged += run->calls[i].is_acknowledged;
    return acknowledged;
}

TEST(store_on_a_disk_that_fails_one_write_goes_on_with_the_next)
{
    static struct run run;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        open_run(&run);
        run.is_indexed = index_all(&run);
        vfs_fail_write(vfs_writes() + 1 + (size_t)tr_test_random_below(120));
        land_all(&run);
        CHECK(count_acknowledged(&run) > 0);
        close_store(&run);
        vfs_reset();
        check_store(&run);
        close_run(&run);
    }
}

TEST(store_on_a_disk_that_is_full_refuses_and_says_so)
{
    static struct run run;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        open_run(&run);
        vfs_fill_at(vfs_writes() + 1 + (size_t)tr_test_random_below(60));
        land_all(&run);
        for (size_t i = 0; i < CALLS; i++) {
            const struct tr_graph_store_write *sent = &run.calls[i].base.write;
            tr_status status = sent->write.status;
            CHECK(status == TR_OK || status == TR_E_IO);
        }
        CHECK(count_acknowledged(&run) < CALLS);
        close_store(&run);
        vfs_reset();
        check_store(&run);
        close_run(&run);
    }
}

TEST(store_on_a_disk_that_loses_power_keeps_what_was_acknowledged)
{
    static struct run run;
    for (size_t n = tr_test_scaled(200); n > 0; n--) {
        open_run(&run);
        run.is_indexed = index_all(&run);
        vfs_cut_at(vfs_writes() + 1 + (size_t)tr_test_random_below(160));
        land_all(&run);
        close_store(&run);
        vfs_recover(tr_test_random());
        (void)remove(folder_path(&run.team.folder, "graph.db-shm"));
        check_store(&run);
        close_run(&run);
    }
}

TEST(store_that_loses_power_while_it_is_indexed_has_all_indexes_or_none)
{
    static struct run run;
    size_t cut = 0;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        open_run(&run);
        land_all(&run);
        vfs_cut_at(vfs_writes() + 1 + (size_t)tr_test_random_below(6));
        run.is_indexed = index_all(&run);
        cut += vfs_is_cut();
        close_store(&run);
        vfs_recover(tr_test_random());
        (void)remove(folder_path(&run.team.folder, "graph.db-shm"));
        check_store(&run);
        close_run(&run);
    }
    CHECK(cut > 0);
}
