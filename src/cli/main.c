/*
 * cli/main.c - the program: read the command line, run the command.
 */
#include "base/compiler.h"
#include "base/limits.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/report.h"

#include <fcntl.h>
#include <unistd.h>

static int run(int argc, char **argv, struct tr_cli_invocation *invocation)
{
    switch (tr_cli_parse(argc, argv, invocation)) {
    case TR_CLI_PARSED_HELP:
        return tr_cli_help_show(invocation->command, invocation->group);
    case TR_CLI_PARSED_VERSION:
        return tr_cli_report_line("trails %s", TR_VERSION);
    case TR_CLI_PARSED_COMMAND:
        return invocation->command->run(invocation);
    case TR_CLI_PARSED_WRONG:
        break;
    }
    return TR_CLI_EXIT_USAGE;
}

/*
 * A descriptor 0, 1 or 2 that the caller closed would be given to the next
 * file or socket, which would then be written to by mistake.
 */
static bool open_missing(void)
{
    for (;;) {
        int fd = open("/dev/null", O_RDWR);
        if (fd < 0)
            return false;
        if (fd > STDERR_FILENO)
            return close(fd) == 0;
    }
}

int main(int argc, char **argv)
{
    if (!open_missing())
        return TR_CLI_EXIT_FAILED;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    struct tr_cli_invocation invocation = {.arena = &arena};
    int exit_code = run(argc, argv, &invocation);
    tr_arena_done(&arena);
    return exit_code;
}
