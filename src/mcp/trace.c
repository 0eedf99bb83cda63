#include "mcp/trace.h"

#include "gate/trace.h"
#include "mcp/inside.h"

static tr_str parent_of(const struct tr_mcp_request *request)
{
    return tr_json_text(
        tr_json_find(request->message.meta, TR_STR("traceparent")));
}

void tr_mcp_trace_start(struct tr_mcp_request *request)
{
    if (tr_gate_trace_parse(parent_of(request), &request->trace_id))
        return;
    char *text = tr_arena_alloc(&request->arena, TR_GATE_TRACE_LEN);
    if (!text)
        return;
    tr_gate_trace_make(&request->mcp->traces, text);
    request->trace_id = (tr_str){text, TR_GATE_TRACE_LEN};
}

void tr_mcp_trace_join(struct tr_mcp_request *request, tr_str traceparent)
{
    tr_str own;
    tr_str id;
    tr_str copy;
    if (traceparent.len && tr_gate_trace_parse(traceparent, &id) &&
        !tr_gate_trace_parse(parent_of(request), &own) &&
        tr_arena_copy(&request->arena, id, &copy))
        request->trace_id = copy;
}
