#include "base/bits.h"
#include "base/hash.h"
#include "base/limits.h"
#include "graph/upkeep.h"
#include "model/model.h"

#include <stdlib.h>

/* So many items are kept as they come; for more there are so many bits. */
enum { FEW = 1 << 17, SLOT_BITS = 25 };

/* One node and one of the combinations of values that it has. */
struct item {
    uint64_t hash;
    tr_rdf_id node;
};

/* Fields that are unique together in one type. */
struct key {
    const struct tr_model_type *type;
    const tr_str *names;
    size_t count;
    tr_rdf_id predicates[TR_LIMIT_FIELDS];
};

/*
 * What becomes of an item. A few are kept as they come. Of many, a bit says
 * that its hash was met, and another that it was met again: only those that
 * share both are kept then, which are hardly more than those that are equal.
 */
enum step { KEEP, MARK, KEEP_TWINS };

struct checking {
    const struct tr_rdf_graph *graph;
    tr_graph_unique_fn *is_new;
    void *context;
    const struct key *key;
    uint64_t seed; /* of the hashes */
    enum step step;
    size_t count;        /* of all items */
    struct tr_buf items; /* struct item: those that are kept */
    struct tr_bits met;
    struct tr_bits twins;
};

static tr_status add_values(struct checking *c, tr_rdf_id node, size_t field,
                            uint64_t hash, struct tr_err *err);

static tr_status mark(struct checking *c, uint64_t hash, struct tr_err *err)
{
    uint64_t slot = hash >> (64 - SLOT_BITS);
    struct tr_bits *bits = tr_bits_has(&c->met, slot) ? &c->twins : &c->met;
    return tr_bits_add(bits, slot)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for unique values");
}

static tr_status add_item(struct checking *c, tr_rdf_id node, uint64_t hash,
                          struct tr_err *err)
{
    const struct item item = {hash, node};
    c->count++;
    if (c->step == MARK)
        return mark(c, hash, err);
    if (c->step == KEEP ? c->count > FEW
                        : !tr_bits_has(&c->twins, hash >> (64 - SLOT_BITS)))
        return TR_OK;
    tr_buf_put(&c->items, (tr_str){(const char *)&item, sizeof(item)});
    return tr_buf_check(&c->items, err);
}

static tr_status add_next(struct checking *c, tr_rdf_id node, size_t field,
                          uint64_t hash, struct tr_err *err)
{
    return field < c->key->count ? add_values(c, node, field, hash, err)
                                 : add_item(c, node, hash, err);
}

/* Adds an item for every combination of values. A value in two graphs comes
 * twice, but of the same node: that is no conflict. */
