/*
 * test/support/peer.h - the other end of a connection, in the test's own
 * thread: it turns the loop while it waits, so that nothing sleeps.
 */
#ifndef TR_TEST_PEER_H
#define TR_TEST_PEER_H

#include "base/str.h"

struct tr_loop;

/* Turns the loop until `done(data)`; the test fails after 20 seconds. */
void tr_peer_until(struct tr_loop *loop, bool (*done)(void *data), void *data);

/* Turns the loop until nothing more is to be done without waiting. */
void tr_peer_settle(struct tr_loop *loop);

/* A connection to 127.0.0.1. */
int tr_peer_connect(unsigned port);

/* Sends all of it, turning the loop where it must. */
void tr_peer_send(struct tr_loop *loop, int fd, tr_str text);

/*
 * Reads until the text ends with `end`, or the stream does when `end` is empty.
 * Returns the length; `out` is terminated.
 */
size_t tr_peer_read(struct tr_loop *loop, int fd, const char *end, char *out,
                    size_t size);

/* Whether the stream has ended, after what can be read was dropped. */
bool tr_peer_has_ended(struct tr_loop *loop, int fd);

#endif
