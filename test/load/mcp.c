#include "load/mcp.h"

#include "json/reader.h"

#define META                                                                   \
    "\"io.modelcontextprotocol/protocolVersion\":\"" LOAD_MODERN "\","         \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define MESSAGE_MAX ((size_t)16 << 20)

static bool is_modern(const struct load_message *message)
{
    return message->revision && strcmp(message->revision, LOAD_MODERN) == 0;
}

static void put_body(struct tr_buf *out, const struct load_message *m)
{
    const char *params = m->params ? m->params : "";
    const char *meta = m->meta ? m->meta : "";
    const char *both = *meta && is_modern(m) ? "," : "";
    bool has_meta = *meta || is_modern(m);
    tr_buf_putf(out, "{\"jsonrpc\":\"2.0\",");
    if (m->id)
        tr_buf_putf(out, "\"id\":%s,", m->id);
    tr_buf_putf(out, "\"method\":\"%s\",\"params\":{%s", m->method, params);
    if (has_meta)
        tr_buf_putf(out, "%s\"_meta\":{%s%s%s}", *params ? "," : "",
                    is_modern(m) ? META : "", both, meta);
    tr_buf_put(out, TR_STR("}}"));
}

void load_write_post(struct tr_buf *out, const struct load_message *m)
{
    struct tr_buf body;
    tr_buf_init(&body, MESSAGE_MAX);
    put_body(&body, m);
    tr_buf_putf(out,
                "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                "Accept: application/json, text/event-stream\r\n"
                "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                m->path ? m->path : "/mcp", body.len);
    if (m->revision)
        tr_buf_putf(out, "MCP-Protocol-Version: %s\r\n", m->revision);
    if (is_modern(m))
        tr_buf_putf(out, "Mcp-Method: %s\r\n", m->method);
    if (is_modern(m) && m->name)
        tr_buf_putf(out, "Mcp-Name: %s\r\n", m->name);
    if (m->session)
        tr_buf_putf(out, "Mcp-Session-Id: %s\r\n", m->session);
    tr_buf_put(out, TR_STR("\r\n"));
    if (body.ptr)
        tr_buf_put(out, tr_buf_str(&body));
    tr_buf_done(&body);
}

static tr_str session_of(const struct load_message *m)
{
    const char *mark = m->path ? strstr(m->path, "sessionId=") : NULL;
    if (mark)
        return tr_str_from(mark + strlen("sessionId="));
    return m->session ? tr_str_from(m->session) : TR_STR("");
}

void load_note(struct load_conn *conn, const struct load_message *message)
{
    struct tr_buf body;
    load_talk(conn, session_of(message));
    if (!conn->load->judge)
        return;
    tr_buf_init(&body, MESSAGE_MAX);
    put_body(&body, message);
    conn->load->judge(conn, true, TR_STR(""), tr_buf_str(&body));
    tr_buf_done(&body);
}

void load_post(struct load_conn *conn, const struct load_message *message)
{
    struct tr_buf text;
    tr_buf_init(&text, MESSAGE_MAX);
    load_write_post(&text, message);
    load_note(conn, message);
    load_expect(conn);
    load_send(conn, tr_buf_str(&text));
    tr_buf_done(&text);
}

void load_ask(struct load_conn *conn, const char *verb, const char *path,
              const char *session, tr_str last_id)
{
    struct tr_buf text;
    tr_buf_init(&text, MESSAGE_MAX);
    tr_buf_putf(&text,
                "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                "Accept: text/event-stream\r\n",
                verb, path);
    load_talk(conn, session ? tr_str_from(session) : TR_STR(""));
    if (session)
        tr_buf_putf(&text, "Mcp-Session-Id: %s\r\n", session);
    if (last_id.len)
        tr_buf_putf(&text, "Last-Event-ID: %.*s\r\n", TR_FMT(last_id));
    tr_buf_put(&text, TR_STR("\r\n"));
    load_expect(conn);
    load_send(conn, tr_buf_str(&text));
    tr_buf_done(&text);
}

const struct tr_json *load_parse(struct load *load, tr_str text)
{
    const struct tr_json *root = NULL;
    struct tr_err err;
    tr_arena_reset(&load->arena);
    if (tr_json_read(&load->arena, text, NULL, &root, &err) != TR_OK) {
        load_fail(load, "not JSON: %s: %.*s", err.msg,
                  (int)(text.len < 200 ? text.len : 200), text.ptr);
        return NULL;
    }
    return root;
}

tr_str load_text(const struct tr_json *root, const char *pointer)
{
    return tr_json_text(tr_json_pointer(root, tr_str_from(pointer)));
}

/* A call whose result only has to be there. */
struct simple_call {
    bool is_done;
};

static void simple_end(struct load_conn *conn, tr_str message)
{
    struct simple_call *call = conn->owner;
    const struct tr_json *root = load_parse(conn->load, message);
    if (!root)
        return;
    if (!tr_json_find(root, TR_STR("result")) ||
        tr_json_pointer(root, TR_STR("/result/isError")))
        load_fail(conn->load, "a call failed: %.*s", TR_FMT(message));
    call->is_done = true;
    load_close(conn, false);
}

static void simple_closed(struct load_conn *conn)
{
    load_fail(conn->load, "a call was cut off");
}

static bool simple_done(void *data)
{
    return ((struct simple_call *)data)->is_done;
}

bool load_call(struct load *load, const char *tool, const char *arguments)
{
    static const struct load_ops ops = {.on_body = simple_end,
                                        .on_closed = simple_closed};
    struct simple_call call = {0};
    struct tr_buf params;
    struct load_conn *conn = load_open(load, &ops, &call);
    if (!conn)
        return false;
    tr_buf_init(&params, MESSAGE_MAX);
    tr_buf_putf(&params, "\"name\":\"%s\",\"arguments\":{%s}", tool, arguments);
    tr_buf_putc(&params, '\0');
    struct load_message message = {.revision = LOAD_MODERN,
                                   .id = "1",
                                   .method = "tools/call",
                                   .name = tool,
                                   .params = params.ptr};
    load_post(conn, &message);
    tr_buf_done(&params);
    return load_run(load, simple_done, &call);
}
