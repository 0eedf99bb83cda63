#include "config/settings.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/config.h"
#include "fetch/fetch.h"

/* The number of a limit as text, so that defaults need not repeat it. */
#define TEXT_OF(number) #number
#define TEXT(limit)     TEXT_OF(limit)

static const char *const env_names[] = {"development", "test", "production",
                                        NULL};

static const char *const challenges[] = {"jsonrpc", "http", NULL};
static const char *const required_forms[] = {"auto", "true", "false", NULL};
static const char *const error_forms[] = {"jsonrpc", "tool", NULL};

static const char *const name_forms[] = {"verbatim", "portable", NULL};

/* Built-in resources have such names behind trails://, paths of every server
 * behind its address. */
static const char *const taken_names[] = {
    "kg",     "schema",       "stats",     "doctor",     "prov",     "meta",
    "shape",  "shapes",       "mcp",       "sse",        "messages", "health",
    "ready",  "metrics",      "invoke",    "v1",         "console",  "assets",
    "token",  "capabilities", "authorize", "introspect", "revoke",   "register",
    "device", "login",        "logout",
};

/* The name is part of every IRI that the project makes: trails://<name>/... */
const char *tr_config_check_project(tr_str value)
{
    if (value.len == 0 || value.len > 63)
        return "must have 1 to 63 characters";
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool fits =
            tr_ascii_is_lower(c) || tr_ascii_is_digit(c) || (i > 0 && c == '-');
        if (!fits)
            return "may only have lower-case letters, digits and, not first, "
                   "hyphens";
    }
    for (size_t i = 0; i < TR_LEN(taken_names); i++) {
        if (tr_str_eq(value, tr_str_from(taken_names[i])))
            return "must not be a name that every server has for a path or a "
                   "resource of its own";
    }
    return NULL;
}

/* HOST:PORT; a host with colons stands in brackets. */
static const char *check_address(tr_str value)
{
    size_t colon = value.len;
    while (colon > 0 && value.ptr[colon - 1] != ':')
        colon--;
    int64_t port;
    if (colon < 2)
        return "must be HOST:PORT, such as 127.0.0.1:8000";
    tr_str host = {value.ptr, colon - 1};
    if (!tr_str_to_i64(tr_str_skip(value, colon), &port) || port < 0 ||
        port > 65535)
        return "must end with a port from 0 to 65535";
    bool bracketed = host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
    if (!bracketed && memchr(host.ptr, ':', host.len))
        return "must have an IPv6 address in brackets, such as [::1]:8000";
    return NULL;
}

/* RFC 6454, section 6.2: a scheme, a host, perhaps a port, and nothing more. */
static const char *check_origin(tr_str value)
{
    static const tr_str schemes[] = {TR_STR_INIT("http://"),
                                     TR_STR_INIT("https://")};
    for (size_t i = 0; i < TR_LEN(schemes); i++) {
        tr_str host = tr_str_skip(value, schemes[i].len);
        if (tr_str_starts(value, schemes[i]) && host.len &&
            !memchr(host.ptr, '/', host.len))
            return NULL;
    }
    return "must be origins such as https://example.com";
}

static const char *check_budget(tr_str value)
{
    struct tr_config_budget_rule rule;
    return tr_config_budget_rule_parse(value, &rule);
}

/* Values that go into headers are visible ASCII without quotes. */
static bool is_plain(tr_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (c <= ' ' || c >= 0x7F || c == '"' || c == '\\')
            return false;
    }
    return value.len <= 255;
}

/* Empty means none. No path is allowed: every route would have to know it. */
static const char *check_public_url(tr_str value)
{
    return value.len && (check_origin(value) || !is_plain(value))
               ? "must be https://HOST or https://HOST:PORT, and nothing more"
               : NULL;
}

static const char *check_server(tr_str value)
{
    bool is_url = tr_str_starts(value, TR_STR("https://")) ||
                  tr_str_starts(value, TR_STR("http://"));
    return is_url && is_plain(value) ? NULL : "must be a URL";
}

static const char *check_website(tr_str value)
{
    return value.len ? check_server(value) : NULL;
}

