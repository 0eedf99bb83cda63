#include "base/limits.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/report.h"

int tr_cli_run_completion(const struct tr_cli_invocation *invocation)
{
    const char *shell = invocation->arguments[0];
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    int exit_code = tr_cli_completion_write(tr_str_from(shell), &out)
                        ? tr_cli_report_output(&out)
                        : tr_cli_report_usage(
                              "unknown shell '%s': bash, zsh or fish", shell);
    tr_buf_done(&out);
    return exit_code;
}
