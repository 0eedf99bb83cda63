#include "cap/cap.h"
#include "cap/inside.h"
#include "cap/registry.h"
#include "cap/uri_template.h"
#include "fields/field.h"

tr_status tr_cap_builder_create(const struct tr_cap_registry_opts *opts,
                                struct tr_cap_builder **out, struct tr_err *err)
{
    struct tr_cap_builder *builder = calloc(1, sizeof(*builder));
    if (!builder)
        return tr_fail(err, TR_E_NOMEM, "no memory for a registry");
    tr_status st = tr_cap_snapshot_create(&builder->snapshot, err);
    if (st != TR_OK) {
        free(builder);
        return st;
    }
    builder->snapshot->portable_names = opts && opts->portable_names;
    builder->snapshot->undeclared_may_write =
        opts && opts->undeclared_may_write;
    *out = builder;
    return TR_OK;
}

void tr_cap_builder_free(struct tr_cap_builder *builder)
{
    if (!builder)
        return;
    tr_cap_snapshot_unpin(builder->snapshot);
    free(builder);
}

struct tr_cap_live *tr_cap_registry_live(struct tr_cap_builder *builder)
{
    return &builder->snapshot->live;
}

struct tr_arena *tr_cap_registry_arena(struct tr_cap_builder *builder)
{
    return &builder->snapshot->arena;
}

struct tr_field_patterns *
tr_cap_registry_patterns(struct tr_cap_builder *builder)
{
    return &builder->snapshot->patterns;
}

tr_status tr_cap_registry_on_free(struct tr_cap_builder *builder,
                                  void (*release)(void *data), void *data,
                                  struct tr_err *err)
{
    struct tr_cap_snapshot *snapshot = builder->snapshot;
    struct tr_cap_release *entry =
        TR_NEW(&snapshot->arena, struct tr_cap_release);
    if (!entry)
        return tr_fail(err, TR_E_NOMEM, "no memory for the registration");
    *entry = (struct tr_cap_release){snapshot->releases, release, data};
    snapshot->releases = entry;
    return TR_OK;
}

const struct tr_model *
tr_cap_registry_model(const struct tr_cap_builder *builder)
{
    return builder->snapshot->model;
}

tr_status tr_cap_builder_about(tr_str name, tr_status st, struct tr_err *err)
{
    if (st != TR_OK && st != TR_E_NOMEM) {
        tr_err_prefix(err, "%.*s", TR_FMT(name));
        tr_err_set_at(err, "%.*s", TR_FMT(name));
    }
    return st;
}

tr_status tr_cap_builder_nomem(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the registration");
}

tr_status tr_cap_builder_set(struct tr_map *map, tr_str key, void *value,
                             struct tr_err *err)
{
    return tr_map_set(map, key, value) ? TR_OK : tr_cap_builder_nomem(err);
}

static bool prompt_has(const struct tr_cap_prompt *prompt, tr_str argument)
{
    return argument.len == 0 ||
           (prompt->input && tr_shape_find(prompt->input, argument));
}

static bool template_has(const struct tr_cap_resource_template *t,
                         tr_str argument)
{
    for (size_t i = 0; i < tr_cap_uri_template_var_count(t->compiled); i++) {
        if (tr_str_eq(tr_cap_uri_template_var(t->compiled, i), argument))
            return true;
    }
    return argument.len == 0;
}

/* What a completion is for must be registered. */
static tr_status find_completed(const struct tr_cap_snapshot *snapshot,
                                const struct tr_cap_completion *completion,
                                struct tr_err *err)
{
    bool is_prompt = completion->kind == TR_CAP_REF_PROMPT;
    const void *ref =
        tr_map_find(is_prompt ? &snapshot->by_prompt : &snapshot->by_template,
                    completion->ref);
    const char *what = is_prompt ? "prompt" : "resource_template";
    if (!ref)
        return tr_fail(err, TR_E_INVALID,
                       "a completion is for the %s '%.*s', but there is none",
                       what, TR_FMT(completion->ref));
    if (is_prompt ? !prompt_has(ref, completion->argument)
                  : !template_has(ref, completion->argument))
        return tr_fail(err, TR_E_INVALID,
                       "a completion is for the argument '%.*s' of the %s "
                       "'%.*s', which has no such argument",
                       TR_FMT(completion->argument), what,
                       TR_FMT(completion->ref));
    return TR_OK;
}

static tr_status check_completion(const struct tr_cap_snapshot *snapshot,
                                  const struct tr_cap_completion *completion,
                                  struct tr_err *err)
{
    tr_status status = find_completed(snapshot, completion, err);
    if (status != TR_OK && completion->where.len)
        tr_err_prefix(err, "%.*s", TR_FMT(completion->where));
    return status;
}

/* A capability that is replaced knows by which one, so that callers can be
 * told.
 */
static void note_successor(const struct tr_cap_snapshot *snapshot,
                           const struct tr_cap *cap)
{
    struct tr_cap *replaced =
        cap->deprecates.len ? tr_map_find(&snapshot->by_id, cap->deprecates)
                            : NULL;
    if (replaced)
        replaced->successor = cap;
}

/* Who lacks the scope of a precondition cannot call it, so lists hide it. */
static void note_needed(struct tr_cap *cap)
{
    for (size_t i = 0; i < cap->precondition_count; i++) {
        if (cap->conditions[i].kind == TR_CAP_NEEDS_SCOPE)
            cap->guard.needed |= cap->conditions[i].scope;
    }
}

