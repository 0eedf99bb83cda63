/*
 * lualib/memory.h - the allocator of a state, which charges the call that runs.
 *
 * Growth is charged to the budget in force. A request that does not fit is
 * refused, whereupon Lua runs a full collection and asks once more; a second
 * refusal is a memory error in the running call, and in no other.
 */
#ifndef TR_LUALIB_MEMORY_H
#define TR_LUALIB_MEMORY_H

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_State;

/*
 * What one call holds; at least that, since others may free what it allocated.
 * What it frees of others' memory is not credited to it.
 */
struct tr_lualib_charge {
    uint32_t id; /* among those of a state; 0 until it has one */
    size_t bytes;
    size_t max;
    unsigned refusals;
};

struct tr_lualib_memory {
    size_t used;
    size_t max;   /* the state's ceiling */
    size_t floor; /* what the app itself takes, since it was loaded */
    size_t moved; /* bytes handed out in large pieces since the last hook */
    size_t
        grown; /* bytes handed out since tr_lualib_memory_is_tight was true */
    struct lua_State *thread;        /* what runs, for its hook */
    struct tr_lualib_charge *charge; /* of what runs; NULL: only the ceiling */
    uint32_t last_id;                /* given to a charge */
    bool at_ceiling; /* what was refused last was so for `max` */
    bool exhausted;  /* the system had no more */
};

/*
 * Whether it is time for a full collection. Buffers of Lua's library do not ask
 * a second time, so they need room before they are filled.
 */
bool tr_lualib_memory_is_tight(struct tr_lualib_memory *m);

/* From now on `charge` is charged; NULL: nobody. */
void tr_lualib_memory_charge(struct tr_lualib_memory *m,
                             struct tr_lualib_charge *charge);

/* A lua_Alloc; `memory` is a struct tr_lualib_memory. */
void *tr_lualib_alloc(void *memory, void *block, size_t old_size,
                      size_t new_size);

#endif
