#include "query/lead.h"

#include "base/limits.h"
#include "base/vec.h"

/* Walks that are united at most: beyond that the values are asked for. */
#define BRANCHES 32

struct opening {
    struct tr_query_lead *lead;
    struct tr_arena *arena;
    TR_VEC(struct tr_query_pair) shared; /* of all branches */
    TR_VEC(struct tr_query_pairs) branches;
    tr_rdf_id after;
    size_t work;
    struct tr_err *err;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
}

static struct tr_query_pair pair_of(const struct tr_query_cond *cond,
                                    size_t choice)
{
    return (struct tr_query_pair){cond->slot.p, cond->choices[choice].id};
}

/* The shared pairs, `more`, and the class. */
static tr_status add_branch(struct opening *o, const struct tr_query_pair *more,
                            size_t count)
{
    const struct tr_query_filter *filter = o->lead->filter;
    struct tr_query_pairs pairs = {
        .items = TR_NEW_ARRAY(o->arena, struct tr_query_pair,
                              o->shared.count + count + 1)};
    if (!pairs.items)
        return fail_memory(o->err);
    for (size_t i = 0; i < o->shared.count; i++)
        pairs.items[pairs.count++] = o->shared.items[i];
    for (size_t i = 0; i < count; i++)
        pairs.items[pairs.count++] = more[i];
    pairs.items[pairs.count++] =
        (struct tr_query_pair){filter->type.p, filter->class};
    for (size_t i = 0; i < pairs.count; i++)
        pairs.is_empty |= pairs.items[i].p == TR_RDF_ID_NONE ||
                          pairs.items[i].o == TR_RDF_ID_NONE;
    if (pairs.is_empty)
        return TR_OK;
    return tr_vec_push(o->arena, &o->branches, pairs) ? TR_OK
                                                      : fail_memory(o->err);
}

/* Splits ------------------------------------------------------------------ */

static bool is_choice_of_ids(const struct tr_query_cond *cond)
{
    return cond->kind == TR_QUERY_COND_FIELD &&
           cond->forms == 1u << TR_FIELD_FORM_ONE_OF &&
           cond->choice_count <= BRANCHES && !cond->slot.is_bare &&
           tr_query_value_has_one_id(cond->slot.field);
}

static const struct tr_query_cond *first_pair(const struct tr_query_cond *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (tr_query_cond_is_pair(&all->parts[i]))
            return &all->parts[i];
    }
    return NULL;
}

static bool can_split(const struct tr_query_cond *cond)
{
    if (cond->kind == TR_QUERY_COND_FIELD)
        return is_choice_of_ids(cond) && !cond->is_back &&
               !tr_query_cond_is_pair(cond);
    for (size_t i = 0; i < cond->count; i++) {
        if (!first_pair(&cond->parts[i]))
            return false;
    }
    return cond->count <= BRANCHES;
}

static tr_status split_choices(struct opening *o,
                               const struct tr_query_cond *cond)
{
    for (size_t i = 0; i < cond->choice_count; i++) {
        struct tr_query_pair pair = pair_of(cond, i);
        TR_TRY(add_branch(o, &pair, 1));
    }
    return TR_OK;
}

static tr_status split_any(struct opening *o, const struct tr_query_cond *any)
{
    for (size_t i = 0; i < any->count; i++) {
        const struct tr_query_cond *all = &any->parts[i];
        struct tr_query_pair pairs[TR_LIMIT_FILTER_CONDITIONS];
        size_t count = 0;
        for (size_t k = 0; k < all->count; k++) {
            if (tr_query_cond_is_pair(&all->parts[k]))
                pairs[count++] = pair_of(&all->parts[k], 0);
        }
        TR_TRY(add_branch(o, pairs, count));
    }
    return TR_OK;
}

/* Nodes with a value, at most `max` of them: more are not counted. */
static tr_status collect(struct opening *o, struct tr_query_pair pair,
                         tr_rdf_id *out, size_t *count)
{
    struct tr_query_walk walk =
        tr_query_walk_open(o->lead->ctx, pair, TR_QUERY_WALK_INDEX);
    tr_rdf_id at = TR_RDF_ID_NONE;
    tr_status status = TR_OK;
    while (status == TR_OK && at != TR_QUERY_WALK_END && *count <= BRANCHES) {
        status = tr_query_walk_reach(&walk, at + 1, &at, o->err);
        if (status == TR_OK && at != TR_QUERY_WALK_END)
            out[(*count)++] = at;
    }
    tr_query_walk_close(&walk);
    return status;
}

/* The nodes behind the ref first, where they are few; then who refers to them.
 */
static tr_status split_across(struct opening *o,
                              const struct tr_query_cond *cond, bool *done)
{
    tr_rdf_id ids[BRANCHES + 1];
    size_t count = 0;
    for (size_t i = 0; i < cond->choice_count && count <= BRANCHES; i++) {
        struct tr_query_pair pair = pair_of(cond, i);
        if (pair.p != TR_RDF_ID_NONE && pair.o != TR_RDF_ID_NONE)
            TR_TRY(collect(o, pair, ids, &count));
    }
    *done = count <= BRANCHES;
    for (size_t i = 0; i < count && *done; i++) {
        struct tr_query_pair pair = {cond->across.p, ids[i]};
        TR_TRY(add_branch(o, &pair, 1));
    }
    return TR_OK;
}

