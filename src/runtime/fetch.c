#include "runtime/fetch.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"
#include "cap/live.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "json/build.h"
#include "runtime/env.h"
#include "runtime/stage.h"

/* Where a redirect leads is not the author's doing: it only fails the fetch. */
static tr_status may(void *data, const struct tr_fetch_url *url,
                     struct tr_err *err)
{
    const struct tr_call_fetching *fetching = data;
    return fetching->fetch ? tr_call_could_fetch(fetching->call, url, err)
                           : tr_call_may_fetch(fetching->call, url, err);
}

/* The text of a number of the call, in its arena. */
static bool put_number(struct tr_call *call, uint64_t number,
                       struct tr_json *out)
{
    char text[24];
    tr_str kept;
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    if (!tr_arena_copy(call->arena, (tr_str){text, (size_t)len}, &kept))
        return false;
    *out = tr_json_make_integer(kept);
    return true;
}

static bool put_text(struct tr_call *call, tr_str text, struct tr_json *out)
{
    tr_str kept;
    if (!tr_arena_copy(call->arena, text, &kept))
        return false;
    *out = tr_json_make_text(TR_JSON_STRING, kept);
    return true;
}

static struct tr_json key_of(const char *name)
{
    return tr_json_make_text(TR_JSON_STRING, tr_str_from(name));
}

/* Who was asked, how it ended, how much and how long: nothing that was said. */
static void note(struct tr_call *call, const struct tr_fetch_reply *reply)
{
    tr_str reason = tr_str_from(reply->reason);
    struct tr_prov_activity_fetch fetch = {
        .reason = reason,
        .code = reply->code,
        .bytes = reply->body.len,
        .took_us = reply->micros,
    };
    tr_log(TR_LOG_INFO, "fetched",
           TR_LOG_TEXT("host", tr_str_from(reply->host)),
           TR_LOG_INT("status", reply->code), TR_LOG_TEXT("reason", reason),
           TR_LOG_INT("bytes", (int64_t)reply->body.len),
           TR_LOG_INT("micros", (int64_t)reply->micros));
    if (tr_arena_copy(call->arena, tr_str_from(reply->host), &fetch.host))
        (void)tr_vec_push(call->arena, &call->fetches, fetch);
}

/* What was refused before it began is on record, too. */
static void note_refused(struct tr_call *call,
                         const struct tr_fetch_request *request)
{
    struct tr_fetch_url url;
    char place[TR_FETCH_URL_PLACE];
    struct tr_prov_activity_fetch fetch = {.reason = TR_STR("undeclared")};
    if (tr_fetch_url_read(request->url, &url, NULL) != TR_OK)
        return;
    tr_fetch_url_place(&url, place);
    if (tr_arena_copy(call->arena, tr_str_from(place), &fetch.host))
        (void)tr_vec_push(call->arena, &call->fetches, fetch);
}

static tr_status admit(struct tr_call *root, struct tr_fetch_request *request,
                       struct tr_err *err)
{
    size_t left = TR_LIMIT_FETCH_CALL_BYTES - root->fetch_bytes;
    size_t wanted =
        request->max_bytes ? request->max_bytes : TR_LIMIT_FETCH_BODY;
    if (root->fetch_count == TR_LIMIT_FETCH_CALL)
        return tr_fail(err, TR_E_LIMIT, "a call fetches at most %d times",
                       TR_LIMIT_FETCH_CALL);
    if (wanted > left)
        return tr_fail(err, TR_E_LIMIT,
                       "all that a call fetches has at most %zu bytes",
                       TR_LIMIT_FETCH_CALL_BYTES);
    return TR_OK;
}

static bool is_traceparent(tr_str name)
{
    static const char wanted[] = "traceparent";
    size_t i = 0;
    while (i < name.len && i < sizeof(wanted) - 1 &&
           tr_ascii_to_lower(name.ptr[i]) == wanted[i])
        i++;
    return name.len == sizeof(wanted) - 1 && i == name.len;
}

