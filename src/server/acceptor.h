/*
 * server/acceptor.h - one socket for all loops: a thread that does nothing but
 * accept connections and give each loop one in turn.
 *
 * With a socket for each loop (SO_REUSEPORT) another process could listen on
 * the same port and would get some of the connections. With one that all loops
 * poll, each connection wakes all of them, the first of which would soon have
 * most. And were one of them to accept for all, whatever keeps it busy would
 * keep everybody out.
 */
#ifndef TR_SERVER_ACCEPTOR_H
#define TR_SERVER_ACCEPTOR_H

#include "base/err.h"

#include <pthread.h>

struct tr_loop;
struct tr_net_listener;
struct tr_server_worker;

struct tr_server_acceptor {
    struct tr_loop *loop; /* NULL: not open */
    struct tr_net_listener *listener;
    struct tr_server_worker *workers;
    size_t worker_count;
    size_t turn; /* whose it is, modulo their count */
    pthread_t thread;
    bool has_thread;
};

/* Listens for these workers, which outlive it; `port` gets the port. */
TR_NODISCARD tr_status
tr_server_acceptor_open(struct tr_server_acceptor *acceptor, tr_str address,
                        unsigned *port, struct tr_err *err);

/* Starts to accept. From the first thread. */
TR_NODISCARD tr_status tr_server_acceptor_start(
    struct tr_server_acceptor *acceptor, struct tr_err *err);

/*
 * Nobody can connect any more; what was accepted is on its way to its loop. As
 * often as one likes, also when it was never opened.
 */
void tr_server_acceptor_close(struct tr_server_acceptor *acceptor);

#endif
