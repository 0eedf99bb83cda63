#include "http/reader.h"

#include "base/test.h"

/* All that a message is, for comparing one way of feeding with another. */
struct outcome {
    enum tr_http_read result;
    int refused;
    size_t left;  /* bytes after the message */
    size_t heads; /* how often it told that the head is there */
    struct tr_http_request request;
    struct tr_http_reader reader;
    char bytes[8192];
    size_t len;
};

/* Feeds at most `step` bytes at a time. */
static void feed(struct outcome *o, tr_str text, size_t step,
                 const struct tr_http_limits *limits)
{
    memset(o, 0, offsetof(struct outcome, reader));
    o->len = 0;
    tr_http_reader_init(&o->reader, limits);
    o->result = TR_HTTP_MORE;
    while (text.len && o->result == TR_HTTP_MORE) {
        size_t count = text.len < step ? text.len : step;
        CHECK(o->len + count <= sizeof(o->bytes));
        memcpy(o->bytes + o->len, text.ptr, count);
        o->len += count;
        text = tr_str_skip(text, count);
        o->result = tr_http_reader_feed(&o->reader, o->bytes, &o->len);
        if (o->result != TR_HTTP_HEAD)
            continue;
        o->heads++;
        o->result = tr_http_reader_feed(&o->reader, o->bytes, &o->len);
    }
    o->refused = o->reader.refused;
    if (o->result == TR_HTTP_READY) {
        o->left = o->len - o->reader.at + text.len;
        tr_http_reader_request(&o->reader, o->bytes, &o->request);
    }
}

#define HOST "Host: a\r\n"

static const struct refusal {
    const char *text;
    int status;
} refusals[] = {
    /* the request line */
    {"GET /\r\n\r\n", 400},
    {"GET  / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET / HTTP/1.1 \r\n" HOST "\r\n", 400},
    {" GET / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"G(T / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"\x16\x03\x01\x02\x00\x01\x00", 400},
    {"GET / HTTP/1.1\n" HOST "\r\n", 400},
    {"GET / HTTP/1.1\r\r\n" HOST "\r\n", 400},
    {"GET /\r HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET / http/1.1\r\n" HOST "\r\n", 400},
    {"GET / HTTP/1\r\n" HOST "\r\n", 400},
    {"GET / HTTP/1.10\r\n" HOST "\r\n", 400},
    {"GET / HTTP/x.1\r\n" HOST "\r\n", 400},
    {"GET / HTTP/2.0\r\n" HOST "\r\n", 505},
    {"GET / HTTP/0.9\r\n" HOST "\r\n", 505},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"\rGET / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"\n\nGET / HTTP/1.1\r\n" HOST "\r\n", 400},
    {"\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n", 400},
    /* the target */
    {"GET a HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET * HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /a\tb HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /\xC3\xA9 HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /\x7F HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /a\"b HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /%4 HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET /%zz HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET http:///x HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET ftp://a/ HTTP/1.1\r\n" HOST "\r\n", 400},
    {"GET http://a@b/ HTTP/1.1\r\n" HOST "\r\n", 400},
    {"CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n", 501},
    /* header lines */
    {"GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A: b\r\n\tc\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n " HOST "\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A : b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST ": b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A b: c\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A\xC3\xA9: c\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A: b\x01\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A: b\x7F\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A: b\rc\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A: b\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST "A: b\r\n\n", 400},
    /* Host */
    {"GET / HTTP/1.1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", 400},
    /* lengths */
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: \r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: +1\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1 1\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 0x1\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1, 1\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n"
     "Content-Length: 1\r\n\r\n",
     400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551616\r\n\r\n",
     400},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551615\r\n\r\n",
     413},
    {"POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n"
     "Transfer-Encoding: chunked\r\n\r\n",
     400},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n"
     "content-length: 0\r\n\r\n",
     400},
    {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n"
     "Transfer-Encoding: chunked\r\n\r\n",
     400},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip\r\n\r\n", 501},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n",
     501},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: identity\r\n\r\n", 501},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: \r\n\r\n", 501},
    {"POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: xchunked\r\n\r\n", 501},
    {"POST / HTTP/1.1\r\n" HOST "Expect: tea\r\n\r\n", 417},
};

#define CHUNKED "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"

