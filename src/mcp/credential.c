#include "mcp/credential.h"

#include "access/bearer.h"
#include "cap/cap.h"
#include "graph/store.h"
#include "loop/loop.h"
#include "mcp/headers.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/reply.h"
#include "mcp/transport.h"
#include "runtime/env.h"
#include "runtime/wire_error.h"

#define META_KEY   TR_STR("dev.trails/authorization")
#define CLIENT_KEY TR_STR("io.modelcontextprotocol/clientInfo")
#define FAILED     TR_STR("Authentication failed")
#define SEVERAL    "there is more than one credential"

/* The longest challenge has two URLs and a sentence. */
#define CHALLENGE_BYTES 4096

static struct tr_access_bearer_moment moment_of(const struct tr_mcp *mcp)
{
    const struct tr_call_env *env = mcp->opts.env;
    return (struct tr_access_bearer_moment){
        .now_s = tr_loop_wall(mcp->opts.loop).seconds,
        .generation =
            env && env->store ? tr_graph_store_generation(env->store) : 0,
    };
}

/* Finds who has a token; an empty one is none. */
static tr_status resolve(struct tr_mcp *mcp, tr_str token,
                         const struct tr_access_authority **out,
                         struct tr_err *err)
{
    static const struct tr_access_authority nobody = {.scopes =
                                                          TR_SCOPE_RUNTIME};
    struct tr_access_bearer *bearer = mcp->opts.bearer;
    if (token.len && bearer)
        return tr_access_bearer_resolve(bearer, token, moment_of(mcp), out,
                                        err);
    bool is_required = mcp->opts.credentials.is_required;
    if (!is_required && mcp->opts.credentials.closes && bearer)
        TR_TRY(tr_access_bearer_has_stored(bearer, moment_of(mcp), &is_required,
                                           err));
    if (token.len || is_required)
        return tr_fail(err, TR_E_UNAUTHENTICATED, "a token is needed");
    *out = bearer ? tr_access_bearer_nobody(bearer) : &nobody;
    return TR_OK;
}

/*
 * What a challenge says after `Bearer` (RFC 6750, section 3; RFC 9728, section
 * 5.1; 2025-11-25, basic/authorization, Scope Selection Strategy).
 */
struct challenge {
    const char *error; /* or NULL */
    const char *why;
    const char *scope; /* that would do, or NULL */
    bool is_scope;     /* only the scope is missing, not the token */
};

/* None of these values has a quote in it. */
static void put_param(struct tr_buf *out, const char **before, const char *name,
                      tr_str value)
{
    tr_buf_putf(out, "%s%s=\"%.*s\"", *before, name, TR_FMT(value));
    *before = ", ";
}

static tr_str write_challenge(const struct tr_mcp *mcp,
                              const struct challenge *challenge,
                              char text[CHALLENGE_BYTES])
{
    const struct tr_mcp_credential_rules *rules = &mcp->opts.credentials;
    tr_str url = rules->metadata_url;
    const char *before = " ";
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, CHALLENGE_BYTES);
    tr_buf_put(&buf, TR_STR("Bearer"));
    if (rules->realm.len)
        put_param(&buf, &before, "realm", rules->realm);
    if (challenge->error) {
        put_param(&buf, &before, "error", tr_str_from(challenge->error));
        put_param(&buf, &before, "error_description",
                  tr_str_from(challenge->why));
    }
    if (challenge->scope && (url.len || challenge->is_scope))
        put_param(&buf, &before, "scope", tr_str_from(challenge->scope));
    if (url.len)
        put_param(&buf, &before, "resource_metadata", url);
    return tr_buf_str(&buf);
}

static void put_reason(struct tr_buf *out,
                       const struct tr_call_wire_error *wire, const char *why)
{
    tr_buf_put(out, TR_STR("{\"reason\":"));
    tr_buf_put_json(out, tr_str_from(why));
    if (wire->code != wire->seed_code)
        tr_buf_putf(out, ",\"trails_code\":%d", wire->seed_code);
    tr_buf_putc(out, '}');
}

