#include "base/limits.h"
#include "base/vec.h"
#include "db/db.h"
#include "query/candidates.h"
#include "query/order.h"

tr_status tr_query_after(const struct tr_graph_read_ctx *ctx, tr_str iri,
                         tr_rdf_id *out, struct tr_err *err)
{
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, iri, out, err));
    return *out != TR_RDF_ID_NONE
               ? TR_OK
               : tr_fail(err, TR_E_NOT_FOUND,
                         "there is no node '%.*s' to go on from", TR_FMT(iri));
}

size_t tr_query_work(size_t asked)
{
    return asked && asked < TR_LIMIT_QUERY_WORK ? asked : TR_LIMIT_QUERY_WORK;
}

size_t tr_query_page_limit(size_t asked)
{
    if (asked == 0)
        return TR_LIMIT_PAGE_DEFAULT;
    return asked < TR_LIMIT_PAGE ? asked : TR_LIMIT_PAGE;
}

tr_status tr_query_name(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                        tr_str *out, struct tr_err *err)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(ctx->graph, id, &term, err));
    return tr_arena_copy(ctx->arena, term.text, out)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* Goes to where the page begins. */
static tr_status skip_matches(struct tr_query_lead *lead, size_t *skip,
                              struct tr_err *err)
{
    tr_rdf_id id = TR_RDF_ID_ANY;
    while (*skip > 0 && id != TR_RDF_ID_NONE) {
        TR_TRY(tr_query_lead_next(lead, &id, err));
        *skip -= id != TR_RDF_ID_NONE;
    }
    return TR_OK;
}

static tr_status add_match(const struct tr_query_lead *lead, tr_rdf_id id,
                           struct tr_query_page *out, struct tr_err *err)
{
    tr_str label;
    size_t at = out->count++;
    out->ids[at] = id;
    if (!out->labels || tr_graph_read_ctx_relabels(lead->ctx, id) ||
        !tr_query_lead_label(lead, &label))
        return TR_OK;
    return tr_arena_copy(lead->ctx->arena, label, &out->labels[at])
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* One more than fits tells whether there is a next page. */
static tr_status fill_page(struct tr_query_lead *lead, size_t limit,
                           struct tr_query_page *out, struct tr_err *err)
{
    const struct tr_graph_read_ctx *ctx = lead->ctx;
    tr_rdf_id id;
    TR_TRY(skip_matches(lead, &out->skip, err));
    TR_TRY(tr_query_lead_next(lead, &id, err));
    while (id != TR_RDF_ID_NONE && out->count < limit) {
        TR_TRY(add_match(lead, id, out, err));
        TR_TRY(tr_query_lead_next(lead, &id, err));
    }
    if (id != TR_RDF_ID_NONE)
        return tr_query_name(ctx, out->ids[out->count - 1], &out->next, err);
    return lead->is_cut ? tr_query_name(ctx, lead->last, &out->next, err)
                        : TR_OK;
}

/* The nodes of a short range, in the order of their ids. */
struct few {
    const struct tr_graph_read_ctx *ctx;
    tr_rdf_id after;
    TR_VEC(tr_rdf_id) ids;
};

static tr_status keep_id(void *context, tr_rdf_id node, bool *stop,
                         struct tr_err *err)
{
    struct few *few = context;
    (void)stop;
    if (node <= few->after || tr_vec_push(few->ctx->arena, &few->ids, node))
        return TR_OK;
    return tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

static tr_status page_of_few(struct tr_query_candidates *candidates,
                             tr_rdf_id after, size_t limit,
                             struct tr_query_page *out, struct tr_err *err)
{
    struct few few = {.ctx = candidates->ctx, .after = after};
    TR_TRY(tr_query_candidates_each(candidates, TR_LIMIT_QUERY_WORK, keep_id,
                                    &few, err));
    out->looked = candidates->looked;
    if (few.ids.count)
        qsort(few.ids.items, few.ids.count, sizeof(tr_rdf_id),
              tr_rdf_id_compare);
    size_t at = out->skip < few.ids.count ? out->skip : few.ids.count;
    out->skip -= at;
    while (at < few.ids.count && out->count < limit)
        out->ids[out->count++] = few.ids.items[at++];
    return at < few.ids.count && out->count
               ? tr_query_name(few.ctx, out->ids[out->count - 1], &out->next,
                               err)
               : TR_OK;
}

static tr_status page_by_id(struct tr_query_candidates *candidates,
                            tr_rdf_id after, size_t limit,
                            struct tr_query_page *out, struct tr_err *err)
{
    const struct tr_query *query = candidates->query;
    struct tr_query_lead lead;
    tr_status status =
        tr_query_lead_open(&lead, candidates->ctx, candidates->filter, after,
                           tr_query_work(query->max_work) + query->skip, err);
    if (status == TR_OK)
        status = fill_page(&lead, limit, out, err);
    tr_query_lead_close(&lead);
    out->looked = lead.looked;
    if (!candidates->leads)
        tr_query_note_slow(
            candidates->ctx,
            tr_query_missing_index(query, candidates->filter, NULL),
            lead.looked);
    return status;
}

tr_status tr_query_where(const struct tr_graph_read_ctx *ctx,
                         const struct tr_query *query,
                         struct tr_query_page *out, struct tr_err *err)
{
    size_t limit = tr_query_page_limit(query->limit);
    struct tr_query_filter filter;
    struct tr_query_candidates candidates = {
        .ctx = ctx, .query = query, .filter = &filter};
    tr_rdf_id after = TR_RDF_ID_NONE;
    *out = (struct tr_query_page){
        .ids = TR_NEW_ARRAY(ctx->arena, tr_rdf_id, limit), .skip = query->skip};
    if (query->with_labels)
        out->labels = TR_NEW_ARRAY(ctx->arena, tr_str, limit);
    if (!out->ids || (query->with_labels && !out->labels))
        return tr_fail(err, TR_E_NOMEM, "no memory for a page");
    TR_TRY(tr_query_check_shown(ctx, query, err));
    if (query->order.len)
        return tr_query_where_ordered(ctx, query, limit, out, err);
    TR_TRY(tr_query_filter_compile(ctx, query, &filter, err));
    if (query->after.len)
        TR_TRY(tr_query_after(ctx, query->after, &after, err));
    TR_TRY(tr_query_candidates_choose(&candidates, err));
    return candidates.is_few ? page_of_few(&candidates, after, limit, out, err)
                             : page_by_id(&candidates, after, limit, out, err);
}
