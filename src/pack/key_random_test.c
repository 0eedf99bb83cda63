/*
 * Keys of random literals against a plain comparison: equal exactly when the
 * terms are, in the order of rdf/xsd.h where there is one, and a key that is
 * not cut gives its term back. Each new literal is compared with the last ones.
 */
#include "base/test.h"
#include "pack/key.h"
#include "support/literals.h"
#include "support/ranges.h"

#include <math.h>

enum { LAST = 90, LITERALS = 500000, SORTABLE = 9 };

struct entry {
    struct literal literal;
    tr_pack_key key;
    bool has_value;
    tr_rdf_xsd_value value;
};

static bool is_time(const struct entry *entry)
{
    enum tr_rdf_xsd_type type = entry->value.type;
    return entry->has_value &&
           (type == TR_RDF_XSD_DATE_TIME || type == TR_RDF_XSD_DATE ||
            type == TR_RDF_XSD_DATE_TIME_STAMP) &&
           !entry->value.as.moment.is_huge;
}

static bool is_number(const struct entry *entry)
{
    return entry->has_value && tr_rdf_xsd_is_numeric(entry->value.type);
}

static bool is_decimal(const struct entry *entry)
{
    return is_number(entry) && entry->value.type < TR_RDF_XSD_DOUBLE;
}

static bool is_nan(const struct entry *entry)
{
    return is_number(entry) && !is_decimal(entry) &&
           isnan(entry->value.as.number);
}

/* Which part of the index a literal stands in. */
static int part_of(const struct entry *entry)
{
    const tr_rdf_term *term = &entry->literal.term;
    if (term->language.len)
        return 0x50;
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_STRING)))
        return 0x40;
    if (entry->has_value && entry->value.type == TR_RDF_XSD_BOOLEAN)
        return 0x10;
    if (is_number(entry))
        return 0x20;
    return is_time(entry) ? 0x30 : 0x60;
}

static void make(struct entry *entry)
{
    struct tr_pack_value value;
    const tr_rdf_term *term = &entry->literal.term;
    literal_make(&entry->literal);
    CHECK(tr_pack_value_of(term, &value));
    value.number = literal_number(term->datatype);
    tr_pack_key_make(&value, tr_rdf_xsd_type_of(term->datatype), &entry->key);
    entry->has_value = tr_rdf_xsd_parse(term, &entry->value);
    CHECK_INT((unsigned char)entry->key.bytes[0], part_of(entry));
    CHECK(entry->key.len <= (term->language.len ? TR_PACK_KEY_MAX : 83));
}

