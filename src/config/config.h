/*
 * config/config.h - every setting, loaded once and never changed.
 *
 * A configuration lives in the arena it was loaded into, and borrows from the
 * file's text and the environment.
 */
#ifndef TR_CONFIG_CONFIG_H
#define TR_CONFIG_CONFIG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/*
 * One line of [budget]: a name, and how much it may use; "*" stands for each
 * name by itself.
 *
 *     "summarise 100 calls/hour"    "* 2.50 usd/day"    "token:ci 0 calls/day"
 */
enum tr_config_budget_unit {
    TR_CONFIG_BUDGET_CALLS,
    TR_CONFIG_BUDGET_TOKENS,
    TR_CONFIG_BUDGET_USD, /* counted in millionths */
};
#define TR_CONFIG_BUDGET_UNITS 3

/* Windows are fixed: they begin with an hour or a day of UTC. */
enum tr_config_budget_window { TR_CONFIG_BUDGET_HOUR, TR_CONFIG_BUDGET_DAY };
#define TR_CONFIG_BUDGET_WINDOWS 2

struct tr_config_budget_rule {
    tr_str name; /* "*" for each */
    enum tr_config_budget_unit unit;
    enum tr_config_budget_window window;
    int64_t limit;
};

/* Returns NULL, or why the text is no such line. */
const char *tr_config_budget_rule_parse(tr_str text,
                                        struct tr_config_budget_rule *out);

/* "calls", "hour" */
const char *tr_config_budget_unit_name(enum tr_config_budget_unit unit);
const char *tr_config_budget_window_name(enum tr_config_budget_window window);

/*
 * Whether this is a list of icons as MCP has them: {src, mimeType, sizes,
 * theme}, at most TR_LIMIT_ICONS. TR_E_INVALID says which is wrong and why;
 * then `at` is the key that is meant, or NULL.
 */
struct tr_json;
TR_NODISCARD tr_status tr_config_icons_check(const struct tr_json *icons,
                                             const struct tr_json **at,
                                             struct tr_err *err);

/* A list of texts. */
struct tr_config_list {
    const tr_str *items;
    size_t count;
};

enum tr_config_tool_names {
    TR_CONFIG_NAMES_VERBATIM,
    TR_CONFIG_NAMES_PORTABLE
};
enum tr_config_challenge {
    TR_CONFIG_CHALLENGE_JSONRPC,
    TR_CONFIG_CHALLENGE_HTTP
};
enum tr_config_required {
    TR_CONFIG_REQUIRED_AUTO,
    TR_CONFIG_REQUIRED_TRUE,
    TR_CONFIG_REQUIRED_FALSE
};
enum tr_config_errors { TR_CONFIG_ERRORS_JSONRPC, TR_CONFIG_ERRORS_TOOL };
enum tr_config_env {
    TR_CONFIG_ENV_DEVELOPMENT,
    TR_CONFIG_ENV_TEST,
    TR_CONFIG_ENV_PRODUCTION
};

/* One field per setting; config/settings.h says what each may be. */
struct tr_config {
    struct {
        tr_str name;
        int64_t env; /* enum tr_config_env */
        tr_str title;
        tr_str description;
        tr_str website;
        const struct tr_json *icons; /* as tr_config_icons_check has them; NULL:
                                        none */
    } project;
    struct {
        tr_str http;
        int64_t threads;
        struct tr_config_list origins;
        tr_str public_url;
        int64_t behind_tls_proxy; /* a boolean */
        int64_t max_connections;
        int64_t max_line_bytes;
        int64_t max_header_bytes;
        int64_t max_body_bytes;
        int64_t max_buffered_bytes;
        int64_t max_queue_bytes;
        int64_t header_timeout_s;
        int64_t body_timeout_s;
        int64_t idle_timeout_s;
        int64_t write_timeout_s;
    } server;
    struct {
        tr_str path;
    } store;
    struct {
        int64_t read_days;
        int64_t read_rows;
    } prov;
    struct {
        int64_t level;  /* enum tr_log_level */
        int64_t form;   /* enum tr_log_form */
        int64_t access; /* a boolean */
    } log;
    struct {
        int64_t tool_names; /* enum tr_config_tool_names */
        int64_t errors;     /* enum tr_config_errors */
        int64_t max_result_bytes;
        int64_t annotations; /* a boolean */
        int64_t result_meta; /* a boolean */
        tr_str instructions;
        int64_t call_timeout_s;
        int64_t sessions; /* a boolean */
        int64_t session_timeout_s;
        int64_t max_sessions;
        int64_t max_caller_sessions;
        int64_t max_streams;
        int64_t max_subscriptions;
        int64_t max_batch;
        int64_t replay_bytes;
        int64_t max_nesting;
        tr_str scopes;
    } mcp;
    struct {
        tr_str issuer;
        tr_str audience;
        struct tr_config_list algorithms;
        tr_str jwks_file;
        tr_str jwks_url;
        struct tr_config_list authorization_servers;
        int64_t challenge; /* enum tr_config_challenge */
        int64_t required;  /* enum tr_config_required */
    } auth;
    struct {
        struct tr_config_list capability; /* tr_config_budget_rule_parse */
        struct tr_config_list principal_capability;
        struct tr_config_list principal;
    } budget;
    struct {
        int64_t enabled; /* a boolean, as the next */
    } http;
    struct {
        int64_t enabled;
    } manifest;
    struct {
        int64_t retries;
    } runtime;
    struct {
        struct tr_config_list allow;
        tr_str ca_file;
        int64_t timeout_s;
        int64_t max_bytes;
    } fetch;
    struct {
        int64_t instructions;
        int64_t call_seconds;
        int64_t call_bytes;
    } lua;
};

