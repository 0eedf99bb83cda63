#include "base/limits.h"
#include "model/model.h"
#include "shacl/report.h"

/* The ids of what is hidden, and the graph that has it. */
struct visible {
    struct tr_rdf_graph base;
    const struct tr_rdf_graph *below;
    tr_rdf_id rdf_type;
    tr_rdf_id *classes;
    size_t class_count;
    tr_rdf_id *predicates;
    size_t predicate_count;
    tr_rdf_id *parts; /* predicates that lead to parts, if some are hidden */
    size_t part_count;
    /* Rows of one subject mostly come together. */
    struct {
        tr_rdf_id subject;
        bool is_private;
    } * last;
};

static const struct visible *inside(const struct tr_rdf_graph *graph)
{
    return (const void *)graph;
}

static bool is_hidden(const struct visible *v, tr_rdf_id predicate)
{
    size_t i = 0;
    while (i < v->predicate_count && v->predicates[i] != predicate)
        i++;
    return i < v->predicate_count;
}

/* What cannot be found out is not shown. */
static bool has_private_class(const struct visible *v, tr_rdf_id subject)
{
    bool found = false;
    for (size_t i = 0; i < v->class_count && !found; i++) {
        tr_rdf_ids pattern = {subject, v->rdf_type, v->classes[i],
                              TR_RDF_ID_ANY};
        if (tr_rdf_graph_has(v->below, pattern, &found, NULL) != TR_OK)
            return true;
    }
    return found;
}

/* The statement that makes a node a part; false when it is none. */
static bool find_holder(const struct visible *v, tr_rdf_id part,
                        tr_rdf_ids *row)
{
    bool found = false;
    for (size_t i = 0; i < v->part_count && !found; i++) {
        tr_rdf_ids pattern = {TR_RDF_ID_ANY, v->parts[i], part, TR_RDF_ID_ANY};
        struct tr_rdf_cursor cursor;
        tr_rdf_graph_match(v->below, pattern, &cursor);
        found = tr_rdf_cursor_next(&cursor, row);
        if (tr_rdf_cursor_close(&cursor, NULL) != TR_OK)
            return false;
    }
    return found;
}

/* A part is seen by those who see the way to it. Cells mostly come in the order
 * of their list: then the one before was the last. */
static bool is_private(const struct visible *v, tr_rdf_id subject)
{
    size_t steps = TR_LIMIT_LIST_ITEMS + TR_LIMIT_OBJECT_DEPTH + 1;
    tr_rdf_ids row;
    while (!has_private_class(v, subject)) {
        if (!v->part_count || !find_holder(v, subject, &row))
            return false;
        if (is_hidden(v, row.p) || steps-- == 0)
            return true;
        if (row.s == v->last->subject)
            return v->last->is_private;
        subject = row.s;
    }
    return true;
}

bool tr_model_face_shows(const struct tr_rdf_graph *visible, tr_rdf_ids row)
{
    const struct visible *v = inside(visible);
    if (is_hidden(v, row.p))
        return false;
    if ((!v->class_count && !v->part_count) || row.s == TR_RDF_ID_ANY)
        return true;
    if (v->last->subject != row.s) {
        v->last->is_private = is_private(v, row.s);
        v->last->subject = row.s;
    }
    return !v->last->is_private;
}

/* A cursor is the one of the graph below: it only has to be told so while that
 * works with it. */
static void match(const struct tr_rdf_graph *graph,
                  struct tr_rdf_cursor *cursor)
{
    tr_rdf_graph_match(inside(graph)->below, cursor->pattern, cursor);
    cursor->graph = graph;
}

static bool next(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    const struct tr_rdf_graph *graph = cursor->graph;
    bool row;
    do {
        cursor->graph = inside(graph)->below;
        row = tr_rdf_cursor_next(cursor, out);
        cursor->graph = graph;
    } while (row && !tr_model_face_shows(graph, *out));
    return row;
}

static tr_status close_cursor(struct tr_rdf_cursor *cursor, struct tr_err *err)
{
    cursor->graph = inside(cursor->graph)->below;
    return tr_rdf_cursor_close(cursor, err);
}

