#include "base/limits.h"
#include "shacl/validator_inside.h"

tr_status tr_shacl_validation_spend(struct tr_shacl_validation *v,
                                    uint64_t steps)
{
    v->work += steps;
    if (v->work <= v->max_work)
        return TR_OK;
    return tr_fail(v->err, TR_E_LIMIT,
                   "the validation needs more than %llu steps",
                   (unsigned long long)v->max_work);
}

tr_status tr_shacl_stack_push(struct tr_shacl_validation *v, tr_rdf_id id)
{
    char *room = tr_buf_room(&v->stack, sizeof(id));
    if (!room)
        return tr_buf_check(&v->stack, v->err);
    memcpy(room, &id, sizeof(id));
    v->stack.len += sizeof(id);
    return TR_OK;
}

static tr_rdf_id *stack_of(const struct tr_shacl_validation *v)
{
    return (tr_rdf_id *)(void *)v->stack.ptr;
}

/* Keeps of what lies on the stack from `from` on only what is new to `set`. */
static tr_status keep_new(struct tr_shacl_validation *v, size_t from,
                          struct tr_rdf_id_hash *set)
{
    tr_rdf_id *ids = stack_of(v);
    size_t top = tr_shacl_stack_top(v);
    size_t kept = from;
    for (size_t i = from; i < top; i++) {
        bool is_new = false;
        TR_TRY(tr_rdf_id_hash_add(set, ids[i], &is_new, v->err));
        if (is_new)
            ids[kept++] = ids[i];
    }
    tr_shacl_stack_cut(v, kept);
    return TR_OK;
}

tr_status tr_shacl_stack_unique(struct tr_shacl_validation *v, size_t from)
{
    struct tr_rdf_id_hash set;
    if (tr_shacl_stack_top(v) - from < 2)
        return TR_OK;
    tr_rdf_id_hash_init(&set);
    tr_status status = keep_new(v, from, &set);
    tr_rdf_id_hash_done(&set);
    return status;
}

tr_status tr_shacl_span_to_set(struct tr_shacl_validation *v,
                               struct tr_shacl_span span,
                               struct tr_rdf_id_hash *set)
{
    bool is_new;
    for (size_t i = 0; i < span.count; i++)
        TR_TRY(tr_rdf_id_hash_add(set, tr_shacl_value_at(v, span, i), &is_new,
                                  v->err));
    return TR_OK;
}

tr_status tr_shacl_validation_push_objects(struct tr_shacl_validation *v,
                                           tr_rdf_id node, tr_rdf_id predicate,
                                           bool backward)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_ids pattern = {node, predicate, TR_RDF_ID_ANY, v->in};
    if (tr_shacl_id_is_local(node) || tr_shacl_id_is_local(predicate))
        return TR_OK;
    if (backward) {
        pattern.s = TR_RDF_ID_ANY;
        pattern.o = node;
    }
    tr_rdf_graph_match(v->graph, pattern, &cursor);
    tr_status status = tr_shacl_validation_spend(v, 1);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        status = tr_shacl_stack_push(v, backward ? row.s : row.o);
        v->work++;
    }
    tr_status closed =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? v->err : NULL);
    return status != TR_OK ? status : closed;
}

/* What lies from `from` on moves down to `to`, over what lay between. */
static void move_down(struct tr_shacl_validation *v, size_t to, size_t from)
{
    size_t count = tr_shacl_stack_top(v) - from;
    if (count)
        memmove(stack_of(v) + to, stack_of(v) + from,
                count * sizeof(tr_rdf_id));
    tr_shacl_stack_cut(v, to + count);
}

