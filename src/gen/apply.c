#include "gen/apply.h"

#include "base/file.h"
#include "base/text.h"
#include "gen/intent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* Files of a change, before and after, and their intent, read and written. */
#define CHANGE_MEMORY (4 * TR_LIMIT_GEN_CHANGE)

tr_status tr_gen_lock(const struct tr_gen_tree *tree, struct tr_err *err)
{
    static const struct timespec step = {.tv_nsec = 1000000};
    for (int waited = 0; flock(tree->fd, LOCK_EX | LOCK_NB) != 0; waited++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return TR_OK; /* a file system without locks */
        if (waited == TR_LIMIT_GEN_WAIT_MS)
            return tr_fail(err, TR_E_UNAVAILABLE,
                           "somebody else is changing the files of this app "
                           "now: try again");
        (void)nanosleep(&step, NULL);
    }
    return TR_OK;
}

static bool is_text(const struct tr_gen_text *text, bool is_there,
                    const struct tr_gen_file *file)
{
    return is_there == text->is_there &&
           (!is_there || tr_str_eq(file->text, text->text));
}

static tr_status remove_file(const struct tr_gen_spot *spot, struct tr_err *err)
{
    if (unlinkat(spot->fd, spot->name, 0) != 0 && errno != ENOENT)
        return tr_fail(err, TR_E_IO, "cannot remove %s: %s", spot->name,
                       strerror(errno));
    (void)fsync(spot->fd);
    return TR_OK;
}

/* trails.toml may have secrets one day: it is its owner's alone. */
static mode_t mode_of(tr_str path)
{
    return tr_str_eq(path, TR_STR("trails.toml")) ? 0600 : 0666;
}

static tr_status put_text(const struct tr_gen_tree *tree, tr_str path,
                          const struct tr_gen_text *from,
                          const struct tr_gen_text *to, struct tr_err *err)
{
    const struct tr_file_replacing how = {
        .mode = mode_of(path),
        .must_be_new = !from->is_there,
    };
    struct tr_gen_spot spot;
    TR_TRY(tr_gen_spot_open(tree, path, to->is_there, &spot, err));
    tr_status status = TR_OK;
    if (spot.fd >= 0)
        status = to->is_there
                     ? tr_file_replace(spot.fd, spot.name, to->text, &how, err)
                     : remove_file(&spot, err);
    tr_gen_spot_close(&spot);
    return status;
}

/* From one text to the other, unless it is there already. */
static tr_status step(const struct tr_gen_tree *tree, struct tr_arena *arena,
                      tr_str path, const struct tr_gen_text *from,
                      const struct tr_gen_text *to, struct tr_err *err)
{
    struct tr_gen_file now;
    bool is_there;
    tr_arena_recycle(arena, TR_LIMIT_GEN_FILE);
    TR_TRY(tr_gen_tree_read(tree, path, arena, &now, &is_there, err));
    if (is_text(to, is_there, &now))
        return TR_OK;
    if (!is_text(from, is_there, &now))
        return tr_fail(err, TR_E_CONFLICT,
                       "%.*s has been changed by somebody else", TR_FMT(path));
    return put_text(tree, path, from, to, err);
}

/* Drafts that a killed process has left in the folder of a path. */
static void sweep_drafts(const struct tr_gen_tree *tree, tr_str path)
{
    struct tr_gen_spot spot;
    if (tr_gen_spot_open(tree, path, false, &spot, NULL) != TR_OK)
        return;
    DIR *open = spot.fd < 0 ? NULL : fdopendir(spot.fd);
    if (!open)
        tr_gen_spot_close(&spot);
    for (const struct dirent *entry; open && (entry = readdir(open));) {
        if (tr_file_is_draft(entry->d_name))
            (void)unlinkat(dirfd(open), entry->d_name, 0);
    }
    if (open)
        (void)closedir(open);
}

static tr_status remove_intent(const struct tr_gen_tree *tree,
                               struct tr_err *err)
{
    if (unlinkat(tree->fd, TR_GEN_INTENT, 0) != 0)
        return tr_fail(err, TR_E_IO, "cannot remove %s: %s", TR_GEN_INTENT,
                       strerror(errno));
    (void)fsync(tree->fd);
    return TR_OK;
}

/* Takes back the first `count` entries. */
static tr_status undo(const struct tr_gen_tree *tree, struct tr_arena *arena,
                      const struct tr_gen_intent *intent, size_t count)
{
    tr_status status = TR_OK;
    for (size_t i = count; i > 0; i--) {
        const struct tr_gen_entry *entry = &intent->entries[i - 1];
        tr_status one =
            step(tree, arena, entry->path, &entry->after, &entry->before, NULL);
        if (one != TR_OK && one != TR_E_CONFLICT) /* else it is not ours */
            status = one;
    }
    return status;
}

/* All of it or nothing, and no intent is left; `arena` is scratch. */
static tr_status play(const struct tr_gen_tree *tree, struct tr_arena *arena,
                      const struct tr_gen_intent *intent, struct tr_err *err)
{
    tr_status status = TR_OK;
    size_t done = 0;
    while (status == TR_OK && done < intent->count) {
        const struct tr_gen_entry *entry = &intent->entries[done];
        status =
            step(tree, arena, entry->path, &entry->before, &entry->after, err);
        done++;
    }
    if (status != TR_OK && undo(tree, arena, intent, done) != TR_OK)
        return status;
    TR_TRY(remove_intent(tree, status == TR_OK ? err : NULL));
    return status;
}

