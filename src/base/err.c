#include "base/err.h"

#include "base/text.h"

#include <stdarg.h>

/*
 * Messages are UTF-8, whatever was put into them: a cut may have gone through a
 * character, and some repeat what a client or an app has said.
 */
static void mend(char *text, size_t size)
{
    size_t len = strnlen(text, size - 1);
    size_t valid = tr_utf8_valid_len((tr_str){text, len});
    if (len == size - 1 && len - valid < 4) /* it is the end that was cut */
        len = valid;
    text[len] = '\0';
    tr_utf8_mend(text, len);
}

TR_PRINTF(3, 0)
static void explain(struct tr_err *err, tr_status code, const char *format,
                    va_list args)
{
    err->code = code;
    err->place = (tr_place){0};
    err->at[0] = '\0';
    (void)vsnprintf(err->msg, sizeof(err->msg), format, args);
    mend(err->msg, sizeof(err->msg));
}

tr_status tr_fail(struct tr_err *err, tr_status code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        explain(err, code, format, args);
        va_end(args);
    }
    return code;
}

tr_status tr_fail_in(struct tr_err *err, tr_status code, tr_str text,
                     size_t offset, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        explain(err, code, format, args);
        va_end(args);
        err->place = tr_place_of(text, offset);
    }
    return code;
}

void tr_err_prefix(struct tr_err *err, const char *format, ...)
{
    if (!err)
        return;
    char before[sizeof(err->msg)];
    char whole[2 * sizeof(err->msg) + 2] = "";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(before, sizeof(before), format, args);
    va_end(args);
    (void)snprintf(whole, sizeof(whole), "%s: %s", before, err->msg);
    memcpy(err->msg, whole, sizeof(err->msg));
    mend(err->msg, sizeof(err->msg));
}

void tr_err_set_at(struct tr_err *err, const char *format, ...)
{
    if (!err)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->at, sizeof(err->at), format, args);
    va_end(args);
    mend(err->at, sizeof(err->at));
}

tr_place tr_place_of(tr_str text, size_t offset)
{
    tr_place place = {.offset = offset, .line = 1, .column = 1};
    size_t end = offset < text.len ? offset : text.len;
    size_t line_start = 0;

    for (size_t i = 0; i < end; i++) {
        if (text.ptr[i] == '\n') {
            place.line++;
            line_start = i + 1;
        }
    }
    tr_str line = {text.ptr ? text.ptr + line_start : NULL, end - line_start};
    place.column += (uint32_t)tr_utf8_count(line);
    return place;
}

const char *tr_status_name(tr_status status)
{
    static const char *const names[] = {
        [TR_OK] = "ok",
        [TR_E_NOMEM] = "no_memory",
        [TR_E_SYNTAX] = "syntax",
        [TR_E_INVALID] = "invalid",
        [TR_E_VALIDATION] = "validation",
        [TR_E_UNAUTHENTICATED] = "unauthenticated",
        [TR_E_SCOPE] = "scope",
        [TR_E_POLICY] = "policy",
        [TR_E_BUDGET] = "budget",
        [TR_E_PRECONDITION] = "precondition",
        [TR_E_NOT_FOUND] = "not_found",
        [TR_E_CONFLICT] = "conflict",
        [TR_E_LIMIT] = "limit",
        [TR_E_TIMEOUT] = "timeout",
        [TR_E_CANCELLED] = "cancelled",
        [TR_E_UNAVAILABLE] = "unavailable",
        [TR_E_UNSUPPORTED] = "unsupported",
        [TR_E_IO] = "io",
        [TR_E_INTERNAL] = "internal",
    };
    return (size_t)status < TR_LEN(names) ? names[status] : "unknown";
}
