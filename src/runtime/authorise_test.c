/*
 * Whether the caller may: the first stage, with a handler in C.
 */
#include "access/authority.h"
#include "base/test.h"
#include "runtime/stage.h"
#include "support/c_host.h"

#define RAN "{\"ran\":1}"

static const struct {
    struct tr_access_authority authority;
    bool has_none; /* there is no authority at all */
    bool in_production;
    const char *name;
    const char *expected;
} rows[] = {
    {{0},
     true,
     false,
     "plain",
     "unauthenticated: authentication required: nobody stands for this call"},
    {{.scopes = TR_SCOPE_RUNTIME}, false, false, "plain", RAN},
    {{0},
     false,
     false,
     "plain",
     "scope: scope denied: plain requires runtime {\"tool\":\"plain\","
     "\"required_scope\":\"runtime\",\"caller_scopes\":[]}"},
    {{.scopes = TR_SCOPE_ALL},
     false,
     false,
     "dev",
     "unauthenticated: authentication required: dev requires dev "
     "{\"tool\":\"dev\",\"required_scope\":\"dev\"}"},
    {{.is_authenticated = true, .scopes = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER},
     false,
     false,
     "dev",
     "scope: scope denied: dev requires dev {\"tool\":\"dev\","
     "\"required_scope\":\"dev\",\"caller_scopes\":[\"builder\","
     "\"runtime\"]}"},
    {{.is_authenticated = true, .scopes = TR_SCOPE_DEV},
     false,
     false,
     "dev",
     RAN},
    {{.is_authenticated = true, .scopes = TR_SCOPE_DEV},
     false,
     true,
     "dev",
     "scope: scope denied: dev requires dev {\"tool\":\"dev\","
     "\"required_scope\":\"dev\",\"caller_scopes\":[\"dev\"]}"},
};

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("plain")},
    &(const struct tr_cap){.id = TR_STR_INIT("dev"),
                           .guard.scope = TR_SCOPE_DEV},
};

TEST(authorise_lets_through_who_has_the_scope_and_says_what_is_lacking)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct c_host host;
        struct c_call c;
        c_host_open(&host);
        c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 2});
        c_call_init(&c, &host, rows[i].name, "{}");
        c.call.authority = rows[i].has_none ? NULL : &rows[i].authority;
        c.call.in_production = rows[i].in_production;
        c_call_start(&c);
        c_call_check(&c, rows[i].expected);
        c_host_close(&host);
    }
}

/* What a refusal is about has another name for each kind of door. */
TEST(authorise_asks_at_every_door_for_the_scope_of_its_guard)
{
    static const struct tr_access_authority runtime = {
        .is_authenticated = true, .scopes = TR_SCOPE_RUNTIME};
    static const struct tr_cap_guard guard = {.scope = TR_SCOPE_BUILDER};
    static const struct {
        enum tr_call_kind kind;
        const char *key;
        const char *value;
    } doors[] = {
        {TR_CALL_RESOURCE, "uri", "a://r"},
        {TR_CALL_PROMPT, "prompt", "door"},
        {TR_CALL_COMPLETION, "ref", "door"},
        {TR_CALL_SUBSCRIPTION, "uri", "door"},
    };
    struct c_host host;
    c_host_open(&host);
    c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 2});
    for (size_t i = 0; i < TR_LEN(doors); i++) {
        char expected[256];
        struct c_call c;
        c_call_init(&c, &host, "plain", "{\"uri\":\"a://r\"}");
        c.call.cap = NULL;
        c.call.kind = doors[i].kind;
        c.call.activity.name = TR_STR("door");
        c.call.guard = &guard;
        c.call.authority = &runtime;
        c_call_start(&c);
        (void)snprintf(
            expected, sizeof(expected),
            "scope: scope denied: %s requires builder {\"%s\":\"%s\","
            "\"required_scope\":\"builder\",\"caller_scopes\":"
            "[\"runtime\"]}",
            doors[i].value, doors[i].key, doors[i].value);
        c_call_check(&c, expected);
    }
    CHECK_INT(host.ran, 0);
    c_host_close(&host);
}

/* A door that forgets its guard is no way around one. */
TEST(authorise_lets_nobody_through_a_door_without_a_guard)
{
    struct c_host host;
    c_host_open(&host);
    c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 2});
    for (int kind = TR_CALL_RESOURCE; kind < TR_CALL_POLICY; kind++) {
        struct c_call c;
        c_call_init(&c, &host, "plain", "{}");
        c.call.cap = NULL;
        c.call.kind = (enum tr_call_kind)kind;
        c_call_start(&c);
        c_call_check(&c, "internal: a call does not say what it is of");
    }
    CHECK_INT(host.ran, 0);
    c_host_close(&host);
}

TEST(authorise_goes_without_its_data_when_there_is_no_memory)
{
    static const struct tr_access_authority nobody = {0};
    struct tr_call_outcome refusal = {0};
    struct tr_arena none;
    struct c_host host;
    struct c_call c;
    c_host_open(&host);
    c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 2});
    c_call_init(&c, &host, "dev", "{}");
    c.call.authority = &nobody;
    tr_arena_init(&none, 0);
    c.call.arena = &none;
    CHECK_INT(tr_call_stage_authorise(&c.call, &refusal), TR_CALL_REFUSED);
    CHECK_INT(refusal.status, TR_E_UNAUTHENTICATED);
    CHECK(refusal.data == NULL);
    tr_arena_done(&c.arena);
    c_host_close(&host);
}
