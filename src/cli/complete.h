/*
 * cli/complete.h - what may come next on a command line that is half typed.
 */
#ifndef TR_CLI_COMPLETE_H
#define TR_CLI_COMPLETE_H

#include "base/buf.h"
#include "cli/command.h"

/* What completion says after the last word, when names of files may come. */
#define TR_CLI_FILES_LINE ":files\n"

/*
 * Writes a line for each word that may come next, "WORD<tab>what it means".
 * `typed` are the words after the program's name; the last is the one that is
 * being typed, and may be empty. The caller's shell picks those that fit.
 */
void tr_cli_complete(const char *const *typed, size_t count,
                     struct tr_buf *out);

#endif
