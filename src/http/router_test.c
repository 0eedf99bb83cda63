#include "http/router.h"

#include "base/test.h"

static void any(struct tr_http_exchange *x, void *app)
{
    (void)x;
    (void)app;
}

static const struct tr_http_route routes[] = {
    {TR_STR_INIT("GET"), TR_STR_INIT("/mcp"), any},
    {TR_STR_INIT("POST"), TR_STR_INIT("/mcp"), any},
    {TR_STR_INIT("DELETE"), TR_STR_INIT("/mcp"), any},
    {TR_STR_INIT("POST"), TR_STR_INIT("/"), any},
    {TR_STR_INIT("GET"), TR_STR_INIT("/health"), any},
};

static const struct {
    const char *method;
    const char *path;
    int found; /* index, or -1 */
    const char *allow;
} rows[] = {
    {"GET", "/mcp", 0, ""},
    {"HEAD", "/mcp", 0, ""},
    {"POST", "/mcp", 1, "GET, HEAD"},
    {"DELETE", "/mcp", 2, "GET, HEAD, POST"},
    {"PUT", "/mcp", -1, "GET, HEAD, POST, DELETE"},
    {"post", "/mcp", -1, "GET, HEAD, POST, DELETE"},
    {"HEAD", "/", -1, "POST"},
    {"GET", "/mcp/", -1, ""},
    {"GET", "/MCP", -1, ""},
    {"GET", "/mc", -1, ""},
    {"GET", "*", -1, ""},
};

TEST(routes_are_found_by_exact_path_and_method)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_buf allow;
        tr_buf_init(&allow, 256);
        const struct tr_http_request request = {
            .method = tr_str_from(rows[i].method),
            .path = tr_str_from(rows[i].path),
        };
        const struct tr_http_route *route =
            tr_http_route_find(routes, TR_LEN(routes), &request, &allow);
        if (rows[i].found < 0) {
            CHECK_ROW(!route, rows[i].path);
            CHECK_STR(tr_buf_str(&allow), rows[i].allow);
        } else {
            CHECK_ROW(route == &routes[rows[i].found], rows[i].path);
        }
        tr_buf_done(&allow);
    }
}
