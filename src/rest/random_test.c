/*
 * Requests that are nearly right: whatever bytes come, there is one answer with
 * a status that is known and a body that is what it says, or none at all; and
 * nothing is left of it.
 */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "project/view.h"
#include "support/rest_world.h"

#include <sys/socket.h>
#include <unistd.h>

enum { REQUESTS = 20000, MOST = 2048 };

static const char app[] =
    "node_type 'Task' { label = 'title', fields = { title = text,\n"
    "  size = integer { optional = true } }, tools = { 'create' } }\n"
    "capability 'echo' { description = 'd', side_effects = {},\n"
    "  idempotent = true, input = { text = text },\n"
    "  run = function(_, args) return args.text end }\n"
    "capability 'old' { description = 'd', version_status = 'deprecated',\n"
    "  run = function(_, args) return args end }\n";

static const char *const seeds[] = {
    REST_POST("/invoke/echo",
              "Accept: text/markdown;q=0.5, application/ld+json\r\n"
              "Idempotency-Key: \"a\\\"b\"\r\n"
              "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"
              "00f067aa0ba902b7-01\r\n",
              REST_BODY("d", "{\"text\":\"hi\"}")),
    REST_POST("/invoke/create_task", "",
              REST_BODY("10", "{\"title\": \"One\"}")),
    "POST /invoke/old HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    "Content-Type: application/json\r\nExpect: 100-continue\r\n"
    "Content-Length: 11\r\n\r\n{\"a\":[1,{}]}",
    REST_GET("/kg/Task?where=title=One&limit=1&offset=0",
             "Accept: text/turtle\r\n"),
    REST_GET("/kg/Task/trails%3A%2F%2Fdemo%2FTask%2F1", ""),
    REST_GET("/shapes/echo.input", "Accept: */*\r\n"),
    REST_GET("/doctor", REST_BEARER),
    REST_GET("/.well-known/capabilities/echo",
             "If-None-Match: W/\"0\", \"1\"\r\nAccept: text/*\r\n"),
    REST_GET("/demo/card", "Origin: http://localhost:1\r\n"),
    "OPTIONS /invoke/echo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    "Connection: close\r\nOrigin: http://localhost\r\n"
    "Access-Control-Request-Headers: a, b\r\n\r\n",
};

/* A seed with some bytes changed, left out, or said twice. */
static tr_str make(char *out)
{
    static const char odd[] = "%/?#\"\\;,=*{}[] \t\r\n:0";
    tr_str seed = tr_str_from(seeds[tr_test_random_below(TR_LEN(seeds))]);
    size_t len = seed.len;
    memcpy(out, seed.ptr, len);
    for (uint64_t n = tr_test_random_below(4); n > 0; n--) {
        size_t at = tr_test_random_below(len);
        size_t most = len - at < 16 ? len - at : 16;
        size_t part = 1 + tr_test_random_below(most);
        switch (tr_test_random_below(4)) {
        case 0:
            out[at] = odd[tr_test_random_below(sizeof(odd) - 1)];
            break;
        case 1:
            out[at] = (char)tr_test_random();
            break;
        case 2:
            memmove(out + at, out + at + part, len - at - part);
            len -= part;
            break;
        default:
            if (len + part < MOST) {
                memmove(out + at + part, out + at, len - at);
                len += part;
            }
        }
        if (!len)
            break;
    }
    return (tr_str){out, len};
}

static bool is_known(int status)
{
    static const int others[] = {100, 200, 204, 304, 408, 411,
                                 414, 417, 431, 501, 505};
    for (size_t i = 0; i < TR_LEN(others); i++) {
        if (status == others[i])
            return true;
    }
    return tr_project_refusal_is_known(status);
}

static void check_body(const struct rest_world *w)
{
    tr_str type = rest_world_header(w, "Content-Type");
    const struct tr_json *value = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str end = tr_str_skip(type, type.len < 4 ? 0 : type.len - 4);
    if (!w->body.len || !tr_str_eq(end, TR_STR("json")))
        return;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_OK(tr_json_read(&arena, w->body, NULL, &value, &err), &err);
    if (tr_str_starts(type, TR_STR("application/problem")))
        CHECK(tr_json_find(value, TR_STR("title")));
    tr_arena_done(&arena);
}

TEST(requests_that_are_nearly_right_have_one_answer)
{
    static struct rest_world w;
    size_t answered = 0;
    size_t count = tr_test_scaled(REQUESTS);
    rest_world_open(&w, "", app);
    for (size_t i = 0; i < count; i++) {
        char text[MOST];
        tr_str request = make(text);
        rest_world_send(&w, request);
        answered += w.status == 200;
        CHECK_ROW(!w.len || is_known(w.status), w.text);
        check_body(&w);
    }
    CHECK(answered > 0);
    rest_world_close(&w);
}
