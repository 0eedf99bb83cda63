/*
 * cli/command.h - what a command is.
 *
 * The tables are constant; a run gets its options and arguments as a
 * `struct tr_cli_invocation`, which borrows from argv.
 */
#ifndef TR_CLI_COMMAND_H
#define TR_CLI_COMMAND_H

#include "base/arena.h"
#include "base/err.h"

/* The exit codes of all commands. */
enum tr_cli_exit {
    TR_CLI_EXIT_OK = 0,
    TR_CLI_EXIT_FAILED = 1,
    TR_CLI_EXIT_USAGE = 2
};

#define TR_CLI_OPTIONS_MAX   16
#define TR_CLI_ARGUMENTS_MAX 1024

struct tr_cli_option {
    const char *name;     /* without its two hyphens */
    const char *argument; /* such as "FILE", or NULL for a flag */
    const char *help;
    const char *values; /* what it may be, with spaces between; or NULL */
    char letter;        /* short form, or NUL */
    bool many; /* takes all words up to the next option, and may come again */
    bool repeats; /* may come again, with one value each time */
};

struct tr_cli_command;

/* One value of an option that takes many. */
struct tr_cli_given {
    const struct tr_cli_option *option;
    const char *value;
};

struct tr_cli_invocation {
    const struct tr_cli_command *command;
    tr_str
        group; /* what help was asked for, when that is no command: "token" */
    /* By the option's index in the command's table; a flag is "". */
    const char *options[TR_CLI_OPTIONS_MAX];
    const char *arguments[TR_CLI_ARGUMENTS_MAX];
    size_t argument_count;
    struct tr_cli_given given[TR_CLI_ARGUMENTS_MAX];
    size_t given_count;
    struct tr_arena *arena; /* for the length of the run */
};

/* What the arguments of a command name, for completion. */
enum tr_cli_takes {
    TR_CLI_TAKES_FILES, /* if the usage line says so */
    TR_CLI_TAKES_CAPABILITY,
    TR_CLI_TAKES_TYPE,
    TR_CLI_TAKES_COMMAND,
};

typedef int tr_cli_command_fn(const struct tr_cli_invocation *invocation);

struct tr_cli_command {
    const char *name;      /* one word or two: "config check" */
    const char *alias;     /* another name, or NULL */
    const char *arguments; /* for the usage line: "FILE", "[COMMAND]" or "" */
    size_t min_arguments;
    size_t max_arguments;
    const char *summary; /* one line */
    const char *detail;  /* what more there is to say, or NULL */
    const struct tr_cli_option *options;
    size_t option_count;
    const char *words; /* what an argument may be, with spaces; or NULL */
    enum tr_cli_takes takes;
    tr_cli_command_fn *run;
};

/* All commands, in the order of the help. */
extern const struct tr_cli_command tr_cli_commands[];
extern const size_t tr_cli_command_count;

/* The options of every command: --help and --version. */
extern const struct tr_cli_option tr_cli_global_options[];
extern const size_t tr_cli_global_option_count;

/* The value of an option, "" for a flag that was given, or NULL. */
const char *tr_cli_invocation_option(const struct tr_cli_invocation *invocation,
                                     const char *name);

/*
 * The next value of an option that takes many or repeats, from index *at of
 * `given` on; NULL when there is none. Start with 0.
 */
const char *tr_cli_invocation_next(const struct tr_cli_invocation *invocation,
                                   const char *name, size_t *at);

/* The command of this name, or NULL. */
const struct tr_cli_command *tr_cli_command_find(tr_str name);

/* Whether a command is in this group: "token create" is in "token". `rest` is
 * then its second word. */
bool tr_cli_command_is_in(const struct tr_cli_command *command, tr_str group,
                          tr_str *rest);

/* Whether there is such a group. */
bool tr_cli_command_is_group(tr_str word);

tr_cli_command_fn tr_cli_run_new;
tr_cli_command_fn tr_cli_run_gen;
tr_cli_command_fn tr_cli_run_app_source;
tr_cli_command_fn tr_cli_run_app_edit;
tr_cli_command_fn tr_cli_run_serve;
tr_cli_command_fn tr_cli_run_check;
tr_cli_command_fn tr_cli_run_doctor;
tr_cli_command_fn tr_cli_run_footprint;
tr_cli_command_fn tr_cli_run_call;
tr_cli_command_fn tr_cli_run_capabilities;
tr_cli_command_fn tr_cli_run_mcp_install;
tr_cli_command_fn tr_cli_run_mcp_status;
tr_cli_command_fn tr_cli_run_mcp_test;
tr_cli_command_fn tr_cli_run_mcp_uninstall;
tr_cli_command_fn tr_cli_run_help;
tr_cli_command_fn tr_cli_run_completion;
tr_cli_command_fn tr_cli_run_config_check;
tr_cli_command_fn tr_cli_run_config_list;
tr_cli_command_fn tr_cli_run_convert;
tr_cli_command_fn tr_cli_run_validate;
tr_cli_command_fn tr_cli_run_schema;
tr_cli_command_fn tr_cli_run_graph;
tr_cli_command_fn tr_cli_run_import;
tr_cli_command_fn tr_cli_run_seed;
tr_cli_command_fn tr_cli_run_export;
tr_cli_command_fn tr_cli_run_backup;
tr_cli_command_fn tr_cli_run_restore;
tr_cli_command_fn tr_cli_run_stats;
tr_cli_command_fn tr_cli_run_explain;
tr_cli_command_fn tr_cli_run_store_rename;
tr_cli_command_fn tr_cli_run_compact;
tr_cli_command_fn tr_cli_run_prov_list;
tr_cli_command_fn tr_cli_run_prov_show;
tr_cli_command_fn tr_cli_run_token_create;
tr_cli_command_fn tr_cli_run_token_list;
tr_cli_command_fn tr_cli_run_token_revoke;
tr_cli_command_fn tr_cli_run_key_rotate;

#endif
