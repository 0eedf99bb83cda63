/*
 * Whatever a client of an older revision says in its headers, it gets to its
 * own session or to none, and every exchange is ended. The input is pairs of
 * lines: "VERB|session|version|last event", where '@' stands for the id of the
 * session there is, and a body.
 */
#include "judge.h"
#include "loop/loop.h"
#include "mcp/http_session.h"
#include "mcp/inside.h"
#include "mcp/modern.h"
#include "mcp/receive.h"
#include "support/exchange.h"
#include "support/sample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EXCHANGES 16

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"roots\":{}},"
    "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}";

static tr_str take(tr_str *rest, char end)
{
    tr_str part = *rest;
    tr_str after = {NULL, 0};
    if (!tr_str_cut(*rest, end, &part, &after))
        part = *rest;
    *rest = after;
    return part;
}

static struct tr_mcp_http_entry read_entry(tr_str line, const char *session)
{
    tr_str verb = take(&line, '|');
    struct tr_mcp_http_entry entry = {
        .verb = tr_str_eq(verb, TR_STR("GET"))      ? TR_MCP_HTTP_GET
                : tr_str_eq(verb, TR_STR("DELETE")) ? TR_MCP_HTTP_DELETE
                                                    : TR_MCP_HTTP_POST,
    };
    entry.session = take(&line, '|');
    if (tr_str_eq(entry.session, TR_STR("@")))
        entry.session = tr_str_from(session);
    entry.has_session = entry.session.len > 0;
    entry.version = take(&line, '|');
    entry.has_version = entry.version.len > 0;
    entry.resume = line;
    return entry;
}

/* An exchange whose messages are judged. */
static struct tr_mcp_wire *open_exchange(struct exchange *x, struct wire *wire)
{
    struct tr_mcp_wire *opened = exchange_open(x);
    x->saw = judge_saw;
    x->saw_data = wire;
    return opened;
}

static void start(struct sample *sample, struct wire *wire, struct exchange *x)
{
    struct tr_mcp_sink *sink = &open_exchange(x, wire)->sink;
    judge_sent(wire, tr_str_from(initialize));
    struct tr_mcp_request *request =
        tr_mcp_receive(sample->mcp, &sink, tr_str_from(initialize));
    if (!request)
        abort();
    tr_mcp_http_session_start(request);
    tr_mcp_request_release(request);
}

/* What claims a stateless revision never comes here: mcp/http.c sees to it. */
static bool is_modern(const struct tr_mcp_request *request)
{
    const struct tr_json *claim;
    return !request->batch && tr_mcp_modern_claim(&request->message, &claim);
}

static void talk(struct sample *sample, struct wire *wire,
                 const struct tr_mcp_http_entry *entry, struct exchange *x)
{
    struct tr_mcp_wire *opened = open_exchange(x, wire);
    if (entry->verb != TR_MCP_HTTP_POST) {
        tr_mcp_http_session_verb(sample->mcp, entry, &opened);
        return;
    }
    judge_sent(wire, entry->body);
    struct tr_mcp_sink *sink = &opened->sink;
    struct tr_mcp_request *request =
        tr_mcp_receive(sample->mcp, &sink, entry->body);
    if (!request)
        return;
    if (!is_modern(request))
        tr_mcp_http_session_take(request, entry);
    tr_mcp_request_release(request);
}

/* Nobody gets in with another id than the one that was given out. */
static void check(const struct tr_mcp_http_entry *entry,
                  const struct exchange *x)
{
    tr_str log = tr_buf_str(&x->log);
    bool known = tr_str_eq(entry->session, tr_str_from(x->session));
    if (!known &&
        (tr_str_starts(log, TR_STR("open")) || tr_str_starts(log, TR_STR("2"))))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample sample;
    struct exchange first;
    struct exchange all[EXCHANGES];
    size_t count = 0;
    tr_str rest = {(const char *)data, size};
    struct wire *wire = judge_open();
    sample_open(&sample);
    start(&sample, wire, &first);
    while (rest.len && count < EXCHANGES) {
        struct exchange *x = &all[count++];
        struct tr_mcp_http_entry entry =
            read_entry(take(&rest, '\n'), first.session);
        entry.body = take(&rest, '\n');
        talk(&sample, wire, &entry, x);
        (void)tr_loop_turn(sample.loop);
        memcpy(x->session, first.session, sizeof(x->session));
        check(&entry, x);
    }
    sample_close(&sample);
    for (size_t i = 0; i < count; i++) {
        if (!all[i].is_released)
            abort();
        exchange_done(&all[i]);
    }
    exchange_done(&first);
    return 0;
}
