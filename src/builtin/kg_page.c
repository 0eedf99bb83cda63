#include "base/limits.h"
#include "base/text.h"
#include "builtin/kg_resources.h"
#include "json/build.h"
#include "model/uri.h"
#include "query/query.h"
#include "runtime/env.h"

#define PURPOSE "kg"

/* The page that a call asks for. */
struct asked {
    struct tr_model_uri_query query;
    tr_str after;  /* from the cursor, or empty */
    size_t offset; /* of its first node */
    size_t skip;   /* nodes behind `after` that come before it */
};

static tr_status blame(struct tr_builtin_reply *reply,
                       const struct tr_model_uri_refusal *why,
                       struct tr_err *err)
{
    TR_TRY(tr_builtin_reply_error_member(reply, "field", why->field, err));
    TR_TRY(tr_builtin_reply_error_member(reply, "reason",
                                         tr_str_from(why->reason), err));
    TR_TRY(tr_builtin_reply_error_member(reply, "expected_datatype",
                                         why->expected, err));
    return why->hint.len
               ? tr_builtin_reply_error_member(reply, "hint", why->hint, err)
               : TR_OK;
}

static tr_status refuse_cursor(struct tr_builtin_reply *reply,
                               struct tr_err *err)
{
    const struct tr_model_uri_refusal why = {.field = TR_STR("cursor"),
                                             .reason = "invalid_cursor"};
    TR_TRY(blame(reply, &why, err));
    return tr_fail(err, TR_E_INVALID,
                   "cursor is not of this list, or too old: begin again "
                   "without it");
}

/* A cursor holds "<offset> <skip> <Type> <bytes of where> <where> <IRI>". */
static tr_status write_cursor(struct tr_builtin_reply *reply,
                              const struct asked *asked,
                              const struct tr_query_page *page, tr_str *out,
                              struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_SEALED_BYTES);
    tr_buf_putf(&text, "%zu %zu %.*s %zu ", asked->offset + page->count,
                page->skip, TR_FMT(reply->type->name), asked->query.where.len);
    tr_buf_put(&text, asked->query.where);
    tr_buf_putc(&text, ' ');
    tr_buf_put(&text, page->next);
    tr_status status = tr_builtin_reply_seal(reply, PURPOSE, &text, out, err);
    tr_buf_done(&text);
    return status;
}

static bool cut_size(tr_str *text, size_t *out)
{
    tr_str part;
    int64_t number;
    if (!tr_str_cut(*text, ' ', &part, text) || !tr_str_to_i64(part, &number) ||
        number < 0)
        return false;
    *out = (size_t)number;
    return true;
}

/* False when the cursor was made for another type or filter. */
static bool read_payload(const struct tr_builtin_reply *reply, tr_str text,
                         struct asked *out)
{
    tr_str part;
    size_t len;
    if (!cut_size(&text, &out->offset) || !cut_size(&text, &out->skip) ||
        !tr_str_cut(text, ' ', &part, &text) ||
        !tr_str_eq(part, reply->type->name) || !cut_size(&text, &len) ||
        len != out->query.where.len || !tr_str_starts(text, out->query.where))
        return false;
    out->after = tr_str_skip(text, out->query.where.len + 1);
    return out->after.len > 0;
}

static tr_status read_cursor(struct tr_builtin_reply *reply, struct asked *out,
                             struct tr_err *err)
{
    tr_str text;
    if (!tr_builtin_reply_unseal(reply, PURPOSE, out->query.cursor, &text) ||
        !read_payload(reply, text, out))
        return refuse_cursor(reply, err);
    return TR_OK;
}

static tr_status read_asked(struct tr_builtin_reply *reply, struct asked *out,
                            struct tr_err *err)
{
    struct tr_model_uri_refusal why;
    tr_str path;
    tr_str text = {0};
    *out = (struct asked){0};
    (void)tr_str_cut(tr_builtin_reply_arg(reply, "uri"), '?', &path, &text);
    tr_status status = tr_model_uri_query_parse(reply->call->arena, reply->type,
                                                text, &out->query, &why, err);
    if (status == TR_E_INVALID)
        TR_TRY(blame(reply, &why, err));
    TR_TRY(status);
    if (out->query.cursor.len)
        return read_cursor(reply, out, err);
    out->offset = out->query.offset;
    out->skip = out->query.offset;
    return TR_OK;
}

