/*
 * values/build.h - indexes by value are built and dropped, when a store is
 * opened with an app's model: in one transaction, so that nobody sees a part of
 * one. So are the rows that every field has, and those with `index = false` do
 * not (decision 0034): these are counted as indexes, too.
 */
#ifndef TR_VALUES_BUILD_H
#define TR_VALUES_BUILD_H

#include "db/db.h"
#include "model/model.h"

struct tr_graph_terms;

struct tr_values_wanted {
    const struct tr_model *model;
    /* Called now and then, with how many rows there are so far; may be NULL. */
    void (*told)(void *data, uint64_t rows);
    void *data;
};

struct tr_values_built {
    size_t built;
    size_t dropped;
    uint64_t rows; /* of those that were built */
};

/* Whether the store has other indexes than the model declares. */
TR_NODISCARD tr_status tr_values_is_due(struct tr_db *db,
                                        const struct tr_model *model, bool *out,
                                        struct tr_err *err);

/* Adds all of a model that this depends on. */
struct tr_crypto_siphash;
void tr_values_digest(const struct tr_model *model,
                      struct tr_crypto_siphash *out);

/* Builds and drops, when that is due, in a transaction of its own. */
TR_NODISCARD tr_status tr_values_sync(struct tr_db *db,
                                      const struct tr_values_wanted *wanted,
                                      struct tr_values_built *out,
                                      struct tr_err *err);

/* The same in a transaction that writes. */
TR_NODISCARD tr_status tr_values_build(struct tr_db *db,
                                       struct tr_graph_terms *terms,
                                       const struct tr_values_wanted *wanted,
                                       struct tr_values_built *out,
                                       struct tr_err *err);

#endif
