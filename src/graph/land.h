/*
 * graph/land.h - a changeset lands in the store, or it does not.
 *
 * On the thread and inside the transaction of whoever writes: what is expected
 * is looked up, the operations are played on an overlay, the shapes decide on
 * what that would make, unique fields are compared. Nothing is written by that:
 * the overlay keeps it, the next changeset sees it, and what a whole group has
 * changed is written at once, sorted: quads, nodes, counts, search, the feed.
 */
#ifndef TR_GRAPH_LAND_H
#define TR_GRAPH_LAND_H

#include "graph/change.h"
#include "graph/quads.h"
#include "model/model.h"

/* What a writing connection knows: as thread-bound as that. */
struct tr_graph_lander;

TR_NODISCARD tr_status tr_graph_lander_create(struct tr_db *db,
                                              struct tr_graph_lander **out,
                                              struct tr_err *err);

/* NULL is allowed. */
void tr_graph_lander_free(struct tr_graph_lander *lander);

/*
 * First in each transaction: what others have changed is noticed. `*is_other`
 * says that the store has become another one: a backup was restored.
 */
TR_NODISCARD tr_status tr_graph_lander_begin(struct tr_graph_lander *lander,
                                             bool *is_other,
                                             struct tr_err *err);

/* After a transaction that came to nothing: what it wrote is forgotten. */
void tr_graph_lander_forget(struct tr_graph_lander *lander);

/* A node that a changeset has changed. */
enum tr_graph_node_change {
    TR_GRAPH_NODE_CREATED = 1,
    TR_GRAPH_NODE_UPDATED,
    TR_GRAPH_NODE_DELETED
};
struct tr_graph_touched {
    tr_rdf_id subject;
    tr_rdf_id
        type; /* of the class it is shown as, or 0; also when it is gone */
    enum tr_graph_node_change change;
};

struct tr_graph_landing {
    const struct tr_graph_changeset *changes;
    const struct tr_model *model; /* NULL: there is nothing to hold */
    struct tr_arena *arena;       /* for what follows */
    tr_str fields; /* JSON: why it was refused with TR_E_VALIDATION */
    TR_VEC(struct tr_graph_touched) touched;
};

/*
 * TR_E_VALIDATION when the shapes would not hold that held before, or a unique
 * field would not be (`fields` says why); TR_E_CONFLICT, TR_E_NOT_FOUND for
 * what was expected; TR_E_LIMIT when to validate it takes too much work. When
 * it fails, it has changed nothing. Else `landing` is kept until it is written:
 * the ids in `touched` mean something only then.
 */
TR_NODISCARD tr_status tr_graph_land(struct tr_graph_lander *lander,
                                     struct tr_graph_landing *landing,
                                     struct tr_err *err);

/* Whether so much waits to be written that it should be. */
bool tr_graph_lander_is_full(const struct tr_graph_lander *lander);

/*
 * Writes what has landed. When it fails, the transaction has come to nothing,
 * and so has everything that landed in it.
 */
TR_NODISCARD tr_status tr_graph_lander_settle(struct tr_graph_lander *lander,
                                              struct tr_err *err);

/* What was written is of no use: everything fails until it is forgotten. */
void tr_graph_lander_break(struct tr_graph_lander *lander, tr_status status,
                           const struct tr_err *err);

#endif
