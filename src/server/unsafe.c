#include "cap/snapshot.h"
#include "net/listener.h"
#include "server/app.h"
#include "server/gate.h"
#include "server/secrets.h"

/* Bytes of a token in the environment; those of `trails token create` are
 * longer still. */
#define TOKEN_MIN ((size_t)32)

/* The settings that the rules look at. */
struct seen {
    const struct tr_config *config;
    const struct tr_cap_snapshot *snapshot;
    tr_str token;
    tr_str secret;
    unsigned scopes;
    bool is_local; /* it listens on this machine only */
    bool is_production;
};

static bool has_credential(const struct seen *s)
{
    return s->token.len || s->secret.len || s->config->auth.jwks_file.len ||
           s->config->auth.jwks_url.len;
}

static bool is_open(const struct seen *s)
{
    return !s->is_local && !has_credential(s);
}

static bool is_plain(const struct seen *s)
{
    return !s->is_local && !s->config->server.behind_tls_proxy;
}

static bool lets_strangers_in(const struct seen *s)
{
    return s->is_production && s->is_local && !has_credential(s) &&
           !s->config->server.behind_tls_proxy &&
           s->config->auth.required == TR_CONFIG_REQUIRED_FALSE;
}

static bool is_required_anyway(const struct seen *s)
{
    return s->config->auth.required == TR_CONFIG_REQUIRED_FALSE &&
           (has_credential(s) || s->config->server.behind_tls_proxy);
}

static bool has_plain_url(const struct seen *s)
{
    return tr_str_starts(s->config->server.public_url, TR_STR("http://"));
}

static bool is_no_production(const struct seen *s)
{
    return !s->is_production &&
           (!s->is_local || s->config->server.behind_tls_proxy ||
            s->config->server.public_url.len);
}

static bool has_short_token(const struct seen *s)
{
    return s->token.len && s->token.len < TOKEN_MIN;
}

static bool has_dev(const struct seen *s)
{
    return s->is_production && (s->scopes & TR_SCOPE_DEV);
}

static bool takes_any_audience(const struct seen *s)
{
    return s->secret.len && !s->config->auth.audience.len &&
           !s->config->server.public_url.len;
}

static bool takes_any_issuer(const struct seen *s)
{
    return s->secret.len && !s->config->auth.issuer.len;
}

static bool is_closed(const struct seen *s, const struct tr_cap_guard *guard)
{
    return !tr_cap_guard_is_shown(guard, s->scopes);
}

/* The first that nobody gets at; empty when there is none. */
static tr_str find_unreachable(const struct seen *s)
{
    const struct tr_cap_snapshot *all = s->snapshot;
    tr_cap_counts counts = tr_cap_snapshot_counts(all);
    for (size_t i = 0; i < counts.caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(all, i);
        if (is_closed(s, &cap->guard))
            return cap->id;
    }
    for (size_t i = 0; i < counts.resources; i++) {
        const struct tr_cap_resource *one = tr_cap_snapshot_resource(all, i);
        if (is_closed(s, &one->about.guard))
            return one->uri;
    }
    for (size_t i = 0; i < counts.templates; i++) {
        const struct tr_cap_resource_template *one =
            tr_cap_snapshot_template(all, i);
        if (is_closed(s, &one->about.guard))
            return one->uri_template;
    }
    for (size_t i = 0; i < counts.prompts; i++) {
        const struct tr_cap_prompt *one = tr_cap_snapshot_prompt(all, i);
        if (is_closed(s, &one->about.guard))
            return one->about.name;
    }
    return TR_STR("");
}

static bool has_unreachable(const struct seen *s)
{
    return find_unreachable(s).len > 0;
}

