/*
 * graph/value_set.h - which indexes by value a store has, and the rows that a
 * node has in them. For those who write them; who reads has values/.
 */
#ifndef TR_GRAPH_VALUE_SET_H
#define TR_GRAPH_VALUE_SET_H

#include "base/vec.h"
#include "graph/quads.h"
#include "keys/key.h"

/* One index: of a class, by some predicates. */
struct tr_graph_value_def {
    int64_t number;
    tr_rdf_id class;
    size_t count;
    tr_rdf_id predicates[TR_LIMIT_INDEX_FIELDS];
    bool descending[TR_LIMIT_INDEX_FIELDS];
};

/* Whether two are the same, whatever their numbers. */
bool tr_graph_value_def_is(const struct tr_graph_value_def *a,
                           const struct tr_graph_value_def *b);

/* All of a store, sorted by class. Starts zeroed. */
struct tr_graph_value_set {
    struct tr_graph_value_def *items;
    size_t count;
    tr_rdf_id type;  /* rdf:type */
    tr_rdf_id *bare; /* predicates whose literals no table has by value */
    size_t bare_count;
};

/* Whether the column `o` of the table spo has a literal (graph/term_id.h). */
#define TR_GRAPH_SQL_IS_LITERAL "(spo.o & 15) >= 2"

/* Reads the tables anew, in the transaction that `db` is in. */
TR_NODISCARD tr_status tr_graph_value_set_load(struct tr_graph_value_set *set,
                                               struct tr_db *db,
                                               struct tr_graph_terms *terms,
                                               struct tr_err *err);
void tr_graph_value_set_free(struct tr_graph_value_set *set);

/* Drops all indexes of a store: values have changed everywhere. They are built
 * anew when it is opened (values/build.h). */
TR_NODISCARD tr_status tr_graph_value_set_drop(struct tr_db *db,
                                               struct tr_err *err);

/* Those of a class; there may be none. */
const struct tr_graph_value_def *
tr_graph_value_set_of(const struct tr_graph_value_set *set, tr_rdf_id class,
                      size_t *count);

/* Whether a quad with this predicate changes the rows of some index. */
bool tr_graph_value_set_has(const struct tr_graph_value_set *set,
                            tr_rdf_id predicate);

bool tr_graph_value_set_is_bare(const struct tr_graph_value_set *set,
                                tr_rdf_id predicate);

/*
 * Writes the rows of all bare predicates, so that there are none: for who works
 * on the tables. They are bare again when the store is opened (values/build.h).
 */
TR_NODISCARD tr_status tr_graph_bare_fill(struct tr_db *db, struct tr_err *err);

/* A graph, and how the store calls what the graph has an id for. */
struct tr_graph_value_source {
    const struct tr_rdf_graph *graph;
    tr_status (*real)(void *context, tr_rdf_id *id, struct tr_err *err);
    void *context; /* of `real`, which may be NULL: the same */
};

/* The key of a node, whether or not it is of the class. */
TR_NODISCARD tr_status
tr_graph_value_key_make(const struct tr_graph_value_source *view,
                        const struct tr_graph_value_def *def, tr_rdf_id node,
                        struct tr_key *out, struct tr_err *err);

/* One row; the key lives in an arena. */
struct tr_graph_value_row {
    int64_t number;
    tr_rdf_id node;
    tr_str key;
};

/* Rows that are gathered, to be written together. */
struct tr_graph_value_rows {
    struct tr_arena *arena;
    TR_VEC(struct tr_graph_value_row) items;
};

/* Adds the rows that a node has; `as` is what the store calls it. */
TR_NODISCARD tr_status tr_graph_value_rows_add(
    struct tr_graph_value_rows *rows, const struct tr_graph_value_set *set,
    const struct tr_graph_value_source *view, tr_rdf_id node, tr_rdf_id as,
    struct tr_err *err);

/* Adds one. */
TR_NODISCARD tr_status tr_graph_value_rows_put(struct tr_graph_value_rows *rows,
                                               int64_t number, tr_rdf_id node,
                                               const struct tr_key *key,
                                               struct tr_err *err);

/* Takes out of both what is in both; sorts them. */
void tr_graph_value_rows_differ(struct tr_graph_value_rows *a,
                                struct tr_graph_value_rows *b);

/* Write them, in their order. */
TR_NODISCARD tr_status tr_graph_value_rows_insert(
    struct tr_graph_value_rows *rows, struct tr_db *db, struct tr_err *err);
TR_NODISCARD tr_status
tr_graph_value_rows_delete(const struct tr_graph_value_rows *rows,
                           struct tr_db *db, struct tr_err *err);

#endif
