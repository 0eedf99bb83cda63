/*
 * test/support/gen.h - runs an operation on the files of an app, as callers do:
 * its arguments are checked by its shape first.
 */
#ifndef TR_TEST_SUPPORT_GEN_H
#define TR_TEST_SUPPORT_GEN_H

#include "gen/gen.h"

struct gen_run {
    struct tr_arena arena;
    struct tr_gen_project project;
    struct tr_gen_call call;
    tr_status status;
    struct tr_err err;
};

/* Runs `op` in a folder with arguments as JSON. */
void gen_run(struct gen_run *run, const char *folder, const char *op,
             const char *arguments);
void gen_done(struct gen_run *run);

/* The message of the first field error, or of the error; never NULL. */
const char *gen_message(const struct gen_run *run);

/* The text of a file, valid until the fourth call from here on; NULL when there
 * is none. */
const char *gen_text(const char *folder, const char *path);

#endif
