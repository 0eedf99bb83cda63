#include "support/session.h"

#include "base/test.h"
#include "loop/loop.h"
#include "mcp/http_session.h"
#include "mcp/inside.h"
#include "mcp/receive.h"

/* An exchange whose messages are checked. */
static struct tr_mcp_wire *begin(struct session_client *client,
                                 struct exchange *x)
{
    struct tr_mcp_wire *wire = exchange_open(x);
    x->saw = checked_saw;
    x->saw_data = &client->checked;
    return wire;
}

static struct tr_mcp_request *receive(struct session_client *client,
                                      struct exchange *x, const char *text)
{
    struct tr_mcp_sink *sink = &begin(client, x)->sink;
    checked_sends(&client->checked, tr_str_from(text));
    return tr_mcp_receive(client->checked.sample.mcp, &sink, tr_str_from(text));
}

void session_post_with(struct session_client *client, const char *text,
                       struct exchange *x, struct tr_mcp_http_entry entry)
{
    struct tr_mcp_request *request = receive(client, x, text);
    if (request) {
        tr_mcp_http_session_take(request, &entry);
        tr_mcp_request_release(request);
    }
    (void)tr_loop_turn(client->checked.sample.loop);
}

void session_post(struct session_client *client, const char *text,
                  struct exchange *x)
{
    struct tr_mcp_http_entry entry = {
        .has_session = client->session[0] != '\0',
        .session = tr_str_from(client->session),
    };
    session_post_with(client, text, x, entry);
}

void session_verb(struct session_client *client, enum tr_mcp_http_verb verb,
                  const char *resume, struct exchange *x)
{
    struct tr_mcp_http_entry entry = {
        .verb = verb,
        .has_session = true,
        .session = tr_str_from(client->session),
        .resume = tr_str_from(resume),
    };
    struct tr_mcp_wire *wire = begin(client, x);
    tr_mcp_http_session_verb(client->checked.sample.mcp, &entry, &wire);
}

void session_check(struct exchange *x, const char *log, bool is_released)
{
    CHECK_STR(tr_buf_str(&x->log), log);
    CHECK(x->is_released == is_released);
}

void session_check_done(struct exchange *x, const char *log)
{
    session_check(x, log, true);
    exchange_done(x);
}

void session_start(struct session_client *client, const char *initialize,
                   struct exchange *x)
{
    struct tr_mcp_request *request = receive(client, x, initialize);
    tr_mcp_http_session_start(request);
    tr_mcp_request_release(request);
    CHECK(x->is_released);
}

void session_open(struct session_client *client, const char *initialize)
{
    struct exchange x;
    checked_open(&client->checked);
    session_start(client, initialize, &x);
    memcpy(client->session, x.session, sizeof(client->session));
    exchange_done(&x);
}

void session_close(struct session_client *client)
{
    checked_close(&client->checked);
}
