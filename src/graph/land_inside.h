/*
 * graph/land_inside.h - what the steps of a landing share; for them only.
 */
#ifndef TR_GRAPH_LAND_INSIDE_H
#define TR_GRAPH_LAND_INSIDE_H

#include "db/db.h"
#include "graph/land.h"
#include "json/writer.h"

struct tr_lander {
    struct tr_db *db;
    struct tr_terms *terms;
    struct tr_stored_graph stored;
    int64_t epoch;           /* that `terms` is of */
    struct tr_arena arena;   /* of one landing */
    struct tr_buf complaint; /* the fields that are refused, as JSON */
};

/* One landing, on its way. */
struct tr_step {
    struct tr_lander *lander;
    struct tr_landing *landing;
    struct tr_overlay *overlay;
    const struct tr_graph *after; /* as it would be */
    tr_ids *changed;              /* quads that come or go */
    bool *is_added;               /* which of the two */
    size_t count;
    tr_id *subjects; /* of these, each once */
    size_t subject_count;
    tr_id *real; /* ids in the store of the overlay's new terms */
    struct tr_json_writer complaint;
    size_t complaints;
    struct tr_err *err;
};

/* Adds a complaint for each result that was not there before. */
TR_NODISCARD tr_status tr_step_validate(struct tr_step *step);

/* Adds a complaint for each value that another node has already. */
TR_NODISCARD tr_status tr_step_check_unique(struct tr_step *step);

/* Writes it all. */
TR_NODISCARD tr_status tr_step_apply(struct tr_step *step);

#endif
