/* The logs of several loops; also built and run with ThreadSanitizer. */
#include "base/test.h"
#include "db/writer.h"
#include "loop/timer.h"
#include "prov/log.h"
#include "support/activity.h"

#include <pthread.h>

#define LOOPS 4
#define TURNS 50
#define BURST 40

/* One loop whose calls end in bursts; some of them have written. */
struct server {
    pthread_t thread;
    struct tr_loop *loop;
    struct tr_db_writer *writer;
    struct tr_prov_writer *names;
    struct tr_prov_log *log;
    struct tr_loop_timer timer;
    struct tr_crypto_uuid_maker maker;
    unsigned number;
    unsigned turns;
    unsigned writing;
    bool is_closed;
    struct entry {
        struct tr_db_write write; /* first: it finds us by it */
        struct server *server;
        struct tr_prov_activity activity;
    } entries[TURNS];
};

static struct tr_prov_activity next_activity(struct server *server)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    tr_time now = tr_time_now();
    struct tr_prov_activity activity = {
        .kind = TR_PROV_ACTIVITY_TOOL,
        .name = tr_str_from(names[server->number]),
        .principal = TR_STR("alice"),
        .started_us = now.seconds * 1000000 + now.nanos / 1000,
    };
    CHECK_OK(tr_crypto_uuid_maker_next(&server->maker, activity.started_us,
                                       activity.id, NULL),
             NULL);
    return activity;
}

/* Each other write fails after it has left its activity. */
static tr_status run(struct tr_db_write *write, struct tr_db *db,
                     struct tr_err *err)
{
    struct entry *entry = (struct entry *)(void *)write;
    TR_TRY(tr_prov_write(entry->server->names, db, &entry->activity, err));
    if ((entry - entry->server->entries) % 2 == 0)
        return TR_OK;
    tr_prov_writer_forget(entry->server->names);
    return tr_fail(err, TR_E_VALIDATION, "not valid");
}

static void on_closed(void *data)
{
    ((struct server *)data)->is_closed = true;
}

static void done(struct tr_db_write *write)
{
    struct server *server = ((struct entry *)(void *)write)->server;
    tr_loop_release(server->loop);
    if (--server->writing == 0 && server->turns == TURNS)
        tr_prov_log_close(server->log, on_closed, server);
}

static void on_turn(void *data)
{
    struct server *server = data;
    struct entry *entry = &server->entries[server->turns];
    for (unsigned i = 0; i < BURST; i++) {
        struct tr_prov_activity activity = next_activity(server);
        tr_prov_log_add(server->log, &activity);
    }
    entry->server = server;
    entry->activity = next_activity(server);
    entry->activity.wrote = true;
    entry->write =
        (struct tr_db_write){.run = run, .done = done, .loop = server->loop};
    tr_loop_hold(server->loop);
    server->writing++;
    if (++server->turns == TURNS)
        tr_loop_timer_stop(&server->timer);
    CHECK_OK(tr_db_writer_submit(server->writer, &entry->write, NULL), NULL);
}

static void *work(void *data)
{
    struct server *server = data;
    tr_loop_timer_init(&server->timer, server->loop, on_turn, server);
    tr_loop_timer_start(&server->timer, 1, 1);
    tr_loop_run(server->loop);
    return NULL;
}

static void on_undone(void *data)
{
    tr_prov_writer_forget(data);
}

static void open_server(struct server *server)
{
    struct tr_err err = {0};
    CHECK_OK(tr_loop_create(NULL, &server->loop, &err), &err);
    const struct tr_prov_log_opts opts = {
        .loop = server->loop,
        .writer = server->writer,
        .names = server->names,
        .delay_ms = 5,
        .max_bytes = TR_MIB(64),
    };
    CHECK_OK(tr_prov_log_create(&opts, &server->log, &err), &err);
    CHECK(pthread_create(&server->thread, NULL, work, server) == 0);
}

TEST(logs_of_four_loops_keep_every_activity)
{
    static struct server servers[LOOPS];
    struct activity_store store;
    struct tr_db_writer *writer = NULL;
    struct tr_err err = {0};
    activity_store_open(&store);
    struct tr_db_writer_opts opts = {
        .path = store.path, .undone = on_undone, .data = store.writer};
    CHECK_OK(tr_db_writer_create(&opts, &writer, &err), &err);
    for (unsigned i = 0; i < LOOPS; i++) {
        servers[i] = (struct server){
            .writer = writer, .names = store.writer, .number = i};
        open_server(&servers[i]);
    }
    for (unsigned i = 0; i < LOOPS; i++) {
        (void)pthread_join(servers[i].thread, NULL);
        CHECK(servers[i].is_closed);
        tr_loop_free(servers[i].loop);
    }
    tr_db_writer_free(writer);
    CHECK_INT(activity_store_ask(&store, "SELECT count(*) FROM activity_read"),
              LOOPS * TURNS * BURST);
    CHECK_INT(activity_store_ask(&store, "SELECT count(*) FROM activity"),
              LOOPS * TURNS / 2);
    CHECK_INT(activity_store_ask(
                  &store, "SELECT count(*) FROM activity_read AS a"
                          " JOIN prov_name AS w ON w.id = a.what"
                          " JOIN prov_name AS p ON p.id = a.who"
                          " WHERE substr(w.key, 3) BETWEEN x'61' AND x'64'"),
              LOOPS * TURNS * BURST);
    activity_store_close(&store);
}
