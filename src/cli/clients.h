/*
 * cli/clients.h - the hosts that a command line names: --cursor, --custom
 * FILE...
 */
#ifndef TR_CLI_CLIENTS_H
#define TR_CLI_CLIENTS_H

#include "cli/command.h"
#include "install/client.h"
#include "install/install.h"

/* The options of the hosts, for the tables of commands. */
#define TR_CLI_CLIENT_OPTIONS                                                  \
    {.name = "claude", .help = "Claude Desktop."},                             \
        {.name = "claude-code", .help = "Claude Code."},                       \
        {.name = "cursor", .help = "Cursor."},                                 \
        {.name = "vscode", .help = "VS Code."},                                \
        {.name = "codex", .help = "Codex."},                                   \
        {.name = "gemini", .help = "Gemini CLI."},                             \
        {.name = "custom",                                                     \
         .argument = "FILE",                                                   \
         .help = "A host whose file this is: JSON, or TOML by its name."},     \
    {                                                                          \
        .name = "project", .argument = "FOLDER",                               \
        .help = "The file of the project in FOLDER instead of yours."          \
    }

/* One file of one host. */
struct tr_cli_client {
    const struct tr_install_client *host; /* NULL for --custom */
    const char *name;                     /* for people */
    const char *scope;                    /* "user", "project", "custom" */
    const char *start; /* the folder in which it starts what is in the file */
    char path[TR_LIMIT_PATH_BYTES];
    struct tr_install_target target;
};

/* Whether the command line names any; says so when it must, and does not. */
bool tr_cli_clients_are_named(const struct tr_cli_invocation *invocation);
bool tr_cli_clients_must_be_named(const struct tr_cli_invocation *invocation);

/*
 * The file of a host, in the folder of a project or, without one, its user's.
 * The command line's --custom when `host` is NULL.
 */
TR_NODISCARD tr_status
tr_cli_client_find(const struct tr_cli_invocation *invocation,
                   const struct tr_install_client *host, const char *project,
                   struct tr_cli_client *out, struct tr_err *err);

/* Calls `visit` for each that is named. Returns the highest exit code. */
typedef int tr_cli_client_fn(const struct tr_cli_invocation *invocation,
                             const struct tr_cli_client *host, void *context);
int tr_cli_clients_each(const struct tr_cli_invocation *invocation,
                        tr_cli_client_fn *visit, void *context);

/* The name of the entry that the command line means: of --name, else of the
 * project in its folder. Returns an exit code, after saying what is wrong. */
int tr_cli_clients_entry(const struct tr_cli_invocation *invocation,
                         char out[80]);

#endif
