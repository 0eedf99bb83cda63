/* Meta-capabilities that run on threads, called on a store of their own. */
#include "access/authority.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"
#include "loop/loop.h"
#include "meta/meta.h"
#include "support/lua_world.h"

#include <semaphore.h>

/* What the process would know. A load waits until the test lets it go on. */
struct outside {
    struct tr_meta_outside base; /* first: what is given finds the rest by it */
    struct tr_meta_jobs jobs;
    sem_t may_load;
    bool is_held;
    tr_meta_reloaded_fn *reloaded;
    void *waiting;
    bool is_forgotten;
};

struct fixture {
    struct lua_world world;
    struct outside outside;
    const struct tr_cap_snapshot *metas;
    struct tr_access_authority who;
};

static tr_status try_files(const struct tr_meta_outside *base,
                           const struct tr_file_text *texts, size_t count,
                           const struct tr_cap_snapshot **out,
                           struct tr_err *err)
{
    struct outside *outside = (struct outside *)(uintptr_t)base;
    (void)out;
    if (outside->is_held)
        (void)sem_wait(&outside->may_load);
    return tr_fail(err, TR_E_INVALID, "/x/app/%.*s:7: there is a mistake",
                   TR_FMT(count ? texts[0].path : TR_STR("app.lua")));
}

static tr_status reload(const struct tr_meta_outside *base,
                        struct tr_loop *loop, tr_meta_reloaded_fn *reloaded,
                        void *data, void **ask, struct tr_err *err)
{
    struct outside *outside = (struct outside *)(uintptr_t)base;
    (void)loop;
    (void)err;
    outside->reloaded = reloaded;
    outside->waiting = data;
    *ask = outside;
    return TR_OK;
}

static void forget(void *ask)
{
    struct outside *outside = ask;
    outside->is_forgotten = true;
}

static void open(struct fixture *f)
{
    struct tr_cap_builder *builder = NULL;
    struct tr_err err = {0};
    *f = (struct fixture){.who = {.is_authenticated = true,
                                  .scopes = TR_SCOPE_ALL,
                                  .principal = TR_STR("alice")}};
    lua_world_open(&f->world, "");
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    CHECK_OK(tr_meta_add(builder, &err), &err);
    CHECK_OK(tr_cap_registry_build(builder, &f->metas, &err), &err);
    tr_cap_builder_free(builder);
    f->outside.base = (struct tr_meta_outside){
        .env = TR_STR("test"),
        .project = TR_STR("demo"),
        .folder = "/x/app",
        .jobs = &f->outside.jobs,
        .try_files = try_files,
        .reload = reload,
        .forget = forget,
    };
    (void)sem_init(&f->outside.may_load, 0, 0);
    f->world.env.meta = &f->outside.base;
}

static void close(struct fixture *f)
{
    CHECK_INT(atomic_load(&f->outside.jobs.running), 0);
    tr_cap_snapshot_unpin(f->metas);
    (void)sem_destroy(&f->outside.may_load);
    lua_world_close(&f->world);
}

static void init(struct lua_call *c, struct fixture *f, const char *id,
                 const char *args)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "trails.meta.%s", id);
    lua_call_init(c, &f->world.app, "count", args);
    c->call.cap = tr_cap_snapshot_find_tool(f->metas, tr_str_from(name));
    c->call.handler = &c->call.cap->handler;
    c->call.kind = TR_CALL_META;
    c->call.authority = &f->who;
}

static void check(struct fixture *f, const char *id, const char *args,
                  const char *expected)
{
    struct lua_call c;
    init(&c, f, id, args);
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
}

TEST(meta_work_runs_beside_the_loop_and_ends_on_it)
{
    struct fixture f;
    open(&f);
    check(&f, "data.import",
          "{\"type\":\"Person\",\"rows\":[{\"id\":\"http://ex.org/a\","
          "\"name\":\"Ada\",\"email\":\"a@b\"}]}",
          "{\"rows\":1,\"created\":1,\"changed\":0,\"same\":0,\"bad\":0,"
          "\"dry_run\":false}");
    check(&f, "data.validate", "{}",
          "{\"conforms\":true,\"count\":0,\"results\":[]}");
    check(&f, "app.check", "{\"path\":\"lib/a.lua\",\"text\":\"x\"}",
          "{\"ok\":false,\"findings\":[{\"severity\":\"error\","
          "\"file\":\"lib/a.lua\",\"line\":7,"
          "\"message\":\"there is a mistake\"}]}");
    close(&f);
}

