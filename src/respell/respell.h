/*
 * respell/respell.h - values of a store in one spelling.
 *
 * A value of a declared field has one spelling in a store (decision 0025). What
 * is written is spelt so from the start; what a store has from before, or has
 * got before its predicate was declared, is put right when it is opened with
 * the app's model. The store keeps for which predicates and kinds that was
 * done: a predicate that is declared no more is forgotten.
 */
#ifndef TR_RESPELL_RESPELL_H
#define TR_RESPELL_RESPELL_H

#include "base/err.h"

struct tr_db;
struct tr_model;

struct tr_respell_done {
    uint64_t values; /* that were spelt otherwise, in all graphs */
    char clash[256]; /* two nodes that have the same unique value now, or "" */
};

/* Whether the store has to be put right for this model. */
TR_NODISCARD tr_status tr_respell_is_due(struct tr_db *db,
                                         const struct tr_model *model,
                                         bool *out, struct tr_err *err);

/* Adds all of a model that this depends on. */
struct tr_crypto_siphash;
void tr_respell_digest(const struct tr_model *model,
                       struct tr_crypto_siphash *out);

/*
 * Puts the store right, in a transaction of its own, when that is due. Nodes
 * keep their versions: what they say stays the same. Values of two nodes that
 * turn out to be equal do not stop it, and are told.
 */
TR_NODISCARD tr_status tr_respell_store(struct tr_db *db,
                                        const struct tr_model *model,
                                        struct tr_respell_done *out,
                                        struct tr_err *err);

#endif
