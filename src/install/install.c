#include "install/install.h"

#include "base/diff.h"
#include "base/file.h"
#include "install/editor.h"
#include "install/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_SUFFIX ".before-trails"

/* A file while it is being changed. */
struct work {
    const struct tr_install_target *target;
    const struct tr_install_wish *wish;
    bool adds;                        /* else the app is taken out */
    char path[TR_LIMIT_PATH_BYTES];   /* where links have led */
    char folder[TR_LIMIT_PATH_BYTES]; /* it is in this one */
    const char *file;                 /* its name there */
    const char *copy;                 /* the copy's */
    int lock;                         /* the folder, open and locked; or -1 */
    struct tr_install_state now;
    struct tr_install_plan plan;
    struct tr_arena arena;
};

static tr_status find(struct work *w, struct tr_install_done *done,
                      struct tr_err *err)
{
    TR_TRY(tr_file_follow(w->target->path, w->path, err));
    char *slash = strrchr(w->path, '/');
    size_t len = slash ? (size_t)(slash - w->path) : 0;
    w->file = slash ? slash + 1 : w->path;
    if (slash)
        (void)snprintf(w->folder, sizeof(w->folder), "%.*s",
                       (int)(len ? len : 1), w->path);
    else
        (void)snprintf(w->folder, sizeof(w->folder), ".");
    int made =
        snprintf(done->copy, sizeof(done->copy), "%s" COPY_SUFFIX, w->path);
    if (made < 0 || (size_t)made >= sizeof(done->copy))
        return tr_fail(err, TR_E_LIMIT, "the path of the file is too long");
    w->copy = done->copy + (w->file - w->path);
    return TR_OK;
}

static tr_status read_text(struct tr_arena *arena, const char *path,
                           struct tr_install_text *out, struct tr_err *err)
{
    tr_status status =
        tr_file_read(arena, path, TR_LIMIT_INSTALL_BYTES, &out->text, err);
    out->is_there = status == TR_OK;
    if (status == TR_OK || status == TR_E_NOT_FOUND) {
        out->text = out->is_there ? out->text : TR_STR("");
        return TR_OK;
    }
    return status;
}

tr_status tr_install_look(struct tr_arena *arena,
                          const struct tr_install_target *target,
                          struct tr_install_file *out, struct tr_err *err)
{
    const struct tr_json *root = NULL;
    struct tr_install_text text = {.is_there = false};
    *out = (struct tr_install_file){.is_there = false};
    TR_TRY(read_text(arena, target->path, &text, err));
    out->is_there = text.is_there;
    out->text = text.text;
    TR_TRY(tr_install_read(arena, &target->form, text.text, &root, err));
    return tr_install_entries(arena, &target->form, root, &out->entries, err);
}

/* Makes the folder, and keeps others who do the same from it. */
static tr_status lock(struct work *w, struct tr_err *err)
{
    if (w->adds)
        TR_TRY(tr_file_make_folders(w->folder,
                                    w->target->is_private ? 0700 : 0777, err));
    tr_status status = tr_file_lock_folder(w->folder, &w->lock, err);
    /* Without its folder there is no file, and nothing to take out. */
    return status == TR_E_NOT_FOUND && !w->adds ? TR_OK : status;
}

static tr_status plan(struct work *w, struct tr_install_done *done,
                      struct tr_err *err)
{
    const struct tr_install_form *form = &w->target->form;
    const struct tr_json *root = NULL;
    struct tr_install_list entries;
    struct tr_install_entry entry;
    w->now.form = form;
    TR_TRY(read_text(&w->arena, w->path, &w->now.file, err));
    TR_TRY(read_text(&w->arena, done->copy, &w->now.copy, err));
    TR_TRY(tr_install_read(&w->arena, form, w->now.file.text, &root, err));
    TR_TRY(tr_install_entries(&w->arena, form, root, &entries, err));
    const struct tr_install_found *now =
        tr_install_entry_find(&entries, w->wish->name);
    if (!w->adds) {
        TR_TRY(tr_install_wish_check(w->wish, now, err));
        return tr_install_plan_remove(&w->arena, &w->now, w->wish->name,
                                      &w->plan, err);
    }
    TR_TRY(tr_install_wish_entry(&w->arena, w->wish, now, &entry, err));
    return tr_install_plan_put(&w->arena, &w->now, &entry, &w->plan, err);
}

