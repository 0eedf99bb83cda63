/*
 * query/filter.h - a filter of query.h as conditions that nodes are asked.
 */
#ifndef TR_QUERY_FILTER_H
#define TR_QUERY_FILTER_H

#include "query/query.h"
#include "query/refuse.h"
#include "query/value.h"

enum tr_query_cond_kind {
    TR_QUERY_COND_ALL, /* each of the parts holds */
    TR_QUERY_COND_ANY, /* one of them does */
    TR_QUERY_COND_FIELD,
};

/* Of a field one value fits all forms of values. */
struct tr_query_cond {
    enum tr_query_cond_kind kind;
    struct tr_query_cond *parts;
    size_t count;
    tr_str name;                 /* as it was written: "owner.email" */
    struct tr_query_slot across; /* the ref that leads to the field, or zero */
    bool is_back;                /* it is theirs who refer: "^owner.size" */
    const struct tr_model_type
        *target;          /* where the field is: others have none */
    tr_rdf_ids is_target; /* `? rdf:type class` of that */
    size_t *left;         /* steps across that the whole filter may take */
    struct tr_query_slot slot;
    unsigned forms; /* those that are asked, as bits */
    struct tr_query_value bounds[TR_FIELD_FORM_BELOW + 1]; /* by form */
    struct tr_query_value *choices;
    size_t choice_count;
    tr_str prefix;
};

struct tr_query_filter {
    struct tr_query_cond root; /* of the kind ALL */
    struct tr_query_slot type; /* rdf:type; the field is NULL */
    tr_rdf_id class;           /* of the query's type */
};

static inline bool tr_query_cond_has(const struct tr_query_cond *cond,
                                     enum tr_field_form form)
{
    return cond->forms & 1u << form;
}

/* Whether it is that a field of the node itself is equal to a value, and the
 * nodes with that value are those with one term. */
bool tr_query_cond_is_pair(const struct tr_query_cond *cond);

/* Fails as tr_query_where. */
TR_NODISCARD tr_status tr_query_filter_compile(
    const struct tr_graph_read_ctx *ctx, const struct tr_query *query,
    struct tr_query_filter *out, struct tr_err *err);

/* The slot of a field that an order, a group or a measure names; `what` is
 * "order", ... for the error. */
TR_NODISCARD tr_status tr_query_slot_find(const struct tr_graph_read_ctx *ctx,
                                          const struct tr_field *field,
                                          struct tr_query_slot *out,
                                          struct tr_err *err);

/* What across.c finds. */
struct tr_query_crossing {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query_refusing *to;
    const struct tr_query *query;
    const struct tr_json *value; /* that was written, for errors */
    struct tr_query_cond *cond;  /* gets all but its slot */
};

/*
 * Goes over to where a field is: "owner.email" behind a ref, "^owner.size" and
 * "^Ticket.owner.size" at those who refer, "^owner" for whether anybody does.
 * *shape and *name are of the type there; they stay for a field of its own, and
 * where something is refused.
 */
TR_NODISCARD tr_status tr_query_cross(const struct tr_query_crossing *crossing,
                                      const struct tr_shape **shape,
                                      tr_str *name, struct tr_err *err);

/* Whether a node fits a condition. */
TR_NODISCARD tr_status tr_query_cond_holds(const struct tr_graph_read_ctx *ctx,
                                           const struct tr_query_cond *cond,
                                           tr_rdf_id node, bool *out,
                                           struct tr_err *err);

#endif
