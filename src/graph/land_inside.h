/*
 * graph/land_inside.h - what the steps of a landing share; for them only.
 */
#ifndef TR_GRAPH_LAND_INSIDE_H
#define TR_GRAPH_LAND_INSIDE_H

#include "base/map.h"
#include "db/db.h"
#include "graph/land.h"
#include "graph/row.h"
#include "graph/value_set.h"
#include "json/writer.h"

/* A node that changed, as it will be. */
struct tr_graph_pending {
    tr_rdf_id subject;
    bool is_stored; /* the store has a row of it */
    bool exists;
    int64_t version;
    struct tr_graph_node_row row; /* of a stored one only the type */
};

struct tr_graph_lander {
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_graph_stored_graph stored;
    int64_t epoch; /* of the store, when `terms` was filled */
    struct tr_graph_value_set values; /* the indexes that there are */

    /* What has landed, but is not written yet. */
    struct tr_arena arena;
    struct tr_graph_overlay *overlay; /* on the store; NULL: there is nothing */
    struct tr_map nodes;    /* struct tr_graph_pending, by the id's bytes */
    struct tr_map counters; /* struct tr_graph_raise, by name: the last */
    TR_VEC(struct tr_graph_landing *) landings;
    tr_status broken; /* not TR_OK: why it can no longer be written */
    struct tr_err why;

    struct tr_arena scratch; /* of one landing, or of writing */
    struct tr_buf complaint; /* the fields that are refused, as JSON */
};

/* One landing, on its way. */
struct tr_graph_landing_job {
    struct tr_graph_lander *lander;
    struct tr_graph_landing *landing;
    const struct tr_rdf_graph *after; /* as it would be */
    const struct tr_rdf_graph *seen;  /* as the landing's face shows that */
    tr_rdf_ids *changed;              /* quads that come or go */
    bool *is_added;                   /* which of the two */
    size_t count;
    tr_rdf_ids *added; /* of these, those that come, by s and p; NULL before
                          somebody has asked */
    size_t added_count;
    tr_rdf_id *subjects; /* of the changed quads, each once */
    size_t subject_count;
    struct tr_json_writer complaint;
    size_t complaints;
    size_t raced; /* of them, those of values that were free before */
    struct tr_err *err;
};

/*
 * Refuses the numbers that somebody else has taken; notes those that land (when
 * that fails, nothing can be written); writes what was noted.
 */
TR_NODISCARD tr_status
tr_graph_landing_job_check_counters(struct tr_graph_landing_job *job);
TR_NODISCARD tr_status
tr_graph_landing_job_note_counters(struct tr_graph_landing_job *job);
TR_NODISCARD tr_status tr_graph_lander_write_counters(
    const struct tr_graph_lander *lander, struct tr_err *err);

/*
 * Leaves to others what they have the turn for: what is expected of nodes, and
 * nodes that change (tr_graph_landing_job_check_unique does so for values).
 */
TR_NODISCARD tr_status
tr_graph_landing_job_check_turns(struct tr_graph_landing_job *job);

/* Refuses because of `key` when somebody else has the turn for it. */
TR_NODISCARD tr_status tr_graph_landing_job_ask_turn(
    const struct tr_graph_landing_job *job, uint64_t key);

/* Whether others have a turn for anything: all further questions cost. */
bool tr_graph_landing_job_has_turns(const struct tr_graph_landing_job *job);

/* Empties the overlay: what was in it is written, or never will be. */
void tr_graph_lander_drop(struct tr_graph_lander *lander);

/*
 * value_write.c: brings the indexes by value up to date with what the overlay
 * has changed, before any of it is written. `view` is the overlay's.
 */
TR_NODISCARD tr_status tr_graph_lander_write_values(
    struct tr_graph_lander *lander, const struct tr_graph_value_source *view,
    struct tr_err *err);

/* Whether one more reason for a refusal is written; it counts in any case. */
bool tr_graph_landing_job_may_complain(struct tr_graph_landing_job *job);

/* Plays the changes on the overlay again, after they were undone. */
TR_NODISCARD tr_status
tr_graph_landing_job_redo(struct tr_graph_landing_job *job);

/* The node as it will be; NULL when no landing that waits has changed it. */
struct tr_graph_pending *
tr_graph_pending_find(const struct tr_graph_lander *lander, tr_rdf_id subject);

/* Notes what becomes of the nodes. When it fails, nothing can be written. */
TR_NODISCARD tr_status
tr_graph_landing_job_note_nodes(struct tr_graph_landing_job *job);

/* Adds a complaint for each result of a validation that is new. */
TR_NODISCARD tr_status
tr_graph_landing_job_validate(struct tr_graph_landing_job *job);

/* Adds a complaint for each value that another node has already. */
TR_NODISCARD tr_status
tr_graph_landing_job_check_unique(struct tr_graph_landing_job *job);

#endif
