#include "access/authority.h"
#include "base/test.h"

static const struct {
    const char *text;
    unsigned scopes;
} good[] = {
    {"runtime", TR_SCOPE_RUNTIME},
    {"runtime,builder", TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER},
    {" builder , runtime\t", TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER},
    {"dev,dev", TR_SCOPE_DEV},
    {"runtime,builder,dev", TR_SCOPE_ALL},
};

static const struct {
    const char *text;
    const char *message;
} bad[] = {
    {"", "a scope is empty: runtime, builder or dev"},
    {"runtime,", "a scope is empty: runtime, builder or dev"},
    {",runtime", "a scope is empty: runtime, builder or dev"},
    {"runtime,admin", "unknown scope 'admin': runtime, builder or dev"},
    {"Runtime", "unknown scope 'Runtime': runtime, builder or dev"},
    {"runtime builder",
     "unknown scope 'runtime builder': runtime, builder or dev"},
};

TEST(scopes_are_read_with_spaces_around_them)
{
    for (size_t i = 0; i < TR_LEN(good); i++) {
        unsigned scopes = 0;
        struct tr_err err = {0};
        CHECK_OK(
            tr_access_scopes_parse(tr_str_from(good[i].text), &scopes, &err),
            &err);
        CHECK_ROW(scopes == good[i].scopes, good[i].text);
    }
}

TEST(an_unknown_scope_is_named)
{
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        unsigned scopes = 77;
        struct tr_err err = {0};
        CHECK_ROW(tr_access_scopes_parse(tr_str_from(bad[i].text), &scopes,
                                         &err) == TR_E_INVALID,
                  bad[i].text);
        CHECK_STR(tr_str_from(err.msg), bad[i].message);
        CHECK_INT(scopes, 77);
    }
}

TEST(scopes_are_written_in_the_order_of_the_alphabet)
{
    char storage[64];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, storage, sizeof(storage));
    tr_access_scopes_write(&buf, TR_SCOPE_ALL, ",");
    CHECK_STR(tr_buf_str(&buf), "builder,dev,runtime");
    tr_buf_clear(&buf);
    tr_access_scopes_write(&buf, 0, ",");
    CHECK_STR(tr_buf_str(&buf), "");
}
