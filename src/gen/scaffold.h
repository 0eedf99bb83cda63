/*
 * gen/scaffold.h - the apps that `trails new` writes: the folders apps/hello
 * and apps/hello-..., byte for byte.
 */
#ifndef TR_GEN_SCAFFOLD_H
#define TR_GEN_SCAFFOLD_H

#include "base/str.h"

struct tr_gen_scaffold_file {
    const char *folder; /* "hello", or "hello-types" for --with types */
    const char *path;   /* in it: "seeds/Person.csv" */
    tr_str text;
};

extern const struct tr_gen_scaffold_file tr_gen_scaffold_files[];
extern const size_t tr_gen_scaffold_files_count;

#endif
