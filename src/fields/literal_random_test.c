#include "base/arena.h"
#include "base/limits.h"
#include "base/test.h"
#include "fields/literal.h"
#include "fields/pattern.h"
#include "json/build.h"

/* `spelt` is the one spelling of the text; NULL: it is no value of the kind. */
static const struct row {
    enum tr_field_kind kind;
    const char *text;
    const char *spelt;
} rows[] = {
    {TR_FIELD_DATE, "2026-07-28", "2026-07-28"},
    {TR_FIELD_DATE, "2024-02-29", "2024-02-29"},
    {TR_FIELD_DATE, "0000-01-01", "0000-01-01"},
    {TR_FIELD_DATE, "9999-12-31", "9999-12-31"},
    {TR_FIELD_DATE, "2026-02-30", NULL},
    {TR_FIELD_DATE, "2025-02-29", NULL},
    {TR_FIELD_DATE, "2026-13-01", NULL},
    {TR_FIELD_DATE, "2026-00-01", NULL},
    {TR_FIELD_DATE, "10000-01-01", NULL},
    {TR_FIELD_DATE, "-0001-01-01", NULL},
    {TR_FIELD_DATE, "2026-07-28Z", NULL},
    {TR_FIELD_DATE, "2026-07-28+02:00", NULL},
    {TR_FIELD_DATE, "2026-07-28T00:00:00", NULL},
    {TR_FIELD_DATE, "2026-7-28", NULL},
    {TR_FIELD_DATE, " 2026-07-28", NULL},
    {TR_FIELD_DATE, "", NULL},
    {TR_FIELD_TIME, "14:30:00", "14:30:00"},
    {TR_FIELD_TIME, "14:30:00.500", "14:30:00.5"},
    {TR_FIELD_TIME, "14:30:00.000", "14:30:00"},
    {TR_FIELD_TIME, "23:59:59.999999999999", "23:59:59.999999999999"},
    {TR_FIELD_TIME, "24:00:00", NULL},
    {TR_FIELD_TIME, "23:59:60", NULL},
    {TR_FIELD_TIME, "14:30", NULL},
    {TR_FIELD_TIME, "14:30:00Z", NULL},
    {TR_FIELD_TIME, "14:30:00.", NULL},
    {TR_FIELD_TIME, "4:30:00", NULL},
    {TR_FIELD_DURATION, "PT1H30M", "PT1H30M"},
    {TR_FIELD_DURATION, "PT90M", "PT1H30M"},
    {TR_FIELD_DURATION, "P0D", "PT0S"},
    {TR_FIELD_DURATION, "-PT0S", "PT0S"},
    {TR_FIELD_DURATION, "-P1DT24H", "-P2D"},
    {TR_FIELD_DURATION, "PT1.50S", "PT1.5S"},
    {TR_FIELD_DURATION, "P9999999999D", "P9999999999D"},
    {TR_FIELD_DURATION, "P00000000000001D", "P1D"},
    {TR_FIELD_DURATION, "P9999999999DT24H", NULL},
    {TR_FIELD_DURATION, "P10000000000D", NULL},
    {TR_FIELD_DURATION, "P1Y", NULL},
    {TR_FIELD_DURATION, "P1M", NULL},
    {TR_FIELD_DURATION, "P1W", NULL},
    {TR_FIELD_DURATION, "P", NULL},
    {TR_FIELD_DURATION, "PT", NULL},
    {TR_FIELD_DURATION, "P1DT", NULL},
    {TR_FIELD_DURATION, "PT1.S", NULL},
    {TR_FIELD_DURATION, "PT1M1H", NULL},
    {TR_FIELD_DURATION, "+PT1H", NULL},
    {TR_FIELD_DECIMAL, "12.50", "12.5"},
    {TR_FIELD_DECIMAL, "+012.500", "12.5"},
    {TR_FIELD_DECIMAL, "-0.00", "0"},
    {TR_FIELD_DECIMAL, ".5", "0.5"},
    {TR_FIELD_DECIMAL, "5.", "5"},
    {TR_FIELD_DECIMAL, "0.1000000000000000055511151231257827",
     "0.1000000000000000055511151231257827"},
    {TR_FIELD_DECIMAL, "1e3", NULL},
    {TR_FIELD_DECIMAL, ".", NULL},
    {TR_FIELD_DECIMAL, "", NULL},
    {TR_FIELD_DECIMAL, "1,5", NULL},
    {TR_FIELD_DECIMAL, "INF", NULL},
    {TR_FIELD_DECIMAL, "NaN", NULL},
    {TR_FIELD_DECIMAL, "1 ", NULL},
    {TR_FIELD_URI, "https://example.org/a?b#c", "https://example.org/a?b#c"},
    {TR_FIELD_URI, "HTTPS://EXAMPLE.org", "HTTPS://EXAMPLE.org"},
    {TR_FIELD_URI, "mailto:ada@example.org", "mailto:ada@example.org"},
    {TR_FIELD_URI, "urn:isbn:0451450523", "urn:isbn:0451450523"},
    {TR_FIELD_URI, "http://[::1]:80/", "http://[::1]:80/"},
    {TR_FIELD_URI, "a%20b:c", NULL},
    {TR_FIELD_URI, "/path", NULL},
    {TR_FIELD_URI, "example.org", NULL},
    {TR_FIELD_URI, "http://example.org/a b", NULL},
    {TR_FIELD_URI, "http://example.org/%zz", NULL},
    {TR_FIELD_URI, "http://example.org/\xc3\xa4", NULL},
    {TR_FIELD_URI, "http://[::1", NULL},
    {TR_FIELD_URI, "", NULL},
    {TR_FIELD_EMAIL, "ada@example.org", "ada@example.org"},
    {TR_FIELD_EMAIL, "Ada.L+x@mail.Example.org", "Ada.L+x@mail.Example.org"},
    {TR_FIELD_EMAIL, "ada", NULL},
    {TR_FIELD_EMAIL, "ada@localhost", NULL},
    {TR_FIELD_EMAIL, "@example.org", NULL},
    {TR_FIELD_EMAIL, "ada@", NULL},
    {TR_FIELD_EMAIL, ".ada@example.org", NULL},
    {TR_FIELD_EMAIL, "a..b@example.org", NULL},
    {TR_FIELD_EMAIL, "a@b@example.org", NULL},
    {TR_FIELD_EMAIL, "ada@-example.org", NULL},
    {TR_FIELD_EMAIL, "ada@example-.org", NULL},
    {TR_FIELD_EMAIL, "ada@example..org", NULL},
    {TR_FIELD_EMAIL, "ada@example.org.", NULL},
    {TR_FIELD_EMAIL, "Ada <ada@example.org>", NULL},
    {TR_FIELD_EMAIL, "\xc3\xa4@example.org", NULL},
};

