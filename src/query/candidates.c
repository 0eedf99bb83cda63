#include "query/candidates.h"

#include "base/limits.h"

/* Alternatives that are united at most. */
#define BRANCHES 32

/* Candidates of equal values that are not worth looking for another way. */
#define SHORT_LEAD 100

/* Choosing ---------------------------------------------------------------- */

/* Whether a stretch has at most so many rows; they are counted. */
static tr_status count_rows(const struct tr_graph_read_ctx *ctx,
                            const struct tr_query_stretch *stretch, size_t most,
                            bool *out, struct tr_err *err)
{
    struct tr_values_walk *walk = NULL;
    struct tr_values_range range = stretch->range;
    struct tr_values_step step = {0};
    range.work = most;
    TR_TRY(tr_values_walk_open(ctx, stretch->index, &range, &walk, NULL, err));
    tr_status status = tr_values_walk_next(walk, &step, err);
    while (status == TR_OK && step.node != TR_RDF_ID_NONE)
        status = tr_values_walk_next(walk, &step, err);
    *out = !tr_values_walk_is_cut(walk);
    tr_values_walk_close(walk);
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

/* Whether equal values lead to the end in so many steps. */
static tr_status count_lead(const struct tr_query_candidates *c, size_t most,
                            bool *out, struct tr_err *err)
{
    struct tr_query_lead lead;
    tr_rdf_id node = TR_RDF_ID_ANY;
    tr_status status =
        tr_query_lead_open(&lead, c->ctx, c->filter, TR_RDF_ID_NONE, most, err);
    while (status == TR_OK && node != TR_RDF_ID_NONE)
        status = tr_query_lead_next(&lead, &node, err);
    *out = !lead.is_cut;
    tr_query_lead_close(&lead);
    return status;
}

/* The filter with one of the alternatives in the place of all of them. */
static tr_status filter_of_branch(const struct tr_query_candidates *c,
                                  const struct tr_query_cond *part,
                                  const struct tr_query_filter **out,
                                  struct tr_err *err)
{
    const struct tr_query_cond *root = &c->filter->root;
    struct tr_query_filter *filter =
        TR_NEW(c->ctx->arena, struct tr_query_filter);
    struct tr_query_cond *parts = TR_NEW_ARRAY(
        c->ctx->arena, struct tr_query_cond, root->count + part->count);
    size_t count = 0;
    if (!filter || !parts)
        return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
    for (size_t i = 0; i < root->count; i++) {
        if (&root->parts[i] != c->any)
            parts[count++] = root->parts[i];
    }
    for (size_t i = 0; i < part->count; i++)
        parts[count++] = part->parts[i];
    *filter = *c->filter;
    filter->root.parts = parts;
    filter->root.count = count;
    *out = filter;
    return TR_OK;
}

/* *leads: there is a way to the nodes of an alternative. */
static tr_status choose_branch(const struct tr_query_candidates *c, size_t at,
                               bool *leads, struct tr_err *err)
{
    struct tr_query_candidates *branch = &c->branches[at];
    *branch = (struct tr_query_candidates){.ctx = c->ctx,
                                           .query = c->query,
                                           .filter = c->filter,
                                           .is_branch = true};
    TR_TRY(filter_of_branch(c, &c->any->parts[at], &branch->filter, err));
    TR_TRY(tr_query_candidates_choose(branch, err));
    *leads = branch->leads || branch->stretch.index || branch->behind;
    return branch->leads && !branch->is_few
               ? count_lead(branch, TR_QUERY_FEW, &branch->is_few, err)
               : TR_OK;
}

/* The first `any` that equal values alone do not lead to. */
static const struct tr_query_cond *find_any(const struct tr_query_cond *root)
{
    for (size_t i = 0; i < root->count; i++) {
        const struct tr_query_cond *cond = &root->parts[i];
        if (cond->kind == TR_QUERY_COND_ANY && cond->count <= BRANCHES &&
            !tr_query_lead_leads(cond))
            return cond;
    }
    return NULL;
}

/* No `any` is left when one of its alternatives has no way. */
static tr_status unite(struct tr_query_candidates *c, struct tr_err *err)
{
    bool leads = true;
    bool are_few = true;
    c->any = c->is_branch ? NULL : find_any(&c->filter->root);
    if (!c->any)
        return TR_OK;
    c->branches = TR_NEW_ARRAY(c->ctx->arena, struct tr_query_candidates,
                               c->any->count + 1);
    if (!c->branches)
        return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
    for (size_t i = 0; i < c->any->count && leads; i++) {
        TR_TRY(choose_branch(c, i, &leads, err));
        are_few &= c->branches[i].is_few;
    }
    c->is_few = leads && are_few;
    if (!leads)
        c->any = NULL;
    return TR_OK;
}

/* What a node says itself leads, and not only what it refers to. */
static bool has_own_lead(const struct tr_query_filter *filter)
{
    for (size_t i = 0; i < filter->root.count; i++) {
        const struct tr_query_cond *cond = &filter->root.parts[i];
        if (!cond->across.field && tr_query_lead_leads(cond))
            return true;
    }
    return false;
}

/* The way over a ref stays when it is short, or there is no other. Then as many
 * are found at once as would be sorted. */
static tr_status try_behind(struct tr_query_candidates *c, struct tr_err *err)
{
    bool has_other = has_own_lead(c->filter) || c->any || c->stretch.index;
    size_t most = has_other ? TR_QUERY_FEW : TR_LIMIT_QUERY_SORTED;
    TR_TRY(tr_query_behind_find(c, err));
    if (!c->behind)
        return TR_OK;
    TR_TRY(tr_query_behind_collect(c->ctx, c->behind, most, err));
    c->is_few = c->behind->is_whole;
    if (!c->is_few && has_other)
        c->behind = NULL;
    return TR_OK;
}

/* Whether anything but equal values may lead. */
static bool has_choice(const struct tr_query_candidates *c)
{
    const struct tr_query_cond *root = &c->filter->root;
    bool found = c->stretch.index || (!c->is_branch && find_any(root));
    for (size_t i = 0; i < root->count && !found; i++)
        found = root->parts[i].across.field != NULL;
    return found;
}

/* Equal values that lead to a few, a short range, alternatives that are short
 * together, a short way over a ref: the first of these is taken. */
static tr_status find_short(struct tr_query_candidates *c, bool has_equal,
                            bool *found, struct tr_err *err)
{
    struct tr_query_stretch *stretch = &c->stretch;
    TR_TRY(tr_query_stretch_within(c->ctx, c->query, c->filter, stretch, err));
    *found = has_equal && !has_choice(c);
    if (has_equal && !*found)
        TR_TRY(count_lead(c, SHORT_LEAD, found, err));
    if (*found) {
        stretch->index = NULL;
        return TR_OK;
    }
    if (stretch->index)
        TR_TRY(count_rows(c->ctx, stretch, TR_QUERY_FEW, &c->is_few, err));
    if (!c->is_few)
        TR_TRY(unite(c, err));
    if (!c->is_few && (has_equal || stretch->index))
        c->any = NULL;
    if (!c->is_few)
        TR_TRY(try_behind(c, err));
    *found = c->is_few;
    return TR_OK;
}

tr_status tr_query_candidates_choose(struct tr_query_candidates *c,
                                     struct tr_err *err)
{
    bool has_equal = has_lead(c->filter);
    bool found = false;
    c->is_few = false;
    TR_TRY(find_short(c, has_equal, &found, err));
    c->leads = has_equal || found;
    if (c->behind)
        c->any = NULL;
    if (c->any || c->behind || (has_equal && !found))
        c->stretch.index = NULL;
    return TR_OK;
}

/* Walking ----------------------------------------------------------------- */

static tr_status walk_stretch(struct tr_query_candidates *c,
                              struct tr_values_walk *walk,
                              tr_query_visit_fn *visit, void *context,
                              struct tr_err *err)
{
    struct tr_values_step step;
    bool stop = false;
    TR_TRY(tr_values_walk_next(walk, &step, err));
    for (; step.node != TR_RDF_ID_NONE && !stop; c->looked++) {
        bool fits;
        TR_TRY(tr_query_stretch_fits(c->ctx, c->filter, &c->stretch, step.node,
                                     &fits, err));
        if (fits)
            TR_TRY(visit(context, step.node, &stop, err));
        TR_TRY(tr_values_walk_next(walk, &step, err));
    }
    c->is_cut = !stop && tr_values_walk_is_cut(walk);
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

/* What an alternative gives, without what those before it have given. */
struct uniting {
    const struct tr_query_candidates *all;
    size_t at;
    tr_query_visit_fn *visit;
    void *context;
    bool stop;
};

static tr_status visit_once(void *context, tr_rdf_id node, bool *stop,
                            struct tr_err *err)
{
    struct uniting *u = context;
    bool was_given = false;
    for (size_t i = 0; i < u->at && !was_given; i++)
        TR_TRY(tr_query_cond_holds(u->all->ctx, &u->all->any->parts[i], node,
                                   &was_given, err));
    if (!was_given)
        TR_TRY(u->visit(u->context, node, &u->stop, err));
    *stop = u->stop;
    return TR_OK;
}

static tr_status walk_branches(struct tr_query_candidates *c, size_t work,
                               tr_query_visit_fn *visit, void *context,
                               struct tr_err *err)
{
    struct uniting u = {.all = c, .visit = visit, .context = context};
    size_t share = work / (c->any->count + 1) + 1;
    c->is_cut = false;
    for (; u.at < c->any->count && !u.stop; u.at++) {
        struct tr_query_candidates *branch = &c->branches[u.at];
        TR_TRY(tr_query_candidates_each(branch, share, visit_once, &u, err));
        c->looked += branch->looked;
        c->is_cut |= branch->is_cut;
    }
    return TR_OK;
}

static tr_status walk_behind(struct tr_query_candidates *c, size_t work,
                             tr_query_visit_fn *visit, void *context,
                             struct tr_err *err)
{
    struct tr_query_behind *behind = c->behind;
    bool stop = false;
    if (!behind->is_whole)
        TR_TRY(tr_query_behind_collect(c->ctx, behind, work, err));
    for (size_t i = 0; i < behind->count && !stop; i++) {
        bool fits;
        c->looked++;
        TR_TRY(tr_query_behind_fits(c, behind->ids[i], &fits, err));
        if (fits)
            TR_TRY(visit(context, behind->ids[i], &stop, err));
    }
    c->is_cut = !stop && !behind->is_whole;
    return TR_OK;
}

static tr_status walk_index(struct tr_query_candidates *c, size_t work,
                            tr_query_visit_fn *visit, void *context,
                            struct tr_err *err)
{
    struct tr_values_walk *walk = NULL;
    struct tr_values_range range = c->stretch.range;
    bool is_inexact = false;
    range.work = work;
    tr_status status = tr_values_walk_open(c->ctx, c->stretch.index, &range,
                                           &walk, &is_inexact, err);
    c->stretch.has_all &= !is_inexact;
    if (status == TR_OK)
        status = walk_stretch(c, walk, visit, context, err);
    tr_values_walk_close(walk);
    return status;
}

tr_status tr_query_candidates_each(struct tr_query_candidates *c, size_t work,
                                   tr_query_visit_fn *visit, void *context,
                                   struct tr_err *err)
{
    struct tr_query_lead lead;
    c->looked = 0;
    if (c->any)
        return walk_branches(c, work, visit, context, err);
    if (c->behind)
        return walk_behind(c, work, visit, context, err);
    if (c->stretch.index)
        return walk_index(c, work, visit, context, err);
    tr_status status =
        tr_query_lead_open(&lead, c->ctx, c->filter, TR_RDF_ID_NONE, work, err);
    if (status == TR_OK)
        status = walk_lead(c, &lead, visit, context, err);
    c->looked = lead.looked;
    tr_query_lead_close(&lead);
    if (!c->leads)
        tr_query_note_slow(c->ctx,
                           tr_query_missing_index(c->query, c->filter, NULL),
                           c->looked);
    return status;
}
