#include "lua/fetch.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "crypto/secrets.h"
#include "lua/convert.h"
#include "lua/ctx.h"
#include "lua/fault.h"
#include "lua/journal.h"
#include "lua/json_lib.h"
#include "lua/options.h"
#include "lua/secret.h"
#include "runtime/fetch.h"

#include <math.h>

/* All that may be sent: URL, headers, body. */
#define SENT_MAX                                                               \
    (TR_LIMIT_FETCH_URL + TR_LIMIT_FETCH_SENT +                                \
     TR_LIMIT_FETCH_HEADERS * (TR_LIMIT_FETCH_URL + TR_LIMIT_NAME_BYTES))

/* A part of `text`, which moves while it grows. */
struct part {
    size_t at;
    size_t len;
};

struct tr_lua_fetch {
    struct tr_call_fetching fetching;
    struct tr_fetch_request request;
    struct tr_buf text; /* may hold secrets */
    struct part url;
    struct part body;
    size_t header_count;
    struct part names[TR_LIMIT_FETCH_HEADERS];
    struct part values[TR_LIMIT_FETCH_HEADERS];
    bool are_secret[TR_LIMIT_FETCH_HEADERS]; /* the values */
    struct tr_fetch_header headers[TR_LIMIT_FETCH_HEADERS];
    tr_str method;
    bool has_type; /* a Content-Type of its own */
    struct tr_json record;
    bool has_record;
};

/* Putting it together. -----------------------------------------------------*/

struct reader {
    lua_State *L;
    struct tr_lua_options o;
    struct tr_lua_fetch *out;
};

static size_t here(const struct reader *r)
{
    return r->out->text.len;
}

static struct part since(const struct reader *r, size_t at)
{
    return (struct part){at, here(r) - at};
}

static void put(struct reader *r, tr_str text)
{
    tr_crypto_secret_put(&r->out->text, text);
}

_Noreturn static void fail_value(struct reader *r, const char *name)
{
    lua_pushfstring(r->L, "'%s' must be a text or a secret, not ", name);
    const char *message = lua_tostring(r->L, -1);
    tr_lua_options_fail(&r->o, message, luaL_typename(r->L, -2));
}

/* The text, number, boolean or secret on top of the stack. */
static void put_top(struct reader *r, const char *name)
{
    if (lua_isboolean(r->L, -1))
        put(r, lua_toboolean(r->L, -1) ? TR_STR("true") : TR_STR("false"));
    else if (!tr_lua_put_secret(r->L, -1, &r->out->text))
        fail_value(r, name);
}

/* Percent-encodes what begins at `from`, in place: it grows from its end. */
static void encode(struct reader *r, size_t from, bool is_form)
{
    struct tr_buf *text = &r->out->text;
    static const char digits[] = "0123456789ABCDEF";
    size_t len = text->len - from;
    size_t more = 0;
    for (size_t i = 0; text->failed == TR_OK && i < len; i++) {
        char c = text->ptr[from + i];
        bool is_plain = tr_ascii_is_alnum(c) || (c && strchr("-._~", c)) ||
                        (is_form && c == ' ');
        more += is_plain ? 0 : 2;
    }
    for (size_t i = 0; i < more; i++)
        put(r, TR_STR(" "));
    if (text->failed != TR_OK)
        return;
    char *to = text->ptr + text->len;
    for (size_t i = len; i > 0; i--) {
        unsigned char c = (unsigned char)text->ptr[from + i - 1];
        bool is_plain = tr_ascii_is_alnum((char)c) || (c && strchr("-._~", c));
        if (is_plain || (is_form && c == ' ')) {
            *--to = is_plain ? (char)c : '+';
        } else {
            *--to = digits[c & 15];
            *--to = digits[c >> 4];
            *--to = '%';
        }
    }
}

