#include "toml/string.h"

#include "base/ascii.h"
#include "base/text.h"

#include <assert.h>

/* What a backslash means in a basic string ------------------------------- */

/* What is left to read, and where the result goes. */
struct job {
    tr_str rest;
    char *to;
};

static tr_status refuse(const struct tr_toml_cursor *in, const struct job *job,
                        const char *what, struct tr_err *err)
{
    return tr_fail_in(err, TR_E_SYNTAX, in->text,
                      (size_t)(job->rest.ptr - in->text.ptr), "%s", what);
}

/* \uXXXX and \UXXXXXXXX; the cursor of the job stands at the backslash. */
static tr_status put_code_point(const struct tr_toml_cursor *in,
                                struct job *job, size_t digits,
                                struct tr_err *err)
{
    uint32_t code_point = 0;
    for (size_t i = 2; i < 2 + digits; i++) {
        int digit =
            i < job->rest.len ? tr_ascii_hex_value(job->rest.ptr[i]) : -1;
        if (digit < 0)
            return refuse(in, job,
                          digits == 4 ? "\\u needs four hexadecimal digits"
                                      : "\\U needs eight hexadecimal digits",
                          err);
        code_point = code_point << 4 | (uint32_t)digit;
    }
    /* Never longer than the escape was, so it fits. */
    size_t len = tr_utf8_encode(code_point, job->to);
    if (len == 0)
        return refuse(in, job, "the escape names no Unicode character", err);
    job->to += len;
    job->rest = tr_str_skip(job->rest, 2 + digits);
    return TR_OK;
}

/*
 * A backslash at the end of a line takes all blanks and line ends with it, up
 * to the next character. False when something else follows on its line.
 */
static bool skip_line_end(struct job *job)
{
    size_t i = 1;
    while (i < job->rest.len && tr_toml_is_space(job->rest.ptr[i]))
        i++;
    if (i == job->rest.len || !tr_toml_is_newline(job->rest.ptr[i]))
        return false;
    while (i < job->rest.len && (tr_toml_is_space(job->rest.ptr[i]) ||
                                 tr_toml_is_newline(job->rest.ptr[i])))
        i++;
    job->rest = tr_str_skip(job->rest, i);
    return true;
}

static tr_status put_escape(const struct tr_toml_cursor *in, struct job *job,
                            bool multi_line, struct tr_err *err)
{
    static const char meaning[128] = {
        ['b'] = '\b', ['t'] = '\t', ['n'] = '\n',  ['f'] = '\f',
        ['r'] = '\r', ['"'] = '"',  ['\\'] = '\\',
    };
    char c = job->rest.len > 1 ? job->rest.ptr[1] : '\0';

    if (c == 'u')
        return put_code_point(in, job, 4, err);
    if (c == 'U')
        return put_code_point(in, job, 8, err);
    if (multi_line && skip_line_end(job))
        return TR_OK;
    if ((unsigned char)c >= sizeof(meaning) || !meaning[(unsigned char)c])
        return refuse(in, job, "unknown escape", err);
    *job->to++ = meaning[(unsigned char)c];
    job->rest = tr_str_skip(job->rest, 2);
    return TR_OK;
}

/* `raw`, a part of the cursor's text, without its escapes; in the arena. */
static tr_status unescape(const struct tr_toml_cursor *in, tr_str raw,
                          bool multi_line, tr_str *out, struct tr_err *err)
{
    /* No escape is shorter than what it stands for. */
    char *text = tr_arena_alloc(in->arena, raw.len);
    if (!text)
        return tr_toml_fail_memory(err);

    struct job job = {raw, text};
    while (job.rest.len) {
        if (job.rest.ptr[0] == '\\') {
            TR_TRY(put_escape(in, &job, multi_line, err));
        } else {
            *job.to++ = job.rest.ptr[0];
            job.rest = tr_str_skip(job.rest, 1);
        }
    }
    *out = (tr_str){text, (size_t)(job.to - text)};
    return TR_OK;
}

/* The four kinds of strings ---------------------------------------------- */

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

/*
 * Whether an escaped quote or backslash stands at `at`: only these two could be
 * taken for the end of the string.
 */
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
        return unescape(in, raw.text, raw.multi_line, out, err);
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
