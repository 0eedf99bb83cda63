#include "graph/node.h"
#include "graph/node_ld.h"
#include "graph/uri.h"
#include "server/kg_resources.h"

/* Instances of subtypes are instances: they have both classes. */
static tr_status is_instance(const struct tr_sight *sight, tr_id id,
                             const struct tr_type *type, bool *out,
                             struct tr_err *err)
{
    tr_ids pattern = {id, TR_ID_NONE, TR_ID_NONE, TR_ID_ANY};
    *out = false;
    if (id == TR_ID_NONE)
        return TR_OK;
    TR_TRY(tr_graph_find_iri(sight->graph, TR_STR(TR_IRI_RDF_TYPE), &pattern.p,
                             err));
    TR_TRY(tr_graph_find_iri(sight->graph, type->shape->iri, &pattern.o, err));
    return tr_graph_has(sight->graph, pattern, out, err);
}

/* What the id is as an IRI of `home`, or else as an IRI itself. */
static tr_status look(struct tr_answer *answer, const struct tr_sight *sight,
                      const struct tr_type *home, tr_id *out, bool *found,
                      struct tr_err *err)
{
    tr_str id = tr_answer_arg(answer, "id");
    tr_str iris[2];
    *found = false;
    if (!tr_kg_uri_iris(sight->arena, home, id, sight->model, iris))
        return tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
    for (size_t i = 0; i < TR_LEN(iris) && !*found; i++) {
        TR_TRY(tr_node_find(sight, iris[i], out, err));
        TR_TRY(is_instance(sight, *out, answer->what->type, found, err));
    }
    return TR_OK;
}

/* The IRI of an instance may be named after a type above or below this one. */
static tr_status find_instance(struct tr_answer *answer,
                               const struct tr_sight *sight, tr_id *out,
                               struct tr_err *err)
{
    const struct tr_type *type = answer->what->type;
    const struct tr_model *model = sight->model;
    bool found;
    TR_TRY(look(answer, sight, type, out, &found, err));
    for (size_t i = 0; i < model->count && !found; i++) {
        const struct tr_type *other = model->types[i];
        if (tr_type_is(other, type) || tr_type_is(type, other))
            TR_TRY(look(answer, sight, other, out, &found, err));
    }
    return found ? TR_OK
                 : tr_fail(err, TR_E_NOT_FOUND, "there is no such %.*s",
                           TR_FMT(type->name));
}

static tr_status write_found(struct tr_answer *answer, struct tr_kg *kg,
                             const struct tr_sight *sight, struct tr_err *err)
{
    const struct tr_type *type;
    tr_id id;
    TR_TRY(find_instance(answer, sight, &id, err));
    TR_TRY(tr_node_type(sight, id, &type, err));
    tr_kg_note_used(kg, id);
    TR_TRY(tr_node_write_ld(sight, id, type, &answer->writer, err));
    return tr_jw_finish(&answer->writer, err);
}

tr_status tr_kg_write_instance(struct tr_answer *answer, struct tr_err *err)
{
    struct tr_sight sight;
    struct tr_kg *kg;
    TR_TRY(tr_answer_enter(answer, &kg, &sight, err));
    tr_status status = write_found(answer, kg, &sight, err);
    tr_kg_leave(kg);
    return status;
}
