/*
 * gen/inside.h - what the files of gen/ share: the rows of arguments, and what
 * a run does with them.
 */
#ifndef TR_GEN_INSIDE_H
#define TR_GEN_INSIDE_H

#include "base/limits.h"
#include "gen/gen.h"
#include "gen/tree.h"

/* What an argument becomes in a declaration. */
enum tr_gen_role {
    TR_GEN_OPTION, /* an option with this value */
    TR_GEN_NAME,   /* the name of what is declared */
    TR_GEN_FIELDS, /* an option whose value is a table of fields */
    TR_GEN_EFFECT, /* a part of side_effects */
    TR_GEN_BODY,   /* what `run` does, as Lua */
    TR_GEN_TEXT,   /* what `run` gives, as a text */
    TR_GEN_NOTHING /* it is for the generator */
};

struct tr_gen_argument {
    struct tr_field field;
    enum tr_gen_role role;
    const char *option; /* what app.lua calls it; NULL: the same */
};

/* Stands for the shape of one field in a table of fields, which is made of the
 * kinds that there are (fields.h). */
extern const struct tr_shape tr_gen_field_shape;

/* The value of an argument, or NULL; and as a text or a truth. */
const struct tr_json *tr_gen_argument(const struct tr_gen_call *call,
                                      const char *name);
tr_str tr_gen_argument_text(const struct tr_gen_call *call, const char *name);
bool tr_gen_argument_is(const struct tr_gen_call *call, const char *name);

/* Notes that an argument is wrong: "<field> <says>". TR_E_NOMEM, or
 * TR_E_VALIDATION. */
TR_PRINTF(5, 6)
TR_NODISCARD tr_status tr_gen_refuse(struct tr_gen_call *call,
                                     const char *field, const char *code,
                                     struct tr_err *err, const char *format,
                                     ...);

/* Adds what becomes of a file: `before` is NULL when there is none, `after`
 * when there will be none. Nothing for a file that stays as it is. */
TR_NODISCARD tr_status tr_gen_add_diff(struct tr_gen_call *call, tr_str path,
                                       const struct tr_gen_file *before,
                                       const tr_str *after, struct tr_err *err);

/* Reads a file that an argument names. What is wrong with it is refused as that
 * argument; *is_there is false when there is none. */
TR_NODISCARD tr_status tr_gen_read_named(struct tr_gen_call *call,
                                         const char *argument, tr_str path,
                                         struct tr_gen_file *out,
                                         bool *is_there, struct tr_err *err);

/* Refuses unless before_sha256, if it is given, is the file's: TR_E_CONFLICT.
 * NULL: there is no file. */
TR_NODISCARD tr_status tr_gen_check_before(struct tr_gen_call *call,
                                           const struct tr_gen_file *file,
                                           struct tr_err *err);

/* The rows: what they do. */
tr_status tr_gen_run_declare(struct tr_gen_call *call, struct tr_err *err);
tr_status tr_gen_run_app(struct tr_gen_call *call, struct tr_err *err);
tr_status tr_gen_run_edit(struct tr_gen_call *call, struct tr_err *err);
tr_status tr_gen_run_source(struct tr_gen_call *call, struct tr_err *err);

#endif