TEST(field_literals_have_one_spelling)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_rdf_xsd_value value;
        tr_str text = {0};
        bool is_one = tr_field_literal_parse(rows[i].kind,
                                             tr_str_from(rows[i].text), &value);
        CHECK_ROW(is_one == (rows[i].spelt != NULL), rows[i].text);
        if (!is_one || !rows[i].spelt)
            continue;
        CHECK(tr_field_literal_spell(&value, &arena, &text));
        CHECK_ROW(tr_str_eq(text, tr_str_from(rows[i].spelt)), rows[i].text);
        CHECK_ROW(tr_field_literal_parse(rows[i].kind, text, &value),
                  rows[i].text);
    }
    tr_arena_done(&arena);
}

/* So a schema refuses nothing that we take. */
TEST(field_literals_match_the_pattern_of_their_kind)
{
    struct tr_field_patterns set = {0};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_field_pattern *pattern = NULL;
        bool found = false;
        CHECK_OK(tr_field_pattern_compile(
                     &set,
                     tr_str_from(tr_field_kind_row(rows[i].kind)->pattern), 0,
                     &pattern, NULL),
                 NULL);
        CHECK_OK(tr_field_pattern_match(pattern, tr_str_from(rows[i].text),
                                        &arena, &found, NULL),
                 NULL);
        CHECK_ROW(found || !rows[i].spelt, rows[i].text);
    }
    tr_field_patterns_done(&set);
    tr_arena_done(&arena);
}

TEST(field_literals_all_have_rows_here)
{
    for (int kind = 0; kind < TR_FIELD_KINDS; kind++) {
        size_t taken = 0;
        size_t refused = 0;
        for (size_t i = 0; i < TR_LEN(rows); i++) {
            taken += (int)rows[i].kind == kind && rows[i].spelt;
            refused += (int)rows[i].kind == kind && !rows[i].spelt;
        }
        if (tr_field_kind_is_literal((enum tr_field_kind)kind))
            CHECK_ROW(taken && refused,
                      tr_field_kind_name((enum tr_field_kind)kind));
    }
}

