/*
 * Whether the caller may: the first stage, with a handler in C.
 */
#include "runtime/authorise.h"

#include "access/authority.h"
#include "base/test.h"
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
                           .gate.scope = TR_SCOPE_DEV},
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

/* It can be asked of any scope: preconditions do. */
TEST(authorise_goes_without_its_data_when_there_is_no_memory)
{
    static const struct tr_access_authority nobody = {0};
    struct tr_call_outcome refusal = {0};
    struct tr_arena none;
    struct c_host host;
    struct c_call c;
    c_host_open(&host);
    c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 2});
    c_call_init(&c, &host, "plain", "{}");
    c.call.authority = &nobody;
    tr_arena_init(&none, 0);
    c.call.arena = &none;
    CHECK_INT(tr_call_authorise(&c.call, TR_SCOPE_BUILDER, &refusal),
              TR_E_UNAUTHENTICATED);
    CHECK(refusal.data == NULL);
    tr_arena_done(&c.arena);
    c_host_close(&host);
}
