#include "rest/tag.h"

#include "base/test.h"

TEST(a_list_has_a_tag_or_not)
{
    static const struct {
        const char *list;
        bool has;
    } rows[] = {
        {"W/\"abc\"", true},
        {"\"abc\"", true}, /* compared weakly */
        {"*", true},
        {" * ", true},
        {"\"a\", W/\"abc\" ,\"b\"", true},
        {",,W/\"abc\",", true},
        {"\"abc\",\"abc\"", true},
        {"", false},
        {",", false},
        {"\"", false},
        {"\"\"", false},
        {"W/", false},
        {"W/\"", false},
        {"abc", false},
        {"\"abc", false},
        {"abc\"", false},
        {"w/\"abc\"", false},
        {"W/ \"abc\"", false},
        {"\"W/abc\"", false},
        {"\"ab\"", false},
        {"\"abcd\"", false},
        {"\"ABC\"", false},
        {"\"*\"", false},
        {"*, \"a\"", false},
        {"\"a,abc\"", false},
        {"\"abc\" \"b\"", false},
        {"'abc'", false},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(tr_rest_tag_is_in(TR_STR("W/\"abc\""),
                                    tr_str_from(rows[i].list)) == rows[i].has,
                  rows[i].list);
}