/* A decimal of one digit more than the limit, before or behind its point. */
TEST(field_decimals_have_a_limit)
{
    char text[TR_LIMIT_DECIMAL_DIGITS + 4];
    tr_rdf_xsd_value value;
    memset(text, '9', sizeof(text));
    for (size_t extra = 0; extra < 2; extra++) {
        size_t len = TR_LIMIT_DECIMAL_DIGITS + extra;
        CHECK(tr_field_literal_parse(TR_FIELD_DECIMAL, (tr_str){text, len},
                                     &value) == (extra == 0));
    }
    text[0] = '.';
    for (size_t extra = 0; extra < 2; extra++) {
        size_t len = TR_LIMIT_DECIMAL_DIGITS + extra + 1;
        CHECK(tr_field_literal_parse(TR_FIELD_DECIMAL, (tr_str){text, len},
                                     &value) == (extra == 0));
    }
}

static struct tr_json text_of(const char *text)
{
    return tr_json_make_text(TR_JSON_STRING, tr_str_from(text));
}

static struct tr_json number_of(const char *text)
{
    return tr_json_make_text(TR_JSON_NUMBER, tr_str_from(text));
}

TEST(field_decimals_take_json_numbers_by_their_digits)
{
    static const char *const pairs[][2] = {
        {"12.50", "12.5"},
        {"1e3", "1000"},
        {"-0", "0"},
        {"0.1000000000000000055511151231257827",
         "0.1000000000000000055511151231257827"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
    };
    struct tr_arena arena;
    tr_rdf_xsd_value value;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(pairs); i++) {
        const struct tr_json number = number_of(pairs[i][0]);
        tr_str text = {0};
        CHECK(tr_field_literal_read(TR_FIELD_DECIMAL, &number, &value));
        CHECK(tr_field_literal_spell(&value, &arena, &text));
        CHECK_ROW(tr_str_eq(text, tr_str_from(pairs[i][1])), pairs[i][0]);
    }
    const struct tr_json huge = number_of("1e1000000000");
    CHECK(!tr_field_literal_read(TR_FIELD_DECIMAL, &huge, &value));
    const struct tr_json day = number_of("20260728");
    CHECK(!tr_field_literal_read(TR_FIELD_DATE, &day, &value));
    tr_arena_done(&arena);
}

TEST(field_literals_are_ordered_by_value)
{
    static const struct {
        enum tr_field_kind kind;
        const char *less;
        const char *more;
    } pairs[] = {
        {TR_FIELD_DATE, "2026-01-31", "2026-02-01"},
        {TR_FIELD_TIME, "09:59:59.9", "10:00:00"},
        {TR_FIELD_DURATION, "PT59M", "PT1H"},
        {TR_FIELD_DURATION, "-P1D", "PT0S"},
        {TR_FIELD_DURATION, "-PT1.5S", "-PT1.25S"},
        {TR_FIELD_DECIMAL, "9.9", "10"},
        {TR_FIELD_DECIMAL, "-10", "-9.9"},
        {TR_FIELD_DECIMAL, "9007199254740992.1", "9007199254740992.2"},
    };
    for (size_t i = 0; i < TR_LEN(pairs); i++) {
        const struct tr_json less = text_of(pairs[i].less);
        const struct tr_json more = text_of(pairs[i].more);
        CHECK_ROW(tr_field_cmp(pairs[i].kind, &less, &more) < 0, pairs[i].less);
        CHECK_ROW(tr_field_cmp(pairs[i].kind, &more, &less) > 0, pairs[i].less);
        CHECK(!tr_field_same(pairs[i].kind, &less, &more));
    }
}

TEST(field_values_are_the_same_however_they_are_written)
{
    static const struct {
        const char *a;
        const char *b;
        enum tr_field_kind kind;
        bool is_same;
    } pairs[] = {
        {"12.50", "+12.5", TR_FIELD_DECIMAL, true},
        {"PT60S", "PT1M", TR_FIELD_DURATION, true},
        {"10:00:00.0", "10:00:00", TR_FIELD_TIME, true},
        {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.0+00:00",
         TR_FIELD_DATETIME, true},
        {"2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", TR_FIELD_DATETIME,
         false},
        {"12.50", "12.5", TR_FIELD_TEXT, false},
        {"x", "x", TR_FIELD_DECIMAL, true},
        {"x", "1", TR_FIELD_DECIMAL, false},
    };
    for (size_t i = 0; i < TR_LEN(pairs); i++) {
        const struct tr_json a = text_of(pairs[i].a);
        const struct tr_json b = text_of(pairs[i].b);
        CHECK_ROW(tr_field_same(pairs[i].kind, &a, &b) == pairs[i].is_same,
                  pairs[i].a);
    }
    const struct tr_json number = number_of("12.5");
    const struct tr_json text = text_of("12.50");
    CHECK(tr_field_same(TR_FIELD_DECIMAL, &number, &text));
}

