#include "graph/reader.h"

#include "base/test.h"
#include "graph/store.h"
#include "loop/loop.h"

#include <unistd.h>

/* A store, a loop whose jobs share transactions, and somebody who writes. */
struct shared {
    struct tr_graph_store *store;
    struct tr_loop *loop;
    struct tr_graph_reader *reader;
    struct tr_db *other;
};

static void open_shared(struct shared *s)
{
    struct tr_graph_store_opts opts = {.folder = ":memory:"};
    struct tr_err err = {0};
    *s = (struct shared){0};
    CHECK_OK(tr_loop_create(NULL, &s->loop, &err), &err);
    CHECK_OK(tr_graph_store_open(&opts, &s->store, &err), &err);
    CHECK_OK(tr_graph_store_loop_reader(s->store, s->loop, &s->reader, &err),
             &err);
    CHECK_OK(tr_db_open(tr_graph_store_path(s->store), NULL, &s->other, &err),
             &err);
}

static void close_shared(struct shared *s)
{
    tr_db_close(s->other);
    tr_graph_reader_free(s->reader);
    tr_graph_store_close(s->store);
    tr_loop_free(s->loop);
}

/* How many nodes a job sees. */
static int64_t count_nodes(struct shared *s)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = false;
    CHECK_OK(tr_graph_reader_begin(s->reader, &err), &err);
    CHECK_OK(tr_db_prepare(s->reader->db,
                           "SELECT count(*) FROM node WHERE version > 0", &stmt,
                           &err),
             &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t count = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    tr_graph_reader_end(s->reader);
    return count;
}

static void add_node(struct shared *s)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_exec(s->other,
                        "INSERT INTO node (type, version, iri, body)"
                        " VALUES (0, 1, x'', x'01')",
                        &err),
             &err);
}

TEST(reader_jobs_of_a_turn_share_what_they_see_until_a_commit_is_told)
{
    struct shared s;
    open_shared(&s);
    CHECK_INT(count_nodes(&s), 0);
    add_node(&s); /* nobody was told yet that it has landed */
    CHECK_INT(count_nodes(&s), 0);
    tr_graph_store_raise_generation(s.store);
    CHECK_INT(count_nodes(&s), 1);
    CHECK_INT(count_nodes(&s), 1);
    close_shared(&s);
}

/* What another process has committed may not raise anything: it may have died.
 * And no log could be emptied while a loop that waits keeps a transaction. */
TEST(reader_ends_its_transaction_with_the_turn)
{
    struct shared s;
    struct tr_db_log log;
    struct tr_err err = {0};
    open_shared(&s);
    CHECK_INT(count_nodes(&s), 0);
    add_node(&s);
    tr_loop_hold(s.loop);
    CHECK(tr_loop_turn(s.loop));
    tr_loop_release(s.loop);
    /* The store's own thread may be looking at the log just now. */
    for (int tries = 0; tries < 5000; tries++) {
        CHECK_OK(tr_db_checkpoint(s.other, &log, &err), &err);
        if (log.moved == log.pages)
            break;
        (void)usleep(1000);
    }
    CHECK_INT(log.moved, log.pages);
    CHECK_INT(count_nodes(&s), 1);
    close_shared(&s);
}

TEST(reader_may_go_in_the_middle_of_a_turn)
{
    struct shared s;
    open_shared(&s);
    CHECK_INT(count_nodes(&s), 0);
    close_shared(&s);
}

/* Somebody copies a backup over it, or empties it: no SIGBUS, and no old state.
 */
TEST(reader_outlives_a_generation_that_was_cut)
{
    static const off_t sizes[] = {0, 3, 8};
    for (size_t i = 0; i < TR_LEN(sizes); i++) {
        struct shared s;
        char path[TR_LIMIT_PATH_BYTES];
        open_shared(&s);
        (void)snprintf(path, sizeof(path), "%s", tr_graph_store_path(s.store));
        (void)snprintf(strrchr(path, '/'), sizeof("/generation"),
                       "/generation");
        CHECK_INT(count_nodes(&s), 0);
        CHECK_INT(truncate(path, sizes[i]), 0);
        CHECK_INT(count_nodes(&s), 0);
        add_node(&s);
        tr_graph_store_raise_generation(s.store);
        CHECK_INT(count_nodes(&s), 1);
        add_node(&s);
        CHECK_INT(count_nodes(&s), 1); /* nobody was told: it has a value */
        close_shared(&s);
    }
}
