/*
 * install/wish.h - the entry that an app should have.
 */
#ifndef TR_INSTALL_WISH_H
#define TR_INSTALL_WISH_H

#include "base/err.h"
#include "install/entry.h"

struct tr_install_wish {
    tr_str name;            /* of the entry: "trails-..." */
    const char *command;    /* the path of the program */
    const char *folder;     /* of the app; to take out, NULL for any */
    const char *token_file; /* has what the host brings, or NULL */
    const char *variable;   /* no text may have this, or NULL */
};

/* Whether an entry is of the app that is wished for: TR_E_CONFLICT when it is
 * another's. */
TR_NODISCARD tr_status tr_install_wish_check(const struct tr_install_wish *wish,
                                             const struct tr_install_found *now,
                                             struct tr_err *err);

/*
 * The entry. One that is there, `now` or NULL, keeps its arguments when they
 * serve the same folder and no file of a token is named. Fails with
 * TR_E_INVALID for paths that its texts cannot have. *out borrows from all of
 * these.
 */
TR_NODISCARD tr_status tr_install_wish_entry(struct tr_arena *arena,
                                             const struct tr_install_wish *wish,
                                             const struct tr_install_found *now,
                                             struct tr_install_entry *out,
                                             struct tr_err *err);

#endif
