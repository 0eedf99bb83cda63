/*
 * test/support/owner.h - the owner of a stream that writes down what it hears.
 */
#ifndef TR_TEST_OWNER_H
#define TR_TEST_OWNER_H

#include "base/buf.h"
#include "net/stream.h"

struct tr_owner {
    struct tr_loop *loop; /* with a test clock */
    struct tr_net_stream *stream;
    char room[4096];
    struct tr_buf got;
    unsigned ends;
    tr_status end;
    unsigned drains;
    bool closed;
    bool no_room;
};

extern const struct tr_net_stream_ops tr_owner_ops;

void tr_owner_open(struct tr_owner *owner);

/* Closes the stream and the loop. */
void tr_owner_close(struct tr_owner *owner);

/* Queues a text. */
TR_NODISCARD tr_status tr_owner_write(struct tr_owner *owner, const char *text);

#endif
