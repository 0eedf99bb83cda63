#include "audit/stats.h"
#include "base/limits.h"
#include "base/vec.h"
#include "builtin/kg_resources.h"
#include "cap/snapshot.h"
#include "loop/loop.h"
#include "model/tool_shape.h"
#include "model/uri.h"
#include "query/query.h"
#include "runtime/env.h"

/* Constraints have the names that app.lua uses. */
static void put_constraints(struct tr_json_writer *w,
                            const struct tr_field *field)
{
    tr_jw_key(w, "constraints");
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "pattern", field->pattern);
    tr_jw_maybe_i64(w, "min_length", field->min_length);
    tr_jw_maybe_i64(w, "max_length", field->max_length);
    tr_jw_maybe_raw(w, "min_value", field->min_value);
    tr_jw_maybe_raw(w, "max_value", field->max_value);
    tr_jw_maybe_raw(w, "min_exclusive", field->min_exclusive);
    tr_jw_maybe_raw(w, "max_exclusive", field->max_exclusive);
    if (tr_field_is_array(field)) {
        tr_jw_maybe_i64(w, "min_count", tr_field_min_count(field));
        tr_jw_maybe_i64(w, "max_count", tr_field_max_count(field));
    }
    if (field->one_of)
        tr_jw_put_value(w, "one_of", field->one_of);
    if (field->unique)
        tr_jw_put_bool(w, "unique", true);
    tr_jw_close(w, '}');
}

static void put_members(struct tr_json_writer *w,
                        const struct tr_shape *object);

static void put_told(struct tr_json_writer *w, const struct tr_field *field)
{
    tr_jw_key_str(w, field->name);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "iri", field->iri);
    tr_jw_put_string(w, "datatype", tr_model_datatype_name(field->kind));
    tr_jw_maybe_string(w, "node_type", field->target);
    tr_jw_put_bool(w, "required", tr_field_is_required(field));
    tr_jw_put_bool(w, "many", field->many);
    if (field->list)
        tr_jw_put_bool(w, "list", true);
    tr_jw_maybe_string(w, "description", field->description);
    put_constraints(w, field);
    if (field->object)
        put_members(w, field->object);
    tr_jw_close(w, '}');
}

static void put_members(struct tr_json_writer *w, const struct tr_shape *object)
{
    tr_jw_key(w, "fields");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < object->count; i++)
        put_told(w, &object->fields[i]);
    tr_jw_close(w, '}');
}

static void put_field(struct tr_json_writer *w,
                      const struct tr_model_tool_shape *how,
                      const struct tr_field *declared)
{
    struct tr_field told = *declared;
    tr_status status = tr_model_tell_field(how, &told, NULL);
    if (status != TR_OK)
        tr_jw_refuse(w, status, "no memory for a field");
    put_told(w, &told);
}

static void put_unique(struct tr_json_writer *w, const struct tr_shape *shape)
{
    if (!shape->unique_count)
        return;
    tr_jw_key(w, "unique");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < shape->unique_count; i++) {
        tr_jw_open(w, '[');
        for (size_t k = 0; k < shape->unique[i].count; k++)
            tr_jw_string(w, shape->unique[i].names[k]);
        tr_jw_close(w, ']');
    }
    tr_jw_close(w, ']');
}

void tr_builtin_put_type(struct tr_builtin_reply *reply,
                         const struct tr_model_type *type)
{
    struct tr_json_writer *w = &reply->writer;
    const struct tr_model_tool_shape how = {
        .model = reply->model, .type = type, .arena = reply->call->arena};
    tr_str description = type->shape->description;
    tr_status status = tr_model_tell_node(&how, &description, NULL);
    if (status != TR_OK)
        tr_jw_refuse(w, status, "no memory for a field");
    tr_jw_put_string(w, "iri", type->shape->iri);
    tr_jw_maybe_string(w, "description", description);
    if (type->parent)
        tr_jw_maybe_string(w, "extends", type->parent->name);
    tr_jw_maybe_string(w, "label", type->label);
    tr_jw_key(w, "fields");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < type->shape->count; i++)
        put_field(w, &how, &type->shape->fields[i]);
    tr_jw_close(w, '}');
    put_unique(w, type->shape);
}

bool tr_builtin_is_shown(const struct tr_builtin_reply *reply, tr_str iri)
{
    return tr_cap_guard_is_shown(
        tr_cap_snapshot_shape_guard(reply->call->snapshot, iri),
        tr_call_scopes(reply->call));
}

/* Lists the shapes that have names, those of types too: trails://shape/... */
static void put_shapes(const struct tr_builtin_reply *reply,
                       struct tr_json_writer *w, const struct tr_model *model)
{
    tr_jw_key(w, "shapes");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < model->shapes->count; i++) {
        const struct tr_shacl_shape *shape = &model->shapes->shapes[i];
        const tr_rdf_term *term = &model->shapes->terms[shape->term];
        if (term->kind == TR_RDF_TERM_IRI && !shape->path &&
            tr_builtin_is_shown(reply, term->text))
            tr_jw_string(w, term->text);
    }
    tr_jw_close(w, ']');
}

