#include "fields/literal.h"

#include "base/arena.h"
#include "base/ascii.h"
#include "base/limits.h"
#include "base/time.h"
#include "fields/value.h"
#include "json/build.h"
#include "rdf/iri.h"

#define DAY_SECONDS INT64_C(86400)

/* Days have ten digits at most, in the one spelling too. */
#define DAYS_END INT64_C(10000000000)

static bool is_date(tr_str text)
{
    tr_date date;
    return tr_date_scan(&text, &date) && text.len == 0;
}

/* RFC 3986: what RFC 3987 takes and is ASCII. */
static bool is_uri(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80)
            return false;
    }
    return tr_rdf_iri_check(text, NULL) == TR_OK;
}

static bool is_alnum(char c)
{
    return tr_ascii_is_letter(c) || tr_ascii_is_digit(c);
}

/* RFC 5322, 3.2.3: atext. */
static bool is_atext(char c)
{
    return is_alnum(c) || (c && strchr("!#$%&'*+/=?^_`{|}~-", c));
}

/* Atoms with a dot between two of them. */
static bool is_dot_atom(tr_str text)
{
    char last = '.';
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '.' ? last == '.' : !is_atext(text.ptr[i]))
            return false;
        last = text.ptr[i];
    }
    return last != '.';
}

/* Two labels at least; each begins and ends with a letter or a digit. */
static bool is_domain(tr_str text)
{
    char last = '.';
    bool has_dot = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_right = c == '.' ? is_alnum(last)
                                 : is_alnum(c) || (c == '-' && last != '.');
        if (!is_right)
            return false;
        has_dot |= c == '.';
        last = c;
    }
    return has_dot && is_alnum(last);
}

static bool is_email(tr_str text)
{
    tr_str local;
    tr_str domain;
    return tr_str_cut(text, '@', &local, &domain) && is_dot_atom(local) &&
           is_domain(domain);
}

static bool is_small(const tr_json_decimal *number)
{
    return tr_json_decimal_top(number) <= TR_LIMIT_DECIMAL_DIGITS &&
           number->exponent >= -TR_LIMIT_DECIMAL_DIGITS;
}

/* What XSD takes, and a field does not. */
static bool is_taken(enum tr_field_kind kind, const tr_rdf_xsd_value *value)
{
    switch (kind) {
    case TR_FIELD_DATE:
        return is_date(value->term.text);
    case TR_FIELD_TIME:
        return !value->as.moment.has_zone && value->as.moment.hour < 24;
    case TR_FIELD_DURATION:
        return !value->as.duration.is_huge &&
               value->as.duration.seconds / DAY_SECONDS < DAYS_END;
    case TR_FIELD_DECIMAL:
        return is_small(&value->as.decimal);
    case TR_FIELD_URI:
        return is_uri(value->term.text);
    case TR_FIELD_EMAIL:
        return is_email(value->term.text);
    default:
        return true;
    }
}

bool tr_field_literal_parse(enum tr_field_kind kind, tr_str text,
                            tr_rdf_xsd_value *out)
{
    const tr_rdf_term term =
        tr_rdf_term_typed(text, tr_str_from(tr_field_kind_row(kind)->datatype));
    return tr_rdf_xsd_parse(&term, out) && is_taken(kind, out);
}

bool tr_field_literal_read(enum tr_field_kind kind, const struct tr_json *value,
                           tr_rdf_xsd_value *out)
{
    if (value->kind == TR_JSON_STRING)
        return tr_field_literal_parse(kind, tr_json_text(value), out);
    if (kind != TR_FIELD_DECIMAL || value->kind != TR_JSON_NUMBER)
        return false;
    *out = (tr_rdf_xsd_value){
        .type = TR_RDF_XSD_DECIMAL,
        .term = tr_rdf_term_typed(tr_json_text(value),
                                  TR_STR(TR_RDF_IRI_XSD_DECIMAL)),
        .as.decimal = tr_json_decimal_of(tr_json_text(value)),
    };
    return is_small(&out->as.decimal);
}

/* A node that has a time twice, with one offset, has it once. */
static bool same_time(const struct tr_json *a, const struct tr_json *b)
{
    tr_time x;
    tr_time y;
    return tr_time_parse(tr_json_text(a), &x, NULL) == TR_OK &&
           tr_time_parse(tr_json_text(b), &y, NULL) == TR_OK &&
           x.seconds == y.seconds && x.nanos == y.nanos &&
           x.offset_min == y.offset_min;
}

