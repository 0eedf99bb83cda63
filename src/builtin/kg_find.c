#include "base/limits.h"
#include "builtin/kg_tools.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "json/build.h"
#include "model/tool_shape.h"
#include "query/query.h"
#include "runtime/env.h"

#define PURPOSE "find"

/* The arguments of the call. */
struct asked {
    struct tr_json values;        /* the arguments that are values of fields */
    const struct tr_json *filter; /* or NULL */
    tr_str order;                 /* or "" */
    const struct tr_json *fields; /* to show; NULL: all */
    const tr_str *names;          /* of these */
    size_t limit;
    tr_str after;                            /* from the cursor, or empty */
    char digest[2 * TR_CRYPTO_SHA256_BYTES]; /* of these, in hexadecimal */
};

/* What was found. */
struct found {
    struct tr_json nodes; /* an array */
    tr_str next;          /* what it goes on behind; or empty */
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

static tr_status refuse_cursor(struct tr_builtin_reply *reply,
                               struct tr_err *err)
{
    TR_TRY(
        tr_builtin_reply_error_member(reply, "field", TR_STR("cursor"), err));
    TR_TRY(tr_builtin_reply_error_member(reply, "reason",
                                         TR_STR("invalid_cursor"), err));
    return tr_fail(err, TR_E_INVALID,
                   "cursor is not of this search, or too old: begin again "
                   "without it");
}

/* A cursor is valid for one filter, whatever the order of its members, and for
 * one order. */
static tr_status digest_filter(struct asked *asked, struct tr_err *err)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '[');
    tr_jw_canonical(&w, &asked->values);
    if (asked->filter || asked->order.len)
        tr_jw_string(&w, asked->order);
    if (asked->filter)
        tr_jw_canonical(&w, asked->filter);
    tr_jw_close(&w, ']');
    tr_status status = tr_jw_finish(&w, err);
    tr_crypto_sha256(tr_buf_str(&text), digest);
    tr_buf_done(&text);
    tr_crypto_hex_write((tr_str){(char *)digest, sizeof(digest)},
                        asked->digest);
    return status;
}

/* A cursor holds "<Type> <digest> <IRI>". */
static bool read_payload(const struct tr_builtin_reply *reply, tr_str text,
                         struct asked *out)
{
    tr_str digest = {out->digest, sizeof(out->digest)};
    tr_str part;
    if (!tr_str_cut(text, ' ', &part, &text) ||
        !tr_str_eq(part, reply->type->name) ||
        !tr_str_cut(text, ' ', &part, &text) || !tr_str_eq(part, digest))
        return false;
    out->after = text;
    return text.len > 0;
}

static tr_status read_cursor(struct tr_builtin_reply *reply, tr_str cursor,
                             struct asked *out, struct tr_err *err)
{
    tr_str text;
    if (!tr_builtin_reply_unseal(reply, PURPOSE, cursor, &text) ||
        !read_payload(reply, text, out))
        return refuse_cursor(reply, err);
    return TR_OK;
}

static tr_status read_names(struct tr_arena *arena, struct asked *out,
                            struct tr_err *err)
{
    size_t count = out->fields ? out->fields->len : 0;
    tr_str *names = TR_NEW_ARRAY(arena, tr_str, count + 1);
    if (!names)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        names[i] = tr_json_text(&out->fields->as.items[i]);
    out->names = names;
    return TR_OK;
}

/* An argument that no field of the type has taken the name of. */
static const struct tr_json *find_own(const struct tr_builtin_reply *reply,
                                      const char *name)
{
    tr_str text = tr_str_from(name);
    return tr_shape_find(reply->type->shape, text)
               ? NULL
               : tr_json_find(reply->call->args, text);
}

static tr_status read_asked(struct tr_builtin_reply *reply, struct asked *out,
                            struct tr_err *err)
{
    const struct tr_json *args = reply->call->args;
    const struct tr_json *cursor = tr_json_find(args, TR_STR("cursor"));
    int64_t limit = 0;
    *out = (struct asked){
        .fields = tr_json_find(args, TR_STR("fields")),
        .filter = find_own(reply, TR_MODEL_FILTER),
        .order = tr_json_text(find_own(reply, TR_MODEL_ORDER)),
    };
    if (tr_json_i64(tr_json_find(args, TR_STR("limit")), &limit))
        out->limit = (size_t)limit;
    TR_TRY(read_names(reply->call->arena, out, err));
    TR_TRY(tr_builtin_tool_fields(reply, &out->values, err));
    TR_TRY(digest_filter(out, err));
    return cursor ? read_cursor(reply, tr_json_text(cursor), out, err) : TR_OK;
}

static tr_status write_cursor(const struct tr_builtin_reply *reply,
                              const struct asked *asked, tr_str last,
                              tr_str *out, struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_SEALED_BYTES);
    tr_buf_putf(&text, "%.*s %.*s %.*s", TR_FMT(reply->type->name),
                (int)sizeof(asked->digest), asked->digest, TR_FMT(last));
    tr_status status = tr_builtin_reply_seal(reply, PURPOSE, &text, out, err);
    tr_buf_done(&text);
    return status;
}

