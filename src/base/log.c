#include "base/log.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"

#include <stdatomic.h>
#include <unistd.h>

const char *const tr_log_level_names[] = {
    [TR_LOG_DEBUG] = "debug", [TR_LOG_INFO] = "info", [TR_LOG_WARN] = "warn",
    [TR_LOG_ERROR] = "error", [TR_LOG_OFF] = "off",   NULL,
};

const char *const tr_log_form_names[] = {
    [TR_LOG_FORM_AUTO] = "auto",
    [TR_LOG_FORM_JSON] = "json",
    [TR_LOG_FORM_TEXT] = "text",
    NULL,
};

static _Atomic int threshold = TR_LOG_INFO;

/* What stands before each part of a line for people, and `plain` behind it. */
struct style {
    bool is_text;
    const char *time;
    const char *levels[TR_LOG_OFF];
    const char *msg;
    const char *key;
    const char *plain;
};

static const struct style styles[] = {
    {.is_text = false},
    {true, "", {"", "", "", ""}, "", "", ""},
    {true,
     "\033[2m",
     {"\033[2m", "\033[32m", "\033[1;33m", "\033[1;31m"},
     "\033[1m",
     "\033[36m",
     "\033[0m"},
};
enum { JSON, PLAIN, COLOURS };

static _Atomic int style_in_use = JSON;

void tr_log_set_form(enum tr_log_form form)
{
    bool is_text = form == TR_LOG_FORM_TEXT ||
                   (form == TR_LOG_FORM_AUTO && isatty(STDERR_FILENO));
    int style = !is_text                               ? JSON
                : tr_file_takes_colours(STDERR_FILENO) ? COLOURS
                                                       : PLAIN;
    atomic_store_explicit(&style_in_use, style, memory_order_relaxed);
}

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
    tr_time_write_millis(&time, tr_time_now());
    struct tr_log_head head = {tr_buf_str(&time), level, msg};
    tr_log_format_at(buf, &head, fields, count);
}

static void format_json(struct tr_buf *buf, const struct tr_log_head *head,
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

/* A text that needs no quotes: nobody could take it for two. */
static bool is_word(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c >= 0x7f || c == '"' || c == '=' || c == '\\')
            return false;
    }
    return text.len > 0;
}

/* JSON writes most controls as \u; what it leaves becomes question marks. */
static void put_quoted(struct tr_buf *buf, tr_str text)
{
    size_t start = buf->len;
    put_text(buf, text);
    for (size_t i = start; i < buf->len; i++) {
        size_t bytes = tr_utf8_control(tr_str_skip(tr_buf_str(buf), i));
        if (bytes)
            memset(buf->ptr + i, '?', bytes);
    }
}

/* The time of day alone: a terminal shows what happens now. */
static tr_str time_of_day(tr_str time)
{
    tr_str day;
    return tr_str_cut(time, 'T', &day, &time) ? time : day;
}

static void put_people_field(struct tr_buf *buf, const struct style *style,
                             const struct tr_log_field *field)
{
    tr_buf_putf(buf, " %s%s=%s", style->key, field->key, style->plain);
    if (field->is_number)
        tr_buf_put_i64(buf, field->number);
    else if (is_word(field->text))
        tr_buf_put(buf, field->text);
    else
        put_quoted(buf, field->text);
}

static const tr_str cut_text = TR_STR_INIT(" (cut)\n");

static void format_people(struct tr_buf *buf, const struct style *style,
                          const struct tr_log_head *head,
                          const struct tr_log_field *fields, size_t count)
{
    tr_str time = time_of_day(head->time);
    bool whole = true;
    tr_buf_putf(buf, "%s%.*s%s %s%-5s%s %s", style->time, TR_FMT(time),
                style->plain, style->levels[head->level],
                tr_log_level_names[head->level], style->plain, style->msg);
    tr_buf_putf(buf, "%.*s%s", TR_FMT(tr_utf8_cut(tr_str_from(head->msg), 200)),
                style->plain);
    for (size_t i = 0; i < count; i++) {
        size_t before = buf->len;
        put_people_field(buf, style, &fields[i]);
        if (!buf->failed && buf->max - buf->len >= cut_text.len)
            continue;
        buf->len = before;
        buf->failed = TR_OK;
        buf->cap = buf->held;
        whole = false;
    }
    tr_buf_put(buf, whole ? TR_STR("\n") : cut_text);
}

void tr_log_format_at(struct tr_buf *buf, const struct tr_log_head *head,
                      const struct tr_log_field *fields, size_t count)
{
    const struct style *style =
        &styles[atomic_load_explicit(&style_in_use, memory_order_relaxed)];
    if (style->is_text)
        format_people(buf, style, head, fields, count);
    else
        format_json(buf, head, fields, count);
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
