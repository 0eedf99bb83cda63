/*
 * test/support/web.h - an HTTP server on a loop with a test clock, and clients
 * of it in the same thread.
 */
#ifndef TR_TEST_WEB_H
#define TR_TEST_WEB_H

#include "http/server.h"

struct tr_web {
    struct tr_loop *loop;
    struct tr_http_server *server;
    unsigned port;
    bool closed;
};

void tr_web_open(struct tr_web *web, const struct tr_http_opts *opts,
                 tr_http_handler_fn *handler, void *app);

/* Starts to close the server, which has so long for it; 1000 is enough. */
void tr_web_start_close(struct tr_web *web, unsigned deadline_ms);

/* Closes the server, unless that was started; waits, and frees the loop. */
void tr_web_close(struct tr_web *web);

/* Sends a text, reads the answer up to `end`; valid until the next call. */
const char *tr_web_ask(struct tr_web *web, int fd, const char *text,
                       const char *end);

/* Whether the peer has closed or reset its connection. */
bool tr_web_is_gone(const struct tr_http_exchange *x);

/* What every response of the test clock's first second says. */
#define TR_WEB_DATE "Date: Tue, 28 Jul 2026 12:00:00 GMT\r\n"

#endif
