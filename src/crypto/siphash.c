#include "crypto/siphash.h"

#include <endian.h>

struct state {
    uint64_t v0;
    uint64_t v1;
    uint64_t v2;
    uint64_t v3;
};

static inline uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void round_once(struct state *s)
{
    s->v0 += s->v1;
    s->v1 = rotate(s->v1, 13) ^ s->v0;
    s->v0 = rotate(s->v0, 32);
    s->v2 += s->v3;
    s->v3 = rotate(s->v3, 16) ^ s->v2;
    s->v0 += s->v3;
    s->v3 = rotate(s->v3, 21) ^ s->v0;
    s->v2 += s->v1;
    s->v1 = rotate(s->v1, 17) ^ s->v2;
    s->v2 = rotate(s->v2, 32);
}

static inline void add_word(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    round_once(s);
    round_once(s);
    s->v0 ^= word;
}

/* Eight bytes of the result. */
static void put_word(struct state *s, unsigned char *out)
{
    for (int i = 0; i < 4; i++)
        round_once(s);
    uint64_t word = htole64(s->v0 ^ s->v1 ^ s->v2 ^ s->v3);
    memcpy(out, &word, sizeof(word));
}

static uint64_t read_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return le64toh(word);
}

void tr_siphash_key_init(struct tr_siphash_key *key,
                         const unsigned char bytes[TR_SIPHASH_BYTES])
{
    key->low = read_word((const char *)bytes);
    key->high = read_word((const char *)bytes + 8);
}

void tr_siphash(const struct tr_siphash_key *key, tr_str bytes,
                unsigned char out[TR_SIPHASH_BYTES])
{
    /* The constants of the paper; 0xEE and 0xDD are those of 128 bits. */
    struct state s = {
        .v0 = key->low ^ UINT64_C(0x736f6d6570736575),
        .v1 = key->high ^ UINT64_C(0x646f72616e646f6d) ^ 0xEE,
        .v2 = key->low ^ UINT64_C(0x6c7967656e657261),
        .v3 = key->high ^ UINT64_C(0x7465646279746573),
    };
    size_t whole = bytes.len - bytes.len % 8;
    for (size_t i = 0; i < whole; i += 8)
        add_word(&s, read_word(bytes.ptr + i));
    uint64_t last = (uint64_t)bytes.len << 56;
    for (size_t i = whole; i < bytes.len; i++)
        last |= (uint64_t)(unsigned char)bytes.ptr[i] << 8 * (i - whole);
    add_word(&s, last);
    s.v2 ^= 0xEE;
    put_word(&s, out);
    s.v1 ^= 0xDD;
    put_word(&s, out + 8);
}
