#include "toml/string.h"

#include "toml/escape.h"

#include <assert.h>

/* A string between its quotes, before escapes are replaced. */
struct raw {
    tr_str text;
    bool has_escapes;
    bool multi_line;
};

/* How many of the quote stand at `at`, counted up to `max`. */
static size_t count_quotes(tr_str text, size_t at, char quote, size_t max)
{
    size_t count = 0;
    while (count < max && at + count < text.len &&
           text.ptr[at + count] == quote)
        count++;
    return count;
}

/* Only these two could be taken for the end of the string. */
static bool hides_quote(tr_str text, size_t at)
{
    return at + 1 < text.len &&
           (text.ptr[at + 1] == '"' || text.ptr[at + 1] == '\\');
}

/* From behind the opening quote to behind the closing one. */
static tr_status read_line(struct tr_toml_cursor *in, char quote,
                           struct raw *out, struct tr_err *err)
{
    size_t start = in->at;
    while (tr_toml_peek(in) != quote) {
        if (in->at == in->text.len || tr_toml_is_newline(tr_toml_peek(in)))
            return tr_toml_fail_here(in, err, "expected the end of the string");
        if (quote == '"' && tr_toml_peek(in) == '\\') {
            out->has_escapes = true;
            in->at += hides_quote(in->text, in->at);
        }
        in->at++;
    }
    out->text = (tr_str){in->text.ptr + start, in->at - start};
    in->at++;
    return TR_OK;
}

/*
 * As read_line, for three quotes. One or two more may stand in front of the
 * closing three, so up to five in a row end the string.
 */
static tr_status read_lines(struct tr_toml_cursor *in, char quote,
                            struct raw *out, struct tr_err *err)
{
    size_t opened = in->at;
    (void)tr_toml_take(in, '\r');
    (void)tr_toml_take(in, '\n');
    size_t start = in->at;
    size_t quotes = count_quotes(in->text, in->at, quote, 5);
    while (quotes < 3) {
        if (in->at == in->text.len)
            return tr_fail_in(err, TR_E_SYNTAX, in->text, opened - 3,
                              "the string has no end");
        if (quote == '"' && tr_toml_peek(in) == '\\') {
            out->has_escapes = true;
            in->at += hides_quote(in->text, in->at);
        }
        in->at += quotes ? quotes : 1;
        quotes = count_quotes(in->text, in->at, quote, 5);
    }
    in->at += quotes;
    out->text = (tr_str){in->text.ptr + start, in->at - 3 - start};
    out->multi_line = true;
    return TR_OK;
}

static tr_status read_raw(struct tr_toml_cursor *in, struct raw *out,
                          struct tr_err *err)
{
    char quote = tr_toml_peek(in);
    assert(quote == '"' || quote == '\'');
    if (count_quotes(in->text, in->at, quote, 3) == 3) {
        in->at += 3;
        return read_lines(in, quote, out, err);
    }
    in->at++;
    return read_line(in, quote, out, err);
}

tr_status tr_toml_string(struct tr_toml_cursor *in, tr_str *out,
                         struct tr_err *err)
{
    struct raw raw = {0};
    TR_TRY(read_raw(in, &raw, err));
    if (raw.has_escapes)
        return tr_toml_unescape(in, raw.text, raw.multi_line, out, err);
    *out = raw.text;
    return TR_OK;
}

tr_status tr_toml_quoted_key(struct tr_toml_cursor *in, tr_str *out,
                             struct tr_err *err)
{
    if (count_quotes(in->text, in->at, tr_toml_peek(in), 3) == 3)
        return tr_toml_fail_here(in, err,
                                 "a key cannot be a multi-line string");
    return tr_toml_string(in, out, err);
}
