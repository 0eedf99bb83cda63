/*
 * cli/scaffold.h - the apps that `trails new` writes: the folders apps/hello
 * and apps/hello-..., byte for byte.
 */
#ifndef TR_CLI_SCAFFOLD_H
#define TR_CLI_SCAFFOLD_H

#include "base/str.h"

struct tr_cli_scaffold_file {
    const char *folder; /* "hello", or "hello-types" for --with types */
    const char *path;   /* in it: "seeds/Person.csv" */
    tr_str text;
};

extern const struct tr_cli_scaffold_file tr_cli_scaffold_files[];
extern const size_t tr_cli_scaffold_files_count;

#endif
