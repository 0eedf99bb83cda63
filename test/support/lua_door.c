#include "support/lua_door.h"

#include "access/authority.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/test.h"
#include "builtin/builtin.h"
#include "cap/registry.h"
#include "crypto/random.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "runtime/journal.h"
#include "support/outcome_text.h"

static struct lua_call *call_of(struct tr_call *call)
{
    return (struct lua_call *)(void *)tr_call_root(call);
}

/* Texts for people. --------------------------------------------------------*/

const char *lua_call_text(struct lua_call *c)
{
    struct tr_buf buf;
    const struct tr_call_outcome *o = &c->outcome;
    tr_buf_init_fixed(&buf, c->text, sizeof(c->text) - 1);
    outcome_put(&buf, o);
    if (o->meta) {
        tr_buf_put(&buf, TR_STR(" meta "));
        json_put(&buf, o->meta);
    }
    c->text[buf.len] = '\0';
    return c->text;
}

/* The door. ----------------------------------------------------------------*/

static void progress(struct tr_call *call, double value, const double *total,
                     tr_str message)
{
    struct tr_buf *heard = &call_of(call)->heard;
    tr_buf_putf(heard, "progress %g", value);
    if (total)
        tr_buf_putf(heard, "/%g", *total);
    tr_buf_putf(heard, " %.*s\n", TR_FMT(message));
}

static void note(struct tr_call *call, enum tr_call_note_level level,
                 tr_str logger, const struct tr_json *data)
{
    struct tr_buf *heard = &call_of(call)->heard;
    tr_buf_putf(heard, "log %d '%.*s' ", (int)level, TR_FMT(logger));
    json_put(heard, data);
    tr_buf_putc(heard, '\n');
}

static void updated(struct tr_call *call, tr_str uri)
{
    tr_buf_putf(&call_of(call)->heard, "updated %.*s\n", TR_FMT(uri));
}

static void list_changed(struct tr_call *call, enum tr_call_list_kind kind)
{
    tr_buf_putf(&call_of(call)->heard, "list_changed %d\n", (int)kind);
}

static void close_stream(struct tr_call *call)
{
    tr_buf_put(&call_of(call)->heard, TR_STR("close_stream\n"));
}

/* Writes down the questions; whether every answer is there. */
static bool take_answers(struct lua_call *c, struct tr_call_ask *asks,
                         size_t count)
{
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        asks[i].answer = tr_json_find(c->answers, asks[i].key);
        complete = complete && asks[i].answer;
        tr_buf_putf(&c->heard, "ask %.*s %d ", TR_FMT(asks[i].key),
                    (int)asks[i].kind);
        json_put(&c->heard, asks[i].params);
        tr_buf_putc(&c->heard, '\n');
    }
    return complete;
}

/* What goes to the client when a round ends; its name is unique. */
static void write_paid(struct lua_call *c)
{
    struct tr_buf buf;
    struct tr_json_writer w;
    CHECK_OK(tr_crypto_random_bytes(c->call.activity.id,
                                    sizeof(c->call.activity.id), NULL),
             NULL);
    c->call.started_ns = 1;
    CHECK(tr_arena_copy(&c->arena, c->asks[0].key, &c->asked));
    tr_buf_init(&buf, TR_MIB(1));
    tr_jw_init(&w, &buf);
    tr_call_round_put(&c->call, &w);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
    CHECK(tr_arena_copy(&c->arena, tr_buf_str(&buf), &c->paid));
    tr_buf_done(&buf);
}

static enum tr_call_asked ask(struct tr_call *call, struct tr_call_ask *asks,
                              size_t count, struct tr_err *err)
{
    struct lua_call *c = call_of(call);
    bool complete = take_answers(c, asks, count);
    c->asks = asks;
    c->ask_count = count;
    c->asker = call;
    switch (c->asking) {
    case LUA_ASK_LATER:
        return TR_CALL_ASKED_WAITING;
    case LUA_ASK_REFUSE:
        (void)tr_fail(err, TR_E_UNSUPPORTED, "the client cannot do that");
        return TR_CALL_ASKED_REFUSED;
    case LUA_ASK_ROUNDS:
    case LUA_ASK_AT_ONCE:
        break;
    }
    c->round_ended = !complete;
    if (c->round_ended)
        write_paid(c);
    return complete ? TR_CALL_ASKED_ANSWERED : TR_CALL_ASKED_ENDED;
}

static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct lua_call *c = call_of(call);
    CHECK(!c->finished);
    c->finished = true;
    c->outcome = *outcome;
}

static const struct tr_call_door_ops door = {
    .progress = progress,
    .note = note,
    .ask = ask,
    .updated = updated,
    .list_changed = list_changed,
    .close_stream = close_stream,
    .finished = finished,
};

