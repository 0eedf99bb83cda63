#include "access/authority.h"
#include "base/test.h"

#define RUNTIME TR_SCOPE_RUNTIME
#define BUILDER TR_SCOPE_BUILDER
#define DEV     TR_SCOPE_DEV

/* The whole table: who, with which scopes, where, and the verdict. */
static const struct {
    const char *name;
    bool is_authenticated;
    unsigned scopes;
    bool is_production;
    enum tr_access_verdict runtime;
    enum tr_access_verdict builder;
    enum tr_access_verdict dev;
} rows[] = {
    {"nobody", false, RUNTIME, false, TR_ACCESS_ALLOWED,
     TR_ACCESS_UNAUTHENTICATED, TR_ACCESS_UNAUTHENTICATED},
    {"nobody, where the process has all", false, TR_SCOPE_ALL, false,
     TR_ACCESS_ALLOWED, TR_ACCESS_UNAUTHENTICATED, TR_ACCESS_UNAUTHENTICATED},
    {"nobody, where the process has no runtime", false, 0, false,
     TR_ACCESS_SCOPE_DENIED, TR_ACCESS_UNAUTHENTICATED,
     TR_ACCESS_UNAUTHENTICATED},
    {"nobody, in production", false, TR_SCOPE_ALL, true, TR_ACCESS_ALLOWED,
     TR_ACCESS_UNAUTHENTICATED, TR_ACCESS_UNAUTHENTICATED},
    {"no scope", true, 0, false, TR_ACCESS_SCOPE_DENIED, TR_ACCESS_SCOPE_DENIED,
     TR_ACCESS_SCOPE_DENIED},
    {"runtime", true, RUNTIME, false, TR_ACCESS_ALLOWED, TR_ACCESS_SCOPE_DENIED,
     TR_ACCESS_SCOPE_DENIED},
    {"builder is not runtime", true, BUILDER, false, TR_ACCESS_SCOPE_DENIED,
     TR_ACCESS_ALLOWED, TR_ACCESS_SCOPE_DENIED},
    {"dev is neither", true, DEV, false, TR_ACCESS_SCOPE_DENIED,
     TR_ACCESS_SCOPE_DENIED, TR_ACCESS_ALLOWED},
    {"all", true, TR_SCOPE_ALL, false, TR_ACCESS_ALLOWED, TR_ACCESS_ALLOWED,
     TR_ACCESS_ALLOWED},
    {"all, in production", true, TR_SCOPE_ALL, true, TR_ACCESS_ALLOWED,
     TR_ACCESS_ALLOWED, TR_ACCESS_SCOPE_DENIED},
};

TEST(the_decision_is_that_of_contract_c1)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_access_authority who = {
            .is_authenticated = rows[i].is_authenticated,
            .scopes = rows[i].scopes,
        };
        bool there = rows[i].is_production;
        CHECK_ROW(tr_access_decide(&who, RUNTIME, there) == rows[i].runtime,
                  rows[i].name);
        CHECK_ROW(tr_access_decide(&who, BUILDER, there) == rows[i].builder,
                  rows[i].name);
        CHECK_ROW(tr_access_decide(&who, DEV, there) == rows[i].dev,
                  rows[i].name);
        unsigned all = (rows[i].runtime == TR_ACCESS_ALLOWED ? RUNTIME : 0U) |
                       (rows[i].builder == TR_ACCESS_ALLOWED ? BUILDER : 0U) |
                       (rows[i].dev == TR_ACCESS_ALLOWED ? DEV : 0U);
        CHECK_ROW(tr_access_decide_all(&who, there) == all, rows[i].name);
    }
}

TEST(callers_are_the_same_by_principal_and_not_by_scopes)
{
    struct tr_access_authority a = {.is_authenticated = true,
                                    .principal = TR_STR("token:ci")};
    struct tr_access_authority b = a;
    b.scopes = TR_SCOPE_ALL;
    CHECK(tr_access_authority_same(&a, &b));
    b.principal = TR_STR("token:c");
    CHECK(!tr_access_authority_same(&a, &b));
    b = (struct tr_access_authority){.principal = TR_STR("token:ci")};
    CHECK(!tr_access_authority_same(&a, &b));
}
