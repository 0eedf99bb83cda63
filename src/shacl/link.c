#include "shacl/reader_inside.h"

/* Constraints are const in compiled shapes; the linker still completes them. */
static struct tr_shacl_constraint *
constraint_at(const struct tr_shacl_shape *shape, size_t i)
{
    return (struct tr_shacl_constraint *)(uintptr_t)&shape->constraints[i];
}

static const struct tr_shacl_shape *
child_of(const struct tr_shacl_reader *r, const struct tr_shacl_constraint *c)
{
    return &r->list.items[c->shapes[0]];
}

/* SHACL 2.3: what sh:property points at has a path. */
static tr_status check_properties(struct tr_shacl_reader *r,
                                  const struct tr_shacl_shape *shape)
{
    for (size_t i = 0; i < shape->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &shape->constraints[i];
        if (c->component == TR_SHACL_PROPERTY && !child_of(r, c)->path)
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "sh:property points at a shape without "
                                 "sh:path");
    }
    return TR_OK;
}

/* SHACL 4.8.1: predicates of the properties, where they are IRIs. */
static tr_status allow_properties(struct tr_shacl_reader *r,
                                  const struct tr_shacl_shape *shape,
                                  struct tr_shacl_constraint *closed)
{
    size_t count = closed->term_count;
    tr_shacl_term_no *terms = TR_NEW_ARRAY(r->arena, tr_shacl_term_no,
                                           count + shape->constraint_count);
    if (!terms)
        return tr_shacl_fail_memory(r);
    if (count)
        memcpy(terms, closed->terms, count * sizeof(*terms));
    for (size_t i = 0; i < shape->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &shape->constraints[i];
        if (c->component != TR_SHACL_PROPERTY)
            continue;
        const struct tr_shacl_path *path = child_of(r, c)->path;
        if (path->kind == TR_SHACL_PATH_PREDICATE)
            terms[count++] = path->predicate;
    }
    closed->terms = terms;
    closed->term_count = count;
    return TR_OK;
}

/* SHACL 4.7.3: the value shapes of the parent's other properties. */
static tr_status add_siblings(struct tr_shacl_reader *r,
                              const struct tr_shacl_shape *parent,
                              struct tr_shacl_constraint *qualified)
{
    size_t count = qualified->sibling_count;
    uint32_t *siblings =
        TR_NEW_ARRAY(r->arena, uint32_t, count + parent->constraint_count);
    if (!siblings)
        return tr_shacl_fail_memory(r);
    if (count)
        memcpy(siblings, qualified->siblings, count * sizeof(*siblings));
    for (size_t i = 0; i < parent->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &parent->constraints[i];
        if (c->component != TR_SHACL_PROPERTY)
            continue;
        uint32_t other = child_of(r, c)->qualified;
        if (other != TR_SHACL_SHAPE_NONE && other != qualified->shapes[0])
            siblings[count++] = other;
    }
    qualified->siblings = siblings;
    qualified->sibling_count = count;
    return TR_OK;
}

static tr_status link_child(struct tr_shacl_reader *r,
                            const struct tr_shacl_shape *parent,
                            const struct tr_shacl_shape *child)
{
    for (size_t i = 0; i < child->constraint_count; i++) {
        if (child->constraints[i].disjoint)
            TR_TRY(add_siblings(r, parent, constraint_at(child, i)));
    }
    return TR_OK;
}

static tr_status link_shape(struct tr_shacl_reader *r,
                            const struct tr_shacl_shape *shape)
{
    TR_TRY(check_properties(r, shape));
    for (size_t i = 0; i < shape->constraint_count; i++) {
        struct tr_shacl_constraint *c = constraint_at(shape, i);
        if (c->component == TR_SHACL_CLOSED)
            TR_TRY(allow_properties(r, shape, c));
        if (c->component == TR_SHACL_PROPERTY)
            TR_TRY(link_child(r, shape, child_of(r, c)));
    }
    return TR_OK;
}

enum { UNSEEN = 0, OPEN = UINT8_MAX }; /* else: how deep what is below goes */

static tr_status measure(struct tr_shacl_reader *r, uint8_t *heights,
                         uint32_t shape, unsigned depth);

static tr_status measure_all(struct tr_shacl_reader *r, uint8_t *heights,
                             const uint32_t *shapes, size_t count,
                             unsigned depth)
{
    for (size_t i = 0; i < count; i++)
        TR_TRY(measure(r, heights, shapes[i], depth));
    return TR_OK;
}

static unsigned highest(const uint8_t *heights, const uint32_t *shapes,
                        size_t count)
{
    unsigned height = 0;
    for (size_t i = 0; i < count; i++)
        height = heights[shapes[i]] > height ? heights[shapes[i]] : height;
    return height;
}

/*
 * SHACL 3.4.3 leaves recursive shapes undefined: here they are refused. What
 * is left is a graph without cycles, whose height bounds the validator's stack.
 */
static tr_status measure(struct tr_shacl_reader *r, uint8_t *heights,
                         uint32_t shape, unsigned depth)
{
    const struct tr_shacl_shape *at = &r->list.items[shape];
    unsigned height = 0;
    if (heights[shape] == OPEN) {
        r->at = at->term;
        return tr_shacl_fail(r, TR_E_INVALID,
                             "it refers to itself: recursive "
                             "shapes have no meaning in SHACL");
    }
    if (heights[shape] != UNSEEN)
        return TR_OK;
    heights[shape] = OPEN;
    for (size_t i = 0; i < at->constraint_count && depth; i++) {
        const struct tr_shacl_constraint *c = &at->constraints[i];
        TR_TRY(measure_all(r, heights, c->shapes, c->shape_count, depth - 1));
        TR_TRY(
            measure_all(r, heights, c->siblings, c->sibling_count, depth - 1));
        unsigned here = highest(heights, c->shapes, c->shape_count);
        height = here > height ? here : height;
    }
    if (!depth || height >= TR_LIMIT_SHAPE_DEPTH) {
        r->at = at->term;
        return tr_shacl_fail(r, TR_E_LIMIT, "shapes nest deeper than %d levels",
                             TR_LIMIT_SHAPE_DEPTH);
    }
    heights[shape] = (uint8_t)(height + 1);
    return TR_OK;
}

tr_status tr_shacl_link(struct tr_shacl_reader *r)
{
    for (size_t i = 0; i < r->list.count; i++) {
        r->at = r->list.items[i].term;
        TR_TRY(link_shape(r, &r->list.items[i]));
    }
    uint8_t *heights = TR_NEW_ARRAY(r->arena, uint8_t, r->list.count);
    if (!heights)
        return tr_shacl_fail_memory(r);
    for (size_t i = 0; i < r->list.count; i++)
        TR_TRY(measure(r, heights, (uint32_t)i, TR_LIMIT_SHAPE_DEPTH + 1));
    return TR_OK;
}
