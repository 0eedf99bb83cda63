#include "base/limits.h"
#include "cli/complete.h"
#include "cli/completion.h"
#include "cli/report.h"

int tr_cli_run_completion(const struct tr_cli_invocation *invocation)
{
    const char *shell = invocation->arguments[0];
    struct tr_buf out;
    int exit_code = TR_CLI_EXIT_OK;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (strcmp(shell, "words") == 0)
        tr_cli_complete(invocation->arguments + 1,
                        invocation->argument_count - 1, &out);
    else if (invocation->argument_count > 1)
        exit_code = tr_cli_report_usage("unexpected argument '%s'; see 'trails "
                                        "help completion'",
                                        invocation->arguments[1]);
    else if (!tr_cli_completion_write(tr_str_from(shell), &out))
        exit_code =
            tr_cli_report_usage("unknown shell '%s': bash, zsh or fish", shell);
    if (exit_code == TR_CLI_EXIT_OK)
        exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}