/* What SQL calls DECIMAL(digits, scale). */
TEST(field_decimals_have_a_pattern_of_their_digits)
{
    static const struct {
        int64_t digits;
        int64_t scale;
        const char *taken[6];
        const char *refused[6];
    } forms[] = {
        {4,
         2,
         {"12.34", "0", "+0012.3400", ".5", "99.", "-1.20"},
         {"123", "1.234", "", ".", "1e2", "12.34x"}},
        {2,
         0,
         {"99", "-0.0", "007", "5.", ".00", "+1"},
         {"100", "1.5", ".5", "", "x", "."}},
        {2,
         2,
         {"0.99", ".5", "-.01", "0", "00.10", "0."},
         {"1", "1.0", "0.001", "", ".", "10"}},
        {0,
         1,
         {"123456789.1", ".1", "5", "-0.10", "1.", "+7"},
         {".01", "1.23", "", ".", "1e1", "0.15"}},
    };
    struct tr_field_patterns set = {0};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(forms); i++) {
        const struct tr_field field = {.kind = TR_FIELD_DECIMAL,
                                       .digits = forms[i].digits,
                                       .scale = forms[i].scale};
        const struct tr_field_pattern *pattern = NULL;
        char room[TR_FIELD_PATTERN_MAX];
        tr_str form = tr_field_own_pattern(&field, room);
        CHECK_OK(tr_field_pattern_compile(&set, form, 0, &pattern, NULL), NULL);
        CHECK_OK(tr_field_pattern_check(form, false, NULL), NULL);
        for (size_t k = 0; k < 6; k++) {
            bool found = false;
            CHECK_OK(tr_field_pattern_match(pattern,
                                            tr_str_from(forms[i].taken[k]),
                                            &arena, &found, NULL),
                     NULL);
            CHECK_ROW(found, forms[i].taken[k]);
            CHECK_OK(tr_field_pattern_match(pattern,
                                            tr_str_from(forms[i].refused[k]),
                                            &arena, &found, NULL),
                     NULL);
            CHECK_ROW(!found, forms[i].refused[k]);
        }
    }
    tr_field_patterns_done(&set);
    tr_arena_done(&arena);
}

/* What is left to say of a text that has the form of its kind. */
static bool has_form_alone(enum tr_field_kind kind, tr_str text)
{
    return kind == TR_FIELD_DATE || kind == TR_FIELD_DURATION ||
           kind == TR_FIELD_DECIMAL ||
           (kind == TR_FIELD_URI && memchr(text.ptr, '[', text.len));
}

/* Texts of the rows with some bytes changed: the pattern takes all that we take
 * and, but for the calendar and what is too large, nothing else. */
static void check_random(const struct tr_field_pattern *pattern,
                         const struct row *row, struct tr_arena *arena)
{
    static const char letters[] = "0129.:-+TPDHMSZ@[]%/?#aZ_ ";
    char text[80];
    tr_str from = tr_str_from(row->text);
    tr_rdf_xsd_value value;
    bool found = false;
    size_t len = from.len < sizeof(text) ? from.len : sizeof(text);
    memcpy(text, from.ptr, len);
    for (size_t i = tr_test_random_below(4); i > 0 && len; i--)
        text[tr_test_random_below(len)] =
            letters[tr_test_random_below(sizeof(letters) - 1)];
    tr_str changed = {text, len - (len && tr_test_random_below(4) == 0)};
    bool is_one = tr_field_literal_parse(row->kind, changed, &value);
    tr_status status =
        tr_field_pattern_match(pattern, changed, arena, &found, NULL);
    if (status == TR_E_INVALID)
        CHECK(!is_one); /* no UTF-8 */
    else
        CHECK_ROW(is_one == found ||
                      (found && has_form_alone(row->kind, changed)),
                  row->text);
}

TEST(field_literals_are_what_their_pattern_says)
{
    struct tr_field_patterns set = {0};
    const struct tr_field_pattern *patterns[TR_FIELD_KINDS] = {NULL};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (int kind = 0; kind < TR_FIELD_KINDS; kind++) {
        if (tr_field_kind_is_literal((enum tr_field_kind)kind))
            CHECK_OK(
                tr_field_pattern_compile(
                    &set,
                    tr_str_from(
                        tr_field_kind_row((enum tr_field_kind)kind)->pattern),
                    0, &patterns[kind], NULL),
                NULL);
    }
    for (size_t n = tr_test_scaled(400000); n > 0; n--) {
        const struct row *row = &rows[tr_test_random_below(TR_LEN(rows))];
        tr_arena_reset(&arena);
        check_random(patterns[row->kind], row, &arena);
    }
    tr_field_patterns_done(&set);
    tr_arena_done(&arena);
}
