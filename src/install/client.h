/*
 * install/client.h - the hosts that start servers, and where each keeps them.
 */
#ifndef TR_INSTALL_CLIENT_H
#define TR_INSTALL_CLIENT_H

#include "base/err.h"
#include "base/limits.h"
#include "install/form.h"

struct tr_install_client {
    const char *option; /* of the command line: "claude-code" */
    struct tr_install_form form;
    /* What begins a variable in its texts, so that no path may have it; NULL
     * when it has no variables. */
    const char *variable;
    /* Where its user's file is: below the home folder, on macOS and elsewhere
     * below that of settings; or below the folder that a variable of the
     * environment names. */
    const char *home;
    const char *mac;
    const char *settings;
    const char *folder_variable;
    const char *folder;
    const char *project; /* below a project's folder, or NULL */
};

#define TR_INSTALL_CLIENTS 6
extern const struct tr_install_client tr_install_clients[TR_INSTALL_CLIENTS];

/* What a path depends on. */
struct tr_install_env {
    char *const *variables; /* "NAME=value", as environ */
    bool is_mac;
};

/* The environment of this process, on this system. */
struct tr_install_env tr_install_env_own(void);

/* The user's file of a host. Fails with TR_E_INVALID without a home folder,
 * with TR_E_LIMIT for a path that is too long. */
TR_NODISCARD tr_status tr_install_user_file(
    const struct tr_install_client *host, const struct tr_install_env *env,
    char out[TR_LIMIT_PATH_BYTES], struct tr_err *err);

/* The file of a host in a project's folder; TR_E_UNSUPPORTED when it has none.
 */
TR_NODISCARD tr_status tr_install_project_file(
    const struct tr_install_client *host, const char *folder,
    char out[TR_LIMIT_PATH_BYTES], struct tr_err *err);

/* How a file that is named is read: as TOML by its name, else as JSON, of VS
 * Code where it has "servers" alone. */
struct tr_install_form tr_install_form_of(const char *path, tr_str text);

#endif
