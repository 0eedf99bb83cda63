#include "lua/random.h"

#include "base/bits.h"
#include "base/hash.h"

#include <sys/random.h>

/* SplitMix64, as the authors of xoshiro advise for seeding. */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void tr_lua_random_seed(struct tr_lua_random *random, uint64_t seed)
{
    for (size_t i = 0; i < TR_LEN(random->state); i++)
        random->state[i] = split_mix(&seed);
    random->is_seeded = true;
}

uint64_t tr_lua_random_next(struct tr_lua_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = tr_bits_rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = tr_bits_rotate_left(s[3], 45);
    return result;
}

double tr_lua_random_fraction(struct tr_lua_random *random)
{
    return (double)(tr_lua_random_next(random) >> 11) * 0x1p-53;
}

int64_t tr_lua_random_between(struct tr_lua_random *random, int64_t low,
                              int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low;
    if (span == UINT64_MAX)
        return (int64_t)tr_lua_random_next(random);
    /* Drop the numbers that would make the first ones more likely. */
    uint64_t count = span + 1;
    uint64_t unfair = (UINT64_MAX - count + 1) % count;
    uint64_t number = 0;
    do
        number = tr_lua_random_next(random);
    while (number < unfair);
    return (int64_t)((uint64_t)low + number % count);
}

uint64_t tr_lua_random_entropy(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) ==
        (ssize_t)sizeof(number))
        return number;
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return tr_hash((tr_str){(const char *)&now, sizeof(now)},
                   tr_hash_seed(&now));
}
