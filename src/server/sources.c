#include "server/sources.h"

#include "base/hash.h"
#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void tr_server_sources_init(struct tr_server_sources *sources,
                            const char *folder)
{
    *sources = (struct tr_server_sources){.folder = folder};
    tr_arena_init(&sources->arena, TR_LIMIT_SOURCES_MEMORY);
}

void tr_server_sources_done(struct tr_server_sources *sources)
{
    tr_arena_done(&sources->arena);
}

void tr_server_sources_clear(struct tr_server_sources *sources)
{
    if (!sources)
        return;
    const char *folder = sources->folder;
    tr_server_sources_done(sources);
    tr_server_sources_init(sources, folder);
}

/* Nothing of it stays in memory: there may be secrets in trails.toml. */
static void digest_file(int fd, struct tr_server_source_state *state)
{
    struct tr_crypto_sha256 sha;
    unsigned char bytes[4096];
    size_t total = 0;
    ssize_t got = 0;
    tr_crypto_sha256_init(&sha);
    while (total <= TR_LIMIT_SOURCE_BYTES) {
        got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        tr_crypto_sha256_add(&sha, (tr_str){(const char *)bytes, (size_t)got});
        total += (size_t)got;
    }
    explicit_bzero(bytes, sizeof(bytes));
    if (got < 0)
        state->error = errno;
    tr_crypto_sha256_done(&sha, state->digest);
}

/* Of a file as it is now; without its digest when `text` is given. */
static void look(const char *folder, const char *path, const tr_str *text,
                 struct tr_server_source_state *out)
{
    char whole[TR_LIMIT_PATH_BYTES];
    struct stat about = {0};
    errno = 0;
    *out = (struct tr_server_source_state){0};
    int len = snprintf(whole, sizeof(whole), "%s/%s", folder, path);
    int fd = len < 0 || (size_t)len >= sizeof(whole)
                 ? -1
                 : open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) != 0) {
        out->error = errno ? errno : ENAMETOOLONG;
    } else {
        out->mode = about.st_mode;
        out->owner = about.st_uid;
        out->changed_ns =
            (int64_t)about.st_ctim.tv_sec * 1000000000 + about.st_ctim.tv_nsec;
    }
    if (!out->error && text)
        tr_crypto_sha256(*text, out->digest);
    else if (!out->error && S_ISREG(about.st_mode))
        digest_file(fd, out);
    if (fd >= 0)
        (void)close(fd);
}

static bool is_same(const struct tr_server_source_state *noted,
                    const struct tr_server_source_state *now)
{
    return noted->error == now->error && noted->mode == now->mode &&
           noted->owner == now->owner &&
           (!noted->changed_ns || noted->changed_ns == now->changed_ns) &&
           memcmp(noted->digest, now->digest, sizeof(now->digest)) == 0;
}

/* More than so many are not kept: an app may ask for files that are not there
 * as often as it likes. */
void tr_server_sources_note(void *data, const char *path, tr_status status,
                            tr_str text)
{
    struct tr_server_sources *sources = data;
    struct tr_server_source source = {0};
    if (!sources || sources->items.count == TR_LIMIT_SOURCES)
        return;
    look(sources->folder, path, status == TR_OK ? &text : NULL, &source.state);
    if (status == TR_OK)
        source.state.changed_ns = 0;
    bool is_kept =
        tr_arena_copy(&sources->arena, tr_str_from(path), &source.path) &&
        tr_vec_push(&sources->arena, &sources->items, source);
    (void)is_kept; /* what is not watched can be loaded by a signal */
}

bool tr_server_sources_have_changed(const struct tr_server_sources *sources)
{
    for (size_t i = 0; i < sources->items.count; i++) {
        const struct tr_server_source *source = &sources->items.items[i];
        struct tr_server_source_state now;
        look(sources->folder, source->path.ptr, NULL, &now);
        if (!is_same(&source->state, &now))
            return true;
    }
    return false;
}

static uint64_t stamp_file(const char *folder, const char *path, uint64_t seed)
{
    char whole[TR_LIMIT_PATH_BYTES];
    struct stat about = {0};
    int len = snprintf(whole, sizeof(whole), "%s/%s", folder, path);
    if (len < 0 || (size_t)len >= sizeof(whole) || stat(whole, &about) != 0)
        return tr_hash_u64(0, seed);
    const uint64_t parts[] = {
        about.st_dev,
        about.st_ino,
        (uint64_t)about.st_size,
        (uint64_t)about.st_mtim.tv_sec,
        (uint64_t)about.st_mtim.tv_nsec,
        (uint64_t)about.st_ctim.tv_sec,
        (uint64_t)about.st_ctim.tv_nsec,
    };
    for (size_t i = 0; i < TR_LEN(parts); i++)
        seed = tr_hash_u64(parts[i], seed);
    return seed;
}

uint64_t tr_server_sources_stamp(const struct tr_server_sources *sources)
{
    uint64_t stamp = sources->items.count;
    for (size_t i = 0; i < sources->items.count; i++)
        stamp = stamp_file(sources->folder, sources->items.items[i].path.ptr,
                           stamp);
    return stamp;
}
