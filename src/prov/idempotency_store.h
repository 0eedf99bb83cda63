/*
 * prov/idempotency_store.h - the results of calls that came with an idempotency
 * key, for clients that send the call again.
 *
 * A row is found by the principal, the capability and the client's key; the
 * store has only a hash of these. It is written in the transaction that has the
 * activity of its call. A row that has expired is never found, and is deleted
 * some time later.
 */
#ifndef TR_PROV_IDEMPOTENCY_STORE_H
#define TR_PROV_IDEMPOTENCY_STORE_H

#include "base/arena.h"
#include "base/err.h"
#include "crypto/digest.h"

struct tr_db;
struct tr_json;

/* Hashes of what a call asks for, and of its arguments: a key must not be used
 * again with other arguments. */
struct tr_prov_idempotency_name {
    unsigned char id[TR_CRYPTO_SHA256_BYTES];
    unsigned char args[TR_CRYPTO_SHA256_BYTES];
};

struct tr_prov_idempotency_result {
    struct tr_prov_idempotency_name name;
    tr_str result;  /* as it was written; a NULL pointer: there is none */
    int64_t life_s; /* of a row that is put; 0: TR_LIMIT_IDEMPOTENCY_S */
};

/* The arguments count as values: the order of their keys does not matter. */
TR_NODISCARD tr_status tr_prov_idempotency_name_make(
    tr_str principal, tr_str capability, tr_str key, const struct tr_json *args,
    struct tr_prov_idempotency_name *out, struct tr_err *err);

/* Finds the row of `name->id`, with its result in `arena`. */
TR_NODISCARD tr_status tr_prov_idempotency_find(
    struct tr_db *db, const struct tr_prov_idempotency_name *name,
    int64_t now_s, struct tr_arena *arena,
    struct tr_prov_idempotency_result *out, struct tr_err *err);

/* Adds a row and deletes some that have expired; in a transaction that writes.
 */
TR_NODISCARD tr_status tr_prov_idempotency_put(
    struct tr_db *db, const struct tr_prov_idempotency_result *result,
    int64_t now_s, struct tr_err *err);

/* Deletes it, if it is there; in a transaction that writes. */
TR_NODISCARD tr_status tr_prov_idempotency_drop(
    struct tr_db *db, const struct tr_prov_idempotency_name *name,
    struct tr_err *err);

/*
 * Replaces an IRI, or the beginning of one, in all results, and counts those
 * that had it; in a transaction that writes. Where `from` goes on a word
 * ("xtrails://") it is no IRI.
 */
TR_NODISCARD tr_status tr_prov_idempotency_replace(struct tr_db *db,
                                                   tr_str from, tr_str to,
                                                   uint64_t *count,
                                                   struct tr_err *err);

#endif
