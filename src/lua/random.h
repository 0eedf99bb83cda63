/*
 * lua/random.h - the random numbers of one call (xoshiro256**).
 *
 * Not for secrets. The seed is recorded in the call's journal, so a handler
 * that is run again sees the same numbers.
 */
#ifndef TR_LUA_RANDOM_H
#define TR_LUA_RANDOM_H

#include "base/err.h"

struct tr_lua_random {
    uint64_t state[4];
    bool is_seeded;
};

void tr_lua_random_seed(struct tr_lua_random *random, uint64_t seed);

uint64_t tr_lua_random_next(struct tr_lua_random *random);

/* From 0 up to, not including, 1. */
double tr_lua_random_fraction(struct tr_lua_random *random);

/* From `low` to `high`, both included, all equally likely. */
int64_t tr_lua_random_between(struct tr_lua_random *random, int64_t low,
                              int64_t high);

/* A number that nobody can guess. */
uint64_t tr_lua_random_entropy(void);

#endif