static void respond(struct tr_http_exchange **x, struct tr_mcp *mcp, int status,
                    const struct challenge *challenge)
{
    char text[CHALLENGE_BYTES];
    char data[512];
    struct tr_buf reason;
    const tr_http_field fields[] = {
        {TR_STR("Content-Type"), TR_STR("application/json")},
        {TR_STR("WWW-Authenticate"), write_challenge(mcp, challenge, text)},
    };
    struct tr_call_wire_error wire = tr_call_wire_error(
        TR_E_UNAUTHENTICATED,
        tr_mcp_headers_are_modern(tr_http_exchange_request(*x)));
    tr_buf_init_fixed(&reason, data, sizeof(data));
    put_reason(&reason, &wire, challenge->why);
    struct tr_mcp_rpc_error error = {
        .code = wire.code, .text = FAILED, .data = tr_buf_str(&reason)};
    tr_mcp_rpc_error_write(&mcp->out, NULL, &error);
    tr_http_respond(*x, status, fields, TR_LEN(fields), tr_buf_str(&mcp->out));
    *x = NULL;
}

/* TR_E_NOT_FOUND when there is no credential. */
static tr_status read_header(const struct tr_http_request *http, tr_str *out,
                             struct tr_err *err)
{
    tr_str value = {NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < http->header_count; i++) {
        tr_http_field field = tr_http_header_at(http, i);
        if (!tr_http_same_name(field.name, TR_STR("Authorization")))
            continue;
        if (count++ && !tr_str_eq(field.value, value))
            return tr_fail(err, TR_E_SYNTAX, SEVERAL);
        value = field.value;
    }
    if (count == 0)
        return TR_E_NOT_FOUND;
    return tr_access_bearer_parse(value, out, err);
}

bool tr_mcp_http_identify(struct tr_http_exchange **x, struct tr_mcp *mcp,
                          const struct tr_access_authority **out)
{
    struct challenge challenge = {.scope = "runtime"};
    struct tr_err err = {0};
    tr_str token = {NULL, 0};
    *out = tr_http_exchange_left(*x);
    if (*out)
        return true; /* the judge of its head has asked already */
    tr_status status = read_header(tr_http_exchange_request(*x), &token, &err);
    bool is_malformed = status == TR_E_SYNTAX;
    if (!is_malformed)
        status = resolve(mcp, token, out, &err);
    if (status == TR_OK) {
        tr_http_exchange_leave(*x, *out);
        return true;
    }
    if (status != TR_E_UNAUTHENTICATED && !is_malformed) {
        tr_http_respond_text(*x, 503, NULL);
        *x = NULL;
        return false;
    }
    if (is_malformed || token.len)
        challenge.error = is_malformed ? "invalid_request" : "invalid_token";
    challenge.why = err.msg;
    respond(x, mcp, is_malformed ? 400 : 401, &challenge);
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

tr_str tr_mcp_credential_of(const struct tr_http_request *http)
{
    tr_str token = {NULL, 0};
    (void)read_header(http, &token, NULL);
    return token;
}

bool tr_mcp_credential_agrees(struct tr_mcp_request *request, tr_str token)
{
    return !token.len || tr_mcp_credential_find(request, &token);
}

bool tr_mcp_credential_use(struct tr_mcp_request *request, tr_str token)
{
    const struct tr_access_authority *authority = NULL;
    struct tr_err err = {0};
    if (resolve(request->mcp, token, &authority, &err) == TR_OK)
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
    char text[CHALLENGE_BYTES];
    if (!request->mcp->opts.credentials.http_statuses || !scope ||
        !request->sink->has_head ||
        (!is_denied && status != TR_E_UNAUTHENTICATED))
        return 200;
    const struct challenge challenge = {
        .error = is_denied ? "insufficient_scope" : NULL,
        .why = "the token does not have the scope",
        .scope = tr_scope_name((enum tr_scope)scope),
        .is_scope = true,
    };
    if (!tr_arena_copy(&request->arena,
                       write_challenge(request->mcp, &challenge, text),
                       &request->head.challenge))
        return 200;
    return is_denied ? 403 : 401;
}