/* a=b&c=d, from the table on top of the stack; sorted by nobody. */
static void put_pairs(struct reader *r, const char *name, tr_str first,
                      bool is_form)
{
    lua_State *L = r->L;
    if (!lua_istable(L, -1))
        tr_lua_options_fail(&r->o, name, " must be a table of names");
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        tr_str key;
        size_t at;
        if (lua_type(L, -2) != LUA_TSTRING)
            tr_lua_options_fail(&r->o, name, " must be a table of names");
        key.ptr = lua_tolstring(L, -2, &key.len);
        put(r, first);
        first = TR_STR("&");
        at = here(r);
        put(r, key);
        encode(r, at, is_form);
        put(r, TR_STR("="));
        at = here(r);
        put_top(r, key.ptr);
        encode(r, at, is_form);
    }
}

/* Whether a value of the table on top, or the value itself, is a secret. */
static bool has_secret(lua_State *L)
{
    bool has = tr_lua_is_secret(L, -1);
    if (!lua_istable(L, -1))
        return has;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        has = has || tr_lua_is_secret(L, -1);
    return has;
}

/* Hosts are named in errors, logs and metrics: they have no secret. */
static void check_host(struct reader *r, tr_str url)
{
    static const char ends[] = {'/', '?'};
    size_t begins = tr_lua_secret_begins(r->L, -1);
    size_t at = 0;
    if (begins == SIZE_MAX)
        return;
    while (at < url.len && !tr_str_starts(tr_str_skip(url, at), TR_STR("://")))
        at++;
    for (at += 3; at < url.len && !memchr(ends, url.ptr[at], sizeof(ends));
         at++)
        continue;
    if (at >= begins)
        tr_lua_options_fail(
            &r->o, "in 'url' a secret stands behind the host and a /", "");
}

static void read_url(struct reader *r)
{
    size_t at = here(r);
    if (tr_lua_option_push(&r->o, "url") == LUA_TNIL)
        tr_lua_options_fail(&r->o, "there is no 'url'", "");
    put_top(r, "url");
    check_host(r, (tr_str){r->out->text.ptr + at, here(r) - at});
    r->out->fetching.has_hidden = has_secret(r->L);
    lua_pop(r->L, 1);
    if (tr_lua_option_push(&r->o, "query") != LUA_TNIL) {
        r->out->fetching.has_hidden |= has_secret(r->L);
        tr_str url = {r->out->text.ptr + at, here(r) - at};
        if (url.len && memchr(url.ptr, '#', url.len))
            tr_lua_options_fail(&r->o, "with 'query' a URL ends before a #",
                                "");
        bool has_query = url.len && memchr(url.ptr, '?', url.len);
        put_pairs(r, "query", has_query ? TR_STR("&") : TR_STR("?"), false);
    }
    lua_pop(r->L, 1);
    r->out->url = since(r, at);
}

static void add_header(struct reader *r, tr_str name)
{
    struct tr_lua_fetch *out = r->out;
    if (out->header_count == TR_LIMIT_FETCH_HEADERS)
        tr_lua_options_fail(&r->o, "there are too many headers", "");
    size_t at = here(r);
    put(r, name);
    out->names[out->header_count] = since(r, at);
    at = here(r);
    put_top(r, name.ptr);
    out->are_secret[out->header_count] = tr_lua_is_secret(r->L, -1);
    out->values[out->header_count++] = since(r, at);
}

static bool is_type(tr_str name)
{
    static const char type[] = "content-type";
    for (size_t i = 0; i < name.len && i < sizeof(type); i++) {
        if (tr_ascii_to_lower(name.ptr[i]) != type[i])
            return false;
    }
    return name.len == sizeof(type) - 1;
}

static void read_headers(struct reader *r)
{
    lua_State *L = r->L;
    if (tr_lua_option_push(&r->o, "headers") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    if (!lua_istable(L, -1))
        tr_lua_options_fail(&r->o, "'headers' must be a table of names", "");
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        tr_str name;
        if (lua_type(L, -2) != LUA_TSTRING)
            tr_lua_options_fail(&r->o, "'headers' must be a table of names",
                                "");
        name.ptr = lua_tolstring(L, -2, &name.len);
        r->out->has_type = r->out->has_type || is_type(name);
        add_header(r, name);
    }
    lua_pop(L, 1);
}

