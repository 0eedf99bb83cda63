/*
 * DOT, as Graphviz reads it: boxes are HTML-like labels, so that arrows leave
 * from rows.
 */
#include "draw/draw.h"
#include "draw/text.h"

static const char *const arrows[] = {
    [TR_DRAW_REFERS] = "",
    [TR_DRAW_EXTENDS] = " [arrowhead=onormal, color=\"#a3561b\"]",
    [TR_DRAW_OWNS] =
        " [dir=back, arrowtail=diamond, arrowhead=none, color=\"#7a3fb0\"]",
};

/* An empty cell is not allowed. */
static void put_cell(struct tr_buf *out, tr_str text)
{
    if (text.len)
        tr_draw_put_xml(out, text);
    else
        tr_buf_putc(out, ' ');
}

/* Between quotes a backslash and a quote mean something. */
static void put_quoted(struct tr_buf *out, tr_str text)
{
    tr_buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            tr_buf_putc(out, '\\');
        tr_buf_putc(out, text.ptr[i]);
    }
    tr_buf_putc(out, '"');
}

static void put_box(struct tr_buf *out, const struct tr_draw_box *box,
                    size_t number)
{
    tr_buf_putf(out,
                "  n%zu [label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" "
                "CELLSPACING=\"0\" CELLPADDING=\"4\">"
                "<TR><TD COLSPAN=\"2\" PORT=\"t\" BGCOLOR=\"%s\"><B>",
                number, box->is_main ? "#cfe0fb" : "#e9eef7");
    put_cell(out, box->title);
    tr_buf_put(out, TR_STR("</B> "));
    tr_draw_put_xml(out, box->kind);
    tr_buf_put(out, TR_STR("</TD></TR>"));
    for (size_t i = 0; i < box->rows.count; i++) {
        tr_buf_put(out, TR_STR("<TR><TD ALIGN=\"LEFT\">"));
        put_cell(out, box->rows.items[i].name);
        tr_buf_putf(out, "</TD><TD ALIGN=\"LEFT\" PORT=\"r%zu\">", i);
        put_cell(out, box->rows.items[i].text);
        tr_buf_put(out, TR_STR("</TD></TR>"));
    }
    if (box->left_out)
        tr_buf_putf(out, "<TR><TD COLSPAN=\"2\">and %zu more</TD></TR>",
                    box->left_out);
    tr_buf_put(out, TR_STR("</TABLE>>"));
    if (box->about.len) {
        tr_buf_put(out, TR_STR(", tooltip="));
        put_quoted(out, box->about);
    }
    tr_buf_put(out, TR_STR("];\n"));
}

void tr_draw_dot(const struct tr_draw_picture *p, struct tr_buf *out)
{
    tr_buf_put(out, TR_STR("digraph "));
    put_quoted(out, p->title);
    tr_buf_put(out, TR_STR(" {\n  rankdir=LR;\n"
                           "  node [shape=plain, fontname=\"monospace\", "
                           "fontsize=11];\n"
                           "  edge [color=\"#2f6fdb\"];\n"));
    if (p->note.len) {
        tr_buf_put(out, TR_STR("  label="));
        put_quoted(out, p->note);
        tr_buf_put(out, TR_STR(";\n"));
    }
    for (size_t i = 0; i < p->boxes.count; i++)
        put_box(out, &p->boxes.items[i], i);
    for (size_t i = 0; i < p->edges.count; i++) {
        const struct tr_draw_edge *edge = &p->edges.items[i];
        tr_buf_putf(out, "  n%zu", edge->from);
        if (edge->row != TR_DRAW_NO_ROW)
            tr_buf_putf(out, ":r%zu", edge->row);
        tr_buf_putf(out, " -> n%zu:t%s;\n", edge->to, arrows[edge->arrow]);
    }
    tr_buf_put(out, TR_STR("}\n"));
}
