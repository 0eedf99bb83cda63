/*
 * The graph's resources, each handler on its own: what it writes, what it
 * refuses, and that it does without memory.
 */
#include "builtin/kg_resources.h"

#include "base/limits.h"
#include "base/test.h"
#include "cap/snapshot.h"
#include "crypto/seal.h"
#include "loop/loop.h"
#include "model/model.h"
#include "runtime/env.h"
#include "support/lua_world.h"

static const char types[] =
    "node_type 'Person' { ids = 'preserve', fields = { name = text } }\n"
    "node_type 'Task' { ids = 'preserve', label = 'title', fields = {\n"
    "  { 'n', integer }, { 'title', text { optional = true } },\n"
    "  { 'state', text { one_of = { 'open', 'done' }, optional = true } },\n"
    "  { 'flag', boolean { optional = true } },\n"
    "  { 'tags', text { many = true, optional = true } } } }\n"
    "node_type 'Bug' { extends = 'Task', ids = 'preserve',\n"
    "  fields = { depth = integer { optional = true } } }\n"
    "shape 'Rule' { target = 'Task', fields = { n = integer } }\n"
    "local HOME = 'trails://demo/'\n"
    "capability 'fill' { description = 'd', run = function(ctx)\n"
    "  ctx.kg:create('Person', { name = 'Ann' }, { id = HOME .. 'Person/ann' "
    "})\n"
    "  for i = 1, 5 do\n"
    "    ctx.kg:create(i > 3 and 'Bug' or 'Task', { n = i,\n"
    "      title = i ~= 2 and 'T' .. i or nil,\n"
    "      state = i % 2 == 0 and 'open' or 'done' },\n"
    "      { id = (i == 5 and 'http://e/5' or HOME .. 'Task/' .. i) })\n"
    "  end\n"
    "  return 'ok'\n"
    "end }\n"
    "capability 'wait' { description = 'd', run = function(ctx)\n"
    "  ctx:sleep(60) return 'ok'\n"
    "end }\n";

#define OK_TEXT "[{\"type\":\"text\",\"text\":\"ok\"}]"

struct fixture {
    struct lua_world world;
    struct tr_crypto_keys *keys;
};

typedef tr_status write_fn(struct tr_builtin_reply *reply, struct tr_err *err);

static void set_up(struct fixture *f)
{
    struct tr_err err = {0};
    lua_world_open_bare(&f->world, types, NULL);
    CHECK_OK(tr_crypto_keys_create(&f->keys, &err), &err);
    f->world.env.keys = f->keys;
    lua_world_check(&f->world, "fill", OK_TEXT);
}

static void tear_down(struct fixture *f)
{
    lua_world_close(&f->world);
    tr_crypto_keys_free(f->keys);
}

static const struct tr_model_type *type_of(const struct fixture *f,
                                           const char *name)
{
    return tr_model_find(tr_cap_snapshot_model(f->world.app.snapshot),
                         tr_str_from(name));
}

/* What is written is gone after `finished`: so it is read there. */
struct probe {
    struct lua_call c; /* first, as its call is in it */
    struct tr_call_door_ops door;
    const struct tr_call_door_ops *own;
};

static void read_end(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct probe *probe = (struct probe *)(void *)call;
    probe->own->finished(call, outcome);
    (void)lua_call_text(&probe->c);
}

/* Runs one handler as a call of its own, and says how that ended. */
static void run(struct fixture *f, write_fn *write, const char *type,
                const char *args, char *out, size_t size)
{
    const struct tr_builtin what = {.write = write,
                                    .type = type ? type_of(f, type) : NULL};
    const struct tr_cap_handler handler = {.run = tr_builtin_run,
                                           .data = &what};
    struct probe probe = {0};
    struct lua_call *c = &probe.c;
    lua_call_init(c, &f->world.app, "fill", args);
    probe.own = c->call.door;
    probe.door = *probe.own;
    probe.door.finished = read_end;
    c->call.door = &probe.door;
    c->call.cap = NULL;
    c->call.guard = &tr_cap_guard_open;
    c->call.kind = TR_CALL_RESOURCE;
    c->call.handler = &handler;
    lua_call_start(c);
    lua_call_wait(c, 0);
    (void)snprintf(out, size, "%s", c->text);
    lua_call_done(c);
}

struct row {
    write_fn *write;
    const char *type;
    const char *args;
    const char *expected;
};

