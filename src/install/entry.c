#include "install/entry.h"

/* Options of `trails serve` that a value follows. */
static const char *const with_value[] = {"--http", "--unix", "--transport",
                                         "--port", "--token-file"};

static bool takes_value(tr_str option)
{
    for (size_t i = 0; i < TR_LEN(with_value); i++) {
        if (tr_str_eq(option, tr_str_from(with_value[i])))
            return true;
    }
    return false;
}

/* The folder in "serve FOLDER --stdio", wherever it stands. */
static tr_str folder_of(const struct tr_install_entry *entry, tr_str cwd)
{
    bool serves =
        entry->arg_count && (tr_str_eq(entry->args[0], TR_STR("serve")) ||
                             tr_str_eq(entry->args[0], TR_STR("server")));
    for (size_t i = 1; serves && i < entry->arg_count; i++) {
        if (takes_value(entry->args[i]))
            i++;
        else if (!tr_str_starts(entry->args[i], TR_STR("-")))
            return entry->args[i];
    }
    return serves ? cwd : TR_STR("");
}

static tr_status read_args(struct tr_arena *arena, const struct tr_json *args,
                           struct tr_install_found *found, struct tr_err *err)
{
    bool is_array = tr_json_is(args, TR_JSON_ARRAY);
    tr_str *texts = TR_NEW_ARRAY(arena, tr_str, is_array ? args->len : 1);
    if (!texts)
        return tr_fail(err, TR_E_NOMEM, "no memory to read entries");
    for (size_t i = 0; is_array && i < args->len; i++) {
        const struct tr_json *item = tr_json_at(args, i);
        if (!tr_json_is(item, TR_JSON_STRING))
            return TR_OK;
        texts[i] = tr_json_text(item);
    }
    found->entry.args = texts;
    found->entry.arg_count = is_array ? args->len : 0;
    found->is_plain = is_array;
    return TR_OK;
}

static tr_status read_one(struct tr_arena *arena,
                          const struct tr_install_form *form, tr_str name,
                          const struct tr_json *value,
                          struct tr_install_found *out, struct tr_err *err)
{
    const struct tr_json *command = tr_json_find(value, TR_STR("command"));
    const struct tr_json *cwd = tr_json_find(value, TR_STR("cwd"));
    const struct tr_json *env = tr_json_find(value, TR_STR("env"));
    *out = (struct tr_install_found){
        .entry = {.name = name, .command = tr_json_text(command)},
        .cwd = tr_json_text(cwd),
        .env = tr_json_is(env, TR_JSON_OBJECT) ? env : NULL,
    };
    TR_TRY(read_args(arena, tr_json_find(value, TR_STR("args")), out, err));
    out->folder = folder_of(&out->entry, out->cwd);
    out->is_plain = out->is_plain && tr_json_is(command, TR_JSON_STRING) &&
                    value->len == (form->has_type ? 3 : 2);
    return TR_OK;
}

tr_status tr_install_entries(struct tr_arena *arena,
                             const struct tr_install_form *form,
                             const struct tr_json *root,
                             struct tr_install_list *out, struct tr_err *err)
{
    struct tr_install_list list = {0};
    const struct tr_json *servers = tr_json_find(root, form->servers);
    size_t count = tr_json_is(servers, TR_JSON_OBJECT) ? servers->len : 0;
    for (size_t i = 0; i < count; i++) {
        const struct tr_json_member *member = &servers->as.members[i];
        tr_str name = tr_json_text(&member->key);
        struct tr_install_found found;
        if (!tr_str_starts(name, TR_STR(TR_INSTALL_PREFIX)))
            continue;
        TR_TRY(read_one(arena, form, name, &member->value, &found, err));
        if (!tr_vec_push(arena, &list, found))
            return tr_fail(err, TR_E_NOMEM, "no memory to read entries");
    }
    *out = list;
    return TR_OK;
}

const struct tr_install_found *
tr_install_entry_find(const struct tr_install_list *list, tr_str name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (tr_str_eq(list->items[i].entry.name, name))
            return &list->items[i];
    }
    return NULL;
}
