/*
 * Mermaid: types as a class diagram, nodes, whose texts may be anything, as a
 * flowchart.
 */
#include "base/ascii.h"
#include "draw/draw.h"

/* What is neither a letter, a digit nor harmless is an entity; so is what
 * Markdown would read. */
static void put_text(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_plain = (unsigned char)c >= 0x80 || tr_ascii_is_letter(c) ||
                        tr_ascii_is_digit(c) || strchr(" .,-:/()?", c);
        if (is_plain)
            tr_buf_putc(out, c);
        else
            tr_buf_putf(out, "#%d;", c);
    }
}

/* Members are read without entities. */
static void put_member(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_plain = (unsigned char)c >= 0x80 || tr_ascii_is_letter(c) ||
                        tr_ascii_is_digit(c) || strchr(" _.,-:?[]|", c);
        tr_buf_putc(out, is_plain ? c : ' ');
    }
}

static void put_class(struct tr_buf *out, const struct tr_draw_box *box,
                      size_t number)
{
    tr_buf_putf(out, "  class c%zu[\"", number);
    put_text(out, box->title);
    tr_buf_put(out, TR_STR("\"]"));
    if (!box->rows.count && !box->left_out) {
        tr_buf_putc(out, '\n');
        return;
    }
    tr_buf_put(out, TR_STR(" {\n"));
    for (size_t i = 0; i < box->rows.count; i++) {
        tr_buf_put(out, TR_STR("    "));
        put_member(out, box->rows.items[i].name);
        tr_buf_put(out, TR_STR(" : "));
        put_member(out, box->rows.items[i].text);
        tr_buf_putc(out, '\n');
    }
    if (box->left_out)
        tr_buf_putf(out, "    and %zu more\n", box->left_out);
    tr_buf_put(out, TR_STR("  }\n"));
}

static void put_relation(struct tr_buf *out, const struct tr_draw_edge *edge)
{
    static const char *const arrows[] = {[TR_DRAW_REFERS] = "-->",
                                         [TR_DRAW_EXTENDS] = "--|>",
                                         [TR_DRAW_OWNS] = "*--"};
    tr_buf_putf(out, "  c%zu %s%s c%zu", edge->from, arrows[edge->arrow],
                edge->many ? " \"*\"" : "", edge->to);
    if (edge->label.len) {
        tr_buf_put(out, TR_STR(" : "));
        put_member(out, edge->label);
    }
    tr_buf_putc(out, '\n');
}

static void put_classes(struct tr_buf *out, const struct tr_draw_picture *p)
{
    tr_buf_put(out, TR_STR("classDiagram\n  direction LR\n"));
    for (size_t i = 0; i < p->boxes.count; i++)
        put_class(out, &p->boxes.items[i], i);
    for (size_t i = 0; i < p->edges.count; i++)
        put_relation(out, &p->edges.items[i]);
    if (p->note.len) {
        tr_buf_put(out, TR_STR("  note \""));
        put_text(out, p->note);
        tr_buf_put(out, TR_STR("\"\n"));
    }
}

static void put_node(struct tr_buf *out, const struct tr_draw_box *box,
                     size_t number)
{
    tr_buf_putf(out, "  n%zu[\"", number);
    put_text(out, box->title);
    if (box->kind.len) {
        tr_buf_put(out, TR_STR(" ("));
        put_text(out, box->kind);
        tr_buf_putc(out, ')');
    }
    for (size_t i = 0; i < box->rows.count; i++) {
        tr_buf_put(out, TR_STR("<br>"));
        put_text(out, box->rows.items[i].name);
        if (box->rows.items[i].text.len)
            tr_buf_put(out, TR_STR(": "));
        put_text(out, box->rows.items[i].text);
    }
    if (box->left_out)
        tr_buf_putf(out, "<br>and %zu more", box->left_out);
    tr_buf_put(out, TR_STR("\"]\n"));
}

static void put_nodes(struct tr_buf *out, const struct tr_draw_picture *p)
{
    tr_buf_put(out, TR_STR("flowchart LR\n"));
    for (size_t i = 0; i < p->boxes.count; i++)
        put_node(out, &p->boxes.items[i], i);
    for (size_t i = 0; i < p->edges.count; i++) {
        const struct tr_draw_edge *edge = &p->edges.items[i];
        tr_buf_putf(out, "  n%zu -->|\"", edge->from);
        put_text(out, edge->label);
        tr_buf_putf(out, "\"| n%zu\n", edge->to);
    }
    if (p->note.len) {
        tr_buf_put(out, TR_STR("  note[\""));
        put_text(out, p->note);
        tr_buf_put(out, TR_STR("\"]\n"));
    }
}

void tr_draw_mermaid(const struct tr_draw_picture *p, struct tr_buf *out)
{
    if (p->of_nodes)
        put_nodes(out, p);
    else
        put_classes(out, p);
}