/* Those that run at once are bounded in number, whoever has started them. */
TEST(meta_work_is_refused_when_too_much_runs)
{
    struct fixture f;
    struct lua_call c;
    open(&f);
    atomic_store(&f.outside.jobs.running, TR_LIMIT_META_JOBS);
    init(&c, &f, "data.validate", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    CHECK_INT(c.outcome.status, TR_E_UNAVAILABLE);
    lua_call_done(&c);
    atomic_store(&f.outside.jobs.running, 0);
    close(&f);
}

TEST(meta_work_needs_somebody_who_knows_the_app)
{
    static const char *const ids[] = {"ping", "data.validate", "app.reload"};
    struct fixture f;
    open(&f);
    f.world.env.meta = NULL;
    for (size_t i = 0; i < TR_LEN(ids); i++) {
        struct lua_call c;
        init(&c, &f, ids[i], "{}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_INT(c.outcome.status, TR_E_UNSUPPORTED);
        lua_call_done(&c);
    }
    f.world.env.meta = &f.outside.base;
    f.outside.base.reload = NULL;
    struct lua_call c;
    init(&c, &f, "app.reload", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    CHECK_INT(c.outcome.status, TR_E_UNSUPPORTED);
    lua_call_done(&c);
    close(&f);
}

TEST(meta_work_that_is_cancelled_ends_when_its_thread_does)
{
    struct fixture f;
    struct lua_call c;
    open(&f);
    f.outside.is_held = true;
    init(&c, &f, "app.check", "{\"text\":\"x\"}");
    lua_call_start(&c);
    CHECK(!c.finished);
    tr_call_cancel(&c.call);
    CHECK(!c.finished);
    (void)sem_post(&f.outside.may_load);
    lua_call_wait(&c, 0);
    CHECK_INT(c.outcome.status, TR_E_CANCELLED);
    lua_call_done(&c);
    close(&f);
}

TEST(meta_reload_says_how_it_went_unless_nobody_waits)
{
    const struct tr_err wrong = {.msg = "/x/app/app.lua:3: it is broken"};
    struct fixture f;
    struct lua_call c;
    open(&f);
    init(&c, &f, "app.reload", "{}");
    lua_call_start(&c);
    f.outside.reloaded(f.outside.waiting, TR_E_INVALID, &wrong);
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "{\"ok\":false,\"findings\":[{\"severity\":\"error\","
              "\"file\":\"app.lua\",\"line\":3,"
              "\"message\":\"it is broken\"}]}");
    lua_call_done(&c);
    init(&c, &f, "app.reload", "{}");
    lua_call_start(&c);
    f.outside.reloaded(f.outside.waiting, TR_OK, NULL);
    CHECK_STR(tr_str_from(lua_call_text(&c)), "{\"ok\":true,\"findings\":[]}");
    lua_call_done(&c);
    init(&c, &f, "app.reload", "{}");
    lua_call_start(&c);
    f.outside.reloaded(f.outside.waiting, TR_E_UNAVAILABLE, &wrong);
    CHECK_INT(c.outcome.status, TR_E_UNAVAILABLE);
    lua_call_done(&c);
    init(&c, &f, "app.reload", "{}");
    lua_call_start(&c);
    tr_call_cancel(&c.call);
    CHECK(f.outside.is_forgotten);
    CHECK_INT(c.outcome.status, TR_E_CANCELLED);
    lua_call_done(&c);
    close(&f);
}

/* Where an error of a file is, in whatever form it is said. */
TEST(meta_findings_have_the_place_that_the_error_says)
{
    static const struct {
        const char *said;
        const char *expected;
    } rows[] = {
        {"/x/app/app.lua:3: it is", "\"file\":\"app.lua\",\"line\":3,"
                                    "\"message\":\"it is\""},
        {"trails.toml:3:7: it is", "\"file\":\"trails.toml\",\"line\":3,"
                                   "\"column\":7,\"message\":\"it is\""},
        {"it is", "\"severity\":\"error\",\"message\":\"it is\""},
        {"a: it is", "\"severity\":\"error\",\"message\":\"a: it is\""},
        {"a:b: it is", "\"message\":\"a:b: it is\""},
        {":1: it is", "\"message\":\":1: it is\""},
        {"/x/apple/a.lua:1: it", "\"file\":\"/x/apple/a.lua\""},
        {"a:99999999999: it", "\"message\":\"a:99999999999: it\""},
    };
    struct fixture f;
    open(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err wrong = {0};
        struct lua_call c;
        (void)snprintf(wrong.msg, sizeof(wrong.msg), "%s", rows[i].said);
        init(&c, &f, "app.reload", "{}");
        lua_call_start(&c);
        f.outside.reloaded(f.outside.waiting, TR_E_INVALID, &wrong);
        CHECK_ROW(strstr(lua_call_text(&c), rows[i].expected), rows[i].said);
        lua_call_done(&c);
    }
    close(&f);
}
