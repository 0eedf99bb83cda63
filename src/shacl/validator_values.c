#include "rdf/iri.h"
#include "shacl/validator_inside.h"

static tr_status check_count(struct tr_shacl_validation *v,
                             const struct tr_shacl_frame *frame)
{
    const struct tr_shacl_constraint *c = frame->constraint;
    size_t count = frame->values.count;
    bool holds = c->component == TR_SHACL_MIN_COUNT ? count >= c->number
                                                    : count <= c->number;
    return holds ? TR_OK : tr_shacl_validation_found(v, frame, TR_RDF_ID_NONE);
}

static tr_status language_of(struct tr_shacl_validation *v,
                             struct tr_shacl_span values, size_t i, tr_str *out)
{
    const tr_rdf_term *term;
    TR_TRY(
        tr_shacl_validation_look_up(v, tr_shacl_value_at(v, values, i), &term));
    *out = term->kind == TR_RDF_TERM_LITERAL ? term->language : (tr_str){0};
    return TR_OK;
}

/* How many values before and after the i-th have its language. */
static tr_status count_language(struct tr_shacl_validation *v,
                                struct tr_shacl_span values, size_t i,
                                size_t counts[2])
{
    tr_str own;
    counts[0] = counts[1] = 0;
    TR_TRY(language_of(v, values, i, &own));
    for (size_t j = 0; j < values.count && own.len; j++) {
        tr_str other;
        TR_TRY(language_of(v, values, j, &other));
        if (j != i && tr_rdf_language_eq(own, other))
            counts[j > i]++;
    }
    return tr_shacl_validation_spend(v, values.count);
}

/* SHACL 4.4.5: one result for each language that occurs more than once. */
static tr_status check_unique_lang(struct tr_shacl_validation *v,
                                   const struct tr_shacl_frame *frame)
{
    for (size_t i = 0;
         i < frame->values.count && !tr_shacl_validation_is_settled(v); i++) {
        size_t counts[2];
        TR_TRY(count_language(v, frame->values, i, counts));
        if (counts[0] == 0 && counts[1] > 0)
            TR_TRY(tr_shacl_validation_found(v, frame, TR_RDF_ID_NONE));
    }
    return TR_OK;
}

/* The values of the constraint's predicate at the focus node, on the stack. */
static tr_status push_others(struct tr_shacl_validation *v,
                             const struct tr_shacl_frame *frame,
                             struct tr_shacl_span *out)
{
    size_t base = tr_shacl_stack_top(v);
    TR_TRY(tr_shacl_validation_push_objects(
        v, frame->focus, v->ids[frame->constraint->term], false));
    TR_TRY(tr_shacl_stack_unique(v, base));
    *out = tr_shacl_span_from(v, base);
    return TR_OK;
}

/* Reports each of `values` that is in the set, or that is not. */
static tr_status report_each(struct tr_shacl_validation *v,
                             const struct tr_shacl_frame *frame,
                             struct tr_shacl_span values,
                             const struct tr_rdf_id_hash *set, bool when_in)
{
    for (size_t i = 0; i < values.count && !tr_shacl_validation_is_settled(v);
         i++) {
        tr_rdf_id value = tr_shacl_value_at(v, values, i);
        if (tr_rdf_id_hash_has(set, value) == when_in)
            TR_TRY(tr_shacl_validation_found(v, frame, value));
    }
    return tr_shacl_validation_spend(v, values.count);
}

/* Reports those of `values` that are (not) in `others`. */
static tr_status report_against(struct tr_shacl_validation *v,
                                const struct tr_shacl_frame *frame,
                                struct tr_shacl_span values,
                                struct tr_shacl_span others, bool when_in)
{
    struct tr_rdf_id_hash set;
    tr_rdf_id_hash_init(&set);
    tr_status status = tr_shacl_span_to_set(v, others, &set);
    if (status == TR_OK)
        status = report_each(v, frame, values, &set, when_in);
    tr_rdf_id_hash_done(&set);
    return status;
}

/* SHACL 4.5.1. */
static tr_status check_equals(struct tr_shacl_validation *v,
                              const struct tr_shacl_frame *frame)
{
    struct tr_shacl_span others;
    TR_TRY(push_others(v, frame, &others));
    TR_TRY(report_against(v, frame, frame->values, others, false));
    return report_against(v, frame, others, frame->values, false);
}

