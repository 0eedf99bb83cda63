/*
 * base/file.h - whole files: read up to a maximum, written to the end, replaced
 * whole or not at all.
 */
#ifndef TR_BASE_FILE_H
#define TR_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#include <sys/types.h>

/*
 * Reads a file, or standard input for "-", into the arena. Fails with
 * TR_E_NOT_FOUND, TR_E_LIMIT over `max_bytes`, or TR_E_IO; the message names
 * the file.
 */
TR_NODISCARD tr_status tr_file_read(struct tr_arena *arena, const char *path,
                                    size_t max_bytes, tr_str *out,
                                    struct tr_err *err);

/* As tr_file_read, from a descriptor, which stays open; messages call it
 * `path`. */
TR_NODISCARD tr_status tr_file_read_open(struct tr_arena *arena, int fd,
                                         const char *path, size_t max_bytes,
                                         tr_str *out, struct tr_err *err);

/* A text that stands in place of a file, by its path from a folder. */
struct tr_file_text {
    tr_str path;
    tr_str text;
};

/* The text of a path among them; NULL when none has it. */
const tr_str *tr_file_text_find(const struct tr_file_text *texts, size_t count,
                                const char *path);

/* A folder, and who hears of each file that is asked for in it: what was read,
 * or that it cannot be; `heard` may be NULL. */
struct tr_file_folder {
    const char *path;
    void (*heard)(void *data, const char *path, tr_status status, tr_str text);
    void *data;
    const struct tr_file_text *texts; /* in place of files; they outlive what
                                         is read */
    size_t text_count;
};

/*
 * As tr_file_read, for a path that starts in `folder` and must stay below it,
 * links included: TR_E_INVALID for one that does not.
 */
TR_NODISCARD tr_status tr_file_read_below(struct tr_arena *arena,
                                          const struct tr_file_folder *folder,
                                          const char *path, size_t max_bytes,
                                          tr_str *out, struct tr_err *err);

/*
 * Writes all of `text` to a descriptor. Fails with TR_E_IO; the message names
 * `path`, which may be NULL where the file has no name.
 */
TR_NODISCARD tr_status tr_file_write_all(int fd, const char *path, tr_str text,
                                         struct tr_err *err);

struct tr_file_replacing {
    const char *shown; /* the file in messages; NULL for its name */
    mode_t mode;       /* of a file that is new, before the umask */
    bool must_be_new;  /* TR_E_CONFLICT when something has the name */
};

/*
 * Gives file `name` of an open folder a new text. It is written beside the old
 * one and renamed: whoever reads sees one or the other, and after a crash one
 * of them is there; the new one, on the disk, once this has returned. Mode and
 * owner stay. Who changes what a file has said reads it, and calls this, under
 * tr_file_lock_folder.
 *
 * Fails with TR_E_INVALID for a link or a folder and for a name that has a '/',
 * TR_E_IO for a file that may not be written or whose owner cannot be kept.
 */
TR_NODISCARD tr_status tr_file_replace(int folder, const char *name,
                                       tr_str text,
                                       const struct tr_file_replacing *how,
                                       struct tr_err *err);

/* Whether it is the name of what tr_file_replace writes beside a file: left
 * behind where nobody has the folder locked. */
bool tr_file_is_draft(const char *name);

/*
 * Opens a folder and waits until nobody else has it locked; to close *out ends
 * that. A file system without locks locks nothing.
 */
TR_NODISCARD tr_status tr_file_lock_folder(const char *path, int *out,
                                           struct tr_err *err);

/* Makes a folder, and those above it, where they are missing. */
TR_NODISCARD tr_status tr_file_make_folders(const char *path, mode_t mode,
                                            struct tr_err *err);

/*
 * Where the last part of a path leads when it is a link, through all links,
 * whether or not anything is there.
 */
TR_NODISCARD tr_status tr_file_follow(const char *path,
                                      char out[TR_LIMIT_PATH_BYTES],
                                      struct tr_err *err);

/* Whether it is a terminal whose user wants colours: not with NO_COLOR or
 * TERM=dumb. */
bool tr_file_takes_colours(int fd);

#endif
