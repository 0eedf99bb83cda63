#include "graph/node.h"
#include "model/uri.h"
#include "rdf/term.h"
#include "runtime/env.h"

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
                            struct tr_call_instance *out, struct tr_err *err)
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
            *out = (struct tr_call_instance){id, iris[i]};
    }
    return TR_OK;
}

static bool are_related(const struct tr_model_type *a,
                        const struct tr_model_type *b)
{
    return tr_model_type_is(a, b) || tr_model_type_is(b, a);
}

/* The IRI of an instance may have the name of a type above or below. */
tr_status tr_call_find_instance(const struct tr_graph_read_ctx *ctx,
                                const struct tr_model_type *type, tr_str name,
                                struct tr_call_instance *out,
                                struct tr_err *err)
{
    const struct tr_model *model = ctx->model;
    *out = (struct tr_call_instance){TR_RDF_ID_NONE, {NULL, 0}};
    TR_TRY(find_named(ctx, type, type, name, out, err));
    for (size_t i = 0; i < model->count && out->id == TR_RDF_ID_NONE; i++) {
        if (are_related(model->types[i], type))
            TR_TRY(find_named(ctx, type, model->types[i], name, out, err));
    }
    return TR_OK;
}