static const struct {
    struct tr_server_unsafe unsafe;
    bool (*holds)(const struct seen *seen);
} rows[] = {
    {{"server.plain",
      "server.http is beyond this machine, and no proxy does TLS: it will not "
      "start",
      "put a proxy that does TLS in front, and set [server] behind_tls_proxy = "
      "true"},
     is_plain},
    {{"server.open",
      "server.http is beyond this machine, and only stored tokens let anybody "
      "in: without one it will not start",
      "trails token create, or set TRAILS_MCP_TOKEN"},
     is_open},
    {{"server.public_url",
      "server.public_url is not https: whoever is on the way reads tokens",
      "serve https, and say so in [server] public_url"},
     has_plain_url},
    {{"project.env",
      "it is reached from elsewhere, and project.env is not production: errors "
      "show their text, and dev is not refused",
      "trails.toml: [project] env = \"production\""},
     is_no_production},
    {{"token.short",
      "TRAILS_MCP_TOKEN has fewer than 32 letters: it can be guessed",
      "make a longer one: openssl rand -hex 32"},
     has_short_token},
    {{"scopes.dev", "TRAILS_MCP_SCOPES has dev, which production refuses",
      "leave dev out of TRAILS_MCP_SCOPES"},
     has_dev},
    {{"scopes.unreachable",
      "something requires a scope that TRAILS_MCP_SCOPES does not have: "
      "nobody gets at it",
      "add the scope to TRAILS_MCP_SCOPES, or take it from what requires it"},
     has_unreachable},
    {{"auth.open",
      "auth.required is false in production: over HTTP everybody who reaches "
      "the port is let in",
      "trails.toml: [auth] required = \"auto\", and give out tokens"},
     lets_strangers_in},
    {{"auth.required",
      "auth.required is false and changes nothing: a credential is configured, "
      "or a proxy is in front",
      "take auth.required out of trails.toml"},
     is_required_anyway},
    {{"auth.audience",
      "JWTs need not say that they are for us: set auth.audience",
      "trails.toml: [auth] audience, or [server] public_url"},
     takes_any_audience},
    {{"auth.issuer",
      "JWTs may be from anybody who has the secret: set "
      "auth.issuer",
      "trails.toml: [auth] issuer"},
     takes_any_issuer},
};

_Static_assert(TR_LEN(rows) <= TR_SERVER_UNSAFE_MAX, "there is room for all");

static bool is_local(tr_str address)
{
    struct tr_net_address at;
    return tr_net_address_parse(address, &at, NULL) == TR_OK &&
           tr_net_address_is_loopback(&at);
}

/* Says in the message what it is that nobody gets at. */
static void name_unreachable(const struct seen *seen, struct tr_arena *arena,
                             struct tr_server_unsafe *unsafe)
{
    char text[512];
    tr_str kept;
    (void)snprintf(text, sizeof(text), "%s: %.*s", unsafe->message,
                   TR_FMT(find_unreachable(seen)));
    if (tr_arena_copy(arena, tr_str_from(text), &kept))
        unsafe->message = kept.ptr;
}

size_t tr_server_unsafe_find(const struct tr_server_app *app,
                             const struct tr_cap_snapshot *snapshot,
                             struct tr_arena *arena,
                             struct tr_server_unsafe out[TR_SERVER_UNSAFE_MAX])
{
    struct seen seen = {
        .config = app->config,
        .snapshot = snapshot,
        .token = tr_server_credential(app->credentials, TR_SERVER_MCP_TOKEN),
        .secret = tr_server_credential(app->credentials, TR_SERVER_JWT_SECRET),
        .is_local = is_local(app->config->server.http),
        .is_production = app->config->project.env == TR_CONFIG_ENV_PRODUCTION,
    };
    size_t count = 0;
    if (tr_server_gate_scopes(app, &seen.scopes, NULL) != TR_OK)
        seen.scopes = TR_SCOPE_ALL; /* tr_server_gate_open reports the error */
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (!rows[i].holds(&seen))
            continue;
        out[count] = rows[i].unsafe;
        if (rows[i].holds == has_unreachable)
            name_unreachable(&seen, arena, &out[count]);
        count++;
    }
    return count;
}
