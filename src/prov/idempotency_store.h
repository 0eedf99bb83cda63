/*
 * prov/idempotency_store.h - the results of calls that came with an idempotency
 * key, for who sends it again.
 *
 * A row is found by whose it is, what was called and the client's key, of all
 * of which the store has but a hash. It goes with the activity of its call, in
 * the same transaction, and is as good as gone when it has expired.
 */
#ifndef TR_PROV_IDEMPOTENCY_STORE_H
#define TR_PROV_IDEMPOTENCY_STORE_H

#include "base/arena.h"
#include "base/err.h"
#include "crypto/digest.h"

struct tr_db;
struct tr_json;

/* What a call asks for: two with the same id must have the same arguments. */
struct tr_prov_idempotency_name {
    unsigned char id[TR_CRYPTO_SHA256_BYTES];
    unsigned char args[TR_CRYPTO_SHA256_BYTES];
};

struct tr_prov_idempotency_result {
    struct tr_prov_idempotency_name name;
    tr_str result; /* as it was written; its pointer is NULL: there is none */
};

/* The arguments count as values: the order of their keys does not matter. */
TR_NODISCARD tr_status tr_prov_idempotency_name_make(
    tr_str principal, tr_str capability, tr_str key, const struct tr_json *args,
    struct tr_prov_idempotency_name *out, struct tr_err *err);

/* What is there for `id`, with its result in `arena`. */
TR_NODISCARD tr_status tr_prov_idempotency_find(
    struct tr_db *db, const struct tr_prov_idempotency_name *name,
    int64_t now_s, struct tr_arena *arena,
    struct tr_prov_idempotency_result *out, struct tr_err *err);

/* In a transaction that writes. Some that have expired go. */
TR_NODISCARD tr_status tr_prov_idempotency_put(
    struct tr_db *db, const struct tr_prov_idempotency_result *kept,
    int64_t now_s, struct tr_err *err);

#endif