static void check_rows(const struct row *rows, size_t count)
{
    struct fixture f;
    char said[4096];
    set_up(&f);
    for (size_t i = 0; i < count; i++) {
        run(&f, rows[i].write, rows[i].type, rows[i].args, said, sizeof(said));
        CHECK_STR(tr_str_from(said), rows[i].expected);
    }
    tear_down(&f);
}

#define URI(query) "{\"uri\":\"trails://kg/Task" query "\"}"
#define T1         "{\\\"iri\\\":\\\"trails://demo/Task/1\\\",\\\"label\\\":\\\"T1\\\"}"
#define T2         "{\\\"iri\\\":\\\"trails://demo/Task/2\\\",\\\"label\\\":\\\"2\\\"}"
#define T3         "{\\\"iri\\\":\\\"trails://demo/Task/3\\\",\\\"label\\\":\\\"T3\\\"}"
#define T4         "{\\\"iri\\\":\\\"trails://demo/Task/4\\\",\\\"label\\\":\\\"T4\\\"}"
#define T5         "{\\\"iri\\\":\\\"http://e/5\\\",\\\"label\\\":\\\"T5\\\"}"
#define PAGE(rows, total, limit, offset)                                       \
    "{\"text\":\"[" rows "]\",\"_meta\":{\"total\":" total ",\"limit\":" limit \
    ",\"offset\":" offset "}}"
#define REFUSED(field, reason, datatype)                                       \
    "{\"field\":\"" field "\",\"reason\":\"" reason                            \
    "\",\"expected_datatype\":" datatype "}"

