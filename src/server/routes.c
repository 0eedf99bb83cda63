#include "server/routes.h"

#include "http/router.h"
#include "mcp/http.h"

/* We answer: that is all a health check asks. */
static void health(struct tr_http_exchange *x, void *app)
{
    static const tr_http_field type = {TR_STR_INIT("Content-Type"),
                                       TR_STR_INIT("application/json")};
    (void)app;
    tr_http_respond(x, 200, &type, 1, TR_STR("{\"status\":\"ok\"}\n"));
}

static const struct tr_http_route routes[] = {
    {TR_STR_INIT("POST"), TR_STR_INIT("/mcp"), tr_mcp_http_post},
    {TR_STR_INIT("GET"), TR_STR_INIT("/mcp"), tr_mcp_http_get},
    {TR_STR_INIT("DELETE"), TR_STR_INIT("/mcp"), tr_mcp_http_delete},
    {TR_STR_INIT("OPTIONS"), TR_STR_INIT("/mcp"), tr_mcp_http_options},
    {TR_STR_INIT("GET"), TR_STR_INIT("/sse"), tr_mcp_sse_get},
    {TR_STR_INIT("OPTIONS"), TR_STR_INIT("/sse"), tr_mcp_http_options},
    {TR_STR_INIT("POST"), TR_STR_INIT(TR_MCP_SSE_MESSAGES), tr_mcp_sse_post},
    {TR_STR_INIT("OPTIONS"), TR_STR_INIT(TR_MCP_SSE_MESSAGES),
     tr_mcp_http_options},
    {TR_STR_INIT("GET"), TR_STR_INIT("/health"), health},
    {TR_STR_INIT("GET"), TR_STR_INIT("/ready"), health},
};

void tr_server_route(struct tr_http_exchange *x, void *app)
{
    if (!tr_mcp_http_refuse_foreign(x, app))
        tr_http_route(routes, TR_LEN(routes), x, app);
}
