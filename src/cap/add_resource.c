#include "base/limits.h"
#include "base/reserved.h"
#include "cap/copy.h"
#include "cap/inside.h"
#include "cap/registry.h"
#include "cap/rules.h"
#include "cap/uri_template.h"
#include "fields/value.h"

#include <string.h>

/* An app has no say in what is built in, not even under a name that is free. */
static tr_status check_uri(tr_str uri, bool is_built_in, struct tr_err *err)
{
    static const char scheme[] = "trails://";
    tr_str name = tr_str_skip(uri, sizeof(scheme) - 1);
    size_t len = 0;
    if (is_built_in || !tr_str_starts(uri, TR_STR(scheme)))
        return TR_OK;
    while (len < name.len && !strchr("/?#{", name.ptr[len]))
        len++;
    return tr_reserved_uri((tr_str){name.ptr, len})
               ? tr_fail(err, TR_E_INVALID,
                         "trails://%.*s is for what is built in", (int)len,
                         name.ptr)
               : TR_OK;
}

static tr_status add_resource(struct tr_cap_snapshot *snapshot,
                              const struct tr_cap_resource *draft,
                              struct tr_err *err)
{
    struct tr_cap_copier copier = {&snapshot->arena, false};
    TR_TRY(tr_cap_resource_check_draft(draft, err));
    TR_TRY(check_uri(draft->uri, draft->about.is_built_in, err));
    if (tr_map_find(&snapshot->by_uri, draft->uri))
        return tr_fail(err, TR_E_CONFLICT, "this uri is already registered");
    if (snapshot->resources.count == TR_LIMIT_REGISTERED)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d resources",
                       TR_LIMIT_REGISTERED);
    struct tr_cap_resource *resource =
        TR_NEW(&snapshot->arena, struct tr_cap_resource);
    if (!resource)
        return tr_cap_builder_nomem(err);
    *resource = *draft;
    tr_cap_copy_str(&copier, &resource->uri);
    tr_cap_copy_str(&copier, &resource->uri_template);
    tr_cap_copy_about(&copier, &resource->about);
    tr_cap_copy_str(&copier, &resource->mime_type);
    tr_cap_copy_json(&copier, &resource->annotations);
    TR_TRY(tr_cap_copy_check(&copier, err));
    TR_TRY(tr_cap_builder_set(&snapshot->by_uri, resource->uri, resource, err));
    return tr_vec_push(&snapshot->arena, &snapshot->resources, resource)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_add_resource(struct tr_cap_builder *builder,
                                       const struct tr_cap_resource *draft,
                                       struct tr_err *err)
{
    return tr_cap_builder_about(
        draft->uri, add_resource(builder->snapshot, draft, err), err);
}

static tr_status add_template(struct tr_cap_snapshot *snapshot,
                              const struct tr_cap_resource_template *draft,
                              struct tr_err *err)
{
    struct tr_cap_copier copier = {&snapshot->arena, false};
    TR_TRY(tr_cap_template_check_draft(draft, err));
    TR_TRY(check_uri(draft->uri_template, draft->about.is_built_in, err));
    if (tr_map_find(&snapshot->by_template, draft->uri_template))
        return tr_fail(err, TR_E_CONFLICT,
                       "this template is already registered");
    if (snapshot->templates.count == TR_LIMIT_REGISTERED)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d templates",
                       TR_LIMIT_REGISTERED);
    struct tr_cap_resource_template *t =
        TR_NEW(&snapshot->arena, struct tr_cap_resource_template);
    if (!t)
        return tr_cap_builder_nomem(err);
    *t = *draft;
    tr_cap_copy_str(&copier, &t->uri_template);
    tr_cap_copy_about(&copier, &t->about);
    tr_cap_copy_str(&copier, &t->mime_type);
    tr_cap_copy_str(&copier, &t->shape_variable);
    tr_cap_copy_json(&copier, &t->annotations);
    TR_TRY(tr_cap_copy_check(&copier, err));
    TR_TRY(tr_cap_uri_template_compile(&snapshot->arena, t->uri_template,
                                       &t->compiled, err));
    if (!tr_cap_uri_template_can_match(t->compiled))
        return tr_fail(err, TR_E_INVALID,
                       "a template has literals, {a}, {+a}, {/a}, {?a,b} and "
                       "{&a,b}: each variable once, text between {a} and {b}, "
                       "the query last");
    TR_TRY(tr_cap_builder_set(&snapshot->by_template, t->uri_template, t, err));
    return tr_vec_push(&snapshot->arena, &snapshot->templates, t)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status
