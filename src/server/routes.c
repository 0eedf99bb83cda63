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

static struct tr_rest *rest_of(void *app)
{
    return ((struct tr_server_worker *)app)->rest;
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

static bool judge_message(struct tr_http_exchange *x, void *app)
{
    return tr_mcp_http_judge_message(x, mcp_of(app));
}

static bool let_all_in(struct tr_http_exchange *x, void *app)
{
    (void)x;
    (void)app;
    return true;
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
    static const tr_http_field type = {TR_STR_INIT("Content-Type"),
                                       TR_STR_INIT("application/json")};
    if (text.len)
        tr_http_respond(x, 200, &type, 1, text);
    else
        tr_http_respond_text(x, 404, NULL);
}

/* RFC 9728, 3.1: the path of the resource follows; clients also try without. */
#define METADATA "/.well-known/oauth-protected-resource"

#define POST    TR_STR_INIT("POST")
#define GET     TR_STR_INIT("GET")
#define DELETE  TR_STR_INIT("DELETE")
#define OPTIONS TR_STR_INIT("OPTIONS")

/* Where no judge is named, only callers who are let in come this far. */
static const struct tr_http_route table[] = {
    {POST, TR_STR_INIT("/mcp"), post, judge_message, true},
    {GET, TR_STR_INIT("/mcp"), get, NULL, false},
    {DELETE, TR_STR_INIT("/mcp"), delete, NULL, false},
    {OPTIONS, TR_STR_INIT("/mcp"), options, let_all_in, false},
    {GET, TR_STR_INIT("/sse"), sse_get, NULL, false},
    {OPTIONS, TR_STR_INIT("/sse"), options, let_all_in, false},
    {POST, TR_STR_INIT(TR_MCP_SSE_MESSAGES), sse_post, judge_message, true},
    {OPTIONS, TR_STR_INIT(TR_MCP_SSE_MESSAGES), options, let_all_in, false},
    {GET, TR_STR_INIT("/health"), health, let_all_in, false},
    {GET, TR_STR_INIT("/ready"), health, let_all_in, false},
    {GET, TR_STR_INIT("/metrics"), tr_server_metrics_get, NULL, false},
    {GET, TR_STR_INIT(METADATA), metadata, let_all_in, false},
    {GET, TR_STR_INIT(METADATA "/mcp"), metadata, let_all_in, false},
};

static const struct tr_http_routes routes = {table, TR_LEN(table)};

/* A request that comes after the worker began to stop is refused. */
static bool is_too_late(struct tr_http_exchange *x,
                        const struct tr_server_worker *worker)
{
    if (worker->is_stopping)
        tr_http_respond_text(x, 503, NULL);
    return worker->is_stopping;
}

bool tr_server_judge(struct tr_http_exchange *x, void *app)
{
    const struct tr_http_request *http = tr_http_exchange_request(x);
    if (is_too_late(x, app))
        return false;
    if (!tr_http_route_match(routes, http).path.len &&
        tr_rest_has_path(rest_of(app), http))
        return tr_rest_judge(x, rest_of(app));
    if (!tr_mcp_http_judge_origin(x, mcp_of(app)))
        return false;
    const struct tr_http_route *route = tr_http_route_find(routes, x);
    if (!route)
        return false;
    return route->judge ? route->judge(x, app)
                        : tr_mcp_http_judge_caller(x, mcp_of(app));
}

/* The judge has found the route; those of another door are not in the table. */
static bool is_ours(const struct tr_http_route *route)
{
    for (size_t i = 0; i < TR_LEN(table); i++) {
        if (route == &table[i])
            return true;
    }
    return false;
}

void tr_server_route(struct tr_http_exchange *x, void *app)
{
    if (is_too_late(x, app))
        return;
    if (is_ours(tr_http_route_kept(x)))
        tr_http_route_run(x, app);
    else
        tr_rest_route(x, rest_of(app));
}
