#include "base/test.h"
#include "cap/registry.h"
#include "json/reader.h"

struct fixture {
    struct tr_cap_builder *builder;
    struct tr_arena arena;
};

static void open_fixture(struct fixture *f)
{
    struct tr_err err;
    tr_arena_init(&f->arena, (size_t)1 << 20);
    CHECK_OK(tr_cap_builder_create(NULL, &f->builder, &err), &err);
}

static void close_fixture(struct fixture *f)
{
    tr_cap_builder_free(f->builder);
    tr_arena_done(&f->arena);
}

static tr_status add(struct fixture *f, const char *id, const char *settings,
                     struct tr_err *err)
{
    struct tr_cap_extension draft = {.id = tr_str_from(id)};
    CHECK_OK(tr_json_read(&f->arena, tr_str_from(settings), NULL,
                          &draft.settings, err),
             err);
    return tr_cap_registry_add_extension(f->builder, &draft, err);
}

TEST(extension_is_kept_as_it_was_given)
{
    struct fixture f;
    struct tr_err err = {0};
    const struct tr_cap_snapshot *snapshot = NULL;
    open_fixture(&f);
    CHECK_OK(add(&f, "com.example/x", "{\"a\":[1]}", &err), &err);
    CHECK_OK(tr_cap_registry_build(f.builder, &snapshot, &err), &err);
    CHECK_INT(tr_cap_snapshot_counts(snapshot).extensions, 1);
    CHECK_STR(tr_cap_snapshot_extension(snapshot, 0)->id, "com.example/x");
    CHECK(tr_json_find(tr_cap_snapshot_extension(snapshot, 0)->settings,
                       TR_STR("a")));
    tr_cap_snapshot_unpin(snapshot);
    close_fixture(&f);
}

TEST(extension_that_is_not_one_is_refused)
{
    static const struct {
        const char *id;
        const char *settings;
        tr_status status;
    } rows[] = {
        {"ui", "{}", TR_E_INVALID},
        {"/ui", "{}", TR_E_INVALID},
        {"com.example/", "{}", TR_E_INVALID},
        {"com.example/y", "[]", TR_E_INVALID},
        {"com.example/x", "{}", TR_E_CONFLICT},
    };
    struct fixture f;
    struct tr_err err = {0};
    open_fixture(&f);
    CHECK_OK(add(&f, "com.example/x", "{}", &err), &err);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(add(&f, rows[i].id, rows[i].settings, &err) == rows[i].status,
                  rows[i].id);
    close_fixture(&f);
}
