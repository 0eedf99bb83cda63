#include "gate/gate.h"

#include "access/authority.h"
#include "access/bearer.h"
#include "base/test.h"
#include "gate/page.h"
#include "gate/trace.h"
#include "loop/loop.h"

#define TOKEN "a-token-of-the-tests"

/* Who is let in. -----------------------------------------------------------*/

struct fixture {
    struct tr_loop *loop;
    struct tr_access_bearer *bearer;
    struct tr_gate gate;
};

static void open_gate(struct fixture *f)
{
    const struct tr_loop_opts clock = {.test_clock = true};
    const struct tr_access_bearer_opts who = {.scopes = TR_SCOPE_BUILDER,
                                              .token = TR_STR(TOKEN)};
    struct tr_err err = {0};
    CHECK_OK(tr_loop_create(&clock, &f->loop, &err), &err);
    CHECK_OK(tr_access_bearer_create(&who, &f->bearer, &err), &err);
    f->gate = (struct tr_gate){.loop = f->loop, .bearer = f->bearer};
}

static void close_gate(struct fixture *f)
{
    tr_access_bearer_free(f->bearer);
    tr_loop_free(f->loop);
}

/* The scopes of who comes in, -1 of who does not. */
static int let_in(const struct fixture *f, const char *token)
{
    const struct tr_access_authority *authority = NULL;
    struct tr_err err = {0};
    tr_status status =
        tr_gate_resolve(&f->gate, tr_str_from(token), &authority, &err);
    if (status == TR_OK)
        return (int)authority->scopes;
    CHECK_INT(status, TR_E_UNAUTHENTICATED);
    CHECK(err.msg[0]);
    CHECK(!strstr(err.msg, "wrong"));
    return -1;
}

TEST(whoever_brings_nothing_is_nobody_unless_something_is_required)
{
    struct fixture f;
    open_gate(&f);
    CHECK_INT(let_in(&f, TOKEN), TR_SCOPE_BUILDER);
    CHECK_INT(let_in(&f, "wrong-one"), -1);
    CHECK_INT(let_in(&f, ""), 0); /* builder alone is for who has a token */
    f.gate.rules.is_required = true;
    CHECK_INT(let_in(&f, ""), -1);
    CHECK_INT(let_in(&f, TOKEN), TR_SCOPE_BUILDER);
    f.gate.bearer = NULL; /* nobody has a token */
    CHECK_INT(let_in(&f, TOKEN), -1);
    CHECK_INT(let_in(&f, ""), -1);
    f.gate.rules.is_required = false;
    CHECK_INT(let_in(&f, "wrong-one"), -1);
    CHECK_INT(let_in(&f, ""), TR_SCOPE_RUNTIME);
    close_gate(&f);
}

TEST(a_challenge_says_what_would_do)
{
    static const struct {
        struct tr_gate_rules rules;
        struct tr_gate_challenge challenge;
        const char *text;
    } rows[] = {
        {{0}, {0}, "Bearer"},
        {{0}, {.scope = "runtime"}, "Bearer"},
        {{.realm = TR_STR_INIT("demo")},
         {.error = "invalid_token", .why = "it is old", .scope = "runtime"},
         "Bearer realm=\"demo\", error=\"invalid_token\","
         " error_description=\"it is old\""},
        {{.realm = TR_STR_INIT("demo")},
         {.error = "insufficient_scope",
          .why = "no",
          .scope = "builder",
          .is_scope = true},
         "Bearer realm=\"demo\", error=\"insufficient_scope\","
         " error_description=\"no\", scope=\"builder\""},
        {{.metadata_url = TR_STR_INIT("https://a.example/m")},
         {.scope = "runtime"},
         "Bearer scope=\"runtime\","
         " resource_metadata=\"https://a.example/m\""},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_gate gate = {.rules = rows[i].rules};
        char text[TR_GATE_CHALLENGE_BYTES];
        CHECK_STR(tr_gate_write_challenge(&gate, &rows[i].challenge, text),
                  rows[i].text);
    }
}

/* What a request says. -----------------------------------------------------*/

#define LINES 4

struct lines {
    char bytes[LINES * 128];
    struct tr_http_span spans[LINES];
    struct tr_http_request http;
};

static struct tr_http_request *lines_of(struct lines *lines, const char *name,
                                        const char *const values[LINES])
{
    *lines =
        (struct lines){.http = {.bytes = lines->bytes, .spans = lines->spans}};
    for (size_t i = 0; i < LINES && values[i]; i++) {
        size_t at = i * 128;
        size_t len = strlen(name);
        memcpy(lines->bytes + at, name, len);
        (void)snprintf(lines->bytes + at + len, 128 - len, "%s", values[i]);
        lines->spans[lines->http.header_count++] = (struct tr_http_span){
            (uint32_t)at, (uint32_t)len, (uint32_t)(at + len),
            (uint32_t)strlen(values[i])};
    }
    return &lines->http;
}

TEST(a_token_is_there_once_or_twice_the_same)
{
    static const struct {
        const char *values[LINES];
        const char *token;
    } rows[] = {
        {{NULL}, ""},
        {{"Bearer abc"}, "abc"},
        {{"bearer abc"}, "abc"},
        {{"Bearer abc", "Bearer abc"}, "abc"},
        {{"Bearer abc", "Bearer abd"}, ""},
        {{"Bearer abc", "bearer abc"}, ""},
        {{"Basic abc"}, ""},
        {{"Bearer"}, ""},
        {{"Bearer a b"}, ""},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lines lines;
        CHECK_STR(
            tr_gate_token_of(lines_of(&lines, "Authorization", rows[i].values)),
            rows[i].token);
    }
}

TEST(a_trace_is_there_once)
{
    static const struct {
        const char *values[LINES];
        const char *found;
    } rows[] = {{{NULL}, ""}, {{"a"}, "a"}, {{"a", "a"}, ""}, {{"", "a"}, ""}};
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lines lines;
        CHECK_STR(
            tr_gate_trace_of(lines_of(&lines, "TraceParent", rows[i].values)),
            rows[i].found);
    }
}

/* C59: no form of a page can say so (the Fetch standard, CORS-safelisted). */
TEST(only_json_is_announced_as_json)
{
    static const struct {
        const char *values[LINES];
        bool is_json;
    } rows[] = {
        {{"application/json"}, true},
        {{"Application/JSON"}, true},
        {{"application/json; charset=utf-8"}, true},
        {{"application/json;"}, true},
        {{"application/json ; a=b"}, true},
        {{NULL}, false},
        {{""}, false},
        {{";application/json"}, false},
        {{"text/plain"}, false},
        {{"text/plain; application/json"}, false},
        {{"text/plain, application/json"}, false},
        {{"application/json, text/plain"}, false},
        {{"application/x-www-form-urlencoded"}, false},
        {{"multipart/form-data; boundary=application/json"}, false},
        {{"application/jsonp"}, false},
        {{"application/json-seq"}, false},
        {{"application/ld+json"}, false},
        {{"application/problem+json"}, false},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct lines lines;
        CHECK_ROW(tr_gate_sends_json(
                      lines_of(&lines, "content-type", rows[i].values)) ==
                      rows[i].is_json,
                  rows[i].values[0] ? rows[i].values[0] : "none");
    }
}
