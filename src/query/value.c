#include "query/value.h"

#include "model/value_term.h"

#include <math.h>

/* A time keeps the offset that it was given with. */
bool tr_query_value_has_one_id(const struct tr_field *field)
{
    return field->kind != TR_FIELD_DATETIME;
}

bool tr_query_value_of(const struct tr_field *field, const tr_rdf_term *term,
                       struct tr_query_value *out)
{
    out->is_iri = term->kind != TR_RDF_TERM_LITERAL;
    out->id = TR_RDF_ID_NONE;
    out->xsd.term = *term;
    if (field->kind == TR_FIELD_REF || out->is_iri)
        return field->kind == TR_FIELD_REF && out->is_iri;
    return tr_str_eq(term->datatype, tr_model_kind_datatype(field->kind)) &&
           tr_rdf_xsd_parse(term, &out->xsd);
}

static int compare_i64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Fractions have no trailing zeros. */
static int compare_parts(int64_t a, tr_str a_rest, int64_t b, tr_str b_rest)
{
    return a != b ? compare_i64(a, b) : tr_str_cmp(a_rest, b_rest);
}

/* What cannot be calculated with stands at the ends. */
static int compare_huge(bool a, bool a_below, bool b, bool b_below)
{
    int x = a ? (a_below ? -1 : 1) : 0;
    int y = b ? (b_below ? -1 : 1) : 0;
    return compare_i64(x, y);
}

/* Without a zone as if in UTC, and before that. */
static int compare_moments(const tr_rdf_xsd_moment *a,
                           const tr_rdf_xsd_moment *b)
{
    if (a->is_huge || b->is_huge)
        return compare_huge(a->is_huge, a->year < 0, b->is_huge, b->year < 0);
    int order = compare_parts(a->seconds, a->fraction, b->seconds, b->fraction);
    return order ? order : a->has_zone - b->has_zone;
}

static int compare_durations(const tr_rdf_xsd_duration *a,
                             const tr_rdf_xsd_duration *b)
{
    if (a->is_huge || b->is_huge)
        return compare_huge(a->is_huge, a->is_negative, b->is_huge,
                            b->is_negative);
    if (a->is_negative != b->is_negative)
        return a->is_negative ? -1 : 1;
    int order = compare_parts(a->seconds, a->fraction, b->seconds, b->fraction);
    return a->is_negative ? -order : order;
}

/* What is no number is the greatest. */
static int compare_doubles(double a, double b)
{
    if (a != a || b != b)
        return (a != a) - (b != b);
    return (a > b) - (a < b);
}

static int compare_same_type(const tr_rdf_xsd_value *a,
                             const tr_rdf_xsd_value *b)
{
    switch (a->type) {
    case TR_RDF_XSD_BOOLEAN:
        return a->as.boolean - b->as.boolean;
    case TR_RDF_XSD_DOUBLE:
        return compare_doubles(a->as.number, b->as.number);
    case TR_RDF_XSD_INTEGER:
    case TR_RDF_XSD_DECIMAL:
        return tr_json_decimal_cmp(a->as.decimal, b->as.decimal);
    case TR_RDF_XSD_DATE_TIME:
    case TR_RDF_XSD_DATE:
    case TR_RDF_XSD_TIME:
        return compare_moments(&a->as.moment, &b->as.moment);
    case TR_RDF_XSD_DAY_TIME_DURATION:
    case TR_RDF_XSD_DURATION:
        return compare_durations(&a->as.duration, &b->as.duration);
    default:
        return tr_str_cmp(a->term.text, b->term.text);
    }
}

int tr_query_value_cmp(const struct tr_query_value *a,
                       const struct tr_query_value *b)
{
    if (a->is_iri && a->id != TR_RDF_ID_NONE && b->id != TR_RDF_ID_NONE)
        return tr_rdf_id_compare(&a->id, &b->id);
    if (a->is_iri)
        return tr_str_cmp(a->xsd.term.text, b->xsd.term.text);
    return compare_same_type(&a->xsd, &b->xsd);
}

bool tr_query_value_has_place(const struct tr_query_value *value)
{
    if (value->is_iri)
        return true;
    switch (value->xsd.type) {
    case TR_RDF_XSD_DOUBLE:
        return !isnan(value->xsd.as.number);
    case TR_RDF_XSD_DATE_TIME:
    case TR_RDF_XSD_DATE:
        return !value->xsd.as.moment.is_huge;
    case TR_RDF_XSD_DAY_TIME_DURATION:
        return !value->xsd.as.duration.is_huge;
    default:
        return true;
    }
}

/* A term whose text lives until the end of the job, or in the arena. */
static tr_status keep_term(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                           tr_rdf_term *out, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    TR_TRY(tr_graph_read_ctx_term(ctx, id, text, out, err));
    if (out->text.ptr != text ||
        tr_arena_copy(ctx->arena, out->text, &out->text))
        return TR_OK;
    return tr_fail(err, TR_E_NOMEM, "no memory for a value");
}

/* Takes the value of a row when it is less than what was found so far. */
static tr_status offer(const struct tr_graph_read_ctx *ctx,
                       const struct tr_field *field, tr_rdf_id id, bool *found,
                       struct tr_query_value *least, struct tr_err *err)
{
    struct tr_query_value value;
    tr_rdf_term term;
    if (*found && least->id == id)
        return TR_OK;
    TR_TRY(keep_term(ctx, id, &term, err));
    if (!tr_query_value_of(field, &term, &value))
        return TR_OK;
    value.id = id;
    if (!*found || tr_query_value_cmp(&value, least) < 0)
        *least = value;
    *found = true;
    return TR_OK;
}

tr_status tr_query_value_read(const struct tr_graph_read_ctx *ctx,
                              tr_rdf_id node, struct tr_query_slot slot,
                              bool *found, struct tr_query_value *out,
                              struct tr_err *err)
{
    tr_rdf_ids pattern = {node, slot.p, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    *found = false;
    if (slot.p == TR_RDF_ID_NONE)
        return TR_OK;
    tr_rdf_graph_match(ctx->graph, pattern, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = offer(ctx, slot.field, row.o, found, out, err);
    return tr_rdf_cursor_end(&cursor, status, err);
}

static tr_status offer_key(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                           struct tr_query_key *least, struct tr_err *err)
{
    struct tr_key key;
    tr_rdf_term term;
    key.len = 0;
    TR_TRY(keep_term(ctx, id, &term, err));
    tr_key_put(&key, &term, id, false);
    if (least->is_there &&
        tr_str_cmp(tr_key_str(&key), tr_key_str(&least->key)) >= 0)
        return TR_OK;
    memcpy(least->key.bytes, key.bytes, key.len);
    least->key.len = key.len;
    least->term = term;
    least->is_there = true;
    return TR_OK;
}

tr_status tr_query_key_read(const struct tr_graph_read_ctx *ctx, tr_rdf_id node,
                            struct tr_query_slot slot, struct tr_query_key *out,
                            struct tr_err *err)
{
    tr_rdf_ids pattern = {node, slot.p, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    out->is_there = false;
    out->key.len = 0;
    if (slot.p != TR_RDF_ID_NONE) {
        tr_rdf_graph_match(ctx->graph, pattern, &cursor);
        while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
            status = offer_key(ctx, row.o, out, err);
        TR_TRY(tr_rdf_cursor_end(&cursor, status, err));
    }
    if (!out->is_there)
        tr_key_put(&out->key, NULL, 0, false);
    return TR_OK;
}