TEST(page_has_instances_in_the_order_of_creation_subtypes_too)
{
    static const struct row rows[] = {
        {tr_builtin_render_page, "Task", URI(""),
         PAGE(T1 "," T2 "," T3 "," T4 "," T5, "5", "100", "0")},
        {tr_builtin_render_page, "Bug", "{\"uri\":\"trails://kg/Bug\"}",
         PAGE(T4 "," T5, "2", "100", "0")},
        {tr_builtin_render_page, "Task", URI("?where=state=open"),
         PAGE(T2 "," T4, "2", "100", "0")},
        {tr_builtin_render_page, "Task", URI("?where=n=3&limit=7"),
         PAGE(T3, "1", "7", "0")},
        {tr_builtin_render_page, "Task", URI("?offset=3"),
         PAGE(T4 "," T5, "5", "100", "3")},
        {tr_builtin_render_page, "Task", URI("?offset=9"),
         PAGE("", "5", "100", "9")},
        {tr_builtin_render_page, "Task", URI("?limit=0"),
         PAGE("", "5", "0", "0")},
        {tr_builtin_render_page, "Task", URI("?where=state=done&limit=0"),
         PAGE("", "3", "0", "0")},
        {tr_builtin_render_page, "Task", URI("?limit=99999"),
         PAGE(T1 "," T2 "," T3 "," T4 "," T5, "5", "1000", "0")},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(page_says_why_it_refuses)
{
    static const struct row rows[] = {
        {tr_builtin_render_page, "Task", URI("?limit=x"),
         "invalid: a number of instances must be the value of limit " REFUSED(
             "limit", "type_mismatch", "\"xsd:integer\"")},
        {tr_builtin_render_page, "Task", URI("?where=n=x"),
         "invalid: invalid filter value for n " REFUSED("n", "type_mismatch",
                                                        "\"xsd:integer\"")},
        {tr_builtin_render_page, "Task", URI("?cursor=AAAA"),
         "invalid: cursor is not of this list, or too old: begin again "
         "without it " REFUSED("cursor", "invalid_cursor", "null")},
    };
    check_rows(rows, TR_LEN(rows));
}

/* The URI of the next page, with " around it and \" where it has one. */
static void next_of(const char *said, char *out, size_t size)
{
    static const char before[] = "\"next\":\"";
    const char *at = strstr(said, before);
    const char *uri = at ? at + strlen(before) : "";
    CHECK(*uri);
    (void)snprintf(out, size, "{\"uri\":\"%.*s\"}", (int)strcspn(uri, "\""),
                   uri);
}

TEST(cursor_goes_on_where_the_page_ended_and_is_good_for_a_day)
{
    struct fixture f;
    struct lua_call c;
    char said[4096];
    char next[2048];
    set_up(&f);
    run(&f, tr_builtin_render_page, "Task", URI("?where=state=done&limit=2"),
        said, sizeof(said));
    CHECK(strstr(said, "\"total\":3,\"limit\":2,\"offset\":0,\"next\":\""));
    next_of(said, next, sizeof(next));
    run(&f, tr_builtin_render_page, "Task", next, said, sizeof(said));
    CHECK_STR(tr_str_from(said), PAGE(T5, "3", "2", "2"));
    run(&f, tr_builtin_render_page, "Bug", next, said, sizeof(said));
    CHECK(strstr(said, "invalid_cursor")); /* another list's */

    lua_call_init(&c, &f.world.app, "wait", "{}");
    lua_call_start(&c);
    lua_call_wait(&c, (uint64_t)25 * 3600 * 1000);
    lua_call_done(&c);
    run(&f, tr_builtin_render_page, "Task", next, said, sizeof(said));
    CHECK(strstr(said, "invalid_cursor"));

    f.world.env.keys = NULL; /* nothing can be signed: no next */
    run(&f, tr_builtin_render_page, "Task", URI("?limit=2"), said,
        sizeof(said));
    CHECK_STR(tr_str_from(said), PAGE(T1 "," T2, "5", "2", "0"));
    run(&f, tr_builtin_render_page, "Task", next, said, sizeof(said));
    CHECK(strstr(said, "invalid_cursor"));
    tear_down(&f);
}

#define ANN                                                                    \
    "\"{\\\"@id\\\":\\\"trails://demo/Person/ann\\\",\\\"@type\\\":\\\""       \
    "trails://demo/Person\\\",\\\"trails://demo/"                              \
    "Person#name\\\":\\\"Ann\\\"}\""

#define BUG                                                                    \
    "\"{\\\"@id\\\":\\\"trails://demo/Task/4\\\",\\\"@type\\\":[\\\""          \
    "trails://demo/Bug\\\",\\\"trails://demo/Task\\\"],\\\"trails://demo/"     \
    "Task#n\\\":4,\\\"trails://demo/Task#title\\\":\\\"T4\\\",\\\""            \
    "trails://demo/Task#state\\\":\\\"open\\\",\\\"trails://demo/"             \
    "Task#tags\\\":[]}\""

TEST(instance_is_found_by_the_end_of_its_iri_or_all_of_it)
{
    static const struct row rows[] = {
        {tr_builtin_render_instance, "Person", "{\"id\":\"ann\"}", ANN},
        {tr_builtin_render_instance, "Person",
         "{\"id\":\"trails://demo/Person/ann\"}", ANN},
        {tr_builtin_render_instance, "Person", "{\"id\":\"bob\"}",
         "not_found: there is no Person bob; known: ann (Ann)"},
        {tr_builtin_render_instance, "Person",
         "{\"id\":\"trails://demo/Task/1\"}",
         "not_found: there is no Person trails://demo/Task/1; known: ann "
         "(Ann)"},
        /* Its IRI is among those of the type above. */
        {tr_builtin_render_instance, "Bug", "{\"id\":\"4\"}", BUG},
        /* It is a Task only. */
        {tr_builtin_render_instance, "Bug", "{\"id\":\"1\"}",
         "not_found: there is no Bug 1; known: 4 (T4), http://e/5 (T5)"},
        {tr_builtin_render_instance, "Person", "{}",
         "not_found: there is no Person ; known: ann (Ann)"},
    };
    check_rows(rows, TR_LEN(rows));
}

#define VALUES(list, more) "{\"values\":[" list "],\"has_more\":" more "}"

TEST(completions_are_what_can_follow)
{
    static const struct row rows[] = {
        {tr_builtin_complete_where, "Task", "{\"value\":\"\"}",
         VALUES("\"n=\",\"title=\",\"state=\",\"flag=\"", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"st\"}",
         VALUES("\"state=\"", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"state=\"}",
         VALUES("\"state=open\",\"state=done\"", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"state=d\"}",
         VALUES("\"state=done\"", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"flag=\"}",
         VALUES("\"flag=true\",\"flag=false\"", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"n=\"}",
         VALUES("", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"tags=\"}",
         VALUES("", "false")},
        {tr_builtin_complete_where, "Task", "{\"value\":\"none=\"}",
         VALUES("", "false")},
        {tr_builtin_complete_id, "Task", "{\"value\":\"\"}",
         VALUES("\"1\",\"2\",\"3\",\"4\"", "false")},
        {tr_builtin_complete_id, "Task", "{\"value\":\"http\"}",
         VALUES("\"http://e/5\"", "false")},
        {tr_builtin_complete_id, "Person", "{\"value\":\"b\"}",
         VALUES("", "false")},
    };
    check_rows(rows, TR_LEN(rows));
}

TEST(shape_is_found_by_name_or_iri)
{
    struct fixture f;
    char by_name[4096];
    char by_iri[4096];
    set_up(&f);
    run(&f, tr_builtin_render_shape, NULL, "{\"name\":\"Person\"}", by_name,
        sizeof(by_name));
    run(&f, tr_builtin_render_shape, NULL,
        "{\"name\":\"trails://demo/Person\"}", by_iri, sizeof(by_iri));
    CHECK(strstr(by_name, "sh:NodeShape"));
    CHECK_STR(tr_str_from(by_name), by_iri);
    run(&f, tr_builtin_render_shape, NULL, "{\"name\":\"Nobody\"}", by_name,
        sizeof(by_name));
    CHECK_STR(tr_str_from(by_name), "not_found: there is no such shape");
    static char longest[TR_LIMIT_URI_BYTES + 32];
    (void)snprintf(longest, sizeof(longest), "{\"name\":\"%0*d\"}",
                   (int)TR_LIMIT_URI_BYTES, 0);
    run(&f, tr_builtin_render_shape, NULL, longest, by_name, sizeof(by_name));
    CHECK_STR(tr_str_from(by_name), "not_found: there is no such shape");
    tear_down(&f);
}

/* One handler, again and again, without the memory for it. */
struct sweep {
    struct fixture *f;
    struct lua_call *call;
    const struct row *row;
    char text[4096]; /* what it wrote with all of it */
    size_t len;
    bool has_run;
};

/* A cache that cannot grow, or a note that is lost, changes no reply. */
static tr_status judge(struct sweep *sweep, tr_status status, tr_str text)
{
    if (sweep->has_run && status == TR_OK) {
        CHECK(tr_str_eq(text, (tr_str){sweep->text, sweep->len}));
        return TR_E_NOMEM;
    }
    if (!sweep->has_run) {
        CHECK(text.len > 0 && text.len <= sizeof(sweep->text));
        memcpy(sweep->text, text.ptr, text.len);
        sweep->len = text.len;
        sweep->has_run = true;
    }
    return status;
}

static tr_status reply_once(void *context, struct tr_err *err)
{
    struct sweep *sweep = context;
    struct tr_call *call = &sweep->call->call;
    const struct tr_model_type *type = type_of(sweep->f, sweep->row->type);
    const struct tr_builtin what = {.write = sweep->row->write, .type = type};
    struct tr_builtin_reply reply = {
        .call = call,
        .what = &what,
        .model = tr_cap_snapshot_model(call->snapshot),
        .type = type,
    };
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(4));
    call->arena = &arena;
    tr_buf_init(&reply.text, TR_LIMIT_MESSAGE);
    tr_jw_init(&reply.writer, &reply.text);
    tr_status status = what.write(&reply, err);
    if (status == TR_OK && reply.value)
        tr_jw_value(&reply.writer, reply.value);
    if (status == TR_OK)
        status = tr_buf_check(&reply.text, err);
    status = judge(sweep, status, tr_buf_str(&reply.text));
    tr_buf_done(&reply.text);
    tr_call_release_kg(call);
    tr_arena_done(&arena);
    return status;
}

TEST(handlers_do_without_memory)
{
    static const struct row rows[] = {
        {tr_builtin_render_page, "Task", URI("?where=state=done&limit=2"),
         NULL},
        {tr_builtin_render_instance, "Person", "{\"id\":\"ann\"}", NULL},
        {tr_builtin_complete_where, "Task", "{\"value\":\"s\"}", NULL},
        {tr_builtin_complete_id, "Task", "{\"value\":\"\"}", NULL},
        {tr_builtin_render_shape, "Person", "{\"name\":\"Person\"}", NULL},
        {tr_builtin_render_shape, "Person", "{\"name\":\"Rule\"}", NULL},
        {tr_builtin_render_schema, "Person", "{}", NULL},
        {tr_builtin_render_types, "Person", "{}", NULL},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lua_call c;
        lua_call_init(&c, &f.world.app, "fill", rows[i].args);
        struct sweep sweep = {.f = &f, .call = &c, .row = &rows[i]};
        struct tr_arena *own = c.call.arena;
        tr_test_sweep(reply_once, &sweep);
        c.call.arena = own;
        lua_call_done(&c);
    }
    tear_down(&f);
}