/* Where a setting's value came from. */
enum tr_config_origin {
    TR_CONFIG_FROM_DEFAULT,
    TR_CONFIG_FROM_FILE,
    TR_CONFIG_FROM_ENVIRONMENT,
    TR_CONFIG_FROM_STORE, /* only project.name, as the next */
    TR_CONFIG_FROM_FOLDER
};

/* The parts of a configuration that are the app's own. */
struct tr_config_own {
    const struct tr_json *app; /* [app], or NULL */
    tr_str toml;               /* the text, for places */
    char *const *environment;
};

struct tr_config_load {
    struct tr_config config;
    struct tr_config_own own;
    const enum tr_config_origin *origins; /* one per setting, in table order */
};

/*
 * Takes the defaults, then `toml`, then the variables of `environment` (a list
 * of NAME=VALUE that ends with NULL; it may be NULL). Unknown keys and values
 * that do not fit are errors with a place, or with the variable's name.
 */
TR_NODISCARD tr_status tr_config_load(struct tr_arena *arena, tr_str toml,
                                      char *const *environment,
                                      const struct tr_config_load **out,
                                      struct tr_err *err);

/* Hears of each setting that has changed and waits for the next start. */
struct tr_config_setting;
struct tr_config_waiting {
    void (*tell)(void *data, const struct tr_config_setting *setting);
    void *data;
};

/*
 * Takes the live settings of `now` over those of `before`, and what is the
 * app's own; all others stay what they are. Borrows from both.
 */
TR_NODISCARD tr_status tr_config_renew(struct tr_arena *arena,
                                       const struct tr_config_load *before,
                                       const struct tr_config_load *now,
                                       const struct tr_config_waiting *waiting,
                                       const struct tr_config_load **out,
                                       struct tr_err *err);

/* Where project.name has come from. */
enum tr_config_origin
tr_config_project_origin(const struct tr_config_load *load);

/*
 * Gives project.name the value that is in effect where no setting says it:
 * `*load` is a copy from then on, in `arena`, as the name is.
 */
TR_NODISCARD tr_status tr_config_name_project(
    struct tr_arena *arena, tr_str name, enum tr_config_origin origin,
    const struct tr_config_load **load, struct tr_err *err);

/* "file", "default", "TRAILS_ENV": where a setting's value came from. */
const char *tr_config_origin_name(const struct tr_config_load *load, size_t i);

/* Hears of each mistake in a configuration. */
struct tr_config_listener {
    void (*tell)(const void *data, const struct tr_err *err);
    const void *data;
};

/* As tr_config_load, but goes on after a mistake and tells of each. Fails with
 * TR_E_INVALID when there was one. */
TR_NODISCARD tr_status tr_config_load_whole(
    struct tr_arena *arena, tr_str toml, char *const *environment,
    const struct tr_config_listener *listener,
    const struct tr_config_load **out, struct tr_err *err);

/* Writes the value of a setting as JSON has it, which TOML reads too. */
struct tr_json_writer;
void tr_config_show_value(const struct tr_config *config,
                          const struct tr_config_setting *setting,
                          struct tr_json_writer *w);

/* Writes what is in effect as TOML, with where each value came from. */
void tr_config_show(const struct tr_config_load *load, struct tr_buf *out);

/* Writes what is in effect as a JSON object of sections. */
void tr_config_show_json(const struct tr_config_load *load, struct tr_buf *out);

#endif
