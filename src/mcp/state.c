#include "mcp/state.h"

#include "base/limits.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "crypto/seal.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "mcp/inside.h"
#include "mcp/reply.h"
#include "runtime/journal.h"

#define PURPOSE    TR_STR("requestState")
#define DIGEST_LEN ((size_t)2 * TR_CRYPTO_SHA256_BYTES)

static void add(struct tr_crypto_sha256 *sha, tr_str text)
{
    tr_crypto_sha256_add(sha, text);
    tr_crypto_sha256_add(sha,
                         (tr_str){"", 1}); /* a NUL, so that parts stay apart */
}

/*
 * Binds the state to its principal, method and arguments, so that it is of no
 * use with another request (2026-07-28, basic/patterns/mrtr, Server
 * Requirements, 5).
 */
static tr_status make_digest(struct tr_mcp_request *request,
                             char out[DIGEST_LEN], struct tr_err *err)
{
    const struct tr_json *params = request->message.params;
    const struct tr_json *args = tr_json_find(params, TR_STR("arguments"));
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    struct tr_crypto_sha256 sha;
    struct tr_json_writer w;
    struct tr_buf text;

    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    if (args)
        tr_jw_canonical(&w, args);
    else
        tr_jw_null(&w);
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK) {
        tr_crypto_sha256_init(&sha);
        add(&sha, request->authority.principal);
        add(&sha, request->message.method);
        add(&sha, tr_json_text(tr_json_find(params, TR_STR("name"))));
        add(&sha, tr_json_text(tr_json_find(params, TR_STR("uri"))));
        add(&sha, tr_buf_str(&text));
        tr_crypto_sha256_done(&sha, digest);
        tr_crypto_hex_write((tr_str){(const char *)digest, sizeof(digest)},
                            out);
    }
    tr_buf_done(&text);
    return status;
}

static void put_answers(struct tr_json_writer *w, const struct tr_json *answers)
{
    tr_jw_key(w, "a");
    tr_jw_open(w, '{');
    for (size_t i = 0; answers && i < answers->len; i++) {
        tr_jw_key_str(w, tr_json_text(&answers->as.members[i].key));
        tr_jw_value(w, &answers->as.members[i].value);
    }
    tr_jw_close(w, '}');
}

/* Writes what earlier rounds recorded, then what this one did. */
static void put_journal(struct tr_json_writer *w, const struct tr_call *call)
{
    tr_jw_open(w, '[');
    for (size_t i = 0; call->replay && i < call->replay->len; i++)
        tr_jw_value(w, &call->replay->as.items[i]);
    for (size_t i = 0; i < call->journal.count; i++)
        tr_jw_value(w, &call->journal.items[i]);
    tr_jw_close(w, ']');
}

tr_status tr_mcp_state_journal(struct tr_mcp_request *request,
                               struct tr_buf *out, struct tr_err *err)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    put_journal(&w, &request->call);
    return tr_jw_finish(&w, err);
}

tr_status tr_mcp_state_seal(struct tr_mcp_request *request, tr_str kept,
                            tr_str *out, struct tr_err *err)
{
    char digest[DIGEST_LEN];
    struct tr_json_writer w;
    struct tr_buf text;
    TR_TRY(make_digest(request, digest, err));
    tr_buf_init(&text, TR_LIMIT_STATE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "d", (tr_str){digest, sizeof(digest)});
    put_answers(&w, request->answers);
    if (text.failed) { /* what the client has sent alone is too much */
        tr_buf_done(&text);
        return tr_fail(err, TR_E_INVALID,
                       "the answers are longer than %zu bytes", TR_LIMIT_STATE);
    }
    tr_jw_key(&w, kept.len ? "r" : "j");
    if (kept.len)
        tr_jw_string(&w, kept);
    else
        put_journal(&w, &request->call);
    tr_jw_key(&w, "p");
    tr_call_round_put(&request->call, &w);
    tr_jw_close(&w, '}');
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK) {
        struct tr_crypto_seal how = {
            .keys = request->mcp->opts.keys,
            .purpose = PURPOSE,
            .expires = tr_loop_wall(request->mcp->opts.loop).seconds +
                       TR_MCP_STATE_LIFE_S,
            .is_secret = true,
        };
        status =
            tr_crypto_seal(&request->arena, &how, tr_buf_str(&text), out, err);
    }
    tr_buf_done(&text);
    if (status == TR_OK && out->len > TR_LIMIT_STATE)
        status = tr_fail(err, TR_E_LIMIT, "the state is longer than %zu bytes",
                         TR_LIMIT_STATE);
    return status;
}

static bool open_state(struct tr_mcp_request *request, const struct tr_json *at,
                       const struct tr_json **out)
{
    struct tr_crypto_unseal how = {
        .keys = request->mcp->opts.keys,
        .purpose = PURPOSE,
        .now = tr_loop_wall(request->mcp->opts.loop).seconds,
        .is_secret = true,
    };
    char digest[DIGEST_LEN];
    tr_str payload;
    return tr_json_is(at, TR_JSON_STRING) && at->len <= TR_LIMIT_STATE &&
           tr_crypto_unseal(&request->arena, &how, tr_json_text(at), &payload,
                            NULL) == TR_OK &&
           tr_json_read(&request->arena, payload, NULL, out, NULL) == TR_OK &&
           make_digest(request, digest, NULL) == TR_OK &&
           tr_str_eq(tr_json_text(tr_json_find(*out, TR_STR("d"))),
                     (tr_str){digest, sizeof(digest)});
}

/* Its journal, or the one that is kept under the name that it has. */
static bool take_journal(struct tr_mcp_request *request,
                         const struct tr_json *state)
{
    tr_str name = tr_json_text(tr_json_find(state, TR_STR("r")));
    int64_t now_s = tr_loop_wall(request->mcp->opts.loop).seconds;
    tr_str text;
    request->kept_journal = name;
    request->call.replay = tr_json_find(state, TR_STR("j"));
    return !name.len ||
           (tr_call_journal_find(request->mcp->opts.env, name, now_s,
                                 &request->arena, &text, NULL) == TR_OK &&
            tr_json_read(&request->arena, text, NULL, &request->call.replay,
                         NULL) == TR_OK);
}

bool tr_mcp_state_take_up(struct tr_mcp_request *request)
{
    const struct tr_json *params = request->message.params;
    const struct tr_json *at = tr_json_find(params, TR_STR("requestState"));
    const struct tr_json *now = tr_json_find(params, TR_STR("inputResponses"));
    const struct tr_json *state = NULL;

    if (!at && !now)
        return true;
    if (now && now->kind != TR_JSON_OBJECT) {
        tr_mcp_reply_bad_params(request,
                                "params.inputResponses must be an object");
        return false;
    }
    /* Every question of ours comes with a state, and its answer must. */
    if (!at && now->len > 0) {
        tr_mcp_reply_bad_params(request,
                                "params.requestState is missing: it came with "
                                "what is answered here");
        return false;
    }
    if (at &&
        (!open_state(request, at, &state) || !take_journal(request, state))) {
        tr_mcp_reply_bad_params(request, "params.requestState is not valid");
        return false;
    }
    request->call.round.paid = tr_json_find(state, TR_STR("p"));
    /* New answers join those of earlier rounds; a key is answered once. */
    request->answers =
        tr_json_join(&request->arena, now, tr_json_find(state, TR_STR("a")));
    if (!request->answers) {
        tr_mcp_reply_bad_params(request, "no memory for the answers");
        return false;
    }
    return true;
}
