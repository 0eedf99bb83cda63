/*
 * crypto/keys.h - the keys that seal, in a file that processes share.
 *
 *     trails-keys 1
 *     current 2026-07-28T12:00:00Z <64 digits of base 16>
 *     previous 2026-07-28T12:00:00Z <64 digits of base 16>
 *
 * A key seals from its time on. `previous` was current until its time and is
 * still accepted for 24 hours. The file is 0600 in a folder that others cannot
 * write to; anything else is refused with what to do about it.
 */
#ifndef TR_CRYPTO_KEYS_H
#define TR_CRYPTO_KEYS_H

#include "base/err.h"

struct tr_keys;

/*
 * Reads the keys, and makes the file (and its folder, 0700) when there is
 * none. Two processes that do so at once end with the same keys. `now` is in
 * Unix seconds. On success *out is the caller's.
 */
TR_NODISCARD tr_status tr_keys_open(const char *path, int64_t now,
                                    struct tr_keys **out, struct tr_err *err);

/* Keys that live only as long as the process. */
TR_NODISCARD tr_status tr_keys_create(struct tr_keys **out, struct tr_err *err);

/* A new current key; the one before is accepted for 24 hours more. */
TR_NODISCARD tr_status tr_keys_rotate(const char *path, int64_t now,
                                      struct tr_err *err);

/* Whether both seal and accept the same. */
bool tr_keys_same(const struct tr_keys *a, const struct tr_keys *b);

/* Wipes them. NULL is allowed. */
void tr_keys_free(struct tr_keys *keys);

#endif