static const struct refusal chunk_refusals[] = {
    {CHUNKED "\r\n", 400},
    {CHUNKED "x\r\n", 400},
    {CHUNKED "-1\r\n", 400},
    {CHUNKED " 1\r\na\r\n0\r\n\r\n", 400},
    {CHUNKED "1 \r\na\r\n0\r\n\r\n", 400},
    {CHUNKED "0x1\r\na\r\n0\r\n\r\n", 400},
    {CHUNKED "1\na\r\n0\r\n\r\n", 400},
    {CHUNKED "1;a\x01\r\na\r\n0\r\n\r\n", 400},
    {CHUNKED "1\r\nab\r\n0\r\n\r\n", 400},
    {CHUNKED "1\r\na\n0\r\n\r\n", 400},
    {CHUNKED "1\r\na\r0\r\n\r\n", 400},
    {CHUNKED "00000000000000001\r\na\r\n0\r\n\r\n", 400},
    {CHUNKED "ffffffffffffffff\r\n", 413},
    {CHUNKED "500000\r\n", 413},
    {CHUNKED "0\r\nA b: c\r\n\r\n", 400},
    {CHUNKED "0\r\nA: b\r\n c\r\n\r\n", 400},
    {CHUNKED "0\r\nA: b\n\r\n", 400},
    {CHUNKED "0\r\n\n", 400},
};

static void check_refusals(const struct refusal *rows, size_t count)
{
    static const size_t steps[] = {1, 2, 3, 7, 10000};
    struct outcome o;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < TR_LEN(steps); j++) {
            feed(&o, tr_str_from(rows[i].text), steps[j], NULL);
            CHECK_ROW(o.result == TR_HTTP_REFUSED, rows[i].text);
            CHECK_ROW(o.refused == rows[i].status, rows[i].text);
            CHECK_ROW(o.reader.why && o.reader.why[0], rows[i].text);
        }
    }
}

TEST(http_reader_refuses_what_is_not_clearly_right)
{
    check_refusals(refusals, TR_LEN(refusals));
}

TEST(http_reader_refuses_bad_chunks)
{
    check_refusals(chunk_refusals, TR_LEN(chunk_refusals));
}

/* A refused message stays refused, whatever comes after it. */
TEST(http_reader_stays_with_its_refusal)
{
    struct outcome o;
    feed(&o, TR_STR("GET\r\n"), 100, NULL);
    CHECK(o.result == TR_HTTP_REFUSED);
    memcpy(o.bytes, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27);
    o.len = 27;
    CHECK(tr_http_reader_feed(&o.reader, o.bytes, &o.len) == TR_HTTP_REFUSED);
    CHECK_INT(o.reader.refused, 400);
}

TEST(http_reader_reads_every_part_of_a_request)
{
    struct outcome o;
    feed(&o,
         TR_STR("POST /mcp?a=b?c HTTP/1.1\r\nHost: localhost:8000\r\n"
                "content-TYPE:application/json\r\nX-Empty:\r\n"
                "X-Space: \t a b \t\r\nContent-Length: 5\r\n\r\nhelloGET"),
         10000, NULL);
    CHECK(o.result == TR_HTTP_READY);
    CHECK_STR(o.request.method, "POST");
    CHECK_STR(o.request.target, "/mcp?a=b?c");
    CHECK_STR(o.request.path, "/mcp");
    CHECK_STR(o.request.query, "a=b?c");
    CHECK_STR(o.request.host, "localhost:8000");
    CHECK_STR(o.request.body, "hello");
    CHECK_INT(o.request.minor, 1);
    CHECK(o.request.keep_alive);
    CHECK_INT(o.left, 3);
    CHECK_INT(o.request.header_count, 5);
    CHECK_STR(tr_http_header(&o.request, TR_STR("Content-Type")),
              "application/json");
    CHECK_STR(tr_http_header(&o.request, TR_STR("x-space")), "a b");
    tr_str empty = TR_STR("?");
    CHECK(tr_http_header_find(&o.request, TR_STR("X-EMPTY"), &empty));
    CHECK_INT(empty.len, 0);
    CHECK(!tr_http_header_find(&o.request, TR_STR("X-None"), &empty));
    CHECK_STR(tr_http_header_at(&o.request, 1).name, "content-TYPE");
}

