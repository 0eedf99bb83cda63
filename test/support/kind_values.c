#include "support/kind_values.h"

#include "base/buf.h"
#include "base/test.h"

#include <stdlib.h>
#include <time.h>

/* Ordered; a row with the rank of the one before it is the same value. `json`
 * NULL: as the text, in quotes where the kind is a text. "": nobody can say it.
 */
struct row {
    int64_t rank;
    const char *text;
    const char *json;
    enum { PLAIN, CUT, OUT } how; /* as struct kind_value has it */
};

#define LONG                                                                   \
    "a text that is so long that a key cannot hold it all, so that what is "   \
    "behind its first hundred bytes matters in a digest "
#define DIGITS                                                                 \
    "1234567890123456789012345678901234567890123456789012345678901234567"

static const struct row texts[] = {
    {1, "", NULL, PLAIN},
    {2, "01", NULL, PLAIN},
    {3, "1", NULL, PLAIN},
    {4, "Z", NULL, PLAIN},
    {5, "a", NULL, PLAIN},
    {6, LONG "alone", NULL, CUT},
    {7, LONG "too", NULL, CUT},
    {8, "ab", NULL, PLAIN},
    {9, "abc", NULL, PLAIN},
    {10, "b", NULL, PLAIN},
    {11, "\xC3\xA9", "\"\\u00e9\"", PLAIN},
    {12, "\xEF\xBF\xBD", NULL, PLAIN},
    /* Before the one above as UTF-16 has it. */
    {13, "\xF0\x9F\x98\x80", "\"\\ud83d\\ude00\"", PLAIN},
};
static const struct row integers[] = {
    {1, "-9223372036854775809", NULL, PLAIN},
    {2, "-7", NULL, PLAIN},
    {3, "0", "-0", PLAIN},
    {3, "-0", "0.0", PLAIN},
    {4, "1", NULL, PLAIN},
    {4, "+1", "1.0", PLAIN},
    {4, "001", "10e-1", PLAIN},
    {5, "2", NULL, PLAIN},
    {6, "70", "7e1", PLAIN},
    {7, "9007199254740992", NULL, PLAIN},
    {8, "9007199254740993", NULL, PLAIN},
    {9, "9223372036854775808", NULL, PLAIN},
};
static const struct row numbers[] = {
    {1, "-INF", "", PLAIN},
    {2, "-1.5E0", "-1.5", PLAIN},
    {2, "-15e-1", "-0.15e1", PLAIN},
    {3, "0.0E0", "0", PLAIN},
    {3, "-0", "-0.0", PLAIN},
    {4, "5.0E-324", "5e-324", PLAIN},
    {4, "4.9E-324", "3e-324", PLAIN},
    {5, "1.0E-1", "0.1", PLAIN},
    {5, "0.1000000000000000055511151231257827", "0.10", PLAIN},
    {6, "1.0E0", "1", PLAIN},
    {6, "01", "1.0", PLAIN},
    {7, "2.5E0", "2.5", PLAIN},
    {8, "9.007199254740992E15", "9007199254740992", PLAIN},
    {8, "9007199254740993", "9007199254740993", PLAIN},
    {9, "1.0E22", "1e22", PLAIN},
    {10, "INF", "", PLAIN},
    {11, "NaN", "", OUT},
};
static const struct row booleans[] = {
    {1, "false", "false", PLAIN},
    {1, "0", "false", PLAIN},
    {2, "true", "true", PLAIN},
    {2, "1", "true", PLAIN},
};
static const struct row dates[] = {
    {0, "-123456789012-01-01", "", OUT}, {1, "0000-01-01", NULL, PLAIN},
    {2, "1969-12-31", NULL, PLAIN},      {3, "2024-02-29", NULL, PLAIN},
    {4, "2025-12-31", NULL, PLAIN},      {5, "2026-01-01+02:00", "", PLAIN},
    {6, "2026-01-01", NULL, PLAIN},      {7, "2026-01-01Z", "", PLAIN},
    {8, "9999-12-31", NULL, PLAIN},      {9, "123456789012-01-01", "", OUT},
};
static const struct row clocks[] = {
    {1, "00:00:00", NULL, PLAIN},
    {1, "24:00:00", "\"00:00:00.0\"", PLAIN},
    {2, "08:59:59.999999999999", NULL, PLAIN},
    {3, "09:00:00", NULL, PLAIN},
    {3, "09:00:00.000", NULL, PLAIN},
    {4, "09:00:00Z", "", PLAIN},
    {5, "09:00:00.5", "\"09:00:00.50\"", PLAIN},
    {6, "14:30:00", NULL, PLAIN},
    {7, "23:59:59", NULL, PLAIN},
};
static const struct row durations[] = {
    {1, "-P9999999999D", NULL, PLAIN},
    {2, "-P1D", NULL, PLAIN},
    {2, "-PT24H", "\"-PT1440M\"", PLAIN},
    {3, "-PT1.5S", "\"-PT1.50S\"", PLAIN},
    {4, "-PT1.25S", NULL, PLAIN},
    {5, "PT0S", "\"P0D\"", PLAIN},
    {5, "-PT0.0S", NULL, PLAIN},
    {6, "PT0.001S", NULL, PLAIN},
    {7, "PT1H", "\"PT60M\"", PLAIN},
    {7, "P0DT3600.00S", "\"PT3600S\"", PLAIN},
    {8, "PT1H30M", "\"PT90M\"", PLAIN},
    {9, "P1D", NULL, PLAIN},
    {10, "P1DT0.5S", NULL, PLAIN},
    {11, "P123456789012D", "", OUT},
};
static const struct row decimals[] = {
    {1, "-10", "-1e1", PLAIN},
    {2, "-9.9", NULL, PLAIN},
    {3, "-0.5", "\"-.5\"", PLAIN},
    {3, "-00.50", "-0.50", PLAIN},
    {4, "0", "\"-0.00\"", PLAIN},
    {5, "0.1", "\"+0.10\"", PLAIN},
    {6, "0.1000000000000000000001", NULL, PLAIN},
    {7, "1", "1", PLAIN},
    {7, "1.", "\"01.0\"", PLAIN},
    {8, "1.5", "1.50", PLAIN},
    {9, "9007199254740992.1", NULL, PLAIN},
    {10, "9007199254740992.2", NULL, PLAIN},
    {11, DIGITS ".1", NULL, CUT},
    {12, DIGITS ".2", NULL, CUT},
};
static const struct row uris[] = {
    {1, "HTTP://EXAMPLE.ORG", NULL, PLAIN},
    {2, "http://[::1]:80/", NULL, PLAIN},
    {3, "http://example.org/%20", NULL, PLAIN},
    {4, "http://example.org/a", NULL, PLAIN},
    {5, "mailto:ada@example.org", NULL, PLAIN},
    {6, "urn:isbn:0451450523", NULL, PLAIN},
};
static const struct row emails[] = {
    {1, "Ada.L+x@mail.example.org", NULL, PLAIN},
    {2, "ada@example.org", NULL, PLAIN},
    {3, "b@c.de", NULL, PLAIN},
};
/* Of these it is only asked whether there is one. */
static const struct row documents[] = {
    {1, "{\"a\":[1,null]}", "", PLAIN},
    {2, "null", "", PLAIN},
    {3, "[]", "", PLAIN},
};

