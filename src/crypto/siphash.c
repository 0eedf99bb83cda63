#include "base/hash.h"
#include "crypto/digest.h"

#include <endian.h>

static inline void round_once(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = tr_bits_rotate_left(v[1], 13) ^ v[0];
    v[0] = tr_bits_rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = tr_bits_rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = tr_bits_rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = tr_bits_rotate_left(v[1], 17) ^ v[2];
    v[2] = tr_bits_rotate_left(v[2], 32);
}

static inline void add_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    round_once(v);
    round_once(v);
    v[0] ^= word;
}

/* Writes eight bytes of the result. */
static void put_word(uint64_t v[4], unsigned char *out)
{
    for (int i = 0; i < 4; i++)
        round_once(v);
    uint64_t word = htole64(v[0] ^ v[1] ^ v[2] ^ v[3]);
    memcpy(out, &word, sizeof(word));
}

static uint64_t read_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return le64toh(word);
}

void tr_crypto_siphash_key_init(
    struct tr_crypto_siphash_key *key,
    const unsigned char bytes[TR_CRYPTO_SIPHASH_BYTES])
{
    key->low = read_word((const char *)bytes);
    key->high = read_word((const char *)bytes + 8);
}

/*
 * Constants are those of Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF"; 0xEE here and below, and 0xDD, are for digests of 128 bits.
 */
void tr_crypto_siphash_init(struct tr_crypto_siphash *sip,
                            const struct tr_crypto_siphash_key *key)
{
    *sip = (struct tr_crypto_siphash){
        .v = {key->low ^ UINT64_C(0x736f6d6570736575),
              key->high ^ UINT64_C(0x646f72616e646f6d) ^ 0xEE,
              key->low ^ UINT64_C(0x6c7967656e657261),
              key->high ^ UINT64_C(0x7465646279746573)}};
}

/* The last `count` bytes before `end`, fewer than eight, the first of which is
 * the lowest; `has_word` when eight may be read there. */
static uint64_t read_rest(const char *end, size_t count, bool has_word)
{
    uint64_t word = 0;
    if (has_word && count)
        return read_word(end - 8) >> 8 * (8 - count);
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)(unsigned char)end[(ptrdiff_t)i - (ptrdiff_t)count]
                << 8 * i;
    return word;
}

/* A word may begin in the piece before: `tail` has what there is of it. */
void tr_crypto_siphash_add(struct tr_crypto_siphash *sip, tr_str bytes)
{
    size_t held = sip->len % 8;
    size_t missing = held ? 8 - held : 0;
    const char *at = bytes.ptr;
    const char *end = bytes.len ? at + bytes.len : at;
    uint64_t v[4] = {sip->v[0], sip->v[1], sip->v[2], sip->v[3]};
    sip->len += bytes.len;
    if (held + bytes.len < 8) {
        sip->tail |= read_rest(end, bytes.len, false) << 8 * held;
        return;
    }
    if (held) {
        uint64_t first = read_rest(at + missing, missing, false);
        add_word(v, sip->tail | first << 8 * held);
        at += missing;
    }
    for (; end - at >= 8; at += 8)
        add_word(v, read_word(at));
    sip->tail = read_rest(end, (size_t)(end - at), bytes.len >= 8);
    memcpy(sip->v, v, sizeof(v));
}

void tr_crypto_siphash_done(struct tr_crypto_siphash *sip,
                            unsigned char out[TR_CRYPTO_SIPHASH_BYTES])
{
    add_word(sip->v, sip->tail | sip->len << 56);
    sip->v[2] ^= 0xEE;
    put_word(sip->v, out);
    sip->v[1] ^= 0xDD;
    put_word(sip->v, out + 8);
}

void tr_crypto_siphash(const struct tr_crypto_siphash_key *key, tr_str bytes,
                       unsigned char out[TR_CRYPTO_SIPHASH_BYTES])
{
    struct tr_crypto_siphash sip;
    tr_crypto_siphash_init(&sip, key);
    tr_crypto_siphash_add(&sip, bytes);
    tr_crypto_siphash_done(&sip, out);
}
