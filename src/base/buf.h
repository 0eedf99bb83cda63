/*
 * base/buf.h - bytes that grow up to a maximum.
 *
 * There is no buffer without a maximum. Failures stick: after the first one
 * nothing more is written, and tr_buf_check tells of it, so a sequence of puts
 * is checked once. The caller owns the struct; tr_buf_done releases the bytes.
 */
#ifndef TR_BASE_BUF_H
#define TR_BASE_BUF_H

#include "base/err.h"

struct tr_buf {
    char *ptr;
    size_t len;
    size_t cap;       /* bytes that may be used; none more after a failure */
    size_t held;      /* bytes at `ptr` */
    size_t max;       /* bytes it may ever hold */
    tr_status failed; /* TR_OK until something did not fit */
    bool borrowed;    /* `ptr` is the caller's and does not grow */
};

/* Takes no memory until the first byte is written. */
void tr_buf_init(struct tr_buf *buf, size_t max_bytes);

/* Writes into the caller's `storage`, which is its maximum. */
void tr_buf_init_fixed(struct tr_buf *buf, char *storage, size_t size);

void tr_buf_done(struct tr_buf *buf);

/* Empties it and forgets a failure; keeps the memory. */
void tr_buf_clear(struct tr_buf *buf);

/* Makes room for `more` bytes; false, and sticky, when it cannot. */
bool tr_buf_grow(struct tr_buf *buf, size_t more);

/* Where `more` bytes may be written (then add to `len`), or NULL. */
static inline char *tr_buf_room(struct tr_buf *buf, size_t more)
{
    if (more > buf->cap - buf->len && !tr_buf_grow(buf, more))
        return NULL;
    return buf->ptr + buf->len;
}

static inline void tr_buf_put(struct tr_buf *buf, tr_str s)
{
    if (s.len == 0)
        return;
    char *to = tr_buf_room(buf, s.len);
    if (to) {
        memcpy(to, s.ptr, s.len);
        buf->len += s.len;
    }
}

static inline void tr_buf_putc(struct tr_buf *buf, char c)
{
    char *to = tr_buf_room(buf, 1);
    if (to) {
        *to = c;
        buf->len++;
    }
}

TR_PRINTF(2, 3)
void tr_buf_putf(struct tr_buf *buf, const char *format, ...);

/* A decimal integer. */
void tr_buf_put_i64(struct tr_buf *buf, int64_t value);

/*
 * `s` as a JSON string, quotes included: only what RFC 8259 section 7 asks for
 * is escaped. `s` must be UTF-8.
 */
void tr_buf_put_json(struct tr_buf *buf, tr_str s);

/* What is in it; borrowed until the next write. */
static inline tr_str tr_buf_str(const struct tr_buf *buf)
{
    return (tr_str){buf->ptr, buf->len};
}

/* TR_OK, TR_E_LIMIT over the maximum, or TR_E_NOMEM. */
TR_NODISCARD tr_status tr_buf_check(const struct tr_buf *buf,
                                    struct tr_err *err);

#endif
