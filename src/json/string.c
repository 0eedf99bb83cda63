#include "json/string.h"

#include "base/ascii.h"
#include "base/scan.h"
#include "base/text.h"

static tr_status fail_at(const struct tr_json_string_source *source,
                         const char *at, struct tr_err *err,
                         const char *message)
{
    return tr_fail_in(err, TR_E_SYNTAX, source->text,
                      (size_t)(at - source->text.ptr), "%s", message);
}

/*
 * Moves over text that stands for itself, to the next quote or backslash;
 * everything else there is an error.
 */
static tr_status skip_plain(const struct tr_json_string_source *source,
                            const char **at, struct tr_err *err)
{
    for (;;) {
        *at = tr_scan_plain_ascii(*at, source->end);
        if (*at == source->end)
            return fail_at(source, *at, err, "the string does not end");
        unsigned char c = (unsigned char)**at;
        if (c == '"' || c == '\\')
            return TR_OK;
        if (c < 0x20)
            return fail_at(source, *at, err,
                           "a control character must be escaped");
        size_t len =
            tr_utf8_sequence((tr_str){*at, (size_t)(source->end - *at)});
        if (len == 0)
            return fail_at(source, *at, err, "not UTF-8");
        *at += len;
    }
}

/* Four hexadecimal digits at `at`, or -1. */
static int32_t hex4(const char *at, const char *end)
{
    int32_t value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = tr_ascii_hex_value(at[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool is_high_surrogate(int32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(int32_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

/*
 * `at` is behind "\u"; moves it to the end of the escape. RFC 8259, section 7:
 * characters beyond U+FFFF are two escapes, a pair of surrogates.
 */
static tr_status decode_unicode(const struct tr_json_string_source *source,
                                const char **at, char **to, struct tr_err *err)
{
    const char *start = *at - 2;
    int32_t unit = hex4(*at, source->end);
    if (unit < 0)
        return fail_at(source, start, err,
                       "expected four hexadecimal digits after \\u");
    *at += 4;
    uint32_t code_point = (uint32_t)unit;
    if (is_low_surrogate(unit))
        return fail_at(source, start, err, "a lone surrogate");
    if (is_high_surrogate(unit)) {
        bool escaped =
            source->end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u';
        int32_t low = escaped ? hex4(*at + 2, source->end) : -1;
        if (!is_low_surrogate(low))
            return fail_at(source, start, err, "a lone surrogate");
        *at += 6;
        code_point =
            0x10000 + ((code_point - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
    }
    *to += tr_utf8_encode(code_point, *to);
    return TR_OK;
}

/* `at` stands on a backslash. */
static tr_status decode_escape(const struct tr_json_string_source *source,
                               const char **at, char **to, struct tr_err *err)
{
    static const char plain[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    const char *start = *at;
    if (source->end - start < 2)
        return fail_at(source, source->end, err, "the string does not end");
    unsigned char c = (unsigned char)start[1];
    *at += 2;
    if (c == 'u')
        return decode_unicode(source, at, to, err);
    if (!plain[c])
        return fail_at(source, start, err, "no such escape");
    *(*to)++ = plain[c];
    return TR_OK;
}

/* How many bytes the value takes at most: no escape is shorter than what it
 * stands for. */
static size_t length_bound(const char *at, const char *end)
{
    const char *c = at;
    while (c < end && *c != '"')
        c += *c == '\\' ? 2 : 1;
    return (size_t)((c < end ? c : end) - at);
}

static tr_status decode(struct tr_arena *arena,
                        struct tr_json_string_source *source,
                        const char *escape, tr_str *out, struct tr_err *err)
{
    const char *at = source->at;
    char *text = tr_arena_alloc(arena, length_bound(at, source->end));
    if (!text)
        return tr_fail(err, TR_E_NOMEM, "no memory for a JSON string");

    char *to = text;
    while (*escape == '\\') {
        memcpy(to, at, (size_t)(escape - at));
        to += escape - at;
        at = escape;
        TR_TRY(decode_escape(source, &at, &to, err));
        escape = at;
        TR_TRY(skip_plain(source, &escape, err));
    }
    memcpy(to, at, (size_t)(escape - at));
    to += escape - at;
    source->at = escape + 1;
    *out = (tr_str){text, (size_t)(to - text)};
    return TR_OK;
}

tr_status tr_json_string_read(struct tr_arena *arena,
                              struct tr_json_string_source *source, tr_str *out,
                              struct tr_err *err)
{
    const char *stop = source->at;
    TR_TRY(skip_plain(source, &stop, err));
    if (*stop == '\\')
        return decode(arena, source, stop, out, err);
    *out = (tr_str){source->at, (size_t)(stop - source->at)};
    source->at = stop + 1;
    return TR_OK;
}