#define ROWS(list) list, TR_LEN(list)

static const struct {
    const struct row *rows;
    size_t count;
    const char *odd; /* NULL: each text is a value */
} kinds[TR_FIELD_KINDS] = {
    [TR_FIELD_TEXT] = {ROWS(texts), NULL},
    [TR_FIELD_INTEGER] = {ROWS(integers), "1.5"},
    [TR_FIELD_NUMBER] = {ROWS(numbers), "one"},
    [TR_FIELD_BOOLEAN] = {ROWS(booleans), "yes"},
    [TR_FIELD_DATE] = {ROWS(dates), "2026-02-30"},
    [TR_FIELD_TIME] = {ROWS(clocks), "noon"},
    [TR_FIELD_DURATION] = {ROWS(durations), "P1M"},
    [TR_FIELD_DECIMAL] = {ROWS(decimals), "1e3"},
    [TR_FIELD_URI] = {ROWS(uris), NULL},
    [TR_FIELD_EMAIL] = {ROWS(emails), NULL},
    [TR_FIELD_JSON] = {ROWS(documents), NULL},
};

tr_rdf_term kind_value_term(enum tr_field_kind kind, tr_str text)
{
    return tr_rdf_term_typed(text,
                             tr_str_from(tr_field_kind_row(kind)->datatype));
}

