/*
 * cli/gen.h - changes of an app's files as commands: what `gen`, `app edit`,
 * `app source` and `new` share.
 */
#ifndef TR_CLI_GEN_H
#define TR_CLI_GEN_H

#include "cli/command.h"
#include "gen/gen.h"

/* What is asked for, before it is checked. */
struct tr_cli_gen {
    const struct tr_gen_op *op;
    const char *folder;              /* of the app */
    const struct tr_json *arguments; /* an object */
    struct tr_arena *arena;
};

/*
 * Checks and runs it. False after saying what is wrong on standard error;
 * `out` lives in the arena.
 */
bool tr_cli_gen_run(const struct tr_cli_gen *asked, struct tr_gen_call *out);

/* Prints what came of it: as JSON with --json, else diffs for people, and
 * whether they are applied. Returns the exit code. */
int tr_cli_gen_print(const struct tr_cli_invocation *invocation,
                     const struct tr_gen_call *call);

/* The JSON object of an option: its text, @FILE or - for standard input. NULL
 * after saying what is wrong; an empty one when the option is not given. */
const struct tr_json *
tr_cli_gen_read_object(const struct tr_cli_invocation *invocation,
                       const char *option);

#endif
