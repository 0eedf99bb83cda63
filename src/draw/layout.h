/*
 * draw/layout.h - where each box of a picture stands; for this folder only.
 *
 * Boxes stand in columns, so that arrows go from left to right, except those
 * that close a circle. An arrow that passes a column has a spot there, as a
 * box has. What is not connected is laid out by itself, and put beside.
 */
#ifndef TR_DRAW_LAYOUT_H
#define TR_DRAW_LAYOUT_H

#include "draw/draw.h"

#define TR_DRAW_CHAR    7.3 /* of rows, and of titles: the width of a column */
#define TR_DRAW_BOLD    8.0
#define TR_DRAW_HEAD    30 /* the height of a title, and of a row */
#define TR_DRAW_ROW     20
#define TR_DRAW_PAD     12
#define TR_DRAW_BETWEEN 26 /* between the name of a row and its text */

/* Boxes come first, in their order; then where arrows pass columns. */
struct tr_draw_spot {
    double x, y, width, height;
    size_t column;
    size_t rank; /* in its column, from the top */
    double key;  /* what it is sorted by */
};

/* A part of an arrow, from one column to the next; `from` is left of `to`. */
struct tr_draw_link {
    size_t from, to;
    double out, in; /* where it leaves and enters, below the top of a spot */
};

/* The spots that an arrow passes, from left to right. */
struct tr_draw_route {
    bool is_backward; /* from right to left */
    size_t first;     /* the first of the spots */
    size_t count;
};

struct tr_draw_layout {
    struct tr_arena *arena;
    const struct tr_draw_picture *picture;
    TR_VEC(struct tr_draw_spot) spots;
    TR_VEC(struct tr_draw_link) links;
    struct tr_draw_route *routes; /* of each edge */
    size_t *parts;                /* of each box: what it is connected with */
    size_t part_count;
    double width, height;
    bool no_memory;
};

TR_NODISCARD tr_status tr_draw_lay_out(const struct tr_draw_picture *p,
                                       struct tr_draw_layout *out,
                                       struct tr_err *err);

/* Where the middle of a row stands, below the top of its box; where an arrow
 * leaves a box; and where it enters one: those of subtypes stand apart. */
double tr_draw_row_middle(size_t row);
double tr_draw_leaves_at(const struct tr_draw_edge *edge);
double tr_draw_enters_at(const struct tr_draw_edge *edge);

/* columns.c: the column of each box, and the routes of arrows. */
void tr_draw_choose_columns(struct tr_draw_layout *l);

/* order.c: the ranks in columns, so that few links cross; then the heights. */
void tr_draw_order_columns(struct tr_draw_layout *l);

#endif
