/*
 * Requests over a connection, from their first byte to the last of the answer:
 * every handler of the table of routes, and what becomes of each when memory
 * fails.
 */
#include "base/test.h"
#include "db/db.h"
#include "graph/store.h"
#include "loop/loop.h"
#include "prov/published.h"
#include "support/peer.h"
#include "support/rest_world.h"

#include <unistd.h>

static const char app[] =
    "node_type 'Task' { label = 'title', fields = { title = text,\n"
    "  size = integer { optional = true } }, tools = { 'create' } }\n"
    "local function cap(id, run, more)\n"
    "  more = more or {}\n"
    "  more.description, more.run = 'd', run\n"
    "  capability(id)(more)\n"
    "end\n"
    "cap('told', function() return '# Hi' end)\n"
    "cap('point', function() return { x = 1, y = 2.5 } end,\n"
    "  { output = { x = integer, y = number } })\n"
    "cap('fence', function() return { s = '````' } end,\n"
    "  { output = { s = text } })\n"
    "cap('mixed', function(ctx) return ctx:result { content = {\n"
    "  ctx:text 'one', ctx:image('AA==', 'image/png') } }\n"
    "end)\n"
    "cap('nothing', function() end)\n"
    "cap('keyed', function() return 'done' end, { idempotent = true })\n"
    "cap('old', function() return 'old' end,\n"
    "  { version_status = 'deprecated' })\n"
    "cap('new', function() return 'new' end, { deprecates = 'old' })\n"
    "cap('gone', function() end, { version_status = 'retired' })\n"
    "cap('asks', function(ctx) return ctx:elicit {\n"
    "  message = 'Who?', fields = { name = text {} } } end)\n"
    "cap('refuses', function(ctx) return ctx:result {\n"
    "  value = { why = 'rain' }, is_error = true } end)\n"
    "cap('says', function(ctx) return ctx:result {\n"
    "  value = 'not today', is_error = true } end)\n"
    "cap('bug', function() error('secret') end)\n"
    "cap('echo', function(_, args) return args.text end,\n"
    "  { input = { text = text } })\n"
    "cap('built', function() return 'b' end,\n"
    "  { preconditions = { 'scope:builder' } })\n"
    "cap('dear', function() return 'd' end)\n"
    "cap('spell', function() return { a = {\n"
    "  { ['@context'] = 'http://evil.example' } } } end)\n"
    "cap('number', function() return { id = 5 } end)\n"
    "cap('node', function() return { id = 'a:b' } end)\n";

static const char budget[] = "[budget]\ncapability = [\"dear 1 calls/hour\"]\n";

#define EMPTY     REST_BODY("2", "{}")
#define ACCEPT(t) "Accept: " t "\r\n"
#define JSON      "application/json"
#define LD        "application/ld+json"
#define MARKDOWN  "text/markdown"

/* What is asked, and what the answer is or has in it. */
struct row {
    const char *request;
    int status;
    const char *type;
    const char *part;
};

