#include "query/candidates.h"

/* Whether a stretch has at most so many rows; they are counted. */
static tr_status count_rows(const struct tr_graph_read_ctx *ctx,
                            const struct tr_query_stretch *stretch, size_t most,
                            bool *out, struct tr_err *err)
{
    struct tr_graph_value_walk *walk = NULL;
    struct tr_graph_value_range range = stretch->range;
    struct tr_graph_value_step step = {0};
    range.work = most;
    TR_TRY(tr_graph_value_walk_open(ctx, stretch->index, &range, &walk, NULL,
                                    err));
    tr_status status = tr_graph_value_walk_next(walk, &step, err);
    while (status == TR_OK && step.node != TR_RDF_ID_NONE)
        status = tr_graph_value_walk_next(walk, &step, err);
    *out = !tr_graph_value_walk_is_cut(walk);
    tr_graph_value_walk_close(walk);
    return status;
}

/* Whether values that are equal lead to the nodes. */
static bool has_lead(const struct tr_query_filter *filter)
{
    for (size_t i = 0; i < filter->root.count; i++) {
        if (tr_query_lead_leads(&filter->root.parts[i]))
            return true;
    }
    return false;
}

tr_status tr_query_candidates_choose(struct tr_query_candidates *candidates,
                                     struct tr_err *err)
{
    struct tr_query_stretch *stretch = &candidates->stretch;
    bool leads = has_lead(candidates->filter);
    candidates->leads = leads;
    TR_TRY(tr_query_stretch_within(candidates->ctx, candidates->query,
                                   candidates->filter, stretch, err));
    candidates->is_few = false;
    if (!stretch->index)
        return TR_OK;
    TR_TRY(count_rows(candidates->ctx, stretch, TR_QUERY_FEW,
                      &candidates->is_few, err));
    candidates->leads = leads || candidates->is_few;
    if (!candidates->is_few && leads)
        stretch->index = NULL;
    return TR_OK;
}

static tr_status walk_stretch(struct tr_query_candidates *c,
                              struct tr_graph_value_walk *walk,
                              tr_query_visit_fn *visit, void *context,
                              struct tr_err *err)
{
    struct tr_graph_value_step step;
    bool stop = false;
    TR_TRY(tr_graph_value_walk_next(walk, &step, err));
    for (; step.node != TR_RDF_ID_NONE && !stop; c->looked++) {
        bool fits;
        TR_TRY(tr_query_stretch_fits(c->ctx, c->filter, &c->stretch, step.node,
                                     &fits, err));
        if (fits)
            TR_TRY(visit(context, step.node, &stop, err));
        TR_TRY(tr_graph_value_walk_next(walk, &step, err));
    }
    c->is_cut = !stop && tr_graph_value_walk_is_cut(walk);
    return TR_OK;
}

static tr_status walk_lead(struct tr_query_candidates *c,
                           struct tr_query_lead *lead, tr_query_visit_fn *visit,
                           void *context, struct tr_err *err)
{
    tr_rdf_id node;
    bool stop = false;
    TR_TRY(tr_query_lead_next(lead, &node, err));
    while (node != TR_RDF_ID_NONE && !stop) {
        TR_TRY(visit(context, node, &stop, err));
        TR_TRY(tr_query_lead_next(lead, &node, err));
    }
    c->is_cut = !stop && lead->is_cut;
    return TR_OK;
}

tr_status tr_query_candidates_each(struct tr_query_candidates *c, size_t work,
                                   tr_query_visit_fn *visit, void *context,
                                   struct tr_err *err)
{
    struct tr_graph_value_walk *walk = NULL;
    struct tr_graph_value_range range = c->stretch.range;
    struct tr_query_lead lead;
    bool is_inexact = false;
    tr_status status;
    range.work = work;
    c->looked = 0;
    if (c->stretch.index) {
        status = tr_graph_value_walk_open(c->ctx, c->stretch.index, &range,
                                          &walk, &is_inexact, err);
        c->stretch.has_all &= !is_inexact;
        if (status == TR_OK)
            status = walk_stretch(c, walk, visit, context, err);
        tr_graph_value_walk_close(walk);
        return status;
    }
    status =
        tr_query_lead_open(&lead, c->ctx, c->filter, TR_RDF_ID_NONE, work, err);
    if (status == TR_OK)
        status = walk_lead(c, &lead, visit, context, err);
    c->looked = lead.looked;
    tr_query_lead_close(&lead);
    if (!c->leads)
        tr_query_note_slow(c->ctx, c->query,
                           tr_query_missing_index(c->filter, NULL), c->looked);
    return status;
}
