#include "toml/scalar.h"

#include "base/ascii.h"
#include "base/time.h"
#include "json/build.h"

#include <inttypes.h>

/* Integers and floats (TOML 1.0.0, sections "Integer" and "Float") ------- */

/* As much of a token as a message has room for. */
#define SHOWN_BYTES 60

static tr_status refuse_number(const struct tr_toml_cursor *in, tr_str token,
                               const char *what, struct tr_err *err)
{
    size_t at = (size_t)(token.ptr - in->text.ptr);
    if (token.len > SHOWN_BYTES)
        token.len = SHOWN_BYTES;
    return tr_fail_in(err, TR_E_SYNTAX, in->text, at, "'%.*s' %s",
                      TR_FMT(token), what);
}

/* Whether `c` is a digit of this base. */
static bool is_digit_of(char c, unsigned base)
{
    int digit = tr_ascii_hex_value(c);
    return digit >= 0 && (unsigned)digit < base;
}

/* 16, 8 or 2 for 0x, 0o and 0b; 10 for everything else. */
static unsigned base_of(tr_str token)
{
    if (token.len < 2 || token.ptr[0] != '0')
        return 10;
    switch (token.ptr[1]) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

/* "Each underscore must be surrounded by at least one digit on each side." */
static bool underscores_are_right(tr_str token, unsigned base)
{
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] != '_')
            continue;
        if (i == 0 || i + 1 == token.len ||
            !is_digit_of(token.ptr[i - 1], base) ||
            !is_digit_of(token.ptr[i + 1], base))
            return false;
    }
    return true;
}

/* The token without underscores and plus; a view where it can be. */
static bool plain(struct tr_arena *arena, tr_str token, tr_str *out)
{
    if (token.ptr[0] == '+')
        token = tr_str_skip(token, 1);
    if (token.len == 0 || !memchr(token.ptr, '_', token.len)) {
        *out = token;
        return true;
    }
    char *copy = tr_arena_alloc(arena, token.len);
    if (!copy)
        return false;
    size_t len = 0;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] != '_')
            copy[len++] = token.ptr[i];
    }
    *out = (tr_str){copy, len};
    return true;
}

static size_t skip_digits(tr_str number, size_t i)
{
    while (i < number.len && tr_ascii_is_digit(number.ptr[i]))
        i++;
    return i;
}

/*
 * Length of the integer that `number` starts with, 0 when there is none: a
 * zero, or digits that do not start with one.
 */
static size_t integer_len(tr_str number)
{
    size_t start = number.len && number.ptr[0] == '-';
    size_t end = skip_digits(number, start);
    bool leading_zero = end > start + 1 && number.ptr[start] == '0';
    return end == start || leading_zero ? 0 : end;
}

/* Whether a fraction, an exponent or both make up all of `tail`. */
static bool is_float_tail(tr_str tail)
{
    size_t i = 0;
    if (tail.len && tail.ptr[0] == '.') {
        i = skip_digits(tail, 1);
        if (i == 1)
            return false;
    }
    if (i < tail.len && (tail.ptr[i] == 'e' || tail.ptr[i] == 'E')) {
        i++;
        if (i < tail.len && (tail.ptr[i] == '+' || tail.ptr[i] == '-'))
            i++;
        size_t end = skip_digits(tail, i);
        return end > i && end == tail.len;
    }
    return i > 0 && i == tail.len;
}

/* Digits in base 16, 8 or 2 behind their prefix; never negative. */
static tr_status read_prefixed(const struct tr_toml_cursor *in, tr_str token,
                               unsigned base, struct tr_json *out,
                               struct tr_err *err)
{
    uint64_t value = 0;
    if (token.len == 2 || !underscores_are_right(token, base))
        return refuse_number(in, token, "is not a number", err);
    for (size_t i = 2; i < token.len; i++) {
        if (token.ptr[i] == '_')
            continue;
        if (!is_digit_of(token.ptr[i], base))
            return refuse_number(in, token, "is not a number", err);
        uint64_t digit = (uint64_t)tr_ascii_hex_value(token.ptr[i]);
        if (value > ((uint64_t)INT64_MAX - digit) / base)
            return refuse_number(in, token, "needs more than 64 bits", err);
        value = value * base + digit;
    }