/* SHACL 4.5.2. */
static tr_status check_disjoint(struct tr_shacl_validation *v,
                                const struct tr_shacl_frame *frame)
{
    struct tr_shacl_span others;
    TR_TRY(push_others(v, frame, &others));
    return report_against(v, frame, frame->values, others, true);
}

static tr_status is_less(struct tr_shacl_validation *v,
                         const struct tr_shacl_frame *frame, tr_rdf_id a,
                         tr_rdf_id b, bool *out)
{
    tr_rdf_term x;
    tr_rdf_term y;
    TR_TRY(tr_shacl_validation_term(v, a, &x, v->err));
    TR_TRY(tr_shacl_validation_term(v, b, &y, v->err));
    *out = false;
    if (x.kind != TR_RDF_TERM_LITERAL || y.kind != TR_RDF_TERM_LITERAL)
        return TR_OK;
    enum tr_rdf_xsd_order order = tr_rdf_xsd_compare_terms(&x, &y);
    *out = order == TR_RDF_XSD_LESS ||
           (order == TR_RDF_XSD_EQUAL &&
            frame->constraint->component == TR_SHACL_LESS_THAN_OR_EQUALS);
    return TR_OK;
}

/* SHACL 4.5.3 and 4.5.4: a result for each pair that is not in order. */
static tr_status check_less(struct tr_shacl_validation *v,
                            const struct tr_shacl_frame *frame)
{
    struct tr_shacl_span others;
    TR_TRY(push_others(v, frame, &others));
    for (size_t i = 0; i < frame->values.count * others.count; i++) {
        tr_rdf_id value = tr_shacl_value_at(v, frame->values, i / others.count);
        bool holds = false;
        TR_TRY(is_less(v, frame, value,
                       tr_shacl_value_at(v, others, i % others.count), &holds));
        if (!holds)
            TR_TRY(tr_shacl_validation_found(v, frame, value));
        TR_TRY(tr_shacl_validation_spend(v, 1));
    }
    return TR_OK;
}

/* SHACL 4.8.2. */
static tr_status check_has_value(struct tr_shacl_validation *v,
                                 const struct tr_shacl_frame *frame)
{
    tr_rdf_id wanted = v->ids[frame->constraint->term];
    for (size_t i = 0; i < frame->values.count; i++) {
        if (tr_shacl_value_at(v, frame->values, i) == wanted)
            return TR_OK;
    }
    return tr_shacl_validation_found(v, frame, TR_RDF_ID_NONE);
}

static tr_status conforms_to_none(struct tr_shacl_validation *v,
                                  const uint32_t *shapes, size_t count,
                                  tr_rdf_id node, bool *out)
{
    bool conforms = false;
    for (size_t i = 0; i < count && !conforms; i++)
        TR_TRY(tr_shacl_conforms(v, shapes[i], node, &conforms));
    *out = !conforms;
    return TR_OK;
}

/* SHACL 4.7.3. */
static tr_status check_qualified(struct tr_shacl_validation *v,
                                 const struct tr_shacl_frame *frame)
{
    const struct tr_shacl_constraint *c = frame->constraint;
    size_t count = 0;
    for (size_t i = 0; i < frame->values.count; i++) {
        tr_rdf_id value = tr_shacl_value_at(v, frame->values, i);
        bool counts = false;
        TR_TRY(tr_shacl_conforms(v, c->shapes[0], value, &counts));
        if (counts)
            TR_TRY(conforms_to_none(v, c->siblings, c->sibling_count, value,
                                    &counts));
        count += counts;
    }
    bool holds = c->component == TR_SHACL_QUALIFIED_MIN ? count >= c->number
                                                        : count <= c->number;
    return holds ? TR_OK : tr_shacl_validation_found(v, frame, TR_RDF_ID_NONE);
}

/* SHACL 4.7.2: the results are those of the property shape itself. */
static tr_status check_property(struct tr_shacl_validation *v,
                                const struct tr_shacl_frame *frame)
{
    for (size_t i = 0;
         i < frame->values.count && !tr_shacl_validation_is_settled(v); i++)
        TR_TRY(tr_shacl_check_shape(v, frame->constraint->shapes[0],
                                    tr_shacl_value_at(v, frame->values, i)));
    return TR_OK;
}

