/*
 * server/reload.h - an app that is being served is loaded again.
 *
 * It happens on the first loop, whoever asks for it: a signal, a file that has
 * changed, or a handler on another loop. A broken app changes nothing: the old
 * one goes on serving, and the log and the doctor say why.
 */
#ifndef TR_SERVER_RELOAD_H
#define TR_SERVER_RELOAD_H

#include "base/err.h"

struct tr_cap_registry;
struct tr_graph_store;
struct tr_loop;
struct tr_mcp_hub;
struct tr_server_app;
struct tr_server_doctor;
struct tr_server_metrics;
struct tr_server_watch;

struct tr_server_reload {
    struct tr_server_app *app;
    struct tr_cap_registry *registry;
    struct tr_graph_store *store;
    struct tr_mcp_hub *hub;
    struct tr_server_doctor *doctor;
    struct tr_server_metrics *metrics;
    struct tr_server_watch *watch; /* of the app's files */
    struct tr_loop *loop;          /* the first */
    bool is_ending;                /* the process: nothing is loaded any more */
};

/*
 * Loads the app and has every next request see it, then tells clients of lists
 * that have changed. The error's message begins with its place,
 * "app.lua:3:7: ...". On the first loop.
 */
TR_NODISCARD tr_status tr_server_reload_now(struct tr_server_reload *reload,
                                            struct tr_err *err);

/* Somebody who waits for a reload. */
struct tr_server_reload_ask;

/*
 * Called once, on the loop of who has asked. With TR_OK every request that
 * comes from now on sees the new app; else `err` says why it does not load, as
 * above, or TR_E_UNAVAILABLE that the process ends.
 */
typedef void tr_server_reloaded_fn(void *data, tr_status status,
                                   const struct tr_err *err);

/* Asks for a reload; from any loop's thread. `*out` is borrowed: it is gone
 * once `reloaded` is called, or forgotten. */
TR_NODISCARD tr_status tr_server_reload_ask(struct tr_server_reload *reload,
                                            struct tr_loop *loop,
                                            tr_server_reloaded_fn *reloaded,
                                            void *data,
                                            struct tr_server_reload_ask **out,
                                            struct tr_err *err);

/* Who has asked does not want to hear of it any more; on its loop. */
void tr_server_reload_forget(struct tr_server_reload_ask *ask);

#endif
