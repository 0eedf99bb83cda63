/*
 * Whether a call may change the graph or fetch from elsewhere: by its kind, by
 * the declaration of what it runs, and by those of all that it was invoked by.
 * It is asked twice: when a handler wants a change, so that its author hears of
 * it where it happens, and of what the changes come to, when they land.
 */
#include "cap/cap.h"
#include "fetch/url.h"
#include "runtime/env.h"
#include "runtime/stage.h"

/* What a call wants: to change a graph, or to fetch from a URL. */
struct effect {
    const tr_str *graph;
    bool is_lost;
    const struct tr_fetch_url *url; /* or NULL */
};

static tr_status judge(const struct tr_call *call, const struct effect *effect,
                       struct tr_err *err)
{
    const struct tr_call_rules *rules = tr_call_rules_of(call);
    if (effect->url && !call->cap)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "%s cannot fetch: only capabilities do, which declare "
                       "external_calls",
                       rules->noun);
    if (effect->url)
        return tr_cap_may_fetch(call->cap, effect->url, err);
    if (!rules->may_write || !call->cap)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "%s cannot change the graph: only capabilities do",
                       rules->noun);
    return tr_cap_may_change(call->cap, effect->graph, effect->is_lost, err);
}

/*
 * What the innermost call says that refuses, so that an author hears of the
 * nearest mistake; *outermost is the last one that does.
 */
static tr_status judge_all(struct tr_call *call, const struct effect *effect,
                           struct tr_call **outermost, struct tr_err *err)
{
    tr_status status = TR_OK;
    for (; call; call = call->parent) {
        tr_status own = judge(call, effect, status == TR_OK ? err : NULL);
        if (own != TR_OK)
            *outermost = call;
        if (status == TR_OK)
            status = own;
    }
    return status;
}

tr_status tr_call_may_land(void *by, const tr_rdf_term *graph, bool is_lost,
                           struct tr_err *err)
{
    const struct effect effect = {graph ? &graph->text : NULL, is_lost, NULL};
    struct tr_call *outermost = NULL;
    return judge_all(by, &effect, &outermost, err);
}

tr_status tr_call_could_fetch(void *by, const struct tr_fetch_url *url,
                              struct tr_err *err)
{
    const struct effect effect = {.url = url};
    struct tr_call *outermost = NULL;
    return judge_all(by, &effect, &outermost, err);
}

static const struct tr_err *keep(const struct tr_call *call,
                                 const struct tr_err *why)
{
    static const struct tr_err unsaid = {.code = TR_E_NOMEM,
                                         .msg = "no memory to say more"};
    struct tr_err *kept = TR_NEW(call->arena, struct tr_err);
    if (!kept)
        return &unsaid;
    *kept = *why;
    return kept;
}

/*
 * Who was refused has failed, whatever it makes of the error, and so has
 * everybody up to the one whose word would have been broken.
 */
static tr_status demand(struct tr_call *call, const struct effect *effect,
                        struct tr_err *err)
{
    struct tr_call *outermost = NULL;
    struct tr_err why;
    tr_status status = judge_all(call, effect, &outermost, &why);
    if (status == TR_OK)
        return TR_OK;
    const struct tr_err *kept = keep(call, &why);
    while (call != outermost) {
        call->refusal = kept;
        call = call->parent;
    }
    outermost->refusal = kept;
    if (err)
        *err = why;
    return status;
}

tr_status tr_call_may_change(void *by, const tr_rdf_term *graph, bool is_lost,
                             struct tr_err *err)
{
    const struct effect effect = {graph ? &graph->text : NULL, is_lost, NULL};
    return demand(by, &effect, err);
}

tr_status tr_call_may_fetch(struct tr_call *call,
                            const struct tr_fetch_url *url, struct tr_err *err)
{
    const struct effect effect = {.url = url};
    return demand(call, &effect, err);
}
