#include "query/named.h"

#include "base/limits.h"
#include "fields/value.h"
#include "graph/node.h"
#include "model/uri.h"
#include "model/value_term.h"
#include "rdf/term.h"

/* Whether the node has the type as an rdf:type. */
static tr_status is_of_type(const struct tr_graph_read_ctx *ctx, tr_rdf_id node,
                            const struct tr_model_type *type, bool *out,
                            struct tr_err *err)
{
    tr_rdf_ids pattern = {.s = node, .g = TR_RDF_ID_ANY};
    TR_TRY(
        tr_graph_node_find(ctx, TR_STR(TR_RDF_IRI_RDF_TYPE), &pattern.p, err));
    TR_TRY(tr_graph_node_find(ctx, type->shape->iri, &pattern.o, err));
    if (pattern.p == TR_RDF_ID_NONE || pattern.o == TR_RDF_ID_NONE)
        return TR_OK;
    return tr_rdf_graph_has(ctx->graph, pattern, out, err);
}

/* Finds it by a name in the namespace of `home`, or else by the IRI itself. */
static tr_status find_named(const struct tr_graph_read_ctx *ctx,
                            const struct tr_model_type *type,
                            const struct tr_model_type *home, tr_str name,
                            struct tr_query_named *out, struct tr_err *err)
{
    tr_str iris[2];
    if (!tr_model_kg_uri_iris(ctx->arena, home, name, ctx->model, iris))
        return tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
    for (size_t i = 0; i < TR_LEN(iris) && out->id == TR_RDF_ID_NONE; i++) {
        bool is_wanted = false;
        tr_rdf_id id = TR_RDF_ID_NONE;
        TR_TRY(tr_graph_node_find(ctx, iris[i], &id, err));
        if (id != TR_RDF_ID_NONE)
            TR_TRY(is_of_type(ctx, id, type, &is_wanted, err));
        if (is_wanted)
            *out = (struct tr_query_named){.id = id, .iri = iris[i]};
    }
    return TR_OK;
}

tr_status tr_query_named_guess(const struct tr_graph_read_ctx *ctx,
                               const struct tr_model_type *type, tr_str name,
                               struct tr_query_named *out, struct tr_err *err)
{
    tr_str iris[2];
    *out = (struct tr_query_named){.id = TR_RDF_ID_NONE};
    if (!tr_model_kg_uri_iris(ctx->arena, type, name, ctx->model, iris))
        return tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
    out->iri = iris[0];
    return tr_graph_node_find(ctx, iris[0], &out->id, err);
}

static bool are_related(const struct tr_model_type *a,
                        const struct tr_model_type *b)
{
    return tr_model_type_is(a, b) || tr_model_type_is(b, a);
}

/* The IRI of an instance may have the name of a type above or below. */
tr_status tr_query_named_find(const struct tr_graph_read_ctx *ctx,
                              const struct tr_model_type *type, tr_str name,
                              struct tr_query_named *out, struct tr_err *err)
{
    const struct tr_model *model = ctx->model;
    *out = (struct tr_query_named){.id = TR_RDF_ID_NONE};
    TR_TRY(find_named(ctx, type, type, name, out, err));
    for (size_t i = 0; i < model->count && out->id == TR_RDF_ID_NONE; i++) {
        if (are_related(model->types[i], type))
            TR_TRY(find_named(ctx, type, model->types[i], name, out, err));
    }
    return TR_OK;
}

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a key");
}

/* The pattern of what has the value; no part is TR_RDF_ID_NONE where there may
 * be one. */
static tr_status make_pattern(const struct tr_graph_read_ctx *ctx,
                              const struct tr_field *key, tr_str text,
                              tr_rdf_ids *out, struct tr_err *err)
{
    struct tr_json value;
    tr_rdf_term term;
    *out = (tr_rdf_ids){.s = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    tr_status status = tr_field_value_read(key, text, ctx->arena, &value);
    if (status == TR_OK)
        status = tr_model_value_to_term(key, &value, ctx->arena, &term, NULL);
    if (status == TR_E_VALIDATION)
        return TR_OK; /* it is no value of that field */
    if (status != TR_OK)
        return no_memory(err);
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, key->iri, &out->p, err));
    return tr_rdf_graph_find(ctx->graph, &term, &out->o, err);
}

