#include "mcp/client.h"

#include "base/limits.h"
#include "base/test.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "support/session.h"

static tr_str long_text(struct tr_buf *out, const char *word, size_t count)
{
    tr_buf_clear(out);
    for (size_t i = 0; i < count; i++)
        tr_buf_put(out, tr_str_from(word));
    return tr_buf_str(out);
}

/* 120 KB of it were kept for an hour, for each of 10,000 sessions. */
TEST(session_keeps_little_of_a_client_that_says_much)
{
    struct session_client client;
    struct tr_buf text;
    struct tr_buf word;
    tr_buf_init(&text, TR_MIB(4));
    tr_buf_init(&word, TR_MIB(1));
    tr_buf_put(&text, TR_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                             "\"initialize\",\"params\":{"
                             "\"protocolVersion\":\"2025-11-25\","
                             "\"clientInfo\":{\"name\":\"a"));
    tr_buf_put(&text, long_text(&word, "\xC3\xA9", 60000));
    tr_buf_put(&text, TR_STR("\",\"version\":\""));
    tr_buf_put(&text, long_text(&word, "1", 120000));
    tr_buf_put(&text, TR_STR("\",\"title\":\""));
    tr_buf_put(&text, long_text(&word, "t", 120000));
    tr_buf_put(&text, TR_STR("\"},\"capabilities\":{\"experimental\":{"
                             "\"x\":{\"y\":\""));
    tr_buf_put(&text, long_text(&word, "x", 120000));
    tr_buf_put(&text, TR_STR("\"}},\"roots\":{\"listChanged\":true},"
                             "\"elicitation\":{\"url\":{\"z\":{}}},"
                             "\"sampling\":{}}}}"));
    tr_buf_putc(&text, '\0');
    session_open(&client, text.ptr);
    const struct tr_mcp_session *session = client.checked.sample.mcp->sessions;
    CHECK(session->arena.held <= TR_KIB(8));
    CHECK_INT(session->client.name.len, 255); /* no half of a character */
    CHECK_INT(session->client.version.len, 256);
    const struct tr_json *kept = session->client.capabilities;
    CHECK_INT(kept->len, 3);
    CHECK(tr_json_pointer(kept, TR_STR("/roots/listChanged")));
    CHECK(tr_json_pointer(kept, TR_STR("/elicitation/url")));
    CHECK(!tr_json_pointer(kept, TR_STR("/elicitation/url/z")));
    CHECK(tr_json_is(tr_json_find(kept, TR_STR("sampling")), TR_JSON_OBJECT));
    session_close(&client);
    tr_buf_done(&text);
    tr_buf_done(&word);
}

/* What others say is kept as it is. */
TEST(session_keeps_what_a_client_says_in_short)
{
    struct session_client client;
    session_open(&client,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                 "\"params\":{\"protocolVersion\":\"2025-11-25\","
                 "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"},"
                 "\"capabilities\":{\"experimental\":{\"x\":{\"y\":1}}}}}");
    CHECK(tr_json_pointer(
        client.checked.sample.mcp->sessions->client.capabilities,
        TR_STR("/experimental/x/y")));
    session_close(&client);
}
