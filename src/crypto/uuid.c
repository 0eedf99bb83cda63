#include "crypto/encoding.h"
#include "crypto/random.h"

/* The groups of digits in a text, 8-4-4-4-12, and the bytes they are for. */
static const struct group {
    size_t from; /* bytes of the UUID */
    size_t len;
    size_t at; /* where their digits begin */
} groups[] = {{0, 4, 0}, {4, 2, 9}, {6, 2, 14}, {8, 2, 19}, {10, 6, 24}};

void tr_crypto_uuid_write(const unsigned char uuid[TR_CRYPTO_UUID_BYTES],
                          char out[TR_CRYPTO_UUID_TEXT])
{
    memset(out, '-', TR_CRYPTO_UUID_TEXT);
    for (size_t i = 0; i < TR_LEN(groups); i++)
        tr_crypto_hex_write(
            (tr_str){(const char *)uuid + groups[i].from, groups[i].len},
            out + groups[i].at);
}

static void put_ms(unsigned char *out, uint64_t unix_ms)
{
    for (size_t i = 0; i < 6; i++)
        out[i] = (unsigned char)(unix_ms >> (40 - 8 * i));
}

static void mark(unsigned char *uuid)
{
    uuid[6] = (unsigned char)(0x70 | (uuid[6] & 0x0F)); /* version 7 */
    uuid[8] = (unsigned char)(0x80 | (uuid[8] & 0x3F)); /* the variant */
}

void tr_crypto_uuid7_of(uint64_t unix_ms,
                        const unsigned char chance[TR_CRYPTO_UUID_CHANCE],
                        char out[TR_CRYPTO_UUID_TEXT])
{
    unsigned char bytes[TR_CRYPTO_UUID_BYTES];
    memcpy(bytes + 6, chance, TR_CRYPTO_UUID_CHANCE);
    put_ms(bytes, unix_ms);
    mark(bytes);
    tr_crypto_uuid_write(bytes, out);
}

tr_status tr_crypto_uuid7(uint64_t unix_ms, char out[TR_CRYPTO_UUID_TEXT],
                          struct tr_err *err)
{
    unsigned char chance[TR_CRYPTO_UUID_CHANCE];
    TR_TRY(tr_crypto_random_bytes(chance, sizeof(chance), err));
    tr_crypto_uuid7_of(unix_ms, chance, out);
    return TR_OK;
}

tr_status tr_crypto_uuid_maker_next(struct tr_crypto_uuid_maker *maker,
                                    int64_t unix_us,
                                    unsigned char out[TR_CRYPTO_UUID_BYTES],
                                    struct tr_err *err)
{
    const size_t chance = TR_CRYPTO_UUID_BYTES / 2;
    uint64_t us = unix_us > 0 ? (uint64_t)unix_us : 0;
    uint64_t fraction = us % 1000 * 4096 / 1000; /* in twelve bits */
    if (maker->left < chance) {
        TR_TRY(tr_crypto_random_bytes(maker->pool, sizeof(maker->pool), err));
        maker->left = sizeof(maker->pool);
    }
    put_ms(out, us / 1000);
    out[6] = (unsigned char)(fraction >> 8);
    out[7] = (unsigned char)fraction;
    memcpy(out + chance, maker->pool + sizeof(maker->pool) - maker->left,
           chance);
    maker->left -= chance;
    mark(out);
    return TR_OK;
}
