/*
 * graph/step.h - a step of traverse.h, as the predicates that it goes along.
 */
#ifndef TR_GRAPH_STEP_H
#define TR_GRAPH_STEP_H

#include "graph/traverse.h"

/* A field that several types have may be several predicates. */
struct tr_way {
    struct {
        tr_id *items;
        size_t count;
        size_t cap;
    } predicates;
    bool is_inverse;
    size_t min;
    size_t max;
};

/* Fails as tr_traverse. */
TR_NODISCARD tr_status tr_step_compile(const struct tr_sight *sight,
                                       const struct tr_step *step,
                                       struct tr_way *out, struct tr_err *err);

#endif
