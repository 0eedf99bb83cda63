/*
 * server/meta.h - what the process knows that has the app, for meta/.
 */
#ifndef TR_SERVER_META_H
#define TR_SERVER_META_H

#include "meta/meta.h"

struct tr_server_app;
struct tr_server_reload;

struct tr_server_meta {
    struct tr_meta_outside outside; /* first: questions find the rest by it */
    struct tr_meta_jobs jobs;
    const struct tr_server_app *app;
    struct tr_server_reload *reload; /* NULL: the app is not served */
};

/* The app is open; it is borrowed, as `server` is, which may be NULL. */
void tr_server_meta_init(struct tr_server_meta *meta,
                         const struct tr_server_app *app,
                         struct tr_server_reload *server);

#endif
