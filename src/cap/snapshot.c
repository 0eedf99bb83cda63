#include "cap/snapshot.h"

#include "base/limits.h"
#include "cap/inside.h"
#include "cap/uri_template.h"
#include "model/model.h"

#include <assert.h>

/* Counting and keeping views do not change what a snapshot says. */
static struct tr_cap_snapshot *counted(const struct tr_cap_snapshot *snapshot)
{
    return (struct tr_cap_snapshot *)(uintptr_t)snapshot;
}

tr_status tr_cap_snapshot_create(struct tr_cap_snapshot **out,
                                 struct tr_err *err)
{
    struct tr_cap_snapshot *snapshot = calloc(1, sizeof(*snapshot));
    if (!snapshot)
        return tr_fail(err, TR_E_NOMEM, "no memory for a snapshot");
    atomic_init(&snapshot->pins, 1);
    atomic_init(&snapshot->views, NULL);
    tr_arena_init(&snapshot->arena, TR_LIMIT_SNAPSHOT_BYTES);
    struct tr_map *const maps[] = {
        &snapshot->by_name, &snapshot->by_id,       &snapshot->by_portable,
        &snapshot->by_uri,  &snapshot->by_template, &snapshot->by_prompt,
        &snapshot->by_meta,
    };
    for (size_t i = 0; i < TR_LEN(maps); i++)
        tr_map_init(maps[i], &snapshot->arena);
    *out = snapshot;
    return TR_OK;
}

static void free_snapshot(struct tr_cap_snapshot *snapshot)
{
    for (struct tr_cap_release *r = snapshot->releases; r; r = r->older)
        r->run(r->data);
    tr_model_free(snapshot->model);
    struct tr_cap_kept_view *view = atomic_load(&snapshot->views);
    while (view) {
        struct tr_cap_kept_view *older = view->older;
        free(view);
        view = older;
    }
    tr_field_patterns_done(&snapshot->patterns);
    tr_arena_done(&snapshot->arena);
    free(snapshot);
}

void tr_cap_snapshot_pin(const struct tr_cap_snapshot *snapshot)
{
    atomic_fetch_add_explicit(&counted(snapshot)->pins, 1,
                              memory_order_relaxed);
}

void tr_cap_snapshot_unpin(const struct tr_cap_snapshot *snapshot)
{
    if (snapshot && atomic_fetch_sub_explicit(&counted(snapshot)->pins, 1,
                                              memory_order_acq_rel) == 1)
        free_snapshot(counted(snapshot));
}

tr_cap_counts tr_cap_snapshot_counts(const struct tr_cap_snapshot *snapshot)
{
    return (tr_cap_counts){
        .caps = snapshot->caps.count,
        .metas = snapshot->metas.count,
        .tools = snapshot->tools.count,
        .resources = snapshot->resources.count,
        .templates = snapshot->templates.count,
        .prompts = snapshot->prompts.count,
        .choices = snapshot->choices,
        .completions = snapshot->completions.count,
        .extensions = snapshot->extensions.count,
    };
}

unsigned tr_cap_snapshot_tools_need(const struct tr_cap_snapshot *snapshot)
{
    return snapshot->tools_need;
}

const struct tr_model *
tr_cap_snapshot_model(const struct tr_cap_snapshot *snapshot)
{
    return snapshot->model;
}

const struct tr_cap *tr_cap_snapshot_cap(const struct tr_cap_snapshot *snapshot,
                                         size_t i)
{
    return snapshot->caps.items[i];
}

const struct tr_cap *
tr_cap_snapshot_tool(const struct tr_cap_snapshot *snapshot, size_t i)
{
    return snapshot->tools.items[i];
}

const struct tr_cap_resource *
tr_cap_snapshot_resource(const struct tr_cap_snapshot *snapshot, size_t i)
{
    return snapshot->resources.items[i];
}

const struct tr_cap_resource_template *
tr_cap_snapshot_template(const struct tr_cap_snapshot *snapshot, size_t i)
{
    return snapshot->templates.items[i];
}

const struct tr_cap_prompt *
tr_cap_snapshot_prompt(const struct tr_cap_snapshot *snapshot, size_t i)
{
    return snapshot->prompts.items[i];
}

const struct tr_cap *
tr_cap_snapshot_find_cap(const struct tr_cap_snapshot *snapshot, tr_str name)
{
    const void *found = tr_map_find(&snapshot->by_name, name);
    if (!found)
        found = tr_map_find(&snapshot->by_id, name);
    if (!found)
        found = tr_map_find(&snapshot->by_portable, name);
    return found == snapshot ? NULL : found;
}

