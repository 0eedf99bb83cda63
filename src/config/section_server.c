#include "base/limits.h"
#include "config/config.h"
#include "config/section.h"

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

/* Empty means none. No path is allowed: every route would have to know it. */
static const char *check_public_url(tr_str value)
{
    return value.len && (check_origin(value) || !tr_config_is_plain(value))
               ? "must be https://HOST or https://HOST:PORT, and nothing more"
               : NULL;
}

static const struct tr_config_setting settings[] = {
    {
        .key = "http",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, server.http),
        .fallback = "127.0.0.1:8000",
        .check = check_address,
        .help = "Where HTTP listens; port 0 picks a free one.",
    },
    {
        .key = "threads",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.threads),
        .fallback = "0",
        .min = 0,
        .max = 256,
        .help = "Loops that serve requests; 0 is one per core.",
    },
    {
        .key = "origins",
        .type = TR_CONFIG_SETTING_LIST,
        .offset = offsetof(struct tr_config, server.origins),
        .fallback = "",
        .check = check_origin,
        .help = "Web pages, besides those of this machine, that may connect.",
    },
    {
        .key = "public_url",
        .type = TR_CONFIG_SETTING_TEXT,
        .offset = offsetof(struct tr_config, server.public_url),
        .fallback = "",
        .check = check_public_url,
        .help = "Where clients reach it, such as https://trails.example.",
    },
    {
        .key = "behind_tls_proxy",
        .type = TR_CONFIG_SETTING_BOOLEAN,
        .offset = offsetof(struct tr_config, server.behind_tls_proxy),
        .fallback = "false",
        .help = "A proxy does TLS: then it may listen beyond this machine.",
    },
    {
        .key = "max_connections",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_connections),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_CONNECTIONS),
        .min = 1,
        .max = 1000000,
        .help = "Connections of one loop at a time; others get 503.",
    },
    {
        .key = "max_line_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_line_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_LINE),
        .min = 64,
        .max = 1048576,
        .help = "A request line; a longer one gets 414.",
    },
    {
        .key = "max_header_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_header_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_HEAD),
        .min = 64,
        .max = 1048576,
        .help = "All headers of a request; more get 431.",
    },
    {
        .key = "max_body_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_body_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_BODY),
        .min = 64,
        .max = 33554432,
        .help = "The body of a request; a larger one gets 413.",
    },
    {
        .key = "max_buffered_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_buffered_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_BUFFERED),
        .min = 65536,
        .max = 17179869184,
        .help = "What all requests of one loop hold together; more get 503.",
    },
    {
        .key = "max_queue_bytes",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.max_queue_bytes),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_SSE_QUEUE),
        .min = 4096,
        .max = 67108864,
        .help = "What may wait for the reader of one event stream; who "
                "reads too slowly is cut off.",
    },
    {
        .key = "header_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.header_timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_HEAD_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds for the headers of a request to arrive, else 408.",
    },
    {
        .key = "body_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.body_timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_BODY_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds for a body, and one for each 16 KiB of it that "
                "arrived, else 408.",
    },
    {
        .key = "idle_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.idle_timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_IDLE_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds that a connection may wait for its next request.",
    },
    {
        .key = "write_timeout_s",
        .type = TR_CONFIG_SETTING_INTEGER,
        .offset = offsetof(struct tr_config, server.write_timeout_s),
        .fallback = TR_CONFIG_TEXT(TR_LIMIT_HTTP_WRITE_S),
        .min = 1,
        .max = 86400,
        .help = "Seconds in which a peer must take some of what waits for "
                "it.",
    },
};

const struct tr_config_section tr_config_section_server = {"server", settings,
                                                           TR_LEN(settings)};
