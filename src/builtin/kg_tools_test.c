/*
 * Ready-made capabilities, as the calls of any door meet them.
 */
#include "builtin/kg_tools.h"

#include "base/limits.h"
#include "base/test.h"
#include "builtin/builtin.h"
#include "cap/cap.h"
#include "cap/registry.h"
#include "crypto/seal.h"
#include "loop/loop.h"
#include "model/builder.h"
#include "support/lua_world.h"

#include <stdarg.h>

static const char types[] =
    "node_type 'Person' { ids = 'preserve', description = 'Somebody.',\n"
    "  fields = { name = text { min_length = 2 },\n"
    "    email = text { optional = true, unique = true } },\n"
    "  tools = { 'create', 'update', 'delete', 'find' } }\n"
    "node_type 'HTTPTask2Do' { fields = {\n"
    "  { 'n', integer }, { 'state', text { default = 'open' } },\n"
    "  { 'owner', ref 'Person' { optional = true } },\n"
    "  { 'tags', text { many = true, optional = true } } },\n"
    "  tools = { 'create', 'update', 'delete', 'find' } }\n"
    "node_type 'Bug' { extends = 'HTTPTask2Do',\n"
    "  fields = { depth = integer }, tools = { 'create' } }\n";

#define ANN  "trails://demo/Person/ann"
#define BOB  "trails://demo/Person/bob"
#define TASK "_http_task2_do"

struct fixture {
    struct lua_world world;
    struct tr_crypto_keys *keys;
    char id[256]; /* of what was created last */
};

static void set_up(struct fixture *f)
{
    struct tr_err err = {0};
    f->id[0] = '\0';
    lua_world_open_bare(&f->world, types, NULL);
    CHECK_OK(tr_crypto_keys_create(&f->keys, &err), &err);
    f->world.env.keys = f->keys;
}

static void tear_down(struct fixture *f)
{
    lua_world_close(&f->world);
    tr_crypto_keys_free(f->keys);
}

/* Copies a text of the result; "" when it has none. */
static void copy_text(const struct tr_json *value, const char *key, char *out,
                      size_t size)
{
    (void)snprintf(out, size, "%.*s",
                   TR_FMT(tr_json_text(tr_json_find(value, tr_str_from(key)))));
}

/* What the call says; the id of what was created last is "ID". */
static void say(struct fixture *f, const char *name, const char *args,
                char *out, size_t size)
{
    struct lua_call c;
    lua_call_init(&c, &f->world.app, name, args);
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    if (strncmp(name, "create", 6) == 0)
        copy_text(c.outcome.value, "id", f->id, sizeof(f->id));
    (void)snprintf(out, size, "%s", lua_call_text(&c));
    lua_call_done(&c);
    size_t len = strlen(f->id);
    for (char *at = out; len && (at = strstr(at, f->id)); at += 2) {
        at[0] = 'I';
        at[1] = 'D';
        memmove(at + 2, at + len, strlen(at + len) + 1);
    }
}

/* `args` is a format; %s in it is the id of what was created last. */
TR_PRINTF(4, 5)
static void check(struct fixture *f, const char *name, const char *expected,
                  const char *args, ...)
{
    char said[4096];
    char text[1024];
    va_list list;
    va_start(list, args);
    (void)vsnprintf(text, sizeof(text), args, list);
    va_end(list);
    say(f, name, text, said, sizeof(said));
    CHECK_STR(tr_str_from(said), expected);
}

