/*
 * One app on several loops at once, each on its own thread.
 */
#include "access/authority.h"
#include "base/limits.h"
#include "base/test.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "loop/loop.h"
#include "lua/host.h"
#include "runtime/call.h"
#include "support/lua_door.h"

#include <pthread.h>

#define THREADS 4
#define CALLS   200

struct worker {
    pthread_t thread;
    struct tr_loop *loop; /* outlives all threads, as a server's do */
    const struct tr_cap_snapshot *snapshot; /* one pin of it */
    size_t finished;
};

static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct worker *worker = call->door_data;
    worker->finished += outcome->status == TR_OK;
}

static void run_one(struct worker *worker)
{
    static const struct tr_call_door_ops door = {.finished = finished};
    static const struct tr_access_authority somebody = {.scopes =
                                                            TR_SCOPE_RUNTIME};
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(worker->snapshot, TR_STR("work"));
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    struct tr_call call = {
        .authority = &somebody,
        .loop = worker->loop,
        .arena = &arena,
        .snapshot = worker->snapshot,
        .handler = &cap->handler,
        .cap = cap,
        .args = &none,
        .door = &door,
        .door_data = worker,
    };
    size_t before = worker->finished;
    tr_call_invoke(&call);
    while (worker->finished == before)
        (void)tr_loop_turn(worker->loop);
    tr_arena_done(&arena);
}

static void *run_worker(void *data)
{
    struct worker *worker = data;
    for (size_t i = 0; i < CALLS; i++)
        run_one(worker);
    tr_cap_snapshot_unpin(worker->snapshot);
    return NULL;
}

/* Whoever unpins last frees all states, whichever threads used them. */
TEST(lua_app_runs_on_many_loops_at_once)
{
    struct worker workers[THREADS] = {0};
    struct lua_app app;
    lua_app_open(&app, "names = { 'a', 'b' }\n"
                       "capability 'work' { description = 'd',\n"
                       "  run = function(ctx) local t = {}\n"
                       "    for i = 1, 50 do t[i] = names[i % 2 + 1] end\n"
                       "    ctx:sleep(0)\n"
                       "    return table.concat(t) end }");
    for (size_t i = 0; i < THREADS; i++) {
        struct tr_err err = {0};
        CHECK_OK(tr_loop_create(NULL, &workers[i].loop, &err), &err);
        tr_cap_snapshot_pin(app.snapshot);
        workers[i].snapshot = app.snapshot;
        CHECK_INT(
            pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]),
            0);
    }
    lua_app_close(&app);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(workers[i].thread, NULL), 0);
        CHECK_INT(workers[i].finished, CALLS);
    }
    for (size_t i = 0; i < THREADS; i++)
        tr_loop_free(workers[i].loop);
}