static const struct {
    const char *text;
    const char *path;
    const char *query;
    const char *host;
} targets[] = {
    {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "/", "", "h"},
    {"GET /? HTTP/1.1\r\nHost: h\r\n\r\n", "/", "", "h"},
    {"GET /a/%41;b?x=%20&y HTTP/1.1\r\nHost: h\r\n\r\n", "/a/%41;b", "x=%20&y",
     "h"},
    {"GET //a HTTP/1.1\r\nHost: h\r\n\r\n", "//a", "", "h"},
    {"GET http://x:1/a?b HTTP/1.1\r\nHost: h\r\n\r\n", "/a", "b", "x:1"},
    {"GET HTTP://[::1]:8/ HTTP/1.1\r\nHost: h\r\n\r\n", "/", "", "[::1]:8"},
    {"GET https://x?b HTTP/1.1\r\nHost: h\r\n\r\n", "/", "b", "x"},
    {"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*", "", "h"},
    {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "/", "", ""},
    {"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "/", "", "[::1]:80"},
    {"\r\nGET / HTTP/1.7\r\nHost: h\r\n\r\n", "/", "", "h"},
    {"GET / HTTP/1.0\r\n\r\n", "/", "", ""},
};

TEST(http_reader_knows_the_forms_of_a_target)
{
    struct outcome o;
    for (size_t i = 0; i < TR_LEN(targets); i++) {
        feed(&o, tr_str_from(targets[i].text), 3, NULL);
        CHECK_ROW(o.result == TR_HTTP_READY, targets[i].text);
        CHECK_STR(o.request.path, targets[i].path);
        CHECK_STR(o.request.query, targets[i].query);
        CHECK_STR(o.request.host, targets[i].host);
    }
}

static const struct {
    const char *text;
    bool keep_alive;
} connections[] = {
    {"GET / HTTP/1.1\r\n" HOST "\r\n", true},
    {"GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n", false},
    {"GET / HTTP/1.1\r\n" HOST "Connection: TE, Close\r\n\r\n", false},
    {"GET / HTTP/1.1\r\n" HOST "Connection: TE\r\nConnection: close\r\n\r\n",
     false},
    {"GET / HTTP/1.1\r\n" HOST "Connection: keep-alive, close\r\n\r\n", false},
    {"GET / HTTP/1.1\r\n" HOST "Connection: closed\r\n\r\n", true},
    {"GET / HTTP/1.0\r\n\r\n", false},
    {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true},
    {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false},
};

TEST(http_reader_knows_when_a_connection_stays_open)
{
    struct outcome o;
    for (size_t i = 0; i < TR_LEN(connections); i++) {
        feed(&o, tr_str_from(connections[i].text), 10000, NULL);
        CHECK_ROW(o.result == TR_HTTP_READY, connections[i].text);
        CHECK_ROW(o.request.keep_alive == connections[i].keep_alive,
                  connections[i].text);
    }
}

static const struct {
    const char *body;
    const char *decoded;
    size_t left;
} chunked[] = {
    {"0\r\n\r\n", "", 0},
    {"5\r\nhello\r\n0\r\n\r\n", "hello", 0},
    {"05\r\nhello\r\n000\r\n\r\nGET", "hello", 3},
    {"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\nG", "hello", 1},
    {"A\r\n0123456789\r\nb\r\nabcdefghijk\r\n0\r\n\r\n",
     "0123456789abcdefghijk", 0},
    {"1;a=b;c=\"d e\"\r\nx\r\n0;z\r\nT: v\r\nU:\r\n\r\nGET /", "x", 5},
};

TEST(http_reader_takes_the_framing_out_of_chunks)
{
    struct outcome o;
    char text[512];
    for (size_t i = 0; i < TR_LEN(chunked); i++) {
        (void)snprintf(text, sizeof(text), CHUNKED "%s", chunked[i].body);
        for (size_t step = 1; step <= strlen(text); step++) {
            feed(&o, tr_str_from(text), step, NULL);
            CHECK_ROW(o.result == TR_HTTP_READY, chunked[i].body);
            CHECK_STR(o.request.body, chunked[i].decoded);
            CHECK_INT(o.left, chunked[i].left);
            if (o.left && o.len > o.reader.at)
                CHECK_ROW(o.bytes[o.reader.at] == 'G', chunked[i].body);
        }
    }
}

TEST(http_reader_tells_once_that_the_peer_waits_for_100)
{
    struct outcome o;
    feed(&o,
         TR_STR("POST / HTTP/1.1\r\n" HOST
                "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n"),
         10000, NULL);
    CHECK(o.result == TR_HTTP_MORE);
    CHECK(tr_http_reader_continues(&o.reader));
    CHECK(!tr_http_reader_continues(&o.reader));
    CHECK_INT(tr_http_reader_missing(&o.reader, o.len), 2);

    feed(&o,
         TR_STR("POST / HTTP/1.0\r\nExpect: 100-continue\r\n"
                "Content-Length: 2\r\n\r\n"),
         10000, NULL);
    CHECK(o.result == TR_HTTP_MORE);
    CHECK(!tr_http_reader_continues(&o.reader));

    feed(&o, TR_STR("POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"),
         10000, NULL);
    CHECK(!tr_http_reader_continues(&o.reader));
}

static const struct tr_http_limits small = {
    .line_bytes = 20, .head_bytes = 40, .headers = 2, .body_bytes = 5};

static const struct refusal limits[] = {
    {"GET /1234 HTTP/1.1\r\n" HOST "\r\n", 0},
    {"GET /12345 HTTP/1.1\r\n" HOST "\r\n", 414},
    {"GET /1234567890123456789012345", 414},
    {"GET / HTTP/1.1\r\n" HOST "A: 345678901234567890123456\r\n\r\n", 0},
    {"GET / HTTP/1.1\r\n" HOST "A: 3456789012345678901234567\r\n\r\n", 431},
    {"GET / HTTP/1.1\r\n" HOST "A: 34567890123456789012345678901", 431},
    {"GET / HTTP/1.1\r\n" HOST "A: 1\r\n\r\n", 0},
    {"GET / HTTP/1.1\r\n" HOST "A: 1\r\nB: 2\r\n\r\n", 431},
    {"PUT / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n12345", 0},
    {"PUT / HTTP/1.1\r\n" HOST "Content-Length: 6\r\n\r\n123456", 413},
};

TEST(http_reader_keeps_each_limit_to_the_byte)
{
    struct outcome o;
    for (size_t i = 0; i < TR_LEN(limits); i++) {
        for (size_t step = 1; step < 80; step++) {
            feed(&o, tr_str_from(limits[i].text), step, &small);
            CHECK_ROW(o.refused == limits[i].status, limits[i].text);
            CHECK_ROW((o.result == TR_HTTP_READY) == (limits[i].status == 0),
                      limits[i].text);
        }
    }
}

static const struct tr_http_limits small_chunks = {
    .line_bytes = 64, .head_bytes = 64, .headers = 4, .body_bytes = 5};

static const struct refusal chunk_limits[] = {
    {CHUNKED "3\r\n123\r\n2\r\n45\r\n0\r\n\r\n", 0},
    {CHUNKED "3\r\n123\r\n3\r\n456\r\n0\r\n\r\n", 413},
    {CHUNKED "0\r\nA: 456789\r\nB: 456789\r\nC: 456789\r\n\r\n", 0},
    {CHUNKED "0\r\nA: 456789\r\nB: 456789\r\nC: 456789\r\nD: 456789\r\n"
             "E: 456789\r\nF: 456789\r\n\r\n",
     431},
};

TEST(http_reader_bounds_chunks_and_trailers)
{
    struct outcome o;
    for (size_t i = 0; i < TR_LEN(chunk_limits); i++) {
        for (size_t step = 1; step < 150; step++) {
            feed(&o, tr_str_from(chunk_limits[i].text), step, &small_chunks);
            CHECK_ROW(o.refused == chunk_limits[i].status,
                      chunk_limits[i].text);
        }
    }
}

/* Extensions may say anything, but not for ever. */
TEST(http_reader_bounds_chunk_extensions)
{
    struct outcome o;
    char text[1024];
    for (size_t len = 200; len < 300; len++) {
        (void)snprintf(text, sizeof(text), CHUNKED "0;%0*d\r\n\r\n", (int)len,
                       0);
        feed(&o, tr_str_from(text), len % 50 + 1, NULL);
        CHECK_INT(o.refused, len + 4 > TR_LIMIT_HTTP_CHUNK_LINE ? 400 : 0);
    }
}

/* However it is cut, who waits for the head is told of it before the body. */
TEST(http_reader_tells_once_that_the_head_is_there)
{
    static const struct {
        tr_str text;
        size_t heads;
    } rows[] = {
        {TR_STR_INIT("POST / HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab"),
         1},
        {TR_STR_INIT("POST / HTTP/1.1\r\n" HOST
                     "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
         1},
        {TR_STR_INIT("POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"),
         0},
        {TR_STR_INIT("GET / HTTP/1.1\r\n" HOST "\r\n"), 0},
    };
    struct outcome o;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        for (size_t step = 1; step <= rows[i].text.len; step++) {
            feed(&o, rows[i].text, step, NULL);
            CHECK(o.result == TR_HTTP_READY);
            CHECK_INT(o.heads, rows[i].heads);
            CHECK(o.request.has_body == (rows[i].heads == 1));
        }
    }
}

/* The next message in the same buffer is read as if it were alone. */
TEST(http_reader_starts_again_after_a_message)
{
    struct outcome o;
    feed(&o,
         TR_STR("GET /one HTTP/1.1\r\n" HOST "A: 1\r\n\r\n"
                "GET /two HTTP/1.1\r\n" HOST "\r\n"),
         10000, NULL);
    CHECK_STR(o.request.path, "/one");
    o.len -= o.reader.at;
    memmove(o.bytes, o.bytes + o.reader.at, o.len);
    tr_http_reader_reset(&o.reader);
    CHECK(tr_http_reader_feed(&o.reader, o.bytes, &o.len) == TR_HTTP_READY);
    tr_http_reader_request(&o.reader, o.bytes, &o.request);
    CHECK_STR(o.request.path, "/two");
    CHECK_INT(o.request.header_count, 1);
    CHECK_INT(o.reader.at, o.len);
}
