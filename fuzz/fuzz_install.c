/*
 * Any bytes as the file of a host: an app goes in and comes out, with all else
 * untouched, or an error with a place. The first byte says which kind of file.
 */
#include "base/limits.h"
#include "install/editor.h"
#include "install/entry.h"
#include "install/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tr_install_form forms[] = {
    {.servers = TR_STR_INIT("mcpServers"),
     .host = "strict",
     .refuses = TR_INSTALL_NO_COMMENTS | TR_INSTALL_NO_LAST_COMMA |
                TR_INSTALL_NO_MARK},
    {.servers = TR_STR_INIT("mcpServers"), .host = "loose", .has_type = true},
    {.servers = TR_STR_INIT("mcp_servers"), .host = "toml", .is_toml = true},
};

static const tr_str args[] = {TR_STR_INIT("serve"), TR_STR_INIT("/a")};
static const struct tr_install_entry entry = {
    TR_STR_INIT("trails-a"), TR_STR_INIT("/t"), args, TR_LEN(args)};

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* That more than the entry would change is our mistake: never the text's. */
static void check_error(tr_status status, const struct tr_err *err)
{
    must(status == err->code && status != TR_E_INTERNAL);
    if (status == TR_E_SYNTAX || status == TR_E_INVALID ||
        status == TR_E_CONFLICT || status == TR_E_UNSUPPORTED)
        must(err->place.line > 0 && err->place.column > 0);
}

/* A plan that is made and unmade gives back the text, byte for byte. */
static void check_plan(struct tr_arena *arena,
                       const struct tr_install_form *form, tr_str text)
{
    struct tr_install_state now = {form, {true, text}, {false, TR_STR("")}};
    struct tr_install_plan put;
    struct tr_install_plan removed;
    struct tr_err err;
    if (tr_install_plan_put(arena, &now, &entry, &put, &err) != TR_OK)
        return;
    if (!put.changes || put.copy != TR_INSTALL_COPY_MADE)
        return;
    struct tr_install_state after = {form, put.file, now.file};
    must(tr_install_plan_remove(arena, &after, entry.name, &removed, &err) ==
         TR_OK);
    const struct tr_json *root = NULL;
    struct tr_install_list before;
    must(tr_install_read(arena, form, text, &root, &err) == TR_OK);
    must(tr_install_entries(arena, form, root, &before, &err) == TR_OK);
    if (!tr_install_entry_find(&before, entry.name))
        must(removed.file.is_there && tr_str_eq(removed.file.text, text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str put;
    tr_str again;
    tr_str out;
    if (!size)
        return 0;
    const struct tr_install_form *form = &forms[data[0] % TR_LEN(forms)];
    tr_str text = {(const char *)data + 1, size - 1};
    tr_arena_init(&arena, TR_MIB(64));
    tr_status status = tr_install_put(&arena, form, text, &entry, &put, &err);
    if (status != TR_OK) {
        check_error(status, &err);
    } else {
        must(tr_install_put(&arena, form, put, &entry, &again, &err) == TR_OK);
        must(again.ptr == put.ptr);
        must(tr_install_remove(&arena, form, put, entry.name, &out, &err) ==
             TR_OK);
        check_plan(&arena, form, text);
    }
    status = tr_install_remove(&arena, form, text, entry.name, &out, &err);
    if (status != TR_OK)
        check_error(status, &err);
    tr_arena_done(&arena);
    return 0;
}
