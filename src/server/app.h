/*
 * server/app.h - an app's folder: its configuration trails.toml, its store, and
 * app.lua, which becomes a snapshot.
 */
#ifndef TR_SERVER_APP_H
#define TR_SERVER_APP_H

#include "base/arena.h"
#include "config/config.h"
#include "fetch/fetch.h"

struct tr_crypto_secrets;
struct tr_lua_counts;
struct tr_cap_snapshot;
struct tr_server_sources;

struct tr_server_app {
    struct tr_arena arena;             /* of the configuration */
    const char *folder;                /* borrowed */
    struct tr_server_sources *sources; /* note what is read; or NULL */
    const struct tr_file_text *texts;  /* in place of files; mostly none */
    size_t text_count;
    const struct tr_config *config;
    const struct tr_config_load *settings; /* with where each came from */
    struct tr_fetch_opts fetch;            /* of [fetch]; without a loop */
    struct tr_crypto_secrets *secrets;     /* NULL: there are none */
    struct tr_crypto_secrets *credentials; /* of the environment */
    struct tr_lua_counts *lua_counts;      /* gets what Lua counts, or NULL */
    char name[64];  /* of the project, as config->project.name */
    char file[256]; /* what an error is about, unless it says so itself */
};

/*
 * Reads trails.toml, which may be absent. A project that has no name there has
 * the one that its store has; with a new store, that of the folder. After a
 * failure `file` says which file the error is about.
 */
TR_NODISCARD tr_status tr_server_app_open(struct tr_server_app *app,
                                          const char *folder,
                                          struct tr_err *err);
void tr_server_app_close(struct tr_server_app *app);

/* The same with what notes the files that it is made from, from now on. */
TR_NODISCARD tr_status
tr_server_app_open_noted(struct tr_server_app *app, const char *folder,
                         struct tr_server_sources *sources, struct tr_err *err);

/* Whether trails.toml can be read as it is now; else `file` says which file the
 * error is about. From any thread. */
TR_NODISCARD tr_status tr_server_app_check_config(
    const struct tr_server_app *app, char file[256], struct tr_err *err);

/* The text of trails.toml, in the arena; empty when there is none. */
TR_NODISCARD tr_status tr_server_app_read_config(struct tr_server_app *app,
                                                 struct tr_arena *arena,
                                                 tr_str *out,
                                                 struct tr_err *err);

/*
 * The folder of the app's store, as a path from the working directory;
 * ":memory:" for one that is the process's own.
 */
TR_NODISCARD tr_status tr_server_app_store(const struct tr_server_app *app,
                                           char *out, size_t size,
                                           struct tr_err *err);

/* As tr_server_app_open says, for settings that were read from elsewhere: names
 * the project after its store or its folder, unless a setting does. */
TR_NODISCARD tr_status tr_server_app_name_project(
    const char *folder, struct tr_arena *arena,
    const struct tr_config_load **settings, struct tr_err *err);

/* Looks at the store again, whose content was replaced. */
TR_NODISCARD tr_status tr_server_app_rename(struct tr_server_app *app,
                                            struct tr_err *err);

/* A folder's own name, in the letters that a project may have. */
void tr_server_app_folder_name(const char *folder, char out[64]);

struct tr_graph_store;
struct tr_graph_store_opts;

/* Fails with TR_E_CONFLICT when the store is another project's; changes
 * nothing. */
TR_NODISCARD tr_status
tr_server_app_check_store(const struct tr_server_app *app, struct tr_err *err);

/* Fails with TR_E_CONFLICT, which names the first capability, and the field,
 * that is not as the store has published it under the same version; changes
 * nothing. */
TR_NODISCARD tr_status tr_server_app_check_published(
    const struct tr_server_app *app, const struct tr_cap_snapshot *snapshot,
    struct tr_err *err);

/* Makes the store the app's; TR_E_CONFLICT when it is another project's. */
TR_NODISCARD tr_status tr_server_app_claim(const struct tr_server_app *app,
                                           struct tr_graph_store *store,
                                           struct tr_err *err);

/* The app's store as it is, for who only looks at it: no schema is brought up
 * to date. *out stays NULL when there is none. */
struct tr_db;
TR_NODISCARD tr_status tr_server_app_peek(const struct tr_server_app *app,
                                          struct tr_db **out,
                                          struct tr_err *err);

/* Whether it has a table, which stores of before may not have. */
TR_NODISCARD tr_status tr_server_app_has_table(struct tr_db *db, tr_str table,
                                               bool *out, struct tr_err *err);

/*
 * Has the values of the store spelt as they would be written today, in the
 * fields that the app declares, and builds and drops indexes by value; logs
 * what it has done. A store that cannot be put right is used as it is; one that
 * fits is not looked through (graph/upkeep.h).
 */
void tr_server_app_fit(struct tr_graph_store *store,
                       const struct tr_cap_snapshot *snapshot);

/* Opens, claims and fits the app's store, which the caller closes. `opts` is
 * NULL, or has what is not the app's. */
TR_NODISCARD tr_status tr_server_app_open_store(
    const struct tr_server_app *app, const struct tr_graph_store_opts *opts,
    const struct tr_cap_snapshot *snapshot, struct tr_graph_store **out,
    struct tr_err *err);

/* Runs app.lua and freezes what it registers. The caller owns one pin. */
TR_NODISCARD tr_status tr_server_app_load(struct tr_server_app *app,
                                          const struct tr_cap_snapshot **out,
                                          struct tr_err *err);

/* An app that was loaded again while it is served. */
struct tr_server_again {
    const struct tr_cap_snapshot *snapshot; /* the caller owns one pin */
    int64_t log_level;                      /* as it is set now, as `form` */
    int64_t log_form;
    char waiting[1024]; /* settings that have changed and wait for the next
                           start: "server.threads, secrets" */
};

/* The same for an app that is being served: [app] and settings that are live
 * (config/settings.h) are read again, all others and the secrets stay what they
 * were. */
TR_NODISCARD tr_status tr_server_app_load_again(struct tr_server_app *app,
                                                struct tr_server_again *out,
                                                struct tr_err *err);

/*
 * Makes a snapshot of the app as it would be with these texts in place of its
 * files, trails.toml included; nobody else sees it. From any thread. After a
 * failure `file` is the file that it is about, or "".
 */
TR_NODISCARD tr_status tr_server_app_try_files(
    const struct tr_server_app *app, const struct tr_file_text *texts,
    size_t count, const struct tr_cap_snapshot **out, char file[256],
    struct tr_err *err);

/* Whether it would load with this text as its app.lua. From any thread. */
TR_NODISCARD tr_status tr_server_app_try(const struct tr_server_app *app,
                                         tr_str source, struct tr_err *err);

#endif
