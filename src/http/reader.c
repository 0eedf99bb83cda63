#include "http/reader.h"

#include "base/ascii.h"
#include "http/bytes.h"
#include "http/head.h"

void tr_http_reader_init(struct tr_http_reader *reader,
                         const struct tr_http_limits *limits)
{
    struct tr_http_limits own = limits ? *limits : (struct tr_http_limits){0};
    if (own.line_bytes == 0)
        own.line_bytes = TR_LIMIT_HTTP_LINE;
    if (own.head_bytes == 0)
        own.head_bytes = TR_LIMIT_HTTP_HEAD;
    if (own.headers == 0 || own.headers > TR_LIMIT_HTTP_HEADERS)
        own.headers = TR_LIMIT_HTTP_HEADERS;
    if (own.body_bytes == 0)
        own.body_bytes = TR_LIMIT_HTTP_BODY;
    /* Offsets into the head have 32 bits. */
    if (own.line_bytes > TR_MIB(16))
        own.line_bytes = TR_MIB(16);
    if (own.head_bytes > TR_MIB(16))
        own.head_bytes = TR_MIB(16);
    reader->limits = own;
    tr_http_reader_reset(reader);
}

/* Clears all but the limits and the spans; header_count says which count. */
void tr_http_reader_reset(struct tr_http_reader *reader)
{
    size_t from = offsetof(struct tr_http_reader, state);
    size_t to = offsetof(struct tr_http_reader, spans);
    memset((char *)reader + from, 0, to - from);
}

/* How the search for the end of a line went. */
enum line { LINE_FOUND, LINE_OPEN, LINE_LONG, LINE_BAD };

/*
 * The line at reader->at; `*len` is its length without CRLF. `max` bounds it
 * together with the lines of its block, and is checked first: a line that is
 * too long is refused, whether its end has arrived or not.
 */
static enum line find_line(struct tr_http_reader *reader, tr_str all,
                           size_t max, size_t *len)
{
    const char *from = all.ptr + reader->scanned;
    const char *end = NULL;
    if (all.len > reader->scanned)
        end = memchr(from, '\n', all.len - reader->scanned);
    size_t stop = end ? (size_t)(end - all.ptr) + 1 : all.len;
    if (reader->block_len + (stop - reader->at) > max)
        return LINE_LONG;
    if (!end) {
        reader->scanned = all.len;
        return LINE_OPEN;
    }
    size_t with_cr = stop - 1 - reader->at;
    if (with_cr == 0 || all.ptr[stop - 2] != '\r')
        return LINE_BAD;
    *len = with_cr - 1;
    return LINE_FOUND;
}

/* Moves past a line of `len` bytes and its end. */
static void next_line(struct tr_http_reader *reader, size_t len)
{
    reader->at += len + 2;
    reader->scanned = reader->at;
    reader->block_len += len + 2;
}

/* RFC 9112, section 2.2: one empty line may stand before the request. */
static enum tr_http_read at_start(struct tr_http_reader *reader, tr_str all)
{
    if (all.len > 0 && all.ptr[0] == '\r') {
        if (all.len == 1)
            return TR_HTTP_MORE;
        if (all.ptr[1] != '\n')
            return tr_http_refuse(reader, 400, "bare CR");
        reader->at = 2;
    }
    if (all.len <= reader->at) {
        reader->at = 0;
        return TR_HTTP_MORE;
    }
    /* Refuses TLS and other protocols with their first byte. */
    if (!tr_http_is(all.ptr[reader->at], TR_HTTP_TOKEN))
        return tr_http_refuse(reader, 400, "bad method");
    reader->scanned = reader->at;
    reader->state = TR_HTTP_AT_LINE;
    return TR_HTTP_MORE;
}

static enum tr_http_read at_line(struct tr_http_reader *reader, tr_str all)
{
    size_t len = 0;
    switch (find_line(reader, all, reader->limits.line_bytes, &len)) {
    case LINE_OPEN:
        return TR_HTTP_MORE;
    case LINE_LONG:
        return tr_http_refuse(reader, 414, "the request line is too long");
    case LINE_BAD:
        return tr_http_refuse(reader, 400, "bare LF");
    case LINE_FOUND:
        break;
    }
    if (tr_http_head_line(reader, all.ptr, len) == TR_HTTP_REFUSED)
        return TR_HTTP_REFUSED;
    next_line(reader, len);
    reader->block_len = 0;
    reader->state = TR_HTTP_AT_FIELD;
    return TR_HTTP_MORE;
}