TEST(tools_are_named_after_their_type_and_described_in_full)
{
    static const struct {
        const char *id;
        bool reads;
        bool destroys;
        bool idempotent;
    } rows[] = {
        {"create_bug", false, false, false},
        {"create" TASK, false, false, false},
        {"create_person", false, false, false},
        {"delete" TASK, false, true, true},
        {"delete_person", false, true, true},
        {"find" TASK, true, false, true},
        {"find_person", true, false, true},
        {"update" TASK, false, true, true},
        {"update_person", false, true, true},
    };
    struct fixture f;
    set_up(&f);
    const struct tr_cap_snapshot *s = f.world.app.snapshot;
    CHECK_INT(tr_cap_snapshot_counts(s).caps, TR_LEN(rows));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(s, i);
        CHECK_STR(cap->id, rows[i].id);
        CHECK_ROW(tr_cap_is_read_only(cap) == rows[i].reads, rows[i].id);
        CHECK_ROW(tr_cap_is_destructive(cap) == rows[i].destroys, rows[i].id);
        CHECK_ROW(cap->idempotent == rows[i].idempotent, rows[i].id);
        CHECK_ROW(!tr_cap_is_open_world(cap), rows[i].id);
        CHECK_ROW(cap->input_shape && cap->output_shape, rows[i].id);
        CHECK_ROW(cap->description.len && cap->title.len, rows[i].id);
        CHECK_ROW(cap->cost.latency_p95_ms == 0, rows[i].id);
        CHECK_STR(cap->version, "1.0.0");
        CHECK_ROW(cap->finding_count == 0, rows[i].id);
    }
    CHECK_STR(tr_cap_snapshot_find_cap(s, TR_STR("delete_person"))->description,
              "Deletes one Person. Refused while another node needs it. "
              "Person: Somebody.");
    tear_down(&f);
}

TEST(create_gives_what_was_stored)
{
    struct fixture f;
    set_up(&f);
    check(&f, "create" TASK,
          "{\"id\":\"ID\",\"_type\":\"HTTPTask2Do\",\"_version\":1,\"n\":1,"
          "\"state\":\"open\",\"tags\":[]}",
          "{\"n\":1}");
    CHECK(strstr(f.id, "trails://demo/HTTPTask2Do/") == f.id);
    check(&f, "create_person",
          "{\"id\":\"ID\",\"_type\":\"Person\",\"_version\":1,\"email\":\"a\","
          "\"name\":\"Ann\"}",
          "{\"id\":\"" ANN "\",\"name\":\"Ann\",\"email\":\"a\"}");
    CHECK_STR(tr_str_from(f.id), ANN);
    check(&f, "create_person",
          "conflict: there is a <" ANN "> already {\"reason\":\"conflict\"}",
          "{\"id\":\"" ANN "\",\"name\":\"Ann\"}");
    check(&f, "create_person",
          "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"
          "\"email\",\"code\":\"unique\",\"message\":\"email must be "
          "unique\",\"value\":\"a\",\"constraint\":[\"email\"],\"node\":"
          "\"" BOB "\",\"other\":\"" ANN "\"}]}",
          "{\"id\":\"" BOB "\",\"name\":\"Bob\",\"email\":\"a\"}");
    check(&f, "create" TASK,
          "validation: validation failed on 2 field(s) {\"fields\":[{\"field\":"
          "\"n\",\"code\":\"required\",\"message\":\"n is required\",\"value\":"
          "null,\"constraint\":true},{\"field\":\"m\",\"code\":"
          "\"unknown_field\",\"message\":\"m is not a field; did you mean n\","
          "\"value\":1,\"constraint\":null}]}",
          "{\"m\":1}");
    tear_down(&f);
}

