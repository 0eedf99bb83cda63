#include "base/scope.h"

#include "base/test.h"

TEST(scopes_have_names_both_ways)
{
    unsigned all = 0;
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        enum tr_scope scope;
        const char *name = tr_scope_name(tr_scopes_sorted[i]);
        CHECK_ROW(tr_scope_find(tr_str_from(name), &scope), name);
        CHECK_ROW(scope == tr_scopes_sorted[i], name);
        CHECK_ROW(i == 0 ||
                      strcmp(tr_scope_name(tr_scopes_sorted[i - 1]), name) < 0,
                  name);
        all |= scope;
    }
    CHECK_INT(all, TR_SCOPE_ALL);
}

TEST(other_names_are_no_scopes)
{
    static const char *const names[] = {"", "admin", "Runtime", "dev ", "de"};
    enum tr_scope scope;
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_ROW(!tr_scope_find(tr_str_from(names[i]), &scope), names[i]);
}