    char decimal[24];
    int len = snprintf(decimal, sizeof(decimal), "%" PRIu64, value);
    tr_str text;
    if (!tr_arena_copy(in->arena, (tr_str){decimal, (size_t)len}, &text))
        return tr_toml_fail_memory(err);
    *out = tr_json_make_integer(text);
    return TR_OK;
}

static tr_status read_decimal(const struct tr_toml_cursor *in, tr_str token,
                              struct tr_json *out, struct tr_err *err)
{
    tr_str number;
    if (!underscores_are_right(token, 10))
        return refuse_number(in, token, "is not a number", err);
    if (!plain(in->arena, token, &number))
        return tr_toml_fail_memory(err);

    /* What is left of TOML's grammar is that of RFC 8259, section 6. */
    size_t len = integer_len(number);
    int64_t value;
    if (len == 0 || (token.ptr[0] == '+' && number.ptr[0] == '-'))
        return refuse_number(in, token, "is not a number", err);
    if (len == number.len) {
        if (!tr_str_to_i64(number, &value))
            return refuse_number(in, token, "needs more than 64 bits", err);
        *out = tr_json_make_integer(value ? number : TR_STR("0"));
        return TR_OK;
    }
    if (!is_float_tail(tr_str_skip(number, len)))
        return refuse_number(in, token, "is not a number", err);
    *out = tr_json_make_text(TR_JSON_NUMBER, number);
    return TR_OK;
}

/* A number, TR_JSON_INF or TR_JSON_NAN; what needs no change stays a view. */
static tr_status read_number(const struct tr_toml_cursor *in, tr_str token,
                             struct tr_json *out, struct tr_err *err)
{
    bool has_sign = token.ptr[0] == '+' || token.ptr[0] == '-';
    tr_str name = tr_str_skip(token, has_sign);
    unsigned base = base_of(token);

    if (tr_str_eq(name, TR_STR("nan"))) {
        *out = tr_json_make_text(TR_JSON_NAN, name);
        return TR_OK;
    }
    if (tr_str_eq(name, TR_STR("inf"))) {
        *out =
            tr_json_make_text(TR_JSON_INF, token.ptr[0] == '-' ? token : name);
        return TR_OK;
    }
    if (base != 10)
        return read_prefixed(in, token, base, out, err);
    return read_decimal(in, token, out, err);
}

/* The four kinds of dates and times -------------------------------------- */

static bool starts_with_digits(tr_str token, size_t count, char then)
{
    if (token.len <= count || token.ptr[count] != then)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!tr_ascii_is_digit(token.ptr[i]))
            return false;
    }
    return true;
}

/* Whether `token` starts as only a date or a time can: 2026- or 12: */
static bool is_datetime(tr_str token)
{
    return starts_with_digits(token, 4, '-') ||
           starts_with_digits(token, 2, ':');
}

static tr_status refuse_datetime(const struct tr_toml_cursor *in, tr_str token,
                                 tr_str rest, const char *what,
                                 struct tr_err *err)
{
    size_t start = (size_t)(token.ptr - in->text.ptr);
    return tr_fail_in(err, TR_E_SYNTAX, in->text, start + token.len - rest.len,
                      "%s", what);
}

/* RFC 3339 with a T, a t or a space; time and offset may be absent. */
static tr_status read_parts(const struct tr_toml_cursor *in, tr_str token,
                            enum tr_json_kind *out, struct tr_err *err)
{
    tr_str rest = token;
    tr_date date;
    tr_clock clock;
    int offset_min;
    bool has_date = starts_with_digits(token, 4, '-');