static const struct row rows[] = {
    /* invoke.c, form.c */
    {REST_POST("/invoke/told", "", EMPTY), 200, JSON, "\"# Hi\""},
    {REST_POST("/invoke/told", ACCEPT(MARKDOWN), EMPTY), 200,
     MARKDOWN "; charset=utf-8", "# Hi\n"},
    {REST_POST("/invoke/told", ACCEPT(LD), EMPTY), 200, LD,
     "{\"@context\":{\"@vocab\":\"trails://meta/\",\"id\":\"@id\"},"
     "\"value\":\"# Hi\"}"},
    {REST_POST("/invoke/point", "", EMPTY), 200, JSON, "{\"x\":1,\"y\":2.5}"},
    {REST_POST("/invoke/point", ACCEPT(LD), EMPTY), 200, LD,
     "\"@vocab\":\"trails://demo/shape/point.output#\""},
    {REST_POST("/invoke/point", ACCEPT(MARKDOWN), EMPTY), 200,
     MARKDOWN "; charset=utf-8",
     "```json\n{\n  \"x\": 1,\n  \"y\": 2.5\n}\n```\n"},
    {REST_POST("/invoke/fence", ACCEPT(MARKDOWN), EMPTY), 200,
     MARKDOWN "; charset=utf-8", "`````json\n{\n  \"s\": \"````\"\n}\n`````\n"},
    {REST_POST("/invoke/mixed", "", EMPTY), 200, JSON,
     "{\"content\":[{\"text\":\"one\",\"type\":\"text\"},{\"data\":\"AA==\","},
    {REST_POST("/invoke/mixed", ACCEPT(MARKDOWN), EMPTY), 200,
     MARKDOWN "; charset=utf-8", "one\n\n```json\n{\n  \"data\": \"AA==\","},
    {REST_POST("/invoke/nothing", "", EMPTY), 200, JSON, "null"},
    {REST_POST("/invoke/spell", ACCEPT(LD), EMPTY), 200, LD,
     "\"value\":{\"@type\":\"@json\"}},\"value\":{\"a\":[{\"@context\":"},
    {REST_POST("/invoke/number", ACCEPT(LD), EMPTY), 200, LD,
     "{\"@context\":{\"@vocab\":\"trails://meta/\",\"value\":{\"@type\":"
     "\"@json\"}},\"value\":{\"id\":5}}"},
    {REST_POST("/invoke/node", ACCEPT(LD), EMPTY), 200, LD,
     "\"id\":\"@id\"},\"id\":\"a:b\"}"},
    {REST_POST("/invoke/mixed", ACCEPT(LD), EMPTY), 200, LD,
     "\"value\":{\"@type\":\"@json\"}},\"value\":{\"content\":"},
    {REST_POST("/invoke/old", "", EMPTY), 200, JSON, "\"old\""},
    {REST_POST("/invoke/keyed", "Idempotency-Key: a\r\n", EMPTY), 200, JSON,
     "\"done\""},
    {REST_POST("/invoke/keyed", "Idempotency-Key: \"a\"\r\n", EMPTY), 200, JSON,
     "\"done\""},
    {REST_POST("/invoke/create_task", "",
               REST_BODY("10", "{\"title\": \"One\"}")),
     200, JSON, "\"title\":\"One\""},
    /* call.c, problem.c */
    {REST_POST("/invoke/gone", "", EMPTY), 410, "application/problem+json",
     "\"code\":\"retired\""},
    {REST_POST("/invoke/asks", "", EMPTY), 409, "application/problem+json",
     "\"title\":\"It asks the caller for input\""},
    {REST_POST("/invoke/refuses", "", EMPTY), 422, "application/problem+json",
     "\"value\":{\"why\":\"rain\"}"},
    {REST_POST("/invoke/says", "", EMPTY), 422, "application/problem+json",
     "\"detail\":\"not today\""},
    {REST_POST("/invoke/bug", "", EMPTY), 500, "application/problem+json",
     "app.lua:"},
    {REST_POST("/invoke/echo", "", EMPTY), 422, "application/problem+json",
     "\"fields\":[{\"field\":\"text\",\"code\":\"required\""},
    {REST_POST("/invoke/nobody", "", EMPTY), 404, "application/problem+json",
     "there is no capability nobody"},
    {REST_POST("/invoke/built", "", EMPTY), 401, "application/problem+json",
     "\"required_scope\":\"builder\""},
    {REST_POST("/invoke/built", REST_BEARER, EMPTY), 200, JSON, "\"b\""},
    {REST_POST("/invoke/told", "", REST_BODY("1", "[")), 400,
     "application/problem+json", "\"code\":\"syntax\""},
    {REST_POST("/invoke/told", ACCEPT("image/png"), EMPTY), 406,
     "application/problem+json", "there is application/json, "},
    /* routes.c */
    {REST_GET("/invoke/told", ""), 405, "application/problem+json", ""},
    {REST_GET("/capabilities", "Origin: https://evil.example\r\n"), 403,
     "application/problem+json", ""},
    {REST_GET("/capabilities", "Authorization: Bearer no\r\n"), 401,
     "application/problem+json", "\"code\":\"unauthenticated\""},
    {REST_GET("/nothing/here", ""), 404, "text/plain; charset=utf-8", ""},
    {REST_GET("/kg/%00", ""), 400, "application/problem+json", "no text"},
    /* kg.c */
    {REST_GET("/kg/types", ""), 200, JSON, "\"type\":\"Task\""},
    {REST_GET("/kg/Task", ""), 200, JSON, "["},
    {REST_GET("/kg/Task?limit=1", ACCEPT(LD)), 200, LD, "["},
    {REST_GET("/kg/Task", ACCEPT("text/turtle")), 200, "text/turtle", ""},
    {REST_GET("/kg/Task/nobody", ""), 404, "application/problem+json", ""},
    {REST_GET("/kg/Task?where=size=x", ""), 400, "application/problem+json",
     "type_mismatch"},
    {REST_GET("/shapes/Task", ""), 200, "text/turtle", "sh:NodeShape"},
    {REST_GET("/doctor", ""), 401, "application/problem+json", ""},
    {REST_GET("/doctor", REST_BEARER), 200, JSON, "{\"status\":\"ok\""},
    /* views.c, tag.c, meter.c */
    {REST_GET("/capabilities", ""), 200, JSON, "\"id\":\"told\""},
    {REST_GET("/.well-known/capabilities/told", ""), 200, LD, "\"told\""},
    {REST_GET("/.well-known/capabilities/nobody", ""), 404,
     "application/problem+json", ""},
    {REST_GET("/openapi.json", ""), 200, JSON, "\"/invoke/told\""},
    {REST_GET("/.well-known/wot", ""), 200, "application/td+json",
     "/demo/card"},
    {REST_GET("/demo/card", ""), 200, "application/td+json", "\"told\""},
    {REST_GET("/.well-known/trails/v1.jsonld", ""), 200, LD, "@context"},
    {REST_GET("/capabilities", "If-None-Match: *\r\n"), 304, "", ""},
    {REST_GET("/capabilities", "If-Match: *\r\n"), 200, JSON, "told"},
    {REST_GET("/capabilities", "If-Match: W/\"a\"\r\n"), 412,
     "application/problem+json", "ETag: W/"},
};

