/*
 * Keys of random literals against rdf/xsd.h, which compares values: in the same
 * order where there is one, equal where they are. Each new literal is compared
 * with the last ones; and any bytes can be read.
 */
#include "base/test.h"
#include "keys/key.h"
#include "rdf/xsd.h"
#include "support/literals.h"

enum { LAST = 60, LITERALS = 200000 };

struct entry {
    struct literal literal;
    struct tr_key key;
    struct tr_key inverse;
    bool has_value;
    tr_rdf_xsd_value value;
};

static void make(struct entry *entry)
{
    const tr_rdf_term *term = &entry->literal.term;
    struct tr_key_value value;
    literal_make(&entry->literal);
    entry->key.len = entry->inverse.len = 0;
    tr_key_put(&entry->key, term, 0, false);
    tr_key_put(&entry->inverse, term, 0, true);
    entry->has_value = tr_rdf_xsd_parse(term, &entry->value);
    CHECK(entry->key.len <= TR_KEY_PART_MAX);
    CHECK_INT(tr_key_part_len(tr_key_str(&entry->key)), entry->key.len);
    CHECK_INT(tr_key_part_len(tr_key_str(&entry->inverse)), entry->key.len);
    CHECK(tr_key_read(tr_key_str(&entry->inverse), &value));
    if (value.kind == TR_KEY_TEXT_OF)
        CHECK(tr_str_starts(term->text, value.text) &&
              value.is_whole == (value.text.len == term->text.len));
}

static bool is_decimal(const struct entry *entry)
{
    return entry->has_value && tr_rdf_xsd_is_numeric(entry->value.type) &&
           entry->value.type < TR_RDF_XSD_DOUBLE;
}

static bool is_double(const struct entry *entry)
{
    return entry->has_value && (entry->value.type == TR_RDF_XSD_DOUBLE ||
                                entry->value.type == TR_RDF_XSD_FLOAT);
}

static bool is_text(const struct entry *entry)
{
    return (unsigned char)entry->key.bytes[0] == 0x40 ||
           (unsigned char)entry->key.bytes[0] == 0x48;
}

/* Whether keys hold all of it. */
static bool is_short(const struct entry *entry)
{
    if (is_decimal(entry))
        return entry->value.as.decimal.count <= TR_KEY_DIGITS;
    return entry->literal.term.text.len <= TR_KEY_TEXT / 2;
}

static bool is_zoneless(const struct entry *entry)
{
    return entry->value.type >= TR_RDF_XSD_DATE_TIME &&
           entry->value.type <= TR_RDF_XSD_TIME &&
           !entry->value.as.moment.has_zone;
}

/* Of one decimal and one double only the nearest double decides for xsd; and a
 * time without a zone is no instant. */
static bool is_comparable(const struct entry *a, const struct entry *b)
{
    return a->has_value && b->has_value && a->key.bytes[0] == b->key.bytes[0] &&
           (unsigned char)a->key.bytes[0] < 0x60 && is_short(a) &&
           is_short(b) && is_decimal(a) == is_decimal(b) &&
           is_double(a) == is_double(b) && is_zoneless(a) == is_zoneless(b);
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

static size_t check_pair(const struct entry *a, const struct entry *b)
{
    int order = sign(tr_str_cmp(tr_key_str(&a->key), tr_key_str(&b->key)));
    int other =
        sign(tr_str_cmp(tr_key_str(&a->inverse), tr_key_str(&b->inverse)));
    CHECK_INT(order, -other);
    if (!is_comparable(a, b))
        return 0;
    enum tr_rdf_xsd_order plain = tr_rdf_xsd_compare(&a->value, &b->value);
    if (is_text(a))
        plain = (enum tr_rdf_xsd_order)sign(
            tr_str_cmp(a->literal.term.text, b->literal.term.text));
    if (plain == TR_RDF_XSD_INCOMPARABLE)
        return 0;
    CHECK_ROW(order == (int)plain, a->literal.text.ptr);
    return order == 0;
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
        for (size_t j = 0; j < LAST; j++)
            equal += &entries[j] != newest && check_pair(newest, &entries[j]);
    }
    CHECK(equal > 0);
    for (size_t i = 0; i < LAST; i++)
        literal_done(&entries[i].literal);
}

TEST(key_of_random_bytes_is_one_or_none)
{
    for (size_t i = tr_test_scaled(LITERALS); i > 0; i--) {
        char bytes[40] = {0};
        struct tr_key_value value;
        size_t len = tr_test_random_below(sizeof(bytes));
        for (size_t k = 0; k < len; k++)
            bytes[k] =
                (char)(tr_test_random_below(2) ? 0x10 * tr_test_random_below(16)
                                               : tr_test_random_below(256));
        char *exact = calloc(len + 1, 1);
        memcpy(exact, bytes, len);
        size_t part = tr_key_part_len((tr_str){exact, len});
        CHECK(part <= len);
        CHECK(tr_key_read((tr_str){exact, part}, &value) == (part > 0));
        free(exact);
    }
}