TEST(update_changes_what_is_given_and_knows_versions)
{
    struct fixture f;
    set_up(&f);
    check(&f, "create_person",
          "{\"id\":\"ID\",\"_type\":\"Person\",\"_version\":1,\"email\":\"a\","
          "\"name\":\"Ann\"}",
          "{\"id\":\"" ANN "\",\"name\":\"Ann\",\"email\":\"a\"}");
    check(&f, "update_person",
          "{\"id\":\"ID\",\"_type\":\"Person\",\"_version\":2,\"email\":\"b\","
          "\"name\":\"Ann\"}",
          "{\"id\":\"%s\",\"email\":\"b\",\"version\":1}", f.id);
    check(&f, "update_person",
          "{\"id\":\"ID\",\"_type\":\"Person\",\"_version\":3,\"name\":"
          "\"Ann\"}",
          "{\"id\":\"%s\",\"clear\":[\"email\"]}", f.id);
    check(&f, "update_person",
          "conflict: <ID> is at version 3, not 2: read it again with "
          "find_person {\"reason\":\"conflict\"}",
          "{\"id\":\"%s\",\"name\":\"Eve\",\"version\":2}", f.id);
    check(&f, "update_person",
          "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"
          "\"clear\",\"code\":\"one_of\",\"message\":\"clear must be one of "
          "['email']\",\"value\":\"name\",\"constraint\":[\"email\"]}]}",
          "{\"id\":\"%s\",\"clear\":[\"name\"]}", f.id);
    check(&f, "update_person",
          "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"
          "\"email\",\"code\":\"clear\",\"message\":\"email has a value and is "
          "in clear: give one of them\",\"value\":\"c\",\"constraint\":"
          "\"clear\"}]}",
          "{\"id\":\"%s\",\"clear\":[\"email\"],\"email\":\"c\"}", f.id);
    check(&f, "update_person",
          "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"
          "\"id\",\"code\":\"required\",\"message\":\"id is required\","
          "\"value\":null,\"constraint\":true}]}",
          "{\"name\":\"Eve\"}");
    tear_down(&f);
}

/* An instance of a subtype is one of the type; one of another type is not. */
TEST(what_is_no_instance_of_the_type_is_not_there)
{
    struct fixture f;
    set_up(&f);
    check(&f, "create_bug",
          "{\"id\":\"ID\",\"_type\":\"Bug\",\"_version\":1,\"n\":1,\"state\":"
          "\"open\",\"tags\":[],\"depth\":3}",
          "{\"n\":1,\"depth\":3}");
    check(&f, "update" TASK,
          "{\"id\":\"ID\",\"_type\":\"Bug\",\"_version\":2,\"n\":2,\"state\":"
          "\"open\",\"tags\":[],\"depth\":3}",
          "{\"id\":\"%s\",\"n\":2}", f.id);
    check(&f, "update_person",
          "not_found: there is no Person ID; find_person lists them "
          "{\"reason\":\"not_found\",\"id\":\"ID\"}",
          "{\"id\":\"%s\",\"name\":\"Eve\"}", f.id);
    check(&f, "delete_person",
          "not_found: there is no Person x:y; find_person lists them "
          "{\"reason\":\"not_found\",\"id\":\"x:y\"}",
          "{\"id\":\"x:y\"}");
    check(&f, "delete_person",
          "not_found: there is no Person ID; find_person lists them "
          "{\"reason\":\"not_found\",\"id\":\"ID\"}",
          "{\"id\":\"%s\"}", f.id);
    check(&f, "delete" TASK, "{\"id\":\"ID\",\"deleted\":true}",
          "{\"id\":\"%s\"}", f.id);
    tear_down(&f);
}

TEST(delete_is_refused_for_what_others_need_and_for_what_has_changed)
{
    struct fixture f;
    char refused[1024];
    set_up(&f);
    check(&f, "create_person",
          "{\"id\":\"ID\",\"_type\":\"Person\",\"_version\":1,\"name\":"
          "\"Ann\"}",
          "{\"id\":\"" ANN "\",\"name\":\"Ann\"}");
    check(&f, "create" TASK,
          "{\"id\":\"ID\",\"_type\":\"HTTPTask2Do\",\"_version\":1,\"n\":1,"
          "\"state\":\"open\",\"owner\":\"" ANN "\",\"tags\":[]}",
          "{\"n\":1,\"owner\":\"" ANN "\"}");
    const char *end = strrchr(f.id, '/') + 1;
    (void)snprintf(refused, sizeof(refused),
                   "validation: cannot delete ann: still needed by HTTPTask2Do "
                   "%s (field owner) {\"fields\":[{\"field\":\"owner\","
                   "\"code\":\"class\",\"message\":\"owner of HTTPTask2Do %s "
                   "still needs ann\",\"value\":\"" ANN "\",\"constraint\":"
                   "\"trails://demo/Person\",\"node\":\"ID\"}]}",
                   end, end);
    check(&f, "delete_person", refused, "{\"id\":\"" ANN "\"}");
    check(&f, "update" TASK,
          "{\"id\":\"ID\",\"_type\":\"HTTPTask2Do\",\"_version\":2,\"n\":1,"
          "\"state\":\"open\",\"tags\":[]}",
          "{\"id\":\"%s\",\"clear\":[\"owner\"]}", f.id);
    check(&f, "delete" TASK,
          "conflict: <ID> is at version 2, not 1: read it again with "
          "find" TASK " {\"reason\":\"conflict\"}",
          "{\"id\":\"%s\",\"version\":1}", f.id);
    check(&f, "delete" TASK, "{\"id\":\"ID\",\"deleted\":true}",
          "{\"id\":\"%s\",\"version\":2}", f.id);
    check(&f, "delete_person", "{\"id\":\"" ANN "\",\"deleted\":true}",
          "{\"id\":\"" ANN "\"}");
    check(&f, "find_person", "{\"items\":[]}", "{}");
    tear_down(&f);
}

