/*
 * fields/literal.h - values that are texts of a form: dates, times, durations,
 * decimals, URIs, addresses.
 *
 * A value is what XSD makes of its text, if the kind takes the text: a date and
 * a time have no zone, a time is before 24:00:00, a duration is shorter than
 * ten billion days, a decimal has TR_LIMIT_DECIMAL_DIGITS before and behind its
 * point at most. It borrows the text.
 */
#ifndef TR_FIELDS_LITERAL_H
#define TR_FIELDS_LITERAL_H

#include "fields/kind.h"

/* Whether the texts of a kind have a form. */
static inline bool tr_field_kind_is_literal(enum tr_field_kind kind)
{
    return tr_field_kind_row(kind)->pattern != NULL;
}

/*
 * Reads a value of such a kind: a text or, of a decimal, also a JSON number,
 * which is taken by its digits. False when it is none.
 */
TR_NODISCARD bool tr_field_literal_read(enum tr_field_kind kind,
                                        const struct tr_json *value,
                                        tr_rdf_xsd_value *out);

/* The same for a text. */
TR_NODISCARD bool tr_field_literal_parse(enum tr_field_kind kind, tr_str text,
                                         tr_rdf_xsd_value *out);

/*
 * Whether two values of a kind are one, however each is written. Below, equal
 * to or above zero as `a` is before, equal to or after `b`, of a kind that has
 * bounds. What is no value of the kind is only equal to itself.
 */
bool tr_field_same(enum tr_field_kind kind, const struct tr_json *a,
                   const struct tr_json *b);
int tr_field_cmp(enum tr_field_kind kind, const struct tr_json *a,
                 const struct tr_json *b);

/* A bound of a field, min_value and its like, as JSON; it borrows the text. */
struct tr_json tr_field_bound_json(enum tr_field_kind kind, tr_str bound);

/* Its one spelling, which is that of a store (decision 0025). It lives in the
 * arena. False without memory. */
TR_NODISCARD bool tr_field_literal_spell(const tr_rdf_xsd_value *value,
                                         struct tr_arena *arena, tr_str *out);

/* A value of a kind, or an array of values, each in its one spelling; what is
 * none, and of other kinds all, stays as it is. False without memory. */
TR_NODISCARD bool tr_field_spell(enum tr_field_kind kind,
                                 const struct tr_json *value,
                                 struct tr_arena *arena, struct tr_json *out);

/* How many digits a decimal has before and behind its point. */
int64_t tr_field_decimal_whole(const tr_rdf_xsd_value *value);
int64_t tr_field_decimal_scale(const tr_rdf_xsd_value *value);

/*
 * The pattern of a field's texts: of its kind, and of a decimal with the digits
 * that it may have; "" when there is none. `room` has TR_FIELD_PATTERN_MAX
 * bytes.
 */
#define TR_FIELD_PATTERN_MAX 160
tr_str tr_field_own_pattern(const struct tr_field *field,
                            char room[TR_FIELD_PATTERN_MAX]);

#endif
