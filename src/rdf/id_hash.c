#include "rdf/id_hash.h"

#include "base/hash.h"
#include "base/limits.h"

void tr_rdf_id_hash_init(struct tr_rdf_id_hash *set)
{
    set->count = 0;
    set->mask = 0;
    set->seed = tr_hash_seed(set);
    tr_buf_init(&set->slots, TR_LIMIT_VALIDATION_BYTES);
}

void tr_rdf_id_hash_done(struct tr_rdf_id_hash *set)
{
    tr_buf_done(&set->slots);
}

static tr_rdf_id *slots_of(const struct tr_rdf_id_hash *set)
{
    return (tr_rdf_id *)(void *)set->slots.ptr;
}

/* The slot that has the id, or the free one where it belongs. */
static tr_rdf_id *probe(const struct tr_rdf_id_hash *set, tr_rdf_id *slots,
                        size_t mask, tr_rdf_id id)
{
    size_t at = (size_t)tr_hash_u64(id, set->seed);
    while (slots[at & mask] != TR_RDF_ID_NONE && slots[at & mask] != id)
        at++;
    return &slots[at & mask];
}

bool tr_rdf_id_hash_has(const struct tr_rdf_id_hash *set, tr_rdf_id id)
{
    if (set->mask)
        return *probe(set, slots_of(set), set->mask, id) == id;
    for (size_t i = 0; i < set->count; i++) {
        if (set->few[i] == id)
            return true;
    }
    return false;
}

static tr_status grow(struct tr_rdf_id_hash *set, struct tr_err *err)
{
    size_t count =
        set->mask ? (set->mask + 1) * 2 : (size_t)TR_RDF_ID_HASH_SMALL * 4;
    struct tr_buf larger;
    tr_buf_init(&larger, set->slots.max);
    if (!tr_buf_grow(&larger, count * sizeof(tr_rdf_id)))
        return tr_buf_check(&larger, err);
    tr_rdf_id *to = (tr_rdf_id *)(void *)larger.ptr;
    memset(to, 0, count * sizeof(tr_rdf_id));
    const tr_rdf_id *from = set->mask ? slots_of(set) : set->few;
    size_t old = set->mask ? set->mask + 1 : set->count;
    for (size_t i = 0; i < old; i++) {
        if (from[i] != TR_RDF_ID_NONE)
            *probe(set, to, count - 1, from[i]) = from[i];
    }
    tr_buf_done(&set->slots);
    set->slots = larger;
    set->mask = count - 1;
    return TR_OK;
}

tr_status tr_rdf_id_hash_add(struct tr_rdf_id_hash *set, tr_rdf_id id,
                             bool *is_new, struct tr_err *err)
{
    *is_new = !tr_rdf_id_hash_has(set, id);
    if (!*is_new)
        return TR_OK;
    if (!set->mask && set->count < TR_RDF_ID_HASH_SMALL) {
        set->few[set->count++] = id;
        return TR_OK;
    }
    if (!set->mask || set->count >= set->mask / 4 * 3)
        TR_TRY(grow(set, err));
    *probe(set, slots_of(set), set->mask, id) = id;
    set->count++;
    return TR_OK;
}