/* Arguments with a number for one field, and what else the tool needs. */
static void put_arguments(struct tr_buf *out, const struct fixture *f,
                          const struct tr_cap *cap, tr_str field,
                          const char *number)
{
    const struct tr_shape *shape = cap->input_shape;
    tr_buf_putf(out, "{\"%.*s\":%s", TR_FMT(field), number);
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *other = &shape->fields[i];
        if (tr_str_eq(other->name, shape->patch_key) ||
            (tr_field_is_required(other) && other->kind == TR_FIELD_REF))
            tr_buf_putf(out, ",\"%.*s\":\"%s\"", TR_FMT(other->name), f->id);
        else if (tr_field_is_required(other) && !shape->patch_key.len &&
                 !tr_str_eq(other->name, field))
            tr_buf_putf(out, ",\"%.*s\":1", TR_FMT(other->name));
    }
    tr_buf_putc(out, '}');
}

/* Fails closed: what is not stored to the last digit is refused by name. */
static void check_number(struct fixture *f, const struct tr_cap *cap,
                         tr_str field, const char *number)
{
    char wrong[128];
    char right[128];
    char said[4096];
    struct tr_buf args;
    bool finds = tr_str_starts(cap->id, TR_STR("find"));
    tr_buf_init(&args, TR_KIB(1));
    put_arguments(&args, f, cap, field, number);
    tr_buf_putc(&args, '\0');
    (void)snprintf(wrong, sizeof(wrong), "{\"fields\":[{\"field\":\"%.*s\",",
                   TR_FMT(field));
    (void)snprintf(right, sizeof(right), "\"%.*s\":%s", TR_FMT(field), number);
    say(f, cap->id.ptr, args.ptr, said, sizeof(said));
    CHECK_ROW(strstr(said, wrong) || strstr(said, right) ||
                  (finds && strcmp(said, "{\"items\":[]}") == 0),
              said);
    tr_buf_done(&args);
}

TEST(integers_that_no_machine_word_holds_are_kept_or_refused)
{
    static const char *const numbers[] = {
        "9223372036854775808", "18446744073709551616",
        "1000000000000000000000000000000", "-9223372036854775809"};
    struct fixture f;
    size_t tried = 0;
    set_up(&f);
    const struct tr_cap_snapshot *s = f.world.app.snapshot;
    for (size_t i = 0; i < tr_cap_snapshot_counts(s).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(s, i);
        const struct tr_shape *shape = cap->input_shape;
        for (size_t k = 0; k < shape->count * TR_LEN(numbers); k++) {
            const struct tr_field *field = &shape->fields[k / TR_LEN(numbers)];
            char made[512];
            if (field->kind != TR_FIELD_INTEGER)
                continue;
            say(&f, "create" TASK, "{\"n\":1}", made, sizeof(made));
            check_number(&f, cap, field->name, numbers[k % TR_LEN(numbers)]);
            tried++;
        }
    }
    CHECK(tried >= 8 * TR_LEN(numbers));
    tear_down(&f);
}

