#include "mcp/credential.h"

#include "cap/cap.h"
#include "mcp/headers.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/reply.h"
#include "mcp/transport.h"
#include "runtime/wire_error.h"

#define META_KEY   TR_STR("dev.trails/authorization")
#define CLIENT_KEY TR_STR("io.modelcontextprotocol/clientInfo")
#define FAILED     TR_STR("Authentication failed")
#define SEVERAL    "there is more than one credential"

static void put_reason(struct tr_buf *out,
                       const struct tr_call_wire_error *wire, const char *why)
{
    tr_buf_put(out, TR_STR("{\"reason\":"));
    tr_buf_put_json(out, tr_str_from(why));
    if (wire->code != wire->seed_code)
        tr_buf_putf(out, ",\"trails_code\":%d", wire->seed_code);
    tr_buf_putc(out, '}');
}

static void respond(struct tr_http_exchange **x, struct tr_mcp *mcp,
                    const struct tr_gate_refusal *refusal)
{
    char text[TR_GATE_CHALLENGE_BYTES];
    char data[512];
    struct tr_buf reason;
    const struct tr_gate_challenge *challenge = &refusal->challenge;
    const tr_http_field fields[] = {
        {TR_STR("Content-Type"), TR_STR("application/json")},
        {TR_STR("WWW-Authenticate"),
         tr_gate_write_challenge(&mcp->opts.gate, challenge, text)},
    };
    struct tr_call_wire_error wire = tr_call_wire_error(
        TR_E_UNAUTHENTICATED,
        tr_mcp_headers_are_modern(tr_http_exchange_request(*x)));
    tr_buf_init_fixed(&reason, data, sizeof(data));
    put_reason(&reason, &wire, challenge->why);
    struct tr_mcp_rpc_error error = {
        .code = wire.code, .text = FAILED, .data = tr_buf_str(&reason)};
    tr_mcp_rpc_error_write(&mcp->out, NULL, &error);
    tr_http_respond(*x, refusal->http, fields, TR_LEN(fields),
                    tr_buf_str(&mcp->out));
}

bool tr_mcp_http_identify(struct tr_http_exchange **x, struct tr_mcp *mcp,
                          const struct tr_access_authority **out)
{
    struct tr_gate_refusal refusal;
    if (tr_gate_identify(&mcp->opts.gate, *x, out, &refusal))
        return true;
    if (refusal.http == 503)
        tr_http_respond_text(*x, 503, NULL);
    else
        respond(x, mcp, &refusal);
    *x = NULL;
    return false;
}

static bool token_of(const struct tr_json *value, tr_str *out)
{
    if (tr_json_is(value, TR_JSON_OBJECT))
        value = tr_json_find(value, TR_STR("bearer"));
    if (!tr_json_is(value, TR_JSON_STRING))
        return false;
    *out = tr_json_text(value);
    return out->len > 0;
}

/* Takes what the parameters of a request bring; false when it is another. */
static bool take_tokens(const struct tr_json *params, tr_str *token)
{
    const struct tr_json *meta = tr_json_find(params, TR_STR("_meta"));
    const tr_str key = TR_STR("authorization");
    const struct tr_json *const places[] = {
        tr_json_find(meta, META_KEY),
        tr_json_find(tr_json_find(meta, CLIENT_KEY), key),
        tr_json_find(tr_json_find(params, TR_STR("clientInfo")), key),
    };
    for (size_t i = 0; i < TR_LEN(places); i++) {
        tr_str found;
        if (!places[i] || !token_of(places[i], &found))
            continue;
        if (token->len && !tr_str_eq(*token, found))
            return false;
        *token = found;
    }
    return true;
}

/* A batch brings none of its own: whatever stands in it has to agree. */
static bool batch_agrees(const struct tr_json *batch, tr_str token)
{
    const struct tr_json *item;
    for (size_t i = 0; (item = tr_json_at(batch, i)); i++) {
        tr_str held = token;
        if (!take_tokens(tr_json_find(item, TR_STR("params")), &held))
            return false;
    }
    return true;
}

bool tr_mcp_credential_take(struct tr_mcp_request *request,
                            const struct tr_access_authority *authority)
{
    static const struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_INTERNAL,
        .http = 503,
        .text = TR_STR_INIT("no memory for the caller"),
    };
    if (tr_access_authority_copy(&request->arena, authority,
                                 &request->authority))
        return true;
    tr_mcp_reply_error(request, &error);
    return false;
}

static void refuse(struct tr_mcp_request *request, const struct tr_err *err)
{
    char data[512];
    struct tr_buf reason;
    struct tr_call_wire_error wire = tr_call_wire_error(
        err->code,
        tr_mcp_revision_has(request->revision, TR_MCP_HAS_OWN_CODES));
    tr_buf_init_fixed(&reason, data, sizeof(data));
    put_reason(&reason, &wire, err->msg);
    struct tr_mcp_rpc_error error = {
        .code = wire.code,
        .http = 401,
        .text = err->code == TR_E_UNAUTHENTICATED
                    ? FAILED
                    : TR_STR("credentials cannot be checked now"),
        .data = tr_buf_str(&reason),
    };
    tr_mcp_reply_error(request, &error);
}

bool tr_mcp_credential_find(struct tr_mcp_request *request, tr_str *token)
{
    struct tr_err err = {0};
    const struct tr_json *claim;
    bool agrees = request->batch ? batch_agrees(request->batch, *token)
                                 : take_tokens(request->message.params, token);
    if (agrees)
        return true;
    if (!request->batch && tr_mcp_modern_claim(&request->message, &claim))
        request->revision = TR_MCP_2026_07_28;
    (void)tr_fail(&err, TR_E_UNAUTHENTICATED, SEVERAL);
    refuse(request, &err);
    return false;
}

bool tr_mcp_credential_agrees(struct tr_mcp_request *request, tr_str token)
{
    return !token.len || tr_mcp_credential_find(request, &token);
}

bool tr_mcp_credential_use(struct tr_mcp_request *request, tr_str token)
{
    const struct tr_access_authority *authority = NULL;
    struct tr_err err = {0};
    if (tr_gate_resolve(&request->mcp->opts.gate, token, &authority, &err) ==
        TR_OK)
        return tr_mcp_credential_take(request, authority);
    refuse(request, &err);
    return false;
}

/* The scope that a refusal is about: its own before those of preconditions. */
static unsigned lacking(const struct tr_mcp_request *request,
                        const struct tr_cap_guard *guard)
{
    unsigned lacks = guard->needed & ~tr_mcp_request_scopes(request);
    return lacks && !(lacks & guard->scope) ? lacks & -lacks : guard->scope;
}

int tr_mcp_credential_status(struct tr_mcp_request *request, tr_status status)
{
    const struct tr_cap_guard *guard = tr_call_guard(&request->call);
    unsigned scope = guard ? lacking(request, guard) : 0;
    bool is_denied = status == TR_E_SCOPE;
    char text[TR_GATE_CHALLENGE_BYTES];
    if (!request->mcp->opts.gate.rules.http_statuses || !scope ||
        !request->sink->has_head ||
        (!is_denied && status != TR_E_UNAUTHENTICATED))
        return 200;
    const struct tr_gate_challenge challenge = {
        .error = is_denied ? "insufficient_scope" : NULL,
        .why = "the token does not have the scope",
        .scope = tr_scope_name((enum tr_scope)scope),
        .is_scope = true,
    };
    if (!tr_arena_copy(
            &request->arena,
            tr_gate_write_challenge(&request->mcp->opts.gate, &challenge, text),
            &request->head.challenge))
        return 200;
    return is_denied ? 403 : 401;
}
