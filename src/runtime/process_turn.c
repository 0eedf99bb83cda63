#include "runtime/process_turn.h"

#include <fcntl.h>

/* Bytes of the file: eight that are used, then two for each turn, to be the
 * next and to have it. */
#define FIRST 8
#define TURNS ((uint32_t)1 << 20)

/* The lock belongs to the open file, not to the thread that asks for it. */
static bool set_lock(int file, uint32_t byte, short type)
{
    struct flock lock = {.l_type = type,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)FIRST + byte,
                         .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

static uint32_t next_byte(const struct tr_call_process_turn *turn)
{
    return 2 * turn->locks[0];
}

void tr_call_process_turn_want(struct tr_call_process_turn *turn,
                               const struct tr_graph_race *race)
{
    turn->count = 0;
    for (size_t i = 0; i < race->count; i++) {
        uint32_t lock = (uint32_t)(race->rivals[i].key % TURNS);
        size_t at = 0;
        while (at < turn->count && turn->locks[at] < lock)
            at++;
        if (at < turn->count && turn->locks[at] == lock)
            continue;
        memmove(&turn->locks[at + 1], &turn->locks[at],
                (turn->count - at) * sizeof(lock));
        turn->locks[at] = lock;
        turn->count++;
    }
}

static void unlock(const struct tr_call_process_turn *turn, int file,
                   size_t count)
{
    while (count > 0)
        (void)set_lock(file, 2 * turn->locks[--count] + 1, F_UNLCK);
}

/* All of them or none, so that nobody waits while it keeps others waiting. */
static bool lock_all(const struct tr_call_process_turn *turn, int file)
{
    size_t taken = 0;
    while (taken < turn->count &&
           set_lock(file, 2 * turn->locks[taken] + 1, F_WRLCK))
        taken++;
    if (taken < turn->count)
        unlock(turn, file, taken);
    return taken == turn->count;
}

bool tr_call_process_turn_take(struct tr_call_process_turn *turn, int file)
{
    if (!turn->is_next)
        turn->is_next = set_lock(file, next_byte(turn), F_WRLCK);
    if (!turn->is_next || !lock_all(turn, file))
        return false;
    (void)set_lock(file, next_byte(turn), F_UNLCK);
    turn->is_next = false;
    turn->is_ours = true;
    return true;
}

void tr_call_process_turn_leave(struct tr_call_process_turn *turn, int file)
{
    if (turn->is_ours)
        unlock(turn, file, turn->count);
    if (turn->is_next)
        (void)set_lock(file, next_byte(turn), F_UNLCK);
    turn->is_ours = turn->is_next = false;
}