static void check_row(struct rest_world *w, const struct row *row)
{
    rest_world_ask(w, row->request);
    if (w->status != row->status || !strstr(w->text, row->part))
        tr_test_fail(row->request, w->text, __FILE__, __LINE__);
    CHECK_STR(rest_world_header(w, "Content-Type"), row->type);
}

TEST(every_handler_answers_over_a_connection)
{
    struct rest_world w;
    rest_world_open(&w, budget, app);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(&w, &rows[i]);
    rest_world_close(&w);
}

TEST(no_allocation_that_fails_leaves_half_an_answer)
{
    struct rest_world w;
    rest_world_open(&w, budget, app);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        rest_world_sweep(&w, rows[i].request);
    rest_world_close(&w);
}

static const char small[] =
    "node_type 'Task' { fields = { title = text } }\n"
    "capability 'one' { description = 'd', run = print,\n"
    "  input = { text = text }, output = { n = integer } }\n";

TEST(no_allocation_that_fails_leaves_half_a_view)
{
    static const char *const requests[] = {
        REST_GET("/capabilities", ""),
        REST_GET("/capabilities", ACCEPT(MARKDOWN)),
        REST_GET("/.well-known/capabilities", ""),
        REST_GET("/.well-known/capabilities/one", ""),
        REST_GET("/openapi.json", ""),
        REST_GET("/.well-known/wot", ""),
        REST_GET("/demo/card", ""),
        REST_GET("/demo/card", ACCEPT(LD)),
        REST_GET("/.well-known/trails/v1.jsonld", ""),
    };
    struct rest_world w;
    rest_world_open(&w, "", small);
    for (size_t i = 0; i < TR_LEN(requests); i++)
        rest_world_sweep_cold(&w, requests[i]);
    rest_world_close(&w);
}

TEST(a_budget_that_is_used_up_says_when_it_is_there_again)
{
    static const char request[] = REST_POST("/invoke/dear", "", EMPTY);
    struct rest_world w;
    rest_world_open(&w, budget, app);
    rest_world_ask(&w, request);
    CHECK_INT(w.status, 200);
    rest_world_ask(&w, request);
    CHECK_INT(w.status, 429);
    CHECK_STR(rest_world_header(&w, "Retry-After"), "3600");
    CHECK(strstr(w.text, "\"retry_after_s\":3600"));
    CHECK(strstr(w.text, "\"capability\":\"dear\""));
    rest_world_sweep(&w, request);
    rest_world_close(&w);
}

