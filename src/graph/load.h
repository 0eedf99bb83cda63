/*
 * graph/load.h - many quads into a store, in one transaction.
 *
 * A sink takes them, and puts them into batches, which are numbered, sorted and
 * inserted. At the end the whole new state is validated, and either all of it
 * lands or nothing. A load belongs to one thread.
 *
 * A small load, of `max_ahead` quads, is validated before it takes the writer's
 * lock, and again when others have written meanwhile. A larger one keeps others
 * from writing while it is validated, which therefore is bounded, and also
 * before that, once its first batch is full.
 */
#ifndef TR_GRAPH_LOAD_H
#define TR_GRAPH_LOAD_H

#include "db/db.h"
#include "rdf/reader.h"
#include "shacl/report.h"

struct tr_graph_load;
struct tr_model;

/* A field left zero takes the default named beside it. */
struct tr_graph_load_opts {
    const char *path; /* of the store's file, whose schema is up to date */
    struct tr_db_opts db;
    const struct tr_model *model; /* borrowed; NULL: nothing is declared */
    tr_str project;               /* "local"; in the IRIs of blank nodes */
    tr_str graph;       /* where quads without a graph go: the default graph */
    size_t max_batch;   /* TR_LIMIT_LOAD_BATCH quads in memory at a time */
    size_t max_results; /* TR_LIMIT_RESULTS */
    size_t max_ahead;   /* TR_LIMIT_LOAD_AHEAD quads: see below */
    uint64_t max_work;  /* TR_LIMIT_LOAD_WORK steps of a validation that keeps
                           others from writing */
    /* Called when the new state was validated, before the lock is taken; may be
     * NULL. */
    void (*checked)(void *data);
    /*
     * Called for each literal that is spelt otherwise than a value of its field
     * is (decision 0025), with the quad as it came and our spelling; such a
     * load fails at its end. NULL: our spelling is written instead.
     */
    void (*refused)(void *data, const tr_rdf_quad *quad, tr_str spelling);
    bool is_dry;    /* all is done but the commit */
    bool skip_prov; /* leaves out quads of the provenance graph, which fail the
                       load otherwise */
    /* Called in the transaction, when all is written; may be NULL. A failure
     * fails the load. */
    tr_status (*landed)(void *data, struct tr_db *db, struct tr_err *err);
    void *data;
};

/* What a load did. */
struct tr_graph_load_counts {
    uint64_t read;    /* quads that were read */
    uint64_t added;   /* that the store did not have */
    uint64_t removed; /* that it had */
    uint64_t changed; /* subjects of these */
    uint64_t prov;    /* quads of the provenance graph; not among `read` */
    uint64_t respelt; /* literals that were spelt otherwise */
    uint64_t filled;  /* defaults that new nodes got; not among `read` */
};

TR_NODISCARD tr_status
tr_graph_load_create(const struct tr_graph_load_opts *opts,
                     struct tr_graph_load **out, struct tr_err *err);

/* Undoes what was not finished. NULL is allowed. */
void tr_graph_load_free(struct tr_graph_load *load);

/* A sink that adds what a reader reads; borrows the load. */
struct tr_rdf_sink tr_graph_load_sink(struct tr_graph_load *load);

/* Takes away a quad, by its ids in the store; before it adds any that comes
 * after it. */
TR_NODISCARD tr_status tr_graph_load_remove(struct tr_graph_load *load,
                                            tr_rdf_ids quad,
                                            struct tr_err *err);

/* Before each document but the first: labels of blank nodes start anew. */
TR_NODISCARD tr_status tr_graph_load_next_document(struct tr_graph_load *load,
                                                   struct tr_err *err);

/*
 * Lands everything. TR_E_VALIDATION when the new state has a result that the
 * old one had not (tr_graph_load_report tells which), or when a value that must
 * be unique is not (the error tells); TR_E_INVALID when quads are in the
 * provenance graph, which nothing but the recorder writes to, or when literals
 * were refused; TR_E_UNAVAILABLE when another process writes for too long, or
 * again and again; TR_E_LIMIT when a large load takes too much work to
 * validate. After a failure nothing has happened.
 */
TR_NODISCARD tr_status tr_graph_load_finish(struct tr_graph_load *load,
                                            struct tr_err *err);

struct tr_graph_load_counts
tr_graph_load_counts(const struct tr_graph_load *load);

/* After TR_E_VALIDATION: what is wrong, borrowed. The second is NULL when it
 * was not a shape that failed, but a unique field. */
const struct tr_shacl_report *
tr_graph_load_report(const struct tr_graph_load *load);
const struct tr_shacl_validation *
tr_graph_load_validation(const struct tr_graph_load *load);

/* Then: the node that a focus node is a part of, or itself; in `arena`. */
TR_NODISCARD tr_status tr_graph_load_owner(const struct tr_graph_load *load,
                                           tr_rdf_id focus,
                                           struct tr_arena *arena, tr_str *iri,
                                           struct tr_err *err);

#endif
