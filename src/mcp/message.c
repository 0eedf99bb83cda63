#include "mcp/message.h"

/*
 * An id is a string or an integer, never null, never 1.5 (2025-03-26, basic,
 * Requests).
 */
static bool is_id(const struct tr_json *value)
{
    return tr_json_is(value, TR_JSON_STRING) ||
           (tr_json_is(value, TR_JSON_NUMBER) &&
            (value->flags & TR_JSON_INTEGER));
}

bool tr_mcp_message_same_id(const struct tr_json *a, const struct tr_json *b)
{
    return a && b && a->kind == b->kind &&
           tr_str_eq(tr_json_text(a), tr_json_text(b));
}

static tr_status parse_response(const struct tr_json *tree,
                                struct tr_mcp_message *out, struct tr_err *err)
{
    out->kind = TR_MCP_MESSAGE_RESPONSE;
    out->result = tr_json_find(tree, TR_STR("result"));
    out->error = tr_json_find(tree, TR_STR("error"));
    if (!out->id || !out->result == !out->error)
        return tr_fail(err, TR_E_INVALID,
                       "a response has an id and either a result or an error");
    return TR_OK;
}

static tr_status parse_params(const struct tr_json *tree,
                              struct tr_mcp_message *out, struct tr_err *err)
{
    out->params = tr_json_find(tree, TR_STR("params"));
    if (out->params && out->params->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID, "params must be an object");
    out->meta = tr_json_find(out->params, TR_STR("_meta"));
    if (out->meta && out->meta->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID, "params._meta must be an object");
    out->progress_token = tr_json_find(out->meta, TR_STR("progressToken"));
    if (out->progress_token &&
        !tr_json_is(out->progress_token, TR_JSON_STRING) &&
        !tr_json_is(out->progress_token, TR_JSON_NUMBER))
        return tr_fail(err, TR_E_INVALID,
                       "params._meta.progressToken must be a string or a "
                       "number");
    return TR_OK;
}

tr_status tr_mcp_message_parse(const struct tr_json *tree,
                               struct tr_mcp_message *out, struct tr_err *err)
{
    *out = (struct tr_mcp_message){0};
    if (!tr_json_is(tree, TR_JSON_OBJECT))
        return tr_fail(err, TR_E_INVALID, "a message must be an object");

    const struct tr_json *id = tr_json_find(tree, TR_STR("id"));
    const struct tr_json *method = tr_json_find(tree, TR_STR("method"));
    const struct tr_json *version = tr_json_find(tree, TR_STR("jsonrpc"));
    out->id = is_id(id) ? id : NULL;
    if (!tr_json_is(version, TR_JSON_STRING) ||
        !tr_str_eq(tr_json_text(version), TR_STR("2.0")))
        return tr_fail(err, TR_E_INVALID, "jsonrpc must be \"2.0\"");
    if (id && !out->id)
        return tr_fail(err, TR_E_INVALID, "id must be a string or an integer");
    if (!method)
        return parse_response(tree, out, err);
    if (method->kind != TR_JSON_STRING)
        return tr_fail(err, TR_E_INVALID, "method must be a string");
    out->method = tr_json_text(method);
    out->kind = id ? TR_MCP_MESSAGE_REQUEST : TR_MCP_MESSAGE_NOTIFICATION;
    return parse_params(tree, out, err);
}
