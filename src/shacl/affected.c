#include "shacl/affected.h"

#include "shacl/validator_inside.h"

/* One path on the way from the focus node to the node at hand. */
struct step {
    const struct tr_shacl_path *path;
    bool backward;
    const struct step *before; /* NULL at the focus node */
};

struct search {
    struct tr_shacl_validation *v;
    const tr_rdf_ids *changes; /* all of them, sorted */
    size_t count;
    tr_rdf_ids change;
    uint32_t root;
    bool all; /* every target of the root is affected */
    struct tr_rdf_id_hash seen;
    tr_shacl_affected_fn *visit;
    void *context;
};

static tr_status name_node(struct search *s, tr_rdf_id node)
{
    bool is_new = false;
    TR_TRY(tr_rdf_id_hash_add(&s->seen, node, &is_new, s->v->err));
    return is_new ? s->visit(s->context, s->root, node, s->v->err) : TR_OK;
}

static int compare_quads(const void *a, const void *b)
{
    const tr_rdf_ids *x = a;
    const tr_rdf_ids *y = b;
    const tr_rdf_id left[] = {x->s, x->p, x->o, x->g};
    const tr_rdf_id right[] = {y->s, y->p, y->o, y->g};
    for (size_t i = 0; i < TR_LEN(left); i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Pushes the nodes that an unchanged quad of a predicate ties to a node. */
static tr_status push_unchanged(struct search *s, tr_rdf_id predicate,
                                bool backward, tr_rdf_id node,
                                struct tr_rdf_id_hash *seen)
{
    struct tr_shacl_validation *v = s->v;
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_ids pattern = {backward ? TR_RDF_ID_ANY : node, predicate,
                          backward ? node : TR_RDF_ID_ANY, v->in};
    if (tr_shacl_id_is_local(node) || tr_shacl_id_is_local(predicate))
        return TR_OK;
    tr_rdf_graph_match(v->graph, pattern, &cursor);
    tr_status status = tr_shacl_validation_spend(v, 1);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        tr_rdf_id end = backward ? row.s : row.o;
        bool is_new = false;
        status = tr_shacl_validation_spend(v, 1);
        if (status == TR_OK &&
            !bsearch(&row, s->changes, s->count, sizeof(row), compare_quads))
            status = tr_rdf_id_hash_add(seen, end, &is_new, v->err);
        if (status == TR_OK && is_new)
            status = tr_shacl_stack_push(v, end);
    }
    tr_status closed =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? v->err : NULL);
    return status != TR_OK ? status : closed;
}

/* As tr_shacl_validation_push_path for any number of steps. */
static tr_status push_closure(struct search *s,
                              const struct tr_shacl_path *path, bool backward,
                              tr_rdf_id node)
{
    tr_rdf_id predicate = s->v->ids[path->parts[0]->predicate];
    struct tr_rdf_id_hash seen;
    size_t at = tr_shacl_stack_top(s->v);
    tr_status status = TR_OK;
    bool is_new;
    tr_rdf_id_hash_init(&seen);
    if (path->kind == TR_SHACL_PATH_ONE_OR_MORE) {
        status = push_unchanged(s, predicate, backward, node, &seen);
    } else {
        status = tr_rdf_id_hash_add(&seen, node, &is_new, s->v->err);
        if (status == TR_OK)
            status = tr_shacl_stack_push(s->v, node);
    }
    for (; status == TR_OK && at < tr_shacl_stack_top(s->v); at++) {
        struct tr_shacl_span all = {at, 1};
        status = push_unchanged(s, predicate, backward,
                                tr_shacl_value_at(s->v, all, 0), &seen);
    }
    tr_rdf_id_hash_done(&seen);
    return status;
}

/*
 * Pushes the nodes from which a step leads to a node. Of a path of any length,
 * as through a list, only the quads that have not changed are walked: what lies
 * before a changed one is found by that. So a list costs what it is long, and
 * not that many times over.
 */
static tr_status push_back(struct search *s, const struct step *step,
                           tr_rdf_id node)
{
    const struct tr_shacl_path *path = step->path;
    bool is_repeated = path->kind == TR_SHACL_PATH_ZERO_OR_MORE ||
                       path->kind == TR_SHACL_PATH_ONE_OR_MORE;
    if (is_repeated && path->parts[0]->kind == TR_SHACL_PATH_PREDICATE)
        return push_closure(s, path, !step->backward, node);
    return tr_shacl_validation_push_path(s->v, path, !step->backward, node);
}

