/*
 * json/writer.h - JSON text into a bounded buffer.
 *
 *     struct tr_json_writer w;
 *     tr_jw_init(&w, &buf);
 *     tr_jw_open(&w, '{');
 *     tr_jw_put_i64(&w, "id", 7);
 *     tr_jw_close(&w, '}');
 *     return tr_jw_finish(&w, err);
 *
 * Failures stick, and tr_jw_finish returns the first; so the body of a function
 * that writes looks like what it writes. Calls in an impossible order (a key
 * in an array, a wrong close) are programming errors and assert.
 */
#ifndef TR_JSON_WRITER_H
#define TR_JSON_WRITER_H

#include "base/buf.h"
#include "base/limits.h"
#include "json/json.h"

struct tr_json_writer {
    struct tr_buf *out;
    tr_status failed;
    unsigned depth;
    unsigned indent;  /* spaces per level; 0 writes everything on one line */
    bool needs_comma; /* a value stands before, at this level */
    bool after_key;   /* the next value belongs to a key */
    bool in_object;   /* what is open here is an object */
    const char *why;  /* what failed, when the buffer did not */
    bool outer[TR_LIMIT_NESTING]; /* `in_object` of the levels outside */
};

/* Appends to `out`, which must outlive the writer. Compact. */
void tr_jw_init(struct tr_json_writer *w, struct tr_buf *out);

/* As tr_jw_init, for people to read: two spaces per level. */
void tr_jw_init_pretty(struct tr_json_writer *w, struct tr_buf *out);

void tr_jw_open(struct tr_json_writer *w, char bracket);  /* '{' or '[' */
void tr_jw_close(struct tr_json_writer *w, char bracket); /* '}' or ']' */
void tr_jw_key_str(struct tr_json_writer *w, tr_str key);
static inline void tr_jw_key(struct tr_json_writer *w, const char *key)
{
    tr_jw_key_str(w, tr_str_from(key)); /* a literal costs no strlen */
}

/* `s` must be UTF-8; anything else fails. */
void tr_jw_string(struct tr_json_writer *w, tr_str s);
void tr_jw_i64(struct tr_json_writer *w, int64_t value);

/* The shortest text that reads back as the same double; not NaN, not Inf. */
void tr_jw_double(struct tr_json_writer *w, double value);
void tr_jw_bool(struct tr_json_writer *w, bool value);
void tr_jw_null(struct tr_json_writer *w);

/*
 * JSON text that is known to be well-formed, copied as it is. A line feed in it
 * fails: what is written may be sent as a line.
 */
void tr_jw_raw(struct tr_json_writer *w, tr_str json);

/* What a compact writer has written; nobody looks for a line feed again. */
void tr_jw_written(struct tr_json_writer *w, tr_str json);

/* A whole tree; numbers as they were written. */
void tr_jw_value(struct tr_json_writer *w, const struct tr_json *value);

/*
 * The same tree in its one canonical form: keys in byte order; integers
 * without a sign on zero; other numbers as the shortest double, or as they
 * were written when no double can hold them.
 */
void tr_jw_canonical(struct tr_json_writer *w, const struct tr_json *value);

/* Each writes a key and its value: what most members of an object are. */
static inline void tr_jw_put_string(struct tr_json_writer *w, const char *key,
                                    tr_str s)
{
    tr_jw_key(w, key);
    tr_jw_string(w, s);
}

static inline void tr_jw_put_i64(struct tr_json_writer *w, const char *key,
                                 int64_t value)
{
    tr_jw_key(w, key);
    tr_jw_i64(w, value);
}

static inline void tr_jw_put_double(struct tr_json_writer *w, const char *key,
                                    double value)
{
    tr_jw_key(w, key);
    tr_jw_double(w, value);
}

static inline void tr_jw_put_bool(struct tr_json_writer *w, const char *key,
                                  bool value)
{
    tr_jw_key(w, key);
    tr_jw_bool(w, value);
}

static inline void tr_jw_put_null(struct tr_json_writer *w, const char *key)
{
    tr_jw_key(w, key);
    tr_jw_null(w);
}

static inline void tr_jw_put_raw(struct tr_json_writer *w, const char *key,
                                 tr_str json)
{
    tr_jw_key(w, key);
    tr_jw_raw(w, json);
}

static inline void tr_jw_put_value(struct tr_json_writer *w, const char *key,
                                   const struct tr_json *value)
{
    tr_jw_key(w, key);
    tr_jw_value(w, value);
}

/* As tr_jw_put_*, but what is empty, 0 or NULL is left out with its key. */
static inline void tr_jw_maybe_string(struct tr_json_writer *w, const char *key,
                                      tr_str s)
{
    if (s.len)
        tr_jw_put_string(w, key, s);
}

static inline void tr_jw_maybe_i64(struct tr_json_writer *w, const char *key,
                                   int64_t value)
{
    if (value)
        tr_jw_put_i64(w, key, value);
}

static inline void tr_jw_maybe_raw(struct tr_json_writer *w, const char *key,
                                   tr_str json)
{
    if (json.len)
        tr_jw_put_raw(w, key, json);
}

static inline void tr_jw_maybe_value(struct tr_json_writer *w, const char *key,
                                     const struct tr_json *value)
{
    if (value)
        tr_jw_put_value(w, key, value);
}

/* Makes the writer fail; `why` is a literal. The first failure counts. */
void tr_jw_refuse(struct tr_json_writer *w, tr_status status, const char *why);

/* TR_OK, or the first failure. Everything opened must be closed. */
TR_NODISCARD tr_status tr_jw_finish(const struct tr_json_writer *w,
                                    struct tr_err *err);

#endif