static tr_status show(struct work *w, struct tr_buf *diff, struct tr_err *err)
{
    struct tr_buf names;
    tr_buf_init(&names, 3 * TR_LIMIT_PATH_BYTES);
    tr_buf_putf(&names, "a%s%sb%s%s", w->path[0] == '/' ? "" : "/", w->path,
                w->path[0] == '/' ? "" : "/", w->path);
    tr_status status = tr_buf_check(&names, err);
    size_t half = names.len / 2;
    struct tr_diff_side from = {{names.ptr, w->now.file.is_there ? half : 0},
                                w->now.file.text};
    struct tr_diff_side to = {
        {names.ptr + half, w->plan.file.is_there ? half : 0},
        w->plan.file.text};
    if (status == TR_OK)
        status = tr_diff_unified(diff, &from, &to, err);
    tr_buf_done(&names);
    return status;
}

/* The copy says what the file did, and is as open to others as it. */
static tr_status save_copy(const struct work *w, const char *shown,
                           struct tr_err *err)
{
    struct stat about;
    if (fstatat(w->lock, w->file, &about, 0) != 0)
        return tr_fail(err, TR_E_IO, "cannot read %s: %s", w->path,
                       strerror(errno));
    /* Of a file that may not be written no copy is left behind. */
    if (faccessat(w->lock, w->file, W_OK, AT_EACCESS) != 0)
        return tr_fail(err, TR_E_IO, "cannot write %s: %s", w->path,
                       strerror(errno));
    struct tr_file_replacing how = {.shown = shown,
                                    .mode = about.st_mode & 0666};
    TR_TRY(tr_file_replace(w->lock, w->copy, w->now.file.text, &how, err));
    /* Root may do this for another user, who is to be able to read it. */
    if (geteuid() == 0 && fchownat(w->lock, w->copy, about.st_uid, about.st_gid,
                                   AT_SYMLINK_NOFOLLOW) != 0)
        return tr_fail(err, TR_E_IO, "cannot give away %s: %s", shown,
                       strerror(errno));
    return TR_OK;
}

static tr_status write_file(const struct work *w, struct tr_err *err)
{
    struct tr_file_replacing how = {
        .shown = w->path, .mode = w->target->is_private ? 0600 : 0666};
    if (w->plan.file.is_there)
        return tr_file_replace(w->lock, w->file, w->plan.file.text, &how, err);
    if (unlinkat(w->lock, w->file, 0) != 0)
        return tr_fail(err, TR_E_IO, "cannot delete %s: %s", w->path,
                       strerror(errno));
    (void)fsync(w->lock);
    return TR_OK;
}

static tr_status carry_out(struct work *w, struct tr_install_done *done,
                           struct tr_err *err)
{
    if (w->plan.changes && w->plan.copy == TR_INSTALL_COPY_MADE)
        TR_TRY(save_copy(w, done->copy, err));
    if (w->plan.changes)
        TR_TRY(write_file(w, err));
    if (w->plan.changes && w->plan.copy == TR_INSTALL_COPY_GOES)
        (void)unlinkat(w->lock, w->copy, 0);
    done->changed = w->plan.changes;
    done->is_gone = w->plan.changes && !w->plan.file.is_there;
    done->has_copy =
        w->plan.copy == TR_INSTALL_COPY_MADE ||
        (w->now.copy.is_there && w->plan.copy != TR_INSTALL_COPY_GOES);
    return TR_OK;
}

static tr_status change(struct work *w, struct tr_buf *diff,
                        struct tr_install_done *done, struct tr_err *err)
{
    *done = (struct tr_install_done){.changed = false};
    TR_TRY(find(w, done, err));
    if (!diff)
        TR_TRY(lock(w, err));
    if (!diff && w->lock < 0)
        return TR_OK;
    TR_TRY(plan(w, done, err));
    if (!diff)
        return carry_out(w, done, err);
    done->changed = w->plan.changes;
    return w->plan.changes ? show(w, diff, err) : TR_OK;
}

static tr_status run(struct work *w, struct tr_buf *diff,
                     struct tr_install_done *out, struct tr_err *err)
{
    w->lock = -1;
    tr_arena_init(&w->arena, TR_LIMIT_INSTALL_MEMORY);
    tr_status status = change(w, diff, out, err);
    if (w->lock >= 0)
        (void)close(w->lock);
    tr_arena_done(&w->arena);
    return status;
}

tr_status tr_install_add(const struct tr_install_target *target,
                         const struct tr_install_wish *wish,
                         struct tr_buf *diff, struct tr_install_done *out,
                         struct tr_err *err)
{
    struct work w = {.target = target, .wish = wish, .adds = true};
    return run(&w, diff, out, err);
}

tr_status tr_install_take_out(const struct tr_install_target *target,
                              const struct tr_install_wish *wish,
                              struct tr_buf *diff, struct tr_install_done *out,
                              struct tr_err *err)
{
    struct work w = {.target = target, .wish = wish};
    return run(&w, diff, out, err);
}