static void put_json(struct reader *r)
{
    struct tr_arena *scratch = tr_lua_scratch(r->L);
    struct tr_err err = {0};
    tr_str text;
    struct tr_json value = tr_lua_to_json(r->L, -1, scratch);
    if (tr_lua_write_json(&value, scratch, &text, &err) != TR_OK)
        tr_lua_raise_nomem(r->L);
    put(r, text);
}

/* At most one of these. */
static const struct {
    const char *name;
    const char *type;
} bodies[] = {
    {"body", NULL},
    {"json", "application/json"},
    {"form", "application/x-www-form-urlencoded"},
};
enum { BODY, JSON, FORM };

static void read_body(struct reader *r)
{
    struct tr_fetch_request *request = &r->out->request;
    size_t at = here(r);
    for (size_t i = 0; i < TR_LEN(bodies); i++) {
        if (tr_lua_option_push(&r->o, bodies[i].name) == LUA_TNIL) {
            lua_pop(r->L, 1);
            continue;
        }
        if (request->has_body)
            tr_lua_options_fail(&r->o, "there is one of body, json and form",
                                "");
        request->has_body = true;
        request->is_secret = has_secret(r->L);
        if (i == BODY)
            put_top(r, "body");
        else if (i == JSON)
            put_json(r);
        else
            put_pairs(r, "form", TR_STR(""), true);
        r->out->body = since(r, at);
        lua_pop(r->L, 1);
        if (bodies[i].type && !r->out->has_type) {
            lua_pushstring(r->L, bodies[i].type);
            add_header(r, TR_STR("Content-Type"));
            lua_pop(r->L, 1);
        }
    }
}

static void read_bounds(struct reader *r)
{
    struct tr_fetch_request *request = &r->out->request;
    double seconds = tr_lua_option_double(&r->o, "timeout_s");
    int64_t bytes = tr_lua_option_i64(&r->o, "max_bytes");
    if (tr_lua_option_has(&r->o, "timeout_s") &&
        !(seconds > 0 && seconds <= 86400))
        tr_lua_options_fail(&r->o, "'timeout_s' must be more than 0", "");
    if (tr_lua_option_has(&r->o, "max_bytes") && bytes < 1)
        tr_lua_options_fail(&r->o, "'max_bytes' must be more than 0", "");
    request->timeout_ms = (uint64_t)ceil(seconds * 1000);
    request->max_bytes = (size_t)bytes;
    request->follows = tr_lua_option_bool(&r->o, "follow", true);
}

static tr_str view(const struct tr_lua_fetch *out, struct part part)
{
    return part.len ? (tr_str){out->text.ptr + part.at, part.len}
                    : (tr_str){"", 0};
}

/* Nothing moves any more. */
static void settle(struct reader *r)
{
    struct tr_lua_fetch *out = r->out;
    struct tr_err err = {0};
    tr_status status = tr_buf_check(&out->text, &err);
    if (status == TR_E_NOMEM)
        tr_lua_raise_nomem(r->L);
    if (status != TR_OK)
        tr_lua_options_fail(&r->o, "there is too much to send", "");
    for (size_t i = 0; i < out->header_count; i++)
        out->headers[i] = (struct tr_fetch_header){view(out, out->names[i]),
                                                   view(out, out->values[i]),
                                                   out->are_secret[i]};
    out->request.headers = out->headers;
    out->request.header_count = out->header_count;
    out->request.url = view(out, out->url);
    out->request.body = view(out, out->body);
    out->request.method = out->method;
    tr_call_fetch_mark(&out->fetching, &out->request);
    tr_lua_spend(r->L, out->text.len / 8);
}