/*
 * Whoever is asked is told which trace asks (W3C Trace Context, 2.4), unless
 * the handler says so itself. The headers are then in the arena.
 */
static tr_status add_trace(const struct tr_call *call,
                           struct tr_fetch_request *request, struct tr_err *err)
{
    size_t count = request->header_count;
    char text[TR_CALL_TRACEPARENT];
    struct tr_fetch_header *headers;
    tr_str value;
    for (size_t i = 0; i < count; i++) {
        if (is_traceparent(request->headers[i].name))
            return TR_OK;
    }
    if (count == TR_LIMIT_FETCH_HEADERS || !tr_call_traceparent(call, text))
        return TR_OK;
    headers = TR_NEW_ARRAY(call->arena, struct tr_fetch_header, count + 1);
    if (!headers ||
        !tr_arena_copy(call->arena, (tr_str){text, sizeof(text)}, &value))
        return tr_fail(err, TR_E_NOMEM, "no memory for a header");
    for (size_t i = 0; i < count; i++)
        headers[i] = request->headers[i];
    headers[count] =
        (struct tr_fetch_header){.name = TR_STR("traceparent"), .value = value};
    request->headers = headers;
    request->header_count = count + 1;
    return TR_OK;
}

tr_status tr_call_fetch_begin(struct tr_call_fetching *fetching,
                              struct tr_fetch_request *request,
                              struct tr_err *err)
{
    struct tr_call *call = fetching->call;
    struct tr_call *root = tr_call_root(call);
    const struct tr_err *before = call->refusal;
    if (!root->env || !root->env->fetch)
        return tr_fail(err, TR_E_UNSUPPORTED, "nobody goes out from here");
    TR_TRY(admit(root, request, err));
    TR_TRY(add_trace(call, request, err));
    request->bounds = tr_cap_snapshot_live(call->snapshot)->fetch;
    request->may = may;
    request->may_data = fetching;
    tr_status status =
        tr_fetch_start(root->env->fetch, request, &fetching->fetch, err);
    if (status == TR_OK) {
        root->fetch_count++;
        root->has_acted = true;
    } else if (call->refusal != before) {
        note_refused(call, request);
    }
    return status;
}

/* What the journal says of a request. --------------------------------------*/

static uint64_t digest_of(tr_str text)
{
    unsigned char hash[TR_CRYPTO_SHA256_BYTES];
    uint64_t out;
    tr_crypto_sha256(text, hash);
    memcpy(&out, hash, sizeof(out));
    return out;
}

/* Who asks for what, but for the order of pairs: a table has none. What stands
 * before them ends with its '?', as no pair does. */
static uint64_t sum_of(tr_str url)
{
    tr_str pairs = {NULL, 0};
    tr_str pair;
    if (!tr_str_cut(url, '?', &pair, &pairs))
        return digest_of(url);
    uint64_t sum = digest_of((tr_str){url.ptr, pair.len + 1});
    while (tr_str_cut(pairs, '&', &pair, &pairs))
        sum += digest_of(pair);
    return sum + digest_of(pairs);
}

void tr_call_fetch_mark(struct tr_call_fetching *fetching,
                        const struct tr_fetch_request *request)
{
    struct tr_fetch_url url = {0};
    char place[TR_FETCH_URL_PLACE] = "";
    tr_str what = request->url;
    if (fetching->has_hidden) {
        if (tr_fetch_url_read(request->url, &url, NULL) == TR_OK)
            tr_fetch_url_place(&url, place);
        what = tr_str_from(place);
    }
    uint64_t sum = sum_of(what);
    fetching->method = request->method;
    tr_crypto_hex_write((tr_str){(const char *)&sum, sizeof(sum)},
                        fetching->mark);
}

static bool says(const struct tr_json *reply, const char *key, tr_str text)
{
    return tr_str_eq(tr_json_text(tr_json_find(reply, tr_str_from(key))), text);
}