const struct tr_cap *
tr_cap_snapshot_find_tool(const struct tr_cap_snapshot *snapshot, tr_str name)
{
    const struct tr_cap *found = tr_cap_snapshot_find_cap(snapshot, name);
    return found ? found : tr_map_find(&snapshot->by_meta, name);
}

const struct tr_cap_resource *
tr_cap_snapshot_find_resource(const struct tr_cap_snapshot *snapshot,
                              tr_str uri)
{
    return tr_map_find(&snapshot->by_uri, uri);
}

const struct tr_cap_prompt *
tr_cap_snapshot_find_prompt(const struct tr_cap_snapshot *snapshot, tr_str name)
{
    return tr_map_find(&snapshot->by_prompt, name);
}

tr_status
tr_cap_snapshot_match_template(const struct tr_cap_snapshot *snapshot,
                               tr_str uri, struct tr_arena *arena,
                               const struct tr_cap_resource_template **out,
                               struct tr_cap_uri_vars *vars, struct tr_err *err)
{
    *out = NULL;
    for (size_t i = 0; i < snapshot->templates.count; i++) {
        const struct tr_cap_resource_template *t = snapshot->templates.items[i];
        bool matched = false;
        TR_TRY(tr_cap_uri_template_match(t->compiled, uri, arena, &matched,
                                         vars, err));
        if (matched) {
            *out = t;
            return TR_OK;
        }
    }
    return TR_OK;
}

const struct tr_cap_completion *
tr_cap_snapshot_find_completion(const struct tr_cap_snapshot *snapshot,
                                enum tr_cap_ref_kind kind, tr_str ref,
                                tr_str argument)
{
    const struct tr_cap_completion *for_all = NULL;
    for (size_t i = 0; i < snapshot->completions.count; i++) {
        const struct tr_cap_completion *c = snapshot->completions.items[i];
        if (c->kind != kind || !tr_str_eq(c->ref, ref))
            continue;
        if (c->argument.len == 0)
            for_all = c;
        else if (tr_str_eq(c->argument, argument))
            return c;
    }
    return for_all;
}

/* The view with the key, or NULL; *count is how many views are before it, for
 * the limit. */
static const struct tr_cap_kept_view *
find_view(const struct tr_cap_kept_view *newest, uint64_t key, size_t *count)
{
    *count = 0;
    for (; newest; newest = newest->older, (*count)++) {
        if (newest->key == key)
            return newest;
    }
    return NULL;
}

static tr_status make_view(const struct tr_cap_snapshot *snapshot,
                           const struct tr_cap_view *view,
                           struct tr_cap_kept_view **out, struct tr_err *err)
{
    struct tr_buf buf;
    struct tr_cap_kept_view *kept = NULL;
    tr_buf_init(&buf, TR_LIMIT_VIEW_BYTES);
    tr_status st = view->make(snapshot, view->arg, &buf, err);
    if (st == TR_OK)
        st = tr_buf_check(&buf, err);
    if (st == TR_OK) {
        kept = calloc(1, sizeof(*kept) + buf.len);
        if (!kept)
            st = tr_fail(err, TR_E_NOMEM, "no memory for a view");
    }
    if (kept) {
        kept->key = view->key;
        kept->len = buf.len;
        if (buf.len)
            memcpy(kept->bytes, buf.ptr, buf.len);
        *out = kept;
    }
    tr_buf_done(&buf);
    return st;
}

/*
 * Views are only ever added in front, so a reader walks the list without a
 * lock. Two threads may make the same one: both are right, one stands first.
 */
tr_status tr_cap_snapshot_view(const struct tr_cap_snapshot *snapshot,
                               const struct tr_cap_view *view, tr_str *out,
                               struct tr_err *err)
{
    _Atomic(struct tr_cap_kept_view *) *list = &counted(snapshot)->views;
    struct tr_cap_kept_view *newest =
        atomic_load_explicit(list, memory_order_acquire);
    size_t count = 0;
    const struct tr_cap_kept_view *found = find_view(newest, view->key, &count);
    if (!found) {
        struct tr_cap_kept_view *made = NULL;
        if (count >= TR_LIMIT_VIEWS)
            return tr_fail(err, TR_E_LIMIT, "more than %d views",
                           TR_LIMIT_VIEWS);
        TR_TRY(make_view(snapshot, view, &made, err));
        assert(made && "what succeeds has a result");
        do
            made->older = newest;
        while (!atomic_compare_exchange_weak_explicit(
            list, &newest, made, memory_order_release, memory_order_acquire));
        found = made;
    }
    *out = (tr_str){found->bytes, found->len};
    return TR_OK;
}
