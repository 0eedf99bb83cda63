/*
 * POST /invoke/{id}: a capability is called, and answers with its value.
 */
#include "base/text.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "json/build.h"
#include "json/reader.h"
#include "prov/published.h"
#include "rest/call.h"
#include "rest/form.h"
#include "rest/inside.h"
#include "rest/read.h"
#include "rest/routes.h"
#include "runtime/env.h"
#include "runtime/outcome.h"

#define PREFIX_BYTES (sizeof("/invoke/") - 1)

static const tr_str types[] = {
    TR_REST_TYPE_JSON,
    TR_REST_TYPE_LD,
    TR_REST_TYPE_MARKDOWN,
};

static void refuse(struct tr_rest_request *request, int status, const char *why)
{
    const struct tr_rest_problem problem = {.status = status,
                                            .detail = tr_str_from(why)};
    tr_rest_request_refuse(request, &problem);
}

/* The request: key and body. -----------------------------------------------*/

/* *out is NULL when there is no key. False: it was refused. */
static bool read_key(struct tr_rest_request *request, struct tr_json *key,
                     const struct tr_json **out)
{
    struct tr_err err = {0};
    tr_str found = {NULL, 0};
    tr_str text;
    size_t count = 0;
    *out = NULL;
    for (size_t i = 0; i < request->http->header_count; i++) {
        tr_http_field field = tr_http_header_at(request->http, i);
        if (!tr_http_same_name(field.name, TR_STR("Idempotency-Key")))
            continue;
        found = field.value;
        count++;
    }
    if (!count)
        return true;
    tr_status status =
        count > 1 ? tr_fail(&err, TR_E_SYNTAX, "Idempotency-Key is there twice")
                  : tr_rest_read_key(&request->arena, found, &text, &err);
    if (status == TR_E_SYNTAX)
        refuse(request, 400, err.msg);
    else if (status != TR_OK)
        tr_rest_request_fail(request, &err);
    if (status != TR_OK)
        return false;
    *key = tr_json_make_text(TR_JSON_STRING, text);
    *out = key;
    return true;
}

static const struct tr_json *read_args(struct tr_rest_request *request)
{
    const struct tr_json_opts opts = {.max_depth =
                                          request->rest->opts.max_nesting};
    const struct tr_json *args = NULL;
    struct tr_err err = {0};
    tr_status status =
        tr_json_read(&request->arena, request->http->body, &opts, &args, &err);
    if (status == TR_OK && args->kind == TR_JSON_OBJECT)
        return args;
    if (status == TR_OK)
        status = tr_fail(&err, TR_E_SYNTAX,
                         "the body must be an object, such as {}");
    else
        tr_err_prefix(&err, "the body cannot be read");
    if (status == TR_E_LIMIT)
        err.code = TR_E_INVALID; /* the caller could have avoided it */
    tr_rest_request_fail(request, &err);
    return NULL;
}

/* The answer. --------------------------------------------------------------*/

static const struct tr_json *meta_of(const struct tr_call_outcome *outcome,
                                     const char *key)
{
    return tr_json_find(outcome->meta, tr_str_from(key));
}

/* As the store has it; one that nobody may write to does not: then since this
 * process serves it. */
static int64_t deprecated_since(const struct tr_call_env *env, tr_str id)
{
    int64_t since = 0;
    if (tr_graph_reader_begin(env->reader, NULL) != TR_OK)
        return env->started_s;
    tr_status status =
        tr_prov_deprecated_read(env->reader->db, id, &since, NULL);
    tr_graph_reader_end(env->reader);
    return status == TR_OK && since ? since : env->started_s;
}

