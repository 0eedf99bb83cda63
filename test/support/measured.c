#include "support/measured.h"

#include "base/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool measured_can(enum tr_query_measure_kind kind, const struct tr_field *field)
{
    bool is_number = tr_field_has(field, TR_FIELD_IS_NUMBER) ||
                     field->kind == TR_FIELD_DECIMAL;
    if (kind == TR_QUERY_SUM || kind == TR_QUERY_AVG)
        return is_number && !field->many && !field->list;
    return tr_field_is_ordered(field);
}

/* What there is to be measured -------------------------------------------- */

struct found {
    struct kind_value value;
    tr_rdf_id id;
};

/* The value that a node has, if it is one of the field's kind. */
static bool find_value(const struct tr_graph_read_ctx *ctx,
                       const struct tr_field *field, tr_rdf_id node,
                       struct found *out)
{
    struct asked_values values = asked_values_of(ctx, node, field);
    for (size_t i = 0; i < values.count; i++) {
        const tr_rdf_term *term = &values.terms[i];
        out->id = values.ids[i];
        out->value = (struct kind_value){.text = term->text};
        if (field->kind == TR_FIELD_REF
                ? term->kind == TR_RDF_TERM_IRI
                : kind_value_find(field->kind, term, &out->value))
            return true;
    }
    return false;
}

/* The least and the greatest ---------------------------------------------- */

static bool is_less(const struct tr_field *field, const struct found *a,
                    const struct found *b)
{
    return field->kind == TR_FIELD_REF ? a->id < b->id
                                       : a->value.rank < b->value.rank;
}

static void check_end(const struct tr_field *field, const struct found *best,
                      const struct tr_json *got, const char *row)
{
    struct kind_value shown;
    if (field->kind == TR_FIELD_REF) {
        CHECK_ROW(tr_str_eq(tr_json_text(got), best->value.text), row);
        return;
    }
    CHECK_ROW(kind_value_read(field->kind, got, &shown), row);
    CHECK_ROW(shown.rank == best->value.rank, row);
}

/* Sums -------------------------------------------------------------------- */

/* Of decimals, by their digits: so many behind the point, and before it. */
enum { BEHIND = 30, COLUMNS = 120 };

struct columns {
    int digits[COLUMNS];
};

static void add_decimal(struct columns *sum, tr_str text)
{
    int sign = text.ptr[0] == '-' ? -1 : 1;
    const char *point = memchr(text.ptr, '.', text.len);
    size_t at = point ? (size_t)(point - text.ptr) : text.len;
    for (size_t i = 0; i < text.len; i++) {
        size_t column = BEHIND + at - i - (i < at);
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            continue;
        if (column < COLUMNS)
            sum->digits[column] += sign * (text.ptr[i] - '0');
        else
            tr_test_fail("a column", "", __FILE__, __LINE__);
    }
}

/* Has each column carry over; *sign is that of the sum. */
static void carry(struct columns *sum, int *sign)
{
    size_t top = COLUMNS - 1;
    while (top > 0 && sum->digits[top] == 0)
        top--;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i + 1 < COLUMNS; i++) {
            int over = sum->digits[i] / 10 - (sum->digits[i] % 10 < 0);
            sum->digits[i] -= 10 * over;
            sum->digits[i + 1] += over;
        }
        *sign = round ? -1 : 1;
        if (sum->digits[COLUMNS - 1] >= 0)
            return;
        for (size_t i = 0; i < COLUMNS; i++)
            sum->digits[i] = -sum->digits[i];
    }
}

/* 12, -0.5: without zeros that say nothing. */
static void write_sum(struct columns *sum, char text[COLUMNS + 4])
{
    int sign;
    size_t least = 0;
    size_t top = COLUMNS - 1;
    carry(sum, &sign);
    while (least < BEHIND && sum->digits[least] == 0)
        least++;
    while (top > BEHIND && sum->digits[top] == 0)
        top--;
    if (sign < 0)
        *text++ = '-';
    for (size_t i = top + 1; i-- > least;) {
        if (i + 1 == BEHIND)
            *text++ = '.';
        *text++ = (char)('0' + sum->digits[i]);
    }
    *text = '\0';
}

static double double_of(tr_str text)
{
    char copy[COLUMNS + 4] = "";
    CHECK(text.len < sizeof(copy));
    memcpy(copy, text.ptr, text.len);
    return strtod(copy, NULL);
}

/* What is gathered on the way. */
struct gathered {
    struct found best;
    struct columns exact;
    long double sum;
    long double size; /* of all of it without signs */
    size_t count;
};

static void check_exact(enum tr_query_measure_kind kind, struct gathered *all,
                        const struct tr_json *got, const char *row)
{
    char text[COLUMNS + 4];
    write_sum(&all->exact, text);
    if (kind == TR_QUERY_SUM) {
        CHECK_ROW(tr_str_eq(tr_json_text(got), tr_str_from(text)), row);
        return;
    }
    double average = strtod(text, NULL) / (double)all->count;
    double shown = double_of(tr_json_text(got));
    CHECK_ROW(shown >= average && shown <= average, row);
}

/* Of doubles there is no exact sum; and none that JSON has, where one is not
 * finite. */
static void check_double(enum tr_query_measure_kind kind,
                         const struct gathered *all, const struct tr_json *got,
                         const char *row)
{
    long double share = kind == TR_QUERY_AVG ? (long double)all->count : 1;
    if (!isfinite(all->size)) {
        CHECK_ROW(got->kind == TR_JSON_NULL, row);
        return;
    }
    CHECK_ROW(got->kind == TR_JSON_NUMBER, row);
    long double off =
        all->sum / share - (long double)double_of(tr_json_text(got));
    /* The smallest doubles are so far apart that half of one is none. */
    CHECK_ROW(fabsl(off) <= all->size * 1e-15L + DBL_TRUE_MIN / 2.0L, row);
}

static void gather(const struct measured *m, const struct found *one,
                   struct gathered *all)
{
    tr_str text = one->value.text;
    bool adds = m->kind == TR_QUERY_SUM || m->kind == TR_QUERY_AVG;
    if (adds && m->field->kind == TR_FIELD_NUMBER) {
        all->sum += (long double)double_of(text);
        all->size += fabsl((long double)double_of(text));
    } else if (adds) {
        add_decimal(&all->exact, text);
    }
    if (!all->count++ ||
        (m->kind == TR_QUERY_MIN ? is_less(m->field, one, &all->best)
                                 : is_less(m->field, &all->best, one)))
        all->best = *one;
}

void measured_check(const struct tr_graph_read_ctx *ctx,
                    const struct measured *m, const struct tr_json *got,
                    const char *row)
{
    struct gathered all = {.count = 0};
    struct found one;
    for (size_t i = 0; i < m->count; i++) {
        if (find_value(ctx, m->field, m->nodes[i], &one))
            gather(m, &one, &all);
    }
    if (!all.count)
        CHECK_ROW(got->kind == TR_JSON_NULL, row);
    else if (m->kind == TR_QUERY_MIN || m->kind == TR_QUERY_MAX)
        check_end(m->field, &all.best, got, row);
    else if (m->field->kind == TR_FIELD_NUMBER)
        check_double(m->kind, &all, got, row);
    else
        check_exact(m->kind, &all, got, row);
}