static void read_all(struct reader *r)
{
    static const struct tr_lua_option list[] = {
        {"url", NULL},    {"method", NULL},    {"headers", NULL},
        {"query", NULL},  {"body", NULL},      {"json", NULL},
        {"form", NULL},   {"timeout_s", NULL}, {"max_bytes", NULL},
        {"follow", NULL},
    };
    luaL_checktype(r->L, 2, LUA_TTABLE);
    tr_lua_options_check(&r->o, list, TR_LEN(list));
    read_url(r);
    read_headers(r);
    read_body(r);
    read_bounds(r);
    tr_str method = tr_lua_option_str(&r->o, "method");
    if (!method.len)
        method = r->out->request.has_body ? TR_STR("POST") : TR_STR("GET");
    if (!tr_arena_copy(tr_lua_ctx_run(r->L)->call->arena, method,
                       &r->out->method))
        tr_lua_raise_nomem(r->L);
    settle(r);
}

/* Running. -----------------------------------------------------------------*/

void tr_lua_fetch_done(struct tr_lua_run *run)
{
    if (!run->out)
        return;
    tr_call_fetch_give_up(&run->out->fetching);
    tr_crypto_secret_buf_done(&run->out->text);
    run->out = NULL;
}

static void on_done(void *data)
{
    struct tr_lua_run *run = data;
    struct tr_lua_fetch *out = run->out;
    out->has_record =
        tr_call_fetch_end(&out->fetching, &out->record, NULL) == TR_OK;
    tr_lua_run_go_on(run);
}

tr_status tr_lua_fetch_begin(struct tr_lua_run *run, struct tr_err *err)
{
    struct tr_lua_fetch *out = run->out;
    out->request.done = on_done;
    out->request.data = run;
    return tr_call_fetch_begin(&out->fetching, &out->request, err);
}

/* nil and an error, for what may be otherwise another time. */
static int push_refusal(lua_State *L, const struct tr_err *err)
{
    const struct tr_lua_fault fault = {.status = err->code,
                                       .message = tr_str_from(err->msg)};
    if (err->code != TR_E_UNAVAILABLE)
        tr_lua_raise(L, &fault);
    lua_pushnil(L);
    tr_lua_push_fault(L, &fault);
    return 2;
}

static int after_reply(lua_State *L, int status, lua_KContext context)
{
    struct tr_lua_run *run = (struct tr_lua_run *)context;
    struct tr_lua_fetch *out = run->out;
    struct tr_json record = out->record;
    (void)status;
    tr_lua_fetch_done(run);
    if (run->refusal)
        return push_refusal(L, run->refusal);
    if (!out->has_record)
        tr_lua_raise_nomem(L);
    tr_lua_record(L, run, "fetch", &record);
    return tr_lua_push_reply(L, &record);
}

/* What an earlier round was told, if it asked the same. */
static const struct tr_json *find_record(lua_State *L, struct tr_lua_run *run)
{
    const struct tr_json *record = tr_lua_replayed(L, run, "fetch");
    if (record && !tr_call_fetch_is_same(&run->out->fetching, record))
        tr_lua_fail_replay(L);
    return record;
}

int tr_lua_ctx_fetch(lua_State *L)
{
    struct tr_lua_run *run = tr_lua_ctx_run(L);
    struct reader r = {L, {L, 2, "ctx:fetch", NULL, NULL}, NULL};
    tr_lua_run_must_wait(L, run, "ctx:fetch");
    tr_lua_fetch_done(run);
    run->out = r.out =
        tr_lua_must_have(L, TR_NEW(run->call->arena, struct tr_lua_fetch));
    r.out->fetching.call = run->call;
    tr_buf_init(&r.out->text, SENT_MAX);
    read_all(&r);
    const struct tr_json *record = find_record(L, run);
    if (record) {
        tr_lua_fetch_done(run);
        return tr_lua_push_reply(L, record);
    }
    return tr_lua_run_wait(L, run, TR_LUA_WAIT_REPLY, after_reply);
}
