#include "server/reload.h"

#include "base/log.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "loop/loop.h"
#include "loop/thread.h"
#include "mcp/hub.h"
#include "project/lists.h"
#include "server/app.h"
#include "server/doctor.h"
#include "server/metrics.h"
#include "server/published.h"
#include "server/watch.h"

struct tr_server_reload_ask {
    struct tr_loop_parcel parcel; /* there, and back */
    struct tr_server_reload *reload;
    struct tr_loop *loop;            /* of who has asked */
    tr_server_reloaded_fn *reloaded; /* NULL: nobody wants to hear of it */
    void *data;
    tr_status status;
    struct tr_err err;
};

/* Signals wait meanwhile, so that one that ends the process is seen. */
static tr_status load(struct tr_server_reload *reload,
                      struct tr_server_again *out, struct tr_err *err)
{
    sigset_t before;
    tr_loop_thread_hold_signals(&before);
    tr_status status = tr_server_app_load_again(reload->app, out, err);
    if (status == TR_OK)
        status = tr_server_published_keep(reload->app, out->snapshot,
                                          reload->store, err);
    tr_loop_thread_free_signals(&before);
    return status;
}

static tr_status refuse(struct tr_server_reload *reload, tr_status status,
                        struct tr_err *err)
{
    char what[TR_SERVER_DOCTOR_TEXT];
    tr_server_doctor_say(reload->app->file, err, what);
    tr_server_doctor_note_load(reload->doctor, TR_AUDIT_WARN, what);
    tr_log(TR_LOG_ERROR, "the app cannot be loaded again",
           TR_LOG_TEXT("error", tr_str_from(what)));
    (void)atomic_fetch_add(&reload->metrics->failed_reloads, 1);
    return tr_fail(err, status, "%s", what);
}

static const enum tr_call_list_kind kinds[TR_PROJECT_LISTS] = {
    [TR_PROJECT_LIST_TOOLS] = TR_CALL_LIST_TOOLS,
    [TR_PROJECT_LIST_RESOURCES] = TR_CALL_LIST_RESOURCES,
    [TR_PROJECT_LIST_PROMPTS] = TR_CALL_LIST_PROMPTS,
};

/* What cannot be found out counts as changed: it is better told for nothing
 * than not at all. */
static void find_changed(struct tr_server_reload *reload,
                         const struct tr_cap_snapshot *after,
                         uint32_t changed[TR_PROJECT_LISTS])
{
    const struct tr_cap_snapshot *before =
        tr_cap_registry_pin(reload->registry);
    bool plain = !reload->app->config->mcp.annotations;
    if (tr_project_lists_compare(before, after, plain, changed, NULL) != TR_OK)
        memset(changed, 0xff, TR_PROJECT_LISTS * sizeof(*changed));
    tr_cap_snapshot_unpin(before);
}

/* Clients are told once everybody who asks gets what they are told of. */
static void swap(struct tr_server_reload *reload,
                 const struct tr_cap_snapshot *snapshot)
{
    uint32_t changed[TR_PROJECT_LISTS];
    find_changed(reload, snapshot, changed);
    tr_server_app_fit(reload->store, snapshot);
    tr_cap_registry_take(reload->registry, snapshot);
    for (size_t i = 0; i < TR_PROJECT_LISTS; i++)
        tr_mcp_hub_list_changed_for(reload->hub, kinds[i], changed[i]);
}

/* What has changed and cannot is said once, and by the doctor until it is as it
 * was, or the process has ended. */
static void tell_waiting(struct tr_server_reload *reload, const char *names)
{
    bool is_news =
        tr_server_doctor_note_waiting(reload->doctor, *names ? names : NULL);
    if (*names && is_news)
        tr_log(TR_LOG_WARN,
               "settings have changed that hold from the next start",
               TR_LOG_TEXT("settings", tr_str_from(names)));
}

tr_status tr_server_reload_now(struct tr_server_reload *reload,
                               struct tr_err *err)
{
    struct tr_server_again again;
    struct tr_err why = {0};
    if (reload->is_ending)
        return tr_fail(err, TR_E_UNAVAILABLE, "the server ends");
    tr_status status = load(reload, &again, &why);
    tr_server_watch_follow(reload->watch);
    if (status != TR_OK) {
        tr_cap_snapshot_unpin(again.snapshot);
        status = refuse(reload, status, &why);
        if (err)
            *err = why;
        return status;
    }
    swap(reload, again.snapshot);
    tr_log_set_level((enum tr_log_level)again.log_level);
    tr_log_set_form((enum tr_log_form)again.log_form);
    (void)atomic_fetch_add(&reload->metrics->reloads, 1);
    tr_server_doctor_note_load(reload->doctor, TR_AUDIT_WELL, NULL);
    tr_log(TR_LOG_INFO, "the app was loaded again",
           TR_LOG_TEXT("file", tr_str_from(reload->app->file)));
    tell_waiting(reload, again.waiting);
    return TR_OK;
}

/* On the loop of who has asked. */
static void answer(void *data)
{
    struct tr_server_reload_ask *ask = data;
    if (ask->reloaded)
        ask->reloaded(ask->data, ask->status, &ask->err);
    free(ask);
}

/* On the first loop. */
static void take(void *data)
{
    struct tr_server_reload_ask *ask = data;
    ask->status = tr_server_reload_now(ask->reload, &ask->err);
    ask->parcel.fn = answer;
    tr_loop_deliver(ask->loop, &ask->parcel);
}

tr_status tr_server_reload_ask(struct tr_server_reload *reload,
                               struct tr_loop *loop,
                               tr_server_reloaded_fn *reloaded, void *data,
                               struct tr_server_reload_ask **out,
                               struct tr_err *err)
{
    struct tr_server_reload_ask *ask = calloc(1, sizeof(*ask));
    if (!ask)
        return tr_fail(err, TR_E_NOMEM, "no memory to load the app again");
    ask->parcel = (struct tr_loop_parcel){.fn = take, .data = ask};
    ask->reload = reload;
    ask->loop = loop;
    ask->reloaded = reloaded;
    ask->data = data;
    *out = ask;
    tr_loop_deliver(reload->loop, &ask->parcel);
    return TR_OK;
}

void tr_server_reload_forget(struct tr_server_reload_ask *ask)
{
    ask->reloaded = NULL;
}