static void create_people(struct fixture *f)
{
    char said[1024];
    char args[256];
    for (int i = 1; i <= 3; i++) {
        (void)snprintf(args, sizeof(args),
                       "{\"id\":\"p:%d\",\"name\":\"%s\",\"email\":\"%d\"}", i,
                       i == 2 ? "Bob" : "Ann", i);
        say(f, "create_person", args, said, sizeof(said));
    }
    f->id[0] = '\0';
}

#define ANN1                                                                   \
    "{\"id\":\"p:1\",\"_type\":\"Person\",\"_version\":1,\"email\":\"1\","     \
    "\"name\":\"Ann\"}"
#define ANN3                                                                   \
    "{\"id\":\"p:3\",\"_type\":\"Person\",\"_version\":1,\"email\":\"3\","     \
    "\"name\":\"Ann\"}"

TEST(find_gives_those_that_have_all_the_values)
{
    struct fixture f;
    set_up(&f);
    create_people(&f);
    check(&f, "find_person", "{\"items\":[" ANN1 "," ANN3 "]}",
          "{\"name\":\"Ann\"}");
    check(&f, "find_person", "{\"items\":[" ANN3 "]}",
          "{\"name\":\"Ann\",\"email\":\"3\"}");
    check(&f, "find_person", "{\"items\":[]}",
          "{\"name\":\"Bob\",\"email\":\"3\"}");
    check(&f, "find_person", "{\"items\":[]}", "{\"name\":\"\"}");
    check(&f, "find_person",
          "{\"items\":[{\"id\":\"p:2\",\"_type\":\"Person\",\"_version\":1,"
          "\"name\":\"Bob\"}]}",
          "{\"email\":\"2\",\"fields\":[\"name\"]}");
    check(&f, "find_person",
          "{\"items\":[{\"id\":\"p:2\",\"_type\":\"Person\",\"_version\":1}"
          "]}",
          "{\"email\":\"2\",\"fields\":[]}");
    tear_down(&f);
}

static const char *const bad_searches[][2] = {
    {"{\"name\":1}", "\"field\":\"name\",\"code\":\"type\""},
    {"{\"limit\":0}", "\"field\":\"limit\",\"code\":\"min_value\""},
    {"{\"limit\":101}", "\"field\":\"limit\",\"code\":\"max_value\""},
    {"{\"fields\":[\"nam\"]}", "\"field\":\"fields\",\"code\":\"one_of\""},
    {"{\"cursor\":\"\"}", "invalid_cursor"},
    {"{\"cursor\":\"AAAA\"}", "invalid_cursor"},
    {"{\"tags\":\"x\"}",
     "\"field\":\"tags\",\"code\":\"unknown_field\","
     "\"message\":\"tags cannot be searched by: it is no single "
     "value\""},
};

TEST(find_refuses_what_it_does_not_know)
{
    struct fixture f;
    char said[1024];
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(bad_searches); i++) {
        say(&f, i == TR_LEN(bad_searches) - 1 ? "find" TASK : "find_person",
            bad_searches[i][0], said, sizeof(said));
        CHECK_ROW(strstr(said, bad_searches[i][1]), said);
    }
    tear_down(&f);
}

/* Calls find_person, and takes the cursor out of its reply. */
static void find_next(struct fixture *f, const char *args, char *said,
                      size_t size, char *next)
{
    struct lua_call c;
    lua_call_init(&c, &f->world.app, "find_person", args);
    lua_call_start(&c);
    lua_call_wait(&c, 0);
    copy_text(c.outcome.value, "next", next, 1024);
    (void)snprintf(said, size, "%s", lua_call_text(&c));
    lua_call_done(&c);
}

TEST(find_goes_from_page_to_page_by_a_cursor_that_fits)
{
    struct fixture f;
    char said[2048];
    char next[1024];
    char args[2048];
    set_up(&f);
    create_people(&f);
    find_next(&f, "{\"name\":\"Ann\",\"limit\":1}", said, sizeof(said), next);
    CHECK(strstr(said, ANN1) && next[0]);
    /* Its page may be of another size. */
    (void)snprintf(args, sizeof(args), "{\"cursor\":\"%s\",\"name\":\"Ann\"}",
                   next);
    check(&f, "find_person", "{\"items\":[" ANN3 "]}", "%s", args);
    (void)snprintf(args, sizeof(args), "{\"cursor\":\"%s\",\"name\":\"Bob\"}",
                   next);
    find_next(&f, args, said, sizeof(said), next);
    CHECK_ROW(strstr(said, "invalid: cursor is not of this search") == said,
              said);
    tear_down(&f);
}

