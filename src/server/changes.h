/*
 * server/changes.h - tells clients what has changed in the store, whoever has
 * changed it: this process, another server, or a command.
 *
 * The feed is a table; this reads what is new in it, on the first loop, when
 * this process has committed and when the store's generation has moved. Each
 * change is told as trails://kg/<Type> and trails://kg/<Type>/<id>.
 */
#ifndef TR_SERVER_CHANGES_H
#define TR_SERVER_CHANGES_H

#include "graph/store.h"
#include "loop/timer.h"

#include <pthread.h>
#include <stdatomic.h>

struct tr_mcp_hub;
struct tr_cap_registry;

struct tr_server_changes {
    struct tr_graph_store *store;
    struct tr_mcp_hub *hub;
    struct tr_cap_registry *registry;
    struct tr_loop *loop;
    struct tr_graph_reader *reader;
    struct tr_loop_timer timer;
    struct tr_loop_parcel parcel;
    pthread_mutex_t lock; /* guards the next two */
    bool is_open;
    bool is_woken;           /* the parcel is on its way */
    uint64_t generation;     /* that was looked at */
    int64_t seen;            /* the last row */
    _Atomic uint64_t *count; /* of rows that were told */
};

/* Before anything else, on the thread that makes it all. */
void tr_server_changes_init(struct tr_server_changes *changes);

/* With the store, the hub, the registry and the first loop filled in. */
TR_NODISCARD tr_status
tr_server_changes_start(struct tr_server_changes *changes, struct tr_err *err);

/* Something was committed; `data` is the struct. From any thread. */
void tr_server_changes_wake(void *data);

/* On the loop; the timer ends. */
void tr_server_changes_stop(struct tr_server_changes *changes);

/* After tr_server_changes_stop, or when it was never started. */
void tr_server_changes_close(struct tr_server_changes *changes);

#endif
