#include "http/head.h"

#include "http/bytes.h"

enum tr_http_read tr_http_refuse(struct tr_http_reader *reader, int status,
                                 const char *why)
{
    reader->state = TR_HTTP_AT_END;
    reader->refused = status;
    reader->why = why;
    return TR_HTTP_REFUSED;
}

/* RFC 9112, section 2.3. A later 1.x is read as the highest we know, 1.1. */
static enum tr_http_read read_version(struct tr_http_reader *reader,
                                      tr_str text)
{
    if (text.len != 8 || !tr_str_starts(text, TR_STR("HTTP/")) ||
        text.ptr[5] < '0' || text.ptr[5] > '9' || text.ptr[6] != '.' ||
        text.ptr[7] < '0' || text.ptr[7] > '9')
        return tr_http_refuse(reader, 400, "bad protocol version");
    if (text.ptr[5] != '1')
        return tr_http_refuse(reader, 505, "only HTTP/1.0 and HTTP/1.1");
    reader->minor = text.ptr[7] == '0' ? 0 : 1;
    return TR_HTTP_MORE;
}

enum tr_http_read tr_http_head_line(struct tr_http_reader *reader,
                                    const char *bytes, size_t len)
{
    tr_str line = {bytes + reader->at, len};
    tr_str method;
    tr_str target;
    tr_str version;
    struct tr_http_request parts;

    if (!tr_str_cut(line, ' ', &method, &version) ||
        !tr_str_cut(version, ' ', &target, &version))
        return tr_http_refuse(reader, 400, "bad request line");
    if (method.len == 0 || !tr_http_all(method, TR_HTTP_TOKEN))
        return tr_http_refuse(reader, 400, "bad method");
    if (read_version(reader, version) == TR_HTTP_REFUSED)
        return TR_HTTP_REFUSED;
    if (tr_str_eq(method, TR_STR("CONNECT")))
        return tr_http_refuse(reader, 501, "CONNECT is not supported");
    if (target.len == 0 || !tr_http_all(target, TR_HTTP_TARGET) ||
        !tr_http_target_split(method, target, &parts))
        return tr_http_refuse(reader, 400, "bad request target");
    reader->method_len = (uint32_t)method.len;
    reader->target = (uint32_t)(target.ptr - bytes);
    reader->target_len = (uint32_t)target.len;
    return TR_HTTP_MORE;
}

/* RFC 9110, section 5.6.3: OWS. tr_str_trim would take a CR as well. */
static tr_str trim(tr_str s)
{
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
        s = tr_str_skip(s, 1);
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
        s.len--;
    return s;
}

/* RFC 9110, section 7.6.1: a list of tokens; only these two concern us. */
static void read_connection(struct tr_http_reader *reader, tr_str list)
{
    tr_str item;
    while (list.len) {
        if (!tr_str_cut(list, ',', &item, &list)) {
            item = list;
            list.len = 0;
        }
        item = trim(item);
        if (tr_http_same_name(item, TR_STR("close")))
            reader->wants_close = true;
        else if (tr_http_same_name(item, TR_STR("keep-alive")))
            reader->wants_keep_alive = true;
    }
}

/* RFC 9110, section 8.6: digits alone; a second one may be refused, and is. */
static enum tr_http_read read_length(struct tr_http_reader *reader, tr_str text)
{
    uint64_t length = 0;
    if (reader->has_length)
        return tr_http_refuse(reader, 400, "two Content-Length headers");
    if (text.len == 0)
        return tr_http_refuse(reader, 400, "bad Content-Length");
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(text.ptr[i] - '0');
        if (digit > 9 || length > (UINT64_MAX - digit) / 10)
            return tr_http_refuse(reader, 400, "bad Content-Length");
        length = length * 10 + digit;
    }
    reader->has_length = true;
    reader->need = length;
    return TR_HTTP_MORE;
}

/* RFC 9112, section 6.1: chunked alone, and once, or not at all. */
static enum tr_http_read read_coding(struct tr_http_reader *reader, tr_str text)
{
    if (reader->is_chunked)
        return tr_http_refuse(reader, 400, "two Transfer-Encoding headers");
    if (!tr_http_same_name(text, TR_STR("chunked")))
        return tr_http_refuse(reader, 501, "only the transfer coding chunked");
    reader->is_chunked = true;
    return TR_HTTP_MORE;
}

