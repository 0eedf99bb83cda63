/*
 * rdf/graph.h - reading a set of quads, whoever holds them.
 *
 * The interface between those who ask (the validator, writers) and those who
 * store (memory_graph.h here, the SQL store and its overlay elsewhere). Terms
 * are integers here: two ids are equal exactly when their terms are. Readers
 * look up the terms they know once and then compare numbers.
 *
 *     struct tr_rdf_cursor cursor;
 *     tr_rdf_ids row;
 *     tr_rdf_ids pattern = {s, p, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
 *     tr_rdf_graph_match(graph, pattern, &cursor);
 *     while (tr_rdf_cursor_next(&cursor, &row))
 *         use(row.o);
 *     return tr_rdf_cursor_close(&cursor, err);
 */
#ifndef TR_RDF_GRAPH_H
#define TR_RDF_GRAPH_H

#include "rdf/term.h"

typedef uint64_t tr_rdf_id;

/* No such term: as part of a pattern it matches nothing. */
#define TR_RDF_ID_NONE ((tr_rdf_id)0)

/* As the graph of a quad: the default graph, which has no name. */
#define TR_RDF_ID_DEFAULT_GRAPH ((tr_rdf_id)1)

/* The ids of terms start here. */
#define TR_RDF_ID_FIRST ((tr_rdf_id)2)

/* As part of a pattern it matches every term. */
#define TR_RDF_ID_ANY UINT64_MAX

/* A quad, or a pattern of one, in ids. */
typedef struct tr_rdf_ids {
    tr_rdf_id s;
    tr_rdf_id p;
    tr_rdf_id o;
    tr_rdf_id g;
} tr_rdf_ids;

/* For qsort. */
int tr_rdf_id_compare(const void *a, const void *b);

struct tr_rdf_graph;

/*
 * How far the rows of one pattern have been read. The caller owns the storage,
 * and must close it. `own` belongs to the implementation.
 */
struct tr_rdf_cursor {
    const struct tr_rdf_graph *graph;
    tr_rdf_ids pattern;
    uintptr_t own[24];
};

/*
 * What an implementation provides; called through the functions below only.
 * Several threads may read at a time when the implementation says so.
 */
struct tr_rdf_graph_ops {
    /* Starts to read the rows of a pattern. `close` reports its failure. */
    void (*match)(const struct tr_rdf_graph *graph,
                  struct tr_rdf_cursor *cursor);

    /* The next row; false at the end and on failure. Duplicates do not occur
     * in one graph; a triple in two graphs gives two rows. Any order. */
    bool (*next)(struct tr_rdf_cursor *cursor, tr_rdf_ids *out);

    /* Releases the cursor; fails when `match` or `next` has failed. */
    tr_status (*close)(struct tr_rdf_cursor *cursor, struct tr_err *err);

    /* The id of a term, TR_RDF_ID_NONE when no quad has it. */
    tr_status (*find)(const struct tr_rdf_graph *graph, const tr_rdf_term *term,
                      tr_rdf_id *out, struct tr_err *err);

    /* The term of an id that came from here. Lives as long as the graph. */
    tr_status (*get)(const struct tr_rdf_graph *graph, tr_rdf_id id,
                     tr_rdf_term *out, struct tr_err *err);

    /* Every id is below this; 0 when ids are too sparse for an array. */
    tr_rdf_id (*bound)(const struct tr_rdf_graph *graph);

    /* How many rows a pattern has at most; need not be exact. */
    uint64_t (*estimate)(const struct tr_rdf_graph *graph, tr_rdf_ids pattern);
};

/* The first member of every implementation. */
struct tr_rdf_graph {
    const struct tr_rdf_graph_ops *ops;
};

static inline void tr_rdf_graph_match(const struct tr_rdf_graph *graph,
                                      tr_rdf_ids pattern,
                                      struct tr_rdf_cursor *cursor)
{
    cursor->graph = graph;
    cursor->pattern = pattern;
    graph->ops->match(graph, cursor);
}

static inline bool tr_rdf_cursor_next(struct tr_rdf_cursor *cursor,
                                      tr_rdf_ids *out)
{
    return cursor->graph->ops->next(cursor, out);
}

TR_NODISCARD static inline tr_status
tr_rdf_cursor_close(struct tr_rdf_cursor *cursor, struct tr_err *err)
{
    return cursor->graph->ops->close(cursor, err);
}

/* Closes after work that has ended with `status`. When that is a failure it is
 * returned, whatever closing gives, and `err` stays as it is. */
TR_NODISCARD static inline tr_status
tr_rdf_cursor_end(struct tr_rdf_cursor *cursor, tr_status status,
                  struct tr_err *err)
{
    tr_status closed =
        tr_rdf_cursor_close(cursor, status == TR_OK ? err : NULL);
    return status == TR_OK ? closed : status;
}

/* TR_OK and TR_RDF_ID_NONE when the graph does not have the term. */
TR_NODISCARD static inline tr_status
tr_rdf_graph_find(const struct tr_rdf_graph *graph, const tr_rdf_term *term,
                  tr_rdf_id *out, struct tr_err *err)
{
    return graph->ops->find(graph, term, out, err);
}

TR_NODISCARD static inline tr_status
tr_rdf_graph_find_iri(const struct tr_rdf_graph *graph, tr_str iri,
                      tr_rdf_id *out, struct tr_err *err)
{
    tr_rdf_term term = tr_rdf_term_iri(iri);
    return graph->ops->find(graph, &term, out, err);
}

/* Fails with TR_E_NOT_FOUND for an id that is none of this graph's. */
TR_NODISCARD static inline tr_status
tr_rdf_graph_get(const struct tr_rdf_graph *graph, tr_rdf_id id,
                 tr_rdf_term *out, struct tr_err *err)
{
    return graph->ops->get(graph, id, out, err);
}

static inline tr_rdf_id tr_rdf_graph_bound(const struct tr_rdf_graph *graph)
{
    return graph->ops->bound(graph);
}

static inline uint64_t tr_rdf_graph_estimate(const struct tr_rdf_graph *graph,
                                             tr_rdf_ids pattern)
{
    return graph->ops->estimate(graph, pattern);
}

/* Whether a row matches; *out is written on success. */
TR_NODISCARD tr_status tr_rdf_graph_has(const struct tr_rdf_graph *graph,
                                        tr_rdf_ids pattern, bool *out,
                                        struct tr_err *err);

/* How many rows match, exactly. */
TR_NODISCARD tr_status tr_rdf_graph_count(const struct tr_rdf_graph *graph,
                                          tr_rdf_ids pattern, uint64_t *out,
                                          struct tr_err *err);

/* The terms of a row; kind TR_RDF_TERM_NONE for the default graph. */
TR_NODISCARD tr_status tr_rdf_graph_quad(const struct tr_rdf_graph *graph,
                                         tr_rdf_ids row, tr_rdf_quad *out,
                                         struct tr_err *err);

/* Calls `visit` with every row that matches until it fails. */
typedef tr_status tr_rdf_graph_row_fn(void *context, tr_rdf_ids row,
                                      struct tr_err *err);
TR_NODISCARD tr_status tr_rdf_graph_each(const struct tr_rdf_graph *graph,
                                         tr_rdf_ids pattern,
                                         tr_rdf_graph_row_fn *visit,
                                         void *context, struct tr_err *err);

#endif