/* Apps. --------------------------------------------------------------------*/

static tr_status build(struct lua_app *app, const struct tr_lua_app *source,
                       struct tr_err *err)
{
    const struct tr_cap_registry_opts opts = {
        .undeclared_may_write = !app->in_production,
    };
    struct tr_cap_builder *builder = NULL;
    tr_status st = TR_OK;
    TR_TRY(tr_cap_builder_create(&opts, &builder, err));
    if (app->beside)
        st = tr_cap_registry_add_cap(builder, app->beside, err);
    if (st == TR_OK)
        st = tr_lua_app_load(source, builder, err);
    if (st == TR_OK)
        st = tr_builtin_add_kg_tools(builder, err);
    if (st == TR_OK)
        st = tr_cap_registry_build(builder, &app->snapshot, err);
    tr_cap_builder_free(builder);
    return st;
}

static tr_status open_app(struct lua_app *app, const char *source,
                          const struct tr_lua_limits *limits,
                          struct tr_err *err)
{
    const struct tr_file_folder folder = {.path = app->folder};
    struct tr_lua_app text = {
        .path = TR_STR("app.lua"),
        .source = tr_str_from(source),
        .project = TR_STR("demo"),
        .folder = app->folder ? &folder : NULL,
        .secrets = app->secrets,
        .own = app->own,
    };
    struct tr_loop_opts opts = {.test_clock = true};
    if (limits)
        text.limits = *limits;
    TR_TRY(build(app, &text, err));
    return tr_loop_create(&opts, &app->loop, err);
}

tr_status lua_app_try(struct lua_app *app, const char *source,
                      const struct tr_lua_limits *limits, struct tr_err *err)
{
    *app = (struct lua_app){0};
    return open_app(app, source, limits, err);
}

tr_status lua_app_try_in(struct lua_app *app, const char *source,
                         const char *folder, struct tr_err *err)
{
    *app = (struct lua_app){.folder = folder};
    return open_app(app, source, NULL, err);
}

tr_status lua_app_try_as_set(struct lua_app *app, const char *source,
                             struct tr_err *err)
{
    return open_app(app, source, NULL, err);
}

void lua_app_open_with(struct lua_app *app, const char *source,
                       const struct tr_lua_limits *limits)
{
    struct tr_err err = {0};
    CHECK_OK(lua_app_try(app, source, limits, &err), &err);
}

void lua_app_open(struct lua_app *app, const char *source)
{
    lua_app_open_with(app, source, NULL);
}

void lua_app_open_in_production(struct lua_app *app, const char *source)
{
    struct tr_err err = {0};
    *app = (struct lua_app){.in_production = true};
    CHECK_OK(open_app(app, source, NULL, &err), &err);
}

void lua_app_open_beside(struct lua_app *app, const char *source,
                         const struct tr_cap *beside)
{
    struct tr_err err = {0};
    *app = (struct lua_app){.beside = beside};
    CHECK_OK(open_app(app, source, NULL, &err), &err);
}

void lua_app_close(struct lua_app *app)
{
    tr_cap_snapshot_unpin(app->snapshot);
    tr_loop_free(app->loop);
}

/* Calls. -------------------------------------------------------------------*/

static const struct tr_json *read_json(struct lua_call *c, const char *text)
{
    struct tr_err err = {0};
    const struct tr_json *value = NULL;
    CHECK_OK(tr_json_read(&c->arena, tr_str_from(text), NULL, &value, &err),
             &err);
    return value;
}

/* Any template with this text: the tests do not match URIs. */
static const struct tr_cap_resource_template *
find_template(const struct tr_cap_snapshot *s, tr_str name)
{
    for (size_t i = 0; i < tr_cap_snapshot_counts(s).templates; i++)
        if (tr_str_eq(tr_cap_snapshot_template(s, i)->uri_template, name))
            return tr_cap_snapshot_template(s, i);
    return NULL;
}

/* Fills in the kind, the guard and the handler of what is no capability. */
static void find_handler(const struct tr_cap_snapshot *s, tr_str name,
                         struct tr_call *call)
{
    tr_str ref = {0};
    tr_str argument = {0};
    const struct tr_cap_resource *resource =
        tr_cap_snapshot_find_resource(s, name);
    const struct tr_cap_prompt *prompt = tr_cap_snapshot_find_prompt(s, name);
    const struct tr_cap_resource_template *t = find_template(s, name);
    (void)tr_str_cut(name, '#', &ref, &argument);
    const struct tr_cap_completion *completion =
        tr_cap_snapshot_find_completion(s, TR_CAP_REF_PROMPT, ref, argument);
    call->kind = prompt       ? TR_CALL_PROMPT
                 : completion ? TR_CALL_COMPLETION
                              : TR_CALL_RESOURCE;
    call->input = prompt ? prompt->input : NULL;
    call->guard = resource ? &resource->about.guard
                  : prompt ? &prompt->about.guard
                  : t      ? &t->about.guard
                      : tr_cap_snapshot_ref_guard(s, TR_CAP_REF_PROMPT, ref);
    call->handler = resource     ? &resource->handler
                    : prompt     ? &prompt->handler
                    : t          ? &t->handler
                    : completion ? &completion->handler
                                 : NULL;
}

