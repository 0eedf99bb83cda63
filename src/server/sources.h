/*
 * server/sources.h - the files that an app was made from, as they were read the
 * last time: trails.toml, app.lua, and what that has asked for. A file that was
 * asked for and was not there is one of them.
 *
 * On the thread of the first loop.
 */
#ifndef TR_SERVER_SOURCES_H
#define TR_SERVER_SOURCES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "crypto/digest.h"

/* What a file is, as far as loading it depends on that. */
struct tr_server_source_state {
    int error; /* why it cannot be read, an errno; 0: it can */
    unsigned mode;
    unsigned owner;
    int64_t changed_ns; /* of one that was refused: any change may mend it */
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
};

struct tr_server_source {
    tr_str path; /* in the app's folder; ends with a NUL */
    struct tr_server_source_state state;
};

struct tr_server_sources {
    const char *folder; /* of the app; borrowed */
    struct tr_arena arena;
    TR_VEC(struct tr_server_source) items;
};

void tr_server_sources_init(struct tr_server_sources *sources,
                            const char *folder);
void tr_server_sources_done(struct tr_server_sources *sources);

/* Forgets them all: the app is read anew. NULL is allowed. */
void tr_server_sources_clear(struct tr_server_sources *sources);

/* A file was read, or not; `data` are the sources, or NULL. As struct
 * tr_file_folder has it. */
void tr_server_sources_note(void *data, const char *path, tr_status status,
                            tr_str text);

/* Whether a file is not as it was when it was read: it has another content,
 * other rights, or is gone. */
bool tr_server_sources_have_changed(const struct tr_server_sources *sources);

/* Another number once a file may have changed; nothing is read for it. */
uint64_t tr_server_sources_stamp(const struct tr_server_sources *sources);

#endif