static tr_status push_sequence(struct tr_shacl_validation *v,
                               const struct tr_shacl_path *path, bool backward,
                               tr_rdf_id node)
{
    size_t base = tr_shacl_stack_top(v);
    TR_TRY(tr_shacl_stack_push(v, node));
    for (size_t i = 0; i < path->count; i++) {
        const struct tr_shacl_path *part =
            path->parts[backward ? path->count - 1 - i : i];
        struct tr_shacl_span from = tr_shacl_span_from(v, base);
        size_t next = tr_shacl_stack_top(v);
        for (size_t j = 0; j < from.count; j++)
            TR_TRY(tr_shacl_validation_push_path(
                v, part, backward, tr_shacl_value_at(v, from, j)));
        TR_TRY(tr_shacl_stack_unique(v, next));
        move_down(v, base, next);
    }
    return TR_OK;
}

static tr_status push_alternatives(struct tr_shacl_validation *v,
                                   const struct tr_shacl_path *path,
                                   bool backward, tr_rdf_id node)
{
    size_t base = tr_shacl_stack_top(v);
    for (size_t i = 0; i < path->count; i++)
        TR_TRY(
            tr_shacl_validation_push_path(v, path->parts[i], backward, node));
    return tr_shacl_stack_unique(v, base);
}

static tr_status push_closure(struct tr_shacl_validation *v,
                              const struct tr_shacl_path *part, bool backward,
                              struct tr_rdf_id_hash *seen)
{
    size_t at = tr_shacl_stack_top(v) - seen->count;
    for (; at < tr_shacl_stack_top(v); at++) {
        size_t next = tr_shacl_stack_top(v);
        TR_TRY(
            tr_shacl_validation_push_path(v, part, backward, stack_of(v)[at]));
        TR_TRY(keep_new(v, next, seen));
    }
    return TR_OK;
}

/* SPARQL 1.1, 18.4, ALP: each node once, so that cycles end. */
static tr_status push_repeated(struct tr_shacl_validation *v,
                               const struct tr_shacl_path *path, bool backward,
                               tr_rdf_id node)
{
    struct tr_rdf_id_hash seen;
    size_t base = tr_shacl_stack_top(v);
    tr_rdf_id_hash_init(&seen);
    tr_status status =
        path->kind == TR_SHACL_PATH_ZERO_OR_MORE
            ? tr_shacl_stack_push(v, node)
            : tr_shacl_validation_push_path(v, path->parts[0], backward, node);
    if (status == TR_OK)
        status = keep_new(v, base, &seen);
    if (status == TR_OK)
        status = push_closure(v, path->parts[0], backward, &seen);
    tr_rdf_id_hash_done(&seen);
    return status;
}

static tr_status push_optional(struct tr_shacl_validation *v,
                               const struct tr_shacl_path *path, bool backward,
                               tr_rdf_id node)
{
    size_t base = tr_shacl_stack_top(v);
    TR_TRY(tr_shacl_stack_push(v, node));
    TR_TRY(tr_shacl_validation_push_path(v, path->parts[0], backward, node));
    return tr_shacl_stack_unique(v, base);
}

tr_status tr_shacl_validation_push_path(struct tr_shacl_validation *v,
                                        const struct tr_shacl_path *path,
                                        bool backward, tr_rdf_id node)
{
    size_t base = tr_shacl_stack_top(v);
    switch (path->kind) {
    case TR_SHACL_PATH_PREDICATE:
        TR_TRY(tr_shacl_validation_push_objects(
            v, node, v->ids[path->predicate], backward));
        return v->in == TR_RDF_ID_ANY ? tr_shacl_stack_unique(v, base) : TR_OK;
    case TR_SHACL_PATH_INVERSE:
        return tr_shacl_validation_push_path(v, path->parts[0], !backward,
                                             node);
    case TR_SHACL_PATH_SEQUENCE:
        return push_sequence(v, path, backward, node);
    case TR_SHACL_PATH_ALTERNATIVE:
        return push_alternatives(v, path, backward, node);
    case TR_SHACL_PATH_ZERO_OR_MORE:
    case TR_SHACL_PATH_ONE_OR_MORE:
        return push_repeated(v, path, backward, node);
    case TR_SHACL_PATH_ZERO_OR_ONE:
        return push_optional(v, path, backward, node);
    }
    return TR_OK;
}
