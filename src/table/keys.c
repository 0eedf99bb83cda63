/* Unique values of rows, and which nodes of the store have them. */
#include "graph/node.h"
#include "model/value_term.h"
#include "table/inside.h"

tr_status tr_table_key_write(struct tr_table *table, struct tr_table_key *key,
                             struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_CSV_ROW);
    for (size_t i = 0; i < key->unique->count; i++)
        tr_rdf_term_write(&text, &key->terms[i]);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK &&
        !tr_arena_copy(&table->arena, tr_buf_str(&text), &key->text))
        status = tr_fail(err, TR_E_NOMEM, "no memory for a unique value");
    tr_buf_done(&text);
    return status;
}

tr_str tr_table_key_set(struct tr_table *table, const struct tr_table_key *key)
{
    char room[TR_LIMIT_URI_BYTES];
    tr_str copy = {"", 0};
    int len = snprintf(room, sizeof(room), "%.*s %zu", TR_FMT(key->type->name),
                       key->index);
    if (len > 0 && (size_t)len < sizeof(room) &&
        tr_arena_copy(&table->arena, (tr_str){room, (size_t)len}, &copy))
        return copy;
    return TR_STR("");
}

/* Not when one of the values is absent, or there are several of it: then the
 * final check is all that there is. */
static tr_status fill(struct tr_table *table, const struct tr_json *fields,
                      struct tr_table_key *key, bool *filled,
                      struct tr_err *err)
{
    tr_status status = TR_OK;
    *filled = false;
    const struct tr_shape_unique *unique = key->unique;
    for (size_t i = 0; i < unique->count; i++) {
        const struct tr_field *field =
            tr_shape_find(key->type->shape, unique->names[i]);
        const struct tr_json *value = tr_json_find(fields, unique->names[i]);
        if (!field || !value || value->kind == TR_JSON_NULL ||
            value->kind == TR_JSON_ARRAY || value->kind == TR_JSON_OBJECT)
            return TR_OK;
        status = tr_model_value_to_term(field, value, &table->arena,
                                        &key->terms[i], err);
        if (status != TR_OK)
            return status == TR_E_NOMEM ? status : TR_OK;
    }
    status = tr_table_key_write(table, key, err);
    *filled = status == TR_OK;
    return status == TR_E_LIMIT ? TR_OK : status;
}

tr_status tr_table_each_key(struct tr_table *table,
                            const struct tr_model_type *type,
                            const struct tr_json *fields,
                            tr_table_key_fn *visit, void *context,
                            struct tr_err *err)
{
    bool stop = false;
    for (; type && !stop; type = type->parent) {
        for (size_t i = 0; i < type->shape->unique_count && !stop; i++) {
            struct tr_table_key key = {
                .type = type, .unique = &type->shape->unique[i], .index = i};
            bool filled = false;
            if (key.unique->count <= TR_LEN(key.terms))
                TR_TRY(fill(table, fields, &key, &filled, err));
            if (filled)
                TR_TRY(visit(context, &key, &stop, err));
        }
    }
    return TR_OK;
}

static tr_status is_of(struct tr_table *table, tr_rdf_id node,
                       const struct tr_model_type *type, bool *out,
                       struct tr_err *err)
{
    tr_rdf_ids pattern = {.s = node, .g = TR_RDF_ID_ANY};
    *out = false;
    TR_TRY(tr_graph_node_find(&table->ctx, TR_STR(TR_RDF_IRI_RDF_TYPE),
                              &pattern.p, err));
    TR_TRY(tr_graph_node_find(&table->ctx, type->shape->iri, &pattern.o, err));
    if (pattern.p == TR_RDF_ID_NONE || pattern.o == TR_RDF_ID_NONE)
        return TR_OK;
    return tr_rdf_graph_has(table->ctx.graph, pattern, out, err);
}

static tr_status holds(struct tr_table *table, const struct tr_table_key *key,
                       const tr_rdf_ids *values, tr_rdf_id node, bool *out,
                       struct tr_err *err)
{
    TR_TRY(is_of(table, node, key->type, out, err));
    for (size_t i = 1; *out && i < key->unique->count; i++) {
        tr_rdf_ids pattern = values[i];
        pattern.s = node;
        TR_TRY(tr_rdf_graph_has(table->ctx.graph, pattern, out, err));
    }
    return TR_OK;
}

tr_status tr_table_holder(struct tr_table *table,
                          const struct tr_table_key *key, tr_rdf_id *out,
                          struct tr_err *err)
{
    const struct tr_rdf_graph *graph = table->ctx.graph;
    tr_rdf_ids values[TR_LIMIT_UNIQUE_FIELDS];
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    bool is_one = false;
    *out = TR_RDF_ID_NONE;
    for (size_t i = 0; i < key->unique->count; i++) {
        const struct tr_field *field =
            tr_shape_find(key->type->shape, key->unique->names[i]);
        values[i] = (tr_rdf_ids){.s = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
        TR_TRY(tr_rdf_graph_find_iri(graph, field->iri, &values[i].p, err));
        TR_TRY(tr_rdf_graph_find(graph, &key->terms[i], &values[i].o, err));
        if (values[i].p == TR_RDF_ID_NONE || values[i].o == TR_RDF_ID_NONE)
            return TR_OK;
    }
    tr_rdf_graph_match(graph, values[0], &cursor);
    while (status == TR_OK && !is_one && tr_rdf_cursor_next(&cursor, &row)) {
        status = holds(table, key, values, row.s, &is_one, err);
        if (is_one)
            *out = row.s;
    }
    return tr_rdf_cursor_end(&cursor, status, err);
}
