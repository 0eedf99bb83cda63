#include "server/gate.h"

#include "access/authority.h"
#include "access/jwt.h"
#include "access/token.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/time.h"
#include "fetch/url.h"
#include "json/writer.h"
#include "net/listener.h"
#include "server/app.h"
#include "server/issuer.h"
#include "server/secrets.h"
#include "server/server.h"

#include <sys/prctl.h>

#define WELL_KNOWN "/.well-known/oauth-protected-resource/mcp"

static tr_status fail_nomem(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the settings of access");
}

tr_status tr_server_gate_scopes(const struct tr_server_app *app, unsigned *out,
                                struct tr_err *err)
{
    tr_str text = app->config->mcp.scopes;
    if (!tr_str_trim(text).len)
        text = TR_STR("runtime"); /* an empty variable counts as not set */
    tr_status status = tr_access_scopes_parse(text, out, err);
    if (status != TR_OK)
        tr_err_prefix(err, "TRAILS_MCP_SCOPES");
    return status;
}

static tr_str join(struct tr_arena *arena, tr_str a, const char *b)
{
    char *text = tr_arena_alloc(arena, a.len + strlen(b) + 1);
    if (!text)
        return (tr_str){NULL, 0};
    if (a.len)
        memcpy(text, a.ptr, a.len);
    memcpy(text + a.len, b, strlen(b) + 1);
    return (tr_str){text, a.len + strlen(b)};
}

/* Takes all algorithms for which there are keys, unless some are configured:
 * each of those needs a key. */
static tr_status choose_algorithms(struct tr_server_gate *gate,
                                   const struct tr_config *config,
                                   struct tr_err *err)
{
    const struct tr_config_list *list = &config->auth.algorithms;
    unsigned available =
        (gate->bearer.jwt_secret.len ? (unsigned)TR_ACCESS_JWT_HS256 : 0) |
        (gate->bearer.jwks_file || gate->jwks_url
             ? (unsigned)TR_ACCESS_JWT_EDDSA | TR_ACCESS_JWT_ES256 |
                   TR_ACCESS_JWT_RS256
             : 0);
    for (size_t i = 0; i < list->count; i++) {
        enum tr_access_jwt_algorithm one = 0;
        if (!tr_access_jwt_algorithm_find(list->items[i], &one) ||
            !(one & available))
            return tr_fail(err, TR_E_INVALID,
                           "auth.algorithms has %.*s, for which there is no "
                           "key: %s",
                           TR_FMT(list->items[i]),
                           one == TR_ACCESS_JWT_HS256
                               ? "set TRAILS_MCP_JWT_SECRET"
                               : "set auth.jwks_file or "
                                 "auth.jwks_url");
        gate->bearer.algorithms |= one;
    }
    if (!list->count)
        gate->bearer.algorithms = available;
    return TR_OK;
}

/* Each loop reads the file by itself: what all of them find is said once. */
static void report_keys(void *data, const struct tr_err *why)
{
    struct tr_server_gate *gate = data;
    tr_str file = tr_str_from(gate->bearer.jwks_file);
    bool was_bad = atomic_exchange(&gate->has_no_keys, why != NULL);
    if (why && !was_bad)
        tr_log(TR_LOG_ERROR, TR_SERVER_NO_KEYS, TR_LOG_TEXT("file", file),
               TR_LOG_TEXT("error", tr_str_from(why->msg)));
    else if (!why && was_bad)
        tr_log(TR_LOG_INFO, "the keys of the issuer are here",
               TR_LOG_TEXT("file", file));
}

/* Keys come from a file, whose path is relative to the app's folder, or from a
 * URL. */
static tr_status find_keys(struct tr_server_gate *gate,
                           const struct tr_server_app *app,
                           struct tr_arena *arena, struct tr_err *err)
{
    tr_str file = app->config->auth.jwks_file;
    tr_str url = app->config->auth.jwks_url;
    struct tr_fetch_url parts;
    struct tr_err why = {0};
    bool is_whole = file.len && file.ptr[0] == '/';
    tr_str folder = join(arena, tr_str_from(app->folder), "/");
    tr_str copy = join(arena, file.len ? file : url, "");
    if (file.len && url.len)
        return tr_fail(err, TR_E_INVALID,
                       "set auth.jwks_file or auth.jwks_url, not both");
    if (url.len && (tr_fetch_url_read(url, &parts, &why) != TR_OK ||
                    !tr_fetch_url_is_private(&parts)))
        return tr_fail(err, TR_E_INVALID, "auth.jwks_url must be https%s%s",
                       why.msg[0] ? ": " : "", why.msg);
    if (!folder.ptr || !copy.ptr)
        return fail_nomem(err);
    if (url.len)
        gate->jwks_url = copy.ptr;
    if (!file.len)
        return TR_OK;
    gate->bearer.jwks_file =
        is_whole ? copy.ptr : join(arena, folder, copy.ptr).ptr;
    gate->bearer.on_keys = report_keys;
    gate->bearer.keys_data = gate;
    return gate->bearer.jwks_file ? TR_OK : fail_nomem(err);
}

