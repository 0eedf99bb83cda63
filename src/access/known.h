/*
 * access/known.h - credentials that were good, by a keyed digest of them.
 *
 * Bounded: a new one may take the place of an old one, which is then verified
 * again. Belongs to one loop.
 */
#ifndef TR_ACCESS_KNOWN_H
#define TR_ACCESS_KNOWN_H

#include "access/authority.h"
#include "base/err.h"
#include "crypto/siphash.h"

enum tr_known_kind { TR_KNOWN_STORED, TR_KNOWN_JWT };

struct tr_known {
    unsigned char digest[TR_SIPHASH_BYTES];
    enum tr_known_kind kind;
    int64_t expires_s; /* 0: never */
    uint64_t as_of;    /* the store's generation, or the round of keys */
    struct tr_authority authority;
};

/* All zero when it begins; takes no memory before the first is added. */
struct tr_known_table {
    struct tr_known **items;
};

/* NULL when it is not there. */
const struct tr_known *tr_known_find(const struct tr_known_table *table,
                                     const unsigned char *digest);

/* A copy of `draft`, texts included; borrowed until the next is added. */
TR_NODISCARD tr_status tr_known_add(struct tr_known_table *table,
                                    const struct tr_known *draft, int64_t now_s,
                                    const struct tr_known **out,
                                    struct tr_err *err);

void tr_known_done(struct tr_known_table *table);

/* In constant time. */
bool tr_known_same(const unsigned char a[TR_SIPHASH_BYTES],
                   const unsigned char b[TR_SIPHASH_BYTES]);

#endif
