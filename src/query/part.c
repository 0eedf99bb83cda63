#include "query/part.h"

#include "base/limits.h"
#include "base/vec.h"
#include "json/build.h"
#include "model/value_term.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a node");
}

struct values {
    const struct tr_graph_read_ctx *ctx;
    TR_VEC(tr_rdf_id) list;
};

static tr_status keep(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct values *values = context;
    return tr_vec_push(values->ctx->arena, &values->list, row.o)
               ? TR_OK
               : fail_memory(err);
}

tr_status tr_query_values_read(const struct tr_graph_read_ctx *ctx,
                               tr_rdf_id node, tr_str predicate,
                               struct tr_query_items *out, struct tr_err *err)
{
    struct values values = {.ctx = ctx};
    tr_rdf_ids pattern = {node, TR_RDF_ID_NONE, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    *out = (struct tr_query_items){0};
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, predicate, &pattern.p, err));
    if (pattern.p == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_rdf_graph_each(ctx->graph, pattern, keep, &values, err));
    if (values.list.count > 1)
        qsort(values.list.items, values.list.count, sizeof(tr_rdf_id),
              tr_rdf_id_compare);
    out->ids = values.list.items;
    for (size_t i = 0; i < values.list.count; i++) {
        if (i == 0 || out->ids[i] != out->ids[out->count - 1])
            out->ids[out->count++] = out->ids[i];
    }
    return TR_OK;
}

/* Its object by a predicate: of several the first. */
static tr_status follow(const struct tr_graph_read_ctx *ctx, tr_rdf_id cell,
                        tr_rdf_id predicate, tr_rdf_id *out, struct tr_err *err)
{
    tr_rdf_ids pattern = {cell, predicate, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row = {0};
    tr_rdf_graph_match(ctx->graph, pattern, &cursor);
    *out = tr_rdf_cursor_next(&cursor, &row) ? row.o : TR_RDF_ID_NONE;
    return tr_rdf_cursor_end(&cursor, TR_OK, err);
}

tr_status tr_query_list_read(const struct tr_graph_read_ctx *ctx,
                             tr_rdf_id head, struct tr_query_items *out,
                             struct tr_err *err)
{
    struct values values = {.ctx = ctx};
    tr_rdf_id first;
    tr_rdf_id rest;
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, TR_STR(TR_RDF_IRI_RDF_FIRST),
                                 &first, err));
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, TR_STR(TR_RDF_IRI_RDF_REST), &rest,
                                 err));
    while (first != TR_RDF_ID_NONE && values.list.count < TR_LIMIT_LIST_ITEMS) {
        tr_rdf_ids row = {0};
        TR_TRY(follow(ctx, head, first, &row.o, err));
        if (row.o == TR_RDF_ID_NONE)
            break;
        TR_TRY(keep(&values, row, err));
        if (rest != TR_RDF_ID_NONE)
            TR_TRY(follow(ctx, head, rest, &head, err));
        if (rest == TR_RDF_ID_NONE || head == TR_RDF_ID_NONE)
            break;
    }
    *out = (struct tr_query_items){values.list.items, values.list.count};
    return TR_OK;
}

static tr_status read_value(const struct tr_graph_read_ctx *ctx,
                            const struct tr_field *field, tr_rdf_id id,
                            struct tr_json *out, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    TR_TRY(tr_graph_read_ctx_term(ctx, id, text, &term, err));
    if (field->object && term.kind == TR_RDF_TERM_IRI)
        return tr_query_part_read(ctx, field, id, out, err);
    return tr_model_value_from_term(field, &term, ctx->arena, out, err);
}

static tr_status read_array(const struct tr_graph_read_ctx *ctx,
                            const struct tr_field *field,
                            const struct tr_query_items *from,
                            struct tr_json *out, struct tr_err *err)
{
    struct tr_json *items =
        TR_NEW_ARRAY(ctx->arena, struct tr_json, from->count);
    if (!items)
        return fail_memory(err);
    for (size_t i = 0; i < from->count; i++)
        TR_TRY(read_value(ctx, field, from->ids[i], &items[i], err));
    *out = (struct tr_json){
        .kind = TR_JSON_ARRAY, .len = (uint32_t)from->count, .as.items = items};
    return TR_OK;
}

/* A field that may have many is an array, also without values. */
static tr_status read_field(const struct tr_graph_read_ctx *ctx,
                            const struct tr_field *field, tr_rdf_id node,
                            struct tr_json *out, bool *found,
                            struct tr_err *err)
{
    struct tr_query_items values;
    TR_TRY(tr_query_values_read(ctx, node, field->iri, &values, err));
    *found = values.count || tr_field_is_array(field);
    if (!*found)
        return TR_OK;
    if (field->list && values.count)
        return tr_query_part_read(ctx, field, values.ids[0], out, err);
    return tr_field_is_array(field) || values.count > 1
               ? read_array(ctx, field, &values, out, err)
               : read_value(ctx, field, values.ids[0], out, err);
}

static tr_status read_members(const struct tr_graph_read_ctx *ctx,
                              const struct tr_shape *shape, tr_rdf_id node,
                              struct tr_json *out, struct tr_err *err)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(ctx->arena, struct tr_json_member, shape->count);
    size_t count = 0;
    if (!members)
        return fail_memory(err);
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        bool found = false;
        TR_TRY(
            read_field(ctx, field, node, &members[count].value, &found, err));
        if (found)
            members[count++].key =
                tr_json_make_text(TR_JSON_STRING, field->name);
    }
    *out = (struct tr_json){
        .kind = TR_JSON_OBJECT, .len = (uint32_t)count, .as.members = members};
    return TR_OK;
}

tr_status tr_query_part_read(const struct tr_graph_read_ctx *ctx,
                             const struct tr_field *field, tr_rdf_id id,
                             struct tr_json *out, struct tr_err *err)
{
    struct tr_query_items items;
    if (!field->list && field->object)
        return read_members(ctx, field->object, id, out, err);
    TR_TRY(tr_query_list_read(ctx, id, &items, err));
    return read_array(ctx, field, &items, out, err);
}
