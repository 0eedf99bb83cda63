/*
 * server/slow.h - slow queries, kept in the store for who asks later
 * (server/doctor.h).
 *
 * The first loop hands what query/scans.h has noted to the writer, once a
 * second at most, and nobody waits for it; the rest is kept when the server
 * stops. One that is killed loses the last second.
 */
#ifndef TR_SERVER_SLOW_H
#define TR_SERVER_SLOW_H

#include "db/writer.h"
#include "loop/timer.h"
#include "query/scans.h"

struct tr_server_slow {
    struct tr_query_scans *scans;
    struct tr_graph_store *store;
    struct tr_loop *loop;
    struct tr_loop_timer timer;
    struct tr_db_write write;
    bool is_writing;
    struct tr_query_scan taken[TR_LIMIT_QUERY_SCANS]; /* that are written */
    size_t count;
};

/* The caller has set the scans, the store and the first loop. */
void tr_server_slow_start(struct tr_server_slow *slow);

/* On the loop, also for one that was never started: it hands over no more. */
void tr_server_slow_stop(struct tr_server_slow *slow);

/* After the loop has ended: keeps the rest; a failure is logged. */
void tr_server_slow_close(struct tr_server_slow *slow);

#endif
