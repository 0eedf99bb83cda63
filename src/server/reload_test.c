/*
 * Who asks for a reload, on whichever loop, is told how it went.
 */
#include "server/reload.h"

#include "base/test.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "server/app.h"
#include "server/doctor.h"
#include "server/metrics.h"
#include "support/folder.h"

#include <stdlib.h>

#define GOOD "capability 'first' { description = 'd', run = print }\n"

/* What a server has that its app is loaded again with; and one loop more. */
struct fixture {
    struct folder folder;
    struct tr_server_app app;
    struct tr_server_doctor doctor;
    struct tr_server_metrics metrics;
    struct tr_server_reload reload;
    struct tr_loop *other;
    unsigned told;
    tr_status status;
    struct tr_err err;
};

static void open_fixture(struct fixture *f)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    *f = (struct fixture){0};
    folder_open(&f->folder);
    folder_write(&f->folder, "app.lua", GOOD);
    folder_write(&f->folder, "trails.toml", "[store]\npath = ':memory:'\n");
    CHECK_OK(tr_server_app_open(&f->app, f->folder.path, &err), &err);
    CHECK_OK(tr_server_app_load(&f->app, &snapshot, &err), &err);
    CHECK_OK(tr_server_doctor_init(&f->doctor, &f->app, &err), &err);
    f->reload = (struct tr_server_reload){
        .app = &f->app, .doctor = &f->doctor, .metrics = &f->metrics};
    struct tr_server_reload *r = &f->reload;
    CHECK_OK(tr_server_app_open_store(&f->app, NULL, snapshot, &r->store, &err),
             &err);
    CHECK_OK(tr_cap_registry_create(&r->registry, &err), &err);
    tr_cap_registry_take(r->registry, snapshot);
    CHECK_OK(tr_mcp_hub_create(&r->hub, &err), &err);
    CHECK_OK(tr_loop_create(NULL, &r->loop, &err), &err);
    CHECK_OK(tr_loop_create(NULL, &f->other, &err), &err);
}

static void close_fixture(struct fixture *f)
{
    tr_loop_free(f->other);
    tr_loop_free(f->reload.loop);
    tr_mcp_hub_free(f->reload.hub);
    tr_graph_store_close(f->reload.store);
    tr_cap_registry_free(f->reload.registry);
    tr_server_doctor_done(&f->doctor);
    tr_server_app_close(&f->app);
    folder_close(&f->folder);
}

static bool offers(const struct fixture *f, const char *name)
{
    const struct tr_cap_snapshot *snapshot =
        tr_cap_registry_pin(f->reload.registry);
    bool found = tr_cap_snapshot_find_cap(snapshot, tr_str_from(name)) != NULL;
    tr_cap_snapshot_unpin(snapshot);
    return found;
}

static void note(void *data, tr_status status, const struct tr_err *err)
{
    struct fixture *f = data;
    f->told++;
    f->status = status;
    f->err = *err;
}

static struct tr_server_reload_ask *ask(struct fixture *f)
{
    struct tr_server_reload_ask *asked = NULL;
    struct tr_err err;
    f->told = 0;
    CHECK_OK(tr_server_reload_ask(&f->reload, f->other, note, f, &asked, &err),
             &err);
    return asked;
}

static void turn(struct tr_loop *loop)
{
    tr_loop_hold(loop);
    (void)tr_loop_turn(loop);
    tr_loop_release(loop);
}

TEST(who_asks_is_told_when_every_request_sees_the_new_app)
{
    struct fixture f;
    open_fixture(&f);
    folder_write(&f.folder, "app.lua",
                 GOOD "capability 'second' {"
                      " description = 'd', run = print }");
    (void)ask(&f);
    turn(f.other);
    CHECK(f.told == 0 && !offers(&f, "second"));
    turn(f.reload.loop);
    CHECK(f.told == 0 && offers(&f, "second"));
    turn(f.other);
    CHECK(f.told == 1 && f.status == TR_OK);
    close_fixture(&f);
}

TEST(who_asks_is_told_why_it_does_not_load_and_where)
{
    struct fixture f;
    open_fixture(&f);
    folder_write(&f.folder, "app.lua", "\n\ncapability(\n");
    (void)ask(&f);
    turn(f.reload.loop);
    turn(f.other);
    CHECK(f.told == 1 && f.status == TR_E_INVALID);
    CHECK_ROW(strstr(f.err.msg, "app.lua:4: "), f.err.msg);
    CHECK(offers(&f, "first"));
    folder_write(&f.folder, "app.lua", GOOD);
    folder_write(&f.folder, "trails.toml", "\n[store]\npaht = 'x'\n");
    (void)ask(&f);
    turn(f.reload.loop);
    turn(f.other);
    CHECK(f.told == 1 && f.status == TR_E_INVALID);
    CHECK_ROW(strstr(f.err.msg, "trails.toml:3:1: "), f.err.msg);
    close_fixture(&f);
}

TEST(who_does_not_want_to_hear_of_it_any_more_is_told_nothing)
{
    struct fixture f;
    open_fixture(&f);
    struct tr_server_reload_ask *asked = ask(&f);
    turn(f.reload.loop);
    tr_server_reload_forget(asked);
    turn(f.other);
    CHECK_INT(f.told, 0);
    close_fixture(&f);
}

TEST(nothing_is_loaded_while_the_process_ends)
{
    struct fixture f;
    open_fixture(&f);
    folder_write(&f.folder, "app.lua", "");
    f.reload.is_ending = true;
    (void)ask(&f);
    turn(f.reload.loop);
    turn(f.other);
    CHECK(f.told == 1 && f.status == TR_E_UNAVAILABLE && offers(&f, "first"));
    close_fixture(&f);
}
