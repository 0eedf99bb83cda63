#include "server/watch.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/vec.h"
#include "loop/loop.h"
#include "loop/watch.h"
#include "server/places.h"
#include "server/sources.h"

#include <sys/stat.h>

/* A folder in which a name is looked up on the way to a file of the app. */
struct tr_server_watched {
    struct tr_server_watched *next;
    struct tr_server_watch *watch;
    struct tr_loop_watch *open;
    dev_t device; /* which folder it is, whatever its path is now */
    ino_t number;
    TR_VEC(tr_str) names; /* that matter in it */
    bool has_more;        /* than are known: all of them do */
    bool is_used;
    char path[];
};

static void free_folder(struct tr_server_watched *folder)
{
    tr_loop_watch_close(folder->open);
    free(folder);
}

/* Closes those that are not used any more. */
static void sweep(struct tr_server_watch *watch)
{
    struct tr_server_watched **link = &watch->folders;
    while (*link) {
        struct tr_server_watched *folder = *link;
        if (folder->is_used) {
            link = &folder->next;
        } else {
            *link = folder->next;
            free_folder(folder);
        }
    }
}

static void forget_all(struct tr_server_watch *watch)
{
    for (struct tr_server_watched *f = watch->folders; f; f = f->next)
        f->is_used = false;
    sweep(watch);
}

/* Something has happened: looks at the files once it is quiet. */
static void wait_for_quiet(struct tr_server_watch *watch)
{
    uint64_t now_ms = tr_loop_now_ms(watch->loop);
    if (!watch->quiet.active)
        watch->first_ms = now_ms;
    uint64_t end_ms = watch->first_ms + TR_SERVER_WATCH_MAX_MS;
    uint64_t left_ms = end_ms > now_ms ? end_ms - now_ms : 0;
    tr_loop_timer_start(
        &watch->quiet,
        left_ms < TR_SERVER_WATCH_QUIET_MS ? left_ms : TR_SERVER_WATCH_QUIET_MS,
        0);
}

/* Whether it is about the folder itself, or about a name that matters there. */
static bool matters(const struct tr_server_watched *folder, const char *name)
{
    const char *own = strrchr(folder->path, '/') + 1;
    bool found = !*name || folder->has_more || strcmp(own, name) == 0;
    for (size_t i = 0; i < folder->names.count && !found; i++)
        found = tr_str_eq(folder->names.items[i], tr_str_from(name));
    return found;
}

static void on_event(const char *name, void *data)
{
    const struct tr_server_watched *folder = data;
    struct tr_server_watch *watch = folder->watch;
    if (matters(folder, name) || ++watch->passed >= TR_SERVER_WATCH_PASSED)
        wait_for_quiet(watch);
}

static void add_name(struct tr_server_watched *folder, const char *name)
{
    struct tr_arena *arena = &folder->watch->names;
    tr_str copy;
    if (matters(folder, name))
        return;
    folder->has_more = !tr_arena_copy(arena, tr_str_from(name), &copy) ||
                       !tr_vec_push(arena, &folder->names, copy);
}

static struct tr_server_watched *
find(struct tr_server_watch *watch, const char *path, const struct stat *about)
{
    struct tr_server_watched *folder = watch->folders;
    while (folder &&
           (strcmp(folder->path, path) != 0 ||
            folder->device != about->st_dev || folder->number != about->st_ino))
        folder = folder->next;
    return folder;
}

static tr_status open_folder(struct tr_server_watch *watch, const char *path,
                             const struct stat *about,
                             struct tr_server_watched **out, struct tr_err *err)
{
    size_t size = strlen(path) + 1;
    struct tr_server_watched *folder = calloc(1, sizeof(*folder) + size);
    if (!folder)
        return tr_fail(err, TR_E_NOMEM, "no memory to watch %s", path);
    memcpy(folder->path, path, size);
    folder->watch = watch;
    folder->device = about->st_dev;
    folder->number = about->st_ino;
    tr_status status = tr_loop_watch_open(watch->loop, path, on_event, folder,
                                          &folder->open, err);
    if (status != TR_OK) {
        free(folder);
        return status;
    }
    folder->next = watch->folders;
    *out = watch->folders = folder;
    return TR_OK;
}

