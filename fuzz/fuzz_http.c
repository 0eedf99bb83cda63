/*
 * Any bytes as HTTP, in pieces that the first bytes decide: the pieces must not
 * change what is read, and what is read must keep its promises.
 */
#include "http/bytes.h"
#include "http/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void must_be_inside(tr_str view, const char *bytes, size_t len)
{
    if (view.len)
        must(view.ptr >= bytes && view.len <= len &&
             (size_t)(view.ptr - bytes) <= len - view.len);
}

static void check_request(const struct tr_http_reader *reader,
                          const char *bytes, size_t len)
{
    struct tr_http_request request;
    tr_http_reader_request(reader, bytes, &request);
    must_be_inside(request.method, bytes, len);
    must_be_inside(request.target, bytes, len);
    must_be_inside(request.query, bytes, len);
    must_be_inside(request.host, bytes, len);
    must_be_inside(request.body, bytes, len);
    must(request.method.len && tr_http_all(request.method, TR_HTTP_TOKEN));
    must(request.path.len > 0 && tr_http_all(request.path, TR_HTTP_TARGET));
    must(request.path.ptr[0] == '/' || request.path.len == 1);
    must(tr_http_all(request.host, TR_HTTP_HOST));
    must(request.body.len <= reader->limits.body_bytes);
    must(request.header_count <= reader->limits.headers);
    for (size_t i = 0; i < request.header_count; i++) {
        tr_http_field field = tr_http_header_at(&request, i);
        tr_str first = {NULL, 0};
        must_be_inside(field.name, bytes, len);
        must_be_inside(field.value, bytes, len);
        must(field.name.len && tr_http_all(field.name, TR_HTTP_TOKEN));
        must(tr_http_all(field.value, TR_HTTP_VALUE));
        must(tr_http_header_find(&request, field.name, &first));
    }
}

/* The bytes end where the memory does, so that reading past them is found. */
struct input {
    char *bytes;
    size_t len;
};

static void append(struct input *in, const uint8_t *data, size_t size)
{
    char *bytes = calloc(in->len + size + 1, 1);
    must(bytes != NULL);
    if (in->len)
        memcpy(bytes, in->bytes, in->len);
    memcpy(bytes + in->len, data, size);
    free(in->bytes);
    in->bytes = bytes;
    in->len += size;
}

/* `cut` of 0 feeds all at once. */
static enum tr_http_read feed(struct tr_http_reader *reader, struct input *in,
                              tr_str data, uint8_t cut)
{
    enum tr_http_read result = TR_HTTP_MORE;
    while (data.len && result == TR_HTTP_MORE) {
        size_t count = cut ? (size_t)(cut % 61) + 1 : data.len;
        if (count > data.len)
            count = data.len;
        append(in, (const uint8_t *)data.ptr, count);
        data = tr_str_skip(data, count);
        result = tr_http_reader_feed(reader, in->bytes, &in->len);
        if (result == TR_HTTP_HEAD)
            result = tr_http_reader_feed(reader, in->bytes, &in->len);
        must(result != TR_HTTP_HEAD);
        must(reader->at <= in->len);
        cut = cut ? (uint8_t)(cut * 5 + 7) | 1 : 0;
    }
    must((result == TR_HTTP_REFUSED) == (reader->refused != 0));
    if (result == TR_HTTP_READY)
        check_request(reader, in->bytes, in->len);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tr_http_limits small = {
        .line_bytes = 100, .head_bytes = 300, .headers = 8, .body_bytes = 200};
    struct tr_http_reader whole;
    struct tr_http_reader pieces;
    struct input one = {0};
    struct input many = {0};
    if (size < 2)
        return 0;
    const struct tr_http_limits *limits = data[0] & 1 ? &small : NULL;
    tr_str rest = {(const char *)data + 2, size - 2};
    tr_http_reader_init(&whole, limits);
    tr_http_reader_init(&pieces, limits);
    enum tr_http_read expected = feed(&whole, &one, rest, 0);
    enum tr_http_read actual = feed(&pieces, &many, rest, data[1] | 1);
    must(actual == expected && pieces.refused == whole.refused);
    if (actual == TR_HTTP_READY) {
        must(pieces.at == whole.at && pieces.body_len == whole.body_len);
        must(memcmp(many.bytes, one.bytes, whole.at) == 0);
    }
    free(one.bytes);
    free(many.bytes);
    return 0;
}