static enum tr_http_read finish(struct tr_http_reader *reader)
{
    reader->state = TR_HTTP_AT_END;
    return TR_HTTP_READY;
}

static enum tr_http_read end_head(struct tr_http_reader *reader)
{
    if (tr_http_head_end(reader) == TR_HTTP_REFUSED)
        return TR_HTTP_REFUSED;
    reader->body = reader->at;
    reader->block_len = 0;
    if (reader->is_chunked)
        reader->state = TR_HTTP_AT_CHUNK;
    else if (reader->need > 0)
        reader->state = TR_HTTP_AT_BODY;
    else
        return finish(reader);
    return TR_HTTP_HEAD;
}

/* Header lines and trailer lines differ in what is done with them. */
static enum tr_http_read at_field(struct tr_http_reader *reader, tr_str all)
{
    bool trailer = reader->state == TR_HTTP_AT_TRAILER;
    size_t len = 0;
    switch (find_line(reader, all, reader->limits.head_bytes, &len)) {
    case LINE_OPEN:
        return TR_HTTP_MORE;
    case LINE_LONG:
        return tr_http_refuse(reader, 431, "the headers are too long");
    case LINE_BAD:
        return tr_http_refuse(reader, 400, "bare LF");
    case LINE_FOUND:
        break;
    }
    if (len == 0) {
        next_line(reader, 0);
        return trailer ? finish(reader) : end_head(reader);
    }
    enum tr_http_read result = trailer
                                   ? tr_http_head_trailer(reader, all.ptr, len)
                                   : tr_http_head_field(reader, all.ptr, len);
    if (result != TR_HTTP_REFUSED)
        next_line(reader, len);
    return result;
}

/* Its head was told of before: who may not ask is told that first. */
static enum tr_http_read at_body(struct tr_http_reader *reader, tr_str all)
{
    if (reader->need > reader->limits.body_bytes)
        return tr_http_refuse(reader, 413, "the body is too large");
    if (all.len - reader->body < reader->need)
        return TR_HTTP_MORE;
    reader->body_len = (size_t)reader->need;
    reader->at = reader->body + reader->body_len;
    return finish(reader);
}

/* RFC 9112, section 7.1: a size, and extensions, which are ignored. */
static enum tr_http_read read_chunk_size(struct tr_http_reader *reader,
                                         tr_str line)
{
    uint64_t size = 0;
    size_t digits = 0;
    while (digits < line.len && tr_ascii_hex_value(line.ptr[digits]) >= 0) {
        if (digits == 16)
            return tr_http_refuse(reader, 400, "bad chunk size");
        size = size * 16 + (unsigned)tr_ascii_hex_value(line.ptr[digits++]);
    }
    tr_str rest = tr_str_skip(line, digits);
    if (digits == 0 || !tr_http_all(rest, TR_HTTP_VALUE) ||
        (rest.len && rest.ptr[0] != ';'))
        return tr_http_refuse(reader, 400, "bad chunk size");
    if (size > reader->limits.body_bytes - reader->body_len)
        return tr_http_refuse(reader, 413, "the body is too large");
    reader->need = size;
    return TR_HTTP_MORE;
}

static enum tr_http_read at_chunk(struct tr_http_reader *reader, tr_str all)
{
    size_t len = 0;
    switch (find_line(reader, all, TR_LIMIT_HTTP_CHUNK_LINE, &len)) {
    case LINE_OPEN:
        return TR_HTTP_MORE;
    case LINE_LONG:
        return tr_http_refuse(reader, 400, "the chunk size line is too long");
    case LINE_BAD:
        return tr_http_refuse(reader, 400, "bare LF");
    case LINE_FOUND:
        break;
    }
    if (read_chunk_size(reader, (tr_str){all.ptr + reader->at, len}) ==
        TR_HTTP_REFUSED)
        return TR_HTTP_REFUSED;
    next_line(reader, len);
    reader->block_len = 0;
    reader->state = reader->need ? TR_HTTP_AT_DATA : TR_HTTP_AT_TRAILER;
    return TR_HTTP_MORE;
}

