#define TR_MAY_ALLOCATE
#include "lualib/memory.h"

#include "base/limits.h"

#include <lua.h>

/* Before each block: who is charged for how many of its bytes. */
struct head {
    uint32_t owner; /* a charge; 0 is nobody */
    uint32_t bytes;
};

_Static_assert(TR_LIMIT_LUA_STATE_BYTES <= UINT32_MAX, "they fit a head");

/* A block of this size takes longer to fill than one instruction should. */
#define LARGE TR_KIB(16)

/*
 * What others freed is never credited to those who allocated it, so a charge
 * may be too high; it cannot be more than all that is in use.
 */
static void correct(const struct tr_lualib_memory *m,
                    struct tr_lualib_charge *charge)
{
    size_t most = m->used > m->floor ? m->used - m->floor : 0;
    if (charge->bytes > most)
        charge->bytes = most;
}

static bool fits(const struct tr_lualib_memory *m,
                 struct tr_lualib_charge *charge, size_t more)
{
    if (more > charge->max)
        return false;
    if (charge->bytes > charge->max - more)
        correct(m, charge);
    return charge->bytes <= charge->max - more;
}

/*
 * Every refusal costs a full collection. A call that lives at its limit would
 * spend all its time in them, so after some it gets no further chance.
 */
static bool admit(struct tr_lualib_memory *m, size_t more)
{
    struct tr_lualib_charge *charge = m->charge;
    bool has_room = more <= m->max && m->used <= m->max - more;
    bool ok =
        has_room && (!charge || (charge->refusals <= TR_LIMIT_LUA_COLLECTIONS &&
                                 fits(m, charge, more)));
    if (ok && charge)
        charge->bytes += more;
    if (!ok && charge)
        charge->refusals++;
    if (!ok)
        m->at_ceiling = !has_room;
    return ok;
}

void tr_lualib_memory_charge(struct tr_lualib_memory *m,
                             struct tr_lualib_charge *charge)
{
    m->charge = charge;
    if (charge && charge->id == 0)
        charge->id = ++m->last_id ? m->last_id : ++m->last_id;
}

bool tr_lualib_memory_is_tight(struct tr_lualib_memory *m)
{
    const struct tr_lualib_charge *charge = m->charge;
    if (!charge ||
        (charge->bytes < charge->max / 4 * 3 && m->used < m->max / 4 * 3))
        return false;
    if (m->grown < charge->max / 8) /* a collection would not find much */
        return false;
    m->grown = 0;
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Charges the one that runs for the growth; what it was before is nobody's. */
static void charge_head(const struct tr_lualib_memory *m, struct head *head,
                        bool is_new, size_t more)
{
    uint32_t owner = m->charge ? m->charge->id : 0;
    if (is_new || head->owner != owner)
        *head = (struct head){.owner = owner};
    head->bytes += (uint32_t)more;
}

static void credit(struct tr_lualib_memory *m, struct head *head, size_t less)
{
    struct tr_lualib_charge *charge = m->charge;
    m->used -= less;
    if (!charge || head->owner != charge->id)
        return;
    size_t own = least(less, head->bytes);
    head->bytes -= (uint32_t)own;
    charge->bytes -= least(own, charge->bytes);
}

static void *shrink(struct tr_lualib_memory *m, struct head *head,
                    size_t old_size, size_t new_size)
{
    if (!head)
        return NULL;
    credit(m, head, old_size - new_size);
    if (new_size == 0) {
        free(head);
        return NULL;
    }
    struct head *smaller = realloc(head, sizeof(*head) + new_size);
    if (smaller)
        head = smaller; /* else it stays: Lua counts on this to succeed */
    return head + 1;
}

/*
 * Copying long strings takes time but few instructions: after some megabytes
 * the next instruction calls the hook, so that others get their turn.
 */
static void count_move(struct tr_lualib_memory *m, size_t size)
{
    m->moved += size;
    if (m->moved < TR_LIMIT_LUA_MOVED || !m->thread)
        return;
    m->moved = 0;
    lua_sethook(m->thread, lua_gethook(m->thread), LUA_MASKCOUNT, 1);
}

void *tr_lualib_alloc(void *memory, void *block, size_t old_size,
                      size_t new_size)
{
    struct tr_lualib_memory *m = memory;
    struct head *head = block ? (struct head *)block - 1 : NULL;
    if (!block)
        old_size = 0; /* for a new block it is a type, not a size */
    if (new_size <= old_size)
        return shrink(m, head, old_size, new_size);
    if (!admit(m, new_size - old_size))
        return NULL;
    struct head *grown = realloc(head, sizeof(*head) + new_size);
    if (!grown) {
        if (m->charge)
            m->charge->bytes -= new_size - old_size;
        m->exhausted = true;
        return NULL;
    }
    charge_head(m, grown, !head, new_size - old_size);
    m->used += new_size - old_size;
    m->grown += new_size - old_size;
    if (new_size >= LARGE)
        count_move(m, new_size);
    return grown + 1;
}
