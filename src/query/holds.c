/* Conditions, asked of one node: as the call sees it. */
#include "base/limits.h"
#include "query/filter.h"

#define VALUE_FORMS                                                            \
    (~(1u << TR_FIELD_FORM_PRESENT | 1u << TR_FIELD_FORM_ABSENT))

struct asking {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query_cond *cond;
    bool has_any; /* a value was met */
    bool fits;    /* and one that fits */
};

static bool is_choice(const struct tr_query_cond *cond,
                      const struct tr_query_value *value)
{
    for (size_t i = 0; i < cond->choice_count; i++) {
        if (tr_query_value_cmp(value, &cond->choices[i]) == 0)
            return true;
    }
    return false;
}

static bool is_within(const struct tr_query_cond *cond,
                      const struct tr_query_value *value)
{
    for (int form = 0; form <= TR_FIELD_FORM_BELOW; form++) {
        if (!tr_query_cond_has(cond, (enum tr_field_form)form))
            continue;
        if (!tr_query_value_has_place(value))
            return false;
        int order = tr_query_value_cmp(value, &cond->bounds[form]);
        bool fits = form == TR_FIELD_FORM_MIN     ? order >= 0
                    : form == TR_FIELD_FORM_MAX   ? order <= 0
                    : form == TR_FIELD_FORM_ABOVE ? order > 0
                                                  : order < 0;
        if (!fits)
            return false;
    }
    return true;
}

static tr_status ask_value(struct asking *a, tr_rdf_id id, struct tr_err *err)
{
    const struct tr_query_cond *cond = a->cond;
    char text[TR_GRAPH_ID_TEXT];
    struct tr_query_value value;
    tr_rdf_term term;
    a->has_any = true;
    if (!(cond->forms & VALUE_FORMS)) {
        a->fits = true;
        return TR_OK;
    }
    TR_TRY(tr_graph_read_ctx_term(a->ctx, id, text, &term, err));
    if (!tr_query_value_of(cond->slot.field, &term, &value))
        return TR_OK;
    value.id = id;
    a->fits = is_within(cond, &value) &&
              (!tr_query_cond_has(cond, TR_FIELD_FORM_ONE_OF) ||
               is_choice(cond, &value)) &&
              (!tr_query_cond_has(cond, TR_FIELD_FORM_PREFIX) ||
               tr_str_starts(term.text, cond->prefix));
    return TR_OK;
}

/* Where the terms are known the values need not be read. */
static tr_status ask_ids(struct asking *a, tr_rdf_id node, struct tr_err *err)
{
    const struct tr_query_cond *cond = a->cond;
    for (size_t i = 0; i < cond->choice_count && !a->fits; i++) {
        tr_rdf_ids row = {node, cond->slot.p, cond->choices[i].id,
                          TR_RDF_ID_ANY};
        if (row.o != TR_RDF_ID_NONE)
            TR_TRY(tr_rdf_graph_has(a->ctx->graph, row, &a->fits, err));
    }
    return TR_OK;
}

static tr_status ask_values(struct asking *a, tr_rdf_id node,
                            struct tr_err *err)
{
    const struct tr_query_cond *cond = a->cond;
    tr_rdf_ids pattern = {node, cond->slot.p, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    if (cond->slot.p == TR_RDF_ID_NONE)
        return TR_OK;
    if (cond->forms == 1u << TR_FIELD_FORM_ONE_OF && cond->choice_count < 4 &&
        tr_query_value_has_one_id(cond->slot.field))
        return ask_ids(a, node, err);
    tr_rdf_graph_match(a->ctx->graph, pattern, &cursor);
    while (status == TR_OK && !a->fits && tr_rdf_cursor_next(&cursor, &row))
        status = ask_value(a, row.o, err);
    return tr_rdf_cursor_end(&cursor, status, err);
}

/* What a ref leads to counts when it is of the ref's type, and so does who
 * refers by one. */
static tr_status ask_behind(struct asking *a, tr_rdf_id node,
                            struct tr_err *err)
{
    struct asking behind = {.ctx = a->ctx, .cond = a->cond};
    tr_rdf_ids row = a->cond->is_target;
    bool is_there = false;
    row.s = node;
    TR_TRY(ask_values(&behind, node, err));
    if (behind.has_any || behind.fits)
        TR_TRY(tr_rdf_graph_has(a->ctx->graph, row, &is_there, err));
    a->has_any |= is_there && behind.has_any;
    a->fits |= is_there && behind.fits;
    return TR_OK;
}

/* The first one costs no more than a value of the node itself. */
static tr_status count_step(const struct tr_query_cond *cond, size_t seen,
                            struct tr_err *err)
{
    if (seen == 0 || (*cond->left)--)
        return TR_OK;
    *cond->left = 0;
    return tr_fail(err, TR_E_LIMIT,
                   "%.*s has to be looked at for more than %zu nodes: narrow "
                   "the filter",
                   TR_FMT(cond->name), TR_LIMIT_QUERY_WORK);
}

static tr_status ask_across(struct asking *a, tr_rdf_id node,
                            struct tr_err *err)
{
    const struct tr_query_cond *cond = a->cond;
    tr_rdf_ids pattern = {cond->is_back ? TR_RDF_ID_ANY : node, cond->across.p,
                          cond->is_back ? node : TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    if (pattern.p == TR_RDF_ID_NONE)
        return TR_OK;
    tr_rdf_graph_match(a->ctx->graph, pattern, &cursor);
    for (size_t seen = 0;
         status == TR_OK && !a->fits && tr_rdf_cursor_next(&cursor, &row);
         seen++) {
        tr_rdf_id other = cond->is_back ? row.s : row.o;
        status = count_step(cond, seen, err);
        if (status == TR_OK && !tr_graph_id_is_literal(other))
            status = ask_behind(a, other, err);
    }
    return tr_rdf_cursor_end(&cursor, status, err);
}

static tr_status ask_field(const struct tr_graph_read_ctx *ctx,
                           const struct tr_query_cond *cond, tr_rdf_id node,
                           bool *out, struct tr_err *err)
{
    struct asking a = {.ctx = ctx, .cond = cond};
    TR_TRY(cond->across.field ? ask_across(&a, node, err)
                              : ask_values(&a, node, err));
    *out = tr_query_cond_has(cond, TR_FIELD_FORM_ABSENT)
               ? !a.has_any && cond->forms == 1u << TR_FIELD_FORM_ABSENT
               : a.fits;
    return TR_OK;
}

tr_status tr_query_cond_holds(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query_cond *cond, tr_rdf_id node,
                              bool *out, struct tr_err *err)
{
    bool is_any = cond->kind == TR_QUERY_COND_ANY;
    if (cond->kind == TR_QUERY_COND_FIELD)
        return ask_field(ctx, cond, node, out, err);
    *out = !is_any;
    for (size_t i = 0; i < cond->count && *out != is_any; i++)
        TR_TRY(tr_query_cond_holds(ctx, &cond->parts[i], node, out, err));
    return TR_OK;
}
