#define TR_MAY_ALLOCATE
#include "base/buf.h"

#include "base/scan.h"

#include <stdarg.h>

#define FIRST_SIZE ((size_t)256)

void tr_buf_init(struct tr_buf *buf, size_t max_bytes)
{
    *buf = (struct tr_buf){.max = max_bytes};
}

void tr_buf_init_fixed(struct tr_buf *buf, char *storage, size_t size)
{
    *buf = (struct tr_buf){.ptr = storage,
                           .cap = size,
                           .held = size,
                           .max = size,
                           .borrowed = true};
}

void tr_buf_done(struct tr_buf *buf)
{
    if (!buf->borrowed)
        free(buf->ptr);
    tr_buf_init(buf, buf->max);
}

void tr_buf_clear(struct tr_buf *buf)
{
    buf->len = 0;
    buf->cap = buf->held;
    buf->failed = TR_OK;
}

/* A full buffer stays full: no later, shorter write may slip in. */
static bool fail(struct tr_buf *buf, tr_status why)
{
    buf->failed = why;
    buf->cap = buf->len;
    return false;
}

bool tr_buf_grow(struct tr_buf *buf, size_t more)
{
    if (buf->failed)
        return false;
    if (more > buf->max - buf->len)
        return fail(buf, TR_E_LIMIT);

    size_t needed = buf->len + more;
    size_t cap = buf->cap ? buf->cap : FIRST_SIZE;
    while (cap < needed)
        cap = cap > buf->max / 2 ? buf->max : cap * 2;
    if (cap > buf->max)
        cap = buf->max;
    char *moved = realloc(buf->ptr, cap);
    if (!moved)
        return fail(buf, TR_E_NOMEM);
    buf->ptr = moved;
    buf->cap = cap;
    buf->held = cap;
    return true;
}

void tr_buf_putf(struct tr_buf *buf, const char *format, ...)
{
    char small[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    if (len < 0)
        return;
    if ((size_t)len < sizeof(small)) {
        tr_buf_put(buf, (tr_str){small, (size_t)len});
        return;
    }
    char *whole = calloc(1, (size_t)len + 1);
    if (!whole) {
        (void)fail(buf, TR_E_NOMEM);
        return;
    }
    va_start(args, format);
    (void)vsnprintf(whole, (size_t)len + 1, format, args);
    va_end(args);
    tr_buf_put(buf, (tr_str){whole, (size_t)len});
    free(whole);
}

void tr_buf_put_i64(struct tr_buf *buf, int64_t value)
{
    char digits[20];
    size_t i = sizeof(digits);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        digits[--i] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        digits[--i] = '-';
    tr_buf_put(buf, (tr_str){digits + i, sizeof(digits) - i});
}

static void put_escape(struct tr_buf *buf, unsigned char c)
{
    static const char short_form[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

    if (c == '"' || c == '\\')
        tr_buf_put(buf, (tr_str){(char[]){'\\', (char)c}, 2});
    else if (short_form[c])
        tr_buf_put(buf, (tr_str){(char[]){'\\', short_form[c]}, 2});
    else
        tr_buf_putf(buf, "\\u%04x", c);
}

/* What a block may become, with what is copied beyond its end. */
#define BLOCK_ROOM ((size_t)3 * TR_SCAN_STEP)

/*
 * JSON in a JSON string is short pieces between quotes: each is copied as a
 * block of its own, and what is too much of it written over. Stops where the
 * room or the text ends, or at what is not a quote.
 */
static const char *put_blocks(struct tr_buf *buf, const char *at,
                              const char *end)
{
    while (end - at >= 2 * TR_SCAN_STEP && buf->cap - buf->len > BLOCK_ROOM) {
        char *to = buf->ptr + buf->len;
        const char *next = at + TR_SCAN_STEP;
        for (uint32_t marks = tr_scan_step(at, false); marks;
             marks &= marks - 1) {
            const char *mark = next - TR_SCAN_STEP + __builtin_ctz(marks);
            memcpy(to, at, TR_SCAN_STEP);
            to += mark - at;
            at = mark;
            if (*at != '"' && *at != '\\') {
                buf->len = (size_t)(to - buf->ptr);
                return at;
            }
            *to++ = '\\';
            *to++ = *at++;
        }
        memcpy(to, at, TR_SCAN_STEP);
        to += next - at;
        at = next;
        buf->len = (size_t)(to - buf->ptr);
    }
    return at;
}

void tr_buf_put_json(struct tr_buf *buf, tr_str s)
{
    const char *at = s.ptr;
    const char *end = s.len ? s.ptr + s.len : at;

    tr_buf_putc(buf, '"');
    while (at < end) {
        at = put_blocks(buf, at, end);
        const char *stop = tr_scan_plain(at, end);
        tr_buf_put(buf, (tr_str){at, (size_t)(stop - at)});
        at = stop;
        if (at < end)
            put_escape(buf, (unsigned char)*at++);
    }
    tr_buf_putc(buf, '"');
}

tr_status tr_buf_check(const struct tr_buf *buf, struct tr_err *err)
{
    if (buf->failed == TR_E_LIMIT)
        return tr_fail(err, TR_E_LIMIT, "more than %zu bytes", buf->max);
    if (buf->failed)
        return tr_fail(err, buf->failed, "no memory for %zu bytes", buf->len);
    return TR_OK;
}
