#include "install/editor.h"

#include "base/limits.h"
#include "install/json_edit.h"
#include "install/toml_edit.h"
#include "install/value.h"
#include "toml/reader.h"

/* Each step changes one thing of an entry, or takes out one table. */
#define STEPS_MAX 1000

/* What is done to a text: an entry is put into it, or a name taken out. */
struct task {
    const struct tr_install_form *form;
    const struct tr_install_entry *entry; /* NULL: it is taken out */
    tr_str name;
};

tr_status tr_install_read(struct tr_arena *arena,
                          const struct tr_install_form *form, tr_str text,
                          const struct tr_json **out, struct tr_err *err)
{
    struct tr_install_json json;
    if (text.len > TR_LIMIT_INSTALL_BYTES)
        return tr_fail(err, TR_E_LIMIT, "the file is larger than %zu bytes",
                       TR_LIMIT_INSTALL_BYTES);
    if (form->is_toml)
        return tr_toml_read(arena, text, out, err);
    TR_TRY(tr_install_jsonc_read(arena, text, form, &json, err));
    *out = json.root;
    return TR_OK;
}

static tr_status step_json(struct tr_arena *arena, const struct task *task,
                           tr_str text, tr_str *out, struct tr_err *err)
{
    struct tr_install_json json;
    TR_TRY(tr_install_jsonc_read(arena, text, task->form, &json, err));
    return task->entry ? tr_install_json_put(arena, &json, task->form,
                                             task->entry, out, err)
                       : tr_install_json_remove(arena, &json, task->form,
                                                task->name, out, err);
}

static tr_status step_toml(struct tr_arena *arena, const struct task *task,
                           tr_str text, tr_str *out, struct tr_err *err)
{
    struct tr_install_toml toml = {.text = text};
    TR_TRY(tr_toml_read(arena, text, &toml.root, err));
    return task->entry ? tr_install_toml_put(arena, &toml, task->form,
                                             task->entry, out, err)
                       : tr_install_toml_remove(arena, &toml, task->form,
                                                task->name, out, err);
}

static bool is_same(const struct tr_json *a, const struct tr_json *b);

/* The members that both have, in the same order, `skipped` left out. */
static bool has_same_members(const struct tr_json *a, const struct tr_json *b,
                             tr_str skipped)
{
    size_t i = 0;
    size_t j = 0;
    for (;; i++, j++) {
        while (i < a->len &&
               tr_install_value_is(&a->as.members[i].key, skipped))
            i++;
        while (j < b->len &&
               tr_install_value_is(&b->as.members[j].key, skipped))
            j++;
        if (i == a->len || j == b->len)
            return i == a->len && j == b->len;
        if (!is_same(&a->as.members[i].key, &b->as.members[j].key) ||
            !is_same(&a->as.members[i].value, &b->as.members[j].value))
            return false;
    }
}

/* No deeper than the reader allows. */
static bool is_same(const struct tr_json *a, const struct tr_json *b)
{
    if (a->kind != b->kind || a->len != b->len)
        return false;
    if (a->kind == TR_JSON_OBJECT)
        return has_same_members(a, b, (tr_str){NULL, SIZE_MAX});
    if (a->kind != TR_JSON_ARRAY)
        return a->flags == b->flags &&
               tr_str_eq(tr_json_text(a), tr_json_text(b));
    for (size_t i = 0; i < a->len; i++) {
        if (!is_same(&a->as.items[i], &b->as.items[i]))
            return false;
    }
    return true;
}

/* Whether two files say the same, but for the entry of the task. */
static bool says_the_same(const struct tr_json *a, const struct tr_json *b,
                          const struct task *task)
{
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    tr_str servers = task->form->servers;
    a = a ? a : &none;
    b = b ? b : &none;
    const struct tr_json *of_a = tr_json_find(a, servers);
    const struct tr_json *of_b = tr_json_find(b, servers);
    return has_same_members(a, b, servers) &&
           has_same_members(of_a ? of_a : &none, of_b ? of_b : &none,
                            task->name);
}

static bool is_done(const struct tr_json *root, const struct task *task)
{
    const struct tr_json *now =
        tr_json_find(tr_json_find(root, task->form->servers), task->name);
    if (!task->entry)
        return !now;
    return tr_install_value_is(tr_json_find(now, TR_STR("command")),
                               task->entry->command) &&
           tr_install_value_are(tr_json_find(now, TR_STR("args")),
                                task->entry->args, task->entry->arg_count);
}

static tr_status check(struct tr_arena *arena, const struct task *task,
                       tr_str before, tr_str after, struct tr_err *err)
{
    const struct tr_json *old = NULL;
    const struct tr_json *new = NULL;
    TR_TRY(tr_install_read(arena, task->form, before, &old, err));
    TR_TRY(tr_install_read(arena, task->form, after, &new, err));
    if (!says_the_same(old, new, task) || !is_done(new, task))
        return tr_fail(err, TR_E_INTERNAL,
                       "the file cannot be changed without changing more of "
                       "it: change it by hand");
    return TR_OK;
}

/* One step, in memory of its own; its text is moved to the caller's. */
static tr_status step(struct tr_arena *arena, const struct task *task,
                      tr_str text, tr_str *out, struct tr_err *err)
{
    struct tr_arena own;
    tr_str made = text;
    tr_arena_init(&own, TR_LIMIT_INSTALL_MEMORY);
    tr_status status = task->form->is_toml
                           ? step_toml(&own, task, text, &made, err)
                           : step_json(&own, task, text, &made, err);
    *out = text;
    if (status == TR_OK && made.ptr != text.ptr &&
        !tr_arena_copy(arena, made, out))
        status = tr_fail(err, TR_E_NOMEM, "no memory to change a text");
    tr_arena_done(&own);
    return status;
}

static tr_status change(struct tr_arena *arena, const struct task *task,
                        tr_str text, tr_str *out, struct tr_err *err)
{
    struct tr_arena own;
    tr_str now = text;
    tr_str next = text;
    if (text.len > TR_LIMIT_INSTALL_BYTES)
        return tr_fail(err, TR_E_LIMIT, "the file is larger than %zu bytes",
                       TR_LIMIT_INSTALL_BYTES);
    for (size_t i = 0; i < STEPS_MAX; i++) {
        TR_TRY(step(arena, task, now, &next, err));
        if (next.ptr == now.ptr)
            break;
        now = next;
    }
    tr_arena_init(&own, TR_LIMIT_INSTALL_MEMORY);
    tr_status status =
        now.ptr == text.ptr ? TR_OK : check(&own, task, text, now, err);
    tr_arena_done(&own);
    if (status == TR_OK)
        *out = now;
    return status;
}

tr_status tr_install_put(struct tr_arena *arena,
                         const struct tr_install_form *form, tr_str text,
                         const struct tr_install_entry *entry, tr_str *out,
                         struct tr_err *err)
{
    struct task task = {form, entry, entry->name};
    return change(arena, &task, text, out, err);
}

tr_status tr_install_remove(struct tr_arena *arena,
                            const struct tr_install_form *form, tr_str text,
                            tr_str name, tr_str *out, struct tr_err *err)
{
    struct task task = {form, NULL, name};
    return change(arena, &task, text, out, err);
}
