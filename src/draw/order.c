/*
 * The order of spots in each column, and their heights: each goes where those
 * are that it is linked with, first in the order, then on the paper.
 */
#include "draw/layout.h"

#define SWEEPS 12
#define GAP    22.0

/* Places of one column, in their order. */
struct column {
    size_t *spots;
    size_t count;
};

struct ordering {
    struct tr_draw_layout *l;
    struct column *columns;
    size_t count;
    size_t *best; /* the ranks with the fewest crossings so far */
    size_t fewest;
};

static bool make_columns(struct ordering *o)
{
    struct tr_draw_layout *l = o->l;
    for (size_t i = 0; i < l->spots.count; i++) {
        if (l->spots.items[i].column >= o->count)
            o->count = l->spots.items[i].column + 1;
    }
    o->columns = TR_NEW_ARRAY(l->arena, struct column, o->count + 1);
    o->best = TR_NEW_ARRAY(l->arena, size_t, l->spots.count + 1);
    if (!o->columns || !o->best)
        return false;
    for (size_t i = 0; i < l->spots.count; i++)
        o->columns[l->spots.items[i].column].count++;
    for (size_t i = 0; i < o->count; i++) {
        o->columns[i].spots =
            TR_NEW_ARRAY(l->arena, size_t, o->columns[i].count + 1);
        if (!o->columns[i].spots)
            return false;
        o->columns[i].count = 0;
    }
    for (size_t i = 0; i < l->spots.count; i++) {
        struct tr_draw_spot *spot = &l->spots.items[i];
        struct column *column = &o->columns[spot->column];
        spot->rank = column->count;
        column->spots[column->count++] = i;
    }
    return true;
}

/* Those of the same key keep their order. Insertion: nearly sorted. */
static void sort_column(struct tr_draw_layout *l, struct column *column)
{
    struct tr_draw_spot *spots = l->spots.items;
    for (size_t i = 1; i < column->count; i++) {
        size_t moved = column->spots[i];
        size_t at = i;
        for (; at && spots[column->spots[at - 1]].key > spots[moved].key; at--)
            column->spots[at] = column->spots[at - 1];
        column->spots[at] = moved;
    }
    for (size_t i = 0; i < column->count; i++)
        spots[column->spots[i]].rank = i;
}

/* Sums of what is wanted by the links of one side, for each spot. */
static void add_wishes(struct tr_draw_layout *l, bool from_left, double *sums,
                       size_t *counts, bool by_rank)
{
    memset(sums, 0, l->spots.count * sizeof(*sums));
    memset(counts, 0, l->spots.count * sizeof(*counts));
    for (size_t i = 0; i < l->links.count; i++) {
        const struct tr_draw_link *link = &l->links.items[i];
        const struct tr_draw_spot *a = &l->spots.items[link->from];
        const struct tr_draw_spot *b = &l->spots.items[link->to];
        size_t to = from_left ? link->to : link->from;
        counts[to]++;
        if (by_rank) /* lower rows come lower */
            sums[to] += from_left ? (double)a->rank + link->out / 1e4
                                  : (double)b->rank + link->in / 1e4;
        else
            sums[to] += from_left ? a->y + link->out - link->in
                                  : b->y + link->in - link->out;
    }
}

/* Pairs of links between the same columns that cross. */
static size_t count_crossings(const struct tr_draw_layout *l)
{
    size_t count = 0;
    if (l->links.count > 400)
        return 0; /* then the last sweep is the best */
    for (size_t i = 0; i < l->links.count; i++) {
        const struct tr_draw_link *a = &l->links.items[i];
        const struct tr_draw_spot *a1 = &l->spots.items[a->from];
        const struct tr_draw_spot *a2 = &l->spots.items[a->to];
        for (size_t k = 0; k < i; k++) {
            const struct tr_draw_link *b = &l->links.items[k];
            const struct tr_draw_spot *b1 = &l->spots.items[b->from];
            const struct tr_draw_spot *b2 = &l->spots.items[b->to];
            double left = a1->rank == b1->rank
                              ? a->out - b->out
                              : (double)a1->rank - (double)b1->rank;
            double right = a2->rank == b2->rank
                               ? a->in - b->in
                               : (double)a2->rank - (double)b2->rank;
            count += a1->column == b1->column && left * right < 0;
        }
    }
    return count;
}

