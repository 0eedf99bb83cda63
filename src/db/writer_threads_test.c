/* Writes from several loops; also built and run with ThreadSanitizer. */
#include "base/test.h"
#include "db/writer.h"
#include "support/folder.h"

#include <pthread.h>
#include <stdatomic.h>

#define LOOPS  4
#define WRITES 200

static const struct tr_db_step steps[] = {
    {.sql = "CREATE TABLE thing (name INTEGER PRIMARY KEY, loop INTEGER)"}};

/* One loop that writes WRITES numbers, which the other loops want too. */
struct client {
    pthread_t thread;
    struct tr_loop *loop;
    struct tr_db_writer *writer;
    unsigned number;
    unsigned done;
    unsigned won;
    struct entry {
        struct tr_db_write write; /* first: it finds us by it */
        struct client *client;
        int64_t name;
    } entries[WRITES];
};

static tr_status run(struct tr_db_write *write, struct tr_db *db,
                     struct tr_err *err)
{
    struct entry *entry = (struct entry *)(void *)write;
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "INSERT INTO thing VALUES (?1, ?2)", &stmt, err));
    tr_db_bind_i64(stmt, 1, entry->name);
    tr_db_bind_i64(stmt, 2, entry->client->number);
    return tr_db_stmt_run(stmt, err);
}

static void done(struct tr_db_write *write)
{
    struct client *client = ((struct entry *)(void *)write)->client;
    CHECK(write->status == TR_OK || write->status == TR_E_CONFLICT);
    client->won += write->status == TR_OK;
    if (++client->done == WRITES)
        tr_loop_release(client->loop);
}

static void *work(void *data)
{
    struct client *client = data;
    tr_loop_hold(client->loop);
    for (unsigned i = 0; i < WRITES; i++) {
        struct entry *entry = &client->entries[i];
        entry->client = client;
        entry->name = i;
        entry->write.run = run;
        entry->write.done = done;
        entry->write.loop = client->loop;
        CHECK_OK(tr_db_writer_submit(client->writer, &entry->write, NULL),
                 NULL);
    }
    tr_loop_run(client->loop);
    return NULL;
}

static void count_commit(void *data)
{
    (void)atomic_fetch_add((_Atomic unsigned *)data, 1);
}

TEST(writer_gives_each_name_to_one_and_commits_in_groups)
{
    static struct client clients[LOOPS];
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    _Atomic unsigned commits = 0;
    unsigned won = 0;
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, 1, &err), &err);
    tr_db_close(db);
    struct tr_db_writer *writer = NULL;
    struct tr_db_writer_opts opts = {
        .path = folder_path(&folder, "a.db"),
        .committed = count_commit,
        .data = &commits,
        .max_group = 64,
    };
    CHECK_OK(tr_db_writer_create(&opts, &writer, &err), &err);
    for (unsigned i = 0; i < LOOPS; i++) {
        clients[i] = (struct client){.writer = writer, .number = i};
        CHECK_OK(tr_loop_create(NULL, &clients[i].loop, &err), &err);
        CHECK(pthread_create(&clients[i].thread, NULL, work, &clients[i]) == 0);
    }
    for (unsigned i = 0; i < LOOPS; i++) {
        (void)pthread_join(clients[i].thread, NULL);
        won += clients[i].won;
        tr_loop_free(clients[i].loop);
    }
    tr_db_writer_free(writer);
    CHECK_INT(won, WRITES);
    CHECK(atomic_load(&commits) < WRITES);
    folder_close(&folder);
}