static tr_status add_values(struct checking *c, tr_rdf_id node, size_t field,
                            uint64_t hash, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    tr_rdf_graph_match(c->graph,
                       (tr_rdf_ids){node, c->key->predicates[field],
                                    TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = add_next(c, node, field + 1, tr_hash_u64(row.o, hash), err);
    return tr_rdf_cursor_end(&cursor, status, err);
}

static tr_status add_instance(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct checking *c = context;
    return add_values(c, row.s, 0, c->seed, err);
}

static int compare(const void *a, const void *b)
{
    const struct item *x = a;
    const struct item *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Whether two nodes share a value of a field: hashes alone may collide. */
static tr_status share_value(const struct checking *c, tr_rdf_id a, tr_rdf_id b,
                             size_t field, bool *out, struct tr_err *err)
{
    tr_rdf_id p = c->key->predicates[field];
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    *out = false;
    tr_rdf_graph_match(
        c->graph, (tr_rdf_ids){a, p, TR_RDF_ID_ANY, TR_RDF_ID_ANY}, &cursor);
    while (status == TR_OK && !*out && tr_rdf_cursor_next(&cursor, &row))
        status = tr_rdf_graph_has(
            c->graph, (tr_rdf_ids){b, p, row.o, TR_RDF_ID_ANY}, out, err);
    return tr_rdf_cursor_end(&cursor, status, err);
}

static tr_status fail_pair(const struct checking *c, tr_rdf_id a, tr_rdf_id b,
                           struct tr_err *err)
{
    const struct key *key = c->key;
    tr_rdf_term first;
    tr_rdf_term second;
    TR_TRY(tr_rdf_graph_get(c->graph, a, &first, err));
    TR_TRY(tr_rdf_graph_get(c->graph, b, &second, err));
    tr_status status = tr_fail(
        err, TR_E_VALIDATION, "<%.*s> and <%.*s> have the same '%.*s'%s",
        (int)(first.text.len < 80 ? first.text.len : 80), first.text.ptr,
        (int)(second.text.len < 80 ? second.text.len : 80), second.text.ptr,
        TR_FMT(key->names[0]),
        key->count > 1 ? " and other unique fields" : "");
    tr_err_set_at(err, "%.*s", TR_FMT(second.text));
    return status;
}

static tr_status compare_pair(const struct checking *c, tr_rdf_id a,
                              tr_rdf_id b, struct tr_err *err)
{
    bool same = true;
    if (a == b ||
        (c->is_new && !c->is_new(c->context, a) && !c->is_new(c->context, b)))
        return TR_OK;
    for (size_t i = 0; same && i < c->key->count; i++)
        TR_TRY(share_value(c, a, b, i, &same, err));
    return same ? fail_pair(c, a, b, err) : TR_OK;
}

/*
 * Sorted, items with equal hashes stand together. In such a run each is
 * compared with the first; they differ only when hashes have collided.
 */
static tr_status compare_items(const struct checking *c, struct tr_err *err)
{
    struct item *items = (struct item *)(void *)c->items.ptr;
    size_t count = c->items.len / sizeof(*items);
    size_t first = 0;
    if (count)
        qsort(items, count, sizeof(*items), compare);
    for (size_t i = 1; i < count; i++) {
        if (items[i].hash != items[first].hash)
            first = i;
        else
            TR_TRY(compare_pair(c, items[first].node, items[i].node, err));
    }
    return TR_OK;
}

static tr_status walk(struct checking *c, enum step step, tr_rdf_ids instances,
                      struct tr_err *err)
{
    c->step = step;
    c->count = 0;
    tr_buf_clear(&c->items);
    return tr_rdf_graph_each(c->graph, instances, add_instance, c, err);
}

static tr_status walk_many(struct checking *c, tr_rdf_ids instances,
                           struct tr_err *err)
{
    tr_bits_init(&c->met, TR_LIMIT_GRAPH_TABLE);
    tr_bits_init(&c->twins, TR_LIMIT_GRAPH_TABLE);
    tr_status status = walk(c, MARK, instances, err);
    tr_bits_done(&c->met);
    if (status == TR_OK)
        status = walk(c, KEEP_TWINS, instances, err);
    tr_bits_done(&c->twins);
    return status;
}

static tr_status check_key(struct checking *c, struct key *key,
                           struct tr_err *err)
{
    tr_rdf_ids instances = {.s = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    TR_TRY(tr_rdf_graph_find_iri(c->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &instances.p, err));
    TR_TRY(tr_rdf_graph_find_iri(c->graph, key->type->shape->iri, &instances.o,
                                 err));
    for (size_t i = 0; i < key->count; i++) {
        const struct tr_field *field =
            tr_shape_find(key->type->shape, key->names[i]);
        if (!field)
            return tr_fail(err, TR_E_INTERNAL, "no field '%.*s'",
                           TR_FMT(key->names[i]));
        TR_TRY(tr_rdf_graph_find_iri(c->graph, field->iri, &key->predicates[i],
                                     err));
    }
    c->key = key;
    TR_TRY(walk(c, KEEP, instances, err));
    if (c->count > FEW)
        TR_TRY(walk_many(c, instances, err));
    return compare_items(c, err);
}

/* What the ancestors have is checked with them, among all of their kind. */
static tr_status check_type(struct checking *c,
                            const struct tr_model_type *type, struct key *key,
                            struct tr_err *err)
{
    const struct tr_shape *shape = type->shape;
    key->type = type;
    for (size_t i = 0; i < shape->unique_count; i++) {
        if (shape->unique[i].count > TR_LIMIT_FIELDS)
            return tr_fail(err, TR_E_LIMIT, "too many unique fields");
        key->names = shape->unique[i].names;
        key->count = shape->unique[i].count;
        TR_TRY(check_key(c, key, err));
    }
    return TR_OK;
}

tr_status tr_graph_unique_check(const struct tr_rdf_graph *graph,
                                const struct tr_model *model,
                                tr_graph_unique_fn *is_new, void *context,
                                struct tr_err *err)
{
    struct checking c = {.graph = graph, .is_new = is_new, .context = context};
    struct key *key = calloc(1, sizeof(*key));
    if (!key)
        return tr_fail(err, TR_E_NOMEM, "no memory for unique values");
    c.seed = tr_hash_seed(key);
    tr_buf_init(&c.items, TR_LIMIT_GRAPH_TABLE);
    tr_status status = TR_OK;
    for (size_t i = 0; status == TR_OK && model && i < model->count; i++)
        status = check_type(&c, model->types[i], key, err);
    tr_buf_done(&c.items);
    free(key);
    return status;
}
