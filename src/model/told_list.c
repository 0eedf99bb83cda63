/*
 * What shapes ask of lists and objects: shapes see how they are made, callers
 * what they hold.
 */
#include "model/told.h"

static bool is_predicate(const struct tr_model_telling *t,
                         const struct tr_shacl_path *path, const char *iri)
{
    return path->kind == TR_SHACL_PATH_PREDICATE &&
           tr_str_eq(t->model->shapes->terms[path->predicate].text,
                     tr_str_from(iri));
}

/* rdf:rest*, from the first cell of a list to all, and to rdf:nil. */
static bool is_cells(const struct tr_model_telling *t,
                     const struct tr_shacl_path *path)
{
    return path && path->kind == TR_SHACL_PATH_ZERO_OR_MORE &&
           is_predicate(t, path->parts[0], TR_RDF_IRI_RDF_REST);
}

static bool tell_there(struct tr_field *field,
                       const struct tr_shacl_constraint *c)
{
    if (c->component == TR_SHACL_MIN_COUNT && c->number > 0)
        field->optional = false;
    return c->component == TR_SHACL_MIN_COUNT ? c->number < 2 : c->number > 0;
}

/* "Is rdf:nil, or a cell." */
static bool is_cell_shape(const struct tr_model_telling *t,
                          const struct tr_shacl_constraint *c)
{
    const struct tr_shacl_shapes *shapes = t->model->shapes;
    const struct tr_shacl_shape *any = &shapes->shapes[c->shapes[0]];
    if (any->constraint_count != 1 ||
        any->constraints[0].component != TR_SHACL_OR ||
        any->constraints[0].shape_count != 2)
        return false;
    const struct tr_shacl_shape *end =
        &shapes->shapes[any->constraints[0].shapes[0]];
    return end->constraint_count == 1 &&
           end->constraints[0].component == TR_SHACL_HAS_VALUE &&
           tr_str_eq(shapes->terms[end->constraints[0].term].text,
                     TR_STR(TR_RDF_IRI_RDF_NIL));
}

/* Of all cells, and of rdf:nil, which is one more. A list that may be absent
 * has no least number of items. */
static bool tell_cells(struct tr_model_telling *t,
                       const struct tr_shacl_constraint *c)
{
    struct tr_field *field = t->field;
    int64_t items = c->number > INT64_MAX ? INT64_MAX : (int64_t)c->number - 1;
    switch (c->component) {
    case TR_SHACL_MIN_COUNT:
        if (items > 0 && field->optional)
            return false;
        tr_model_tell_min(&field->min_count, items);
        return true;
    case TR_SHACL_MAX_COUNT:
        return items >= 0 && tr_model_tell_max(&field->max_count, items);
    case TR_SHACL_HAS_VALUE:
        return tr_str_eq(t->model->shapes->terms[c->term].text,
                         TR_STR(TR_RDF_IRI_RDF_NIL));
    case TR_SHACL_NODE:
        return is_cell_shape(t, c);
    default:
        return false;
    }
}

/* The shape of a list, as it is written of a field (shacl_writer.c). */
static bool tell_list_shape(struct tr_model_telling *t, uint32_t number)
{
    const struct tr_shacl_shapes *shapes = t->model->shapes;
    const struct tr_shacl_shape *list = &shapes->shapes[number];
    bool all = true;
    for (size_t i = 0; i < list->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &list->constraints[i];
        const struct tr_shacl_shape *cells = c->component == TR_SHACL_PROPERTY
                                                 ? &shapes->shapes[c->shapes[0]]
                                                 : NULL;
        all &= cells && is_cells(t, cells->path);
        for (size_t k = 0; all && k < cells->constraint_count; k++)
            all = tell_cells(t, &cells->constraints[k]);
    }
    return all;
}

static bool tell_head(struct tr_model_telling *t,
                      const struct tr_shacl_constraint *c)
{
    switch (c->component) {
    case TR_SHACL_MIN_COUNT:
    case TR_SHACL_MAX_COUNT:
        return tell_there(t->field, c);
    case TR_SHACL_NODE_KIND:
        return c->number & TR_SHACL_NODE_BLANK;
    case TR_SHACL_NODE:
        return tell_list_shape(t, c->shapes[0]);
    default:
        return false;
    }
}

bool tr_model_tell_list(struct tr_model_telling *t,
                        const struct tr_shacl_path *path,
                        const struct tr_shacl_constraint *c)
{
    if (path->kind == TR_SHACL_PATH_PREDICATE)
        return tell_head(t, c);
    if (path->count != 3 || !is_cells(t, path->parts[1]) ||
        !is_predicate(t, path->parts[2], TR_RDF_IRI_RDF_FIRST))
        return false;
    /* SHACL counts values once, and items may repeat. */
    if (c->component == TR_SHACL_MIN_COUNT)
        return tell_there(t->field, c);
    return c->component != TR_SHACL_MAX_COUNT && tr_model_tell_value(t, c);
}

bool tr_model_tell_object(struct tr_model_telling *t,
                          const struct tr_shacl_path *path,
                          const struct tr_shacl_constraint *c)
{
    if (t->is_own) /* the field says it itself */
        return true;
    if (path->kind != TR_SHACL_PATH_PREDICATE)
        return false;
    switch (c->component) {
    case TR_SHACL_MIN_COUNT:
    case TR_SHACL_MAX_COUNT:
        return tr_model_tell_value(t, c);
    case TR_SHACL_NODE_KIND:
        return c->number & TR_SHACL_NODE_BLANK;
    default:
        return false;
    }
}
