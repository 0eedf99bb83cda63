#include "cli/progress.h"

#include "base/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 32 };

bool tr_cli_progress_is_wanted(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

void tr_cli_progress_show(uint64_t done, uint64_t total, const char *unit)
{
    char bar[BAR + 1];
    uint64_t full = total ? (done < total ? done : total) * BAR / total : 0;
    memset(bar, ' ', BAR);
    memset(bar, '#', full);
    bar[BAR] = '\0';
    if (total)
        (void)fprintf(stderr, "\r[%s] %llu of %llu %s", bar,
                      (unsigned long long)done, (unsigned long long)total,
                      unit);
    else
        (void)fprintf(stderr, "\r%llu %s", (unsigned long long)done, unit);
}

void tr_cli_progress_hide(void)
{
    (void)fputs("\r\033[K", stderr);
}
