#include "shacl/validator_inside.h"

#include <assert.h>

/* After so many questions about a class, it is cheaper to find all instances at
 * once. */
enum { MANY_QUESTIONS = 64 };

static tr_rdf_id id_of(const struct tr_shacl_validation *v, tr_shacl_term_no no)
{
    return v->ids[no];
}

static tr_status fail_memory(struct tr_shacl_validation *v)
{
    return tr_fail(v->err, TR_E_NOMEM, "no memory for a class");
}

/* Classes whose own subclasses are still to be found lie on the stack. */
static tr_status find_subclasses(struct tr_shacl_validation *v, tr_rdf_id id,
                                 struct tr_shacl_class *class)
{
    size_t base = tr_shacl_stack_top(v);
    bool is_new = false;
    TR_TRY(tr_shacl_stack_push(v, id));
    for (size_t at = base; at < tr_shacl_stack_top(v); at++) {
        tr_rdf_id sub = ((const tr_rdf_id *)(const void *)v->stack.ptr)[at];
        TR_TRY(tr_rdf_id_hash_add(&class->subclasses, sub, &is_new, v->err));
        if (!is_new)
            continue;
        if (!tr_vec_push(&v->arena, &class->in_order, sub))
            return fail_memory(v);
        TR_TRY(tr_shacl_validation_push_objects(
            v, sub, id_of(v, TR_SHACL_TERM_NO_SUBCLASS), true));
    }
    tr_shacl_stack_cut(v, base);
    return TR_OK;
}

/* On failure nothing is kept: a class in `classes` has all its subclasses. */
static tr_status make_class(struct tr_shacl_validation *v, tr_shacl_term_no no,
                            struct tr_shacl_class **out)
{
    struct tr_shacl_class *made = TR_NEW(&v->arena, struct tr_shacl_class);
    if (!made)
        return fail_memory(v);
    tr_rdf_id_hash_init(&made->subclasses);
    tr_status status = find_subclasses(v, id_of(v, no), made);
    if (status != TR_OK) {
        tr_rdf_id_hash_done(&made->subclasses);
        return status;
    }
    v->classes[no] = made;
    *out = made;
    return TR_OK;
}

static tr_status class_of(struct tr_shacl_validation *v, tr_shacl_term_no no,
                          struct tr_shacl_class **out)
{
    struct tr_shacl_class *class = v->classes[no];
    if (!class)
        return make_class(v, no, out);
    *out = class;
    return TR_OK;
}

void tr_shacl_classes_done(struct tr_shacl_validation *v)
{
    for (size_t i = 0; v->classes && i < v->shapes->term_count; i++) {
        if (v->classes[i])
            tr_rdf_id_hash_done(&v->classes[i]->subclasses);
    }
}

/* Pushes the instances of each, in an order that no hash decides. */
static tr_status push_all(struct tr_shacl_validation *v,
                          const struct tr_shacl_class *class)
{
    for (size_t i = 0; i < class->in_order.count; i++)
        TR_TRY(tr_shacl_validation_push_objects(v, class->in_order.items[i],
                                                id_of(v, TR_SHACL_TERM_NO_TYPE),
                                                true));
    return TR_OK;
}

tr_status tr_shacl_validation_push_instances(struct tr_shacl_validation *v,
                                             tr_shacl_term_no class_no)
{
    struct tr_shacl_class *class = NULL;
    TR_TRY(class_of(v, class_no, &class));
    return push_all(v, class);
}

static tr_status find_members(struct tr_shacl_validation *v,
                              struct tr_shacl_class *class)
{
    size_t base = tr_shacl_stack_top(v);
    tr_rdf_id bound = tr_rdf_graph_bound(v->graph);
    uint64_t *members = TR_NEW_ARRAY(&v->arena, uint64_t, bound / 64 + 1);
    if (!members)
        return fail_memory(v);
    TR_TRY(push_all(v, class));
    struct tr_shacl_span all = tr_shacl_span_from(v, base);
    for (size_t i = 0; i < all.count; i++) {
        tr_rdf_id id = tr_shacl_value_at(v, all, i);
        members[id / 64] |= (uint64_t)1 << id % 64;
    }
    tr_shacl_stack_cut(v, base);
    class->members = members;
    return TR_OK;
}

static tr_status check_types(struct tr_shacl_validation *v, tr_rdf_id node,
                             const struct tr_shacl_class *class, bool *out)
{
    size_t base = tr_shacl_stack_top(v);
    TR_TRY(tr_shacl_validation_push_objects(
        v, node, id_of(v, TR_SHACL_TERM_NO_TYPE), false));
    struct tr_shacl_span types = tr_shacl_span_from(v, base);
    *out = false;
    for (size_t i = 0; i < types.count && !*out; i++)
        *out = tr_rdf_id_hash_has(&class->subclasses,
                                  tr_shacl_value_at(v, types, i));
    tr_shacl_stack_cut(v, base);
    return TR_OK;
}

tr_status tr_shacl_validation_is_instance(struct tr_shacl_validation *v,
                                          tr_rdf_id node,
                                          tr_shacl_term_no class_no, bool *out)
{
    struct tr_shacl_class *class = NULL;
    *out = false;
    if (tr_shacl_id_is_local(node))
        return TR_OK;
    TR_TRY(class_of(v, class_no, &class));
    assert(class && "what succeeds has a result");
    if (!class->members && ++class->asked > MANY_QUESTIONS &&
        tr_rdf_graph_bound(v->graph))
        TR_TRY(find_members(v, class));
    if (!class->members)
        return check_types(v, node, class, out);
    *out = class->members[node / 64] >> node % 64 & 1;
    return TR_OK;
}