static tr_str quoted(tr_str text, struct tr_arena *arena)
{
    struct tr_buf room;
    tr_str out;
    tr_buf_init(&room, TR_KIB(1));
    tr_buf_put_json(&room, text);
    CHECK(tr_arena_copy(arena, tr_buf_str(&room), &out));
    tr_buf_done(&room);
    return out;
}

static uint64_t choice;

void kind_values_narrow(uint64_t new_choice)
{
    choice = new_choice;
}

/* One of so many: three of them are frequent. */
static size_t pick(size_t count)
{
    size_t from = tr_test_random_below(8) ? 3 : count;
    return (choice + tr_test_random_below(from)) % count;
}

/* Times ------------------------------------------------------------------- */

/* Around New Year, in which many offsets meet: of two that are one instant the
 * texts have nothing in common. */
static struct kind_value random_time(struct tr_arena *arena)
{
    static const int days[] = {-1, 0, 0, 1, 400};
    static const int minutes[] = {0, 0, 1, 720, 1439};
    static const char *const fractions[] = {"", "", ".0", ".5", ".500", ".125"};
    const char *fraction = fractions[pick(TR_LEN(fractions))];
    int offset = (int)tr_test_random_below(2 * 840 + 1) - 840;
    bool is_utc = tr_test_random_below(3) == 0;
    char text[64];
    char clock[32];
    struct tm tm;
    offset = is_utc ? 0 : offset;
    time_t instant = 1767225600 + days[pick(TR_LEN(days))] * 86400L +
                     minutes[pick(TR_LEN(minutes))] * 60L;
    time_t local = instant + offset * 60L;
    CHECK(gmtime_r(&local, &tm) != NULL);
    (void)strftime(clock, sizeof(clock), "%Y-%m-%dT%H:%M:%S", &tm);
    if (is_utc)
        (void)snprintf(text, sizeof(text), "%s%sZ", clock, fraction);
    else
        (void)snprintf(text, sizeof(text), "%s%s%c%02d:%02d", clock, fraction,
                       offset < 0 ? '-' : '+', abs(offset) / 60,
                       abs(offset) % 60);
    struct kind_value value = {0};
    CHECK(tr_arena_copy(arena, tr_str_from(text), &value.text));
    for (char *at = text; *at && tr_test_random_below(4) == 0; at++)
        *at = *at == 'T' ? 't' : *at == 'Z' ? 'z' : *at;
    value.json = quoted(tr_str_from(text), arena);
    return value;
}

/* Of a text as above, without an offset too; libc knows the calendar. */
static bool find_time(tr_str text, int64_t *rank)
{
    char copy[64] = "";
    char fraction[16] = "0";
    struct tm tm = {0};
    double part;
    char *end = NULL;
    long hours = 0;
    long minutes = 0;
    if (text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.ptr, text.len);
    const char *rest = strptime(copy, "%Y-%m-%dT%H:%M:%S", &tm);
    if (!rest)
        return false;
    size_t len = *rest == '.' ? strspn(rest, ".0123456789") : 0;
    CHECK(len < sizeof(fraction) - 1);
    memcpy(fraction + 1, rest, len);
    part = strtod(fraction, NULL);
    rest += len;
    if (*rest == '+' || *rest == '-') {
        hours = strtol(rest + 1, &end, 10);
        minutes = strtol(end + 1, NULL, 10);
    }
    int64_t offset = 60 * (60 * hours + minutes);
    int64_t seconds = timegm(&tm) - (*rest == '-' ? -offset : offset);
    *rank = 2 * (1000 * seconds + (int64_t)(1000 * part)) + (*rest != '\0');
    return true;
}

/* Values ------------------------------------------------------------------ */

