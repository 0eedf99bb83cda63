#include "runtime/found.h"

#include "cap/snapshot.h"
#include "json/build.h"

/* Makes {"uri": ..., and the variables of the template} for the handler. */
static const struct tr_json *make_args(struct tr_arena *arena, tr_str uri,
                                       const struct tr_cap_uri_vars *vars)
{
    size_t count = 1 + vars->count;
    struct tr_json *object = TR_NEW(arena, struct tr_json);
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, count);
    if (!object || !members)
        return NULL;
    for (size_t i = 0; i + 1 < count; i++) {
        members[i].key = tr_json_make_text(TR_JSON_STRING, vars->items[i].name);
        members[i].value =
            tr_json_make_text(TR_JSON_STRING, vars->items[i].value);
    }
    members[count - 1].key = tr_json_make_text(TR_JSON_STRING, TR_STR("uri"));
    members[count - 1].value = tr_json_make_text(TR_JSON_STRING, uri);
    return tr_json_make_object(arena, members, count, object) ? object : NULL;
}

/*
 * A resource that takes a query reads it itself, to say what is wrong with it.
 */
static const struct tr_cap_resource *
find_resource(const struct tr_cap_snapshot *snapshot, tr_str uri)
{
    tr_str path;
    tr_str query;
    const struct tr_cap_resource *resource =
        tr_cap_snapshot_find_resource(snapshot, uri);
    if (resource || !tr_str_cut(uri, '?', &path, &query))
        return resource;
    resource = tr_cap_snapshot_find_resource(snapshot, path);
    bool takes_query =
        resource && (resource->takes_query || resource->uri_template.len);
    return takes_query ? resource : NULL;
}

/* One template shows the shapes of all types: each has the guard of its type.
 */
static const struct tr_cap_guard *
guard_of(const struct tr_cap_snapshot *snapshot,
         const struct tr_cap_resource_template *item,
         const struct tr_cap_uri_vars *vars)
{
    for (size_t i = 0; item->shape_variable.len && i < vars->count; i++) {
        if (tr_str_eq(vars->items[i].name, item->shape_variable))
            return tr_cap_snapshot_shape_guard(snapshot, vars->items[i].value);
    }
    return &item->about.guard;
}

static tr_status find_template(const struct tr_cap_snapshot *snapshot,
                               tr_str uri, struct tr_arena *arena,
                               struct tr_call_found *out,
                               struct tr_cap_uri_vars *vars)
{
    const struct tr_cap_resource_template *item = NULL;
    TR_TRY(tr_cap_snapshot_match_template(snapshot, uri, arena, &item, vars,
                                          NULL));
    if (!item) {
        *vars = (struct tr_cap_uri_vars){0};
        return TR_OK;
    }
    *out = (struct tr_call_found){
        .handler = &item->handler,
        .guard = guard_of(snapshot, item, vars),
        .name = item->uri_template,
        .mime_type = item->mime_type,
        .is_built_in = item->about.is_built_in,
        .told = item->told,
    };
    return TR_OK;
}

tr_status tr_call_find(const struct tr_cap_snapshot *snapshot, tr_str uri,
                       struct tr_arena *arena, struct tr_call_found *out,
                       struct tr_err *err)
{
    const struct tr_cap_resource *resource = find_resource(snapshot, uri);
    struct tr_cap_uri_vars vars = {0};
    tr_status status = TR_OK;
    *out = (struct tr_call_found){.guard = &tr_cap_guard_open, .name = uri};
    if (resource)
        *out = (struct tr_call_found){
            .handler = &resource->handler,
            .guard = &resource->about.guard,
            .name = resource->uri,
            .mime_type = resource->mime_type,
            .is_built_in = resource->about.is_built_in,
            .told = resource->told,
        };
    else
        status = find_template(snapshot, uri, arena, out, &vars);
    if (status == TR_OK)
        out->args = make_args(arena, uri, &vars);
    return out->args ? TR_OK
                     : tr_fail(err, TR_E_NOMEM, "no memory for the arguments");
}
