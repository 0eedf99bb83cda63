#include "install/layout.h"

bool tr_install_has_line_end(tr_str text, size_t start, size_t end)
{
    return end > start && memchr(text.ptr + start, '\n', end - start);
}

static size_t line_start(tr_str text, size_t at)
{
    while (at > 0 && text.ptr[at - 1] != '\n')
        at--;
    return at;
}

size_t tr_install_skip_blanks(tr_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
        at++;
    return at;
}

size_t tr_install_before_space(tr_str text, size_t at)
{
    while (at > 0 && tr_install_is_space(text.ptr[at - 1]))
        at--;
    return at;
}

bool tr_install_starts_line(tr_str text, size_t at)
{
    return tr_install_skip_blanks(text, line_start(text, at)) == at;
}

tr_str tr_install_indent_of(tr_str text, size_t at)
{
    size_t start = line_start(text, at);
    size_t end = tr_install_skip_blanks(text, start);
    return (tr_str){text.ptr + start, (end < at ? end : at) - start};
}

tr_str tr_install_line_end_at(tr_str text, size_t at)
{
    const char *lf =
        at < text.len ? memchr(text.ptr + at, '\n', text.len - at) : NULL;
    if (!lf)
        lf = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    return lf && lf > text.ptr && lf[-1] == '\r' ? TR_STR("\r\n")
                                                 : TR_STR("\n");
}

size_t tr_install_behind_notes(tr_str text, size_t at)
{
    size_t end = at;
    for (;;) {
        tr_str rest = tr_str_skip(text, tr_install_skip_blanks(text, end));
        const char *stop = NULL;
        if (tr_str_starts(rest, TR_STR("//")))
            stop = memchr(rest.ptr, '\n', rest.len);
        else if (tr_str_starts(rest, TR_STR("/*")))
            stop = memmem(rest.ptr + 2, rest.len - 2, "*/", 2);
        if (!stop)
            return end;
        size_t at_stop = (size_t)(stop - text.ptr);
        if (*stop == '\n')
            return tr_install_before_space(text, at_stop);
        end = at_stop + 2;
    }
}

void tr_install_style_read(struct tr_install_style *out,
                           const struct tr_install_json *json,
                           const struct tr_install_object *root)
{
    tr_str text = json->text;
    *out = (struct tr_install_style){
        .line_end = tr_install_line_end_at(text, 0),
        .unit = TR_STR("  "),
    };
    if (!root || !root->members.count)
        return;
    const struct tr_install_member *first = &root->members.items[0];
    tr_str indent = tr_install_indent_of(text, first->key);
    if (tr_install_starts_line(text, first->key) && indent.len)
        out->unit = indent;
    out->is_tight = json->bare.ptr[first->value - 1] == ':';
    out->is_inline = !tr_install_has_line_end(text, root->open, root->close);
}
