#include "base/limits.h"
#include "base/text.h"
#include "draw/draw.h"
#include "draw/text.h"

/* A character of which no XML document may have one (XML 1.0, 2.2), or that
 * would move the others. */
static bool is_shown(tr_str at, uint32_t c)
{
    return !tr_utf8_control(at) && (c & 0xFFFE) != 0xFFFE && c != 0xFEFF;
}

/* Copies what can be shown; `cut` when there was more. */
static size_t copy(char *to, tr_str text, size_t max, bool *cut)
{
    size_t len = 0;
    size_t count = 0;
    bool was_space = true;
    while (text.len && count < max) {
        uint32_t c = 0;
        size_t size = tr_utf8_decode(text, &c);
        bool is_space = !size || c == ' ' || !is_shown(text, c);
        tr_str one = tr_str_skip(text, size ? size : 1);
        if (is_space && !was_space) {
            to[len++] = ' ';
        } else if (!is_space) {
            memcpy(to + len, text.ptr, size);
            len += size;
        }
        count += !is_space || !was_space;
        was_space = is_space;
        text = one;
    }
    *cut = text.len > 0;
    return len;
}

tr_str tr_draw_text(struct tr_draw_picture *p, tr_str text, size_t max)
{
    static const char more[] = "\xe2\x80\xa6";
    size_t room = text.len < 4 * max ? text.len : 4 * max;
    char *to = tr_arena_alloc(p->arena, room + sizeof(more));
    bool cut;
    if (!to) {
        p->no_memory = true;
        return TR_STR("");
    }
    size_t len = copy(to, text, max, &cut);
    while (len && to[len - 1] == ' ')
        len--;
    if (cut) {
        memcpy(to + len, more, sizeof(more) - 1);
        len += sizeof(more) - 1;
    }
    return (tr_str){to, len};
}

size_t tr_draw_add_box(struct tr_draw_picture *p, tr_str title, tr_str kind)
{
    struct tr_draw_box box = {
        .title = tr_draw_text(p, title, TR_LIMIT_DRAWN_TEXT),
        .kind = tr_draw_text(p, kind, TR_LIMIT_DRAWN_TEXT)};
    if (!tr_vec_push(p->arena, &p->boxes, box)) {
        p->no_memory = true;
        return 0;
    }
    return p->boxes.count - 1;
}

size_t tr_draw_add_row(struct tr_draw_picture *p, size_t at, tr_str name,
                       tr_str text)
{
    if (at >= p->boxes.count) /* there was no memory for it */
        return TR_DRAW_NO_ROW;
    struct tr_draw_box *box = &p->boxes.items[at];
    if (box->rows.count == TR_LIMIT_DRAWN_ROWS) {
        box->left_out++;
        return TR_DRAW_NO_ROW;
    }
    struct tr_draw_row row = {tr_draw_text(p, name, TR_LIMIT_DRAWN_TEXT),
                              tr_draw_text(p, text, TR_LIMIT_DRAWN_TEXT)};
    if (!tr_vec_push(p->arena, &box->rows, row)) {
        p->no_memory = true;
        return TR_DRAW_NO_ROW;
    }
    return box->rows.count - 1;
}

void tr_draw_add_edge(struct tr_draw_picture *p, struct tr_draw_edge edge)
{
    edge.label = tr_draw_text(p, edge.label, TR_LIMIT_DRAWN_TEXT);
    if (!tr_vec_push(p->arena, &p->edges, edge))
        p->no_memory = true;
}

tr_status tr_draw_finish(const struct tr_draw_picture *p, struct tr_err *err)
{
    return p->no_memory ? tr_fail(err, TR_E_NOMEM, "no memory for a picture")
                        : TR_OK;
}

/* East Asian characters and pictograms; those that only mark another count as
 * one all the same, which leaves room. */
static bool is_wide(uint32_t c)
{
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
           (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

size_t tr_draw_columns(tr_str text)
{
    size_t columns = 0;
    while (text.len) {
        uint32_t c = 0;
        size_t size = tr_utf8_decode(text, &c);
        columns += is_wide(c) ? 2 : 1;
        text = tr_str_skip(text, size ? size : 1);
    }
    return columns;
}

void tr_draw_put_xml(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '<')
            tr_buf_put(out, TR_STR("&lt;"));
        else if (c == '>')
            tr_buf_put(out, TR_STR("&gt;"));
        else if (c == '&')
            tr_buf_put(out, TR_STR("&amp;"));
        else if (c == '"')
            tr_buf_put(out, TR_STR("&quot;"));
        else if (c == '\'')
            tr_buf_put(out, TR_STR("&#39;"));
        else
            tr_buf_putc(out, c);
    }
}