/* A place where a name is looked up. One that is gone just now leaves its
 * trace in the folder above it, which is watched as well. */
static tr_status add_place(void *data, const char *path, const char *name,
                           struct tr_err *err)
{
    struct tr_server_watch *watch = data;
    struct stat about;
    if (stat(path, &about) != 0) {
        wait_for_quiet(watch);
        return TR_OK;
    }
    struct tr_server_watched *folder = find(watch, path, &about);
    if (!folder) {
        tr_status status = open_folder(watch, path, &about, &folder, err);
        if (status == TR_E_NOT_FOUND)
            wait_for_quiet(watch);
        if (!folder)
            return status == TR_E_NOT_FOUND ? TR_OK : status;
    }
    folder->is_used = true;
    add_name(folder, name);
    return TR_OK;
}

static void begin_polling(struct tr_server_watch *watch,
                          const struct tr_err *why)
{
    forget_all(watch);
    watch->is_polling = true;
    tr_log(TR_LOG_WARN, "the app's files are looked at now and then",
           TR_LOG_INT("every_ms", TR_SERVER_WATCH_POLL_MS),
           TR_LOG_TEXT("error", tr_str_from(why->msg)));
    tr_loop_timer_start(&watch->poll, TR_SERVER_WATCH_POLL_MS,
                        TR_SERVER_WATCH_POLL_MS);
}

/* Watches every folder that counts now, and no other. */
static void arm(struct tr_server_watch *watch)
{
    const struct tr_server_sources *sources = watch->sources;
    tr_status status = TR_OK;
    struct tr_err err = {0};
    if (watch->is_polling) {
        watch->stamp = tr_server_sources_stamp(sources);
        return;
    }
    for (struct tr_server_watched *f = watch->folders; f; f = f->next) {
        f->is_used = f->has_more = false;
        f->names.count = f->names.cap = 0;
    }
    tr_arena_reset(&watch->names);
    for (size_t i = 0; i < sources->items.count && status == TR_OK; i++)
        status = tr_server_places_each(sources->folder,
                                       sources->items.items[i].path.ptr,
                                       add_place, watch, &err);
    sweep(watch);
    if (status != TR_OK)
        begin_polling(watch, &err);
}

static void on_quiet(void *data)
{
    struct tr_server_watch *watch = data;
    watch->passed = 0;
    arm(watch);
    if (tr_server_sources_have_changed(watch->sources))
        watch->changed(watch->data);
}

static void on_poll(void *data)
{
    struct tr_server_watch *watch = data;
    uint64_t stamp = tr_server_sources_stamp(watch->sources);
    if (stamp != watch->stamp)
        wait_for_quiet(watch);
    watch->stamp = stamp;
}

/* What has changed while nobody watched is seen by looking once more. */
void tr_server_watch_follow(struct tr_server_watch *watch)
{
    if (!watch || !watch->loop)
        return;
    arm(watch);
    if (tr_server_sources_have_changed(watch->sources))
        wait_for_quiet(watch);
}

void tr_server_watch_start(struct tr_server_watch *watch)
{
    tr_arena_init(&watch->names, TR_LIMIT_SOURCES_MEMORY);
    tr_loop_timer_init(&watch->quiet, watch->loop, on_quiet, watch);
    tr_loop_timer_init(&watch->poll, watch->loop, on_poll, watch);
    tr_server_watch_follow(watch);
}

void tr_server_watch_stop(struct tr_server_watch *watch)
{
    if (!watch->loop)
        return;
    tr_loop_timer_stop(&watch->quiet);
    tr_loop_timer_stop(&watch->poll);
    forget_all(watch);
    tr_arena_done(&watch->names);
    watch->loop = NULL;
}
