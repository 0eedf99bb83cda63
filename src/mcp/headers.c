#include "mcp/headers.h"

#include "cap/cap.h"
#include "crypto/encoding.h"
#include "json/reader.h"
#include "mcp/reply.h"

bool tr_mcp_headers_version(const struct tr_http_request *http, tr_str *out)
{
    return tr_http_header_find(http, TR_STR("MCP-Protocol-Version"), out);
}

bool tr_mcp_headers_are_modern(const struct tr_http_request *http)
{
    tr_str version;
    return tr_mcp_headers_version(http, &version) &&
           tr_mcp_revision_is_modern_name(version);
}

static bool refuse(struct tr_mcp_request *request, const char *header,
                   const char *what)
{
    char text[160];
    (void)snprintf(text, sizeof(text), "Header mismatch: %s %s", header, what);
    struct tr_mcp_rpc_error error = {
        .code = TR_MCP_RPC_HEADER, .http = 400, .text = tr_str_from(text)};
    tr_mcp_reply_error(request, &error);
    return false;
}

/*
 * A value without an encoding has visible ASCII, spaces and tabs only
 * (2026-07-28, basic/transports/streamable-http, Value Encoding).
 */
static bool is_plain(tr_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.ptr[i];
        if (c != '\t' && (c < 0x20 || c > 0x7E))
            return false;
    }
    return true;
}

/*
 * =?base64?...?= stands for the bytes it encodes, strictly; with only one of
 * its ends it stands for itself.
 */
static bool decode(struct tr_mcp_request *request, tr_str value, tr_str *out)
{
    static const tr_str prefix = TR_STR_INIT("=?base64?");
    static const tr_str suffix = TR_STR_INIT("?=");
    *out = value;
    if (value.len < prefix.len + suffix.len || !tr_str_starts(value, prefix) ||
        !tr_str_eq(tr_str_skip(value, value.len - suffix.len), suffix))
        return is_plain(value);
    tr_str inside = {value.ptr + prefix.len,
                     value.len - prefix.len - suffix.len};
    return tr_crypto_base64_decode(&request->arena, inside, out, NULL) == TR_OK;
}

bool tr_mcp_headers_check_version(struct tr_mcp_request *request,
                                  const struct tr_http_request *http,
                                  tr_str version)
{
    tr_str header;
    if (tr_mcp_headers_version(http, &header) && !tr_str_eq(header, version))
        return refuse(request, "MCP-Protocol-Version",
                      "is not the version of the body");
    if (tr_http_header_find(http, TR_STR("Mcp-Method"), &header) &&
        !tr_str_eq(header, request->message.method))
        return refuse(request, "Mcp-Method", "is not the method of the body");
    return true;
}

/*
 * Mcp-Name repeats this parameter; NULL when the method has none (2026-07-28,
 * basic/transports/streamable-http, Standard Request Headers).
 */
static const char *name_parameter(tr_str method)
{
    if (tr_str_eq(method, TR_STR("tools/call")) ||
        tr_str_eq(method, TR_STR("prompts/get")))
        return "name";
    return tr_str_eq(method, TR_STR("resources/read")) ? "uri" : NULL;
}

bool tr_mcp_headers_check_names(struct tr_mcp_request *request,
                                const struct tr_http_request *http)
{
    tr_str header;
    tr_str name;
    if (!tr_mcp_headers_version(http, &header))
        return refuse(request, "MCP-Protocol-Version", "is missing");
    if (!tr_http_header_find(http, TR_STR("Mcp-Method"), &header))
        return refuse(request, "Mcp-Method", "is missing");
    const char *parameter = name_parameter(request->message.method);
    if (!parameter)
        return true;
    if (!tr_http_header_find(http, TR_STR("Mcp-Name"), &header))
        return refuse(request, "Mcp-Name", "is missing");
    const struct tr_json *value =
        tr_json_find(request->message.params, tr_str_from(parameter));
    if (!decode(request, header, &name) ||
        (tr_json_is(value, TR_JSON_STRING) &&
         !tr_str_eq(name, tr_json_text(value))))
        return refuse(request, "Mcp-Name", "is not the name in the body");
    return true;
}

/* Numbers are compared by value: 42.0 is 42. */
static bool same_value(struct tr_mcp_request *request,
                       const struct tr_json *value, tr_str header)
{
    bool flag;
    double number;
    if (tr_json_bool(value, &flag))
        return tr_str_eq(header, flag ? TR_STR("true") : TR_STR("false"));
    if (tr_json_double(value, &number)) {
        const struct tr_json *said = NULL;
        double other;
        return tr_json_read(&request->arena, header, NULL, &said, NULL) ==
                   TR_OK &&
               tr_json_double(said, &other) && other == number;
    }
    return tr_str_eq(header, tr_json_text(value));
}

static bool check_param(struct tr_mcp_request *request,
                        const struct tr_cap_header *param,
                        const struct tr_json *args)
{
    char name[96];
    tr_str header;
    tr_str value;
    (void)snprintf(name, sizeof(name), "Mcp-Param-%.*s", TR_FMT(param->name));
    const struct tr_json *wanted = tr_json_pointer(args, param->pointer);
    if (!wanted || wanted->kind == TR_JSON_NULL)
        return true;
    if (!tr_http_header_find(request->http, tr_str_from(name), &header))
        return refuse(request, name, "is missing");
    if (!decode(request, header, &value) || !same_value(request, wanted, value))
        return refuse(request, name, "is not the value in the body");
    return true;
}

bool tr_mcp_headers_check_params(struct tr_mcp_request *request,
                                 const struct tr_cap *cap,
                                 const struct tr_json *args)
{
    for (size_t i = 0; i < cap->header_count; i++) {
        if (!check_param(request, &cap->headers[i], args))
            return false;
    }
    return true;
}
