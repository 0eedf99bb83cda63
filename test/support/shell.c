#include "support/shell.h"

#include "base/test.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* posix_spawn takes words that it does not change, but not as constants. */
static char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

void shell_run(const char *folder, const char *script)
{
    char *const words[] = {
        word("sh"),   word("-euc"), word("cd \"$0\"; eval \"$1\""),
        word(folder), word(script), NULL};
    pid_t child = 0;
    int status = -1;
    CHECK_ROW(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0,
              script);
    CHECK_ROW(waitpid(child, &status, 0) == child && status == 0, script);
}
