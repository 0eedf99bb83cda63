/*
 * graph/change.h - what a call wants to change, before anything is written.
 *
 * A list of operations on terms, in the order they were asked for. It is played
 * twice: on the overlay that the call reads through, and by the writer, inside
 * the transaction that lands it; so it says what is wanted, not what was there
 * when somebody looked. Lives in an arena and belongs to one thread at a time.
 */
#ifndef TR_GRAPH_CHANGE_H
#define TR_GRAPH_CHANGE_H

#include "base/vec.h"
#include "graph/overlay.h"

enum tr_graph_op_kind {
    TR_GRAPH_OP_ADD,
    TR_GRAPH_OP_REMOVE,
    TR_GRAPH_OP_CLEAR_FIELD, /* all quads of a subject and a predicate */
    TR_GRAPH_OP_CLEAR_NODE,  /* all quads of a subject; it is gone */
};

/* `quad` has only the parts that the kind needs; clearing spans all graphs. */
struct tr_graph_op {
    enum tr_graph_op_kind kind;
    tr_rdf_quad quad;
    void *by; /* who asked for it */
};

/*
 * Whether somebody may change a graph; a term of no kind is the default graph,
 * NULL one that is not known yet. `is_lost`: a statement goes that was there.
 */
typedef tr_status tr_graph_may_fn(void *by, const tr_rdf_term *graph,
                                  bool is_lost, struct tr_err *err);

enum tr_graph_expect_kind {
    TR_GRAPH_EXPECT_ABSENT,  /* no quad has the node as its subject */
    TR_GRAPH_EXPECT_PRESENT, /* some quad has */
    TR_GRAPH_EXPECT_VERSION, /* the node is at `version` */
};

/* How a refusal ends when a node is at another version. */
#define TR_GRAPH_READ_AGAIN ": read it again"

/* What must hold when the changes land, or all of them fail. */
struct tr_graph_expect {
    enum tr_graph_expect_kind kind;
    tr_str iri;
    int64_t version;
};

/* A number taken from a counter, which is raised when the changes land. */
struct tr_graph_raise {
    tr_str name;
    int64_t from; /* what it was at, and must be when they land; 0: nothing */
    int64_t to;
    bool is_first; /* of this counter in the set: `from` is the store's */
};

struct tr_model;

struct tr_graph_changeset {
    struct tr_arena *arena;
    TR_VEC(struct tr_graph_op) ops;
    TR_VEC(struct tr_graph_expect) expects;
    TR_VEC(struct tr_graph_raise) raises;
    void *by;             /* who asks for changes now */
    tr_graph_may_fn *may; /* is asked of each; NULL: anything goes */
};

void tr_graph_changeset_init(struct tr_graph_changeset *set,
                             struct tr_arena *arena);

static inline bool
tr_graph_changeset_is_empty(const struct tr_graph_changeset *set)
{
    return set->ops.count == 0 && set->raises.count == 0;
}

/* Both copy their texts, and fail with TR_E_LIMIT when the set is full. */
TR_NODISCARD tr_status tr_graph_changeset_add(struct tr_graph_changeset *set,
                                              enum tr_graph_op_kind kind,
                                              const tr_rdf_quad *quad,
                                              struct tr_err *err);
TR_NODISCARD tr_status tr_graph_changeset_expect(struct tr_graph_changeset *set,
                                                 enum tr_graph_expect_kind kind,
                                                 tr_str iri, int64_t version,
                                                 struct tr_err *err);

/* A savepoint: the counts that an undo goes back to. */
struct tr_graph_change_mark {
    size_t ops;
    size_t expects;
    size_t raises;
};
struct tr_graph_change_mark
tr_graph_changeset_mark(const struct tr_graph_changeset *set);
void tr_graph_changeset_undo(struct tr_graph_changeset *set,
                             struct tr_graph_change_mark mark);

/* Plays the operations from number `from` on. With the last quad that leads to
 * a part (part.h) goes what is said of that; `model` may be NULL. */
TR_NODISCARD tr_status
tr_graph_changeset_play(const struct tr_graph_changeset *set, size_t from,
                        const struct tr_model *model,
                        struct tr_graph_overlay *overlay, struct tr_err *err);

#endif
