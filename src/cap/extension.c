#include "base/limits.h"
#include "cap/copy.h"
#include "cap/inside.h"
#include "cap/registry.h"

/* An id is a prefix, a slash and a name; the prefix says whose it is. */
static tr_status check_draft(const struct tr_cap_extension *draft,
                             struct tr_err *err)
{
    tr_str prefix;
    tr_str name;
    if (!tr_str_cut(draft->id, '/', &prefix, &name) || !prefix.len || !name.len)
        return tr_fail(err, TR_E_INVALID,
                       "an extension is named prefix/name, such as "
                       "io.modelcontextprotocol/ui");
    if (!tr_json_is(draft->settings, TR_JSON_OBJECT))
        return tr_fail(err, TR_E_INVALID, "its settings must be an object");
    return TR_OK;
}

static tr_status add_extension(struct tr_cap_snapshot *snapshot,
                               const struct tr_cap_extension *draft,
                               struct tr_err *err)
{
    struct tr_cap_copier copier = {&snapshot->arena, false};
    struct tr_cap_extension extension = *draft;
    TR_TRY(check_draft(draft, err));
    for (size_t i = 0; i < snapshot->extensions.count; i++) {
        if (tr_str_eq(snapshot->extensions.items[i].id, draft->id))
            return tr_fail(err, TR_E_CONFLICT,
                           "this extension is already registered");
    }
    tr_cap_copy_str(&copier, &extension.id);
    tr_cap_copy_json(&copier, &extension.settings);
    TR_TRY(tr_cap_copy_check(&copier, err));
    return tr_vec_push(&snapshot->arena, &snapshot->extensions, extension)
               ? TR_OK
               : tr_cap_builder_nomem(err);
}

tr_status tr_cap_registry_add_extension(struct tr_cap_builder *builder,
                                        const struct tr_cap_extension *draft,
                                        struct tr_err *err)
{
    return tr_cap_builder_about(
        draft->id, add_extension(builder->snapshot, draft, err), err);
}

const struct tr_cap_extension *
tr_cap_snapshot_extension(const struct tr_cap_snapshot *snapshot, size_t i)
{
    return &snapshot->extensions.items[i];
}