/* A store that does not know takes the time at which it was opened. */
TEST(what_is_deprecated_says_since_when_and_what_is_instead)
{
    struct rest_world w;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    const struct tr_prov_published row = {TR_STR("1.0.0"), TR_STR("{}")};
    rest_world_open(&w, "", app);
    CHECK_OK(tr_db_open(tr_graph_store_path(w.store), NULL, &db, &err), &err);
    CHECK_OK(tr_prov_published_write(db, TR_STR("old"), &row, 0, &err), &err);
    rest_world_ask(&w, REST_POST("/invoke/old", "", EMPTY));
    CHECK_STR(rest_world_header(&w, "Deprecation"), "@1785240000");
    CHECK_STR(rest_world_header(&w, "Link"),
              "</invoke/new>; rel=\"successor-version\"");
    CHECK_OK(tr_prov_published_write(db, TR_STR("old"), &row, 17, &err), &err);
    tr_db_close(db);
    tr_graph_store_raise_generation(w.store);
    rest_world_ask(&w, REST_POST("/invoke/old", "", EMPTY));
    CHECK_STR(rest_world_header(&w, "Deprecation"), "@17");
    rest_world_ask(&w, REST_POST("/invoke/new", "", EMPTY));
    CHECK_STR(rest_world_header(&w, "Deprecation"), "");
    rest_world_close(&w);
}

TEST(a_result_that_was_kept_says_so)
{
    static const char request[] =
        REST_POST("/invoke/keyed", "Idempotency-Key: \"k\"\r\n", EMPTY);
    struct rest_world w;
    rest_world_open(&w, "", app);
    rest_world_ask(&w, request);
    CHECK_STR(rest_world_header(&w, "Idempotent-Replayed"), "");
    rest_world_ask(&w, request);
    CHECK_STR(rest_world_header(&w, "Idempotent-Replayed"), "true");
    CHECK_STR(w.body, "\"done\"");
    rest_world_close(&w);
}

TEST(a_body_may_come_in_any_pieces)
{
    static const char *const requests[] = {
        REST_POST("/invoke/echo", "",
                  REST_BODY("1", "{") REST_BODY("d", "\"text\": \"hi\"}")),
        "POST /invoke/echo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Connection: close\r\nContent-Type: application/json\r\n"
        "Expect: 100-continue\r\nContent-Length: 14\r\n\r\n{\"text\": \"hi\"}",
        "POST http://127.0.0.1/invoke/echo HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Connection: close\r\nContent-Type: application/json\r\n"
        "Content-Length: 14\r\n\r\n{\"text\": \"hi\"}",
    };
    struct rest_world w;
    rest_world_open(&w, "", app);
    for (size_t i = 0; i < TR_LEN(requests); i++) {
        rest_world_ask(&w, requests[i]);
        CHECK_INT(w.status, 200);
        CHECK_STR(w.body, "\"hi\"");
    }
    rest_world_close(&w);
}

static const char waits[] =
    "capability 'waits' { description = 'd', side_effects = {},\n"
    "  run = function(ctx) ctx:sleep(3600) return 'waited' end }\n";

static bool is_running(void *data)
{
    return tr_rest_running(((struct rest_world *)data)->rest) == 1;
}

static bool is_idle(void *data)
{
    return tr_rest_is_idle(((struct rest_world *)data)->rest);
}

/* A call that waits, and what ends it; the answer is in w->text. */
static void end_call(struct rest_world *w, void (*end)(struct rest_world *))
{
    int fd = rest_world_connect(w);
    tr_peer_send(w->loop, fd, TR_STR(REST_POST("/invoke/waits", "", EMPTY)));
    tr_peer_until(w->loop, is_running, w);
    CHECK(!tr_rest_is_idle(w->rest));
    if (end)
        end(w);
    else
        (void)close(fd);
    tr_peer_until(w->loop, is_idle, w);
    CHECK_INT(tr_rest_running(w->rest), 0);
    if (end) {
        (void)tr_peer_read(w->loop, fd, "", w->text, sizeof(w->text));
        (void)close(fd);
    }
}

static void stop(struct rest_world *w)
{
    tr_rest_stop(w->rest);
}

static void let_time_pass(struct rest_world *w)
{
    tr_loop_step(w->loop, 1001);
}

TEST(a_call_ends_with_its_peer_its_time_or_its_door)
{
    struct rest_world w;
    rest_world_open(&w, "", waits);
    end_call(&w, NULL);
    end_call(&w, let_time_pass);
    CHECK(strstr(w.text, "HTTP/1.1 503 "));
    CHECK(strstr(w.text, "\"code\":\"timeout\""));
    end_call(&w, stop);
    CHECK(strstr(w.text, "HTTP/1.1 503 "));
    CHECK(strstr(w.text, "\"code\":\"cancelled\""));
    CHECK_INT(tr_rest_counts(w.rest)->refused.items[0].code, 499);
    rest_world_close(&w);
}