/* {"items": [...], "next"?} */
static tr_status reply_page(struct tr_builtin_reply *reply,
                            const struct tr_json *nodes, tr_str next,
                            struct tr_err *err)
{
    struct tr_arena *arena = reply->call->arena;
    struct tr_json *value = TR_NEW(arena, struct tr_json);
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("items")), *nodes},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("next")),
         tr_json_make_text(TR_JSON_STRING, next)},
    };
    if (!value || !tr_json_make_object(arena, members, next.len ? 2 : 1, value))
        return fail_memory(err);
    reply->value = value;
    return TR_OK;
}

/* No less than tr_jw_value writes: of a text each byte may be escaped. */
static size_t bytes_at_most(const struct tr_json *value)
{
    size_t bytes = 2 + value->len;
    if (value->kind == TR_JSON_STRING)
        return 2 + 6 * (size_t)value->len;
    for (size_t i = 0; value->kind == TR_JSON_ARRAY && i < value->len; i++)
        bytes += bytes_at_most(&value->as.items[i]);
    for (size_t i = 0; value->kind == TR_JSON_OBJECT && i < value->len; i++) {
        bytes += 1 + bytes_at_most(&value->as.members[i].key);
        bytes += bytes_at_most(&value->as.members[i].value);
    }
    return bytes < 5 ? 5 : bytes; /* false */
}

/* How many of the nodes fit into a result. */
static tr_status count_fitting(const struct tr_json *nodes, size_t *out,
                               struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_buf text;
    size_t bytes = 0;
    tr_status status = TR_OK;
    *out = 0;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    while (status == TR_OK && *out < nodes->len) {
        tr_buf_clear(&text);
        tr_jw_init(&w, &text);
        tr_jw_value(&w, &nodes->as.items[*out]);
        status = tr_jw_finish(&w, err);
        bytes += text.len;
        if (bytes > TR_LIMIT_FIND_BYTES)
            break;
        ++*out;
    }
    tr_buf_done(&text);
    return status;
}

/*
 * A result that is too long would be cut, and then be no JSON: the page ends
 * before that, but has at least one node.
 */
static tr_status shorten(const struct tr_graph_read_ctx *ctx,
                         const struct tr_query *query,
                         const struct tr_query_page *page, struct found *found,
                         struct tr_err *err)
{
    size_t count;
    if (bytes_at_most(&found->nodes) <= TR_LIMIT_FIND_BYTES)
        return TR_OK;
    TR_TRY(count_fitting(&found->nodes, &count, err));
    if (count == found->nodes.len || found->nodes.len == 1)
        return TR_OK;
    count = count ? count : 1;
    found->nodes.len = (uint32_t)count;
    return tr_query_next_after(ctx, query, page->ids[count - 1], &found->next,
                               err);
}

/* The node that a cursor names may have been compacted away since: then the
 * cursor is refused. */
static tr_status find_page(struct tr_builtin_reply *reply,
                           const struct tr_graph_read_ctx *ctx,
                           const struct tr_query *query,
                           struct tr_query_page *page, struct tr_err *err)
{
    tr_status status = tr_query_where(ctx, query, page, err);
    bool is_cursor = status == TR_E_NOT_FOUND ||
                     (status == TR_E_INVALID && query->after.len);
    return is_cursor ? refuse_cursor(reply, err) : status;
}

static tr_status show_page(const struct tr_graph_read_ctx *ctx,
                           const struct tr_query *query,
                           const struct asked *asked,
                           const struct tr_query_page *page, struct found *out,
                           struct tr_err *err)
{
    out->next = page->next;
    TR_TRY(asked->fields
               ? tr_query_page_fields(ctx, page, asked->names,
                                      asked->fields->len, &out->nodes, err)
               : tr_query_page_nodes(ctx, page, &out->nodes, err));
    return shorten(ctx, query, page, out, err);
}

static tr_status read_page(struct tr_builtin_reply *reply,
                           struct tr_graph_kg *kg, const struct asked *asked,
                           struct found *out, struct tr_err *err)
{
    const struct tr_query query = {
        .type = reply->type,
        .filter = &asked->values,
        .also = asked->filter,
        .is_callers = true,
        .order = asked->order,
        .after = asked->after,
        .limit = asked->limit,
        .errors = &kg->errors,
    };
    struct tr_query_page page = {0};
    struct tr_graph_read_ctx ctx;
    kg->errors = (struct tr_field_errors){0};
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = find_page(reply, &ctx, &query, &page, err);
    if (status == TR_OK)
        status = show_page(&ctx, &query, asked, &page, out, err);
    for (size_t i = 0; i < page.count; i++)
        tr_graph_kg_note_used(kg, page.ids[i]);
    tr_graph_kg_leave(kg);
    return status;
}

tr_status tr_builtin_tool_find(struct tr_builtin_reply *reply,
                               struct tr_err *err)
{
    struct found found = {0};
    struct tr_graph_kg *kg = NULL;
    struct asked asked;
    tr_str cursor = {0};
    TR_TRY(tr_call_kg(reply->call, &kg, err));
    TR_TRY(read_asked(reply, &asked, err));
    TR_TRY(read_page(reply, kg, &asked, &found, err));
    reply->asked = asked.fields;
    if (found.next.len)
        TR_TRY(write_cursor(reply, &asked, found.next, &cursor, err));
    return reply_page(reply, &found.nodes, cursor, err);
}