static void check_back(const struct entry *entry)
{
    char text[TR_PACK_CANONICAL_TEXT];
    struct tr_pack_key_value back;
    struct tr_err err = {0};
    const tr_rdf_term *term = &entry->literal.term;
    CHECK_OK(tr_pack_key_get(tr_pack_key_str(&entry->key), &back, &err), &err);
    CHECK(back.is_cut == (term->text.len > 64 || term->language.len > 35));
    if (back.is_cut)
        return;
    tr_rdf_term got = tr_pack_value_term(
        &back.value,
        back.datatype.len ? back.datatype : literal_iri(back.value.number),
        text);
    CHECK(tr_rdf_term_eq(&got, term));
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static tr_str sortable(const struct entry *entry)
{
    return (tr_str){entry->key.bytes, SORTABLE};
}

static bool to_i64(const struct entry *entry, int64_t *out)
{
    return is_decimal(entry) &&
           tr_json_decimal_to_i64(entry->value.as.decimal, out);
}

/*
 * A float is the double that it is, although to XPath a decimal becomes a float
 * beside it: these may be equal there and not here, but are never the other way
 * round.
 */
static void check_numbers(const struct entry *a, const struct entry *b,
                          int order)
{
    int64_t x;
    int64_t y;
    int by_value = sign(tr_str_cmp(sortable(a), sortable(b)));
    if (is_nan(a) || is_nan(b)) {
        CHECK_INT(by_value, is_nan(a) - is_nan(b));
        return;
    }
    int plain = (int)tr_rdf_xsd_compare(&a->value, &b->value);
    bool is_mixed = is_decimal(a) != is_decimal(b) &&
                    a->value.type != TR_RDF_XSD_DOUBLE &&
                    b->value.type != TR_RDF_XSD_DOUBLE;
    if (plain == 0)
        CHECK(by_value == 0 || is_mixed);
    else
        CHECK(by_value == plain ||
              (by_value == 0 && is_decimal(a) && is_decimal(b)));
    if (to_i64(a, &x) && to_i64(b, &y) && x != y)
        CHECK_INT(order, x < y ? -1 : 1);
}

static uint64_t nanos_of(const struct entry *entry)
{
    char digits[] = "000000000";
    tr_str fraction = entry->value.as.moment.fraction;
    memcpy(digits, fraction.len ? fraction.ptr : "",
           fraction.len < 9 ? fraction.len : 9);
    return strtoull(digits, NULL, 10);
}

static void check_times(const struct entry *a, const struct entry *b, int order)
{
    const tr_rdf_xsd_moment *x = &a->value.as.moment;
    const tr_rdf_xsd_moment *y = &b->value.as.moment;
    int plain = (x->seconds > y->seconds) - (x->seconds < y->seconds);
    if (plain == 0)
        plain = (nanos_of(a) > nanos_of(b)) - (nanos_of(a) < nanos_of(b));
    if (plain)
        CHECK_INT(order, plain);
    int theirs = (int)tr_rdf_xsd_compare(&a->value, &b->value);
    if (theirs != TR_RDF_XSD_INCOMPARABLE && x->fraction.len <= 9 &&
        y->fraction.len <= 9)
        CHECK_INT(theirs, x->has_zone == y->has_zone ? plain : order);
}

static bool has_nul(tr_str text)
{
    return text.len && memchr(text.ptr, 0, text.len);
}

/* Texts that are cut sort by what is left of their start. */
static void check_texts(const struct entry *a, const struct entry *b, int order)
{
    tr_str x = a->literal.term.text;
    tr_str y = b->literal.term.text;
    if (a->literal.term.language.len && (has_nul(x) || has_nul(y)))
        return;
    if (x.len > 64 || y.len > 64) {
        x.len = x.len > 32 ? 32 : x.len;
        y.len = y.len > 32 ? 32 : y.len;
    }
    int plain = sign(tr_str_cmp(x, y));
    if (plain)
        CHECK_INT(order, plain);
}

static size_t check_pair(const struct entry *a, const struct entry *b)
{
    bool same = tr_rdf_term_eq(&a->literal.term, &b->literal.term);
    int order =
        sign(tr_str_cmp(tr_pack_key_str(&a->key), tr_pack_key_str(&b->key)));
    int part = part_of(a);
    CHECK(same == (order == 0));
    if (part != part_of(b))
        CHECK_INT(order, part < part_of(b) ? -1 : 1);
    else if (part == 0x10 && a->value.as.boolean != b->value.as.boolean)
        CHECK_INT(order, b->value.as.boolean ? -1 : 1);
    else if (part == 0x20)
        check_numbers(a, b, order);
    else if (part == 0x30)
        check_times(a, b, order);
    else if (part == 0x40 || part == 0x50)
        check_texts(a, b, order);
    return same;
}

TEST(key_of_a_random_literal_stands_where_its_value_does)
{
    static struct entry entries[LAST];
    size_t equal = 0;
    size_t count = tr_test_scaled(LITERALS);
    for (size_t i = 0; i < LAST; i++) {
        literal_init(&entries[i].literal);
        make(&entries[i]);
    }
    for (size_t i = 0; i < count; i++) {
        struct entry *newest = &entries[i % LAST];
        make(newest);
        check_back(newest);
        for (size_t j = 0; j < LAST; j++)
            equal += &entries[j] != newest && check_pair(newest, &entries[j]);
    }
    CHECK(equal > 0);
    for (size_t i = 0; i < LAST; i++)
        literal_done(&entries[i].literal);
}

static bool is_within(const struct key_range *range, const tr_pack_key *key)
{
    tr_str bytes = tr_pack_key_str(key);
    return tr_str_cmp(tr_pack_key_str(&range->lo), bytes) <= 0 &&
           tr_str_cmp(bytes, tr_pack_key_str(&range->hi)) < 0;
}

static double nearest(const struct entry *entry)
{
    return is_decimal(entry)
               ? tr_rdf_xsd_decimal_to_double(&entry->value.as.decimal, false)
               : entry->value.as.number;
}

static void check_ranges(const struct entry *a, const struct entry *b,
                         const struct entry *c)
{
    struct key_range range;
    if (is_number(a) && is_number(b)) {
        key_range_numbers(nearest(a), nearest(b), &range);
        CHECK(is_within(&range, &c->key) ==
              (is_number(c) && nearest(a) <= nearest(c) &&
               nearest(c) <= nearest(b)));
    }
    if (is_time(a) && is_time(b)) {
        int64_t lo = a->value.as.moment.seconds;
        int64_t hi = b->value.as.moment.seconds;
        key_range_times(lo, hi, &range);
        CHECK(is_within(&range, &c->key) ==
              (is_time(c) && lo <= c->value.as.moment.seconds &&
               c->value.as.moment.seconds <= hi));
    }
    if (part_of(a) == 0x40 || part_of(a) == 0x50) {
        tr_str prefix = a->literal.term.text;
        prefix.len = prefix.len > 32 ? 32 : prefix.len;
        key_range_texts(part_of(a) == 0x50 ? TR_PACK_LANG : TR_PACK_STRING,
                        a->literal.term.text, &range);
        bool is_meant = part_of(a) == part_of(c) &&
                        tr_str_starts(c->literal.term.text, prefix);
        /* A NUL of the prefix may be the one before a language. */
        if (is_meant || part_of(a) == 0x40 || !has_nul(prefix))
            CHECK(is_within(&range, &c->key) == is_meant);
    }
}

TEST(range_of_random_bounds_has_what_lies_between)
{
    static struct entry entries[3];
    for (size_t i = 0; i < TR_LEN(entries); i++)
        literal_init(&entries[i].literal);
    for (size_t i = tr_test_scaled(500000); i > 0; i--) {
        for (size_t j = 0; j < TR_LEN(entries); j++)
            make(&entries[j]);
        check_ranges(&entries[0], &entries[1], &entries[2]);
        check_ranges(&entries[2], &entries[2], &entries[2]);
    }
    for (size_t i = 0; i < TR_LEN(entries); i++)
        literal_done(&entries[i].literal);
}
