#include "mcp/access_log.h"

#include "base/time.h"
#include "loop/log_lines.h"
#include "mcp/inside.h"

/* A client chooses how long a name is; a line of the log has room for this. */
#define NAME_BYTES ((size_t)256)

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

const uint64_t tr_mcp_access_log_bounds[TR_MCP_ACCESS_LOG_STEPS - 1] = {
    50,    100,   250,    500,    1000,    2500,    5000,
    10000, 50000, 100000, 500000, 1000000, 5000000, 30000000,
};

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

static void count(struct tr_mcp_access_log_counts *counts, size_t method,
                  uint64_t micros, int code)
{
    size_t step = 0;
    while (step < TR_MCP_ACCESS_LOG_STEPS - 1 &&
           micros > tr_mcp_access_log_bounds[step])
        step++;
    counts->steps[method][step]++;
    counts->micros[method] += micros;
    if (!code)
        return;
    size_t i = 0;
    while (i < TR_MCP_ACCESS_LOG_CODES - 1 && counts->errors[i].code &&
           counts->errors[i].code != code)
        i++;
    if (i < TR_MCP_ACCESS_LOG_CODES - 1)
        counts->errors[i].code = code;
    counts->errors[i].count++;
}

static void add_code(struct tr_mcp_access_log_counts *to,
                     const struct tr_mcp_access_log_code *from)
{
    size_t i = 0;
    while (i < TR_MCP_ACCESS_LOG_CODES - 1 &&
           (!from->code ||
            (to->errors[i].code && to->errors[i].code != from->code)))
        i++;
    if (i < TR_MCP_ACCESS_LOG_CODES - 1)
        to->errors[i].code = from->code;
    to->errors[i].count += from->count;
}

void tr_mcp_access_log_add(struct tr_mcp_access_log_counts *to,
                           const struct tr_mcp_access_log_counts *from)
{
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_METHODS; i++) {
        to->micros[i] += from->micros[i];
        for (size_t step = 0; step < TR_MCP_ACCESS_LOG_STEPS; step++)
            to->steps[i][step] += from->steps[i][step];
    }
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_CODES; i++)
        add_code(to, &from->errors[i]);
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
    if (name.len > NAME_BYTES)
        name.len = NAME_BYTES;
    return name;
}

/* Streams and notifications set no status: 200 and 202. */
static int status_of(const struct tr_mcp_request *request)
{
    if (request->head.status)
        return request->head.status;
    return request->message.kind == TR_MCP_MESSAGE_REQUEST ? 200 : 202;
}

static void write_line(const struct tr_mcp_request *request, size_t method,
                       uint64_t micros)
{
    struct tr_log_field fields[9];
    size_t n = 0;
    tr_str name = name_of(request->message.params, methods[method].about);
    fields[n++] = TR_LOG_TEXT("method", methods[method].name);
    if (name.len)
        fields[n++] = TR_LOG_TEXT("name", name);
    if (request->authority.principal.len)
        fields[n++] = TR_LOG_TEXT("principal", request->authority.principal);
    fields[n++] = TR_LOG_INT("status", status_of(request));
    if (request->error_code)
        fields[n++] = TR_LOG_INT("code", request->error_code);
    fields[n++] = TR_LOG_INT("micros", (int64_t)micros);
    fields[n++] = TR_LOG_INT("bytes", (int64_t)request->bytes_out);
    if (request->trace_id.len)
        fields[n++] = TR_LOG_TEXT("trace_id", request->trace_id);
    tr_loop_log_lines_add(request->mcp->opts.log, TR_LOG_INFO, "request",
                          fields, n);
}

/* A batch that was taken is not logged itself: each request in it is. */
void tr_mcp_access_log_tell(const struct tr_mcp_request *request)
{
    if (request->batch && !request->sink)
        return;
    size_t method = find_method(&request->message);
    uint64_t micros = (tr_time_ticks_ns() - request->started_ns) / 1000;
    count(&request->mcp->counts, method, micros, request->error_code);
    if (request->mcp->opts.log && request->mcp->opts.log_access)
        write_line(request, method, micros);
}

void tr_mcp_access_log_tell_fault(const struct tr_mcp_request *request,
                                  const struct tr_call_outcome *failed)
{
    struct tr_log_field fields[5];
    size_t n = 0;
    size_t method = find_method(&request->message);
    tr_str name = name_of(request->message.params, methods[method].about);
    if (!request->mcp->opts.log)
        return;
    fields[n++] = TR_LOG_TEXT("method", methods[method].name);
    if (name.len)
        fields[n++] = TR_LOG_TEXT("name", name);
    fields[n++] = TR_LOG_TEXT("trace_id", request->trace_id);
    /* A text that the caller is told may repeat what the caller has sent. */
    const char *text = failed->err.msg;
    if (failed->where.len) {
        fields[n++] = TR_LOG_TEXT("where", failed->where);
        text = tr_status_name(failed->err.code);
    }
    fields[n++] = TR_LOG_TEXT("error", tr_str_from(text));
    tr_loop_log_lines_add(request->mcp->opts.log,
                          failed->where.len ? TR_LOG_WARN : TR_LOG_ERROR,
                          "fault", fields, n);
}