tr_status tr_builtin_render_schema(struct tr_builtin_reply *reply,
                                   struct tr_err *err)
{
    const struct tr_model *model = reply->model;
    struct tr_json_writer *w = &reply->writer;
    tr_jw_open(w, '{');
    tr_jw_key(w, "node_types");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        if (!tr_builtin_is_shown(reply, type->shape->iri))
            continue;
        tr_jw_key_str(w, type->name);
        tr_jw_open(w, '{');
        tr_builtin_put_type(reply, type);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
    put_shapes(reply, w, model);
    tr_jw_close(w, '}');
    return tr_jw_finish(w, err);
}

static tr_status put_counts(struct tr_builtin_reply *reply,
                            const struct tr_graph_read_ctx *ctx,
                            struct tr_err *err)
{
    struct tr_json_writer *w = &reply->writer;
    tr_jw_open(w, '[');
    for (size_t i = 0; i < ctx->model->count; i++) {
        const struct tr_model_type *type = ctx->model->types[i];
        const struct tr_query query = {.type = type};
        struct tr_query_count count;
        if (!tr_builtin_is_shown(reply, type->shape->iri))
            continue;
        TR_TRY(tr_query_where_count(ctx, &query, &count, err));
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "type", type->name);
        tr_jw_put_string(w, "iri", type->shape->iri);
        tr_jw_put_i64(w, "count", (int64_t)count.count);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
    return tr_jw_finish(w, err);
}

tr_status tr_builtin_render_types(struct tr_builtin_reply *reply,
                                  struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = put_counts(reply, &ctx, err);
    tr_graph_kg_leave(kg);
    return status;
}

/* What is counted of the quads that the caller sees. */
struct seen {
    struct tr_arena *arena;
    uint64_t quads;
    TR_VEC(tr_rdf_id) graphs; /* as they come, one after the other */
};

static bool see(struct seen *seen, tr_rdf_id graph)
{
    size_t last = seen->graphs.count;
    seen->quads++;
    return (last && seen->graphs.items[last - 1] == graph) ||
           tr_vec_push(seen->arena, &seen->graphs, graph);
}

static uint64_t count_distinct(struct seen *seen)
{
    uint64_t count = 0;
    if (seen->graphs.count)
        qsort(seen->graphs.items, seen->graphs.count, sizeof(tr_rdf_id),
              tr_rdf_id_compare);
    for (size_t i = 0; i < seen->graphs.count; i++)
        count += !i || seen->graphs.items[i] != seen->graphs.items[i - 1];
    return count;
}

/* Looks at as many quads as a glance counts; those that are hidden among them
 * are not counted. */
static tr_status count_seen(const struct tr_graph_kg *kg,
                            const struct tr_graph_read_ctx *ctx,
                            struct tr_audit_glance *out, struct tr_err *err)
{
    static const tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                   TR_RDF_ID_ANY};
    struct seen seen = {.arena = ctx->arena};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    if (!ctx->face)
        return TR_OK;
    tr_rdf_graph_match(&kg->reader->stored.base, all, &cursor);
    for (size_t i = 0; i < TR_LIMIT_GLANCE && status == TR_OK &&
                       tr_rdf_cursor_next(&cursor, &row);
         i++) {
        if (tr_model_face_shows(ctx->graph, row) && !see(&seen, row.g))
            status = tr_fail(err, TR_E_NOMEM, "no memory to count");
    }
    TR_TRY(tr_rdf_cursor_end(&cursor, status, err));
    out->quads = seen.quads;
    out->graphs = count_distinct(&seen);
    return TR_OK;
}

static void put_stats(struct tr_builtin_reply *reply,
                      const struct tr_audit_glance *glance)
{
    const struct tr_call *call = reply->call;
    const struct {
        const char *key;
        uint64_t count;
    } rows[] = {
        {"triples", glance->quads},
        {"graphs", glance->graphs},
        {"node_types", reply->model->count},
        {"capabilities", tr_cap_snapshot_counts(call->snapshot).caps},
        {"meta_capabilities", tr_cap_snapshot_counts(call->snapshot).metas},
        {"activities", glance->activities},
        {"uptime_s", (uint64_t)(tr_loop_wall(call->loop).seconds -
                                tr_call_root(reply->call)->env->started_s)},
    };
    struct tr_json_writer *w = &reply->writer;
    tr_jw_open(w, '{');
    for (size_t i = 0; i < TR_LEN(rows); i++)
        tr_jw_put_i64(w, rows[i].key, (int64_t)rows[i].count);
    tr_jw_put_bool(w, "exact", glance->is_exact);
    tr_jw_close(w, '}');
}

tr_status tr_builtin_render_stats(struct tr_builtin_reply *reply,
                                  struct tr_err *err)
{
    struct tr_audit_glance glance;
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = tr_audit_stats_glance(kg->reader, &glance, err);
    if (status == TR_OK)
        status = count_seen(kg, &ctx, &glance, err);
    tr_graph_kg_leave(kg);
    TR_TRY(status);
    put_stats(reply, &glance);
    return tr_jw_finish(&reply->writer, err);
}
