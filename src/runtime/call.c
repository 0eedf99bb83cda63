#include "runtime/call.h"

#include "base/limits.h"
#include "graph/kg.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "shape/field_error.h"

struct tr_call *tr_call_root(struct tr_call *call)
{
    while (call->parent)
        call = call->parent;
    return call;
}

/* One journal for all: what a child does is part of what its parent does. */
const struct tr_json *tr_call_replayed(struct tr_call *call)
{
    call = tr_call_root(call);
    const struct tr_json *value = tr_json_at(call->replay, call->journal_at);
    if (value)
        call->journal_at++;
    return value;
}

tr_status tr_call_record(struct tr_call *call, struct tr_json value,
                         struct tr_err *err)
{
    call = tr_call_root(call);
    if (call->journal.count == TR_LIMIT_JOURNAL)
        return tr_fail(err, TR_E_LIMIT,
                       "more than %d calls of now, random and invoke",
                       TR_LIMIT_JOURNAL);
    if (!tr_vec_push(call->arena, &call->journal, value))
        return tr_fail(err, TR_E_NOMEM, "no memory for the call's journal");
    return TR_OK;
}

/* The child's host ends it, and that ends this one: nothing may follow. */
void tr_call_cancel(struct tr_call *call)
{
    if (call->cancelled || call->is_landing)
        return;
    call->cancelled = true;
    if (call->child)
        tr_call_cancel(call->child);
    else if (call->host)
        call->host->cancel(call);
}

void tr_call_end_round(struct tr_call *call)
{
    struct tr_call *root = tr_call_root(call);
    root->has_asked = true;
    tr_call_cancel(root);
}

void tr_call_expire(struct tr_call *call)
{
    if (call->cancelled)
        return;
    call->is_late = true;
    tr_call_cancel(call);
}

bool tr_call_must_end(struct tr_call *call, uint64_t running_ms)
{
    uint64_t now_ms = tr_loop_now_ms(call->loop) + running_ms;
    if (call->deadline_ms > 0 && now_ms >= call->deadline_ms)
        tr_call_expire(tr_call_root(call));
    return call->cancelled;
}

const struct tr_json *tr_call_reason(const struct tr_call *call, tr_str reason)
{
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("reason")),
        tr_json_make_text(TR_JSON_STRING, reason),
    };
    struct tr_json *value = TR_NEW(call->arena, struct tr_json);
    if (!value || !tr_json_make_object(call->arena, &member, 1, value))
        return NULL;
    return value;
}

/* A tree, because that is what outcomes carry. */
const struct tr_json *tr_call_fields(const struct tr_call *call,
                                     const struct tr_field_errors *errors)
{
    const struct tr_json *data = NULL;
    struct tr_json_writer w;
    struct tr_buf text;
    tr_str copy;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "fields");
    tr_field_errors_write(&w, errors);
    tr_jw_close(&w, '}');
    if (tr_jw_finish(&w, NULL) != TR_OK ||
        !tr_arena_copy(call->arena, tr_buf_str(&text), &copy) ||
        tr_json_read(call->arena, copy, NULL, &data, NULL) != TR_OK)
        data = NULL;
    tr_buf_done(&text);
    return data;
}

const struct tr_json *tr_call_graph_data(struct tr_call *call, tr_status status)
{
    const struct tr_kg *kg = tr_call_root(call)->kg;
    if (status == TR_E_VALIDATION && kg && kg->errors.count > 0)
        return tr_call_fields(call, &kg->errors);
    if (status == TR_E_CONFLICT)
        return tr_call_reason(call, TR_STR("conflict"));
    return NULL;
}