/* Replaces the nodes on the stack from `base` on by those from which the step
 * leads to them. */
static tr_status step_back(struct search *s, const struct step *step,
                           size_t base)
{
    struct tr_shacl_validation *v = s->v;
    struct tr_shacl_span from = tr_shacl_span_from(v, base);
    size_t next = tr_shacl_stack_top(v);
    for (size_t i = 0; i < from.count; i++)
        TR_TRY(push_back(s, step, tr_shacl_value_at(v, from, i)));
    TR_TRY(tr_shacl_stack_unique(v, next));
    size_t count = tr_shacl_stack_top(v) - next;
    tr_rdf_id *ids = (tr_rdf_id *)(void *)v->stack.ptr;
    if (count)
        memmove(ids + base, ids + next, count * sizeof(*ids));
    tr_shacl_stack_cut(v, base + count);
    return TR_OK;
}

/* Visits the focus nodes from which `way` leads to a node. */
static tr_status hit(struct search *s, const struct step *way, tr_rdf_id node)
{
    struct tr_shacl_validation *v = s->v;
    size_t base = tr_shacl_stack_top(v);
    TR_TRY(tr_shacl_stack_push(v, node));
    for (; way; way = way->before)
        TR_TRY(step_back(s, way, base));
    struct tr_shacl_span found = tr_shacl_span_from(v, base);
    for (size_t i = 0; i < found.count; i++)
        TR_TRY(name_node(s, tr_shacl_value_at(v, found, i)));
    tr_shacl_stack_cut(v, base);
    return TR_OK;
}

static bool is_changed(const struct search *s, tr_shacl_term_no predicate)
{
    return s->v->ids[predicate] == s->change.p;
}

static bool mentions(const struct search *s, const struct tr_shacl_path *path)
{
    bool found =
        path->kind == TR_SHACL_PATH_PREDICATE && is_changed(s, path->predicate);
    for (size_t i = 0; i < path->count && !found; i++)
        found = mentions(s, path->parts[i]);
    return found;
}

static tr_status visit_path(struct search *s, const struct tr_shacl_path *path,
                            bool backward, const struct step *way);

static tr_status visit_sequence(struct search *s,
                                const struct tr_shacl_path *path, size_t from,
                                bool backward, const struct step *way)
{
    if (from == path->count)
        return TR_OK;
    const struct tr_shacl_path *part =
        path->parts[backward ? path->count - 1 - from : from];
    struct step here = {part, backward, way};
    TR_TRY(visit_path(s, part, backward, way));
    return visit_sequence(s, path, from + 1, backward, &here);
}

/* Any number of steps may lie before the changed one. */
static tr_status visit_repeated(struct search *s,
                                const struct tr_shacl_path *path, bool backward,
                                const struct step *way)
{
    const struct tr_shacl_path any = {.kind = TR_SHACL_PATH_ZERO_OR_MORE,
                                      .parts = path->parts,
                                      .count = path->count};
    const struct step before = {&any, backward, way};
    return visit_path(s, path->parts[0], backward, &before);
}

static tr_status visit_path(struct search *s, const struct tr_shacl_path *path,
                            bool backward, const struct step *way)
{
    if (!mentions(s, path))
        return TR_OK;
    switch (path->kind) {
    case TR_SHACL_PATH_PREDICATE:
        return hit(s, way, backward ? s->change.o : s->change.s);
    case TR_SHACL_PATH_INVERSE:
        return visit_path(s, path->parts[0], !backward, way);
    case TR_SHACL_PATH_SEQUENCE:
        return visit_sequence(s, path, 0, backward, way);
    case TR_SHACL_PATH_ALTERNATIVE:
    case TR_SHACL_PATH_ZERO_OR_ONE:
        for (size_t i = 0; i < path->count; i++)
            TR_TRY(visit_path(s, path->parts[i], backward, way));
        return TR_OK;
    case TR_SHACL_PATH_ZERO_OR_MORE:
    case TR_SHACL_PATH_ONE_OR_MORE:
        return visit_repeated(s, path, backward, way);
    }
    return TR_OK;
}

static tr_status visit_shape(struct search *s, uint32_t shape,
                             const struct step *way);

static tr_status visit_shapes(struct search *s, const uint32_t *shapes,
                              size_t count, const struct step *way)
{
    for (size_t i = 0; i < count && !s->all; i++)
        TR_TRY(visit_shape(s, shapes[i], way));
    return TR_OK;
}

