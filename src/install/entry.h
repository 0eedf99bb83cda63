/*
 * install/entry.h - the servers of a host's file that are ours.
 *
 * They are those whose name begins with "trails-"; all others are nobody's
 * business here.
 */
#ifndef TR_INSTALL_ENTRY_H
#define TR_INSTALL_ENTRY_H

#include "base/vec.h"
#include "install/form.h"
#include "json/json.h"

#define TR_INSTALL_PREFIX "trails-"

struct tr_install_found {
    struct tr_install_entry entry; /* "" and none where it has no such texts */
    tr_str folder;                 /* the app that it serves, or "" */
    tr_str cwd;                    /* where it is started, or "" */
    const struct tr_json *env; /* what is added to its environment, or NULL */
    bool is_plain; /* a command and texts as arguments, and nothing else that
                      would be written anew */
};

struct tr_install_list {
    struct tr_install_found *items;
    size_t count;
    size_t cap;
};

/* Those in a tree of tr_install_read, in their order; views of it. */
TR_NODISCARD tr_status tr_install_entries(struct tr_arena *arena,
                                          const struct tr_install_form *form,
                                          const struct tr_json *root,
                                          struct tr_install_list *out,
                                          struct tr_err *err);

/* The one of this name, or NULL. */
const struct tr_install_found *
tr_install_entry_find(const struct tr_install_list *list, tr_str name);

#endif