static tr_status split(struct opening *o)
{
    const struct tr_query_cond *root = &o->lead->filter->root;
    for (size_t i = 0; i < root->count && !o->lead->split; i++) {
        const struct tr_query_cond *cond = &root->parts[i];
        bool done = true;
        if (!can_split(cond))
            continue;
        if (cond->kind == TR_QUERY_COND_ANY)
            TR_TRY(split_any(o, cond));
        else if (cond->across.field)
            TR_TRY(split_across(o, cond, &done));
        else
            TR_TRY(split_choices(o, cond));
        o->lead->split = done ? cond : NULL;
    }
    return o->lead->split ? TR_OK : add_branch(o, NULL, 0);
}

/* Walking ----------------------------------------------------------------- */

static tr_status step(struct tr_query_branch *branch, struct tr_err *err)
{
    TR_TRY(tr_query_merge_next(&branch->merge, &branch->head, err));
    if (branch->head != TR_RDF_ID_NONE)
        return TR_OK;
    branch->is_cut = branch->merge.is_cut;
    branch->head = branch->is_cut ? branch->merge.last : TR_QUERY_WALK_END;
    return TR_OK;
}

static tr_status open_branches(struct opening *o)
{
    struct tr_query_lead *lead = o->lead;
    size_t count = o->branches.count;
    lead->branches =
        TR_NEW_ARRAY(o->arena, struct tr_query_branch, count ? count : 1);
    if (!lead->branches)
        return fail_memory(o->err);
    for (size_t i = 0; i < count; i++) {
        struct tr_query_branch *branch = &lead->branches[i];
        *branch = (struct tr_query_branch){0};
        TR_TRY(tr_query_merge_open(&branch->merge, lead->ctx,
                                   &o->branches.items[i], o->after,
                                   o->work / count + 1, o->err));
        lead->count++;
        TR_TRY(step(branch, o->err));
    }
    return TR_OK;
}

tr_status tr_query_lead_open(struct tr_query_lead *lead,
                             const struct tr_graph_read_ctx *ctx,
                             const struct tr_query_filter *filter,
                             tr_rdf_id after, size_t work, struct tr_err *err)
{
    struct opening o = {.lead = lead,
                        .arena = ctx->arena,
                        .after = after,
                        .work = work,
                        .err = err};
    *lead = (struct tr_query_lead){.ctx = ctx, .filter = filter, .last = after};
    for (size_t i = 0; i < filter->root.count; i++) {
        const struct tr_query_cond *cond = &filter->root.parts[i];
        if (tr_query_cond_is_pair(cond) &&
            !tr_vec_push(o.arena, &o.shared, pair_of(cond, 0)))
            return fail_memory(err);
    }
    lead->pair_count = o.shared.count;
    TR_TRY(split(&o));
    return open_branches(&o);
}

void tr_query_lead_close(struct tr_query_lead *lead)
{
    for (size_t i = 0; i < lead->count; i++)
        tr_query_merge_close(&lead->branches[i].merge);
}

/* A branch that was cut is in the way when it comes first. */
static size_t first_branch(const struct tr_query_lead *lead)
{
    size_t first = 0;
    for (size_t i = 1; i < lead->count; i++) {
        tr_rdf_id a = lead->branches[i].head;
        tr_rdf_id b = lead->branches[first].head;
        if (a < b || (a == b && lead->branches[first].is_cut))
            first = i;
    }
    return first;
}

/* Steps over the last one, wherever it stands. */
static tr_status step_over(struct tr_query_lead *lead, struct tr_err *err)
{
    for (size_t i = 0; i < lead->count; i++) {
        struct tr_query_branch *branch = &lead->branches[i];
        if (branch->head == lead->last && !branch->is_cut)
            TR_TRY(step(branch, err));
    }
    return TR_OK;
}

static tr_status fits(const struct tr_query_lead *lead, tr_rdf_id node,
                      bool *out, struct tr_err *err)
{
    const struct tr_query_cond *root = &lead->filter->root;
    *out = true;
    for (size_t i = 0; i < root->count && *out; i++) {
        if (!tr_query_cond_is_pair(&root->parts[i]))
            TR_TRY(tr_query_cond_holds(lead->ctx, &root->parts[i], node, out,
                                       err));
    }
    return TR_OK;
}

tr_status tr_query_lead_next(struct tr_query_lead *lead, tr_rdf_id *out,
                             struct tr_err *err)
{
    bool is_match = false;
    *out = TR_RDF_ID_NONE;
    while (!is_match && lead->count) {
        if (lead->looked)
            TR_TRY(step_over(lead, err));
        lead->at = first_branch(lead);
        const struct tr_query_branch *branch = &lead->branches[lead->at];
        if (branch->head == TR_QUERY_WALK_END)
            return TR_OK;
        lead->last = branch->head;
        lead->is_cut = branch->is_cut;
        if (lead->is_cut)
            return TR_OK;
        lead->looked++;
        TR_TRY(fits(lead, lead->last, &is_match, err));
    }
    *out = is_match ? lead->last : TR_RDF_ID_NONE;
    return TR_OK;
}

bool tr_query_lead_label(const struct tr_query_lead *lead, tr_str *out)
{
    return tr_query_merge_label(&lead->branches[lead->at].merge, out);
}

bool tr_query_lead_leads(const struct tr_query_cond *cond)
{
    return tr_query_cond_is_pair(cond) || can_split(cond);
}
