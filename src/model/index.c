#include "base/limits.h"
#include "fields/kind.h"
#include "model/inside.h"

static tr_status no_memory(const struct tr_model_making *m)
{
    return tr_fail(m->err, TR_E_NOMEM, "no memory for the indexes of a type");
}

const struct tr_field *tr_model_index_field(const struct tr_shape *shape,
                                            tr_str name)
{
    return tr_shape_find(shape,
                         tr_str_skip(name, tr_str_starts(name, TR_STR("-"))));
}

static tr_status read_part(const struct tr_model_making *m,
                           const struct tr_shape *shape, tr_str name,
                           struct tr_model_index_part *out)
{
    out->descending = tr_str_starts(name, TR_STR("-"));
    out->field = tr_model_index_field(shape, name);
    name = tr_str_skip(name, out->descending);
    if (out->field)
        return TR_OK;
    tr_str nearest = tr_shape_nearest(shape, name);
    if (nearest.len)
        return tr_fail(m->err, TR_E_INVALID,
                       "indexes names '%.*s', which is not a field, did you "
                       "mean '%.*s'?",
                       TR_FMT(name), TR_FMT(nearest));
    return tr_fail(m->err, TR_E_INVALID,
                   "indexes names '%.*s', which is not a field", TR_FMT(name));
}

/* An index has one key for each node. */
static tr_status check_part(const struct tr_model_making *m,
                            const struct tr_model_index_part *part)
{
    const struct tr_field *field = part->field;
    if (field->many || field->list)
        return tr_fail(m->err, TR_E_INVALID,
                       "an index has '%.*s', which has many values",
                       TR_FMT(field->name));
    if (!tr_field_has(field, TR_FIELD_IS_INDEXED))
        return tr_fail(m->err, TR_E_INVALID,
                       "an index has '%.*s', and %s has no order",
                       TR_FMT(field->name), tr_field_kind_name(field->kind));
    return TR_OK;
}

static bool is_same(const struct tr_model_index *a,
                    const struct tr_model_index *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->parts[i].field == b->parts[i].field &&
               a->parts[i].descending == b->parts[i].descending;
    return same;
}

/* The indexes of a type that is being made. */
struct gathering {
    const struct tr_model_making *m;
    struct tr_model_type *type;
    struct tr_model_index *items;
};

static tr_status add(const struct gathering *g,
                     const struct tr_model_index *index)
{
    struct tr_model_type *type = g->type;
    for (size_t i = 0; i < type->index_count; i++) {
        if (is_same(&g->items[i], index))
            return tr_fail(g->m->err, TR_E_INVALID,
                           "the index of '%.*s' is declared twice",
                           TR_FMT(index->parts[0].field->name));
    }
    if (type->index_count == TR_LIMIT_INDEXES)
        return tr_fail(g->m->err, TR_E_INVALID, "a type has at most %d indexes",
                       TR_LIMIT_INDEXES);
    g->items[type->index_count++] = *index;
    return TR_OK;
}

static tr_status add_field(const struct gathering *g,
                           const struct tr_field *field)
{
    struct tr_model_index_part *part =
        TR_NEW(&g->m->whole->arena, struct tr_model_index_part);
    if (!part)
        return no_memory(g->m);
    part->field = field;
    TR_TRY(tr_model_about_field(g->m, field->name, check_part(g->m, part)));
    return add(g, &(struct tr_model_index){part, 1});
}

static tr_status add_draft(const struct gathering *g,
                           const struct tr_shape_unique *draft)
{
    struct tr_model_index_part *parts = TR_NEW_ARRAY(
        &g->m->whole->arena, struct tr_model_index_part, draft->count);
    if (!parts)
        return no_memory(g->m);
    if (draft->count == 0)
        return tr_fail(g->m->err, TR_E_INVALID, "indexes has one of no field");
    if (draft->count > TR_LIMIT_INDEX_FIELDS)
        return tr_fail(g->m->err, TR_E_INVALID,
                       "an index has at most %d fields", TR_LIMIT_INDEX_FIELDS);
    for (size_t i = 0; i < draft->count; i++) {
        TR_TRY(read_part(g->m, g->type->shape, draft->names[i], &parts[i]));
        TR_TRY(check_part(g->m, &parts[i]));
        for (size_t k = 0; k < i; k++) {
            if (parts[k].field == parts[i].field)
                return tr_fail(g->m->err, TR_E_INVALID,
                               "an index has '%.*s' twice",
                               TR_FMT(parts[i].field->name));
        }
    }
    return add(g, &(struct tr_model_index){parts, draft->count});
}

static bool is_inherited(const struct tr_model_type *type,
                         const struct tr_field *field)
{
    const struct tr_field *above =
        type->parent ? tr_shape_find(type->parent->shape, field->name) : NULL;
    return above && above->index == TR_FIELD_INDEX_VALUE;
}

/* Also what a type above says is unique. */
static bool is_unique(const struct tr_model_type *type,
                      const struct tr_field *field)
{
    for (; type; type = type->parent) {
        const struct tr_shape *shape = type->shape;
        for (size_t i = 0; i < shape->unique_count; i++) {
            for (size_t k = 0; k < shape->unique[i].count; k++) {
                if (tr_str_eq(shape->unique[i].names[k], field->name))
                    return true;
            }
        }
    }
    return false;
}

static tr_status check_none(const struct tr_model_making *m,
                            const struct tr_model_type *type,
                            const struct tr_field *field)
{
    if (field->kind == TR_FIELD_REF || field->kind == TR_FIELD_OBJECT ||
        field->list)
        return tr_fail(m->err, TR_E_INVALID,
                       "'index = false' is for values: what nodes refer to "
                       "always leads back to them");
    if (is_unique(type, field))
        return tr_fail(m->err, TR_E_INVALID,
                       "'index = false', and what is unique is found by its "
                       "value");
    return TR_OK;
}

tr_status tr_model_choose_indexes(const struct tr_model_making *m,
                                  const struct tr_model_type_draft *draft,
                                  struct tr_model_type *type)
{
    struct gathering g = {m, type,
                          TR_NEW_ARRAY(&m->whole->arena, struct tr_model_index,
                                       TR_LIMIT_INDEXES)};
    if (!g.items)
        return no_memory(m);
    type->indexes = g.items;
    for (size_t i = 0; i < type->shape->count; i++) {
        const struct tr_field *field = &type->shape->fields[i];
        if (field->index == TR_FIELD_INDEX_NONE)
            TR_TRY(tr_model_about_field(m, field->name,
                                        check_none(m, type, field)));
        if (field->index == TR_FIELD_INDEX_VALUE && !is_inherited(type, field))
            TR_TRY(add_field(&g, field));
    }
    for (size_t i = 0; i < draft->index_count; i++)
        TR_TRY(add_draft(&g, &draft->indexes[i]));
    return TR_OK;
}