/* `way` leads to the focus node of the constraint, `on` to its values. */
static tr_status visit_constraint(struct search *s,
                                  const struct tr_shacl_constraint *c,
                                  const struct step *way, const struct step *on)
{
    switch (c->component) {
    case TR_SHACL_CLASS:
        s->all = s->all || is_changed(s, TR_SHACL_TERM_NO_SUBCLASS);
        if (is_changed(s, TR_SHACL_TERM_NO_TYPE))
            return hit(s, on, s->change.s);
        return TR_OK;
    case TR_SHACL_EQUALS:
    case TR_SHACL_DISJOINT:
    case TR_SHACL_LESS_THAN:
    case TR_SHACL_LESS_THAN_OR_EQUALS:
        return is_changed(s, c->term) ? hit(s, way, s->change.s) : TR_OK;
    case TR_SHACL_CLOSED:
        return hit(s, on, s->change.s);
    default:
        TR_TRY(visit_shapes(s, c->shapes, c->shape_count, on));
        return visit_shapes(s, c->siblings, c->sibling_count, on);
    }
}

static tr_status visit_shape(struct search *s, uint32_t shape_no,
                             const struct step *way)
{
    const struct tr_shacl_shape *shape = &s->v->shapes->shapes[shape_no];
    struct step values = {shape->path, false, way};
    const struct step *on = shape->path ? &values : way;
    if (shape->deactivated)
        return TR_OK;
    if (shape->path)
        TR_TRY(visit_path(s, shape->path, false, way));
    for (size_t i = 0; i < shape->constraint_count && !s->all; i++)
        TR_TRY(visit_constraint(s, &shape->constraints[i], way, on));
    return TR_OK;
}

/* A node that has become a target was not checked before, so it is affected. */
static tr_status visit_target(struct search *s,
                              const struct tr_shacl_target *target)
{
    switch (target->kind) {
    case TR_SHACL_TARGET_NODE:
        return TR_OK;
    case TR_SHACL_TARGET_CLASS:
        s->all = s->all || is_changed(s, TR_SHACL_TERM_NO_SUBCLASS);
        return is_changed(s, TR_SHACL_TERM_NO_TYPE) ? hit(s, NULL, s->change.s)
                                                    : TR_OK;
    case TR_SHACL_TARGET_SUBJECTS_OF:
        return is_changed(s, target->term) ? hit(s, NULL, s->change.s) : TR_OK;
    case TR_SHACL_TARGET_OBJECTS_OF:
        return is_changed(s, target->term) ? hit(s, NULL, s->change.o) : TR_OK;
    }
    return TR_OK;
}

static tr_status visit_root(struct search *s)
{
    const struct tr_shacl_shape *shape = &s->v->shapes->shapes[s->root];
    for (size_t i = 0; i < s->count && !s->all; i++) {
        s->change = s->changes[i];
        TR_TRY(tr_shacl_validation_spend(s->v, 1));
        for (size_t j = 0; j < shape->target_count; j++)
            TR_TRY(visit_target(s, &shape->targets[j]));
        TR_TRY(visit_shape(s, s->root, NULL));
    }
    return s->all ? s->visit(s->context, s->root, TR_RDF_ID_ANY, s->v->err)
                  : TR_OK;
}

tr_status tr_shacl_affected_each(struct tr_shacl_validation *v,
                                 const tr_rdf_ids *changes, size_t count,
                                 tr_shacl_affected_fn *visit, void *context,
                                 struct tr_err *err)
{
    tr_status status = TR_OK;
    tr_rdf_ids *sorted = TR_NEW_ARRAY(&v->arena, tr_rdf_ids, count + 1);
    if (!sorted)
        return tr_fail(err, TR_E_NOMEM, "no memory to validate");
    if (count) {
        memcpy(sorted, changes, count * sizeof(*sorted));
        qsort(sorted, count, sizeof(*sorted), compare_quads);
    }
    tr_shacl_stack_cut(v, 0);
    v->work = 0;
    v->err = err;
    for (uint32_t i = 0; status == TR_OK && i < v->shapes->count; i++) {
        const struct tr_shacl_shape *shape = &v->shapes->shapes[i];
        struct search s = {.v = v,
                           .changes = sorted,
                           .count = count,
                           .root = i,
                           .visit = visit,
                           .context = context};
        if (shape->deactivated || !shape->target_count)
            continue;
        tr_rdf_id_hash_init(&s.seen);
        status = visit_root(&s);
        tr_rdf_id_hash_done(&s.seen);
    }
    return status;
}
