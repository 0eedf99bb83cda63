#include "draw/layout.h"

#include "draw/text.h"

#define MARGIN 28.0
#define APART  44.0
/* How wide parts that are not connected stand together. */
#define SHELF 1500.0

double tr_draw_row_middle(size_t row)
{
    return TR_DRAW_HEAD + 4 + (double)row * TR_DRAW_ROW + TR_DRAW_ROW / 2.0;
}

double tr_draw_leaves_at(const struct tr_draw_edge *edge)
{
    return edge->row == TR_DRAW_NO_ROW ? TR_DRAW_HEAD / 2.0
                                       : tr_draw_row_middle(edge->row);
}

double tr_draw_enters_at(const struct tr_draw_edge *edge)
{
    return edge->arrow == TR_DRAW_EXTENDS ? TR_DRAW_HEAD - 7.0 : 11.0;
}

static void measure(const struct tr_draw_box *box, struct tr_draw_spot *out)
{
    double width = (double)tr_draw_columns(box->title) * TR_DRAW_BOLD +
                   (double)tr_draw_columns(box->kind) * TR_DRAW_CHAR +
                   (box->kind.len ? TR_DRAW_BETWEEN : 0);
    for (size_t i = 0; i < box->rows.count; i++) {
        const struct tr_draw_row *row = &box->rows.items[i];
        double columns =
            (double)(tr_draw_columns(row->name) + tr_draw_columns(row->text));
        double wanted = columns * TR_DRAW_CHAR + TR_DRAW_BETWEEN;
        width = wanted > width ? wanted : width;
    }
    size_t rows = box->rows.count + (box->left_out > 0);
    out->width = width + 2 * TR_DRAW_PAD < 90 ? 90 : width + 2 * TR_DRAW_PAD;
    out->height = TR_DRAW_HEAD + (double)rows * TR_DRAW_ROW + (rows ? 8 : 0);
}

/* Parts ------------------------------------------------------------------- */

static size_t root_of(size_t *parts, size_t i)
{
    while (parts[i] != i)
        i = parts[i] = parts[parts[i]];
    return i;
}

static void find_parts(struct tr_draw_layout *l)
{
    const struct tr_draw_picture *p = l->picture;
    size_t *number = TR_NEW_ARRAY(l->arena, size_t, p->boxes.count + 1);
    l->parts = TR_NEW_ARRAY(l->arena, size_t, p->boxes.count + 1);
    if (!l->parts || !number) {
        l->no_memory = true;
        return;
    }
    for (size_t i = 0; i < p->boxes.count; i++)
        l->parts[i] = i;
    for (size_t i = 0; i < p->edges.count; i++) {
        size_t a = root_of(l->parts, p->edges.items[i].from);
        size_t b = root_of(l->parts, p->edges.items[i].to);
        l->parts[a < b ? b : a] = a < b ? a : b;
    }
    for (size_t i = 0; i < p->boxes.count; i++) {
        size_t root = root_of(l->parts, i);
        if (root == i)
            number[i] = l->part_count++;
    }
    for (size_t i = 0; i < p->boxes.count; i++)
        number[i] = number[root_of(l->parts, i)];
    l->parts = number;
}

/* One part on its way: what is connected, laid out by itself. */
struct part {
    double width, height;
    size_t size; /* boxes */
    double x, y;
};

/* Those of a column are as wide as its widest, and arrows have room behind. */
static void set_columns(struct tr_draw_layout *l, size_t columns)
{
    double x = 0;
    for (size_t column = 0; column < columns; column++) {
        double width = 0;
        size_t links = 0;
        for (size_t i = 0; i < l->spots.count; i++) {
            struct tr_draw_spot *at = &l->spots.items[i];
            if (at->column == column && at->width > width)
                width = at->width;
        }
        for (size_t i = 0; i < l->links.count; i++)
            links += l->spots.items[l->links.items[i].from].column == column;
        for (size_t i = 0; i < l->spots.count; i++) {
            struct tr_draw_spot *at = &l->spots.items[i];
            if (at->column != column)
                continue;
            at->x = x;
            if (i >= l->picture->boxes.count)
                at->width = width; /* it passes the whole column */
        }
        x += width + 64 + (links < 20 ? 5.0 * (double)links : 100);
    }
}

/* What is cut out of a picture, and put together again. */
struct cutting {
    size_t *boxes;  /* of a part: their numbers in the whole */
    size_t *edges;  /* likewise */
    size_t *number; /* of a box of the whole: in its part */
};

static bool begin_cutting(const struct tr_draw_layout *whole,
                          struct cutting *out)
{
    size_t boxes = whole->picture->boxes.count + 1;
    size_t edges = whole->picture->edges.count + 1;
    out->boxes = TR_NEW_ARRAY(whole->arena, size_t, boxes);
    out->edges = TR_NEW_ARRAY(whole->arena, size_t, edges);
    out->number = TR_NEW_ARRAY(whole->arena, size_t, boxes);
    return out->boxes && out->edges && out->number;
}

/* A picture of some of the boxes. */
static bool cut_part(const struct tr_draw_layout *whole, size_t part,
                     struct tr_draw_picture *p, const struct cutting *c)
{
    const struct tr_draw_picture *all = whole->picture;
    *p = (struct tr_draw_picture){.arena = whole->arena};
    for (size_t i = 0; i < all->boxes.count; i++) {
        if (whole->parts[i] != part)
            continue;
        c->number[i] = p->boxes.count;
        c->boxes[p->boxes.count] = i;
        if (!tr_vec_push(p->arena, &p->boxes, all->boxes.items[i]))
            return false;
    }
    for (size_t i = 0; i < all->edges.count; i++) {
        struct tr_draw_edge edge = all->edges.items[i];
        if (whole->parts[edge.from] != part)
            continue;
        edge.from = c->number[edge.from];
        edge.to = c->number[edge.to];
        c->edges[p->edges.count] = i;
        if (!tr_vec_push(p->arena, &p->edges, edge))
            return false;
    }
    return true;
}