/* RFC 9745: since when; and what is instead. */
static void add_deprecation(struct tr_rest_request *request, char since[32],
                            struct tr_buf *link)
{
    const struct tr_cap *cap = request->call.cap;
    const struct tr_call_env *env = request->rest->opts.env;
    if (cap->version_status != TR_CAP_VERSION_DEPRECATED)
        return;
    if (env) {
        int len = snprintf(since, 32, "@%lld",
                           (long long)deprecated_since(env, cap->id));
        tr_rest_request_add(request, TR_STR("Deprecation"),
                            (tr_str){since, (size_t)len});
    }
    if (!cap->successor)
        return;
    tr_buf_put(link, TR_STR("</invoke/"));
    tr_percent_put(link, cap->successor->id, "");
    tr_buf_put(link, TR_STR(">; rel=\"successor-version\""));
    if (tr_buf_check(link, NULL) == TR_OK)
        tr_rest_request_add(request, TR_STR("Link"), tr_buf_str(link));
}

/* An error that was returned on purpose is the app's own: its text is what it
 * said. */
static void refuse_on_purpose(struct tr_rest_request *request,
                              const struct tr_call_outcome *outcome)
{
    struct tr_json_member value = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("value")), {0}};
    struct tr_rest_problem problem = {
        .status = 422,
        .code = "refused",
        .title = "It was refused by the capability",
        .detail = tr_rest_form_said(outcome),
        .data = outcome->data,
    };
    if (outcome->value && outcome->value->kind != TR_JSON_STRING) {
        value.value = *outcome->value;
        problem.data = tr_json_join(
            &request->arena, tr_call_object(&request->call, &value, 1),
            tr_json_is(outcome->data, TR_JSON_OBJECT) ? outcome->data : NULL);
    }
    tr_rest_request_refuse(request, &problem);
}

static void answer(struct tr_rest_request *request,
                   const struct tr_call_outcome *outcome)
{
    char since[32];
    char storage[256];
    struct tr_buf link;
    tr_buf_init_fixed(&link, storage, sizeof(storage));
    add_deprecation(request, since, &link);
    if (meta_of(outcome, "dev.trails/replayed"))
        tr_rest_request_add(request, TR_STR("Idempotent-Replayed"),
                            TR_STR("true"));
    if (outcome->status != TR_OK) {
        tr_rest_call_refuse(request, outcome);
    } else if (outcome->is_error) {
        refuse_on_purpose(request, outcome);
    } else {
        tr_rest_form_write(request, outcome);
        tr_rest_request_end(request, 200, types[request->form]);
    }
}

static void refuse_unknown(struct tr_rest_request *request, tr_str id)
{
    char text[128];
    tr_str shown = tr_utf8_cut(id, 64);
    int len = snprintf(text, sizeof(text), "there is no capability %.*s",
                       TR_FMT(shown));
    const struct tr_rest_problem problem = {
        .status = 404,
        .code = tr_status_name(TR_E_NOT_FOUND),
        .title = tr_rest_problem_title(TR_E_NOT_FOUND),
        .detail = {text, (size_t)len}};
    tr_rest_call_unknown(request, TR_CALL_CAPABILITY, id);
    tr_rest_request_refuse(request, &problem);
}

void tr_rest_invoke(struct tr_http_exchange *x, void *app)
{
    const struct tr_rest_offers offers = {types, TR_LEN(types)};
    struct tr_rest_request *request = tr_rest_request_begin(x, app);
    const struct tr_json *key = NULL;
    struct tr_json text;
    tr_str id;
    if (!request || !tr_rest_request_segment(request, PREFIX_BYTES, &id))
        return;
    request->name = id;
    if (!tr_rest_request_offer(request, offers))
        return;
    const struct tr_cap *cap = tr_cap_snapshot_find_cap(request->snapshot, id);
    if (!cap) {
        refuse_unknown(request, id);
        return;
    }
    if (!read_key(request, &text, &key))
        return;
    const struct tr_json *args = read_args(request);
    if (!args)
        return;
    const struct tr_rest_run run = {
        .handler = &cap->handler,
        .kind = TR_CALL_CAPABILITY,
        .cap = cap,
        .args = args,
        .key = key,
        .answer = answer,
    };
    tr_rest_call_run(request, &run);
}
