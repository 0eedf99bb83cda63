/*
 * cap/handler.h - code that answers a call, whoever wrote it in whatever.
 *
 * Hosts (Lua, C) fill it in; runtime/ starts it and defines the call.
 */
#ifndef TR_CAP_HANDLER_H
#define TR_CAP_HANDLER_H

struct tr_call;
struct tr_handler;

/* Starts the call; its end is told to the call, now or later. */
typedef void tr_handler_fn(const struct tr_handler *handler,
                           struct tr_call *call);

struct tr_handler {
    tr_handler_fn *run;
    const void *data; /* the host's; lives as long as the snapshot */
};

#endif
