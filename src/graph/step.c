#include "graph/step.h"

#include "base/nearest.h"
#include "base/vec.h"
#include "rdf/iri.h"
#include "shape/shacl_writer.h"

static tr_status add_predicate(const struct tr_sight *sight, tr_str iri,
                               struct tr_way *out, struct tr_err *err)
{
    tr_id id;
    TR_TRY(tr_graph_find_iri(sight->graph, iri, &id, err));
    for (size_t i = 0; i < out->predicates.count; i++) {
        if (out->predicates.items[i] == id)
            return TR_OK;
    }
    return id == TR_ID_NONE || tr_vec_push(sight->arena, &out->predicates, id)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a path");
}

static tr_status refuse_field(const struct tr_sight *sight, tr_str name,
                              struct tr_err *err)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < sight->model->count; i++) {
        const struct tr_shape *shape = sight->model->types[i]->shape;
        for (size_t k = 0; k < shape->count; k++)
            tr_nearest_offer(&nearest, shape->fields[k].name);
    }
    if (!nearest.best.len)
        return tr_fail(err, TR_E_VALIDATION, "no type has a field '%.*s'",
                       TR_FMT(name));
    return tr_fail(err, TR_E_VALIDATION,
                   "no type has a field '%.*s'; did you mean '%.*s'?",
                   TR_FMT(name), TR_FMT(nearest.best));
}

/* Nobody knows yet which types the nodes on the way have: all that say so. */
static tr_status add_field(const struct tr_sight *sight, tr_str name,
                           struct tr_way *out, struct tr_err *err)
{
    bool found = false;
    for (size_t i = 0; i < sight->model->count; i++) {
        const struct tr_field *field =
            tr_shape_find(sight->model->types[i]->shape, name);
        if (field)
            TR_TRY(add_predicate(sight, field->iri, out, err));
        found |= field != NULL;
    }
    return found ? TR_OK : refuse_field(sight, name, err);
}

static tr_status add_path(const struct tr_sight *sight, tr_str path,
                          struct tr_way *out, struct tr_err *err)
{
    if (!memchr(path.ptr ? path.ptr : "", ':', path.len))
        return add_field(sight, path, out, err);
    if (tr_type_iri_expand(sight->arena, sight->model->prefixes, &path, err) !=
        TR_OK) {
        if (err && err->code == TR_E_INVALID)
            err->code = TR_E_VALIDATION;
        return err ? err->code : TR_E_VALIDATION;
    }
    return add_predicate(sight, path, out, err);
}

tr_status tr_step_compile(const struct tr_sight *sight,
                          const struct tr_step *step, struct tr_way *out,
                          struct tr_err *err)
{
    struct tr_err local = {0};
    bool is_inverse = tr_str_starts(step->path, TR_STR("^"));
    *out = (struct tr_way){
        .is_inverse = is_inverse,
        .min = step->max ? step->min : 1,
        .max = step->max ? step->max : 1,
    };
    if (out->min > out->max)
        return tr_fail(err, TR_E_VALIDATION,
                       "a step cannot go at least %zu and at most %zu times",
                       out->min, out->max);
    return add_path(sight, tr_str_skip(step->path, is_inverse), out,
                    err ? err : &local);
}
