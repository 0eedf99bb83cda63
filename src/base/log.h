/*
 * base/log.h - one line per event on standard error: a JSON object, or words
 * for people.
 *
 *     tr_log(TR_LOG_INFO, "listening", TR_LOG_TEXT("address", address));
 *     {"time":"2026-07-28T12:00:00.500Z","level":"info","msg":"listening",...}
 *     12:00:00.500Z info  listening address=127.0.0.1:8000
 *
 * A line is written whole or not at all, so threads never mix theirs. Library
 * folders log at debug level only; server/ and cli/ report, once. What is
 * written, and how, is the one mutable global of the house.
 */
#ifndef TR_BASE_LOG_H
#define TR_BASE_LOG_H

#include "base/buf.h"

enum tr_log_level {
    TR_LOG_DEBUG,
    TR_LOG_INFO,
    TR_LOG_WARN,
    TR_LOG_ERROR,
    TR_LOG_OFF
};

/* The names by level; a NULL ends them. */
extern const char *const tr_log_level_names[];

struct tr_log_field {
    const char *key; /* of letters, digits and underscores */
    tr_str text;
    int64_t number;
    bool is_number; /* otherwise it is the text */
};

#define TR_LOG_TEXT(name, value)                                               \
    ((struct tr_log_field){(name), (value), 0, false})
#define TR_LOG_INT(name, value)                                                \
    ((struct tr_log_field){(name), {NULL, 0}, (value), true})

/* At most 16 fields. */
#define tr_log(level, msg, ...)                                                \
    tr_log_write((level), (msg), (const struct tr_log_field[]){__VA_ARGS__},   \
                 sizeof((const struct tr_log_field[]){__VA_ARGS__}) /          \
                     sizeof(struct tr_log_field))

void tr_log_write(enum tr_log_level level, const char *msg,
                  const struct tr_log_field *fields, size_t count);

/* How a line begins. */
struct tr_log_head {
    tr_str time; /* as RFC 3339 has it */
    enum tr_log_level level;
    const char *msg;
};

/*
 * The line, line end included. A field that does not fit is left out, and the
 * line then ends with "cut":true. In a line for people nothing is left that a
 * terminal would obey.
 */
void tr_log_format_at(struct tr_buf *buf, const struct tr_log_head *head,
                      const struct tr_log_field *fields, size_t count);

/* Whether lines of this level are written. */
bool tr_log_is_on(enum tr_log_level level);

/* Lines below `level` are dropped. The first level is TR_LOG_INFO. */
void tr_log_set_level(enum tr_log_level level);

enum tr_log_form {
    TR_LOG_FORM_AUTO, /* for people when standard error is a terminal */
    TR_LOG_FORM_JSON,
    TR_LOG_FORM_TEXT
};

/* The names by form; a NULL ends them. */
extern const char *const tr_log_form_names[];

/* How lines are written; the first form is TR_LOG_FORM_JSON. Text has colours
 * where standard error takes them. */
void tr_log_set_form(enum tr_log_form form);

#endif
