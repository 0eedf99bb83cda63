/*
 * bench/views.c - what a server of five hundred capabilities says of them, and
 * a call over plain HTTP beside the same call over MCP.
 */
#include "bench.h"

#define APP     "bench/views_app"
#define CALLED  "bench/app"
#define COUNT   500
#define ENOUGH  1e9 /* bytes that a round sends */
#define FEWEST  500 /* requests of a round */
#define AT_MOST 1.5
#define INVOKE  "views: invoke against MCP"

#define ARGUMENTS "{\"query\":\"gateway\"}" /* 19 bytes */
#define CALL_BODY                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"      \
    "{\"name\":\"tool_07\",\"arguments\":" ARGUMENTS "," TR_BENCH_META "}}"
#define GET(path)                                                              \
    TR_STR_INIT("GET " path " HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"            \
                "Accept: */*\r\nUser-Agent: bench/1\r\n\r\n")
#define POST(id, length)                                                       \
    "POST /invoke/" id " HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"                 \
    "Accept: application/json\r\nContent-Type: application/json\r\n"           \
    "Content-Length: " #length "\r\n\r\n"

static const struct row {
    const char *name;
    tr_str request;   /* empty: tools/list over MCP */
    bool is_measured; /* all have been called before */
} rows[] = {
    {"views: tools/list, 100 of 500", {NULL, 0}, false},
    {"views: the manifest of 500", GET("/.well-known/capabilities"), false},
    {"views: the manifest, measured", GET("/.well-known/capabilities"), true},
    {"views: OpenAPI of 500", GET("/openapi.json"), false},
    {"views: the card of 500", GET("/bench/card"), false},
};

static bool start_app(struct tr_bench_server *out)
{
    return tr_bench_app_start(APP, out);
}

/* Every capability has its gap filled with what its calls have cost. */
static bool start_measured(struct tr_bench_server *out)
{
    char request[256];
    char answer[4096];
    bool good = tr_bench_app_start(APP, out);
    for (int i = 1; i <= COUNT && good; i++) {
        int len = snprintf(
            request, sizeof(request),
            POST("station.capability_%03d", 13) "{\"query\":\"a\"}", i);
        good = tr_bench_ask(out, (tr_str){request, (size_t)len}, answer,
                            sizeof(answer)) &&
               strncmp(answer, "HTTP/1.1 200", 12) == 0;
    }
    return good;
}

static bool start_called(struct tr_bench_server *out)
{
    return tr_bench_app_start(CALLED, out);
}

static size_t requests_of(size_t bytes)
{
    double count = ENOUGH / (double)bytes;
    return count > FEWEST ? (size_t)count : FEWEST;
}

static bool report(const struct row *row)
{
    char ours[2048];
    char theirs[256];
    struct tr_bench_served_row served = {
        .name = row->name,
        .start = row->is_measured ? start_measured : start_app,
        .our_request = row->request,
        .at_most = AT_MOST};
    if (!row->request.len)
        served.our_request = (tr_str){
            ours, tr_bench_mcp_request(ours, sizeof(ours), "/mcp", "tools/list",
                                       "", TR_BENCH_LIST_BODY)};
    size_t bytes = tr_bench_answer_bytes(served.start, served.our_request);
    if (bytes == 0)
        return false;
    served.requests = requests_of(bytes);
    int len = snprintf(theirs, sizeof(theirs),
                       "GET /%zu HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
                       "Accept: */*\r\nUser-Agent: bench/1\r\n\r\n",
                       bytes);
    served.floor_request = (tr_str){theirs, (size_t)len};
    return tr_bench_report_served(&served);
}

static bool report_invoke(void)
{
    char theirs[2048];
    struct tr_bench_served_row served = {
        .name = INVOKE,
        .our_request = TR_STR(POST("tool_07", 19) ARGUMENTS),
        .start = start_called,
        .floor_start = start_called,
        .floor = "MCP",
        .at_most = 1.2};
    served.floor_request = (tr_str){
        theirs, tr_bench_mcp_request(theirs, sizeof(theirs), "/mcp",
                                     "tools/call", "tool_07", CALL_BODY)};
    return tr_bench_answer_bytes(start_called, served.our_request) &&
           tr_bench_answer_bytes(start_called, served.floor_request) &&
           tr_bench_report_served(&served);
}

bool tr_bench_views(const char *only)
{
    bool met = true;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (strstr(rows[i].name, only))
            met = report(&rows[i]) && met;
        (void)fflush(stdout);
    }
    if (strstr(INVOKE, only))
        met = report_invoke() && met;
    return met;
}
