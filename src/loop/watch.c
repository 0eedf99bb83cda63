#include "loop/watch.h"

#include "loop/loop.h"

#include <uv.h>

struct tr_loop_watch {
    uv_fs_event_t handle;
    tr_loop_watch_fn *fn;
    void *data;
};

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* An error of reading events says nothing of what has happened meanwhile. */
static void on_event(uv_fs_event_t *handle, const char *name, int events,
                     int status)
{
    struct tr_loop_watch *watch = handle->data;
    (void)events;
    watch->fn(status == 0 && name ? name : "", watch->data);
}

static tr_status fail_watch(const char *folder, int rc, struct tr_err *err)
{
    static const int limits[] = {UV_ENOSPC, UV_EMFILE, UV_ENFILE, UV_ENOSYS};
    tr_status status = rc == UV_ENOENT || rc == UV_ENOTDIR ? TR_E_NOT_FOUND
                       : rc == UV_ENOMEM                   ? TR_E_NOMEM
                                                           : TR_E_IO;
    for (size_t i = 0; i < TR_LEN(limits); i++)
        status = rc == limits[i] ? TR_E_LIMIT : status;
    return tr_fail(err, status, "cannot watch %s: %s", folder, uv_strerror(rc));
}

tr_status tr_loop_watch_open(struct tr_loop *loop, const char *folder,
                             tr_loop_watch_fn *fn, void *data,
                             struct tr_loop_watch **out, struct tr_err *err)
{
    struct tr_loop_watch *watch = calloc(1, sizeof(*watch));
    if (!watch)
        return tr_fail(err, TR_E_NOMEM, "no memory to watch %s", folder);
    watch->fn = fn;
    watch->data = data;
    (void)uv_fs_event_init(tr_loop_uv(loop), &watch->handle);
    watch->handle.data = watch;
    int rc = uv_fs_event_start(&watch->handle, on_event, folder, 0);
    if (rc) {
        tr_loop_watch_close(watch);
        return fail_watch(folder, rc, err);
    }
    uv_unref((uv_handle_t *)&watch->handle);
    *out = watch;
    return TR_OK;
}

void tr_loop_watch_close(struct tr_loop_watch *watch)
{
    if (watch)
        uv_close((uv_handle_t *)&watch->handle, on_closed);
}