/* Does what needs the whole: a type may be declared after the capability that
 * names it. */
static tr_status finish_cap(struct tr_cap_snapshot *snapshot,
                            struct tr_cap *cap, struct tr_err *err)
{
    TR_TRY(tr_cap_guard_link(snapshot, cap->id, &cap->guard, err));
    tr_status st =
        tr_cap_conditions_compile(&snapshot->arena, snapshot->model, cap, err);
    if (st == TR_OK)
        st = tr_cap_expand_graphs(snapshot, cap, err);
    if (st == TR_OK)
        st = tr_cap_builder_name_shapes(snapshot, cap, err);
    if (st != TR_OK) {
        st = tr_cap_builder_about(cap->id, st, err);
        if (cap->guard.where.len && st != TR_E_NOMEM)
            tr_err_prefix(err, "%.*s", TR_FMT(cap->guard.where));
        return st;
    }
    note_needed(cap);
    snapshot->tools_need |= cap->guard.needed;
    note_successor(snapshot, cap);
    return TR_OK;
}

/* What it replaces is there, if retired, so that callers can be told. */
static tr_status check_deprecates(const struct tr_cap_snapshot *snapshot,
                                  const struct tr_cap *cap, struct tr_err *err)
{
    if (!cap->deprecates.len || tr_map_find(&snapshot->by_id, cap->deprecates))
        return TR_OK;
    (void)tr_cap_builder_about(
        cap->id,
        tr_fail(err, TR_E_INVALID,
                "deprecates names '%.*s', and there is no such capability: "
                "keep it, with version_status retired",
                TR_FMT(cap->deprecates)),
        err);
    if (cap->guard.where.len)
        tr_err_prefix(err, "%.*s", TR_FMT(cap->guard.where));
    return TR_E_INVALID;
}

/* Does what needs all capabilities. */
static tr_status tell_cap(struct tr_cap_snapshot *snapshot, struct tr_cap *cap,
                          struct tr_err *err)
{
    TR_TRY(check_deprecates(snapshot, cap, err));
    TR_TRY(tr_cap_builder_about(
        cap->id, tr_cap_builder_tell_refs(snapshot, cap, err), err));
    return tr_cap_builder_lint(snapshot, cap, err);
}

/* Both registries, for who lists tools. */
static tr_status gather_tools(struct tr_cap_snapshot *snapshot,
                              struct tr_err *err)
{
    for (size_t i = 0; i < snapshot->caps.count; i++) {
        if (!tr_vec_push(&snapshot->arena, &snapshot->tools,
                         snapshot->caps.items[i]))
            return tr_cap_builder_nomem(err);
    }
    for (size_t i = 0; i < snapshot->metas.count; i++) {
        struct tr_cap *meta = snapshot->metas.items[i];
        TR_TRY(finish_cap(snapshot, meta, err));
        TR_TRY(tell_cap(snapshot, meta, err));
        if (!tr_vec_push(&snapshot->arena, &snapshot->tools, meta))
            return tr_cap_builder_nomem(err);
    }
    return TR_OK;
}

static int by_cap(const void *a, const void *b)
{
    const struct tr_cap *const *left = a;
    const struct tr_cap *const *right = b;
    return tr_str_cmp((*left)->name, (*right)->name);
}

static int by_resource(const void *a, const void *b)
{
    const struct tr_cap_resource *const *left = a;
    const struct tr_cap_resource *const *right = b;
    return tr_str_cmp((*left)->uri, (*right)->uri);
}

static int by_template(const void *a, const void *b)
{
    const struct tr_cap_resource_template *const *left = a;
    const struct tr_cap_resource_template *const *right = b;
    return tr_str_cmp((*left)->uri_template, (*right)->uri_template);
}

static int by_prompt(const void *a, const void *b)
{
    const struct tr_cap_prompt *const *left = a;
    const struct tr_cap_prompt *const *right = b;
    return tr_str_cmp((*left)->about.name, (*right)->about.name);
}

#define SORT(vec, order)                                                       \
    do {                                                                       \
        if ((vec).count)                                                       \
            qsort((vec).items, (vec).count, sizeof(*(vec).items), (order));    \
    } while (0)

tr_status tr_cap_registry_build(struct tr_cap_builder *builder,
                                const struct tr_cap_snapshot **out,
                                struct tr_err *err)
{
    struct tr_cap_snapshot *snapshot = builder->snapshot;
    TR_TRY(tr_cap_builder_link_guards(snapshot, err));
    for (size_t i = 0; i < snapshot->completions.count; i++) {
        const struct tr_cap_completion *c = snapshot->completions.items[i];
        TR_TRY(check_completion(snapshot, c, err));
    }
    for (size_t i = 0; i < snapshot->caps.count; i++)
        TR_TRY(finish_cap(snapshot, snapshot->caps.items[i], err));
    TR_TRY(tr_cap_builder_note_finders(snapshot, err));
    for (size_t i = 0; i < snapshot->caps.count; i++)
        TR_TRY(tell_cap(snapshot, snapshot->caps.items[i], err));
    TR_TRY(gather_tools(snapshot, err));
    SORT(snapshot->caps, by_cap);
    SORT(snapshot->tools, by_cap);
    SORT(snapshot->resources, by_resource);
    SORT(snapshot->templates, by_template);
    SORT(snapshot->prompts, by_prompt);
    builder->snapshot = NULL;
    *out = snapshot;
    return TR_OK;
}
