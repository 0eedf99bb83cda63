/*
 * cli/command.h - what a command is.
 *
 * The tables are constant; a run gets its options and arguments as a
 * `struct tr_invocation`, which borrows from argv.
 */
#ifndef TR_CLI_COMMAND_H
#define TR_CLI_COMMAND_H

#include "base/arena.h"
#include "base/err.h"

/* Exit codes, everywhere. */
enum tr_exit { TR_EXIT_OK = 0, TR_EXIT_FAILED = 1, TR_EXIT_USAGE = 2 };

#define TR_OPTIONS_MAX   16
#define TR_ARGUMENTS_MAX 1024

struct tr_option {
    const char *name;     /* without its two hyphens */
    const char *argument; /* such as "FILE", or NULL for a flag */
    const char *help;
    char letter; /* short form, or NUL */
    bool many;   /* takes all words up to the next option, and may come again */
};

struct tr_command;

/* One value of an option that takes many. */
struct tr_given {
    const struct tr_option *option;
    const char *value;
};

struct tr_invocation {
    const struct tr_command *command;
    /* By the option's place in the command's table; a flag is "". */
    const char *options[TR_OPTIONS_MAX];
    const char *arguments[TR_ARGUMENTS_MAX];
    size_t argument_count;
    struct tr_given given[TR_ARGUMENTS_MAX];
    size_t given_count;
    struct tr_arena *arena; /* for the length of the run */
};

typedef int tr_command_fn(const struct tr_invocation *invocation);

struct tr_command {
    const char *name;      /* one word or two: "config check" */
    const char *alias;     /* another name, or NULL */
    const char *arguments; /* for the usage line: "FILE", "[COMMAND]" or "" */
    size_t min_arguments;
    size_t max_arguments;
    const char *summary; /* one line */
    const char *detail;  /* what more there is to say, or NULL */
    const struct tr_option *options;
    size_t option_count;
    const char *const *words; /* what an argument may be, or NULL; NULL ends */
    tr_command_fn *run;
};

/* All commands, in the order of the help. */
extern const struct tr_command tr_commands[];
extern const size_t tr_command_count;

/* What stands before any command: --help and --version. */
extern const struct tr_option tr_global_options[];
extern const size_t tr_global_option_count;

/* The value of an option, "" for a flag that was given, or NULL. */
const char *tr_invocation_option(const struct tr_invocation *invocation,
                                 const char *name);

/*
 * The next value of an option that takes many, from place *at of `given` on;
 * NULL when there is none. Start with 0.
 */
const char *tr_invocation_next(const struct tr_invocation *invocation,
                               const char *name, size_t *at);

/* The command of this name, or NULL. */
const struct tr_command *tr_command_find(tr_str name);

tr_command_fn tr_run_new;
tr_command_fn tr_run_serve;
tr_command_fn tr_run_check;
tr_command_fn tr_run_call;
tr_command_fn tr_run_mcp_test;
tr_command_fn tr_run_help;
tr_command_fn tr_run_completion;
tr_command_fn tr_run_config_check;
tr_command_fn tr_run_config_list;
tr_command_fn tr_run_convert;
tr_command_fn tr_run_validate;
tr_command_fn tr_run_schema;
tr_command_fn tr_run_import;
tr_command_fn tr_run_export;
tr_command_fn tr_run_backup;
tr_command_fn tr_run_restore;
tr_command_fn tr_run_stats;
tr_command_fn tr_run_compact;
tr_command_fn tr_run_token_create;
tr_command_fn tr_run_token_list;
tr_command_fn tr_run_token_revoke;
tr_command_fn tr_run_key_rotate;

#endif