static const char *check_text(tr_str value)
{
    return value.len <= TR_LIMIT_DESCRIPTION_BYTES
               ? NULL
               : "must have at most 16384 bytes";
}

static const char *check_algorithm(tr_str value)
{
    static const char *const names[] = {"HS256", "EdDSA", "ES256", "RS256"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_str_eq(value, tr_str_from(names[i])))
            return NULL;
    }
    return "must be HS256, EdDSA, ES256 or RS256";
}

static const char *check_path(tr_str value)
{
    return value.len ? NULL : "must not be empty";
}

const struct tr_config_setting tr_config_settings[] = {
    {
        .section = "project",
        .key = "name",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.name),
        .fallback = "local",
        .check = tr_config_check_project,
        .help = "Names the project in the IRIs it makes; without it, the name "
                "that the store has, else the folder's.",
    },
    {
        .section = "project",
        .key = "env",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, project.env),
        .fallback = "development",
        .variable = "TRAILS_ENV",
        .choices = env_names,
        .help = "Where it runs; production hides what is for development.",
    },
    {
        .section = "project",
        .key = "title",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.title),
        .fallback = "",
        .check = check_text,
        .help = "What hosts call the server where people read it.",
    },
    {
        .section = "project",
        .key = "description",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.description),
        .fallback = "",
        .check = check_text,
        .help = "What it is for, in a sentence, for people.",
    },
    {
        .section = "project",
        .key = "website",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, project.website),
        .fallback = "",
        .check = check_website,
        .help = "Where people read more about it.",
    },
    {
        .section = "project",
        .key = "icons",
        .type = TR_CONFIG_SETTING_ICONS,
        .offset = offsetof(struct tr_config, project.icons),
        .fallback = "",
        .help = "What hosts show beside its name: tables with src (https: or "
                "data:), and perhaps mimeType, sizes, theme.",
    },
    {
        .section = "server",
        .key = "http",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, server.http),
        .fallback = "127.0.0.1:8000",
        .check = check_address,
        .help = "Where HTTP listens; port 0 picks a free one.",
    },
    {
        .section = "server",
        .key = "threads",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.threads),
        .fallback = "0",
        .min = 0,
        .max = 256,
        .help = "Loops that serve requests; 0 is one per core.",
    },
    {
        .section = "server",
        .key = "origins",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, server.origins),
        .fallback = "",
        .check = check_origin,
        .help = "Web pages, besides those of this machine, that may connect.",
    },
    {
        .section = "server",
        .key = "public_url",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, server.public_url),
        .fallback = "",
        .check = check_public_url,
        .help = "Where clients reach it, such as https://trails.example.",
    },
    {
        .section = "server",
        .key = "behind_tls_proxy",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, server.behind_tls_proxy),
        .fallback = "false",
        .help = "A proxy does TLS: then it may listen beyond this machine.",
    },
    {
        .section = "server",
        .key = "max_connections",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_connections),
        .fallback = TEXT(TR_LIMIT_HTTP_CONNECTIONS),
        .min = 1,
        .max = 1000000,
        .help = "Connections of one loop at a time; others get 503.",
    },
    {
        .section = "server",
        .key = "max_line_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_line_bytes),
        .fallback = TEXT(TR_LIMIT_HTTP_LINE),
        .min = 64,
        .max = 1048576,
        .help = "A request line; a longer one gets 414.",
    },
    {
        .section = "server",
        .key = "max_header_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_header_bytes),
        .fallback = TEXT(TR_LIMIT_HTTP_HEAD),
        .min = 64,
        .max = 1048576,
        .help = "All headers of a request; more get 431.",
    },
    {
        .section = "server",
        .key = "max_body_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_body_bytes),
        .fallback = TEXT(TR_LIMIT_HTTP_BODY),
        .min = 64,
        .max = 33554432,
        .help = "The body of a request; a larger one gets 413.",
    },
    {
        .section = "server",
        .key = "max_buffered_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_buffered_bytes),
        .fallback = TEXT(TR_LIMIT_HTTP_BUFFERED),
        .min = 65536,
        .max = 17179869184,
        .help = "What all requests of one loop hold together; more get 503.",
    },
    {
        .section = "server",
        .key = "max_queue_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_queue_bytes),
        .fallback = TEXT(TR_LIMIT_SSE_QUEUE),
        .min = 4096,
        .max = 67108864,
        .help = "What may wait for the reader of one event stream; who "
                "reads too slowly is cut off.",
    },
    {
        .section = "server",
        .key = "header_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.header_timeout_s),
        .fallback = TEXT(TR_LIMIT_HTTP_HEAD_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds for the headers of a request to arrive, else 408.",
    },
    {
        .section = "server",
        .key = "body_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.body_timeout_s),
        .fallback = TEXT(TR_LIMIT_HTTP_BODY_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds for a body, and one for each 16 KiB of it that "
                "arrived, else 408.",
    },
    {
        .section = "server",
        .key = "idle_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.idle_timeout_s),
        .fallback = TEXT(TR_LIMIT_HTTP_IDLE_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds that a connection may wait for its next request.",
    },
    {
        .section = "server",
        .key = "write_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.write_timeout_s),
        .fallback = TEXT(TR_LIMIT_HTTP_WRITE_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds in which a peer must take some of what waits for "
                "it.",
    },
    {
        .section = "store",
        .key = "path",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, store.path),
        .fallback = "data",
        .variable = "TRAILS_STORE",
        .check = check_path,
        .help = "The folder of the embedded store, or :memory:.",
    },
    {
        .section = "prov",
        .key = "read_days",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, prov.read_days),
        .fallback = TEXT(TR_LIMIT_PROV_READ_DAYS),
        .min = 1,
        .max = 36500,
        .help = "Days for which it is kept who read what; who wrote what is "
                "kept for ever.",
    },
    {
        .section = "prov",
        .key = "read_rows",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, prov.read_rows),
        .fallback = TEXT(TR_LIMIT_PROV_READ_ROWS),
        .min = 1,
        .max = 1000000000,
        .help = "Reads that are kept; the oldest go first.",
    },
    {
        .section = "log",
        .key = "level",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, log.level),
        .fallback = "info",
        .choices = tr_log_level_names,
        .help = "The least severe lines that are logged.",
    },
    {
        .section = "log",
        .key = "format",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, log.form),
        .fallback = "auto",
        .choices = tr_log_form_names,
        .variable = "TRAILS_LOG_FORMAT",
        .help = "Lines as JSON or as text; by itself, text on a terminal and "
                "JSON elsewhere.",
    },
    {
        .section = "log",
        .key = "access",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, log.access),
        .fallback = "true",
        .variable = "TRAILS_ACCESS_LOG",
        .help = "Over HTTP, one line per request, at level info; never what "
                "was in it.",
    },
    {
        .section = "mcp",
        .key = "tool_names",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, mcp.tool_names),
        .fallback = "verbatim",
        .choices = name_forms,
        .help = "Portable names have underscores for dots: more hosts take "
                "them.",
    },
    {
        .section = "mcp",
        .key = "errors",
        .alias = "validation_errors",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, mcp.errors),
        .fallback = "jsonrpc",
        .choices = error_forms,
        .help = "How a call that has reached its tool fails: as an error, or "
                "as a tool's result, for hosts that hide errors from the "
                "model.",
    },
    {
        .section = "mcp",
        .key = "max_result_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_result_bytes),
        .fallback = "80000",
        .min = 1000,
        .max = 8000000,
        .help = "Text in one result; a longer one is cut, and says so.",
    },
    {
        .section = "mcp",
        .key = "annotations",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, mcp.annotations),
        .fallback = "true",
        .help = "Without, tools go without format iri, trails:node_type and "
                "`trails`, of which some hosts complain.",
    },
    {
        .section = "mcp",
        .key = "result_meta",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, mcp.result_meta),
        .fallback = "true",
        .help = "Without, results do not name their activity and trace, which "
                "some hosts show the model; both are recorded.",
    },
    {
        .section = "mcp",
        .key = "instructions",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, mcp.instructions),
        .fallback = "",
        .help = "What a model should know before it uses the tools.",
    },
    {
        .section = "mcp",
        .key = "call_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.call_timeout_s),
        .fallback = TEXT(TR_LIMIT_CALL_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds a call may take, questions to the client included.",
    },
    {
        .section = "mcp",
        .key = "sessions",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, mcp.sessions),
        .fallback = "true",
        .help = "Without sessions, clients of older revisions may be served "
                "by any process, but not asked or notified.",
    },
    {
        .section = "mcp",
        .key = "session_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.session_timeout_s),
        .fallback = TEXT(TR_LIMIT_SESSION_S),
        .min = 1,
        .max = 2592000,
        .help = "Seconds after which a session that nobody uses ends.",
    },
    {
        .section = "mcp",
        .key = "max_sessions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_sessions),
        .fallback = TEXT(TR_LIMIT_SESSIONS),
        .min = 1,
        .max = 1000000,
        .help = "Sessions of one loop at a time.",
    },
    {
        .section = "mcp",
        .key = "max_caller_sessions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_caller_sessions),
        .fallback = TEXT(TR_LIMIT_CALLER_SESSIONS),
        .min = 1,
        .max = 1000000,
        .help = "Sessions of one caller on one loop; callers without a name "
                "share half of max_sessions.",
    },
    {
        .section = "mcp",
        .key = "max_streams",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_streams),
        .fallback = TEXT(TR_LIMIT_LISTENS),
        .min = 1,
        .max = 1000000,
        .help = "Streams of subscriptions/listen of one loop at a time.",
    },
    {
        .section = "mcp",
        .key = "max_subscriptions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_subscriptions),
        .fallback = TEXT(TR_LIMIT_SUBSCRIPTIONS),
        .min = 1,
        .max = 100000,
        .help = "Resources that one session or stream may watch.",
    },
    {
        .section = "mcp",
        .key = "max_batch",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_batch),
        .fallback = TEXT(TR_LIMIT_BATCH),
        .min = 1,
        .max = 10000,
        .help = "Messages in one batch of revision 2025-03-26.",
    },
    {
        .section = "mcp",
        .key = "replay_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.replay_bytes),
        .fallback = TEXT(TR_LIMIT_REPLAY),
        .min = 0,
        .max = 67108864,
        .help = "What one session keeps for a client that comes back.",
    },
    {
        .section = "mcp",
        .key = "max_nesting",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, mcp.max_nesting),
        .fallback = TEXT(TR_LIMIT_NESTING),
        .min = 8,
        .max = TR_LIMIT_NESTING,
        .help = "How deep arrays and objects of a message may stand in "
                "each other.",
    },
    {
        .section = "mcp",
        .key = "scopes",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, mcp.scopes),
        .fallback = "runtime",
        .variable = "TRAILS_MCP_SCOPES",
        .help = "What callers may have at most: runtime, builder, dev, with "
                "commas between them.",
    },
    {
        .section = "auth",
        .key = "issuer",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.issuer),
        .fallback = "",
        .help = "Who signs the JWTs of callers: their iss.",
    },
    {
        .section = "auth",
        .key = "audience",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.audience),
        .fallback = "",
        .help = "Who we are for that issuer: their aud; by default "
                "public_url with /mcp.",
    },
    {
        .section = "auth",
        .key = "algorithms",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, auth.algorithms),
        .fallback = "",
        .check = check_algorithm,
        .help = "HS256, EdDSA, ES256, RS256: those that count; by default "
                "all that have a key.",
    },
    {
        .section = "auth",
        .key = "jwks_file",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.jwks_file),
        .fallback = "",
        .help = "The public keys of the issuer, a JWKS, from the app's "
                "folder.",
    },
    {
        .section = "auth",
        .key = "jwks_url",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.jwks_url),
        .fallback = "",
        .help = "The same over HTTPS, fetched now and then.",
    },
    {
        .section = "auth",
        .key = "authorization_servers",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, auth.authorization_servers),
        .fallback = "",
        .check = check_server,
        .help = "Where clients get a token; they are told (RFC 9728).",
    },
    {
        .section = "auth",
        .key = "challenge",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, auth.challenge),
        .fallback = "jsonrpc",
        .choices = challenges,
        .help = "How a missing scope is told: in the message, or by status "
                "403.",
    },
    {
        .section = "auth",
        .key = "required",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, auth.required),
        .fallback = "auto",
        .choices = required_forms,
        .help = "Whether nobody is let in over HTTP without a credential; "
                "auto: in production, and once a token was stored.",
    },
    {
        .section = "budget",
        .key = "capability",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, budget.capability),
        .fallback = "",
        .check = check_budget,
        .help = "What all callers together may use of a capability, such as "
                "\"summarise 100 calls/hour\".",
    },
    {
        .section = "budget",
        .key = "principal_capability",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, budget.principal_capability),
        .fallback = "",
        .check = check_budget,
        .help = "What each caller may use of a capability.",
    },
    {
        .section = "budget",
        .key = "principal",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, budget.principal),
        .fallback = "",
        .check = check_budget,
        .help = "What a caller may use of all together, such as "
                "\"* 2.50 usd/day\".",
    },
    {
        .section = "runtime",
        .key = "retries",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, runtime.retries),
        .fallback = TEXT(TR_LIMIT_RETRIES),
        .min = 0,
        .max = 100,
        .help = "How often a call is run again when others have changed what "
                "it had read; 0 is never.",
    },
    {
        .section = "lua",
        .key = "instructions",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, lua.instructions),
        .fallback = TEXT(TR_LIMIT_LUA_INSTRUCTIONS),
        .min = 10000,
        .max = 1000000000000,
        .help = "Instructions of one call.",
    },
    {
        .section = "lua",
        .key = "call_seconds",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, lua.call_seconds),
        .fallback = TEXT(TR_LIMIT_LUA_RUN_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds that one call may run, without those it waits.",
    },
    {
        .section = "lua",
        .key = "call_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, lua.call_bytes),
        .fallback = TEXT(TR_LIMIT_LUA_CALL_BYTES),
        .min = 65536,
        .max = 17179869184,
        .help = "Memory of one call.",
    },
    {
        .section = "fetch",
        .key = "allow",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, fetch.allow),
        .fallback = "",
        .check = tr_fetch_check_allow,
        .help = "Origins that handlers may fetch from though they are inside: "
                "at private addresses, over http, or behind a proxy of the "
                "environment.",
    },
    {
        .section = "fetch",
        .key = "ca_file",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, fetch.ca_file),
        .fallback = "",
        .help = "Certificates of those who are trusted, instead of the "
                "system's; PEM.",
    },
    {
        .section = "fetch",
        .key = "timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, fetch.timeout_s),
        .fallback = TEXT(TR_LIMIT_FETCH_SECONDS_MOST),
        .min = 1,
        .max = 3600,
        .help = "Seconds that a fetch may ask for.",
    },
    {
        .section = "fetch",
        .key = "max_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, fetch.max_bytes),
        .fallback = TEXT(TR_LIMIT_FETCH_BODY_MOST),
        .min = 1024,
        .max = 33554432,
        .help = "Bytes of a body that a fetch may ask for.",
    },
};

