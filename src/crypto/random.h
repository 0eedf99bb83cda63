/*
 * crypto/random.h - random bytes that nobody can predict, UUIDs made of them,
 * and how to compare and wipe secrets.
 */
#ifndef TR_CRYPTO_RANDOM_H
#define TR_CRYPTO_RANDOM_H

#include "base/err.h"
#include "base/str.h"

/* Fails with TR_E_IO when the kernel refuses, which Linux does not do. */
TR_NODISCARD tr_status tr_crypto_random_bytes(void *out, size_t len,
                                              struct tr_err *err);

/*
 * Whether two secrets are equal, in a time that depends on their lengths only.
 */
bool tr_crypto_secret_eq(tr_str a, tr_str b);

/* Overwrites memory in a way that the compiler does not leave out. */
void tr_crypto_secret_wipe(void *memory, size_t len);

/* UUIDs that sort by the time they were made (RFC 9562, 5.7). */
#define TR_CRYPTO_UUID_BYTES 16
#define TR_CRYPTO_UUID_TEXT  36

/* Writes 8-4-4-4-12 lower-case digits, and no NUL, for a Unix time. */
TR_NODISCARD tr_status tr_crypto_uuid7(uint64_t unix_ms,
                                       char out[TR_CRYPTO_UUID_TEXT],
                                       struct tr_err *err);

/* As tr_crypto_uuid7, with random bytes that the caller brings. */
#define TR_CRYPTO_UUID_CHANCE 10
void tr_crypto_uuid7_of(uint64_t unix_ms,
                        const unsigned char chance[TR_CRYPTO_UUID_CHANCE],
                        char out[TR_CRYPTO_UUID_TEXT]);

/* A stock of random bytes, so that not each UUID costs a system call. */
struct tr_crypto_uuid_maker {
    unsigned char pool[1024];
    size_t left; /* of them, at the end */
};

/*
 * Makes the next UUID. A maker begins all zero, and belongs to one thread. The
 * bits behind the milliseconds are microseconds (RFC 9562, 6.2, method 3).
 */
TR_NODISCARD tr_status tr_crypto_uuid_maker_next(
    struct tr_crypto_uuid_maker *maker, int64_t unix_us,
    unsigned char out[TR_CRYPTO_UUID_BYTES], struct tr_err *err);

/* Writes a UUID as text, without a NUL. */
void tr_crypto_uuid_write(const unsigned char uuid[TR_CRYPTO_UUID_BYTES],
                          char out[TR_CRYPTO_UUID_TEXT]);

#endif
