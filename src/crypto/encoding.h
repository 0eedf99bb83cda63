/*
 * crypto/encoding.h - bytes as text: base 16, base64 and base64url.
 */
#ifndef TR_CRYPTO_ENCODING_H
#define TR_CRYPTO_ENCODING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* Writes 2 * bytes.len lower-case digits, and no NUL. */
void tr_crypto_hex_write(tr_str bytes, char *out);

/*
 * Reads digits of either case into text.len / 2 bytes; false for another
 * character, and for an odd number of digits.
 */
bool tr_crypto_hex_read(tr_str text, unsigned char *out);

/*
 * RFC 4648, strictly: one text for each value. Base64 has its padding,
 * base64url has none. Decoding refuses other characters, white space, padding
 * that is missing or too much, and trailing bits that are not zero. Results
 * live in the arena.
 */
TR_NODISCARD tr_status tr_crypto_base64_encode(struct tr_arena *arena,
                                               tr_str bytes, tr_str *out,
                                               struct tr_err *err);
TR_NODISCARD tr_status tr_crypto_base64url_encode(struct tr_arena *arena,
                                                  tr_str bytes, tr_str *out,
                                                  struct tr_err *err);

/* Both fail with TR_E_SYNTAX for a text that is not exactly right. */
TR_NODISCARD tr_status tr_crypto_base64_decode(struct tr_arena *arena,
                                               tr_str text, tr_str *out,
                                               struct tr_err *err);
TR_NODISCARD tr_status tr_crypto_base64url_decode(struct tr_arena *arena,
                                                  tr_str text, tr_str *out,
                                                  struct tr_err *err);

#endif
