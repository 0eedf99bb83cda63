#include "toml/cursor.h"

void tr_toml_skip_space(struct tr_toml_cursor *in)
{
    while (tr_toml_is_space(tr_toml_peek(in)))
        in->at++;
}

static void skip_comment(struct tr_toml_cursor *in)
{
    if (tr_toml_peek(in) != '#')
        return;
    while (in->at < in->text.len && !tr_toml_is_newline(tr_toml_peek(in)))
        in->at++;
}

void tr_toml_skip_blank(struct tr_toml_cursor *in)
{
    size_t before;
    do {
        before = in->at;
        while (tr_toml_is_space(tr_toml_peek(in)) ||
               tr_toml_is_newline(tr_toml_peek(in)))
            in->at++;
        skip_comment(in);
    } while (in->at > before);
}

tr_status tr_toml_end_line(struct tr_toml_cursor *in, struct tr_err *err)
{
    tr_toml_skip_space(in);
    skip_comment(in);
    (void)tr_toml_take(in, '\r');
    if (tr_toml_take(in, '\n') || in->at == in->text.len)
        return TR_OK;
    return tr_toml_fail_here(in, err, "expected the end of the line");
}

tr_status tr_toml_fail_here(const struct tr_toml_cursor *in, struct tr_err *err,
                            const char *what)
{
    return tr_fail_in(err, TR_E_SYNTAX, in->text, in->at, "%s", what);
}

tr_status tr_toml_fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to read TOML");
}
