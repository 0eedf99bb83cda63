/*
 * draw/draw.h - pictures: boxes with rows, and arrows between them.
 *
 * Who makes a picture gives texts of any kind and length; they are cut to what
 * can be read, and controls become spaces. Who writes it escapes them. All of
 * it lives in the arena of the picture.
 */
#ifndef TR_DRAW_DRAW_H
#define TR_DRAW_DRAW_H

#include "base/buf.h"
#include "base/vec.h"
#include "graph/node.h"

/* "account" and "Account?", or "state" and "open". */
struct tr_draw_row {
    tr_str name;
    tr_str text;
};

struct tr_draw_box {
    tr_str title;
    tr_str kind;  /* small, beside the title; or "" */
    tr_str about; /* what is told of it elsewhere; or "" */
    TR_VEC(struct tr_draw_row) rows;
    size_t left_out; /* rows that it has no room for */
    bool is_main;    /* what the picture is about */
};

enum tr_draw_arrow {
    TR_DRAW_REFERS,
    TR_DRAW_EXTENDS,
    TR_DRAW_OWNS,
};

#define TR_DRAW_NO_ROW SIZE_MAX

/* From a row of a box, or the box itself, to a box. */
struct tr_draw_edge {
    enum tr_draw_arrow arrow;
    size_t from;
    size_t row; /* TR_DRAW_NO_ROW: none */
    size_t to;
    bool many;
    tr_str label;
};

struct tr_draw_picture {
    struct tr_arena *arena;
    tr_str title;
    tr_str note;   /* what is left out; or "" */
    bool of_nodes; /* else of types, whose names are plain words */
    TR_VEC(struct tr_draw_box) boxes;
    TR_VEC(struct tr_draw_edge) edges;
    bool no_memory; /* tr_draw_finish reports it */
};

/* Adds one, and returns its index. */
size_t tr_draw_add_box(struct tr_draw_picture *p, tr_str title, tr_str kind);
/* A box has TR_LIMIT_DRAWN_ROWS at most: TR_DRAW_NO_ROW beyond. */
size_t tr_draw_add_row(struct tr_draw_picture *p, size_t at, tr_str name,
                       tr_str text);
void tr_draw_add_edge(struct tr_draw_picture *p, struct tr_draw_edge edge);

/* A text as a picture can have it: on one line, at most `max` code points. */
tr_str tr_draw_text(struct tr_draw_picture *p, tr_str text, size_t max);

/* Who makes them: the types of a model (with `only`, what stands beside that
 * type), and a node with its neighbours. */
TR_NODISCARD tr_status tr_draw_model(struct tr_draw_picture *p,
                                     const struct tr_model *model,
                                     const struct tr_model_type *only,
                                     struct tr_err *err);
TR_NODISCARD tr_status tr_draw_node(struct tr_draw_picture *p,
                                    const struct tr_graph_read_ctx *ctx,
                                    tr_rdf_id id, struct tr_err *err);

TR_NODISCARD tr_status tr_draw_finish(const struct tr_draw_picture *p,
                                      struct tr_err *err);

/* Who writes them. The buffer knows whether it had room. */
TR_NODISCARD tr_status tr_draw_svg(const struct tr_draw_picture *p,
                                   struct tr_buf *out, struct tr_err *err);
void tr_draw_dot(const struct tr_draw_picture *p, struct tr_buf *out);
void tr_draw_mermaid(const struct tr_draw_picture *p, struct tr_buf *out);

#endif
