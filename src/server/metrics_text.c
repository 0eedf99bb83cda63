#include "base/compiler.h"
#include "graph/store.h"
#include "server/metrics.h"

static void put_head(struct tr_buf *out, const char *name, const char *type,
                     const char *help)
{
    tr_buf_putf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_one(struct tr_buf *out, const char *name, const char *type,
                    const char *help, uint64_t value)
{
    put_head(out, name, type, help);
    tr_buf_putf(out, "%s %llu\n", name, (unsigned long long)value);
}

/* A value of a family that has one label. */
static void put_labelled(struct tr_buf *out, const char *name,
                         const char *label, tr_str is, uint64_t value)
{
    tr_buf_putf(out, "%s{%s=\"%.*s\"} %llu\n", name, label, TR_FMT(is),
                (unsigned long long)value);
}

static void put_http(struct tr_buf *out, const struct tr_server_sample *sum)
{
    static const char name[] = "trails_http_responses_total";
    const struct tr_http_counts *http = &sum->http;
    put_one(out, "trails_connections", "gauge", "Open connections.",
            http->connections);
    put_one(out, "trails_connections_accepted_total", "counter",
            "Connections since the start.", http->accepted);
    put_one(out, "trails_http_requests_total", "counter",
            "Well-formed HTTP requests.", http->requests);
    put_one(out, "trails_http_requests_running", "gauge",
            "HTTP requests that are not answered yet, streams included.",
            http->exchanges);
    put_one(out, "trails_http_refused_total", "counter",
            "Requests and connections refused: malformed, or over a limit.",
            http->refused);
    put_one(out, "trails_http_timeouts_total", "counter",
            "Connections that were cut off for being slow.", http->timeouts);
    put_one(out, "trails_http_buffered_bytes", "gauge",
            "Bytes of requests in memory, beyond the first 8 KiB of each.",
            http->buffered);
    put_head(out, name, "counter", "HTTP responses by class of status.");
    for (size_t i = 2; i < TR_LEN(http->responses); i++) {
        char class[] = {(char)('0' + i), 'x', 'x', '\0'};
        put_labelled(out, name, "class", tr_str_from(class),
                     http->responses[i]);
    }
    put_one(out, "trails_queue_bytes", "gauge",
            "Bytes that wait for peers to take them.", sum->queued_bytes);
}

/* A histogram of what has this label. */
static void put_histogram(struct tr_buf *out, const char *name, tr_str label,
                          const struct tr_gate_histogram *histogram)
{
    uint64_t count = 0;
    for (size_t i = 0; i < TR_GATE_STEPS - 1; i++) {
        count += histogram->steps[i];
        tr_buf_putf(out, "%s_bucket{method=\"%.*s\",le=\"%g\"} %llu\n", name,
                    TR_FMT(label), (double)tr_gate_step_bounds[i] / 1e6,
                    (unsigned long long)count);
    }
    count += histogram->steps[TR_GATE_STEPS - 1];
    tr_buf_putf(out, "%s_bucket{method=\"%.*s\",le=\"+Inf\"} %llu\n", name,
                TR_FMT(label), (unsigned long long)count);
    tr_buf_putf(out, "%s_sum{method=\"%.*s\"} %.6f\n", name, TR_FMT(label),
                (double)histogram->micros / 1e6);
    tr_buf_putf(out, "%s_count{method=\"%.*s\"} %llu\n", name, TR_FMT(label),
                (unsigned long long)count);
}

/* Methods that were never called have no series. */
static void put_methods(struct tr_buf *out,
                        const struct tr_mcp_access_log_counts *access)
{
    static const char total[] = "trails_requests_total";
    static const char duration[] = "trails_request_duration_seconds";
    put_head(out, total, "counter", "MCP messages by method.");
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_METHODS; i++) {
        uint64_t count = tr_gate_histogram_total(&access->methods[i]);
        if (count)
            put_labelled(out, total, "method", tr_mcp_access_log_method(i),
                         count);
    }
    put_head(out, duration, "histogram",
             "Seconds from a message's arrival to its answer.");
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_METHODS; i++) {
        if (tr_gate_histogram_total(&access->methods[i]))
            put_histogram(out, duration, tr_mcp_access_log_method(i),
                          &access->methods[i]);
    }
}

static void put_codes(struct tr_buf *out, const char *name, const char *label,
                      const struct tr_gate_codes *codes)
{
    for (size_t i = 0; i < TR_GATE_CODES; i++) {
        char code[16] = "other";
        if (codes->items[i].code)
            (void)snprintf(code, sizeof(code), "%d", codes->items[i].code);
        if (codes->items[i].count)
            put_labelled(out, name, label, tr_str_from(code),
                         codes->items[i].count);
    }
}

static void put_errors(struct tr_buf *out,
                       const struct tr_mcp_access_log_counts *access)
{
    static const char name[] = "trails_errors_total";
    put_head(out, name, "counter", "MCP errors by code of JSON-RPC.");
    put_codes(out, name, "code", &access->errors);
}

/* As the two above, for what is not MCP. */
static void put_routes(struct tr_buf *out, const struct tr_rest_counts *rest)
{
    static const char total[] = "trails_http_calls_total";
    static const char duration[] = "trails_http_call_duration_seconds";
    static const char refused[] = "trails_http_calls_refused_total";
    put_head(out, total, "counter", "Requests over plain HTTP by route.");
    for (size_t i = 0; i < TR_REST_ROUTES; i++) {
        uint64_t count = tr_gate_histogram_total(&rest->routes[i]);
        if (count)
            put_labelled(out, total, "method", tr_rest_route_name(i), count);
    }
    put_head(out, duration, "histogram",
             "Seconds from a request's arrival to its answer.");
    for (size_t i = 0; i < TR_REST_ROUTES; i++) {
        if (tr_gate_histogram_total(&rest->routes[i]))
            put_histogram(out, duration, tr_rest_route_name(i),
                          &rest->routes[i]);
    }
    put_head(out, refused, "counter", "Problems over plain HTTP by status.");
    put_codes(out, refused, "status", &rest->refused);
}