static void keep_best(struct ordering *o)
{
    size_t count = count_crossings(o->l);
    if (count > o->fewest)
        return;
    o->fewest = count;
    for (size_t i = 0; i < o->l->spots.count; i++)
        o->best[i] = o->l->spots.items[i].rank;
}

static void sweep(struct ordering *o, bool from_left, double *sums,
                  size_t *counts)
{
    struct tr_draw_layout *l = o->l;
    for (size_t i = 0; i < o->count; i++) {
        struct column *column = &o->columns[from_left ? i : o->count - 1 - i];
        add_wishes(l, from_left, sums, counts, true);
        for (size_t k = 0; k < column->count; k++) {
            size_t at = column->spots[k];
            l->spots.items[at].key =
                counts[at] ? sums[at] / (double)counts[at] : (double)k;
        }
        sort_column(l, column);
    }
    keep_best(o);
}

static void take_best(struct ordering *o)
{
    struct tr_draw_layout *l = o->l;
    for (size_t i = 0; i < l->spots.count; i++)
        l->spots.items[i].key = (double)o->best[i];
    for (size_t i = 0; i < o->count; i++)
        sort_column(l, &o->columns[i]);
}

/* Heights ----------------------------------------------------------------- */

static double gap_of(const struct tr_draw_layout *l, size_t above, size_t below)
{
    size_t boxes = l->picture->boxes.count;
    return above < boxes && below < boxes ? GAP : GAP / 2;
}

/* Between pushing all down and pushing all up, where both keep the gaps. */
static void settle(struct tr_draw_layout *l, const struct column *column)
{
    struct tr_draw_spot *spots = l->spots.items;
    double least = -1e9;
    for (size_t i = 0; i < column->count; i++) {
        struct tr_draw_spot *at = &spots[column->spots[i]];
        at->y = at->key > least ? at->key : least;
        least = at->y + at->height +
                (i + 1 < column->count
                     ? gap_of(l, column->spots[i], column->spots[i + 1])
                     : 0);
    }
    double most = 1e9;
    for (size_t i = column->count; i-- > 0;) {
        struct tr_draw_spot *at = &spots[column->spots[i]];
        double up = at->key < most - at->height ? at->key : most - at->height;
        at->y = (at->y + up) / 2;
        most = up - (i ? gap_of(l, column->spots[i - 1], column->spots[i]) : 0);
    }
}

static void set_heights(struct ordering *o, double *sums, size_t *counts)
{
    struct tr_draw_layout *l = o->l;
    for (size_t i = 0; i < o->count; i++) {
        double y = 0;
        for (size_t k = 0; k < o->columns[i].count; k++) {
            struct tr_draw_spot *at = &l->spots.items[o->columns[i].spots[k]];
            at->y = y;
            y += at->height + GAP;
        }
    }
    for (size_t round = 0; round < SWEEPS; round++) {
        bool from_left = round % 2 == 0;
        for (size_t i = 0; i < o->count; i++) {
            const struct column *column =
                &o->columns[from_left ? i : o->count - 1 - i];
            add_wishes(l, from_left, sums, counts, false);
            for (size_t k = 0; k < column->count; k++) {
                size_t at = column->spots[k];
                l->spots.items[at].key = counts[at]
                                             ? sums[at] / (double)counts[at]
                                             : l->spots.items[at].y;
            }
            settle(l, column);
        }
    }
}

void tr_draw_order_columns(struct tr_draw_layout *l)
{
    struct ordering o = {.l = l, .fewest = SIZE_MAX};
    double *sums = TR_NEW_ARRAY(l->arena, double, l->spots.count + 1);
    size_t *counts = TR_NEW_ARRAY(l->arena, size_t, l->spots.count + 1);
    if (!sums || !counts || !make_columns(&o)) {
        l->no_memory = true;
        return;
    }
    keep_best(&o);
    for (size_t i = 0; i < SWEEPS; i++)
        sweep(&o, i % 2 == 0, sums, counts);
    take_best(&o);
    set_heights(&o, sums, counts);
}
