#include "toml/datetime.h"

#include "base/time.h"
#include "json/build.h"

static bool starts_with_digits(tr_str token, size_t count, char then)
{
    if (token.len <= count || token.ptr[count] != then)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return false;
    }
    return true;
}

bool tr_toml_is_datetime(tr_str token)
{
    return starts_with_digits(token, 4, '-') ||
           starts_with_digits(token, 2, ':');
}

static tr_status refuse(const struct tr_toml_cursor *in, tr_str token,
                        tr_str rest, const char *what, struct tr_err *err)
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
        return refuse(in, token, rest, "expected a date such as 2026-07-28",
                      err);
    if (has_date && rest.len == 0) {
        *out = TR_JSON_LOCAL_DATE;
        return TR_OK;
    }
    if (has_date && rest.ptr[0] != 'T' && rest.ptr[0] != 't' &&
        rest.ptr[0] != ' ')
        return refuse(in, token, rest, "expected 'T' after the date", err);
    if (has_date)
        rest = tr_str_skip(rest, 1);
    if (!tr_clock_scan(&rest, &clock))
        return refuse(in, token, rest, "expected a time such as 12:30:00", err);
    if (rest.len == 0) {
        *out = has_date ? TR_JSON_LOCAL_DATETIME : TR_JSON_LOCAL_TIME;
        return TR_OK;
    }
    if (!has_date || !tr_offset_scan(&rest, &offset_min) || rest.len)
        return refuse(in, token, rest, "unexpected text after the time", err);
    *out = TR_JSON_DATETIME;
    return TR_OK;
}

tr_status tr_toml_datetime(const struct tr_toml_cursor *in, tr_str token,
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
