#include "server/routes.h"

#include "http/server.h"
#include "mcp/transport.h"
#include "server/gate.h"
#include "server/metrics.h"
#include "server/worker.h"

static struct tr_mcp *mcp_of(void *app)
{
    return ((struct tr_server_worker *)app)->mcp;
}

static void post(struct tr_http_exchange *x, void *app)
{
    tr_mcp_http_post(x, mcp_of(app));
}

static void get(struct tr_http_exchange *x, void *app)
{
    tr_mcp_http_get(x, mcp_of(app));
}

static void delete (struct tr_http_exchange *x, void *app)
{
    tr_mcp_http_delete(x, mcp_of(app));
}

static void options(struct tr_http_exchange *x, void *app)
{
    tr_mcp_http_options(x, mcp_of(app));
}

static void sse_get(struct tr_http_exchange *x, void *app)
{
    tr_mcp_sse_get(x, mcp_of(app));
}

static void sse_post(struct tr_http_exchange *x, void *app)
{
    tr_mcp_sse_post(x, mcp_of(app));
}

/* A health check asks for no more than an answer. */
static void health(struct tr_http_exchange *x, void *app)
{
    static const tr_http_field type = {TR_STR_INIT("Content-Type"),
                                       TR_STR_INIT("application/json")};
    (void)app;
    tr_http_respond(x, 200, &type, 1, TR_STR("{\"status\":\"ok\"}\n"));
}

/* The metadata of RFC 9728 needs no credential: clients read it to get one. */
static void metadata(struct tr_http_exchange *x, void *app)
{
    tr_str text = ((struct tr_server_worker *)app)->gate->metadata;
    tr_http_field fields[TR_MCP_HTTP_ORIGIN_FIELDS + 1] = {
        {TR_STR("Content-Type"), TR_STR("application/json")}};
    size_t count =
        tr_mcp_http_origin_fields(tr_http_exchange_request(x), fields + 1);
    if (text.len)
        tr_http_respond(x, 200, fields, count + 1, text);
    else
        tr_http_respond_text(x, 404, NULL);
}

/* RFC 9728, 3.1: the path of the resource follows; clients also try without. */
#define METADATA "/.well-known/oauth-protected-resource"

static const struct tr_http_route routes[] = {
    {TR_STR_INIT("POST"), TR_STR_INIT("/mcp"), post},
    {TR_STR_INIT("GET"), TR_STR_INIT("/mcp"), get},
    {TR_STR_INIT("DELETE"), TR_STR_INIT("/mcp"), delete},
    {TR_STR_INIT("OPTIONS"), TR_STR_INIT("/mcp"), options},
    {TR_STR_INIT("GET"), TR_STR_INIT("/sse"), sse_get},
    {TR_STR_INIT("OPTIONS"), TR_STR_INIT("/sse"), options},
    {TR_STR_INIT("POST"), TR_STR_INIT(TR_MCP_SSE_MESSAGES), sse_post},
    {TR_STR_INIT("OPTIONS"), TR_STR_INIT(TR_MCP_SSE_MESSAGES), options},
    {TR_STR_INIT("GET"), TR_STR_INIT("/health"), health},
    {TR_STR_INIT("GET"), TR_STR_INIT("/ready"), health},
    {TR_STR_INIT("GET"), TR_STR_INIT("/metrics"), tr_server_metrics_get},
    {TR_STR_INIT("GET"), TR_STR_INIT(METADATA), metadata},
    {TR_STR_INIT("GET"), TR_STR_INIT(METADATA "/mcp"), metadata},
};

/* A request that has arrived after the worker began to stop is refused. */
void tr_server_route(struct tr_http_exchange *x, void *app)
{
    if (((struct tr_server_worker *)app)->is_stopping)
        tr_http_respond_text(x, 503, NULL);
    else if (!tr_mcp_http_refuse_foreign(&x, mcp_of(app)))
        tr_http_route(routes, TR_LEN(routes), x, app);
}