/* Moves the data down to the body that is there already. */
static enum tr_http_read at_data(struct tr_http_reader *reader, char *bytes,
                                 size_t len)
{
    size_t count = len - reader->at;
    if (count > reader->need)
        count = (size_t)reader->need;
    memmove(bytes + reader->body + reader->body_len, bytes + reader->at, count);
    reader->body_len += count;
    reader->at += count;
    reader->need -= count;
    if (reader->need == 0)
        reader->state = TR_HTTP_AT_DATA_END;
    return TR_HTTP_MORE;
}

static enum tr_http_read at_data_end(struct tr_http_reader *reader, tr_str all)
{
    size_t there = all.len - reader->at;
    if ((there > 0 && all.ptr[reader->at] != '\r') ||
        (there > 1 && all.ptr[reader->at + 1] != '\n'))
        return tr_http_refuse(reader, 400, "a chunk does not end");
    if (there < 2)
        return TR_HTTP_MORE;
    next_line(reader, 0);
    reader->block_len = 0;
    reader->state = TR_HTTP_AT_CHUNK;
    return TR_HTTP_MORE;
}

static enum tr_http_read step(struct tr_http_reader *reader, char *bytes,
                              size_t len)
{
    tr_str all = {bytes, len};
    switch (reader->state) {
    case TR_HTTP_AT_START:
        return at_start(reader, all);
    case TR_HTTP_AT_LINE:
        return at_line(reader, all);
    case TR_HTTP_AT_FIELD:
    case TR_HTTP_AT_TRAILER:
        return at_field(reader, all);
    case TR_HTTP_AT_BODY:
        return at_body(reader, all);
    case TR_HTTP_AT_CHUNK:
        return at_chunk(reader, all);
    case TR_HTTP_AT_DATA:
        return at_data(reader, bytes, len);
    case TR_HTTP_AT_DATA_END:
        return at_data_end(reader, all);
    case TR_HTTP_AT_END:
        break;
    }
    return reader->refused ? TR_HTTP_REFUSED : TR_HTTP_READY;
}

/* Closes the gap that the framing of chunks leaves behind the body. */
static size_t close_gap(struct tr_http_reader *reader, char *bytes, size_t len)
{
    size_t body_end = reader->body + reader->body_len;
    size_t gap = reader->at - body_end;
    memmove(bytes + body_end, bytes + reader->at, len - reader->at);
    reader->at -= gap;
    reader->scanned =
        reader->scanned > reader->at + gap ? reader->scanned - gap : reader->at;
    return len - gap;
}

enum tr_http_read tr_http_reader_feed(struct tr_http_reader *reader,
                                      char *bytes, size_t *len)
{
    enum tr_http_read result;
    enum tr_http_state state;
    size_t at;
    do {
        state = reader->state;
        at = reader->at;
        result = step(reader, bytes, *len);
    } while (result == TR_HTTP_MORE &&
             (state != reader->state || at != reader->at));
    if (reader->is_chunked && result != TR_HTTP_REFUSED && reader->body > 0 &&
        reader->at > reader->body + reader->body_len)
        *len = close_gap(reader, bytes, *len);
    return result;
}

size_t tr_http_reader_missing(const struct tr_http_reader *reader, size_t len)
{
    size_t there = len - reader->body;
    if (reader->state == TR_HTTP_AT_BODY && reader->need > there)
        return (size_t)reader->need - there;
    return 1;
}

bool tr_http_reader_continues(struct tr_http_reader *reader)
{
    bool asked = reader->expects_continue && reader->body > 0;
    if (asked)
        reader->expects_continue = false;
    return asked;
}

void tr_http_reader_request(const struct tr_http_reader *reader,
                            const char *bytes, struct tr_http_request *out)
{
    size_t line = reader->target - reader->method_len - 1;
    *out = (struct tr_http_request){
        .method = {bytes + line, reader->method_len},
        .target = {bytes + reader->target, reader->target_len},
        .body = {bytes + reader->body, reader->body_len},
        .minor = reader->minor,
        .has_body = reader->is_chunked || reader->need > 0,
        .keep_alive = reader->minor >= 1
                          ? !reader->wants_close
                          : reader->wants_keep_alive && !reader->wants_close,
        .header_count = reader->header_count,
        .bytes = bytes,
        .spans = reader->spans,
    };
    (void)tr_http_target_split(out->method, out->target, out);
    if (out->host.len == 0 && reader->has_host)
        out->host =
            (tr_str){bytes + reader->host.value, reader->host.value_len};
}
