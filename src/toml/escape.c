#include "toml/escape.h"

#include "base/ascii.h"
#include "base/utf8.h"

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

tr_status tr_toml_unescape(const struct tr_toml_cursor *in, tr_str raw,
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
