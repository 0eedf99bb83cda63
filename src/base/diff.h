/*
 * base/diff.h - what has changed between two texts, as a unified diff.
 *
 * The same texts always give the same diff, which `patch` and `git apply` take.
 * Bytes are compared as they are; a line ends with \n.
 */
#ifndef TR_BASE_DIFF_H
#define TR_BASE_DIFF_H

#include "base/buf.h"

/* One text; without a name it is of a file that is not there. */
struct tr_diff_side {
    tr_str name; /* as the diff shows it, "a/app.lua" */
    tr_str text;
};

/*
 * Appends the diff, with three lines of context; nothing for texts that are
 * equal. It is the shortest, unless the texts have so little in common that
 * finding it would take more than TR_LIMIT_DIFF_WORK steps. Fails with
 * TR_E_LIMIT for texts beyond TR_LIMIT_DIFF_BYTES or TR_LIMIT_DIFF_LINES, and
 * when `out` is full.
 */
TR_NODISCARD tr_status tr_diff_unified(struct tr_buf *out,
                                       const struct tr_diff_side *from,
                                       const struct tr_diff_side *to,
                                       struct tr_err *err);

#endif