static tr_status note_next(struct tr_builtin_reply *reply,
                           const struct asked *asked,
                           const struct tr_query_page *page, struct tr_err *err)
{
    struct tr_buf uri;
    tr_str cursor;
    TR_TRY(write_cursor(reply, asked, page, &cursor, err));
    tr_buf_init(&uri, 2 * TR_LIMIT_SEALED_BYTES);
    tr_buf_putf(&uri, "trails://kg/%.*s?", TR_FMT(reply->type->name));
    if (asked->query.where.len) {
        tr_buf_put(&uri, TR_STR("where="));
        tr_percent_put(&uri, asked->query.where, "");
        tr_buf_putc(&uri, '&');
    }
    tr_buf_putf(&uri, "limit=%zu&cursor=", asked->query.limit);
    tr_buf_put(&uri, cursor);
    tr_status status = tr_buf_check(&uri, err);
    if (status == TR_OK)
        status =
            tr_builtin_reply_meta_text(reply, "next", tr_buf_str(&uri), err);
    tr_buf_done(&uri);
    return status;
}

static tr_status note_page(struct tr_builtin_reply *reply,
                           const struct tr_graph_read_ctx *ctx,
                           const struct tr_query *query,
                           const struct asked *asked,
                           const struct tr_query_page *page, struct tr_err *err)
{
    struct tr_query_count total = {.count = asked->offset + page->count};
    bool is_end = page->count && !page->next.len && !asked->after.len;
    if (!is_end) /* else the nodes up to here are all there are */
        TR_TRY(tr_query_where_count(ctx, query, &total, err));
    TR_TRY(tr_builtin_reply_meta_count(
        reply, total.at_least ? "total_at_least" : "total", total.count, err));
    TR_TRY(
        tr_builtin_reply_meta_count(reply, "limit", asked->query.limit, err));
    return tr_builtin_reply_meta_count(reply, "offset", asked->offset, err);
}

/* A key in the filter names nothing. */
static tr_status refuse_filter(struct tr_builtin_reply *reply,
                               const struct tr_field_errors *errors,
                               struct tr_err *err)
{
    const struct tr_field_error *error = &errors->items[0];
    const struct tr_model_uri_refusal why = {.field = error->field,
                                             .reason = "not_found",
                                             .expected = TR_STR("iri")};
    TR_TRY(blame(reply, &why, err));
    return tr_fail(err, TR_E_INVALID, "%.*s", TR_FMT(error->message));
}

/* The node that a cursor names may have been compacted away since: then the
 * cursor is refused. */
static tr_status find_page(struct tr_builtin_reply *reply,
                           const struct tr_graph_read_ctx *ctx,
                           const struct tr_query *query,
                           struct tr_query_page *out, struct tr_err *err)
{
    if (!query->limit)
        return TR_OK;
    tr_status status = tr_query_where(ctx, query, out, err);
    if (status == TR_E_VALIDATION && query->errors->count)
        return refuse_filter(reply, query->errors, err);
    return status == TR_E_NOT_FOUND ? refuse_cursor(reply, err) : status;
}

static tr_status write_page(struct tr_builtin_reply *reply,
                            struct tr_graph_kg *kg,
                            const struct tr_graph_read_ctx *ctx,
                            const struct asked *asked, struct tr_err *err)
{
    struct tr_json_member member = {0};
    struct tr_json filter = {
        .kind = TR_JSON_OBJECT, .len = 1, .as.members = &member};
    struct tr_query query = {
        .type = reply->type,
        .limit = asked->query.limit,
        .after = asked->after,
        .skip = asked->skip,
        .with_labels = true,
        .errors = &kg->errors,
    };
    struct tr_query_page page = {0};
    kg->errors = (struct tr_field_errors){0};
    if (asked->query.field) {
        member.key =
            tr_json_make_text(TR_JSON_STRING, asked->query.field->name);
        member.value = asked->query.value;
        query.filter = &filter;
    }
    TR_TRY(find_page(reply, ctx, &query, &page, err));
    for (size_t i = 0; i < page.count; i++)
        tr_graph_kg_note_used(kg, page.ids[i]);
    TR_TRY(tr_query_page_write_labels(ctx, &page, &reply->writer, err));
    TR_TRY(tr_jw_finish(&reply->writer, err));
    TR_TRY(note_page(reply, ctx, &query, asked, &page, err));
    bool has_keys = tr_call_root(reply->call)->env->keys != NULL;
    return page.next.len && has_keys ? note_next(reply, asked, &page, err)
                                     : TR_OK;
}

tr_status tr_builtin_render_page(struct tr_builtin_reply *reply,
                                 struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct asked asked;
    struct tr_graph_kg *kg;
    TR_TRY(read_asked(reply, &asked, err));
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = write_page(reply, kg, &ctx, &asked, err);
    tr_graph_kg_leave(kg);
    return status;
}
