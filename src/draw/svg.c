/*
 * SVG 1.1, as browsers and others show it: no scripts, nothing from elsewhere,
 * and no more of CSS than they all know. Light or dark, as the reader has it.
 */
#include "draw/layout.h"
#include "draw/text.h"

static const char style[] =
    "<style>\n"
    "text{font:12px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    ".bg{fill:#fff}.box{fill:#fff;stroke:#9aa4b5}.head{fill:#e9eef7}\n"
    ".main .head{fill:#cfe0fb}.main .box{stroke:#2f6fdb;stroke-width:2}\n"
    ".t{font-weight:bold;font-size:13px;fill:#1b2230}.n{fill:#1b2230}\n"
    ".k{fill:#5a6577}.e{fill:none;stroke:#2f6fdb;stroke-width:1.4}\n"
    ".x{stroke:#a3561b}.o{stroke:#7a3fb0}\n"
    ".a{fill:#2f6fdb}.ax{fill:#fff;stroke:#a3561b}.ao{fill:#7a3fb0}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".bg{fill:#12151b}.box{fill:#1a1f28;stroke:#5b677b}.head{fill:#262e3b}\n"
    ".main .head{fill:#1f3a66}.main .box{stroke:#7db0ff}\n"
    ".t,.n{fill:#e8ecf3}.k{fill:#a3aebf}.e{stroke:#7db0ff}\n"
    ".x{stroke:#e2a065}.o{stroke:#c59bf0}\n"
    ".a{fill:#7db0ff}.ax{fill:#12151b;stroke:#e2a065}.ao{fill:#c59bf0}\n"
    "}\n"
    "</style>\n";

static const char markers[] =
    "<defs>\n"
    "<marker id=\"refers\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" "
    "markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\" "
    "markerUnits=\"userSpaceOnUse\">"
    "<path class=\"a\" d=\"M0 1L9 5L0 9z\"/></marker>\n"
    "<marker id=\"extends\" viewBox=\"0 0 14 14\" refX=\"12\" refY=\"7\" "
    "markerWidth=\"14\" markerHeight=\"14\" orient=\"auto\" "
    "markerUnits=\"userSpaceOnUse\">"
    "<path class=\"ax\" d=\"M1 1L12 7L1 13z\"/></marker>\n"
    "<marker id=\"owns\" viewBox=\"0 0 14 10\" refX=\"13\" refY=\"5\" "
    "markerWidth=\"13\" markerHeight=\"9\" orient=\"auto\" "
    "markerUnits=\"userSpaceOnUse\">"
    "<path class=\"ao\" d=\"M0 5L6.5 1L13 5L6.5 9z\"/></marker>\n"
    "</defs>\n";

static const struct look {
    const char *classes;
    const char *marker;
} looks[] = {
    [TR_DRAW_REFERS] = {"e", "refers"},
    [TR_DRAW_EXTENDS] = {"e x", "extends"},
    [TR_DRAW_OWNS] = {"e o", "owns"},
};

static void put_text(struct tr_buf *out, const char *class, double x, double y,
                     bool is_end, tr_str text)
{
    if (!text.len)
        return;
    tr_buf_putf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"%s>", class, x, y,
                is_end ? " text-anchor=\"end\"" : "");
    tr_draw_put_xml(out, text);
    tr_buf_put(out, TR_STR("</text>\n"));
}

static void put_rows(struct tr_buf *out, const struct tr_draw_box *box,
                     const struct tr_draw_spot *at)
{
    char text[64];
    double right = at->x + at->width - TR_DRAW_PAD;
    for (size_t i = 0; i < box->rows.count; i++) {
        double y = at->y + tr_draw_row_middle(i) + 4;
        put_text(out, "n", at->x + TR_DRAW_PAD, y, false,
                 box->rows.items[i].name);
        put_text(out, "k", right, y, true, box->rows.items[i].text);
    }
    if (!box->left_out)
        return;
    (void)snprintf(text, sizeof(text), "and %zu more", box->left_out);
    put_text(out, "k", at->x + TR_DRAW_PAD,
             at->y + tr_draw_row_middle(box->rows.count) + 4, false,
             tr_str_from(text));
}

static void put_box(struct tr_buf *out, const struct tr_draw_box *box,
                    const struct tr_draw_spot *at)
{
    tr_buf_putf(out, "<g%s>\n", box->is_main ? " class=\"main\"" : "");
    if (box->about.len) {
        tr_buf_put(out, TR_STR("<title>"));
        tr_draw_put_xml(out, box->about);
        tr_buf_put(out, TR_STR("</title>\n"));
    }
    tr_buf_putf(out,
                "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\" rx=\"5\"/>\n",
                at->x, at->y, at->width, at->height);
    tr_buf_putf(out,
                "<rect class=\"head\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%d\" rx=\"4\"/>\n",
                at->x + 1, at->y + 1, at->width - 2, TR_DRAW_HEAD - 2);
    put_text(out, "t", at->x + TR_DRAW_PAD, at->y + 20, false, box->title);
    put_text(out, "k", at->x + at->width - TR_DRAW_PAD, at->y + 20, true,
             box->kind);
    put_rows(out, box, at);
    tr_buf_put(out, TR_STR("</g>\n"));
}

/* A curve that leaves and arrives level. */
static void put_curve(struct tr_buf *out, double x1, double y1, double x2,
                      double y2)
{
    double middle = (x1 + x2) / 2;
    tr_buf_putf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", middle, y1, middle, y2,
                x2, y2);
}

