/*
 * cli/completion.h - shell completion, written from the command table.
 */
#ifndef TR_CLI_COMPLETION_H
#define TR_CLI_COMPLETION_H

#include "base/buf.h"

/* Writes the script for "bash", "zsh" or "fish"; false for another shell. */
bool tr_cli_completion_write(tr_str shell, struct tr_buf *out);

#endif
