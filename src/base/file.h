/*
 * base/file.h - whole files: read up to a maximum, written to the end.
 */
#ifndef TR_BASE_FILE_H
#define TR_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Reads a file, or standard input for "-", into the arena. Fails with
 * TR_E_NOT_FOUND, TR_E_LIMIT over `max_bytes`, or TR_E_IO; the message names
 * the file.
 */
TR_NODISCARD tr_status tr_file_read(struct tr_arena *arena, const char *path,
                                    size_t max_bytes, tr_str *out,
                                    struct tr_err *err);

/* A folder, and who hears of each file that is asked for in it: what was read,
 * or that it cannot be; `heard` may be NULL. */
struct tr_file_folder {
    const char *path;
    void (*heard)(void *data, const char *path, tr_status status, tr_str text);
    void *data;
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

/* Whether it is a terminal whose user wants colours: not with NO_COLOR or
 * TERM=dumb. */
bool tr_file_takes_colours(int fd);

#endif
