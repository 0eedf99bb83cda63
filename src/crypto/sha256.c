#include "base/hash.h"
#include "crypto/digest.h"
#include "crypto/random.h"

#define BLOCK 64

/* FIPS 180-4, section 4.2.2 */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t load(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

/* Section 6.2.2, step 1 */
static void schedule(uint32_t w[64], const unsigned char *block)
{
    for (size_t i = 0; i < 16; i++)
        w[i] = load(block + 4 * i);
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = w[i - 15];
        uint32_t b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] +
               (tr_bits_rotate_right_32(a, 7) ^ tr_bits_rotate_right_32(a, 18) ^
                a >> 3) +
               (tr_bits_rotate_right_32(b, 17) ^
                tr_bits_rotate_right_32(b, 19) ^ b >> 10);
    }
}

/*
 * Section 6.2.2, step 3, for one t. In the standard the values of a to h move
 * on by one variable with each step; here they stay, and n says where they are:
 * a is s[-n mod 8]. As n is a constant, all of it stays in registers.
 */
static inline void step(uint32_t s[8], unsigned n, uint32_t k_and_w)
{
    uint32_t a = s[(8 - n) & 7];
    uint32_t b = s[(9 - n) & 7];
    uint32_t c = s[(10 - n) & 7];
    uint32_t e = s[(12 - n) & 7];
    uint32_t f = s[(13 - n) & 7];
    uint32_t g = s[(14 - n) & 7];
    uint32_t *d = &s[(11 - n) & 7];
    uint32_t *h = &s[(15 - n) & 7];
    uint32_t sum1 = tr_bits_rotate_right_32(e, 6) ^
                    tr_bits_rotate_right_32(e, 11) ^
                    tr_bits_rotate_right_32(e, 25);
    uint32_t t1 = *h + sum1 + ((e & f) ^ (~e & g)) + k_and_w;
    uint32_t sum0 = tr_bits_rotate_right_32(a, 2) ^
                    tr_bits_rotate_right_32(a, 13) ^
                    tr_bits_rotate_right_32(a, 22);
    *d += t1;
    *h = t1 + sum0 + ((a & b) ^ (a & c) ^ (b & c));
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    uint32_t s[8];
    schedule(w, block);
    memcpy(s, state, sizeof(s));
    for (size_t t = 0; t < 64; t += 8) {
        step(s, 0, constants[t] + w[t]);
        step(s, 1, constants[t + 1] + w[t + 1]);
        step(s, 2, constants[t + 2] + w[t + 2]);
        step(s, 3, constants[t + 3] + w[t + 3]);
        step(s, 4, constants[t + 4] + w[t + 4]);
        step(s, 5, constants[t + 5] + w[t + 5]);
        step(s, 6, constants[t + 6] + w[t + 6]);
        step(s, 7, constants[t + 7] + w[t + 7]);
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void tr_crypto_sha256_init(struct tr_crypto_sha256 *sha)
{
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memcpy(sha->state, start, sizeof(start));
    sha->len = 0;
}

void tr_crypto_sha256_add(struct tr_crypto_sha256 *sha, tr_str bytes)
{
    size_t held = sha->len % BLOCK;
    sha->len += bytes.len;
    if (held + bytes.len < BLOCK) {
        if (bytes.len)
            memcpy(sha->block + held, bytes.ptr, bytes.len);
        return;
    }
    if (held) {
        memcpy(sha->block + held, bytes.ptr, BLOCK - held);
        compress(sha->state, sha->block);
        bytes = tr_str_skip(bytes, BLOCK - held);
    }
    for (; bytes.len >= BLOCK; bytes = tr_str_skip(bytes, BLOCK))
        compress(sha->state, (const unsigned char *)bytes.ptr);
    if (bytes.len)
        memcpy(sha->block, bytes.ptr, bytes.len);
}

/* Section 5.1.1, padding: a one, zeros, and the length in bits. */
void tr_crypto_sha256_done(struct tr_crypto_sha256 *sha,
                           unsigned char out[TR_CRYPTO_SHA256_BYTES])
{
    unsigned char padding[BLOCK + 8] = {0x80};
    uint64_t bits = sha->len * 8;
    size_t held = sha->len % BLOCK;
    size_t zeros = (held < 56 ? 56 : 120) - held;
    for (size_t i = 0; i < 8; i++)
        padding[zeros + i] = (unsigned char)(bits >> (56 - 8 * i));
    tr_crypto_sha256_add(sha, (tr_str){(const char *)padding, zeros + 8});
    for (size_t i = 0; i < TR_CRYPTO_SHA256_BYTES; i++)
        out[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void tr_crypto_sha256(tr_str bytes, unsigned char out[TR_CRYPTO_SHA256_BYTES])
{
    struct tr_crypto_sha256 sha;
    tr_crypto_sha256_init(&sha);
    tr_crypto_sha256_add(&sha, bytes);
    tr_crypto_sha256_done(&sha, out);
}

void tr_crypto_hmac_init(struct tr_crypto_hmac *hmac, tr_str key)
{
    unsigned char inner[BLOCK] = {0};
    unsigned char outer[BLOCK];
    if (key.len > BLOCK)
        tr_crypto_sha256(key, inner);
    else if (key.len)
        memcpy(inner, key.ptr, key.len);
    for (size_t i = 0; i < BLOCK; i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }
    tr_crypto_sha256_init(&hmac->inner);
    tr_crypto_sha256_add(&hmac->inner, (tr_str){(const char *)inner, BLOCK});
    tr_crypto_sha256_init(&hmac->outer);
    tr_crypto_sha256_add(&hmac->outer, (tr_str){(const char *)outer, BLOCK});
    tr_crypto_secret_wipe(inner, sizeof(inner));
    tr_crypto_secret_wipe(outer, sizeof(outer));
}

void tr_crypto_hmac_add(struct tr_crypto_hmac *hmac, tr_str bytes)
{
    tr_crypto_sha256_add(&hmac->inner, bytes);
}

void tr_crypto_hmac_done(struct tr_crypto_hmac *hmac,
                         unsigned char out[TR_CRYPTO_SHA256_BYTES])
{
    tr_crypto_sha256_done(&hmac->inner, out);
    tr_crypto_sha256_add(&hmac->outer,
                         (tr_str){(const char *)out, TR_CRYPTO_SHA256_BYTES});
    tr_crypto_sha256_done(&hmac->outer, out);
}
