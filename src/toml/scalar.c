#include "toml/scalar.h"

#include "base/ascii.h"
#include "base/time.h"
#include "json/build.h"
#include "toml/datetime.h"
#include "toml/number.h"

static void skip_token(struct tr_toml_cursor *in)
{
    while (tr_ascii_is_letter(tr_toml_peek(in)) ||
           tr_ascii_is_digit(tr_toml_peek(in)) ||
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
    if (tr_toml_is_datetime(token))
        return tr_toml_datetime(in, token, out, err);
    if (tr_ascii_is_letter(token.ptr[0]) && !is_number_name(token))
        return tr_fail_in(err, TR_E_SYNTAX, in->text, start,
                          "expected a value; strings need quotes");
    return tr_toml_number(in, token, out, err);
}