tr_cap_registry_add_template(struct tr_cap_builder *builder,
                             const struct tr_cap_resource_template *draft,
                             struct tr_err *err)
{
    return tr_cap_builder_about(
        draft->uri_template, add_template(builder->snapshot, draft, err), err);
}

static size_t count_choices(const struct tr_shape *input)
{
    size_t found = 0;
    for (size_t i = 0; input && i < input->count; i++) {
        size_t values;
        (void)tr_field_value_choices(&input->fields[i], &values);
        found += values > 0;
    }
    return found;
}

static tr_status add_prompt(struct tr_cap_snapshot *snapshot,
                            const struct tr_cap_prompt *draft,
                            struct tr_err *err)
{
    struct tr_cap_copier copier = {&snapshot->arena, false};
    TR_TRY(tr_cap_prompt_check_draft(draft, err));
    if (tr_map_find(&snapshot->by_prompt, draft->about.name))
        return tr_fail(err, TR_E_CONFLICT, "this prompt is already registered");
    if (snapshot->prompts.count == TR_LIMIT_REGISTERED)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d prompts",
                       TR_LIMIT_REGISTERED);
    struct tr_cap_prompt *prompt =
        TR_NEW(&snapshot->arena, struct tr_cap_prompt);
    if (!prompt)
        return tr_cap_builder_nomem(err);
    *prompt = *draft;
    tr_cap_copy_about(&copier, &prompt->about);
    TR_TRY(tr_cap_copy_check(&copier, err));
    TR_TRY(tr_cap_builder_set(&snapshot->by_prompt, prompt->about.name, prompt,
                              err));
    snapshot->choices += count_choices(prompt->input);
    return tr_vec_push(&snapshot->arena, &snapshot->prompts, prompt)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_add_prompt(struct tr_cap_builder *builder,
                                     const struct tr_cap_prompt *draft,
                                     struct tr_err *err)
{
    return tr_cap_builder_about(draft->about.name,
                                add_prompt(builder->snapshot, draft, err), err);
}

static bool is_taken(const struct tr_cap_snapshot *snapshot,
                     const struct tr_cap_completion *draft)
{
    const struct tr_cap_completion *found = tr_cap_snapshot_find_completion(
        snapshot, draft->kind, draft->ref, draft->argument);
    return found && tr_str_eq(found->argument, draft->argument);
}

static tr_status add_completion(struct tr_cap_snapshot *snapshot,
                                const struct tr_cap_completion *draft,
                                struct tr_err *err)
{
    struct tr_cap_copier copier = {&snapshot->arena, false};
    if (!draft->handler.run)
        return tr_fail(err, TR_E_INVALID, "there is nothing to run");
    if (is_taken(snapshot, draft))
        return tr_fail(err, TR_E_CONFLICT,
                       "this completion is already registered");
    if (snapshot->completions.count == TR_LIMIT_REGISTERED)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d completions",
                       TR_LIMIT_REGISTERED);
    struct tr_cap_completion *completion =
        TR_NEW(&snapshot->arena, struct tr_cap_completion);
    if (!completion)
        return tr_cap_builder_nomem(err);
    *completion = *draft;
    tr_cap_copy_str(&copier, &completion->ref);
    tr_cap_copy_str(&copier, &completion->argument);
    tr_cap_copy_str(&copier, &completion->where);
    TR_TRY(tr_cap_copy_check(&copier, err));
    return tr_vec_push(&snapshot->arena, &snapshot->completions, completion)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_add_completion(struct tr_cap_builder *builder,
                                         const struct tr_cap_completion *draft,
                                         struct tr_err *err)
{
    return tr_cap_builder_about(
        draft->ref, add_completion(builder->snapshot, draft, err), err);
}