/* Keys in a file or at a URL are those of an issuer who signs tokens for others
 * too: `iss` and `aud` must be checked (RFC 7519, 4.1). */
static tr_status open_jwt(struct tr_server_gate *gate,
                          const struct tr_server_app *app,
                          struct tr_arena *arena, struct tr_err *err)
{
    const struct tr_config *config = app->config;
    gate->bearer.issuer = config->auth.issuer;
    gate->bearer.audience = config->auth.audience;
    if (!gate->bearer.audience.len && config->server.public_url.len)
        gate->bearer.audience = join(arena, config->server.public_url, "/mcp");
    TR_TRY(find_keys(gate, app, arena, err));
    bool is_named = gate->bearer.issuer.len && gate->bearer.audience.len;
    if ((gate->bearer.jwks_file || gate->jwks_url) && !is_named)
        return tr_fail(err, TR_E_INVALID,
                       "%s needs auth.issuer and auth.audience: else tokens "
                       "for others would count here",
                       gate->jwks_url ? "auth.jwks_url" : "auth.jwks_file");
    return choose_algorithms(gate, config, err);
}

static void put_metadata(struct tr_json_writer *w,
                         const struct tr_config *config, tr_str resource,
                         unsigned scopes)
{
    const struct tr_config_list *servers = &config->auth.authorization_servers;
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "resource", resource);
    tr_jw_key(w, "authorization_servers");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < servers->count; i++)
        tr_jw_string(w, servers->items[i]);
    tr_jw_close(w, ']');
    tr_jw_key(w, "scopes_supported");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        if (scopes & tr_scopes_sorted[i])
            tr_jw_string(w, tr_str_from(tr_scope_name(tr_scopes_sorted[i])));
    }
    tr_jw_close(w, ']');
    tr_jw_key(w, "bearer_methods_supported");
    tr_jw_open(w, '[');
    tr_jw_string(w, TR_STR("header"));
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

/* The metadata by which a client finds out where to get a token (RFC 9728). */
static tr_status make_metadata(struct tr_server_gate *gate,
                               const struct tr_config *config,
                               struct tr_arena *arena, struct tr_err *err)
{
    tr_str url = config->server.public_url;
    struct tr_json_writer w;
    struct tr_buf text;
    if (!config->auth.authorization_servers.count)
        return TR_OK;
    if (!url.len)
        return tr_fail(err, TR_E_INVALID,
                       "auth.authorization_servers needs server.public_url: "
                       "clients compare it with where they are");
    tr_str resource = join(arena, url, "/mcp");
    gate->rules.metadata_url = join(arena, url, WELL_KNOWN);
    if (!resource.ptr || !gate->rules.metadata_url.ptr)
        return fail_nomem(err);
    tr_buf_init(&text, TR_KIB(64));
    tr_jw_init(&w, &text);
    put_metadata(&w, config, resource, gate->bearer.scopes);
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK &&
        !tr_arena_copy(arena, tr_buf_str(&text), &gate->metadata))
        status = fail_nomem(err);
    tr_buf_done(&text);
    return status;
}

/* Pages of the server's own public URL are allowed as well. */
static tr_status add_origin(struct tr_server_gate *gate,
                            const struct tr_config *config,
                            struct tr_arena *arena, struct tr_err *err)
{
    const struct tr_config_list *list = &config->server.origins;
    tr_str *items = TR_NEW_ARRAY(arena, tr_str, list->count + 1);
    if (!items)
        return fail_nomem(err);
    if (list->count)
        memcpy(items, list->items, list->count * sizeof(*items));
    gate->origins = (struct tr_gate_origins){items, list->count};
    if (config->server.public_url.len)
        items[gate->origins.count++] = config->server.public_url;
    return TR_OK;
}

