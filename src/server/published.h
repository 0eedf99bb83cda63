/*
 * server/published.h - what a store published last of each capability, and
 * since when it advises against it: a version has one content (contract of
 * versions: decision 0045).
 *
 * The content is the fourteen fields. In development it is not compared, nor
 * remembered: there it changes with every line. What is ready-made or built in
 * has the version of this program, not the author's, and may change with it.
 */
#ifndef TR_SERVER_PUBLISHED_H
#define TR_SERVER_PUBLISHED_H

#include "base/err.h"

struct tr_cap_snapshot;
struct tr_db;
struct tr_graph_store;
struct tr_server_app;

/* Has the store remember since when capabilities are deprecated, and nothing
 * else; in a transaction of its own. */
TR_NODISCARD tr_status tr_server_published_note(
    struct tr_db *db, const struct tr_cap_snapshot *snapshot,
    struct tr_err *err);

/*
 * Refuses what tr_server_app_check_published does; else has the store remember
 * all of them, before they are served. One that is read-only remembers nothing;
 * in development there is nothing but times, which fitting it notes.
 */
TR_NODISCARD tr_status tr_server_published_keep(
    const struct tr_server_app *app, const struct tr_cap_snapshot *snapshot,
    struct tr_graph_store *store, struct tr_err *err);

#endif