static tr_status find(const struct tr_rdf_graph *graph, const tr_rdf_term *term,
                      tr_rdf_id *out, struct tr_err *err)
{
    return tr_rdf_graph_find(inside(graph)->below, term, out, err);
}

static tr_status get(const struct tr_rdf_graph *graph, tr_rdf_id id,
                     tr_rdf_term *out, struct tr_err *err)
{
    return tr_rdf_graph_get(inside(graph)->below, id, out, err);
}

static tr_rdf_id bound(const struct tr_rdf_graph *graph)
{
    return tr_rdf_graph_bound(inside(graph)->below);
}

static uint64_t estimate(const struct tr_rdf_graph *graph, tr_rdf_ids pattern)
{
    return tr_rdf_graph_estimate(inside(graph)->below, pattern);
}

static const struct tr_rdf_graph_ops ops = {
    .find = find,
    .get = get,
    .match = match,
    .close = close_cursor,
    .next = next,
    .estimate = estimate,
    .bound = bound,
};

/* A term that the graph does not have hides nothing. */
static tr_status add_id(const struct visible *v, tr_str iri, tr_rdf_id *list,
                        size_t *count, struct tr_err *err)
{
    tr_rdf_id id;
    TR_TRY(tr_rdf_graph_find_iri(v->below, iri, &id, err));
    if (id != TR_RDF_ID_NONE)
        list[(*count)++] = id;
    return TR_OK;
}

tr_status tr_model_face_graph(const struct tr_model_face *face,
                              const struct tr_rdf_graph *below,
                              struct tr_arena *arena,
                              const struct tr_rdf_graph **out,
                              struct tr_err *err)
{
    struct visible *v = TR_NEW(arena, struct visible);
    if (!v)
        return tr_fail(err, TR_E_NOMEM, "no memory for a graph");
    *v = (struct visible){
        .base = {&ops},
        .below = below,
        .classes = TR_NEW_ARRAY(arena, tr_rdf_id, face->private_count),
        .predicates = TR_NEW_ARRAY(arena, tr_rdf_id, face->predicate_count),
        .parts = TR_NEW_ARRAY(arena, tr_rdf_id, face->part_count),
        .last = tr_arena_alloc(arena, sizeof(*v->last)),
    };
    if (!v->classes || !v->predicates || !v->parts || !v->last)
        return tr_fail(err, TR_E_NOMEM, "no memory for a graph");
    v->last->subject = TR_RDF_ID_ANY;
    TR_TRY(tr_rdf_graph_find_iri(below, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &v->rdf_type, err));
    for (size_t i = 0; i < face->private_count; i++)
        TR_TRY(add_id(v, face->private_types[i]->shape->iri, v->classes,
                      &v->class_count, err));
    for (size_t i = 0; i < face->predicate_count; i++)
        TR_TRY(add_id(v, face->predicates[i], v->predicates,
                      &v->predicate_count, err));
    for (size_t i = 0; i < face->part_count; i++)
        TR_TRY(
            add_id(v, face->part_predicates[i], v->parts, &v->part_count, err));
    *out = &v->base;
    return TR_OK;
}

bool tr_model_face_hides_result(const struct tr_model_face *face,
                                const struct tr_rdf_graph *visible,
                                const struct tr_shacl_shapes *shapes,
                                const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &shapes->shapes[result->shape];
    const struct tr_shacl_constraint *c =
        &shape->constraints[result->constraint];
    const struct tr_shacl_path *path = shape->path;
    tr_rdf_ids row = {result->focus, result->predicate, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    if (!tr_model_face_shows(visible, row) ||
        (path && path->kind == TR_SHACL_PATH_PREDICATE &&
         tr_model_face_hides(face, shapes->terms[path->predicate].text)) ||
        (c->term < shapes->term_count &&
         tr_model_face_hides(face, shapes->terms[c->term].text)))
        return true;
    for (size_t i = 0; i < c->term_count; i++) {
        if (tr_model_face_hides(face, shapes->terms[c->terms[i]].text))
            return true;
    }
    return false;
}
