/* Random requests in random pieces, and random bytes in their place. */
#include "base/buf.h"
#include "base/test.h"
#include "http/reader.h"

#define ROUNDS 40000

struct made {
    char text[16384]; /* on the wire */
    size_t len;
    char body[4096];
    size_t body_len;
    char path[64];
    unsigned headers;
};

static void put(struct made *m, const char *text)
{
    size_t len = strlen(text);
    memcpy(m->text + m->len, text, len);
    m->len += len;
}

static void put_random_word(struct made *m, size_t max)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFXYZ0123-_.";
    size_t len = 1 + tr_test_random_below(max);
    for (size_t i = 0; i < len; i++)
        m->text[m->len++] = letters[tr_test_random_below(sizeof(letters) - 1)];
}

static void put_headers(struct made *m)
{
    m->headers = 1 + (unsigned)tr_test_random_below(20);
    put(m, "Host: example\r\n");
    for (unsigned i = 1; i < m->headers; i++) {
        put(m, "x-");
        put_random_word(m, 12);
        put(m, tr_test_random_below(2) ? ": " : ":");
        put_random_word(m, 40);
        put(m, "\r\n");
    }
}

static void put_chunks(struct made *m)
{
    char line[64];
    size_t at = 0;
    put(m, "Transfer-Encoding: chunked\r\n\r\n");
    while (at < m->body_len) {
        size_t size = 1 + tr_test_random_below(m->body_len - at);
        (void)snprintf(line, sizeof(line), "%zx%s\r\n", size,
                       tr_test_random_below(4) ? "" : ";ext=1");
        put(m, line);
        memcpy(m->text + m->len, m->body + at, size);
        m->len += size;
        put(m, "\r\n");
        at += size;
    }
    put(m, tr_test_random_below(3) ? "0\r\n\r\n" : "0\r\nTrailer: x\r\n\r\n");
}

static void make(struct made *m)
{
    char line[64];
    m->len = 0;
    m->body_len = tr_test_random_below(3) ? tr_test_random_below(2000) : 0;
    for (size_t i = 0; i < m->body_len; i++)
        m->body[i] = (char)tr_test_random();
    (void)snprintf(m->path, sizeof(m->path), "/p%u",
                   (unsigned)tr_test_random_below(100000));
    put(m, tr_test_random_below(2) ? "POST " : "PUT ");
    put(m, m->path);
    put(m, " HTTP/1.1\r\n");
    put_headers(m);
    m->headers++;
    if (tr_test_random_below(2)) {
        put_chunks(m);
        return;
    }
    (void)snprintf(line, sizeof(line), "Content-Length: %zu\r\n\r\n",
                   m->body_len);
    put(m, line);
    memcpy(m->text + m->len, m->body, m->body_len);
    m->len += m->body_len;
}

/* Passes over the end of the head, which is told once at most. */
static enum tr_http_read read_on(struct tr_http_reader *reader, char *bytes,
                                 size_t *len)
{
    enum tr_http_read result = tr_http_reader_feed(reader, bytes, len);
    if (result == TR_HTTP_HEAD)
        result = tr_http_reader_feed(reader, bytes, len);
    CHECK(result != TR_HTTP_HEAD);
    return result;
}

/* Feeds random pieces, each time from a buffer that ends where they do. */
static enum tr_http_read feed(struct tr_http_reader *reader, tr_str text,
                              struct tr_buf *in)
{
    enum tr_http_read result = TR_HTTP_MORE;
    size_t most = 1 + tr_test_random_below(text.len + 1);
    tr_buf_clear(in);
    while (text.len && result == TR_HTTP_MORE) {
        size_t count = 1 + tr_test_random_below(most);
        if (count > text.len)
            count = text.len;
        tr_buf_put(in, (tr_str){text.ptr, count});
        CHECK(in->failed == TR_OK);
        text = tr_str_skip(text, count);
        result = read_on(reader, in->ptr, &in->len);
        CHECK(reader->at <= in->len);
    }
    return result;
}

TEST(http_reader_reads_random_requests_in_random_pieces)
{
    static struct made m;
    struct tr_http_reader reader;
    struct tr_http_request request;
    struct tr_buf in;
    tr_buf_init(&in, 1 << 20);
    tr_http_reader_init(&reader, NULL);
    for (size_t i = tr_test_scaled(ROUNDS); i > 0; i--) {
        make(&m);
        tr_http_reader_reset(&reader);
        CHECK(feed(&reader, (tr_str){m.text, m.len}, &in) == TR_HTTP_READY);
        tr_http_reader_request(&reader, in.ptr, &request);
        CHECK_STR(request.path, m.path);
        CHECK_INT(request.header_count, m.headers);
        CHECK(tr_str_eq(request.body, (tr_str){m.body, m.body_len}));
        CHECK_INT(reader.at, in.len);
    }
    tr_buf_done(&in);
}

/* However it is cut, a message has one meaning. */
TEST(http_reader_gives_changed_bytes_one_meaning_however_they_are_cut)
{
    static struct made m;
    static char copy[sizeof(m.text)];
    struct tr_http_reader whole;
    struct tr_http_reader pieces;
    struct tr_buf in;
    tr_buf_init(&in, 1 << 20);
    tr_http_reader_init(&whole, NULL);
    tr_http_reader_init(&pieces, NULL);
    for (size_t i = tr_test_scaled(ROUNDS); i > 0; i--) {
        make(&m);
        for (size_t n = 1 + tr_test_random_below(3); n > 0; n--)
            m.text[tr_test_random_below(m.len)] = (char)tr_test_random();
        size_t len = m.len;
        memcpy(copy, m.text, len);
        tr_http_reader_reset(&whole);
        tr_http_reader_reset(&pieces);
        enum tr_http_read expected = read_on(&whole, copy, &len);
        enum tr_http_read actual = feed(&pieces, (tr_str){m.text, m.len}, &in);
        CHECK_INT(actual, expected);
        CHECK_INT(pieces.refused, whole.refused);
        if (actual != TR_HTTP_READY)
            continue;
        CHECK_INT(pieces.at, whole.at);
        CHECK_INT(pieces.body_len, whole.body_len);
        CHECK(memcmp(in.ptr, copy, whole.at) == 0);
    }
    tr_buf_done(&in);
}
