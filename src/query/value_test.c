#include "query/value.h"

#include "base/test.h"
#include "fields/kind.h"

/* A range by an index does not come by them, so no other does. */
TEST(query_values_that_are_out_of_all_ranges_are_told)
{
    static const struct {
        const char *text;
        enum tr_field_kind kind;
        bool has_place;
    } rows[] = {
        {"1.0E0", TR_FIELD_NUMBER, true},
        {"-INF", TR_FIELD_NUMBER, true},
        {"NaN", TR_FIELD_NUMBER, false},
        {"2026-01-01T00:00:00Z", TR_FIELD_DATETIME, true},
        {"123456789012-01-01T00:00:00Z", TR_FIELD_DATETIME, false},
        {"2026-01-01", TR_FIELD_DATE, true},
        {"-123456789012-01-01", TR_FIELD_DATE, false},
        {"P9999999999D", TR_FIELD_DURATION, true},
        {"P123456789012D", TR_FIELD_DURATION, false},
        {"NaN", TR_FIELD_TEXT, true},
        {"00:00:00", TR_FIELD_TIME, true},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_field field = {.kind = rows[i].kind};
        const tr_rdf_term term = tr_rdf_term_typed(
            tr_str_from(rows[i].text),
            tr_str_from(tr_field_kind_row(rows[i].kind)->datatype));
        struct tr_query_value value;
        CHECK_ROW(tr_query_value_of(&field, &term, &value), rows[i].text);
        CHECK_ROW(tr_query_value_has_place(&value) == rows[i].has_place,
                  rows[i].text);
    }
}
