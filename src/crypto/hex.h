/*
 * crypto/hex.h - bytes as digits of base 16.
 */
#ifndef TR_CRYPTO_HEX_H
#define TR_CRYPTO_HEX_H

#include "base/str.h"

/* Writes 2 * bytes.len lower-case digits, and no NUL. */
void tr_hex_write(tr_str bytes, char *out);

/* Reads digits of either case into text.len / 2 bytes; false when one is none
 * or they are odd. */
bool tr_hex_read(tr_str text, unsigned char *out);

#endif
