#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "builtin/prov_resource.h"

/* A page that is asked for; texts are decoded, and live in the call's arena. */
struct asked {
    struct tr_builtin_reply *reply;
    struct tr_prov_filter filter;
    unsigned given; /* the parameters that have come, a set */
    tr_str since;   /* as it was written */
    unsigned char before[TR_CRYPTO_UUID_BYTES];
};

static tr_status refuse(struct tr_builtin_reply *reply, tr_str field,
                        const char *reason, const char *message,
                        struct tr_err *err)
{
    field = tr_utf8_cut(field, TR_LIMIT_NAME_BYTES);
    TR_TRY(tr_builtin_reply_error_member(reply, "field", field, err));
    TR_TRY(tr_builtin_reply_error_member(reply, "reason", tr_str_from(reason),
                                         err));
    return tr_fail(err, TR_E_INVALID, "%s %.*s", message, TR_FMT(field));
}

/* Whose activities: one's own, or with builder anybody's, "" for nobody's. */
static tr_status take_principal(struct asked *asked, tr_str value,
                                struct tr_err *err)
{
    if (!asked->filter.all && !tr_str_eq(value, asked->filter.principal)) {
        TR_TRY(tr_builtin_reply_error_member(asked->reply, "required_scope",
                                             TR_STR("builder"), err));
        return tr_fail(err, TR_E_SCOPE,
                       "scope denied: the activities of others require "
                       "builder");
    }
    asked->filter.all = false;
    asked->filter.principal = value;
    return TR_OK;
}

static tr_status take_capability(struct asked *asked, tr_str value,
                                 struct tr_err *err)
{
    if (!value.len)
        return refuse(asked->reply, TR_STR("capability"), "syntax",
                      "a name must be the value of", err);
    asked->filter.name = value;
    return TR_OK;
}

static tr_status take_since(struct asked *asked, tr_str value,
                            struct tr_err *err)
{
    tr_time since;
    if (tr_time_parse(value, &since, NULL) != TR_OK || since.seconds < 0)
        return refuse(asked->reply, TR_STR("since"), "type_mismatch",
                      "a time such as 2026-07-28T12:00:00Z must be the value "
                      "of",
                      err);
    asked->since = value;
    int64_t us = since.seconds * 1000000 + since.nanos / 1000;
    if (us > asked->filter.since_us)
        asked->filter.since_us = us;
    return TR_OK;
}

static tr_status take_limit(struct asked *asked, tr_str value,
                            struct tr_err *err)
{
    int64_t limit;
    if (!tr_str_to_i64(value, &limit) || limit < 1)
        return refuse(asked->reply, TR_STR("limit"), "type_mismatch",
                      "a number from 1 must be the value of", err);
    asked->filter.limit =
        limit < TR_LIMIT_PROV_PAGE ? (size_t)limit : TR_LIMIT_PROV_PAGE;
    return TR_OK;
}

/* A cursor is a place in the list, names no activity of others, and gives no
 * right to see anything, so it needs no seal. */
static tr_status take_cursor(struct asked *asked, tr_str value,
                             struct tr_err *err)
{
    if (!tr_prov_activity_read_id(value, asked->before))
        return refuse(asked->reply, TR_STR("cursor"), "invalid_cursor",
                      "what an earlier page gave must be the value of", err);
    asked->filter.before = asked->before;
    return TR_OK;
}

static const struct {
    tr_str name;
    tr_status (*take)(struct asked *asked, tr_str value, struct tr_err *err);
} parameters[] = {
    {TR_STR_INIT("principal"), take_principal},
    {TR_STR_INIT("capability"), take_capability},
    {TR_STR_INIT("since"), take_since},
    {TR_STR_INIT("limit"), take_limit},
    {TR_STR_INIT("cursor"), take_cursor},
};

static tr_status decode(struct tr_builtin_reply *reply, tr_str name,
                        tr_str text, tr_str *out, struct tr_err *err)
{
    if (text.len > 3 * TR_LIMIT_PROV_NAME)
        return refuse(reply, name, "too_long", "too long is the value of", err);
    char *room = tr_arena_alloc(reply->call->arena, text.len + 1);
    if (!room)
        return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
    if (!tr_percent_decode(text, room, out) || !tr_utf8_is_valid(*out))
        return refuse(reply, name, "syntax", "no text is the value of", err);
    return TR_OK;
}

static tr_status take_parameter(struct asked *asked, tr_str pair,
                                struct tr_err *err)
{
    tr_str name = pair;
    tr_str text = TR_STR("");
    tr_str value = TR_STR("");
    (void)tr_str_cut(pair, '=', &name, &text);
    for (size_t i = 0; i < TR_LEN(parameters); i++) {
        if (!tr_str_eq(parameters[i].name, name))
            continue;
        if (asked->given & 1U << i)
            return refuse(asked->reply, name, "syntax",
                          "it is there twice:", err);
        asked->given |= 1U << i;
        TR_TRY(decode(asked->reply, name, text, &value, err));
        return parameters[i].take(asked, value, err);
    }
    return refuse(asked->reply, name, "unknown_parameter",
                  "there is no parameter", err);
}

static tr_status read_asked(struct asked *asked, struct tr_err *err)
{
    tr_str path;
    tr_str rest = TR_STR("");
    (void)tr_str_cut(tr_builtin_reply_arg(asked->reply, "uri"), '?', &path,
                     &rest);
    while (rest.len) {
        tr_str pair = rest;
        tr_str behind = TR_STR("");
        (void)tr_str_cut(rest, '&', &pair, &behind);
        TR_TRY(take_parameter(asked, pair, err));
        rest = behind;
    }
    return TR_OK;
}

static void put_parameter(struct tr_buf *uri, const char *name, tr_str value)
{
    tr_buf_putf(uri, "%s=", name);
    tr_percent_put(uri, value, "");
    tr_buf_putc(uri, '&');
}

/* The URI of the next page goes to the contents' _meta, as kg_page.c's does. */
static tr_status note_next(const struct asked *asked, tr_str id,
                           struct tr_err *err)
{
    const struct tr_prov_filter *filter = &asked->filter;
    struct tr_buf uri;
    tr_buf_init(&uri, TR_LIMIT_MESSAGE);
    tr_buf_put(&uri, TR_STR("trails://prov?"));
    if (asked->given & 1U) /* the first of the parameters */
        put_parameter(&uri, "principal", filter->principal);
    if (filter->name.len)
        put_parameter(&uri, "capability", filter->name);
    if (asked->since.len)
        put_parameter(&uri, "since", asked->since);
    tr_buf_putf(&uri, "limit=%zu&cursor=%.*s", filter->limit, TR_FMT(id));
    tr_status status = tr_buf_check(&uri, err);
    if (status == TR_OK)
        status = tr_builtin_reply_meta_text(asked->reply, "next",
                                            tr_buf_str(&uri), err);
    tr_buf_done(&uri);
    return status;
}

tr_status tr_builtin_render_activities(struct tr_builtin_reply *reply,
                                       struct tr_err *err)
{
    struct asked asked = {.reply = reply};
    struct tr_prov_next next;
    TR_TRY(tr_builtin_prov_filter(reply, &asked.filter, err));
    asked.filter.limit = TR_LIMIT_PAGE_DEFAULT;
    TR_TRY(read_asked(&asked, err));
    TR_TRY(tr_builtin_prov_put(reply, &asked.filter, &next, err));
    TR_TRY(
        tr_builtin_reply_meta_count(reply, "limit", asked.filter.limit, err));
    if (!next.is_there)
        return TR_OK;
    return note_next(&asked, (tr_str){next.id, sizeof(next.id)}, err);
}
