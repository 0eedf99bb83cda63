#include "query/measure.h"

#include "json/build.h"
#include "model/value_term.h"

#include <math.h>

static bool is_double(const struct tr_query_measuring *m)
{
    return m->slot.field->kind == TR_FIELD_NUMBER;
}

void tr_query_measure_begin(struct tr_query_measuring *m)
{
    m->count = 0;
    m->number = m->lost = 0;
    m->sum = (struct tr_query_sum){{0}};
}

static void add_double(struct tr_query_measuring *m, double value)
{
    double sum = m->number + value;
    bool is_larger = fabs(m->number) >= fabs(value);
    if (isfinite(sum))
        m->lost +=
            is_larger ? m->number - sum + value : value - sum + m->number;
    m->number = sum;
}

static tr_status take(struct tr_query_measuring *m,
                      const struct tr_query_value *value, struct tr_err *err)
{
    int order;
    m->count++;
    switch (m->kind) {
    case TR_QUERY_MIN:
    case TR_QUERY_MAX:
        order = m->count == 1 ? 0 : tr_query_value_cmp(value, &m->best);
        if (m->count == 1 || (m->kind == TR_QUERY_MIN ? order < 0 : order > 0))
            m->best = *value;
        return TR_OK;
    default:
        break;
    }
    if (is_double(m))
        add_double(m, value->xsd.as.number);
    else if (!tr_query_sum_add(&m->sum, &value->xsd.as.decimal))
        return tr_fail(err, TR_E_LIMIT, "%.*s has a value of too many digits",
                       TR_FMT(m->slot.field->name));
    return TR_OK;
}

tr_status tr_query_measure_node(const struct tr_graph_read_ctx *ctx,
                                struct tr_query_measuring *m, tr_rdf_id node,
                                struct tr_err *err)
{
    struct tr_query_value value;
    bool found;
    TR_TRY(tr_query_value_read(ctx, node, m->slot, &found, &value, err));
    return found ? take(m, &value, err) : TR_OK;
}

static tr_status number_json(const struct tr_graph_read_ctx *ctx, double number,
                             struct tr_json *out, struct tr_err *err)
{
    char text[TR_JSON_DOUBLE_TEXT_MAX];
    tr_str copy;
    if (!isfinite(number))
        return TR_OK;
    size_t len = tr_json_double_write(number, text);
    if (!tr_arena_copy(ctx->arena, (tr_str){text, len}, &copy))
        return tr_fail(err, TR_E_NOMEM, "no memory for a measure");
    *out = tr_json_make_text(TR_JSON_NUMBER, copy);
    return TR_OK;
}

/* The exact sum, as a value of the field. */
static tr_status exact_json(const struct tr_graph_read_ctx *ctx,
                            struct tr_query_measuring *m, struct tr_json *out,
                            struct tr_err *err)
{
    char text[TR_QUERY_SUM_TEXT];
    char room[TR_QUERY_SUM_TEXT];
    struct tr_buf sum;
    struct tr_buf canonical;
    tr_buf_init_fixed(&sum, text, sizeof(text));
    tr_buf_init_fixed(&canonical, room, sizeof(room));
    tr_query_sum_write(&m->sum, &sum);
    tr_json_decimal decimal = tr_json_decimal_of(tr_buf_str(&sum));
    if (m->kind == TR_QUERY_AVG)
        return number_json(ctx,
                           tr_rdf_xsd_decimal_to_double(&decimal, false) /
                               (double)m->count,
                           out, err);
    tr_rdf_xsd_decimal_write(&canonical, &decimal);
    TR_TRY(tr_buf_check(&canonical, err));
    tr_rdf_term term = tr_rdf_term_typed(
        tr_buf_str(&canonical), tr_model_kind_datatype(m->slot.field->kind));
    return tr_model_value_from_term(m->slot.field, &term, ctx->arena, out, err);
}

tr_status tr_query_measure_end(const struct tr_graph_read_ctx *ctx,
                               struct tr_query_measuring *m,
                               struct tr_json *out, struct tr_err *err)
{
    *out = (struct tr_json){.kind = TR_JSON_NULL};
    if (m->count == 0)
        return TR_OK;
    if (m->kind == TR_QUERY_MIN || m->kind == TR_QUERY_MAX)
        return tr_model_value_from_term(m->slot.field, &m->best.xsd.term,
                                        ctx->arena, out, err);
    if (!is_double(m))
        return exact_json(ctx, m, out, err);
    double sum = m->number + (isfinite(m->number) ? m->lost : 0);
    return number_json(
        ctx, m->kind == TR_QUERY_AVG ? sum / (double)m->count : sum, out, err);
}