/* A page ends before a client would get only a part of a node. */
TEST(find_says_no_more_than_a_result_may_hold)
{
    static char args[TR_KIB(41)];
    static char said[TR_KIB(4)];
    static char next[1024];
    struct fixture f;
    struct lua_call c;
    set_up(&f);
    for (int i = 0; i < 3; i++) {
        int len =
            snprintf(args, sizeof(args), "{\"id\":\"p:%d\",\"name\":\"", i);
        memset(args + len, 'x', TR_KIB(40));
        memcpy(args + len + TR_KIB(40), "\"}", 3);
        lua_call_init(&c, &f.world.app, "create_person", args);
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK_OK(c.outcome.status, &c.outcome.err);
        lua_call_done(&c);
    }
    (void)snprintf(args, sizeof(args), "{}");
    for (int i = 0; i < 3; i++) {
        lua_call_init(&c, &f.world.app, "find_person", args);
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        const struct tr_json *items =
            tr_json_find(c.outcome.value, TR_STR("items"));
        CHECK_INT(items->len, 1);
        copy_text(&items->as.items[0], "id", said, sizeof(said));
        CHECK_INT(said[2] - '0', i);
        copy_text(c.outcome.value, "next", next, sizeof(next));
        (void)snprintf(args, sizeof(args), "{\"cursor\":\"%s\"}", next);
        lua_call_done(&c);
    }
    CHECK(!next[0]);
    tear_down(&f);
}

static const char rounds[] =
    "capability 'test' { description = 'd', run = function(ctx)\n"
    "  local p = ctx:invoke('create' .. '_http_task2_do', { n = 1 })\n"
    "  ctx:log('info', p.id)\n"
    "  ctx:roots()\n"
    "  local found = ctx:invoke('find_http_task2_do', { n = 1 })\n"
    "  assert(#found.items == 1 and found.items[1].id == p.id)\n"
    "  return { id = p.id }\n"
    "end }\n";

/* What a handler has told of a node holds when it is run again. */
TEST(tools_that_a_handler_invokes_name_their_nodes_alike_in_every_round)
{
    static char source[4096];
    struct lua_world w;
    struct lua_call first;
    struct lua_call second;
    (void)snprintf(source, sizeof(source), "%s%s", types, rounds);
    lua_world_open_bare(&w, source, NULL);
    lua_call_init(&first, &w.app, "test", "{}");
    first.asking = LUA_ASK_ROUNDS;
    lua_call_start(&first);
    lua_call_wait(&first, 0);
    CHECK(first.round_ended);
    tr_loop_step(w.app.loop, 5000);
    lua_call_init(&second, &w.app, "test", "{}");
    lua_call_again(&second, &first, "{\"roots-1\":{\"roots\":[]}}");
    lua_call_wait(&second, 0);
    CHECK_INT(second.outcome.status, TR_OK);
    tr_str id = tr_json_text(tr_json_find(second.outcome.value, TR_STR("id")));
    tr_buf_putc(&first.heard, '\0');
    CHECK(id.len && strstr(first.heard.ptr, id.ptr));
    lua_call_done(&second);
    lua_call_done(&first);
    lua_world_close(&w);
}

