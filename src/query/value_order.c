#include "query/value_order.h"

#include "pack/key.h"

#include <stdlib.h>

/* A value, and what it is ordered by. */
struct ranked {
    tr_rdf_id id;
    bool is_literal;
    tr_rdf_term term;
    char text[TR_ROWS_ID_TEXT]; /* of `term`, where it stands in the id */
    tr_pack_key key;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->is_literal != y->is_literal)
        return x->is_literal ? 1 : -1;
    if (!x->is_literal)
        return (x->id > y->id) - (x->id < y->id);
    int order = tr_str_cmp(tr_pack_key_str(&x->key), tr_pack_key_str(&y->key));
    return order ? order : tr_rdf_term_cmp(&x->term, &y->term);
}

static tr_status rank(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                      struct ranked *out, struct tr_err *err)
{
    struct tr_pack_value value;
    out->id = id;
    TR_TRY(tr_graph_read_ctx_term(ctx, id, out->text, &out->term, err));
    out->is_literal = out->term.kind == TR_RDF_TERM_LITERAL;
    if (out->is_literal && tr_pack_value_of(&out->term, &value))
        tr_pack_key_make(&value, tr_rdf_xsd_type_of(out->term.datatype),
                         &out->key);
    return TR_OK;
}

static tr_rdf_id *id_at(tr_rdf_id *first, size_t stride, size_t at)
{
    return (tr_rdf_id *)(void *)((char *)first + at * stride);
}

tr_status tr_query_sort_values(const struct tr_graph_read_ctx *ctx,
                               tr_rdf_id *first, size_t stride, size_t count,
                               struct tr_err *err)
{
    if (count < 2)
        return TR_OK;
    struct ranked *all = TR_NEW_ARRAY(ctx->arena, struct ranked, count);
    if (!all)
        return tr_fail(err, TR_E_NOMEM, "no memory for values");
    for (size_t i = 0; i < count; i++)
        TR_TRY(rank(ctx, *id_at(first, stride, i), &all[i], err));
    qsort(all, count, sizeof(*all), compare);
    for (size_t i = 0; i < count; i++)
        *id_at(first, stride, i) = all[i].id;
    return TR_OK;
}
