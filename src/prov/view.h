/*
 * prov/view.h - activities as JSON and as PROV-O.
 *
 * All functions read with the caller's connection, in the transaction it is in.
 */
#ifndef TR_PROV_VIEW_H
#define TR_PROV_VIEW_H

#include "prov/activity.h"
#include "rdf/reader.h"

struct tr_db;
struct tr_json_writer;

/* From the id of a node to its IRI, borrowed until the next call; "" when the
 * store does not know it any more. */
typedef tr_status tr_prov_resolve_fn(void *data, uint64_t id, tr_str *iri,
                                     struct tr_err *err);

struct tr_prov_resolver {
    tr_prov_resolve_fn *resolve;
    void *data;
};

/* A field left zero takes the default named beside it. */
struct tr_prov_filter {
    bool all;                    /* of all principals */
    tr_str principal;            /* or of this one; "" is the anonymous one */
    tr_str name;                 /* of what was run; "": of all */
    int64_t since_us;            /* began then or later; 0: ever */
    size_t limit;                /* 100; at most TR_LIMIT_PROV_PAGE */
    const unsigned char *before; /* older than this id; NULL: the newest */
};

/*
 * Where the next page begins: an id for `before`, written out. It is that of
 * the last activity shown, or of none.
 */
struct tr_prov_next {
    bool is_there;
    char id[TR_CRYPTO_UUID_TEXT];
};

/*
 * {"activities": [...], "next": "<uuid>"}, the newest first. `next`, for
 * `before`, is there when there may be more; a page may be empty and have it,
 * since only so many rows of others are passed over at a time.
 */
TR_NODISCARD tr_status tr_prov_latest(struct tr_db *db,
                                      const struct tr_prov_filter *filter,
                                      const struct tr_prov_resolver *resolver,
                                      struct tr_json_writer *out,
                                      struct tr_prov_next *next,
                                      struct tr_err *err);

/*
 * One activity, as it stands on a page, with its own context. TR_E_NOT_FOUND
 * when there is none, and, with the same words, when it is of a principal whom
 * the filter leaves out; the filter's other fields do not matter.
 */
TR_NODISCARD tr_status
tr_prov_show(struct tr_db *db, const unsigned char id[TR_CRYPTO_UUID_BYTES],
             const struct tr_prov_filter *filter,
             const struct tr_prov_resolver *resolver,
             struct tr_json_writer *out, struct tr_err *err);

/*
 * Every activity in terms of PROV-O. `graph` is the IRI of the graph they are
 * in, "" for the default graph. A quad may come more than once.
 */
TR_NODISCARD tr_status tr_prov_quads(struct tr_db *db, tr_str graph,
                                     const struct tr_prov_resolver *resolver,
                                     const struct tr_rdf_sink *sink,
                                     struct tr_err *err);

/* Every id that an activity names, perhaps more than once. */
typedef tr_status tr_prov_id_fn(void *data, uint64_t id, struct tr_err *err);
TR_NODISCARD tr_status tr_prov_each_id(struct tr_db *db, tr_prov_id_fn *visit,
                                       void *data, struct tr_err *err);

/*
 * The graph that exports have provenance in, trails://<project>/prov. Nothing
 * but the recorder says what was done, so nobody else may write to it. An empty
 * project is "local".
 */
void tr_prov_graph_put(struct tr_buf *out, tr_str project);
bool tr_prov_graph_is(tr_str iri, tr_str project);

#endif
