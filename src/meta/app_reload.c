/*
 * The app is loaded again: on the loop that does so, which says how it went.
 */
#include "base/limits.h"
#include "meta/inside.h"
#include "runtime/outcome.h"

struct reloading {
    const struct tr_meta_outside *outside;
    void *ask; /* NULL once it is answered */
};

/* {"ok", "findings": [...]} */
static const struct tr_json *say(struct tr_call *call, const char *folder,
                                 tr_status status, const struct tr_err *why)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_ERROR_TEXT * 8);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_put_bool(&w, "ok", status == TR_OK);
    tr_jw_key(&w, "findings");
    tr_jw_open(&w, '[');
    if (status != TR_OK)
        tr_meta_put_finding(&w, folder, "error", tr_str_from(why->msg));
    tr_jw_close(&w, ']');
    tr_jw_close(&w, '}');
    return tr_call_tree(call, &w, &text);
}

static void finish(struct tr_call *call, struct tr_call_outcome *outcome)
{
    struct tr_loop *loop = call->loop;
    call->host = NULL;
    tr_call_finish(call, outcome);
    tr_loop_release(loop);
}

/* A broken app is an answer: the old one goes on. */
static void reloaded(void *data, tr_status status, const struct tr_err *err)
{
    struct tr_call *call = data;
    const struct reloading *reloading = call->host_data;
    struct tr_call_outcome outcome = {0};
    if (status == TR_E_UNAVAILABLE || status == TR_E_NOMEM) {
        outcome.status = status;
        outcome.err = *err;
    } else {
        outcome.value = say(call, reloading->outside->folder, status, err);
        if (!outcome.value)
            outcome.status =
                tr_fail(&outcome.err, TR_E_NOMEM, "no memory for an answer");
    }
    finish(call, &outcome);
}

static void cancel(struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    const struct reloading *reloading = call->host_data;
    reloading->outside->forget(reloading->ask);
    finish(call, &outcome);
}

static const struct tr_call_host_ops host = {.cancel = cancel};

static tr_status start(struct tr_call *call, struct tr_err *err)
{
    const struct tr_meta_outside *outside = NULL;
    TR_TRY(tr_meta_outside_of(call, &outside, err));
    if (!outside->reload)
        return tr_fail(err, TR_E_UNSUPPORTED, "the app is not served here");
    struct reloading *reloading = TR_NEW(call->arena, struct reloading);
    if (!reloading)
        return tr_fail(err, TR_E_NOMEM, "no memory for a call");
    reloading->outside = outside;
    call->host = &host;
    call->host_data = reloading;
    tr_loop_hold(call->loop);
    tr_status status = outside->reload(outside, call->loop, reloaded, call,
                                       &reloading->ask, err);
    if (status != TR_OK) {
        call->host = NULL;
        tr_loop_release(call->loop);
    }
    return status;
}

void tr_meta_app_reload(const struct tr_cap_handler *handler,
                        struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = start(call, &outcome.err);
    if (outcome.status != TR_OK)
        tr_call_finish(call, &outcome);
}