static bool has_credential(const struct tr_server_app *app)
{
    const struct tr_config *config = app->config;
    return tr_server_credential(app->credentials, TR_SERVER_MCP_TOKEN).len ||
           tr_server_credential(app->credentials, TR_SERVER_JWT_SECRET).len ||
           config->auth.jwks_file.len || config->auth.jwks_url.len;
}

bool tr_server_gate_needs_bearer(const struct tr_server_app *app, bool is_local)
{
    const struct tr_config *config = app->config;
    return has_credential(app) ||
           config->auth.required == TR_CONFIG_REQUIRED_TRUE || !is_local ||
           config->server.behind_tls_proxy ||
           (config->project.env == TR_CONFIG_ENV_PRODUCTION &&
            config->auth.required == TR_CONFIG_REQUIRED_AUTO);
}

static bool is_local(const struct tr_server_opts *serve)
{
    return serve->stdio || serve->unix_path ||
           tr_net_address_is_loopback(&serve->address);
}

/*
 * Standard input belongs to who has started the program: unless a credential is
 * configured, or the file asks for one, nobody is as good as anybody there.
 * What is reached over a network is closed whatever the file says; the table in
 * docs/security.md has all cases.
 */
static bool is_required(const struct tr_server_opts *serve)
{
    const struct tr_server_app *app = serve->app;
    return serve->stdio ? has_credential(app) || app->config->auth.required ==
                                                     TR_CONFIG_REQUIRED_TRUE
                        : tr_server_gate_needs_bearer(app, is_local(serve));
}

tr_status tr_server_gate_open(struct tr_server_gate *gate,
                              const struct tr_server_opts *serve,
                              struct tr_err *err)
{
    struct tr_server_app *app = serve->app;
    const struct tr_config *config = app->config;
    *gate = (struct tr_server_gate){0};
    gate->bearer.token =
        tr_server_credential(app->credentials, TR_SERVER_MCP_TOKEN);
    gate->bearer.jwt_secret =
        tr_server_credential(app->credentials, TR_SERVER_JWT_SECRET);
    if (gate->bearer.token.len > TR_LIMIT_BEARER_BYTES)
        return tr_fail(err, TR_E_LIMIT,
                       "TRAILS_MCP_TOKEN has at most %zu bytes",
                       TR_LIMIT_BEARER_BYTES);
    TR_TRY(tr_server_gate_scopes(app, &gate->bearer.scopes, err));
    TR_TRY(open_jwt(gate, app, &app->arena, err));
    TR_TRY(make_metadata(gate, config, &app->arena, err));
    TR_TRY(add_origin(gate, config, &app->arena, err));
    gate->has_credential = has_credential(app);
    gate->rules.is_required = is_required(serve);
    gate->rules.closes =
        !serve->stdio && config->auth.required == TR_CONFIG_REQUIRED_AUTO;
    gate->rules.realm = tr_str_from(app->name);
    if (serve->stdio)
        TR_TRY(tr_server_bring_token(serve, &gate->rules.brought, err));
    gate->rules.http_statuses =
        config->auth.challenge == TR_CONFIG_CHALLENGE_HTTP;
    return TR_OK;
}

tr_status tr_server_gate_check_address(const struct tr_server_gate *gate,
                                       const struct tr_server_opts *serve,
                                       struct tr_db *db, struct tr_err *err)
{
    int64_t stored = 0;
    if (is_local(serve))
        return TR_OK;
    if (!serve->app->config->server.behind_tls_proxy)
        return tr_fail(err, TR_E_INVALID,
                       "%.*s is beyond this machine, where tokens must not go "
                       "without TLS: put a proxy in front and set [server] "
                       "behind_tls_proxy = true",
                       TR_FMT(serve->http));
    TR_TRY(tr_access_token_count(db, tr_time_now().seconds, &stored, err));
    if (!gate->has_credential && !stored)
        return tr_fail(err, TR_E_INVALID,
                       "%.*s is beyond this machine, and there is no "
                       "credential: 'trails token create', or set "
                       "TRAILS_MCP_TOKEN",
                       TR_FMT(serve->http));
    return TR_OK;
}

void tr_server_gate_keep_secrets(const struct tr_server_gate *gate)
{
    if (gate->rules.is_required || gate->rules.brought.len)
        (void)prctl(PR_SET_DUMPABLE, 0);
}
