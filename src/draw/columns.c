/*
 * Which column a box stands in: one behind those that refer to it. Arrows that
 * close a circle are taken the other way round.
 */
#include "base/limits.h"
#include "draw/layout.h"

/* The arrows of each box, and how far a walk along them is. */
struct walk {
    struct tr_draw_layout *l;
    size_t *first; /* of each box: the first of its arrows in `edges` */
    size_t *edges;
    unsigned char *seen; /* 0: not yet, 1: on the way, 2: done */
    size_t *stack;
    size_t *next; /* of each box: how many of its arrows were followed */
};

static bool make_walk(struct walk *w, struct tr_draw_layout *l)
{
    const struct tr_draw_picture *p = l->picture;
    size_t n = p->boxes.count + 1;
    *w = (struct walk){.l = l,
                       .first = TR_NEW_ARRAY(l->arena, size_t, n + 1),
                       .edges =
                           TR_NEW_ARRAY(l->arena, size_t, p->edges.count + 1),
                       .seen = TR_NEW_ARRAY(l->arena, unsigned char, n),
                       .stack = TR_NEW_ARRAY(l->arena, size_t, n),
                       .next = TR_NEW_ARRAY(l->arena, size_t, n)};
    if (!w->first || !w->edges || !w->seen || !w->stack || !w->next)
        return false;
    for (size_t i = 0; i < p->edges.count; i++)
        w->first[p->edges.items[i].from + 1]++;
    for (size_t i = 1; i <= n; i++)
        w->first[i] += w->first[i - 1];
    for (size_t i = 0; i < p->edges.count; i++) {
        size_t from = p->edges.items[i].from;
        w->edges[w->first[from] + w->next[from]++] = i;
    }
    memset(w->next, 0, n * sizeof(*w->next));
    return true;
}

/* Follows all arrows from a box, as deep as they go. */
static void follow(struct walk *w, size_t start)
{
    size_t depth = 0;
    w->stack[depth++] = start;
    w->seen[start] = 1;
    while (depth) {
        size_t box = w->stack[depth - 1];
        size_t at = w->first[box] + w->next[box];
        if (at == w->first[box + 1]) {
            w->seen[box] = 2;
            depth--;
            continue;
        }
        w->next[box]++;
        size_t edge = w->edges[at];
        size_t to = w->l->picture->edges.items[edge].to;
        if (w->seen[to] == 1)
            w->l->routes[edge].is_backward = true;
        else if (w->seen[to] == 0) {
            w->seen[to] = 1;
            w->stack[depth++] = to;
        }
    }
}

/* The end of an arrow that stands further left, and the other. */
static void ends_of(const struct tr_draw_layout *l, size_t edge, size_t *left,
                    size_t *right)
{
    const struct tr_draw_edge *e = &l->picture->edges.items[edge];
    bool back = l->routes[edge].is_backward;
    *left = back ? e->to : e->from;
    *right = back ? e->from : e->to;
}

/* Each stands behind all that stand left of it. No arrows close a circle now,
 * so that this ends. */
static void push_right(struct tr_draw_layout *l)
{
    size_t edges = l->picture->edges.count;
    bool moved = true;
    while (moved) {
        moved = false;
        for (size_t i = 0; i < edges; i++) {
            size_t left;
            size_t right;
            ends_of(l, i, &left, &right);
            size_t least = l->spots.items[left].column + 1;
            if (left == right || l->spots.items[right].column >= least)
                continue;
            l->spots.items[right].column = least;
            moved = true;
        }
    }
}

/* What nothing refers to stands close to what it refers to. */
static void pull_right(struct tr_draw_layout *l)
{
    size_t count = l->picture->boxes.count;
    for (size_t box = 0; box < count; box++) {
        size_t nearest = SIZE_MAX;
        bool is_first = true;
        for (size_t i = 0; i < l->picture->edges.count; i++) {
            size_t left;
            size_t right;
            ends_of(l, i, &left, &right);
            if (left == right)
                continue;
            is_first = is_first && right != box;
            if (left == box && l->spots.items[right].column < nearest)
                nearest = l->spots.items[right].column;
        }
        if (is_first && nearest != SIZE_MAX)
            l->spots.items[box].column = nearest - 1;
    }
}

/* Ways -------------------------------------------------------------------- */

static void add_link(struct tr_draw_layout *l, struct tr_draw_link link)
{
    if (!tr_vec_push(l->arena, &l->links, link))
        l->no_memory = true;
}

/* An arrow over several columns has a small spot in each between. */
static void lead(struct tr_draw_layout *l, size_t edge)
{
    const struct tr_draw_edge *e = &l->picture->edges.items[edge];
    struct tr_draw_route *route = &l->routes[edge];
    size_t left;
    size_t right;
    ends_of(l, edge, &left, &right);
    struct tr_draw_link link = {.from = left,
                                .out = route->is_backward
                                           ? tr_draw_enters_at(e)
                                           : tr_draw_leaves_at(e)};
    route->first = l->spots.count;
    size_t last = l->spots.items[right].column;
    for (size_t column = l->spots.items[left].column + 1;
         column < last && l->spots.count < TR_LIMIT_DRAWN_SPOTS; column++) {
        const struct tr_draw_spot bend = {.column = column, .height = 10};
        if (!tr_vec_push(l->arena, &l->spots, bend)) {
            l->no_memory = true;
            return;
        }
        link.to = l->spots.count - 1;
        link.in = 5;
        add_link(l, link);
        link = (struct tr_draw_link){.from = link.to, .out = 5};
        route->count++;
    }
    link.to = right;
    link.in = route->is_backward ? tr_draw_leaves_at(e) : tr_draw_enters_at(e);
    add_link(l, link);
}

void tr_draw_choose_columns(struct tr_draw_layout *l)
{
    const struct tr_draw_picture *p = l->picture;
    struct walk w;
    if (!make_walk(&w, l)) {
        l->no_memory = true;
        return;
    }
    for (size_t i = 0; i < p->boxes.count; i++) {
        if (!w.seen[i])
            follow(&w, i);
    }
    push_right(l);
    pull_right(l);
    for (size_t i = 0; i < p->edges.count && !l->no_memory; i++) {
        if (p->edges.items[i].from != p->edges.items[i].to)
            lead(l, i);
    }
}
