#include "fields/kind.h"

#include "base/test.h"
#include "fields/pattern.h"

TEST(field_kinds_all_have_a_row_of_their_own)
{
    for (int i = 0; i < TR_FIELD_KINDS; i++) {
        const struct tr_field_kind_row *row =
            tr_field_kind_row((enum tr_field_kind)i);
        CHECK(row->name && row->expected && row->datatype && row->short_name);
        CHECK(tr_str_eq(tr_str_from(tr_field_kind_name((enum tr_field_kind)i)),
                        tr_str_from(row->name)));
        for (int k = 0; k < i; k++)
            CHECK_ROW(strcmp(row->name,
                             tr_field_kind_row((enum tr_field_kind)k)->name) !=
                          0,
                      row->name);
    }
}

TEST(field_kinds_name_the_type_that_their_datatype_has)
{
    for (int i = 0; i < TR_FIELD_KINDS; i++) {
        const struct tr_field_kind_row *row =
            tr_field_kind_row((enum tr_field_kind)i);
        CHECK_ROW(tr_rdf_xsd_type_of(tr_str_from(row->datatype)) == row->xsd,
                  row->name);
    }
}

/* A pattern that other programs read otherwise would be refused by schemas. */
TEST(field_kinds_have_patterns_that_all_engines_read_alike)
{
    for (int i = 0; i < TR_FIELD_KINDS; i++) {
        const struct tr_field_kind_row *row =
            tr_field_kind_row((enum tr_field_kind)i);
        if (row->pattern)
            CHECK_ROW(tr_field_pattern_check(tr_str_from(row->pattern), false,
                                             NULL) == TR_OK,
                      row->name);
    }
}
