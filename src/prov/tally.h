/*
 * prov/tally.h - what calls came to since it was last written, in memory; for
 * this folder only.
 *
 * A tally is filled by one thread, and written by another while that one fills
 * the next.
 */
#ifndef TR_PROV_TALLY_H
#define TR_PROV_TALLY_H

#include "base/map.h"
#include "prov/measure.h"

/* Buckets: 0 to 7 by themselves, then eight for each power of two. */
#define TR_PROV_BUCKETS ((unsigned)(8 + 61 * 8))

unsigned tr_prov_bucket_of(uint64_t value);

/* The middle of a bucket. */
uint64_t tr_prov_bucket_value(unsigned bucket);

struct tr_prov_tally_entry;

struct tr_prov_tally {
    struct tr_arena arena;
    struct tr_map entries; /* by id: the first version of each */
    struct tr_prov_tally_entry *first;
    struct tr_prov_tally_entry *last; /* looked up: often the next one, too */
};

void tr_prov_tally_init(struct tr_prov_tally *tally);
void tr_prov_tally_done(struct tr_prov_tally *tally);
void tr_prov_tally_clear(struct tr_prov_tally *tally);
bool tr_prov_tally_is_empty(const struct tr_prov_tally *tally);

/* Without memory a call is not counted. */
void tr_prov_tally_add(struct tr_prov_tally *tally,
                       const struct tr_prov_actual *actual);

/* Adds what the other has, and clears it. */
void tr_prov_tally_take(struct tr_prov_tally *tally,
                        struct tr_prov_tally *other);

/*
 * Adds it to what the store has, in a transaction that writes, and forgets what
 * is too old at `now_us`.
 */
TR_NODISCARD tr_status tr_prov_tally_write(struct tr_prov_tally *tally,
                                           struct tr_db *db, int64_t now_us,
                                           struct tr_err *err);

/* After the commit: logs which were over their estimates, but a capability no
 * more than once an hour, whichever process it is. */
void tr_prov_tally_warn(const struct tr_prov_tally *tally);

#endif
