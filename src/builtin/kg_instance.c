#include "builtin/kg_resources.h"
#include "graph/node.h"
#include "graph/uri.h"

/* Writes the instance whose id is a name in the namespace of `home`, or else an
 * IRI itself. */
static tr_status write_named(struct tr_builtin_reply *reply,
                             struct tr_graph_kg *kg,
                             const struct tr_graph_read_ctx *ctx,
                             const struct tr_model_type *home, bool *found,
                             struct tr_err *err)
{
    tr_str name = tr_builtin_reply_arg(reply, "id");
    tr_str iris[2];
    *found = false;
    if (!tr_graph_kg_uri_iris(ctx->arena, home, name, ctx->model, iris))
        return tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
    for (size_t i = 0; i < TR_LEN(iris) && !*found; i++) {
        tr_rdf_id id;
        TR_TRY(tr_graph_node_find(ctx, iris[i], &id, err));
        if (id == TR_RDF_ID_NONE)
            continue;
        TR_TRY(tr_graph_node_write_ld(ctx, id, reply->type, &reply->writer,
                                      found, err));
        if (*found)
            tr_graph_kg_note_used(kg, id);
    }
    return TR_OK;
}

static bool are_related(const struct tr_model_type *a,
                        const struct tr_model_type *b)
{
    return tr_model_type_is(a, b) || tr_model_type_is(b, a);
}

/* The IRI of an instance may have the name of a type above or below this one.
 */
static tr_status write_found(struct tr_builtin_reply *reply,
                             struct tr_graph_kg *kg,
                             const struct tr_graph_read_ctx *ctx,
                             struct tr_err *err)
{
    const struct tr_model_type *type = reply->type;
    const struct tr_model *model = ctx->model;
    bool found;
    TR_TRY(write_named(reply, kg, ctx, type, &found, err));
    for (size_t i = 0; i < model->count && !found; i++) {
        if (are_related(model->types[i], type))
            TR_TRY(write_named(reply, kg, ctx, model->types[i], &found, err));
    }
    return found ? tr_jw_finish(&reply->writer, err)
                 : tr_fail(err, TR_E_NOT_FOUND, "there is no such %.*s",
                           TR_FMT(type->name));
}

tr_status tr_builtin_render_instance(struct tr_builtin_reply *reply,
                                     struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = write_found(reply, kg, &ctx, err);
    tr_graph_kg_leave(kg);
    return status;
}