static tr_status play_apart(const struct tr_gen_tree *tree,
                            const struct tr_gen_intent *intent,
                            struct tr_err *err)
{
    struct tr_arena scratch;
    tr_arena_init(&scratch, CHANGE_MEMORY);
    tr_status status = play(tree, &scratch, intent, err);
    tr_arena_done(&scratch);
    return status;
}

static bool has_intent(const struct tr_gen_tree *tree)
{
    return faccessat(tree->fd, TR_GEN_INTENT, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static tr_status read_intent(const struct tr_gen_tree *tree,
                             struct tr_arena *arena, struct tr_gen_intent *out,
                             struct tr_err *err)
{
    tr_str text = {0};
    int fd = openat(tree->fd, TR_GEN_INTENT,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return tr_fail(err, TR_E_IO, "cannot open %s: %s", TR_GEN_INTENT,
                       strerror(errno));
    tr_status status = tr_file_read_open(arena, fd, TR_GEN_INTENT,
                                         TR_LIMIT_GEN_CHANGE, &text, err);
    (void)close(fd);
    if (status == TR_OK)
        status = tr_gen_intent_read(text, arena, out, err);
    if (status == TR_E_INVALID)
        tr_err_prefix(err,
                      "%s says what was being done to the files of this app, "
                      "and cannot be read: remove it, and look at them",
                      TR_GEN_INTENT);
    return status;
}

tr_status tr_gen_end_intent(const struct tr_gen_tree *tree, struct tr_err *err)
{
    struct tr_gen_intent intent = {0};
    struct tr_arena arena;
    sweep_drafts(tree, TR_STR("app.lua"));
    if (!has_intent(tree))
        return TR_OK;
    tr_arena_init(&arena, CHANGE_MEMORY);
    tr_status status = read_intent(tree, &arena, &intent, err);
    if (status == TR_OK)
        status = play_apart(tree, &intent, err);
    for (size_t i = 0; i < intent.count; i++)
        sweep_drafts(tree, intent.entries[i].path);
    tr_arena_done(&arena);
    return status == TR_E_CONFLICT ? TR_OK : status; /* it was taken back */
}

/* What there is now, which must be what the diff was made from. */
static tr_status note_before(const struct tr_gen_tree *tree,
                             struct tr_arena *arena,
                             const struct tr_gen_diff *diff,
                             struct tr_gen_entry *out, struct tr_err *err)
{
    struct tr_gen_file now;
    bool is_there;
    TR_TRY(tr_gen_tree_read(tree, diff->path, arena, &now, &is_there, err));
    bool is_meant = is_there ? strcmp(now.sha256, diff->before_sha256) == 0
                             : !diff->before_sha256[0];
    if (!is_meant)
        return tr_fail(err, TR_E_CONFLICT, "%.*s has been changed meanwhile",
                       TR_FMT(diff->path));
    *out = (struct tr_gen_entry){
        .path = diff->path,
        .before = {.is_there = is_there, .text = now.text},
        .after = {.is_there = diff->change != TR_GEN_DELETE,
                  .text = diff->after},
    };
    return TR_OK;
}

static tr_status write_intent(const struct tr_gen_tree *tree,
                              const struct tr_gen_intent *intent,
                              struct tr_err *err)
{
    const struct tr_file_replacing how = {.mode = 0600};
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_GEN_CHANGE);
    tr_status status = tr_gen_intent_write(intent, &text, err);
    if (status == TR_OK)
        status = tr_file_replace(tree->fd, TR_GEN_INTENT, tr_buf_str(&text),
                                 &how, err);
    tr_buf_done(&text);
    return status;
}

tr_status tr_gen_apply(const struct tr_gen_tree *tree,
                       const struct tr_gen_diff *diffs, size_t count,
                       struct tr_err *err)
{
    struct tr_gen_intent intent = {.count = count};
    struct tr_arena arena;
    tr_status status = TR_OK;
    if (count > TR_LIMIT_GEN_DIFFS)
        return tr_fail(err, TR_E_LIMIT, "a change has at most %zu files",
                       TR_LIMIT_GEN_DIFFS);
    tr_arena_init(&arena, CHANGE_MEMORY);
    for (size_t i = 0; i < count && status == TR_OK; i++)
        status = note_before(tree, &arena, &diffs[i], &intent.entries[i], err);
    if (status == TR_OK && count)
        status = write_intent(tree, &intent, err);
    if (status == TR_OK && count)
        status = play_apart(tree, &intent, err);
    tr_arena_done(&arena);
    return status;
}

/* Whether a look at the folder finds anything of ours. */
static bool is_left_behind(const struct tr_gen_tree *tree)
{
    DIR *open = NULL;
    int fd = openat(tree->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool found = has_intent(tree);
    open = fd < 0 ? NULL : fdopendir(fd);
    if (!open && fd >= 0)
        (void)close(fd);
    for (const struct dirent *entry; !found && open && (entry = readdir(open));)
        found = tr_file_is_draft(entry->d_name);
    if (open)
        (void)closedir(open);
    return found;
}

tr_status tr_gen_recover(const char *folder, struct tr_err *err)
{
    struct tr_gen_tree tree = {.fd = -1};
    if (tr_gen_tree_open(folder, &tree, NULL) != TR_OK)
        return TR_OK; /* who needs the folder will say so */
    tr_status status = TR_OK;
    if (is_left_behind(&tree)) {
        status = tr_gen_lock(&tree, err);
        if (status == TR_OK)
            status = tr_gen_end_intent(&tree, err);
        else /* somebody is at it */
            status = TR_OK;
    }
    tr_gen_tree_close(&tree);
    return status;
}
