/*
 * install/edits.h - pieces of a text that are taken out or put in, so that all
 * others stay as they are, byte for byte.
 */
#ifndef TR_INSTALL_EDITS_H
#define TR_INSTALL_EDITS_H

#include "base/buf.h"
#include "base/vec.h"

/* Bytes from `start` up to `end` become `text`. */
struct tr_install_edit {
    size_t start;
    size_t end;
    tr_str text;
};

/* A bounded number: no change needs more. They do not overlap. */
struct tr_install_edits {
    struct tr_install_edit items[8];
    size_t count;
};

/* Those at the same place keep the order in which they were added. */
void tr_install_edits_add(struct tr_install_edits *edits, size_t start,
                          size_t end, tr_str text);

/* The text with all of them, in the arena. */
TR_NODISCARD tr_status tr_install_edits_apply(
    const struct tr_install_edits *edits, struct tr_arena *arena, tr_str text,
    tr_str *out, struct tr_err *err);

#endif
