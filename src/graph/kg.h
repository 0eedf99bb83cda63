/*
 * graph/kg.h - the graph as one call sees it: it reads its own writes.
 *
 * Reads are jobs on the loop's reader, bracketed by enter and leave. Writes
 * gather in a changeset; nothing is in the store before the call has ended well
 * and the changeset has landed (graph/store.h). What one node can decide is
 * refused at once, the rest by the writer.
 */
#ifndef TR_GRAPH_KG_H
#define TR_GRAPH_KG_H

#include "fields/error.h"
#include "graph/change.h"
#include "graph/race.h"
#include "graph/read_ctx.h"
#include "graph/reader.h"

struct tr_graph_kg {
    struct tr_graph_reader *reader; /* the loop's */
    const struct tr_model *model;
    struct tr_arena *arena; /* the call's */
    struct tr_graph_changeset changes;
    struct tr_graph_overlay
        *overlay; /* on the store as it was at `state`, or NULL */
    struct tr_arena overlay_arena;
    size_t played;          /* operations that the overlay has */
    int64_t state;          /* of the store below the overlay: tr_db_state */
    uint64_t seed;          /* of the random part of new IRIs; 0: random */
    uint64_t named;         /* new IRIs so far */
    uint64_t now_ms;        /* Unix time, for new IRIs */
    TR_VEC(tr_rdf_id) used; /* nodes that were read, for provenance */
    struct tr_field_errors errors;     /* of the last TR_E_VALIDATION */
    const struct tr_model_type *about; /* the type of what was last to change */
    struct tr_query_scans *scans;      /* as of the read ctx, or NULL */
    bool is_watched;
    int64_t since; /* the feed's newest row when it was first read */
    struct tr_graph_race race; /* why a change was refused, if so */
    struct tr_err raced;       /* and the words of that refusal */
};

void tr_graph_kg_init(struct tr_graph_kg *kg, struct tr_graph_reader *reader,
                      const struct tr_model *model, struct tr_arena *arena);
void tr_graph_kg_done(struct tr_graph_kg *kg);

/*
 * Has `race` and `raced` tell when a change is refused because somebody else
 * was first. To be called before anything is read.
 */
TR_NODISCARD tr_status tr_graph_kg_watch(struct tr_graph_kg *kg,
                                         struct tr_err *err);

/* What the call sees now; its results go to the call's arena. */
TR_NODISCARD tr_status tr_graph_kg_enter(struct tr_graph_kg *kg,
                                         struct tr_graph_read_ctx *out,
                                         struct tr_err *err);
void tr_graph_kg_leave(struct tr_graph_kg *kg);

/* Remembers that a node was read, for up to TR_LIMIT_PROV_IDS of them. */
void tr_graph_kg_note_used(struct tr_graph_kg *kg, tr_rdf_id id);

/* A savepoint: undo takes back what was changed since the mark. */
struct tr_graph_change_mark tr_graph_kg_mark(const struct tr_graph_kg *kg);
void tr_graph_kg_undo(struct tr_graph_kg *kg, struct tr_graph_change_mark mark);

/*
 * Each fails with TR_E_VALIDATION (then `kg->errors` says why), TR_E_CONFLICT,
 * TR_E_NOT_FOUND or TR_E_INVALID, and then has changed nothing.
 */

/*
 * A new node of a type, or of none (then fields are predicates). `iri` may be
 * empty: then the type's strategy names it. *out is its IRI.
 */
TR_NODISCARD tr_status tr_graph_kg_create(struct tr_graph_kg *kg,
                                          const struct tr_model_type *type,
                                          tr_str iri,
                                          const struct tr_json *fields,
                                          tr_str *out, struct tr_err *err);

struct tr_graph_kg_update {
    const struct tr_json *fields; /* null takes a value away */
    bool replace;                 /* what is not given goes */
    bool has_version;             /* it must be at this one */
    int64_t version;
};

TR_NODISCARD tr_status
tr_graph_kg_update(struct tr_graph_kg *kg, tr_str iri,
                   const struct tr_graph_kg_update *update, struct tr_err *err);

/* *found is false when there was none. */
TR_NODISCARD tr_status tr_graph_kg_delete(struct tr_graph_kg *kg, tr_str iri,
                                          const int64_t *if_version,
                                          bool *found, struct tr_err *err);

/*
 * The next number of a counter: one more than the last that landed or was taken
 * by this call, and at least `least`. TR_E_LIMIT when there is none left.
 */
TR_NODISCARD tr_status tr_graph_kg_next(struct tr_graph_kg *kg, tr_str name,
                                        int64_t least, int64_t *out,
                                        struct tr_err *err);

/* One quad, without a type's help. */
TR_NODISCARD tr_status tr_graph_kg_put_quad(struct tr_graph_kg *kg,
                                            const tr_rdf_quad *quad,
                                            bool is_added, struct tr_err *err);

#endif