static struct kind_value value_of(enum tr_field_kind kind,
                                  const struct row *row, struct tr_arena *arena)
{
    const char *type = tr_field_kind_row(kind)->json_type;
    tr_str text = tr_str_from(row->text);
    bool is_text = type && strcmp(type, "string") == 0;
    return (struct kind_value){
        .rank = row->rank,
        .text = text,
        .is_cut = row->how == CUT,
        .is_out = row->how == OUT,
        .json = row->json          ? tr_str_from(row->json)
                : is_text && arena ? quoted(text, arena)
                                   : text,
    };
}

static const struct row *random_row(enum tr_field_kind kind)
{
    if (kinds[kind].count == 0)
        print_error("test/support/kind_values.c has no values of %s\n",
                    tr_field_kind_name(kind));
    CHECK(kinds[kind].count > 0);
    return &kinds[kind].rows[pick(kinds[kind].count)];
}

struct kind_value kind_value_random(enum tr_field_kind kind,
                                    struct tr_arena *arena)
{
    if (kind != TR_FIELD_DATETIME)
        return value_of(kind, random_row(kind), arena);
    struct kind_value value = random_time(arena);
    /* One that was imported may have no offset. */
    if (tr_test_random_below(8) == 0) {
        value.text.len = sizeof("2026-01-01T00:00:00") - 1;
        value.json = TR_STR("");
    }
    CHECK(find_time(value.text, &value.rank));
    return value;
}

struct kind_value kind_value_to_ask(enum tr_field_kind kind,
                                    struct tr_arena *arena)
{
    struct kind_value value;
    do {
        value = kind_value_random(kind, arena);
    } while (!value.json.len);
    return value;
}

bool kind_value_odd(enum tr_field_kind kind, tr_rdf_term *out)
{
    const char *text =
        kind == TR_FIELD_DATETIME ? "yesterday" : kinds[kind].odd;
    if (text)
        *out = kind_value_term(kind, tr_str_from(text));
    return text != NULL;
}

static bool find_text(enum tr_field_kind kind, tr_str text,
                      struct kind_value *out)
{
    *out = (struct kind_value){.text = text};
    if (kind == TR_FIELD_DATETIME)
        return find_time(text, &out->rank);
    for (size_t i = 0; i < kinds[kind].count; i++) {
        if (tr_str_eq(tr_str_from(kinds[kind].rows[i].text), text)) {
            *out = value_of(kind, &kinds[kind].rows[i], NULL);
            return true;
        }
    }
    return false;
}

bool kind_value_find(enum tr_field_kind kind, const tr_rdf_term *term,
                     struct kind_value *out)
{
    tr_rdf_term odd;
    if (term->kind != TR_RDF_TERM_LITERAL || term->language.len ||
        !tr_str_eq(term->datatype,
                   tr_str_from(tr_field_kind_row(kind)->datatype)))
        return false;
    bool found = find_text(kind, term->text, out);
    /* Else a value is stored that this file does not know. */
    CHECK(found ||
          (kind_value_odd(kind, &odd) && tr_str_eq(odd.text, term->text)));
    return found;
}

/* Doubles are shown as JSON spells them. */
static bool find_number(double number, struct kind_value *out)
{
    for (size_t i = 0; i < TR_LEN(numbers); i++) {
        double other = strtod(numbers[i].text, NULL);
        *out = value_of(TR_FIELD_NUMBER, &numbers[i], NULL);
        if (number >= other && number <= other)
            return true;
    }
    return false;
}

bool kind_value_read(enum tr_field_kind kind, const struct tr_json *shown,
                     struct kind_value *out)
{
    const struct tr_json *value = shown;
    char text[64] = "";
    if (shown->kind == TR_JSON_BOOL)
        return find_text(kind,
                         (shown->flags & TR_JSON_TRUE) ? TR_STR("true")
                                                       : TR_STR("false"),
                         out);
    if (shown->kind == TR_JSON_OBJECT) /* what JSON has no number for */
        value = tr_json_find(shown, TR_STR("value"));
    if (!value)
        return false;
    if (kind != TR_FIELD_NUMBER || value->kind != TR_JSON_NUMBER)
        return find_text(kind, tr_json_text(value), out);
    CHECK(value->len < sizeof(text));
    memcpy(text, value->as.text, value->len);
    return find_number(strtod(text, NULL), out);
}
