#include "mcp/modern.h"

#include "base/text.h"
#include "mcp/headers.h"
#include "mcp/reply.h"

#define VERSION_KEY      "io.modelcontextprotocol/protocolVersion"
#define CAPABILITIES_KEY "io.modelcontextprotocol/clientCapabilities"
#define CLIENT_KEY       "io.modelcontextprotocol/clientInfo"
#define LEVEL_KEY        "io.modelcontextprotocol/logLevel"

static const char *const level_names[] = {
    [TR_CALL_NOTE_DEBUG] = "debug",   [TR_CALL_NOTE_INFO] = "info",
    [TR_CALL_NOTE_NOTICE] = "notice", [TR_CALL_NOTE_WARNING] = "warning",
    [TR_CALL_NOTE_ERROR] = "error",   [TR_CALL_NOTE_CRITICAL] = "critical",
    [TR_CALL_NOTE_ALERT] = "alert",   [TR_CALL_NOTE_EMERGENCY] = "emergency",
};

bool tr_mcp_note_level_parse(tr_str name, int *out)
{
    for (size_t i = 0; i < TR_LEN(level_names); i++) {
        if (tr_str_eq(name, tr_str_from(level_names[i]))) {
            *out = (int)i;
            return true;
        }
    }
    return false;
}

tr_str tr_mcp_note_level_name(enum tr_call_note_level level)
{
    return tr_str_from(level_names[level]);
}

bool tr_mcp_modern_claim(const struct tr_mcp_message *message,
                         const struct tr_json **out)
{
    *out = tr_json_find(message->meta, TR_STR(VERSION_KEY));
    return *out != NULL;
}

/*
 * Without these keys a request is refused with -32602 and status 400
 * (2026-07-28, basic, _meta).
 */
static bool refuse_key(struct tr_mcp_request *request, const char *key,
                       const char *what)
{
    char text[160];
    (void)snprintf(text, sizeof(text), "params._meta[\"%s\"] %s", key, what);
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_PARAMS, .http = 400, .text = tr_str_from(text)};
    tr_mcp_reply_error(request, &error);
    return false;
}

void tr_mcp_modern_refuse_missing(struct tr_mcp_request *request)
{
    (void)refuse_key(request, VERSION_KEY,
                     "is missing, and so may be \"" CAPABILITIES_KEY "\"");
}

static bool read_client(struct tr_mcp_request *request)
{
    const struct tr_json *meta = request->message.meta;
    const struct tr_json *capabilities =
        tr_json_find(meta, TR_STR(CAPABILITIES_KEY));
    const struct tr_json *info = tr_json_find(meta, TR_STR(CLIENT_KEY));

    if (!capabilities)
        return refuse_key(request, CAPABILITIES_KEY, "is missing");
    if (capabilities->kind != TR_JSON_OBJECT)
        return refuse_key(request, CAPABILITIES_KEY, "must be an object");
    if (info && info->kind != TR_JSON_OBJECT)
        return refuse_key(request, CLIENT_KEY, "must be an object");
    request->client = (struct tr_call_client){
        .name = tr_json_text(tr_json_find(info, TR_STR("name"))),
        .version = tr_json_text(tr_json_find(info, TR_STR("version"))),
        .capabilities = capabilities,
    };
    return true;
}

static bool read_level(struct tr_mcp_request *request)
{
    const struct tr_json *level =
        tr_json_find(request->message.meta, TR_STR(LEVEL_KEY));
    if (!level ||
        (level->kind == TR_JSON_STRING &&
         tr_mcp_note_level_parse(tr_json_text(level), &request->note_level)))
        return true;
    return refuse_key(request, LEVEL_KEY, "is not a log level");
}

static bool read_version(struct tr_mcp_request *request, tr_str *out)
{
    const struct tr_json *version =
        tr_json_find(request->message.meta, TR_STR(VERSION_KEY));
    if (!version)
        return refuse_key(request, VERSION_KEY, "is missing");
    if (version->kind != TR_JSON_STRING)
        return refuse_key(request, VERSION_KEY, "must be a string");
    *out = tr_json_text(version);
    return true;
}

static bool check_version(struct tr_mcp_request *request, tr_str version)
{
    enum tr_mcp_revision revision;
    if (tr_mcp_revision_find(version, &revision) &&
        !tr_mcp_revision_has(revision, TR_MCP_HAS_SESSIONS)) {
        request->revision = revision;
        return true;
    }
    struct tr_buf data;
    tr_buf_init(&data, 4096);
    tr_buf_putf(&data, "{\"supported\":[\"%.*s\"],\"requested\":",
                TR_FMT(tr_mcp_revision_name(TR_MCP_2026_07_28)));
    tr_buf_put_json(&data, tr_utf8_cut(version, TR_MCP_SHOWN_BYTES));
    tr_buf_putc(&data, '}');
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_VERSION,
        .http = 400,
        .text = TR_STR("Unsupported protocol version"),
        .data = tr_buf_str(&data),
    };
    tr_mcp_reply_error(request, &error);
    tr_buf_done(&data);
    return false;
}

/*
 * The order of these checks is the one that the conformance suite expects;
 * versions are 2026-07-28, basic/versioning, Protocol Version Negotiation.
 */
bool tr_mcp_modern_accept(struct tr_mcp_request *request,
                          const struct tr_http_request *http)
{
    tr_str version;
    request->revision = TR_MCP_2026_07_28;
    return read_version(request, &version) && read_client(request) &&
           read_level(request) &&
           (!http || tr_mcp_headers_check_version(request, http, version)) &&
           check_version(request, version) &&
           (!http || tr_mcp_headers_check_names(request, http));
}
