/*
 * cli/store.h - the store of the app that a command line names.
 *
 * What goes wrong is reported at once: a function that returns false has said
 * why on standard error.
 */
#ifndef TR_CLI_STORE_H
#define TR_CLI_STORE_H

#include "cli/command.h"
#include "graph/store.h"
#include "server/app.h"

struct tr_cli_store {
    struct tr_server_app app;
    const struct tr_cap_snapshot *snapshot; /* NULL before tr_cli_store_load */
    const struct tr_model *model;
    struct tr_graph_store *store;
};

enum tr_cli_store_need {
    TR_CLI_STORE_READ,     /* fails when there is none; writes nothing */
    TR_CLI_STORE_EXISTING, /* fails when there is no store */
    TR_CLI_STORE_MADE,     /* makes the store when there is none */
};

/* Opens the store of the app that --app names, else of the working directory.
 */
TR_NODISCARD bool tr_cli_store_open(struct tr_cli_store *out,
                                    const struct tr_cli_invocation *invocation,
                                    enum tr_cli_store_need need);

/* Runs app.lua, which declares the model. */
TR_NODISCARD bool tr_cli_store_load(struct tr_cli_store *store);

/* A reader that has begun; the caller ends and frees it. */
TR_NODISCARD bool tr_cli_store_read(struct tr_cli_store *store,
                                    struct tr_graph_reader **out);

/* Also for a store that was opened in part. */
void tr_cli_store_close(struct tr_cli_store *store);

#endif
