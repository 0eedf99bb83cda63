#include "base/test.h"
#include "rdf/id_hash.h"
#include "support/steps.h"

static bool is_taken(const void *table, size_t slot)
{
    return ((const tr_rdf_id *)table)[slot] != TR_RDF_ID_NONE;
}

static struct steps fill(enum hostility kind)
{
    struct tr_rdf_id_hash set;
    struct tr_err err = {0};
    uint64_t old = old_hash_id(hostile_id(HOSTILE, 0)) % (1 << 24);
    tr_rdf_id_hash_init(&set);
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        bool is_new = false;
        tr_rdf_id id = hostile_id(kind, i);
        CHECK(kind == HARMLESS || old_hash_id(id) % (1 << 24) == old);
        CHECK_OK(tr_rdf_id_hash_add(&set, id, &is_new, &err), &err);
        CHECK(is_new);
    }
    struct steps steps = steps_of_slots(set.slots.ptr, set.mask + 1, is_taken);
    tr_rdf_id_hash_done(&set);
    return steps;
}

TEST(hash_of_a_set_of_ids_spreads_hostile_ids)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
