#include "mcp/access_log.h"

#include "base/time.h"
#include "mcp/inside.h"

/* Which of the params says what a method is about. */
enum about { NOTHING, NAME, URI, REF };

static const struct {
    tr_str name;
    enum about about;
} methods[TR_MCP_ACCESS_LOG_METHODS] = {
    {TR_STR_INIT("tools/call"), NAME},
    {TR_STR_INIT("tools/list"), NOTHING},
    {TR_STR_INIT("resources/read"), URI},
    {TR_STR_INIT("resources/list"), NOTHING},
    {TR_STR_INIT("resources/templates/list"), NOTHING},
    {TR_STR_INIT("resources/subscribe"), URI},
    {TR_STR_INIT("resources/unsubscribe"), URI},
    {TR_STR_INIT("prompts/get"), NAME},
    {TR_STR_INIT("prompts/list"), NOTHING},
    {TR_STR_INIT("completion/complete"), REF},
    {TR_STR_INIT("server/discover"), NOTHING},
    {TR_STR_INIT("subscriptions/listen"), NOTHING},
    {TR_STR_INIT("initialize"), NOTHING},
    {TR_STR_INIT("ping"), NOTHING},
    {TR_STR_INIT("logging/setLevel"), NOTHING},
    {TR_STR_INIT("notifications/initialized"), NOTHING},
    {TR_STR_INIT("notifications/cancelled"), NOTHING},
    {TR_STR_INIT("notifications/progress"), NOTHING},
    {TR_STR_INIT("notifications/roots/list_changed"), NOTHING},
    {TR_STR_INIT("response"), NOTHING}, /* to a question of ours */
    {TR_STR_INIT("other"), NOTHING},
};

#define RESPONSE (TR_MCP_ACCESS_LOG_METHODS - 2)
#define OTHER    (TR_MCP_ACCESS_LOG_METHODS - 1)

tr_str tr_mcp_access_log_method(size_t i)
{
    return methods[i].name;
}

static size_t find_method(const struct tr_mcp_message *message)
{
    size_t i = 0;
    if (message->kind == TR_MCP_MESSAGE_RESPONSE)
        return RESPONSE;
    while (i < RESPONSE && !tr_str_eq(methods[i].name, message->method))
        i++;
    return i < RESPONSE ? i : OTHER;
}

void tr_mcp_access_log_add(struct tr_mcp_access_log_counts *to,
                           const struct tr_mcp_access_log_counts *from)
{
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_METHODS; i++)
        tr_gate_histogram_add(&to->methods[i], &from->methods[i]);
    tr_gate_codes_add(&to->errors, &from->errors);
}

/* The query of a URI is not logged: it may be what somebody asked for. */
static tr_str without_query(tr_str uri)
{
    size_t len = 0;
    while (len < uri.len && uri.ptr[len] != '?' && uri.ptr[len] != '#')
        len++;
    return (tr_str){uri.ptr, len};
}

static tr_str name_of(const struct tr_json *params, enum about about)
{
    tr_str name = {NULL, 0};
    if (about == REF) {
        params = tr_json_find(params, TR_STR("ref"));
        about = tr_json_find(params, TR_STR("uri")) ? URI : NAME;
    }
    if (about == NAME)
        name = tr_json_text(tr_json_find(params, TR_STR("name")));
    else if (about == URI)
        name = without_query(tr_json_text(tr_json_find(params, TR_STR("uri"))));
    return name;
}

/* Streams and notifications set no status: 200 and 202. */
static int status_of(const struct tr_mcp_request *request)
{
    if (request->head.status)
        return request->head.status;
    return request->message.kind == TR_MCP_MESSAGE_REQUEST ? 200 : 202;
}

static struct tr_gate_line line_of(const struct tr_mcp_request *request)
{
    size_t method = find_method(&request->message);
    return (struct tr_gate_line){
        .method = methods[method].name,
        .name = name_of(request->message.params, methods[method].about),
        .principal = request->authority.principal,
        .status = status_of(request),
        .code = request->error_code,
        .micros = (tr_time_ticks_ns() - request->started_ns) / 1000,
        .bytes = request->bytes_out,
        .trace_id = request->trace_id,
    };
}

/* A batch that was taken is not logged itself: each request in it is. */
void tr_mcp_access_log_tell(const struct tr_mcp_request *request)
{
    struct tr_mcp_access_log_counts *counts = &request->mcp->counts;
    if (request->batch && !request->sink)
        return;
    struct tr_gate_line line = line_of(request);
    tr_gate_histogram_count(&counts->methods[find_method(&request->message)],
                            line.micros);
    if (line.code)
        tr_gate_codes_count(&counts->errors, line.code, 1);
    if (request->mcp->opts.log && request->mcp->opts.log_access)
        tr_gate_log_line(request->mcp->opts.log, &line);
}

void tr_mcp_access_log_tell_fault(const struct tr_mcp_request *request,
                                  const struct tr_call_outcome *failed)
{
    struct tr_gate_line line = line_of(request);
    if (request->mcp->opts.log)
        tr_gate_log_fault(request->mcp->opts.log, &line, failed->where,
                          &failed->err);
}
