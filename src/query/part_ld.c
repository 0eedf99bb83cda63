#include "query/part.h"

static tr_status put_value(const struct tr_graph_read_ctx *ctx,
                           const struct tr_field *field, tr_rdf_id id,
                           struct tr_json_writer *w, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    struct tr_json ignored;
    tr_rdf_term term;
    TR_TRY(tr_graph_read_ctx_term(ctx, id, text, &term, err));
    if (field->object && term.kind == TR_RDF_TERM_IRI)
        return tr_query_part_write_ld(ctx, field, id, w, err);
    tr_query_term_write_ld(w, &term, &ignored);
    return TR_OK;
}

static tr_status put_list(const struct tr_graph_read_ctx *ctx,
                          const struct tr_field *field, tr_rdf_id head,
                          struct tr_json_writer *w, struct tr_err *err)
{
    struct tr_query_items items;
    TR_TRY(tr_query_list_read(ctx, head, &items, err));
    tr_jw_open(w, '{');
    tr_jw_key(w, "@list");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < items.count; i++)
        TR_TRY(put_value(ctx, field, items.ids[i], w, err));
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
    return TR_OK;
}

static tr_status put_member(const struct tr_graph_read_ctx *ctx,
                            const struct tr_field *field, tr_rdf_id node,
                            struct tr_json_writer *w, struct tr_err *err)
{
    struct tr_query_items values;
    TR_TRY(tr_query_values_read(ctx, node, field->iri, &values, err));
    bool is_array = field->many || values.count > 1;
    if (!values.count)
        return TR_OK;
    tr_jw_key_str(w, field->iri);
    if (is_array)
        tr_jw_open(w, '[');
    for (size_t i = 0; i < values.count; i++)
        TR_TRY(field->list
                   ? tr_query_part_write_ld(ctx, field, values.ids[i], w, err)
                   : put_value(ctx, field, values.ids[i], w, err));
    if (is_array)
        tr_jw_close(w, ']');
    return TR_OK;
}

tr_status tr_query_part_write_ld(const struct tr_graph_read_ctx *ctx,
                                 const struct tr_field *field, tr_rdf_id id,
                                 struct tr_json_writer *w, struct tr_err *err)
{
    const struct tr_shape *object = field->object;
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    if (field->list)
        return put_list(ctx, field, id, w, err);
    TR_TRY(tr_graph_read_ctx_term(ctx, id, text, &term, err));
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "@id", term.text);
    for (size_t i = 0; i < object->count; i++)
        TR_TRY(put_member(ctx, &object->fields[i], id, w, err));
    tr_jw_close(w, '}');
    return TR_OK;
}