const size_t tr_config_setting_count = TR_LEN(tr_config_settings);

static void put_choices(struct tr_buf *buf, const char *const *choices)
{
    for (size_t i = 0; choices[i]; i++) {
        const char *before = i == 0 ? "" : choices[i + 1] ? ", " : " or ";
        tr_buf_putf(buf, "%s%s", before, choices[i]);
    }
}

void tr_config_setting_describe(const struct tr_config_setting *setting,
                                char *out, size_t size)
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, out, size - 1);
    switch (setting->type) {
    case TR_CONFIG_SETTING_TEXT:
        tr_buf_put(&buf, TR_STR("text"));
        break;
    case TR_CONFIG_SETTING_LIST:
        tr_buf_put(&buf, TR_STR("list of text"));
        break;
    case TR_CONFIG_SETTING_ICONS:
        tr_buf_put(&buf, TR_STR("list of tables"));
        break;
    case TR_CONFIG_SETTING_INTEGER:
        tr_buf_putf(&buf, "%lld to %lld", (long long)setting->min,
                    (long long)setting->max);
        break;
    case TR_CONFIG_SETTING_BOOLEAN:
        tr_buf_put(&buf, TR_STR("true or false"));
        break;
    case TR_CONFIG_SETTING_CHOICE:
        put_choices(&buf, setting->choices);
        break;
    }
    out[buf.len] = '\0';
}
