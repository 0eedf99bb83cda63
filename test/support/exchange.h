/*
 * test/support/exchange.h - an HTTP exchange in memory: it writes down what it
 * is told, one line each, and can lose its peer.
 */
#ifndef TR_TEST_SUPPORT_EXCHANGE_H
#define TR_TEST_SUPPORT_EXCHANGE_H

#include "base/buf.h"
#include "mcp/sink.h"

struct exchange {
    struct tr_mcp_wire wire; /* first: its functions find the exchange by it */
    struct tr_buf log;       /* "200 {...}", "event 1-2 {...}", "open", "202" */
    char session[80];        /* the id it was told, or "" */
    bool is_released;
    /* Sees every message, with the id of its event; may be NULL. */
    void (*saw)(void *data, tr_str event_id, tr_str message);
    void *saw_data;
};

/*
 * Opens an exchange, whose wire is given away; call exchange_done after its
 * release.
 */
struct tr_mcp_wire *exchange_open(struct exchange *x);
void exchange_done(struct exchange *x);

/* The peer goes: the owner of the sink is told. */
void exchange_lose(struct exchange *x);

#endif