static bool begin(struct tr_draw_layout *l, const struct tr_draw_picture *p)
{
    *l = (struct tr_draw_layout){.arena = p->arena, .picture = p};
    l->routes =
        TR_NEW_ARRAY(l->arena, struct tr_draw_route, p->edges.count + 1);
    if (!l->routes)
        return false;
    for (size_t i = 0; i < p->boxes.count; i++) {
        struct tr_draw_spot spot = {0};
        measure(&p->boxes.items[i], &spot);
        if (!tr_vec_push(l->arena, &l->spots, spot))
            return false;
    }
    return true;
}

/* Puts the part at the origin, and says how large it is. */
static void shift(struct tr_draw_layout *l, struct part *out)
{
    double top = 1e9;
    for (size_t i = 0; i < l->spots.count; i++)
        top = l->spots.items[i].y < top ? l->spots.items[i].y : top;
    for (size_t i = 0; i < l->spots.count; i++) {
        struct tr_draw_spot *at = &l->spots.items[i];
        at->y -= top;
        if (at->x + at->width > out->width)
            out->width = at->x + at->width;
        if (at->y + at->height > out->height)
            out->height = at->y + at->height;
    }
}

static void lay_out_part(struct tr_draw_layout *l, struct part *out)
{
    size_t columns = 0;
    tr_draw_choose_columns(l);
    if (!l->no_memory)
        tr_draw_order_columns(l);
    if (l->no_memory)
        return;
    for (size_t i = 0; i < l->spots.count; i++) {
        if (l->spots.items[i].column >= columns)
            columns = l->spots.items[i].column + 1;
    }
    set_columns(l, columns);
    out->size = l->picture->boxes.count;
    shift(l, out);
    for (size_t i = 0; i < l->picture->edges.count; i++) {
        if (l->picture->edges.items[i].from == l->picture->edges.items[i].to)
            out->width += 1; /* its loop has room in the margin */
    }
}

/* Adds a part to the whole, where it stands. */
static void take_part(struct tr_draw_layout *whole,
                      const struct tr_draw_layout *l, const struct part *part,
                      const struct cutting *c)
{
    size_t own = l->picture->boxes.count;
    for (size_t i = 0; i < l->spots.count; i++) {
        struct tr_draw_spot at = l->spots.items[i];
        at.x += part->x;
        at.y += part->y;
        if (i < own)
            whole->spots.items[c->boxes[i]] = at;
        else if (!tr_vec_push(whole->arena, &whole->spots, at))
            whole->no_memory = true;
    }
    size_t shifted = whole->spots.count - l->spots.count;
    for (size_t i = 0; i < l->picture->edges.count; i++) {
        struct tr_draw_route route = l->routes[i];
        route.first += shifted;
        whole->routes[c->edges[i]] = route;
    }
}

/* Parts stand in lines, as words of a text do. */
struct shelf {
    double x, y, height;
};

static void put_down(struct shelf *shelf, struct part *part,
                     struct tr_draw_layout *whole)
{
    if (shelf->x > 0 && shelf->x + part->width > SHELF) {
        shelf->y += shelf->height + APART;
        shelf->x = shelf->height = 0;
    }
    part->x = MARGIN + shelf->x;
    part->y = MARGIN + shelf->y;
    shelf->x += part->width + APART;
    if (part->height > shelf->height)
        shelf->height = part->height;
    if (part->x + part->width + MARGIN + 20 > whole->width)
        whole->width = part->x + part->width + MARGIN + 20;
    if (part->y + part->height + MARGIN > whole->height)
        whole->height = part->y + part->height + MARGIN;
}

/* Those of several boxes first: the others fill lines behind them. */
static void lay_out_parts(struct tr_draw_layout *whole, bool of_one,
                          struct shelf *shelf)
{
    const struct tr_draw_picture *p = whole->picture;
    struct cutting c;
    whole->no_memory |= !begin_cutting(whole, &c);
    for (size_t i = 0; !whole->no_memory && i < whole->part_count; i++) {
        struct tr_draw_picture own;
        struct tr_draw_layout l;
        struct part part = {0};
        size_t size = 0;
        for (size_t k = 0; k < p->boxes.count && size < 2; k++)
            size += whole->parts[k] == i;
        if ((size == 1) != of_one)
            continue;
        if (!cut_part(whole, i, &own, &c) || !begin(&l, &own)) {
            whole->no_memory = true;
            return;
        }
        lay_out_part(&l, &part);
        put_down(shelf, &part, whole);
        take_part(whole, &l, &part, &c);
        whole->no_memory |= l.no_memory;
    }
}

tr_status tr_draw_lay_out(const struct tr_draw_picture *p,
                          struct tr_draw_layout *out, struct tr_err *err)
{
    struct shelf shelf = {0};
    if (!begin(out, p))
        return tr_fail(err, TR_E_NOMEM, "no memory for a picture");
    find_parts(out);
    out->width = out->height = 2 * MARGIN;
    if (!out->no_memory)
        lay_out_parts(out, false, &shelf);
    if (!out->no_memory && shelf.x > 0) {
        shelf.y += shelf.height + APART;
        shelf.x = shelf.height = 0;
    }
    if (!out->no_memory)
        lay_out_parts(out, true, &shelf);
    return out->no_memory ? tr_fail(err, TR_E_NOMEM, "no memory for a picture")
                          : TR_OK;
}
