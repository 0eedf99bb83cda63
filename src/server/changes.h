/*
 * server/changes.h - notifies clients of changes in the store, whoever made
 * them: this process, another server, or a command.
 *
 * The first loop reads what is new in the store's feed (graph/store.h) when
 * this process has committed, and when the store's generation has moved. It
 * tells the hub of each change under trails://kg/<Type> and
 * trails://kg/<Type>/<id>.
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
    /* Called when the store may have come to be another project's. */
    void (*lost)(void *data, const struct tr_err *err);
    void *lost_data;
    struct tr_graph_reader *reader; /* the loop's own */
    struct tr_loop_timer timer;
    struct tr_loop_parcel parcel;
    pthread_mutex_t lock; /* guards the next two */
    bool is_open;
    bool is_woken;           /* the parcel is on its way */
    uint64_t generation;     /* up to which the feed was read */
    int64_t seen;            /* the last row of the feed that was read */
    _Atomic uint64_t *count; /* of rows that were read */
};

/* To be called first, before other threads can wake it. */
void tr_server_changes_init(struct tr_server_changes *changes);

/* The caller has set the store, the hub, the registry, the first loop with its
 * reader, `lost` and `count`. */
TR_NODISCARD tr_status
tr_server_changes_start(struct tr_server_changes *changes, struct tr_err *err);

/* To be called after a commit, from any thread; `data` is the struct. */
void tr_server_changes_wake(void *data);

/* On the loop: it reads no more. */
void tr_server_changes_stop(struct tr_server_changes *changes);

/* After tr_server_changes_stop, or when it was never started; before the reader
 * goes. */
void tr_server_changes_close(struct tr_server_changes *changes);

#endif