bool tr_field_same(enum tr_field_kind kind, const struct tr_json *a,
                   const struct tr_json *b)
{
    tr_rdf_xsd_value x;
    tr_rdf_xsd_value y;
    if (tr_field_value_eq(a, b))
        return true;
    if (kind == TR_FIELD_DATETIME)
        return same_time(a, b);
    return tr_field_kind_is_literal(kind) &&
           tr_field_literal_read(kind, a, &x) &&
           tr_field_literal_read(kind, b, &y) &&
           tr_rdf_xsd_compare(&x, &y) == TR_RDF_XSD_EQUAL;
}

int tr_field_cmp(enum tr_field_kind kind, const struct tr_json *a,
                 const struct tr_json *b)
{
    tr_rdf_xsd_value x;
    tr_rdf_xsd_value y;
    if (!tr_field_kind_is_literal(kind))
        return tr_json_decimal_cmp(tr_json_decimal_of(tr_json_text(a)),
                                   tr_json_decimal_of(tr_json_text(b)));
    return tr_field_literal_read(kind, a, &x) &&
                   tr_field_literal_read(kind, b, &y)
               ? (int)tr_rdf_xsd_compare(&x, &y)
               : (int)TR_RDF_XSD_INCOMPARABLE;
}

struct tr_json tr_field_bound_json(enum tr_field_kind kind, tr_str bound)
{
    return tr_field_kind_has(kind, TR_FIELD_IS_NUMBER)
               ? tr_json_make_integer(bound)
               : tr_json_make_text(TR_JSON_STRING, bound);
}

bool tr_field_literal_spell(const tr_rdf_xsd_value *value,
                            struct tr_arena *arena, tr_str *out)
{
    size_t max = value->term.text.len + TR_LIMIT_DECIMAL_DIGITS + 32;
    struct tr_buf text;
    tr_buf_init(&text, max);
    tr_rdf_xsd_write_canonical(&text, value);
    bool is_done = tr_buf_check(&text, NULL) == TR_OK &&
                   tr_arena_copy(arena, tr_buf_str(&text), out);
    tr_buf_done(&text);
    return is_done;
}

static bool spell_one(enum tr_field_kind kind, const struct tr_json *from,
                      struct tr_arena *arena, struct tr_json *out)
{
    tr_rdf_xsd_value value;
    tr_str text;
    *out = *from;
    if (!tr_field_literal_read(kind, from, &value))
        return true;
    if (!tr_field_literal_spell(&value, arena, &text))
        return false;
    *out = tr_json_make_text(TR_JSON_STRING, text);
    return true;
}

bool tr_field_spell(enum tr_field_kind kind, const struct tr_json *value,
                    struct tr_arena *arena, struct tr_json *out)
{
    *out = *value;
    if (!tr_field_kind_is_literal(kind))
        return true;
    if (value->kind != TR_JSON_ARRAY)
        return spell_one(kind, value, arena, out);
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, value->len);
    out->as.items = items;
    for (size_t i = 0; items && i < value->len; i++) {
        if (!spell_one(kind, &value->as.items[i], arena, &items[i]))
            return false;
    }
    return items != NULL;
}

int64_t tr_field_decimal_whole(const tr_rdf_xsd_value *value)
{
    int64_t top = tr_json_decimal_top(&value->as.decimal);
    return value->as.decimal.count && top > 0 ? top : 0;
}

int64_t tr_field_decimal_scale(const tr_rdf_xsd_value *value)
{
    int64_t exponent = value->as.decimal.exponent;
    return value->as.decimal.count && exponent < 0 ? -exponent : 0;
}

/* Zeros that say nothing may stand at both ends. A point with nothing before
 * it has a digit behind it. */
static tr_str decimal_form(const struct tr_field *field,
                           char room[TR_FIELD_PATTERN_MAX])
{
    long long scale = field->scale;
    long long whole = field->digits - field->scale;
    char before[48] = "[0-9]+";
    char behind[48] = "0*";
    char alone[48] = "0+";
    if (field->digits)
        (void)snprintf(before, sizeof(before), "(0*[0-9]{1,%lld})", whole);
    if (field->digits && !whole)
        (void)snprintf(before, sizeof(before), "0+");
    if (scale) {
        (void)snprintf(behind, sizeof(behind), "[0-9]{0,%lld}0*", scale);
        (void)snprintf(alone, sizeof(alone), "[0-9]{1,%lld}0*", scale);
    }
    int len = snprintf(room, TR_FIELD_PATTERN_MAX, "^[+-]?(%s([.]%s)?|[.]%s)$",
                       before, behind, alone);
    return (tr_str){room, (size_t)len};
}

tr_str tr_field_own_pattern(const struct tr_field *field,
                            char room[TR_FIELD_PATTERN_MAX])
{
    const char *pattern = tr_field_kind_row(field->kind)->pattern;
    if (field->kind == TR_FIELD_DECIMAL && (field->digits || field->scale))
        return decimal_form(field, room);
    return tr_str_from(pattern ? pattern : "");
}