static enum tr_http_read read_host(struct tr_http_reader *reader, tr_str text,
                                   const struct tr_http_span *span)
{
    if (reader->has_host)
        return tr_http_refuse(reader, 400, "two Host headers");
    if (!tr_http_all(text, TR_HTTP_HOST))
        return tr_http_refuse(reader, 400, "bad Host");
    reader->has_host = true;
    reader->host = *span;
    return TR_HTTP_MORE;
}

static enum tr_http_read read_expect(struct tr_http_reader *reader, tr_str text)
{
    if (!tr_http_same_name(text, TR_STR("100-continue")))
        return tr_http_refuse(reader, 417, "unknown expectation");
    reader->expects_continue = true;
    return TR_HTTP_MORE;
}

/* Fields that decide how to read on; the length rules most others out. */
static enum tr_http_read read_framing(struct tr_http_reader *reader,
                                      tr_str name, tr_str value,
                                      const struct tr_http_span *span)
{
    switch (name.len) {
    case 4:
        if (tr_http_same_name(name, TR_STR("host")))
            return read_host(reader, value, span);
        break;
    case 6:
        if (tr_http_same_name(name, TR_STR("expect")))
            return read_expect(reader, value);
        break;
    case 10:
        if (tr_http_same_name(name, TR_STR("connection")))
            read_connection(reader, value);
        break;
    case 14:
        if (tr_http_same_name(name, TR_STR("content-length")))
            return read_length(reader, value);
        break;
    case 17:
        if (tr_http_same_name(name, TR_STR("transfer-encoding")))
            return read_coding(reader, value);
        break;
    default:
        break;
    }
    return TR_HTTP_MORE;
}

/* RFC 9112, section 5.1: no space before the colon; 5.2: no folding. */
static enum tr_http_read split_field(struct tr_http_reader *reader, tr_str line,
                                     tr_http_field *out)
{
    size_t len = 0;
    if (line.ptr[0] == ' ' || line.ptr[0] == '\t')
        return tr_http_refuse(reader, 400, "folded header line");
    while (len < line.len && tr_http_is(line.ptr[len], TR_HTTP_TOKEN))
        len++;
    if (len == 0 || len == line.len || line.ptr[len] != ':')
        return tr_http_refuse(reader, 400, "bad header name");
    out->name = (tr_str){line.ptr, len};
    out->value = trim(tr_str_skip(line, len + 1));
    if (!tr_http_all(out->value, TR_HTTP_VALUE))
        return tr_http_refuse(reader, 400, "bad header value");
    return TR_HTTP_MORE;
}

enum tr_http_read tr_http_head_field(struct tr_http_reader *reader,
                                     const char *bytes, size_t len)
{
    tr_http_field field;
    if (reader->header_count == reader->limits.headers)
        return tr_http_refuse(reader, 431, "too many headers");
    if (split_field(reader, (tr_str){bytes + reader->at, len}, &field) ==
        TR_HTTP_REFUSED)
        return TR_HTTP_REFUSED;
    struct tr_http_span *span = &reader->spans[reader->header_count++];
    span->name = (uint32_t)(field.name.ptr - bytes);
    span->name_len = (uint32_t)field.name.len;
    span->value = (uint32_t)(field.value.ptr - bytes);
    span->value_len = (uint32_t)field.value.len;
    return read_framing(reader, field.name, field.value, span);
}

/* A trailer is checked as strictly as a header, then dropped. */
enum tr_http_read tr_http_head_trailer(struct tr_http_reader *reader,
                                       const char *bytes, size_t len)
{
    tr_http_field field;
    return split_field(reader, (tr_str){bytes + reader->at, len}, &field);
}

enum tr_http_read tr_http_head_end(struct tr_http_reader *reader)
{
    if (reader->minor >= 1 && !reader->has_host)
        return tr_http_refuse(reader, 400, "no Host header");
    if (reader->is_chunked && reader->has_length)
        return tr_http_refuse(reader, 400,
                              "both Content-Length and Transfer-Encoding");
    if (reader->is_chunked && reader->minor == 0)
        return tr_http_refuse(reader, 400, "Transfer-Encoding in HTTP/1.0");
    /* RFC 9110, section 10.1.1: HTTP/1.0 has no expectations. */
    reader->expects_continue = reader->expects_continue && reader->minor >= 1;
    return TR_HTTP_MORE;
}
