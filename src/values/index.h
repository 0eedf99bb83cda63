/*
 * values/index.h - the nodes of a type in the order of their values.
 *
 * An index that a type declares (model/model.h) has one row for each instance,
 * subtypes included: the key of its values (keys/key.h) and its id. It is kept
 * with every write (decision 0033). Where a node has several values in a field
 * with one, in two graphs say, its least one counts.
 */
#ifndef TR_VALUES_INDEX_H
#define TR_VALUES_INDEX_H

#include "graph/node.h"
#include "keys/key.h"

struct tr_graph_value_def;

/* One that the store has, and has whole. */
struct tr_values_index {
    const struct tr_model_index *declared;
    const struct tr_model_type *type;     /* that declares it: the one that was
                                             asked for, or one above it */
    const struct tr_graph_value_def *def; /* in the store */
};

struct tr_values_indexes {
    struct tr_values_index *items;
    size_t count;
};

/*
 * Those that answer for a type of the ctx's model: its own first, then those of
 * the types above, which have other instances, too. One that was declared and
 * is not built yet is not there. In the ctx's arena; good for this read.
 */
TR_NODISCARD tr_status tr_values_indexes_find(
    const struct tr_graph_read_ctx *ctx, const struct tr_model_type *type,
    struct tr_values_indexes *out, struct tr_err *err);

/* What the values of the next field may be, behind those that are equal. */
enum tr_values_want {
    TR_VALUES_ANY,
    TR_VALUES_BETWEEN, /* `low` and `high`; NULL: without a bound. Only
                               values of the kind of the bounds: numbers with
                               numbers, times with times... */
    TR_VALUES_PREFIX,  /* texts that begin with `prefix` */
    TR_VALUES_PRESENT,
    TR_VALUES_ABSENT,
};

/* Where a walk begins behind: what it gave last. */
struct tr_values_spot {
    tr_str key;
    tr_rdf_id node;
};

/* A field left zero takes the default named beside it. */
struct tr_values_range {
    const tr_rdf_term *const *equal; /* of the first fields; a NULL among them:
                                        without a value */
    size_t equal_count;
    enum tr_values_want want; /* of the field behind them; anything */
    const tr_rdf_term *low;
    const tr_rdf_term *high;
    bool is_above; /* `low` itself is left out */
    bool is_below; /* `high` itself is */
    tr_str prefix;
    bool is_uri;   /* of URIs, not of strings */
    bool backward; /* from the last key to the first; nodes without a value in
                      the first field behind `equal` come at the end all the
                      same, and nodes with one key in the order of their ids */
    const struct tr_values_spot *after; /* from the beginning on */
    size_t work; /* rows that may be read; TR_LIMIT_QUERY_WORK */
};

/* One node that a walk has found. */
struct tr_values_step {
    tr_rdf_id node; /* TR_RDF_ID_NONE: there are no more, or see is_cut */
    tr_str key;     /* until the next step */
};

struct tr_values_walk;

/*
 * Walks along a range. The changes of the call are merged in, and what the
 * call's face does not show is left out. *is_inexact, when it is not NULL,
 * says that the range has others, too: a bound is longer than keys hold, and
 * the values of each node have to be looked at.
 */
TR_NODISCARD tr_status tr_values_walk_open(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_values_index *index,
                                           const struct tr_values_range *range,
                                           struct tr_values_walk **out,
                                           bool *is_inexact,
                                           struct tr_err *err);
TR_NODISCARD tr_status tr_values_walk_next(struct tr_values_walk *walk,
                                           struct tr_values_step *out,
                                           struct tr_err *err);

/* Whether it has read as many rows as it may, and so ended early. */
bool tr_values_walk_is_cut(const struct tr_values_walk *walk);

/* Before the read ends. NULL is allowed. */
void tr_values_walk_close(struct tr_values_walk *walk);

/* The key of a node as the call sees it; false: it is no instance. */
TR_NODISCARD tr_status tr_values_key(const struct tr_graph_read_ctx *ctx,
                                     const struct tr_values_index *index,
                                     tr_rdf_id node, struct tr_key *out,
                                     bool *is_there, struct tr_err *err);

/*
 * How many nodes there are for each value of the first field, in the order of
 * keys, as the call sees them. `node` is one of them, whose values can be
 * read. It ends when `visit` fails, or sets *stop.
 */
struct tr_values_group {
    tr_str key; /* of the first field alone */
    uint64_t count;
    tr_rdf_id node;
};
typedef tr_status tr_values_group_fn(void *context,
                                     const struct tr_values_group *group,
                                     bool *stop, struct tr_err *err);
TR_NODISCARD tr_status tr_values_groups(const struct tr_graph_read_ctx *ctx,
                                        const struct tr_values_index *index,
                                        tr_values_group_fn *visit,
                                        void *context, struct tr_err *err);

/* How the rows of indexes and the quads agree. */
struct tr_values_checked {
    uint64_t rows;
    uint64_t extra;   /* rows that say what no quads say */
    uint64_t missing; /* nodes without a row */
};

/* Compares all of them both ways, in the transaction that `db` is in. */
TR_NODISCARD tr_status tr_values_check(struct tr_db *db,
                                       struct tr_values_checked *out,
                                       struct tr_err *err);

#endif