/* Back to the box that it comes from. */
static void put_loop(struct tr_buf *out, const struct tr_draw_layout *l,
                     const struct tr_draw_edge *edge)
{
    const struct tr_draw_spot *at = &l->spots.items[edge->from];
    double x = at->x + at->width;
    double y1 = at->y + tr_draw_leaves_at(edge);
    double y2 = at->y + tr_draw_enters_at(edge);
    tr_buf_putf(out, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x, y1, x + 38,
                y1, x + 38, y2, x, y2);
}

static void put_route(struct tr_buf *out, const struct tr_draw_layout *l,
                      const struct tr_draw_edge *edge,
                      const struct tr_draw_route *route)
{
    const struct tr_draw_spot *from = &l->spots.items[edge->from];
    const struct tr_draw_spot *to = &l->spots.items[edge->to];
    bool back = route->is_backward;
    double x = back ? from->x : from->x + from->width;
    double y = from->y + tr_draw_leaves_at(edge);
    tr_buf_putf(out, "M%.1f %.1f", x, y);
    for (size_t i = 0; i < route->count; i++) {
        const struct tr_draw_spot *bend =
            &l->spots.items[route->first + (back ? route->count - 1 - i : i)];
        double near = back ? bend->x + bend->width : bend->x;
        double far = back ? bend->x : bend->x + bend->width;
        put_curve(out, x, y, near, bend->y + 5);
        tr_buf_putf(out, "L%.1f %.1f", far, bend->y + 5);
        x = far;
        y = bend->y + 5;
    }
    put_curve(out, x, y, back ? to->x + to->width : to->x,
              to->y + tr_draw_enters_at(edge));
}

static void put_edge(struct tr_buf *out, const struct tr_draw_layout *l,
                     size_t i)
{
    const struct tr_draw_edge *edge = &l->picture->edges.items[i];
    const struct look *look = &looks[edge->arrow];
    tr_buf_putf(out, "<path class=\"%s\" marker-end=\"url(#%s)\" d=\"",
                look->classes, look->marker);
    if (edge->from == edge->to)
        put_loop(out, l, edge);
    else
        put_route(out, l, edge, &l->routes[i]);
    tr_buf_put(out, TR_STR("\"/>\n"));
}

tr_status tr_draw_svg(const struct tr_draw_picture *p, struct tr_buf *out,
                      struct tr_err *err)
{
    struct tr_draw_layout l;
    TR_TRY(tr_draw_lay_out(p, &l, err));
    double note = p->note.len ? 24 : 0;
    double wide = (double)tr_draw_columns(p->note) * TR_DRAW_CHAR + 60;
    double width = note > 0 && wide > l.width ? wide : l.width;
    tr_buf_putf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
                "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n"
                "<title>",
                width, l.height + note, width, l.height + note);
    tr_draw_put_xml(out, p->title);
    tr_buf_putf(out,
                "</title>\n%s%s<rect class=\"bg\" width=\"100%%\" "
                "height=\"100%%\"/>\n",
                style, markers);
    for (size_t i = 0; i < p->edges.count; i++)
        put_edge(out, &l, i);
    for (size_t i = 0; i < p->boxes.count; i++)
        put_box(out, &p->boxes.items[i], &l.spots.items[i]);
    put_text(out, "k", 28, l.height + note - 20, false, p->note);
    tr_buf_put(out, TR_STR("</svg>\n"));
    return TR_OK;
}