static tr_status find_rows(const struct tr_graph_read_ctx *ctx,
                           const struct tr_model_type *type, tr_rdf_ids pattern,
                           struct tr_query_named *out, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    tr_rdf_graph_match(ctx->graph, pattern, &cursor);
    while (status == TR_OK && !out->is_several &&
           tr_rdf_cursor_next(&cursor, &row)) {
        bool is_wanted = false;
        if (row.s != out->id)
            status = is_of_type(ctx, row.s, type, &is_wanted, err);
        if (is_wanted && out->id != TR_RDF_ID_NONE)
            out->is_several = true;
        else if (is_wanted)
            out->id = row.s;
    }
    return tr_rdf_cursor_end(&cursor, status, err);
}

static tr_status find_by_key(const struct tr_graph_read_ctx *ctx,
                             const struct tr_model_type *type,
                             const struct tr_field *key, tr_str text,
                             struct tr_query_named *out, struct tr_err *err)
{
    tr_rdf_ids pattern;
    tr_rdf_term term;
    TR_TRY(make_pattern(ctx, key, text, &pattern, err));
    if (pattern.p == TR_RDF_ID_NONE || pattern.o == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(find_rows(ctx, type, pattern, out, err));
    if (out->id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(ctx->graph, out->id, &term, err));
    return tr_arena_copy(ctx->arena, term.text, &out->iri) ? TR_OK
                                                           : no_memory(err);
}

/* What is an id is one, whatever else has that value. */
tr_status tr_query_named_find_ref(const struct tr_graph_read_ctx *ctx,
                                  const struct tr_field *ref, tr_str text,
                                  struct tr_query_named *out,
                                  struct tr_err *err)
{
    const struct tr_model_type *type = tr_model_find(ctx->model, ref->target);
    const struct tr_field *key = tr_model_key_of(ctx->model, ref);
    *out = (struct tr_query_named){.id = TR_RDF_ID_NONE};
    if (!type || !text.len)
        return TR_OK;
    TR_TRY(tr_query_named_find(ctx, type, text, out, err));
    return key && out->id == TR_RDF_ID_NONE
               ? find_by_key(ctx, type, key, text, out, err)
               : TR_OK;
}

tr_status tr_query_named_key(const struct tr_graph_read_ctx *ctx,
                             const struct tr_field *key, tr_rdf_id node,
                             tr_str *out, struct tr_err *err)
{
    tr_rdf_ids pattern = {.s = node, .o = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    char text[TR_GRAPH_ID_TEXT];
    struct tr_rdf_cursor cursor;
    struct tr_json value;
    tr_rdf_term term;
    tr_rdf_ids row;
    *out = TR_STR("");
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, key->iri, &pattern.p, err));
    if (pattern.p == TR_RDF_ID_NONE)
        return TR_OK;
    tr_rdf_graph_match(ctx->graph, pattern, &cursor);
    bool found = tr_rdf_cursor_next(&cursor, &row);
    TR_TRY(tr_rdf_cursor_close(&cursor, err));
    if (!found)
        return TR_OK;
    TR_TRY(tr_graph_read_ctx_term(ctx, row.o, text, &term, err));
    TR_TRY(tr_model_value_from_term(key, &term, ctx->arena, &value, err));
    /* What is ill-typed is no key, and what is too long is no name. */
    if ((value.kind == TR_JSON_STRING || value.kind == TR_JSON_NUMBER) &&
        value.len <= TR_LIMIT_KEY_SHOWN)
        *out = tr_json_text(&value);
    return TR_OK;
}
