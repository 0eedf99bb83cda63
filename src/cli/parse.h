/*
 * cli/parse.h - from argv to an invocation.
 */
#ifndef TR_CLI_PARSE_H
#define TR_CLI_PARSE_H

#include "cli/command.h"

enum tr_cli_parsed {
    TR_CLI_PARSED_COMMAND, /* run it */
    TR_CLI_PARSED_HELP,    /* of the command, else the group, else all */
    TR_CLI_PARSED_VERSION,
    TR_CLI_PARSED_WRONG, /* a line on standard error has said why */
};

/*
 * Reads options and arguments by the tables. `--name value`, `--name=value`
 * and `-x value` are options wherever they stand; after `--` everything is an
 * argument. The words that follow an option that takes many are its values.
 */
enum tr_cli_parsed tr_cli_parse(int argc, char *const *argv,
                                struct tr_cli_invocation *out);

/* Says that there is no such command, and which is nearest. */
enum tr_cli_parsed tr_cli_parse_unknown(tr_str typed);

#endif
