/*
 * cli/hello.h - the app that `trails new` writes: apps/hello, byte for byte.
 */
#ifndef TR_CLI_HELLO_H
#define TR_CLI_HELLO_H

#include "base/str.h"

extern const tr_str tr_cli_hello_app;
extern const tr_str tr_cli_hello_toml;
extern const tr_str tr_cli_hello_ignore; /* .gitignore: keys are not source */

#endif
