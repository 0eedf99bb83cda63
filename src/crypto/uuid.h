/*
 * crypto/uuid.h - UUIDs that sort by the time they were made (RFC 9562, 5.7).
 */
#ifndef TR_CRYPTO_UUID_H
#define TR_CRYPTO_UUID_H

#include "base/err.h"

#define TR_UUID_TEXT 36

/* Writes 8-4-4-4-12 lower-case digits, and no NUL, for a Unix time. */
TR_NODISCARD tr_status tr_uuid7(uint64_t unix_ms, char out[TR_UUID_TEXT],
                                struct tr_err *err);

#endif