bool tr_call_fetch_is_same(const struct tr_call_fetching *fetching,
                           const struct tr_json *reply)
{
    return says(reply, "method", fetching->method) &&
           says(reply, "asked",
                (tr_str){fetching->mark, sizeof(fetching->mark)});
}

/* The reply. ---------------------------------------------------------------*/

static bool make_headers(struct tr_call *call,
                         const struct tr_fetch_reply *reply,
                         struct tr_json *out)
{
    struct tr_json *items =
        TR_NEW_ARRAY(call->arena, struct tr_json, reply->header_count + 1);
    for (size_t i = 0; items && i < reply->header_count; i++) {
        struct tr_json pair[2];
        if (!put_text(call, reply->headers[i].name, &pair[0]) ||
            !put_text(call, reply->headers[i].value, &pair[1]) ||
            !tr_json_make_array(call->arena, pair, 2, &items[i]))
            return false;
    }
    return items &&
           tr_json_make_array(call->arena, items, reply->header_count, out);
}

/* JSON has no bytes. */
static bool make_body(struct tr_call *call, tr_str body,
                      struct tr_json_member *out)
{
    bool is_text = tr_utf8_is_valid(body);
    tr_str text = body;
    out->key = key_of(is_text ? "body" : "body64");
    if (is_text)
        return put_text(call, text, &out->value);
    if (tr_crypto_base64_encode(call->arena, body, &text, NULL) != TR_OK)
        return false;
    out->value = tr_json_make_text(TR_JSON_STRING, text);
    return true;
}

static bool make_answer(struct tr_call *call,
                        const struct tr_fetch_reply *reply,
                        struct tr_json_member *members, size_t *count)
{
    struct tr_json_member *m = members + *count;
    m[0].key = key_of("code");
    m[1].key = key_of("headers");
    *count += 3;
    return put_number(call, reply->code, &m[0].value) &&
           make_headers(call, reply, &m[1].value) &&
           make_body(call, reply->body, &m[2]);
}

static bool make_failure(struct tr_call *call,
                         const struct tr_fetch_reply *reply,
                         struct tr_json_member *members, size_t *count)
{
    struct tr_json_member *m = members + *count;
    m[0].key = key_of("status");
    m[0].value = key_of(tr_status_name(reply->status));
    m[1].key = key_of("message");
    m[2].key = key_of("reason");
    m[2].value = key_of(reply->reason ? reply->reason : "protocol");
    *count += 3;
    return put_text(call, tr_str_from(reply->err.msg), &m[1].value);
}

tr_status tr_call_fetch_end(struct tr_call_fetching *fetching,
                            struct tr_json *out, struct tr_err *err)
{
    struct tr_call *call = fetching->call;
    const struct tr_fetch_reply *reply = tr_fetch_reply_of(fetching->fetch);
    const tr_str mark = {fetching->mark, sizeof(fetching->mark)};
    struct tr_json_member members[6] = {
        {key_of("host"), {0}}, {key_of("method"), {0}}, {key_of("asked"), {0}}};
    size_t count = 3;
    note(call, reply);
    tr_call_root(call)->fetch_bytes += reply->body.len;
    bool ok =
        put_text(call, tr_str_from(reply->host), &members[0].value) &&
        put_text(call, fetching->method, &members[1].value) &&
        put_text(call, mark, &members[2].value) &&
        (reply->status == TR_OK ? make_answer(call, reply, members, &count)
                                : make_failure(call, reply, members, &count)) &&
        tr_json_make_object(call->arena, members, count, out);
    tr_fetch_free(fetching->fetch);
    fetching->fetch = NULL;
    return ok ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for a reply");
}

void tr_call_fetch_give_up(struct tr_call_fetching *fetching)
{
    tr_fetch_free(fetching->fetch);
    fetching->fetch = NULL;
}
