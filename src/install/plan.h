/*
 * install/plan.h - what becomes of a host's file, and of the copy of how it was
 * before; pure, of texts alone.
 *
 * The copy is of the file without any entry of ours, as long as nobody else
 * changes the file; so that who takes out the last entry gets back what was
 * there. It is made anew before a change when somebody else has changed the
 * file meanwhile.
 */
#ifndef TR_INSTALL_PLAN_H
#define TR_INSTALL_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "install/form.h"

/* A text, or that there is no file. */
struct tr_install_text {
    bool is_there;
    tr_str text;
};

enum tr_install_copy {
    TR_INSTALL_COPY_STAYS,
    TR_INSTALL_COPY_MADE, /* of the file as it is */
    TR_INSTALL_COPY_GOES, /* the file is what it says */
};

/* A file and its copy as they are now. */
struct tr_install_state {
    const struct tr_install_form *form;
    struct tr_install_text file;
    struct tr_install_text copy;
};

struct tr_install_plan {
    struct tr_install_text file; /* what it becomes */
    bool changes;
    enum tr_install_copy copy;
};

/* The errors are those of tr_install_put and tr_install_remove. */
TR_NODISCARD tr_status tr_install_plan_put(struct tr_arena *arena,
                                           const struct tr_install_state *now,
                                           const struct tr_install_entry *entry,
                                           struct tr_install_plan *out,
                                           struct tr_err *err);

TR_NODISCARD tr_status tr_install_plan_remove(
    struct tr_arena *arena, const struct tr_install_state *now, tr_str name,
    struct tr_install_plan *out, struct tr_err *err);

#endif
