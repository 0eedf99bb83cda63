#include "gen/declare.h"

/*
 * The line behind a declaration that ends at `end`; `end` itself where more
 * stands on its line than a comment.
 */
static size_t line_behind(tr_str file, size_t end)
{
    size_t at = end;
    while (at < file.len && file.ptr[at] && strchr(" \t;", file.ptr[at]))
        at++;
    tr_str rest = tr_str_skip(file, at);
    if (tr_str_starts(rest, TR_STR("--")) &&
        !tr_str_starts(rest, TR_STR("--["))) {
        while (at < file.len && file.ptr[at] != '\n' && file.ptr[at] != '\r')
            at++;
    }
    at += tr_str_starts(tr_str_skip(file, at), TR_STR("\r\n"));
    if (at == file.len)
        return at;
    return file.ptr[at] == '\n' ? at + 1 : end;
}

size_t tr_gen_insert_offset(tr_str file, const struct tr_gen_outline *outline,
                            const char *word)
{
    size_t end = 0;
    for (size_t i = 0; i < outline->count; i++) {
        const struct tr_gen_declaration *one = &outline->declarations[i];
        if (tr_str_eq(one->word, tr_str_from(word)) && one->end > end &&
            one->end <= outline->end)
            end = one->end;
    }
    size_t at = end ? line_behind(file, end) : end;
    return end && at != end ? at : outline->end;
}

/* A file whose lines end as those of Windows gets more such lines. */
static bool has_carriage_returns(tr_str file)
{
    const char *line = memchr(file.ptr, '\n', file.len);
    return line && line > file.ptr && line[-1] == '\r';
}

static void put_lines(struct tr_buf *out, tr_str text, bool with_returns)
{
    tr_str line;
    if (!with_returns) {
        tr_buf_put(out, text);
        return;
    }
    while (tr_str_cut(text, '\n', &line, &text)) {
        tr_buf_put(out, line);
        tr_buf_put(out, line.len && line.ptr[line.len - 1] == '\r'
                            ? TR_STR("\n")
                            : TR_STR("\r\n"));
    }
    tr_buf_put(out, text);
}

static bool ends_with(tr_str text, tr_str end)
{
    return text.len >= end.len &&
           tr_str_eq(tr_str_skip(text, text.len - end.len), end);
}

tr_status tr_gen_insert(tr_str file, const struct tr_gen_outline *outline,
                        const char *word, tr_str declaration,
                        struct tr_buf *out, struct tr_err *err)
{
    bool with_returns = file.len && has_carriage_returns(file);
    tr_str eol = with_returns ? TR_STR("\r\n") : TR_STR("\n");
    tr_str two = with_returns ? TR_STR("\r\n\r\n") : TR_STR("\n\n");
    size_t at = tr_gen_insert_offset(file, outline, word);
    tr_str before = {file.ptr, at};
    tr_str behind = tr_str_skip(file, at);
    tr_buf_put(out, before);
    if (before.len && !ends_with(before, TR_STR("\n")))
        tr_buf_put(out, eol);
    if (before.len && !ends_with(before, two))
        tr_buf_put(out, eol);
    put_lines(out, declaration, with_returns);
    if (behind.len && !tr_str_starts(behind, eol))
        tr_buf_put(out, eol);
    tr_buf_put(out, behind);
    return tr_buf_check(out, err);
}
