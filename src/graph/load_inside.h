/*
 * graph/load_inside.h - what the parts of a load share; theirs alone.
 */
#ifndef TR_GRAPH_LOAD_INSIDE_H
#define TR_GRAPH_LOAD_INSIDE_H

#include "base/bits.h"
#include "graph/load.h"
#include "graph/quads.h"
#include "graph/reader.h"
#include "graph/value_set.h"
#include "rdf/memory_graph.h"

/* A subject that changes: its ids in the store and in the graph from which rows
 * are made (tr_graph_load_is_in_memory). */
struct tr_graph_load_subject {
    tr_rdf_id id;
    tr_rdf_id here;
};

/* Which state of the store it was: what a commit of quads changes. */
struct tr_graph_load_mark {
    int64_t epoch;
    int64_t change; /* the last row of the feed */
};

struct tr_graph_load {
    struct tr_graph_load_opts opts;
    struct tr_db *db;
    struct tr_graph_terms *terms;
    struct tr_graph_stored_graph stored;
    struct tr_graph_value_set values; /* the indexes that there are */
    bool is_begun;                    /* the load has the writer's lock */
    bool was_empty;                   /* before: no quads, no nodes */
    bool had_terms;                   /* before, perhaps unused ones only */
    tr_rdf_id first_id; /* terms from here on are of this import */
    size_t batches;     /* that are in the store */

    struct tr_rdf_memory_graph *batch;
    size_t batch_count;  /* quads in it, some perhaps twice */
    size_t batch_text;   /* bytes of their subjects and objects */
    struct tr_buf map;   /* tr_rdf_id in the store, by the batch's ids */
    tr_rdf_id first_new; /* terms from here on are of this batch */

    struct tr_buf gone; /* tr_rdf_ids of the store that this batch removes */
    bool has_gone;      /* some batch has removed some */

    struct tr_buf genid; /* the start of the IRIs of blank nodes */
    size_t genid_len;    /* of what is the same in all documents */
    uint32_t document;
    struct tr_buf labels[3]; /* of a quad that is being added */
    struct tr_buf spelling;  /* of its object */

    struct tr_bits subjects; /* of all batches; tr_graph_load_next reads it */
    struct tr_buf fresh;     /* tr_rdf_id: those that values are taken from */
    struct tr_buf classes;   /* tr_rdf_id: that got a node, some twice */
    struct tr_graph_load_counts counts;

    struct tr_arena ahead; /* of the graph that is validated ahead */
    struct tr_graph_load_mark mark;
    bool is_checked; /* shapes need not be looked at under the lock */

    struct tr_graph_reader *before; /* the old state, when it has to be asked */
    struct tr_arena arena;          /* of the report */
    struct tr_shacl_report report;
    struct tr_shacl_validation *validation;
};

/* Whether rows are made from the batch, and validation reads it: only when it
 * holds the whole new state. Else both read the store. */
static inline bool tr_graph_load_is_in_memory(const struct tr_graph_load *load)
{
    return load->was_empty && load->batches == 0 && load->batch;
}

/* The id in the store of an id of that graph. */
static inline tr_rdf_id tr_graph_load_id(const struct tr_graph_load *load,
                                         tr_rdf_id id)
{
    return load->map.len ? ((const tr_rdf_id *)(const void *)load->map.ptr)[id]
                         : id;
}

/* load_terms.c: gives every term of the batch its id in the store. */
TR_NODISCARD tr_status tr_graph_load_terms(struct tr_graph_load *load,
                                           struct tr_err *err);

/* load_quads.c: inserts what the store does not have; notes what changed. */
TR_NODISCARD tr_status tr_graph_load_quads(struct tr_graph_load *load,
                                           struct tr_err *err);

/* load_gone.c: removes them; takes them away from what is validated ahead. */
struct tr_graph_overlay;
TR_NODISCARD tr_status tr_graph_load_gone(struct tr_graph_load *load,
                                          struct tr_err *err);
TR_NODISCARD tr_status tr_graph_load_hide_gone(const struct tr_graph_load *load,
                                               struct tr_graph_overlay *overlay,
                                               struct tr_err *err);

/* load_nodes.c: node rows, counts, search and feed of what changed. */
TR_NODISCARD tr_status tr_graph_load_nodes(struct tr_graph_load *load,
                                           const struct tr_rdf_graph *graph,
                                           struct tr_err *err);

/* The same file: notes that a subject changes; the next of them, in the order
 * of ids, where `*at` is 0 for the first. */
TR_NODISCARD tr_status tr_graph_load_note(
    struct tr_graph_load *load, const struct tr_graph_load_subject *subject,
    struct tr_err *err);
bool tr_graph_load_next(const struct tr_graph_load *load, uint64_t *at,
                        struct tr_graph_load_subject *out);

/*
 * load_values.c: takes the rows that `fresh` subjects have out of the indexes
 * by value, before their quads change in the store. In the end puts in those of
 * all subjects.
 */
TR_NODISCARD tr_status tr_graph_load_drop_values(struct tr_graph_load *load,
                                                 struct tr_err *err);
TR_NODISCARD tr_status tr_graph_load_put_values(struct tr_graph_load *load,
                                                struct tr_err *err);

/* The same file: whether the store has a row of a node. */
TR_NODISCARD tr_status tr_graph_load_knows(struct tr_graph_load *load,
                                           tr_rdf_id id, bool *out,
                                           struct tr_err *err);

/* load_ahead.c: validates without the lock, if that can be; then takes it. */
TR_NODISCARD tr_status tr_graph_load_check_ahead(struct tr_graph_load *load,
                                                 struct tr_err *err);

/* load.c: takes the lock, once; and notes what the store has. */
TR_NODISCARD tr_status tr_graph_load_begin(struct tr_graph_load *load,
                                           struct tr_err *err);
TR_NODISCARD tr_status tr_graph_load_note_before(struct tr_graph_load *load,
                                                 struct tr_err *err);

/* load_fill.c: fills in the defaults of new nodes, and checks documents.
 * Comes when all has been read, and the batch is indexed; so it is again. */
TR_NODISCARD tr_status tr_graph_load_fill(struct tr_graph_load *load,
                                          struct tr_err *err);

/* load.c: adds a quad of ours to the batch; stores the batch and starts
 * another, always or when it is full. */
TR_NODISCARD tr_status tr_graph_load_make_room(struct tr_graph_load *load,
                                               struct tr_err *err);
TR_NODISCARD tr_status tr_graph_load_put(struct tr_graph_load *load,
                                         const tr_rdf_quad *quad,
                                         struct tr_err *err);
TR_NODISCARD tr_status tr_graph_load_flush(struct tr_graph_load *load,
                                           struct tr_err *err);

/* load_check.c: fails when a graph does not conform. */
TR_NODISCARD tr_status tr_graph_load_check_shapes(
    struct tr_graph_load *load, const struct tr_rdf_graph *graph,
    struct tr_err *err);

/* load_check.c: fails when this state may not land. */
TR_NODISCARD tr_status tr_graph_load_check(struct tr_graph_load *load,
                                           const struct tr_rdf_graph *graph,
                                           struct tr_err *err);

/* Appends to a buffer of items. */
TR_NODISCARD static inline tr_status tr_graph_load_push(struct tr_buf *buf,
                                                        const void *item,
                                                        size_t size,
                                                        struct tr_err *err)
{
    tr_buf_put(buf, (tr_str){item, size});
    return buf->failed == TR_OK ? TR_OK : tr_buf_check(buf, err);
}

#endif
