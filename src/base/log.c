#include "base/log.h"

#include "base/limits.h"
#include "base/time.h"
#include "base/utf8.h"

#include <stdatomic.h>
#include <unistd.h>

static const char *const level_names[] = {
    [TR_LOG_DEBUG] = "debug", [TR_LOG_INFO] = "info", [TR_LOG_WARN] = "warn",
    [TR_LOG_ERROR] = "error", [TR_LOG_OFF] = "off",
};

static _Atomic int threshold = TR_LOG_INFO;

void tr_log_set_level(enum tr_log_level level)
{
    atomic_store_explicit(&threshold, (int)level, memory_order_relaxed);
}

bool tr_log_level_parse(tr_str name, enum tr_log_level *out)
{
    for (size_t i = 0; i < TR_LEN(level_names); i++) {
        if (tr_str_eq(name, tr_str_from(level_names[i]))) {
            *out = (enum tr_log_level)i;
            return true;
        }
    }
    return false;
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

static void put_key(struct tr_buf *buf, const char *key)
{
    tr_buf_putc(buf, ',');
    tr_buf_put_json(buf, tr_str_from(key));
    tr_buf_putc(buf, ':');
}

void tr_log_format(struct tr_buf *buf, enum tr_log_level level, const char *msg,
                   const struct tr_log_field *fields, size_t count)
{
    tr_buf_put(buf, TR_STR("{\"time\":\""));
    tr_time_write(buf, tr_time_now());
    tr_buf_putf(buf, "\",\"level\":\"%s\"", level_names[level]);
    put_key(buf, "msg");
    put_text(buf, tr_str_from(msg));
    for (size_t i = 0; i < count; i++) {
        size_t before = buf->len;
        put_key(buf, fields[i].key);
        if (fields[i].text.ptr)
            put_text(buf, fields[i].text);
        else
            tr_buf_put_i64(buf, fields[i].number);
        if (buf->failed) { /* drops the field, keeps the line well-formed */
            buf->len = before;
            buf->failed = TR_OK;
            buf->cap = buf->held;
        }
    }
    tr_buf_put(buf, TR_STR("}\n"));
}

void tr_log_write(enum tr_log_level level, const char *msg,
                  const struct tr_log_field *fields, size_t count)
{
    if ((int)level < atomic_load_explicit(&threshold, memory_order_relaxed))
        return;
    char line[TR_LIMIT_LOG_LINE];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, line, sizeof(line));
    tr_log_format(&buf, level, msg, fields, count);
    /* There is nowhere left to report that the log cannot be written. */
    ssize_t ignored = write(STDERR_FILENO, buf.ptr, buf.len);
    (void)ignored;
}
