/*
 * install/install.h - an app put into the file of a host, and taken out.
 *
 * The file is changed under a lock of its folder, and replaced whole. A link is
 * followed: what it leads to is changed. Beside the file a copy is kept of how
 * it was before, FILE.before-trails (install/plan.h).
 */
#ifndef TR_INSTALL_INSTALL_H
#define TR_INSTALL_INSTALL_H

#include "base/buf.h"
#include "base/limits.h"
#include "install/entry.h"
#include "install/form.h"
#include "install/wish.h"

struct tr_install_target {
    const char *path;
    struct tr_install_form form;
    bool is_private; /* a file that is new is its user's alone */
};

/* What is in a file. */
struct tr_install_file {
    struct tr_install_list entries;
    tr_str text;
    bool is_there;
};

/* What has become of one. */
struct tr_install_done {
    bool changed;
    bool is_gone;                   /* the file: there had been none */
    bool has_copy;                  /* of how it was before */
    char copy[TR_LIMIT_PATH_BYTES]; /* where that would be */
};

/* Reads a file, which need not be there. The errors are tr_install_read's, and
 * those of files. */
TR_NODISCARD tr_status tr_install_look(struct tr_arena *arena,
                                       const struct tr_install_target *target,
                                       struct tr_install_file *out,
                                       struct tr_err *err);

/*
 * Puts an app into a file, with the folders that are missing, or takes it out.
 * With `diff` nothing is done: what would be is written there, as a unified
 * diff. Called with the same again, it changes nothing. TR_E_CONFLICT when the
 * name is another app's.
 */
TR_NODISCARD tr_status tr_install_add(const struct tr_install_target *target,
                                      const struct tr_install_wish *wish,
                                      struct tr_buf *diff,
                                      struct tr_install_done *out,
                                      struct tr_err *err);
TR_NODISCARD tr_status tr_install_take_out(
    const struct tr_install_target *target, const struct tr_install_wish *wish,
    struct tr_buf *diff, struct tr_install_done *out, struct tr_err *err);

#endif
