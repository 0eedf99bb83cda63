/*
 * server/watch.h - notices that a file which the app was made from has changed,
 * however it was written: in place, in pieces, by another that takes its name,
 * through a link that leads elsewhere now.
 *
 * What happens in a folder is a reason to look, no more: once it has been quiet
 * for a moment, the files are compared with what was read. Other files, as
 * editors leave them beside, are none of the app's. Where the system watches no
 * folders, the files are looked at now and then. On the first loop.
 */
#ifndef TR_SERVER_WATCH_H
#define TR_SERVER_WATCH_H

#include "base/arena.h"
#include "loop/timer.h"

struct tr_server_sources;
struct tr_server_watched;

/* So long nothing must have happened, and so long that is waited for. */
#define TR_SERVER_WATCH_QUIET_MS 100
#define TR_SERVER_WATCH_MAX_MS   2000

/* After so much that is of no interest the files are looked at all the same:
 * the system forgets what nobody has read in time, and libuv does not say so.
 */
#define TR_SERVER_WATCH_PASSED 1000

/* How often files are looked at where they must be. */
#define TR_SERVER_WATCH_POLL_MS 200

struct tr_server_watch {
    struct tr_loop *loop; /* NULL: nothing is watched */
    const struct tr_server_sources *sources;
    void (*changed)(void *data); /* the app is to be loaded again */
    void *data;
    struct tr_server_watched *folders;
    struct tr_arena names; /* that matter in them */
    struct tr_loop_timer quiet;
    struct tr_loop_timer poll;
    unsigned passed;   /* what was of no interest since they were looked at */
    uint64_t first_ms; /* when something happened, while `quiet` waits */
    uint64_t stamp;    /* of the files, while they are polled */
    bool is_polling;
};

/* The caller has set what stands before `folders`. */
void tr_server_watch_start(struct tr_server_watch *watch);

/* The app was read again, so it is made from other files, perhaps. NULL is
 * allowed. */
void tr_server_watch_follow(struct tr_server_watch *watch);

/* As often as one likes, also when nothing was ever watched. */
void tr_server_watch_stop(struct tr_server_watch *watch);

#endif
