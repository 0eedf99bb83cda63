/*
 * server/live.h - what of trails.toml may change while the app is served.
 */
#ifndef TR_SERVER_LIVE_H
#define TR_SERVER_LIVE_H

#include "base/buf.h"
#include "config/config.h"

struct tr_cap_builder;
struct tr_crypto_secrets;
struct tr_server_app;

/* What calls go by, in the builder; it borrows from the app's settings. */
TR_NODISCARD tr_status tr_server_live_fill(const struct tr_server_app *app,
                                           struct tr_cap_builder *builder,
                                           struct tr_err *err);

/* Settings as they were read again, with their memory. */
struct tr_server_live;

/*
 * Reads trails.toml again, for the app that `app` is a copy of: then `app` has
 * the settings in effect. Appends the names of those that have changed and wait
 * for the next start to `waiting`. `*out` is the caller's also after a failure.
 */
TR_NODISCARD tr_status tr_server_live_read(struct tr_server_app *app,
                                           struct tr_server_live **out,
                                           struct tr_buf *waiting,
                                           struct tr_err *err);

/* Has them live as long as the snapshot; then *moved is NULL. */
TR_NODISCARD tr_status tr_server_live_give(struct tr_server_live **moved,
                                           struct tr_cap_builder *builder,
                                           struct tr_err *err);

/* NULL is allowed. */
void tr_server_live_free(struct tr_server_live *live);

#endif
