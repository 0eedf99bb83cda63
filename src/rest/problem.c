#include "rest/problem.h"

#include "base/text.h"
#include "http/exchange.h"
#include "json/writer.h"
#include "project/view.h"

#define TYPES "trails://meta/problem/"

const char *tr_rest_problem_title(tr_status status)
{
    static const char *const titles[] = {
        [TR_OK] = "Nothing is wrong",
        [TR_E_NOMEM] = "There is not enough memory",
        [TR_E_SYNTAX] = "Something cannot be read",
        [TR_E_INVALID] = "Something is not as it must be",
        [TR_E_VALIDATION] = "The input does not fit",
        [TR_E_UNAUTHENTICATED] = "A credential is needed",
        [TR_E_SCOPE] = "The credential does not have the scope",
        [TR_E_POLICY] = "A policy does not allow it",
        [TR_E_BUDGET] = "A budget is used up",
        [TR_E_PRECONDITION] = "A precondition does not hold",
        [TR_E_NOT_FOUND] = "There is no such thing",
        [TR_E_CONFLICT] = "It contradicts what is there",
        [TR_E_LIMIT] = "It is more than there may be",
        [TR_E_TIMEOUT] = "It took too long",
        [TR_E_CANCELLED] = "It was cancelled",
        [TR_E_UNAVAILABLE] = "It cannot be done now",
        [TR_E_UNSUPPORTED] = "It cannot be done here",
        [TR_E_IO] = "The machine has failed",
        [TR_E_INTERNAL] = "The server has failed",
    };
    size_t row = (size_t)status;
    return row < TR_LEN(titles) ? titles[row] : titles[TR_E_INTERNAL];
}

/* What is said by the members above is not the data's to say again. */
static bool is_ours(tr_str key)
{
    static const tr_str names[] = {
        TR_STR_INIT("type"),     TR_STR_INIT("title"), TR_STR_INIT("status"),
        TR_STR_INIT("detail"),   TR_STR_INIT("code"),  TR_STR_INIT("trace_id"),
        TR_STR_INIT("instance"),
    };
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_str_eq(names[i], key))
            return true;
    }
    return false;
}

static void put_data(struct tr_json_writer *w, const struct tr_json *data)
{
    for (size_t i = 0; tr_json_is(data, TR_JSON_OBJECT) && i < data->len; i++) {
        const struct tr_json_member *member = &data->as.members[i];
        tr_str key = tr_json_text(&member->key);
        if (is_ours(key))
            continue;
        tr_jw_key_str(w, key);
        tr_jw_value(w, &member->value);
    }
}

static tr_status write(struct tr_buf *out,
                       const struct tr_rest_problem *problem)
{
    struct tr_json_writer w;
    char type[128] = "about:blank";
    const char *title =
        problem->code ? problem->title : tr_http_phrase(problem->status);
    if (problem->code)
        (void)snprintf(type, sizeof(type), TYPES "%s", problem->code);
    tr_jw_init(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "type", tr_str_from(type));
    tr_jw_put_string(&w, "title", tr_str_from(title));
    tr_jw_put_i64(&w, "status", problem->status);
    tr_jw_maybe_string(&w, "detail", problem->detail);
    tr_jw_maybe_string(&w, "instance", problem->instance);
    tr_jw_maybe_string(&w, "code", tr_str_from(problem->code));
    tr_jw_maybe_string(&w, "trace_id", problem->trace_id);
    put_data(&w, problem->data);
    if (problem->retry_after_s &&
        !tr_json_find(problem->data, TR_STR("retry_after_s")))
        tr_jw_put_i64(&w, "retry_after_s", problem->retry_after_s);
    tr_jw_close(&w, '}');
    return tr_jw_finish(&w, NULL);
}

/* What cannot be written is a problem too, never the half of one. */
int tr_rest_problem_write(struct tr_buf *out,
                          const struct tr_rest_problem *problem)
{
    bool is_known = tr_project_refusal_is_known(problem->status);
    const struct tr_rest_problem bare = {.status =
                                             is_known ? problem->status : 500};
    tr_buf_clear(out);
    if (is_known && write(out, problem) == TR_OK)
        return bare.status;
    tr_buf_clear(out);
    if (write(out, &bare) != TR_OK)
        tr_buf_clear(out); /* there is no memory at all */
    return bare.status;
}
