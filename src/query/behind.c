/* From what refs lead to back to who refers, and from who refers along. */
#include "base/limits.h"
#include "base/vec.h"
#include "query/candidates.h"

/* Who has no value on the other side need not have another side: there is no
 * way to him. */
static bool may_lead(const struct tr_query_cond *cond)
{
    return cond->kind == TR_QUERY_COND_FIELD && cond->across.field &&
           !tr_query_cond_has(cond, TR_FIELD_FORM_ABSENT);
}

static tr_status choose(const struct tr_query_candidates *c,
                        const struct tr_query_cond *cond,
                        struct tr_query_behind *behind, struct tr_err *err)
{
    *behind = (struct tr_query_behind){
        .cond = cond,
        .own = *cond,
        .filter = {.root = {.kind = TR_QUERY_COND_ALL, .count = 1},
                   .type = c->filter->type,
                   .class = cond->is_target.o},
        .query = {.type = cond->target},
        .candidates = {.ctx = c->ctx},
    };
    behind->own.across.field = NULL;
    behind->own.is_back = false;
    behind->filter.root.parts = &behind->own;
    behind->candidates.query = &behind->query;
    behind->candidates.filter = &behind->filter;
    return tr_query_candidates_choose(&behind->candidates, err);
}

tr_status tr_query_behind_find(struct tr_query_candidates *c,
                               struct tr_err *err)
{
    const struct tr_query_cond *root = &c->filter->root;
    for (size_t i = 0; i < root->count && !c->behind; i++) {
        if (!may_lead(&root->parts[i]))
            continue;
        struct tr_query_behind *behind =
            TR_NEW(c->ctx->arena, struct tr_query_behind);
        if (!behind)
            return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
        TR_TRY(choose(c, &root->parts[i], behind, err));
        if (behind->candidates.leads || behind->candidates.stretch.index)
            c->behind = behind;
    }
    return TR_OK;
}

/* Going over from one node after the other. */
struct going {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query_cond *cond;
    size_t left; /* steps */
    bool is_cut;
    TR_VEC(tr_rdf_id) ids;
};

static tr_status go_over(void *context, tr_rdf_id node, bool *stop,
                         struct tr_err *err)
{
    struct going *g = context;
    bool from_subject = g->cond->is_back;
    tr_rdf_ids pattern = {from_subject ? node : TR_RDF_ID_ANY,
                          g->cond->across.p,
                          from_subject ? TR_RDF_ID_ANY : node, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    tr_rdf_graph_match(g->ctx->graph, pattern, &cursor);
    while (status == TR_OK && g->left && tr_rdf_cursor_next(&cursor, &row)) {
        g->left--;
        if (!tr_vec_push(g->ctx->arena, &g->ids, from_subject ? row.o : row.s))
            status = tr_fail(err, TR_E_NOMEM, "no memory for a filter");
    }
    *stop = g->is_cut = g->left == 0;
    return tr_rdf_cursor_end(&cursor, status, err);
}

tr_status tr_query_behind_collect(const struct tr_graph_read_ctx *ctx,
                                  struct tr_query_behind *behind, size_t work,
                                  struct tr_err *err)
{
    struct going g = {.ctx = ctx, .cond = behind->cond, .left = work};
    behind->count = 0;
    behind->is_whole = true;
    if (g.cond->across.p == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(
        tr_query_candidates_each(&behind->candidates, work, go_over, &g, err));
    behind->is_whole = !g.is_cut && !behind->candidates.is_cut;
    behind->ids = g.ids.items;
    behind->count = tr_graph_ids_sort(g.ids.items, g.ids.count);
    return TR_OK;
}

tr_status tr_query_behind_fits(const struct tr_query_candidates *c,
                               tr_rdf_id node, bool *out, struct tr_err *err)
{
    const struct tr_query_cond *root = &c->filter->root;
    tr_rdf_ids row = {node, c->filter->type.p, c->filter->class, TR_RDF_ID_ANY};
    *out = false;
    if (row.o != TR_RDF_ID_NONE)
        TR_TRY(tr_rdf_graph_has(c->ctx->graph, row, out, err));
    for (size_t i = 0; i < root->count && *out; i++) {
        if (&root->parts[i] != c->behind->cond)
            TR_TRY(
                tr_query_cond_holds(c->ctx, &root->parts[i], node, out, err));
    }
    return TR_OK;
}
