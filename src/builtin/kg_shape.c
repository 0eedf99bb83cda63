#include "base/vec.h"
#include "builtin/kg_resources.h"
#include "cap/snapshot.h"
#include "model/shacl.h"
#include "model/tool_shape.h"
#include "model/uri.h"
#include "rdf/memory_graph.h"
#include "rdf/writer.h"

/* A shape that is copied to a graph of its own, with its blank nodes. */
struct copying {
    const struct tr_rdf_graph *from;
    struct tr_rdf_memory_graph *to;
    struct tr_arena *arena;
    bool *seen; /* by id: is or was in `waiting` */
    TR_VEC(tr_rdf_id) waiting;
};

/* A blank node belongs to the shape that refers to it: what it says is copied
 * too. */
static tr_status wait_for(struct copying *c, tr_rdf_id id,
                          const tr_rdf_term *term, struct tr_err *err)
{
    if (term->kind != TR_RDF_TERM_BLANK || c->seen[id])
        return TR_OK;
    c->seen[id] = true;
    return tr_vec_push(c->arena, &c->waiting, id)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a shape");
}

static tr_status copy_row(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct copying *c = context;
    tr_rdf_quad quad;
    TR_TRY(tr_rdf_graph_quad(c->from, row, &quad, err));
    TR_TRY(tr_rdf_memory_graph_add(c->to, &quad, err));
    return wait_for(c, row.o, &quad.object, err);
}

/* Whether it is the shape that a type has of itself. */
static bool is_of_type(const struct tr_model *model, tr_str iri)
{
    for (size_t i = 0; i < model->count; i++) {
        if (tr_str_eq(model->types[i]->shape->iri, iri))
            return true;
    }
    return false;
}

/* With a type go the other shapes that its instances have to conform to. */
static tr_status wait_for_others(struct copying *c,
                                 const struct tr_model *model,
                                 const struct tr_model_type *type,
                                 struct tr_err *err)
{
    for (size_t i = 0; type && i < model->shapes->count; i++) {
        const struct tr_shacl_shape *shape = &model->shapes->shapes[i];
        const tr_rdf_term *term = &model->shapes->terms[shape->term];
        tr_rdf_id id = TR_RDF_ID_NONE;
        if (!tr_model_shape_targets(model, shape, type) ||
            is_of_type(model, term->text))
            continue;
        TR_TRY(tr_rdf_graph_find(c->from, term, &id, err));
        if (id != TR_RDF_ID_NONE && !c->seen[id] &&
            !tr_vec_push(c->arena, &c->waiting, id))
            return tr_fail(err, TR_E_NOMEM, "no memory for a shape");
    }
    return TR_OK;
}

static tr_status copy_shape(struct copying *c, tr_rdf_id shape,
                            const struct tr_builtin_reply *reply,
                            struct tr_err *err)
{
    c->seen = TR_NEW_ARRAY(c->arena, bool, tr_rdf_graph_bound(c->from));
    if (!c->seen || !tr_vec_push(c->arena, &c->waiting, shape))
        return tr_fail(err, TR_E_NOMEM, "no memory for a shape");
    TR_TRY(wait_for_others(
        c, reply->model,
        tr_model_find(reply->model, tr_builtin_reply_arg(reply, "name")), err));
    for (size_t i = 0; i < c->waiting.count; i++) {
        tr_rdf_ids pattern = {c->waiting.items[i], TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                              TR_RDF_ID_ANY};
        TR_TRY(tr_rdf_graph_each(c->from, pattern, copy_row, c, err));
    }
    return tr_rdf_memory_graph_index(c->to, err);
}

/* Finds a shape by the name of a type, by its name in this project, or by its
 * IRI. */
static tr_status find_shape(struct tr_builtin_reply *reply,
                            const struct tr_model *model, tr_rdf_id *out,
                            struct tr_err *err)
{
    tr_str name = tr_builtin_reply_arg(reply, "name");
    const struct tr_model_type *type = tr_model_find(model, name);
    size_t at;
    struct tr_buf home;
    tr_buf_init(&home, TR_LIMIT_URI_BYTES);
    tr_buf_putf(&home, "trails://%.*s/", TR_FMT(model->project));
    tr_buf_put(&home, name);
    tr_str iri = type ? type->shape->iri : tr_buf_str(&home);
    if (!tr_shacl_shapes_find(model->shapes, iri, &at))
        iri = name;
    tr_status status =
        home.failed == TR_E_NOMEM ? tr_buf_check(&home, err) : TR_OK;
    if (status == TR_OK) /* a name that is too long names nothing */
        status = tr_shacl_shapes_find(model->shapes, iri, &at)
                     ? tr_rdf_graph_find_iri(model->source, iri, out, err)
                     : tr_fail(err, TR_E_NOT_FOUND, "there is no such shape");
    tr_buf_done(&home);
    return status;
}

/* A shape that a capability has for itself. */
static tr_status write_own(const struct tr_builtin_reply *reply,
                           const struct tr_cap_own_shape *own,
                           struct tr_rdf_memory_graph *to, struct tr_err *err)
{
    const struct tr_cap_snapshot *snapshot = reply->call->snapshot;
    const struct tr_model *model = tr_cap_snapshot_model(snapshot);
    struct tr_arena *arena = reply->call->arena;
    struct tr_shape table;
    const struct tr_shape **types =
        TR_NEW_ARRAY(arena, const struct tr_shape *, model->count);
    if (!types)
        return tr_fail(err, TR_E_NOMEM, "no memory for a shape");
    for (size_t i = 0; i < model->count; i++)
        types[i] = model->types[i]->shape;
    const struct tr_model_type_context context = {
        .project = model->project,
        .prefixes = model->prefixes,
        .types = types,
        .type_count = model->count,
        .is_bare = true,
    };
    TR_TRY(tr_cap_own_shape_table(snapshot, own, arena, &table, err));
    TR_TRY(tr_model_shape_to_graph(&table, &context, to, err));
    return tr_rdf_memory_graph_index(to, err);
}

static tr_status write_shape(struct tr_builtin_reply *reply,
                             struct tr_rdf_memory_graph *to, struct tr_err *err)
{
    const struct tr_model *model = reply->model;
    struct copying c = {
        .from = model->source, .to = to, .arena = reply->call->arena};
    struct tr_cap_own_shape own;
    tr_rdf_id shape = TR_RDF_ID_NONE;
    tr_status status = find_shape(reply, model, &shape, err);
    if (status == TR_E_NOT_FOUND &&
        tr_cap_snapshot_find_own_shape(
            reply->call->snapshot, tr_builtin_reply_arg(reply, "name"), &own))
        return write_own(reply, &own, to, err);
    return status == TR_OK ? copy_shape(&c, shape, reply, err) : status;
}

tr_status tr_builtin_render_shape(struct tr_builtin_reply *reply,
                                  struct tr_err *err)
{
    struct tr_rdf_output output = tr_rdf_output_buf(&reply->text);
    struct tr_rdf_memory_graph *graph = NULL;
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    tr_status status = write_shape(reply, graph, err);
    if (status == TR_OK)
        status = tr_rdf_write(TR_RDF_TURTLE, tr_rdf_memory_graph_view(graph),
                              reply->model->prefixes, &output, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}
