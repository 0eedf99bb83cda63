/*
 * db/files.h - whether the files that a connection has open are still those
 * that their names stand for.
 *
 * A file that was deleted or replaced stays open: SQLite would go on writing
 * to it, and nobody would find that again.
 */
#ifndef TR_DB_FILES_H
#define TR_DB_FILES_H

#include "base/err.h"

#include <sys/types.h>

/* The store, its log, and the memory that processes share about it. */
#define TR_DB_FILES 3

struct tr_db_files {
    char *path; /* of the store, owned; NULL: nothing is looked at */
    bool is_noted;
    struct {
        dev_t device;
        ino_t inode;
    } known[TR_DB_FILES];
};

TR_NODISCARD tr_status tr_db_files_init(struct tr_db_files *files,
                                        const char *path, struct tr_err *err);
void tr_db_files_done(struct tr_db_files *files);

/* Remembers the files, once, while all of them are open. */
void tr_db_files_note(struct tr_db_files *files);

/* TR_E_IO when one of those that were noted is gone, or another. */
TR_NODISCARD tr_status tr_db_files_check(const struct tr_db_files *files,
                                         struct tr_err *err);

/*
 * Whether nobody can write to the store here, and nobody has it open: then
 * there is no log beside it, and none can be made, so SQLite must be told to do
 * without. TR_E_IO when there is a log that could only be read by making a
 * file.
 */
TR_NODISCARD tr_status tr_db_files_are_fixed(const char *path, bool *out,
                                             struct tr_err *err);

#endif