static void put_lua(struct tr_buf *out, const struct tr_lua_counts *lua)
{
    static const char stops[] = "trails_lua_stops_total";
    put_one(out, "trails_lua_memory_bytes", "gauge",
            "Memory of all Lua states, to within 64 KiB each.",
            atomic_load(&lua->bytes));
    put_one(out, "trails_lua_states", "gauge",
            "Lua states: one per loop and loaded app.",
            atomic_load(&lua->states));
    put_head(out, stops, "counter", "Calls that used up a budget.");
    put_labelled(out, stops, "reason", TR_STR("memory"),
                 atomic_load(&lua->memory_stops));
    put_labelled(out, stops, "reason", TR_STR("instructions"),
                 atomic_load(&lua->instruction_stops));
    put_labelled(out, stops, "reason", TR_STR("time"),
                 atomic_load(&lua->time_stops));
}

static void put_process(struct tr_buf *out,
                        const struct tr_server_metrics *metrics)
{
    static const char reloads[] = "trails_reloads_total";
    put_head(out, "trails_build_info", "gauge", "The version that runs.");
    put_labelled(out, "trails_build_info", "version", TR_STR(TR_VERSION), 1);
    put_one(out, "trails_loops", "gauge", "Loops that serve requests.",
            metrics->worker_count);
    put_head(out, reloads, "counter", "Times the app was loaded again.");
    put_labelled(out, reloads, "result", TR_STR("ok"),
                 atomic_load(&metrics->reloads));
    put_labelled(out, reloads, "result", TR_STR("failed"),
                 atomic_load(&metrics->failed_reloads));
}

static void put_store(struct tr_buf *out,
                      const struct tr_server_metrics *metrics)
{
    put_one(out, "trails_store_changes_total", "counter",
            "Changes of nodes, by whatever process, that were told of.",
            atomic_load(&metrics->changes));
    put_one(out, "trails_store_writes_waiting", "gauge",
            "Writes that wait for the store.",
            metrics->store
                ? tr_db_writer_waiting(tr_graph_store_writer(metrics->store))
                : 0);
}

struct fetched {
    struct tr_buf *out;
    const char *name;
    const char *outcome; /* NULL: there is one value for each host */
    size_t offset;
};

static void put_host(void *data, const struct tr_fetch_host_count *count)
{
    const struct fetched *f = data;
    uint64_t value;
    memcpy(&value, (const char *)count + f->offset, sizeof(value));
    tr_buf_putf(f->out, "%s{host=\"%s\"", f->name, count->host);
    if (f->outcome)
        tr_buf_putf(f->out, ",outcome=\"%s\"", f->outcome);
    tr_buf_putf(f->out, "} %llu\n", (unsigned long long)value);
}

/* Hosts alone: a path or a query may hold a secret. */
static void put_fetches(struct tr_buf *out, struct tr_fetch_totals *totals)
{
    static const char total[] = "trails_fetches_total";
    static const char bytes[] = "trails_fetch_bytes_total";
    static const char micros[] = "trails_fetch_microseconds_total";
    const struct fetched rows[] = {
        {out, total, "answered",
         offsetof(struct tr_fetch_host_count, answered)},
        {out, total, "failed", offsetof(struct tr_fetch_host_count, failed)},
        {out, total, "refused", offsetof(struct tr_fetch_host_count, refused)},
        {out, bytes, NULL, offsetof(struct tr_fetch_host_count, bytes)},
        {out, micros, NULL, offsetof(struct tr_fetch_host_count, micros)},
    };
    static const char *const help[] = {
        "Requests to other hosts.", NULL, NULL,
        "Bytes of bodies that other hosts have answered with.",
        "Microseconds that other hosts were waited for."};
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct fetched row = rows[i];
        if (help[i])
            put_head(out, row.name, "counter", help[i]);
        tr_fetch_totals_each(totals, put_host, &row);
    }
}

void tr_server_metrics_write(struct tr_buf *out,
                             const struct tr_server_sample *sum,
                             const struct tr_server_metrics *metrics)
{
    put_process(out, metrics);
    put_http(out, sum);
    put_methods(out, &sum->access);
    put_errors(out, &sum->access);
    put_routes(out, &sum->rest);
    put_one(out, "trails_sessions", "gauge", "Sessions of older revisions.",
            sum->mcp.sessions);
    put_one(out, "trails_streams", "gauge",
            "Event streams that wait for changes.", sum->mcp.streams);
    put_one(out, "trails_subscriptions", "gauge",
            "Resources that streams and sessions watch.",
            sum->mcp.subscriptions);
    put_one(out, "trails_calls_running", "gauge",
            "Calls whose handler has not ended.",
            sum->mcp.running + sum->rest_running);
    put_store(out, metrics);
    put_lua(out, &metrics->lua);
    put_fetches(out, metrics->fetch);
    put_one(out, "trails_log_lines_dropped_total", "counter",
            "Lines of the access log that nobody took in time.",
            sum->dropped_lines);
    put_one(out, "trails_provenance_lost_total", "counter",
            "Activities that wrote nothing and were lost.",
            sum->lost_activities);
}
