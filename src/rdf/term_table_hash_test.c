#include "base/limits.h"
#include "base/test.h"
#include "rdf/term_table.h"
#include "support/steps.h"

static bool is_taken(const void *table, size_t slot)
{
    return ((const struct tr_rdf_term_slot *)table)[slot].id != 0;
}

static struct steps fill(enum hostility kind)
{
    struct tr_rdf_term_table table;
    struct tr_err err = {0};
    tr_rdf_term_table_init(&table, TR_MIB(64));
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char text[HOSTILE_BYTES];
        uint32_t id = 0;
        tr_rdf_term term = tr_rdf_term_iri(hostile_text(kind, i, text));
        CHECK_OK(tr_rdf_term_table_add(&table, &term,
                                       tr_rdf_term_table_hash(&table, &term),
                                       &id, &err),
                 &err);
    }
    struct steps steps =
        steps_of_slots(table.slots.ptr, (size_t)table.slot_mask + 1, is_taken);
    tr_rdf_term_table_done(&table);
    return steps;
}

TEST(hash_of_terms_in_memory_spreads_hostile_iris)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
