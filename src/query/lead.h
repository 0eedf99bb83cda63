/*
 * query/lead.h - where the candidates of a query come from, in the order of
 * their ids.
 *
 * All equal values of the filter are walked together with the class
 * (query/merge.h). Where one of several may be there (`one_of`, `any`, what is
 * equal to a field behind a ref) there is such a walk for each of them, and
 * they are united. What else the filter says is asked of each candidate.
 */
#ifndef TR_QUERY_LEAD_H
#define TR_QUERY_LEAD_H

#include "query/filter.h"
#include "query/merge.h"

struct tr_query_branch {
    struct tr_query_merge merge;
    tr_rdf_id head; /* the next it gives; TR_QUERY_WALK_END */
    bool is_cut;    /* then `head` is how far it came */
};

/* The caller's storage; open, next, close. */
struct tr_query_lead {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query_filter *filter;
    struct tr_query_branch *branches;
    size_t count;
    const struct tr_query_cond *split; /* what has several branches, or NULL */
    size_t pair_count;                 /* that all branches have */
    size_t at;                         /* the branch that gave the last one */
    size_t looked;                     /* at candidates */
    tr_rdf_id last; /* everything up to this node was given, or is no match */
    bool is_cut;    /* after too much work */
};

TR_NODISCARD tr_status tr_query_lead_open(struct tr_query_lead *lead,
                                          const struct tr_graph_read_ctx *ctx,
                                          const struct tr_query_filter *filter,
                                          tr_rdf_id after, size_t work,
                                          struct tr_err *err);

/* The next node that fits all of the filter; TR_RDF_ID_NONE at the end, and
 * when the work was used up. */
TR_NODISCARD tr_status tr_query_lead_next(struct tr_query_lead *lead,
                                          tr_rdf_id *out, struct tr_err *err);
void tr_query_lead_close(struct tr_query_lead *lead);

/* As tr_query_merge_label. */
bool tr_query_lead_label(const struct tr_query_lead *lead, tr_str *out);

/* Whether values that are equal lead to the nodes that fit a condition. */
bool tr_query_lead_leads(const struct tr_query_cond *cond);

#endif
