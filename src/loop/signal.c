#include "loop/loop.h"
#include "loop/thread.h"

#include <uv.h>

struct tr_loop_signal {
    uv_signal_t handle;
    tr_loop_signal_fn *fn;
    void *data;
};

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct tr_loop_signal *signal = handle->data;
    signal->fn(number, signal->data);
}

tr_status tr_loop_signal_open(struct tr_loop *loop, int number,
                              tr_loop_signal_fn *fn, void *data,
                              struct tr_loop_signal **out, struct tr_err *err)
{
    struct tr_loop_signal *signal = calloc(1, sizeof(*signal));
    if (!signal)
        return tr_fail(err, TR_E_NOMEM, "watching a signal");
    signal->fn = fn;
    signal->data = data;
    int rc = uv_signal_init(tr_loop_uv(loop), &signal->handle);
    if (rc) {
        free(signal);
        return tr_fail(err, TR_E_IO, "watching a signal: %s", uv_strerror(rc));
    }
    signal->handle.data = signal;
    uv_unref((uv_handle_t *)&signal->handle);
    rc = uv_signal_start(&signal->handle, on_signal, number);
    if (rc) {
        tr_loop_signal_close(signal);
        return tr_fail(err, TR_E_IO, "watching signal %d: %s", number,
                       uv_strerror(rc));
    }
    *out = signal;
    return TR_OK;
}

void tr_loop_signal_close(struct tr_loop_signal *signal)
{
    if (signal)
        uv_close((uv_handle_t *)&signal->handle, on_closed);
}
