/*
 * crypto/base64.h - RFC 4648, strictly: one text for each value.
 *
 * Base64 has its padding, base64url has none. Decoding refuses other
 * characters, white space, padding that is missing or too much, and trailing
 * bits that are not zero. Results live in the arena.
 */
#ifndef TR_CRYPTO_BASE64_H
#define TR_CRYPTO_BASE64_H

#include "base/arena.h"
#include "base/err.h"

TR_NODISCARD tr_status tr_base64url_encode(struct tr_arena *arena, tr_str bytes,
                                           tr_str *out, struct tr_err *err);

/* Fail with TR_E_SYNTAX. */
TR_NODISCARD tr_status tr_base64_decode(struct tr_arena *arena, tr_str text,
                                        tr_str *out, struct tr_err *err);
TR_NODISCARD tr_status tr_base64url_decode(struct tr_arena *arena, tr_str text,
                                           tr_str *out, struct tr_err *err);

#endif
