/*
 * graph/land.h - a changeset lands in the store, or it does not.
 *
 * A landing runs on the thread and inside the transaction of whoever writes. It
 * looks up what the changeset expects, plays the operations on an overlay,
 * validates the graph that results and compares unique fields. It writes
 * nothing: the overlay keeps the changes, the next changeset sees them, and
 * what a group has changed is written at once (tr_graph_lander_settle), sorted:
 * quads, nodes, counts, search, the feed.
 */
#ifndef TR_GRAPH_LAND_H
#define TR_GRAPH_LAND_H

#include "graph/change.h"
#include "graph/race.h"
#include "model/model.h"
#include "rows/quads.h"

/* The landings of one writing connection, and bound to its thread. */
struct tr_graph_lander;

TR_NODISCARD tr_status tr_graph_lander_create(struct tr_db *db,
                                              struct tr_graph_lander **out,
                                              struct tr_err *err);

/* NULL is allowed. */
void tr_graph_lander_free(struct tr_graph_lander *lander);

/*
 * To be called first in each transaction: it notices what other processes have
 * changed. `*is_other` says that ids mean something else now: the store was
 * compacted, or a backup restored.
 */
TR_NODISCARD tr_status tr_graph_lander_begin(struct tr_graph_lander *lander,
                                             bool *is_other,
                                             struct tr_err *err);

/* After a transaction that was undone: forgets what it would have written. */
void tr_graph_lander_forget(struct tr_graph_lander *lander);

/* What became of a node. */
enum tr_graph_node_change {
    TR_GRAPH_NODE_CREATED = 1,
    TR_GRAPH_NODE_UPDATED,
    TR_GRAPH_NODE_DELETED
};
struct tr_graph_touched {
    tr_rdf_id subject;
    tr_rdf_id type; /* the class it is shown as, or was; 0: none */
    enum tr_graph_node_change change;
};

struct tr_graph_landing {
    const struct tr_graph_changeset *changes;
    const struct tr_model *model;     /* NULL: no shapes are checked */
    const struct tr_model_face *face; /* of whom is told; NULL: sees all */
    tr_graph_may_fn *may; /* is asked of what has changed in the end; or NULL */
    int64_t since;        /* the feed's newest row when the call began */
    /* Whether somebody else has the turn for what a key stands for, or, with
     * NULL, for anything; then the changes are refused. NULL: nobody has. */
    bool (*is_taken)(void *turns, const uint64_t *key);
    void *turns;
    struct tr_graph_race race; /* why it was refused, if another was first */
    struct tr_arena *arena;    /* of the next two */
    tr_str fields; /* JSON: why it was refused with TR_E_VALIDATION */
    TR_VEC(struct tr_graph_touched) touched;
};

/*
 * TR_E_VALIDATION when a validation of the new state has a result that the old
 * one had not, or when a unique field would not be unique (`fields` says why);
 * TR_E_CONFLICT or TR_E_NOT_FOUND when an expectation does not hold; TR_E_LIMIT
 * when validating takes too much work; what `may` says when it refuses. A
 * failure changes nothing. After a success `landing` must stay until it is
 * written: only then the ids in `touched` are those of the store.
 */
TR_NODISCARD tr_status tr_graph_land(struct tr_graph_lander *lander,
                                     struct tr_graph_landing *landing,
                                     struct tr_err *err);

/* Whether so much waits to be written that it should be written now. */
bool tr_graph_lander_is_full(const struct tr_graph_lander *lander);

/*
 * Writes what has landed. When it fails, the transaction has come to nothing,
 * and so has everything that landed in it.
 */
TR_NODISCARD tr_status tr_graph_lander_settle(struct tr_graph_lander *lander,
                                              struct tr_err *err);

/* The transaction is lost: everything fails until tr_graph_lander_forget. */
void tr_graph_lander_break(struct tr_graph_lander *lander, tr_status status,
                           const struct tr_err *err);

#endif