    if (has_date && !tr_date_scan(&rest, &date))
        return refuse_datetime(in, token, rest,
                               "expected a date such as 2026-07-28", err);
    if (has_date && rest.len == 0) {
        *out = TR_JSON_LOCAL_DATE;
        return TR_OK;
    }
    if (has_date && rest.ptr[0] != 'T' && rest.ptr[0] != 't' &&
        rest.ptr[0] != ' ')
        return refuse_datetime(in, token, rest, "expected 'T' after the date",
                               err);
    if (has_date)
        rest = tr_str_skip(rest, 1);
    if (!tr_clock_scan(&rest, &clock))
        return refuse_datetime(in, token, rest,
                               "expected a time such as 12:30:00", err);
    if (rest.len == 0) {
        *out = has_date ? TR_JSON_LOCAL_DATETIME : TR_JSON_LOCAL_TIME;
        return TR_OK;
    }
    if (!has_date || !tr_offset_scan(&rest, &offset_min) || rest.len)
        return refuse_datetime(in, token, rest,
                               "unexpected text after the time", err);
    *out = TR_JSON_DATETIME;
    return TR_OK;
}

static tr_status read_datetime(const struct tr_toml_cursor *in, tr_str token,
                               struct tr_json *out, struct tr_err *err)
{
    enum tr_json_kind kind = TR_JSON_DATETIME;
    TR_TRY(read_parts(in, token, &kind, err));

    char *text = tr_arena_alloc(in->arena, token.len);
    if (!text)
        return tr_toml_fail_memory(err);
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        text[i] = (char)(c == 't' || c == ' ' ? 'T' : c == 'z' ? 'Z' : c);
    }
    *out = tr_json_make_text(kind, (tr_str){text, token.len});
    return TR_OK;
}

/* Which of them it is ---------------------------------------------------- */

static void skip_token(struct tr_toml_cursor *in)
{
    while (tr_ascii_is_alnum(tr_toml_peek(in)) ||
           (tr_toml_peek(in) && strchr("+-._:", tr_toml_peek(in))))
        in->at++;
}

/* The one scalar with a space in it: a date, then a time. */
static bool is_split_datetime(const struct tr_toml_cursor *in, tr_str token)
{
    tr_date date;
    tr_str rest = tr_toml_rest(in);
    return tr_date_scan(&token, &date) && token.len == 0 && rest.len >= 2 &&
           rest.ptr[0] == ' ' && tr_ascii_is_digit(rest.ptr[1]);
}

static tr_str read_token(struct tr_toml_cursor *in)
{
    tr_str token = tr_toml_rest(in);
    size_t start = in->at;
    skip_token(in);
    token.len = in->at - start;
    if (is_split_datetime(in, token)) {
        in->at++;
        skip_token(in);
        token.len = in->at - start;
    }
    return token;
}

static bool is_number_name(tr_str token)
{
    return tr_str_eq(token, TR_STR("inf")) || tr_str_eq(token, TR_STR("nan"));
}

tr_status tr_toml_scalar(struct tr_toml_cursor *in, struct tr_json *out,
                         struct tr_err *err)
{
    size_t start = in->at;
    tr_str token = read_token(in);

    if (tr_str_eq(token, TR_STR("true")) || tr_str_eq(token, TR_STR("false"))) {
        *out = tr_json_make_bool(token.ptr[0] == 't');
        return TR_OK;
    }
    if (token.len == 0)
        return tr_toml_fail_here(in, err, "expected a value");
    if (is_datetime(token))
        return read_datetime(in, token, out, err);
    if (tr_ascii_is_letter(token.ptr[0]) && !is_number_name(token))
        return tr_fail_in(err, TR_E_SYNTAX, in->text, start,
                          "expected a value; strings need quotes");
    return read_number(in, token, out, err);
}
