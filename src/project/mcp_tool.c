#include "project/mcp_tool.h"

#include "project/inside.h"
#include "project/schema.h"

/* lastModified exists since 2025-06-18. */
static void put_annotations(struct tr_json_writer *w,
                            const struct tr_json *annotations,
                            struct tr_project_mcp_form form)
{
    if (!tr_json_is(annotations, TR_JSON_OBJECT))
        return;
    tr_jw_key(w, "annotations");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < annotations->len; i++) {
        tr_str key = tr_json_text(&annotations->as.members[i].key);
        if (!form.since_2025_06_18 && tr_str_eq(key, TR_STR("lastModified")))
            continue;
        tr_jw_key_str(w, key);
        tr_jw_value(w, &annotations->as.members[i].value);
    }
    tr_jw_close(w, '}');
}

static unsigned schema_flags(struct tr_project_mcp_form form)
{
    return (form.dialect ? TR_SHAPE_WITH_DIALECT : 0u) |
           (form.plain ? TR_SHAPE_PLAIN : 0u);
}

static void put_hints(struct tr_json_writer *w, const struct tr_cap *cap)
{
    tr_jw_key(w, "annotations");
    tr_jw_open(w, '{');
    tr_jw_put_bool(w, "readOnlyHint", tr_cap_is_read_only(cap));
    tr_jw_put_bool(w, "destructiveHint", tr_cap_is_destructive(cap));
    tr_jw_put_bool(w, "idempotentHint", cap->idempotent);
    tr_jw_put_bool(w, "openWorldHint", tr_cap_is_open_world(cap));
    tr_jw_close(w, '}');
}

/* Whether it is the app's or ours: the discriminator of ADR-0060. */
static void put_kind(struct tr_json_writer *w, const char *key,
                     const struct tr_cap *cap)
{
    tr_jw_key(w, key);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "kind",
                     cap->is_meta ? TR_STR("meta") : TR_STR("runtime"));
    if (cap->is_meta) {
        struct tr_cap_meta_parts parts = tr_cap_meta_parts(cap);
        tr_jw_put_string(w, "scope",
                         tr_str_from(tr_scope_name(cap->guard.scope)));
        tr_jw_put_string(w, "namespace", parts.space);
        tr_jw_put_string(w, "op", parts.op);
        tr_jw_put_bool(w, "idempotent", cap->idempotent);
    }
    tr_jw_close(w, '}');
}

/* Where the manifest says more of it, which has the app's own alone. */
static void put_manifest_uri(struct tr_json_writer *w, const char *key,
                             const struct tr_cap *cap,
                             struct tr_project_mcp_form form)
{
    char text[TR_LIMIT_URI_BYTES];
    struct tr_buf uri;
    if (!form.manifest || cap->is_meta)
        return;
    tr_buf_init_fixed(&uri, text, sizeof(text));
    tr_buf_put(&uri, form.base);
    tr_buf_put(&uri, TR_STR(TR_PROJECT_MANIFEST_PATH "#"));
    tr_buf_put(&uri, cap->id);
    if (!uri.failed)
        tr_jw_put_string(w, key, tr_buf_str(&uri));
}

static void put_tool_meta(struct tr_json_writer *w, const struct tr_cap *cap,
                          struct tr_project_mcp_form form)
{
    tr_jw_key(w, "_meta");
    tr_jw_open(w, '{');
    for (size_t i = 0; cap->meta && i < cap->meta->len; i++) {
        tr_jw_key_str(w, tr_json_text(&cap->meta->as.members[i].key));
        tr_jw_value(w, &cap->meta->as.members[i].value);
    }
    put_kind(w, "dev.trails/tool", cap);
    put_manifest_uri(w, "dev.trails/manifest_uri", cap, form);
    tr_jw_close(w, '}');
}

