/*
 * cli/own.h - the settings that are an app's own, and its secrets without their
 * values, as `trails config` shows them.
 */
#ifndef TR_CLI_OWN_H
#define TR_CLI_OWN_H

#include "json/writer.h"
#include "server/app.h"

struct tr_crypto_secrets;

/*
 * Loads the app; *out stays NULL when there is none in the folder. False after
 * it has said why the app does not load. The caller owns one pin.
 */
bool tr_cli_own_load(struct tr_server_app *app,
                     const struct tr_cap_snapshot **out);

/* The app of a folder, opened and loaded. */
struct tr_cli_own {
    struct tr_server_app app;
    const struct tr_cap_snapshot *snapshot; /* NULL: there is none */
};

/* Only when `path` is the folder's own trails.toml, whose [app] it checks.
 * False after it has said what is wrong. */
bool tr_cli_own_open(struct tr_cli_own *own, const char *folder,
                     const char *path);
void tr_cli_own_close(struct tr_cli_own *own);

/* As `config check` has it; `snapshot` and `secrets` may be NULL in all. */
void tr_cli_own_show(const struct tr_cap_snapshot *snapshot,
                     const struct tr_crypto_secrets *secrets,
                     struct tr_buf *out);

/* As `config list` has it, with what each may be. */
void tr_cli_own_list(const struct tr_cap_snapshot *snapshot,
                     const struct tr_crypto_secrets *secrets,
                     struct tr_buf *out);
void tr_cli_own_list_json(const struct tr_cap_snapshot *snapshot,
                          const struct tr_crypto_secrets *secrets,
                          struct tr_json_writer *w);

#endif
