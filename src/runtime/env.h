/*
 * runtime/env.h - the environment of the calls of one loop: the store, and what
 * is kept beside it.
 *
 * A call reads and writes the graph through its own struct tr_graph_kg, which
 * comes into being when a handler first asks for it; the calls that a handler
 * invokes share it. What has gathered there lands when the handler has ended
 * well, in one transaction; else it is gone.
 */
#ifndef TR_RUNTIME_ENV_H
#define TR_RUNTIME_ENV_H

#include "graph/kg.h"
#include "graph/store.h"
#include "runtime/call.h"

struct tr_crypto_keys;
struct tr_doctor_outside;
struct tr_fetch_client;
struct tr_meta_outside;
struct tr_prov_log;
struct tr_call_idempotency_queue;
struct tr_call_race_queue;
struct tr_query_scans;

struct tr_call_env {
    struct tr_graph_store *store;
    struct tr_graph_reader *reader; /* this loop's, as the next two */
    struct tr_prov_log *log;        /* NULL: nothing is recorded */
    struct tr_crypto_uuid_maker *uuids;
    const struct tr_prov_key *prov_key; /* the store's */
    const struct tr_crypto_keys *keys;  /* that sign cursors, or NULL */
    struct tr_fetch_client *fetch;      /* or NULL: nobody goes out */
    /* Of the process; each may be NULL. */
    struct tr_call_idempotency_queue *idempotency_queue;
    struct tr_call_race_queue *race_queue;
    struct tr_query_scans *scans;
    const struct tr_doctor_outside *doctor; /* what checks may ask */
    const struct tr_meta_outside *meta;     /* what meta-capabilities know */
    int64_t started_s;                      /* Unix time */
};

/* The turns of calls that are run again; none may be waiting when they are
 * freed, and NULL is allowed. */
TR_NODISCARD tr_status
tr_call_race_queue_create(struct tr_call_race_queue **out, struct tr_err *err);
void tr_call_race_queue_free(struct tr_call_race_queue *queue);

TR_NODISCARD tr_status tr_call_idempotency_queue_create(
    struct tr_call_idempotency_queue **out, struct tr_err *err);

/* No call may be in the queue. NULL is allowed. */
void tr_call_idempotency_queue_free(struct tr_call_idempotency_queue *queue);

/*
 * The graph of a call; TR_E_UNSUPPORTED where there is no store. It takes
 * changes from then on as from this call: see tr_call_may_change.
 */
TR_NODISCARD tr_status tr_call_kg(struct tr_call *call,
                                  struct tr_graph_kg **out, struct tr_err *err);

/* Enters the graph of a call as a face shows it (NULL: all of it); to be left
 * as graph/kg.h says. */
TR_NODISCARD tr_status tr_call_enter(struct tr_call *call,
                                     const struct tr_model_face *face,
                                     struct tr_graph_kg **kg,
                                     struct tr_graph_read_ctx *ctx,
                                     struct tr_err *err);

/*
 * Whether a call may change a graph, and whether all may that have invoked it
 * (a tr_graph_may_fn; `by` is the call). A call that was refused cannot succeed
 * any more.
 */
TR_NODISCARD tr_status tr_call_may_change(void *by, const tr_rdf_term *graph,
                                          bool is_lost, struct tr_err *err);

/*
 * Puts IRIs in the place of what a handler gives for refs with `by`: keys, and
 * ends of ids. TR_E_VALIDATION, with `errors`, when one is not there.
 */
TR_NODISCARD tr_status tr_call_spell_keys(struct tr_call *call,
                                          const struct tr_model_type *type,
                                          struct tr_arena *arena,
                                          const struct tr_json **values,
                                          struct tr_field_errors *errors,
                                          struct tr_err *err);

/*
 * What the caller sees of the model, for whatever is told it and was not said
 * by a handler; NULL: everything. Who owns the app's files sees everything.
 */
const struct tr_model_face *tr_call_face(const struct tr_call *call);

/* Releases the graph of a call, before its door hears of the end. */
void tr_call_release_kg(struct tr_call *call);

#endif
