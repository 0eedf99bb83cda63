/*
 * gen/tree.h - files below an app's folder, reached without following a link.
 *
 * Every step of a path is opened by its own name in the folder before it, so
 * nothing that others put there in the meantime leads out of it. Paths are
 * those of path.h.
 */
#ifndef TR_GEN_TREE_H
#define TR_GEN_TREE_H

#include "base/limits.h"
#include "gen/gen.h"

/* The app's folder, open. */
struct tr_gen_tree {
    int fd; /* -1: it is not open */
};

/* Fails with TR_E_NOT_FOUND or TR_E_IO. */
TR_NODISCARD tr_status tr_gen_tree_open(const char *folder,
                                        struct tr_gen_tree *out,
                                        struct tr_err *err);
void tr_gen_tree_close(struct tr_gen_tree *tree);

/* The folder that a path is in, open, and the last name of the path. */
struct tr_gen_spot {
    int fd; /* -1: there is no such folder */
    char name[TR_LIMIT_GEN_NAME + 1];
};

/*
 * Opens the folder of a path; `makes` makes those that are missing.
 * TR_E_INVALID when one on the way is a link or no folder.
 */
TR_NODISCARD tr_status tr_gen_spot_open(const struct tr_gen_tree *tree,
                                        tr_str path, bool makes,
                                        struct tr_gen_spot *out,
                                        struct tr_err *err);
void tr_gen_spot_close(struct tr_gen_spot *spot);

/*
 * Reads a file with its hash into the arena; false in `is_there` when there is
 * none. TR_E_INVALID when it is a link or no plain file, or there is a name
 * beside it that differs in case alone; TR_E_LIMIT over TR_LIMIT_GEN_FILE.
 */
TR_NODISCARD tr_status tr_gen_tree_read(const struct tr_gen_tree *tree,
                                        tr_str path, struct tr_arena *arena,
                                        struct tr_gen_file *out, bool *is_there,
                                        struct tr_err *err);

/* The paths of all files of the app, in the order of their bytes. Links are
 * none. TR_E_LIMIT over TR_LIMIT_GEN_FILES. */
struct tr_gen_paths {
    tr_str *items;
    size_t count;
    size_t cap;
};

TR_NODISCARD tr_status tr_gen_tree_list(const struct tr_gen_tree *tree,
                                        struct tr_arena *arena,
                                        struct tr_gen_paths *out,
                                        struct tr_err *err);

/* The SHA-256 of a text in lower-case digits, with a NUL behind. */
void tr_gen_hash(tr_str text, char out[65]);

#endif