static const struct {
    const char *source;
    const char *message;
} refused[] = {
    {"\nnode_type 'Task' { fields = {}, tools = { 'find', 'create' } }\n"
     "capability 'create_task' { description = 'd', run = print }",
     "app.lua:2: node_type 'Task': tools: create: create_task: this id is "
     "already registered"},
    {"node_type 'ABTask' { fields = {}, tools = 'find' }\n"
     "node_type 'AbTask' { fields = {}, tools = 'find' }",
     "app.lua:2: node_type 'AbTask': tools: find: find_ab_task: this id is "
     "already registered"},
    {"node_type 'Task' { fields = { version = text }, tools = 'update' }",
     "app.lua:1: node_type 'Task': tools: update: its field 'version' has the "
     "name of an argument: call it otherwise, or write the capability "
     "yourself"},
    {"\nnode_type 'Task' { tools = 'create',\n"
     "  fields = { pay = integer { scope = 'builder' } } }",
     "app.lua:2: node_type 'Task': tools: create: the field 'pay' is required, "
     "and the tool, which needs runtime, does not have it: give it a default"},
    {"node_type 'T12345678901234567890123456789012345678901234567890123456789'"
     " { fields = {}, tools = 'create' }",
     "app.lua:1: node_type "
     "'T12345678901234567890123456789012345678901234567890123456789': tools: "
     "create: create_t12345678901234567890123456789012345678901234567890123456"
     "789: an id is 1 to 64 of the characters A-Z a-z 0-9 _ . -"},
};

TEST(tools_that_cannot_be_registered_are_refused_where_their_type_stands)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct lua_app app;
        struct tr_err err = {0};
        CHECK_ROW(lua_app_try(&app, refused[i].source, NULL, &err) != TR_OK,
                  refused[i].source);
        CHECK_STR(tr_str_from(err.msg), refused[i].message);
    }
}

/* A tool has one schema for everybody: what its own scope shows. */
TEST(tools_have_the_fields_that_their_own_scope_shows)
{
    static const char source[] =
        "node_type 'Job' {\n"
        "  tools = { 'find', create = { scope = 'builder' },\n"
        "    update = { scope = 'dev' } },\n"
        "  fields = { title = text, pay = integer { scope = 'builder' } } }";
    static const struct {
        const char *tool;
        bool has_pay;
    } rows[] = {
        {"create_job", true}, {"find_job", false}, {"update_job", false}};
    struct lua_app app;
    lua_app_open(&app, source);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_cap *cap =
            tr_cap_snapshot_find_cap(app.snapshot, tr_str_from(rows[i].tool));
        CHECK_ROW((tr_shape_find(cap->input_shape, TR_STR("pay")) != NULL) ==
                      rows[i].has_pay,
                  rows[i].tool);
        CHECK_ROW((tr_shape_find(cap->output_shape, TR_STR("pay")) != NULL) ==
                      rows[i].has_pay,
                  rows[i].tool);
    }
    lua_app_close(&app);
}

static tr_status declare(struct tr_model_builder *declared,
                         const struct tr_model **out, struct tr_err *err)
{
    static const struct tr_field fields[] = {{.name = TR_STR_INIT("a")}};
    static const struct tr_model_type_draft draft = {
        .shape = {.name = TR_STR_INIT("T"), .fields = fields, .count = 1},
        .tools = TR_MODEL_TOOL_CREATE | TR_MODEL_TOOL_UPDATE |
                 TR_MODEL_TOOL_DELETE | TR_MODEL_TOOL_FIND,
    };
    TR_TRY(tr_model_builder_add_type(declared, &draft, err));
    return tr_model_build(declared, out, err);
}

static tr_status register_all(void *context, struct tr_err *err)
{
    struct tr_model_builder *declared = NULL;
    struct tr_cap_builder *builder = NULL;
    const struct tr_model *model = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    (void)context;
    tr_status st = tr_cap_builder_create(NULL, &builder, err);
    if (st == TR_OK)
        st = tr_model_builder_create(TR_STR("x"), &declared, err);
    if (st == TR_OK)
        st = declare(declared, &model, err);
    if (st == TR_OK)
        st = tr_cap_registry_take_model(builder, model, err);
    if (st == TR_OK)
        st = tr_builtin_add_kg_tools(builder, err);
    if (st == TR_OK)
        st = tr_cap_registry_build(builder, &snapshot, err);
    tr_model_builder_free(declared);
    tr_cap_builder_free(builder);
    tr_cap_snapshot_unpin(snapshot);
    return st;
}

TEST(registering_tools_survives_without_memory)
{
    tr_test_sweep(register_all, NULL);
}
