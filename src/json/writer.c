#include "json/writer.h"

#include "base/scan.h"
#include "base/text.h"
#include "json/number.h"

#include <assert.h>
#include <math.h>

#define PRETTY_INDENT 2

void tr_jw_init(struct tr_json_writer *w, struct tr_buf *out)
{
    w->out = out;
    w->failed = TR_OK;
    w->depth = 0;
    w->indent = 0;
    w->needs_comma = false;
    w->after_key = false;
    w->in_object = false;
    w->why = NULL;
}

void tr_jw_init_pretty(struct tr_json_writer *w, struct tr_buf *out)
{
    tr_jw_init(w, out);
    w->indent = PRETTY_INDENT;
}

void tr_jw_refuse(struct tr_json_writer *w, tr_status status, const char *why)
{
    if (w->failed == TR_OK) {
        w->failed = status;
        w->why = why;
    }
}

static void put_line_end(struct tr_json_writer *w)
{
    tr_buf_putc(w->out, '\n');
    for (unsigned i = 0; i < w->depth * w->indent; i++)
        tr_buf_putc(w->out, ' ');
}

/* Writes what stands between this value or key and what came before it. */
static inline void separate(struct tr_json_writer *w)
{
    if (w->needs_comma)
        tr_buf_putc(w->out, ',');
    if (w->indent && w->depth)
        put_line_end(w);
}

static inline void begin_value(struct tr_json_writer *w)
{
    assert(w->after_key == w->in_object && "a value in an object has a key");
    if (!w->after_key)
        separate(w);
    w->after_key = false;
    w->needs_comma = true;
}

void tr_jw_open(struct tr_json_writer *w, char bracket)
{
    if (w->failed)
        return;
    begin_value(w);
    if (w->depth == TR_LIMIT_NESTING) {
        tr_jw_refuse(w, TR_E_LIMIT, "too many levels of nesting");
        return;
    }
    w->outer[w->depth] = w->in_object;
    w->depth++;
    w->in_object = bracket == '{';
    w->needs_comma = false;
    tr_buf_putc(w->out, bracket);
}

void tr_jw_close(struct tr_json_writer *w, char bracket)
{
    if (w->failed)
        return;
    assert(w->depth && !w->after_key && w->in_object == (bracket == '}'));
    w->depth--;
    w->in_object = w->outer[w->depth];
    if (w->indent && w->needs_comma)
        put_line_end(w);
    w->needs_comma = true;
    tr_buf_putc(w->out, bracket);
}

static void put_string(struct tr_json_writer *w, tr_str s)
{
    if (tr_utf8_is_valid(s))
        tr_buf_put_json(w->out, s);
    else
        tr_jw_refuse(w, TR_E_INVALID, "a string is not UTF-8");
}

/*
 * The common case in one go: on one line, and nothing to escape. Writes an
 * optional comma, the quoted text, and `after` when it is not NUL.
 */
static inline bool put_plain(struct tr_json_writer *w, bool comma, tr_str s,
                             char after)
{
    if (w->indent)
        return false;
    size_t len = comma + s.len + 2 + (after != '\0');
    char *to = tr_buf_room(w->out, len);
    if (!to)
        return false;
    to[0] = ',';
    to += comma;
    to[0] = '"';
    if (!tr_copy_plain_ascii(to + 1, s))
        return false;
    to[s.len + 1] = '"';
    if (after)
        to[s.len + 2] = after;
    w->out->len += len;
    return true;
}

void tr_jw_key_str(struct tr_json_writer *w, tr_str key)
{
    if (w->failed)
        return;
    assert(w->in_object && !w->after_key && "a key stands in an object");
    if (!put_plain(w, w->needs_comma, key, ':')) {
        separate(w);
        put_string(w, key);
        tr_buf_putc(w->out, ':');
        if (w->indent)
            tr_buf_putc(w->out, ' ');
    }
    w->after_key = true;
}

void tr_jw_string(struct tr_json_writer *w, tr_str s)
{
    if (w->failed)
        return;
    assert(w->after_key == w->in_object && "a value in an object has a key");
    if (!put_plain(w, w->needs_comma && !w->after_key, s, '\0')) {
        begin_value(w);
        put_string(w, s);
    }
    w->after_key = false;
    w->needs_comma = true;
}

void tr_jw_i64(struct tr_json_writer *w, int64_t value)
{
    if (w->failed)
        return;
    begin_value(w);
    tr_buf_put_i64(w->out, value);
}

void tr_jw_double(struct tr_json_writer *w, double value)
{
    if (w->failed)
        return;
    begin_value(w);
    if (!isfinite(value)) {
        tr_jw_refuse(w, TR_E_INVALID,
                     "JSON has no NaN and no infinite numbers");
        return;
    }
    char text[TR_JSON_DOUBLE_TEXT_MAX];
    tr_buf_put(w->out, (tr_str){text, tr_json_double_write(value, text)});
}

void tr_jw_bool(struct tr_json_writer *w, bool value)
{
    if (w->failed)
        return;
    begin_value(w);
    tr_buf_put(w->out, value ? TR_STR("true") : TR_STR("false"));
}

void tr_jw_null(struct tr_json_writer *w)
{
    if (w->failed)
        return;
    begin_value(w);
    tr_buf_put(w->out, TR_STR("null"));
}

void tr_jw_raw(struct tr_json_writer *w, tr_str json)
{
    if (json.len && memchr(json.ptr, '\n', json.len))
        tr_jw_refuse(w, TR_E_INVALID, "JSON that is copied has a line feed");
    tr_jw_written(w, json);
}

void tr_jw_written(struct tr_json_writer *w, tr_str json)
{
    if (w->failed)
        return;
    begin_value(w);
    tr_buf_put(w->out, json);
}

tr_status tr_jw_finish(const struct tr_json_writer *w, struct tr_err *err)
{
    if (w->failed)
        return tr_fail(err, w->failed, "%s", w->why);
    assert(w->depth == 0 && !w->after_key && "everything opened is closed");
    return tr_buf_check(w->out, err);
}