void tr_project_tool(struct tr_json_writer *w, const struct tr_cap *cap,
                     struct tr_project_mcp_form form)
{
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "name", cap->name);
    if (form.since_2025_06_18)
        tr_jw_maybe_string(w, "title", cap->title);
    tr_jw_maybe_string(w, "description", cap->description);
    tr_jw_key(w, "inputSchema");
    tr_project_put_input(w, cap, schema_flags(form));
    if (form.since_2025_06_18 && cap->output_shape) {
        tr_jw_key(w, "outputSchema");
        tr_project_put_output(w, cap, schema_flags(form));
    }
    if (form.hints)
        put_hints(w, cap);
    if (form.icons)
        tr_jw_maybe_value(w, "icons", cap->icons);
    if (form.since_2025_06_18)
        put_tool_meta(w, cap, form);
    else if (!form.plain)
        put_manifest_uri(w, "_trails:manifest_uri", cap, form);
    if (!form.plain)
        put_kind(w, "trails", cap);
    tr_jw_close(w, '}');
}

void tr_project_write_tools(struct tr_project_writing *v)
{
    const struct tr_project_site *site = v->site;
    const struct tr_project_mcp_form form = {
        .hints = true,
        .since_2025_06_18 = true,
        .icons = true,
        .dialect = true,
        .plain = site->plain_tools,
        .manifest = tr_project_is_served(TR_PROJECT_JSON_LD, site),
        .base = site->base,
    };
    tr_jw_open(&v->w, '{');
    tr_jw_key(&v->w, "tools");
    tr_jw_open(&v->w, '[');
    for (size_t i = 0; i < tr_cap_snapshot_counts(v->snapshot).tools; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_tool(v->snapshot, i);
        if (v->one ? cap == v->one : tr_cap_is_listed(cap, v->scopes))
            tr_project_tool(&v->w, cap, form);
    }
    tr_jw_close(&v->w, ']');
    tr_jw_close(&v->w, '}');
}

static void put_about(struct tr_json_writer *w,
                      const struct tr_cap_about *about,
                      struct tr_project_mcp_form form)
{
    tr_jw_maybe_string(w, "name", about->name);
    if (form.since_2025_06_18)
        tr_jw_maybe_string(w, "title", about->title);
    tr_jw_maybe_string(w, "description", about->description);
    if (form.icons)
        tr_jw_maybe_value(w, "icons", about->icons);
    if (form.since_2025_06_18)
        tr_jw_maybe_value(w, "_meta", about->meta);
}

void tr_project_resource(struct tr_json_writer *w,
                         const struct tr_cap_resource *resource,
                         struct tr_project_mcp_form form)
{
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "uri", resource->uri);
    tr_jw_maybe_string(w, "uriTemplate", resource->uri_template);
    put_about(w, &resource->about, form);
    tr_jw_maybe_string(w, "mimeType", resource->mime_type);
    if (resource->has_size)
        tr_jw_put_i64(w, "size", resource->size);
    put_annotations(w, resource->annotations, form);
    tr_jw_close(w, '}');
}

void tr_project_template(struct tr_json_writer *w,
                         const struct tr_cap_resource_template *item,
                         struct tr_project_mcp_form form)
{
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "uriTemplate", item->uri_template);
    put_about(w, &item->about, form);
    tr_jw_maybe_string(w, "mimeType", item->mime_type);
    put_annotations(w, item->annotations, form);
    tr_jw_close(w, '}');
}

void tr_project_prompt(struct tr_json_writer *w,
                       const struct tr_cap_prompt *prompt,
                       struct tr_project_mcp_form form)
{
    tr_jw_open(w, '{');
    put_about(w, &prompt->about, form);
    if (prompt->input && prompt->input->count) {
        tr_jw_key(w, "arguments");
        tr_jw_open(w, '[');
        for (size_t i = 0; i < prompt->input->count; i++) {
            const struct tr_field *argument = &prompt->input->fields[i];
            tr_jw_open(w, '{');
            tr_jw_maybe_string(w, "name", argument->name);
            if (form.since_2025_06_18)
                tr_jw_maybe_string(w, "title", argument->title);
            tr_jw_maybe_string(w, "description", argument->description);
            tr_jw_put_bool(w, "required", tr_field_is_required(argument));
            tr_jw_close(w, '}');
        }
        tr_jw_close(w, ']');
    }
    tr_jw_close(w, '}');
}
