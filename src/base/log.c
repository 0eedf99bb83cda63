#include "base/log.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"

#include <stdatomic.h>
#include <unistd.h>

const char *const tr_log_level_names[] = {
    [TR_LOG_DEBUG] = "debug", [TR_LOG_INFO] = "info", [TR_LOG_WARN] = "warn",
    [TR_LOG_ERROR] = "error", [TR_LOG_OFF] = "off",   NULL,
};

static _Atomic int threshold = TR_LOG_INFO;

void tr_log_set_level(enum tr_log_level level)
{
    atomic_store_explicit(&threshold, (int)level, memory_order_relaxed);
}

/* A log line is UTF-8 whatever was logged: the bad rest becomes one mark. */
static void put_text(struct tr_buf *buf, tr_str text)
{
    size_t good = tr_utf8_valid_len(text);
    if (good == text.len) {
        tr_buf_put_json(buf, text);
        return;
    }
    tr_buf_put_json(buf, (tr_str){text.ptr, good});
    if (!buf->failed)
        buf->len--; /* reopens the string */
    tr_buf_put(buf, TR_STR("\xEF\xBF\xBD\""));
}

/* Every field leaves room for this end, so that each line is well-formed. */
static const tr_str cut_end = TR_STR_INIT(",\"cut\":true}\n");

/* Returns false, and writes nothing, when the field does not fit. */
static bool put_field(struct tr_buf *buf, const struct tr_log_field *field)
{
    size_t before = buf->len;
    tr_buf_put(buf, TR_STR(",\""));
    tr_buf_put(buf, tr_str_from(field->key));
    tr_buf_put(buf, TR_STR("\":"));
    if (field->is_number)
        tr_buf_put_i64(buf, field->number);
    else
        put_text(buf, field->text);
    if (!buf->failed && buf->max - buf->len >= cut_end.len)
        return true;
    buf->len = before;
    buf->failed = TR_OK;
    buf->cap = buf->held;
    return false;
}

static void format_now(struct tr_buf *buf, enum tr_log_level level,
                       const char *msg, const struct tr_log_field *fields,
                       size_t count)
{
    char text[40];
    struct tr_buf time;
    tr_buf_init_fixed(&time, text, sizeof(text));
    tr_time_write(&time, tr_time_now());
    struct tr_log_head head = {tr_buf_str(&time), level, msg};
    tr_log_format_at(buf, &head, fields, count);
}

void tr_log_format_at(struct tr_buf *buf, const struct tr_log_head *head,
                      const struct tr_log_field *fields, size_t count)
{
    tr_buf_put(buf, TR_STR("{\"time\":\""));
    tr_buf_put(buf, head->time);
    tr_buf_put(buf, TR_STR("\",\"level\":\""));
    tr_buf_put(buf, tr_str_from(tr_log_level_names[head->level]));
    tr_buf_putc(buf, '"');
    bool whole = put_field(buf, &TR_LOG_TEXT("msg", tr_str_from(head->msg)));
    for (size_t i = 0; i < count; i++)
        whole = put_field(buf, &fields[i]) && whole;
    tr_buf_put(buf, whole ? TR_STR("}\n") : cut_end);
}

bool tr_log_is_on(enum tr_log_level level)
{
    return (int)level >= atomic_load_explicit(&threshold, memory_order_relaxed);
}

void tr_log_write(enum tr_log_level level, const char *msg,
                  const struct tr_log_field *fields, size_t count)
{
    if (!tr_log_is_on(level))
        return;
    char line[TR_LIMIT_LOG_LINE];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, line, sizeof(line));
    format_now(&buf, level, msg, fields, count);
    /* There is nowhere left to report that the log cannot be written. */
    ssize_t ignored = write(STDERR_FILENO, buf.ptr, buf.len);
    (void)ignored;
}