static bool is_allowed(const struct tr_shacl_validation *v,
                       const struct tr_shacl_constraint *c, tr_rdf_id predicate)
{
    for (size_t i = 0; i < c->term_count; i++) {
        if (v->ids[c->terms[i]] == predicate)
            return true;
    }
    return false;
}

/* Pushes predicate and object of each row that is not allowed. */
static tr_status push_forbidden(struct tr_shacl_validation *v,
                                const struct tr_shacl_constraint *c,
                                tr_rdf_id node)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_status status = TR_OK;
    tr_rdf_graph_match(v->graph,
                       (tr_rdf_ids){node, TR_RDF_ID_ANY, TR_RDF_ID_ANY, v->in},
                       &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        status = tr_shacl_validation_spend(v, 1);
        if (status != TR_OK || is_allowed(v, c, row.p))
            continue;
        status = tr_shacl_stack_push(v, row.p);
        if (status == TR_OK)
            status = tr_shacl_stack_push(v, row.o);
    }
    tr_status closed =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? v->err : NULL);
    return status != TR_OK ? status : closed;
}

/* A triple that is in two graphs is one triple. */
static bool was_before(const struct tr_shacl_validation *v,
                       struct tr_shacl_span rows, size_t i)
{
    for (size_t j = 0; v->in == TR_RDF_ID_ANY && j < i; j += 2) {
        if (tr_shacl_value_at(v, rows, j) == tr_shacl_value_at(v, rows, i) &&
            tr_shacl_value_at(v, rows, j + 1) ==
                tr_shacl_value_at(v, rows, i + 1))
            return true;
    }
    return false;
}

/* SHACL 4.8.1: a result for each triple. */
static tr_status check_closed(struct tr_shacl_validation *v,
                              const struct tr_shacl_frame *frame)
{
    for (size_t i = 0; i < frame->values.count; i++) {
        size_t base = tr_shacl_stack_top(v);
        tr_rdf_id node = tr_shacl_value_at(v, frame->values, i);
        if (tr_shacl_id_is_local(node))
            continue;
        TR_TRY(push_forbidden(v, frame->constraint, node));
        struct tr_shacl_span rows = tr_shacl_span_from(v, base);
        for (size_t j = 0; j < rows.count; j += 2) {
            TR_TRY(tr_shacl_validation_spend(v, j / 32));
            if (!was_before(v, rows, j))
                TR_TRY(tr_shacl_validation_found_row(
                    v, frame, tr_shacl_value_at(v, rows, j),
                    tr_shacl_value_at(v, rows, j + 1)));
        }
        tr_shacl_stack_cut(v, base);
    }
    return TR_OK;
}

tr_status tr_shacl_check_values(struct tr_shacl_validation *v,
                                const struct tr_shacl_frame *frame)
{
    typedef tr_status check_fn(struct tr_shacl_validation *,
                               const struct tr_shacl_frame *);
    static check_fn *const checks[TR_SHACL_COMPONENTS] = {
        [TR_SHACL_MIN_COUNT] = check_count,
        [TR_SHACL_MAX_COUNT] = check_count,
        [TR_SHACL_UNIQUE_LANG] = check_unique_lang,
        [TR_SHACL_EQUALS] = check_equals,
        [TR_SHACL_DISJOINT] = check_disjoint,
        [TR_SHACL_LESS_THAN] = check_less,
        [TR_SHACL_LESS_THAN_OR_EQUALS] = check_less,
        [TR_SHACL_HAS_VALUE] = check_has_value,
        [TR_SHACL_QUALIFIED_MIN] = check_qualified,
        [TR_SHACL_QUALIFIED_MAX] = check_qualified,
        [TR_SHACL_PROPERTY] = check_property,
        [TR_SHACL_CLOSED] = check_closed,
    };
    size_t base = tr_shacl_stack_top(v);
    TR_TRY(checks[frame->constraint->component](v, frame));
    tr_shacl_stack_cut(v, base);
    return TR_OK;
}
