#include "config/config.h"
#include "config/section.h"

static const char *const challenges[] = {"jsonrpc", "http", NULL};
static const char *const required_forms[] = {"auto", "true", "false", NULL};

static const char *check_algorithm(tr_str value)
{
    static const char *const names[] = {"HS256", "EdDSA", "ES256", "RS256"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_str_eq(value, tr_str_from(names[i])))
            return NULL;
    }
    return "must be HS256, EdDSA, ES256 or RS256";
}

static const struct tr_config_setting settings[] = {
    {
        .key = "issuer",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.issuer),
        .fallback = "",
        .help = "Who signs the JWTs of callers: their iss.",
    },
    {
        .key = "audience",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.audience),
        .fallback = "",
        .help = "Who we are for that issuer: their aud; by default "
                "public_url with /mcp.",
    },
    {
        .key = "algorithms",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, auth.algorithms),
        .fallback = "",
        .check = check_algorithm,
        .help = "HS256, EdDSA, ES256, RS256: those that count; by default "
                "all that have a key.",
    },
    {
        .key = "jwks_file",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.jwks_file),
        .fallback = "",
        .help = "The public keys of the issuer, a JWKS, from the app's "
                "folder.",
    },
    {
        .key = "jwks_url",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, auth.jwks_url),
        .fallback = "",
        .help = "The same over HTTPS, fetched now and then.",
    },
    {
        .key = "authorization_servers",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, auth.authorization_servers),
        .fallback = "",
        .check = tr_config_check_url,
        .help = "Where clients get a token; they are told (RFC 9728).",
    },
    {
        .key = "challenge",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, auth.challenge),
        .fallback = "jsonrpc",
        .choices = challenges,
        .help = "How a missing scope is told: in the message, or by status "
                "403.",
    },
    {
        .key = "required",
        .type = TR_CONFIG_SETTING_CHOICE,
        .offset = offsetof(struct tr_config, auth.required),
        .fallback = "auto",
        .choices = required_forms,
        .help = "Whether nobody is let in over HTTP without a credential; "
                "auto: in production, and once a token was stored.",
    },
};

const struct tr_config_section tr_config_section_auth = {"auth", settings,
                                                         TR_LEN(settings)};