void lua_call_init(struct lua_call *c, struct lua_app *app, const char *name,
                   const char *args)
{
    static const struct tr_call_client client = {
        .name = TR_STR_INIT("tester"),
        .version = TR_STR_INIT("1.2"),
    };
    static const struct tr_access_authority alice = {.is_authenticated = true,
                                                     .scopes = TR_SCOPE_ALL,
                                                     .principal =
                                                         TR_STR_INIT("alice")};
    *c = (struct lua_call){.app = app};
    tr_arena_init(&c->arena, TR_MIB(64));
    tr_buf_init(&c->heard, TR_MIB(1));
    c->call = (struct tr_call){
        .loop = app->loop,
        .env = app->env,
        .arena = &c->arena,
        .snapshot = app->snapshot,
        .cap = tr_cap_snapshot_find_cap(app->snapshot, tr_str_from(name)),
        .args = read_json(c, args),
        .principal = alice.principal,
        .authority = &alice,
        .trace_id = TR_STR("trace-1"),
        .client = &client,
        .door = &door,
    };
    if (c->call.cap)
        c->call.handler = &c->call.cap->handler;
    else
        find_handler(app->snapshot, tr_str_from(name), &c->call);
    if (!c->call.handler)
        tr_test_fail("there is no such handler", name, __FILE__, __LINE__);
}

void lua_call_start(struct lua_call *c)
{
    tr_call_invoke(&c->call);
}

/* The writer works in its own time. */
static bool is_writing(const struct lua_call *c)
{
    const struct tr_call *call = &c->call;
    while (call->child)
        call = call->child;
    return call->state == TR_CALL_HOLDING || call->state == TR_CALL_LANDING ||
           call->state == TR_CALL_CORRECTING ||
           call->state == TR_CALL_RECORDING;
}

void lua_call_turn(struct lua_call *c, uint64_t ms)
{
    if (is_writing(c))
        tr_loop_run(c->app->loop);
    (void)tr_loop_turn(c->app->loop);
    tr_loop_step(c->app->loop, ms);
}

void lua_call_wait(struct lua_call *c, uint64_t ms)
{
    for (size_t turns = 0; !c->finished; turns++) {
        CHECK(turns < 1000000);
        lua_call_turn(c, ms);
    }
}

void lua_call_done(struct lua_call *c)
{
    tr_buf_done(&c->heard);
    tr_arena_done(&c->arena);
}

void lua_call_answers(struct lua_call *c, const char *json)
{
    c->answers = read_json(c, json);
}

/* What an earlier round replayed, then what it recorded. */
static const struct tr_json *journal_of(struct lua_call *c,
                                        const struct lua_call *before)
{
    struct tr_buf buf;
    struct tr_json_writer w;
    const struct tr_json *replay = before->call.replay;
    tr_str text;
    tr_buf_init(&buf, TR_MIB(1));
    tr_jw_init(&w, &buf);
    tr_jw_open(&w, '[');
    for (size_t i = 0; replay && i < replay->len; i++)
        tr_jw_value(&w, &replay->as.items[i]);
    for (size_t i = 0; i < before->call.journal.count; i++)
        tr_jw_value(&w, &before->call.journal.items[i]);
    tr_jw_close(&w, ']');
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
    CHECK(tr_arena_copy(&c->arena, tr_buf_str(&buf), &text));
    tr_buf_done(&buf);
    return read_json(c, text.ptr);
}

void lua_call_again(struct lua_call *c, struct lua_call *before,
                    const char *answers)
{
    c->asking = LUA_ASK_ROUNDS;
    c->call.replay = journal_of(c, before);
    if (before->paid.len)
        c->call.round.paid = read_json(c, before->paid.ptr);
    lua_call_answers(c, answers);
    lua_call_start(c);
}

void lua_check(struct lua_app *app, const char *name, const char *args,
               const char *expected)
{
    struct lua_call c;
    lua_call_init(&c, app, name, args);
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    if (strcmp(lua_call_text(&c), expected) != 0) {
        print_error("got:      %s\nexpected: %s\n", c.text, expected);
        tr_test_fail("the outcome", name, __FILE__, __LINE__);
    }
    lua_call_done(&c);
}
