#include "base/text.h"
#include "cap/snapshot.h"
#include "json/build.h"
#include "mcp/call.h"
#include "mcp/inside.h"
#include "mcp/reply.h"

/*
 * An answer has at most so many values (2025-03-26,
 * server/utilities/completion, Completion Results).
 */
#define VALUES_MAX 100

static void put_values(struct tr_json_writer *w, const struct tr_json *values)
{
    tr_jw_key(w, "values");
    tr_jw_open(w, '[');
    for (size_t i = 0;
         tr_json_is(values, TR_JSON_ARRAY) && i < values->len && i < VALUES_MAX;
         i++)
        tr_jw_string(w, tr_json_text(&values->as.items[i]));
    tr_jw_close(w, ']');
}

static void answer_complete(struct tr_mcp_request *request,
                            const struct tr_call_outcome *outcome)
{
    if (outcome->status != TR_OK) {
        tr_mcp_fail(request, outcome);
        return;
    }
    const struct tr_json *value = outcome->value;
    const struct tr_json *values = tr_json_find(value, TR_STR("values"));
    const struct tr_json *list = values ? values : value;
    const struct tr_json *total = tr_json_find(value, TR_STR("total"));
    bool more = tr_json_is(list, TR_JSON_ARRAY) && list->len > VALUES_MAX;
    (void)tr_json_bool(tr_json_find(value, TR_STR("has_more")), &more);

    struct tr_json_writer *w = tr_mcp_reply_open(request);
    tr_jw_key(w, "completion");
    tr_jw_open(w, '{');
    put_values(w, list);
    if (tr_json_is(total, TR_JSON_NUMBER))
        tr_jw_put_value(w, "total", total);
    tr_jw_put_bool(w, "hasMore", more);
    tr_jw_close(w, '}');
    tr_mcp_reply_send(request, NULL);
}

/* A valid reference for which nothing is registered completes to nothing. */
static void answer_nothing(struct tr_mcp_request *request)
{
    static const struct tr_json none = {.kind = TR_JSON_ARRAY};
    struct tr_call_outcome outcome = {.value = &none};
    answer_complete(request, &outcome);
}

/* What is to be completed. */
struct wanted {
    enum tr_cap_ref_kind kind;
    tr_str ref;
    const struct tr_cap_prompt *prompt; /* of a prompt */
};

static bool read_ref(struct tr_mcp_request *request, struct wanted *out)
{
    const struct tr_json *ref =
        tr_json_find(request->message.params, TR_STR("ref"));
    tr_str type = tr_json_text(tr_json_find(ref, TR_STR("type")));
    const struct tr_json *value;
    if (tr_str_eq(type, TR_STR("ref/prompt"))) {
        out->kind = TR_CAP_REF_PROMPT;
        value = tr_json_find(ref, TR_STR("name"));
    } else if (tr_str_eq(type, TR_STR("ref/resource"))) {
        out->kind = TR_CAP_REF_RESOURCE;
        value = tr_json_find(ref, TR_STR("uri"));
    } else {
        tr_mcp_reply_bad_params(
            request, "params.ref must be a ref/prompt or ref/resource");
        return false;
    }
    out->ref = tr_json_text(value);
    out->prompt = tr_cap_snapshot_find_prompt(request->snapshot, out->ref);
    if (out->kind == TR_CAP_REF_PROMPT && !out->prompt) {
        tr_str shown = tr_utf8_cut(out->ref, TR_MCP_SHOWN_BYTES);
        tr_mcp_reply_bad_params(request, "Unknown prompt: %.*s", TR_FMT(shown));
        return false;
    }
    return true;
}

/* What was filled in before: texts by name, or nothing. */
static bool read_context(struct tr_mcp_request *request,
                         const struct tr_json **out)
{
    static const struct tr_json nothing = {.kind = TR_JSON_OBJECT};
    const struct tr_json *context =
        tr_json_find(request->message.params, TR_STR("context"));
    const struct tr_json *given = tr_json_find(context, TR_STR("arguments"));
    bool is_good = (!context || context->kind == TR_JSON_OBJECT) &&
                   (!given || given->kind == TR_JSON_OBJECT);
    for (size_t i = 0; is_good && given && i < given->len; i++)
        is_good = given->as.members[i].value.kind == TR_JSON_STRING;
    if (!is_good)
        tr_mcp_reply_bad_params(
            request, "params.context.arguments must be an object of texts");
    *out = given ? given : &nothing;
    return is_good;
}

/* Makes {"argument", "value", "context"}, which the handler gets. */
static const struct tr_json *make_args(struct tr_mcp_request *request,
                                       const struct tr_json *argument,
                                       const struct tr_json *context)
{
    struct tr_json *object = TR_NEW(&request->arena, struct tr_json);
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("argument")),
         *tr_json_find(argument, TR_STR("name"))},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("value")),
         *tr_json_find(argument, TR_STR("value"))},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("context")), *context},
    };
    return object && tr_json_make_object(&request->arena, members,
                                         TR_LEN(members), object)
               ? object
               : NULL;
}

/*
 * Who completes it: what is registered for it or, for a prompt, its argument
 * itself. What nobody completes has a guard all the same.
 */
static void run(struct tr_mcp_request *request, const struct wanted *wanted,
                const struct tr_json *argument, const struct tr_json *context)
{
    tr_str name = tr_json_text(tr_json_find(argument, TR_STR("name")));
    const struct tr_cap_completion *completion =
        tr_cap_snapshot_find_completion(request->snapshot, wanted->kind,
                                        wanted->ref, name);
    struct tr_mcp_run run = {
        .handler = &tr_call_pass,
        .kind = TR_CALL_COMPLETION,
        .name = wanted->ref,
        .guard = tr_cap_snapshot_ref_guard(request->snapshot, wanted->kind,
                                           wanted->ref),
        .args = make_args(request, argument, context),
        .answer = answer_complete,
    };
    struct tr_err err;
    if (completion) {
        run.handler = &completion->handler;
    } else if (wanted->kind == TR_CAP_REF_PROMPT && wanted->prompt->input) {
        run.handler = &tr_call_offer;
        run.input = wanted->prompt->input;
    } else if (!run.guard || tr_cap_guard_is_open(run.guard)) {
        answer_nothing(request);
        return;
    }
    if (run.args) {
        tr_mcp_run(request, &run);
        return;
    }
    (void)tr_fail(&err, TR_E_NOMEM, "no memory for the arguments");
    tr_mcp_reply_failure(request, &err, NULL);
}

void tr_mcp_complete(struct tr_mcp_request *request)
{
    const struct tr_json *argument =
        tr_json_find(request->message.params, TR_STR("argument"));
    const struct tr_json *context;
    struct wanted wanted;

    if (!read_ref(request, &wanted))
        return;
    if (!tr_json_is(tr_json_find(argument, TR_STR("name")), TR_JSON_STRING) ||
        !tr_json_is(tr_json_find(argument, TR_STR("value")), TR_JSON_STRING)) {
        tr_mcp_reply_bad_params(request,
                                "params.argument must have a name and a value");
        return;
    }
    if (read_context(request, &context))
        run(request, &wanted, argument, context);
}
