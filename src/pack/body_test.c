#include "base/limits.h"
#include "base/test.h"
#include "support/bodies.h"

#define TRUE_VALUE  TR_STR("\x03")
#define FALSE_VALUE TR_STR("\x02")

/* These bytes stand in stores: they must not change. */
TEST(body_has_a_version_and_sorted_statements)
{
    struct tr_buf body;
    tr_pack_change changes[] = {
        body_add(1, FALSE_VALUE, 0),
        body_add(1, TRUE_VALUE, 0),
        body_add(1, TRUE_VALUE, 300),
        body_add(200,
                 TR_STR("\x06"
                        "abc"),
                 0),
    };
    tr_buf_init(&body, TR_KIB(1));
    body_apply(&body, changes, TR_LEN(changes));
    CHECK(tr_str_eq(tr_buf_str(&body), TR_STR("\x01"
                                              "\x02\x01\x02"
                                              "\x02\x01\x03"
                                              "\x03\xAC\x02\x01\x03"
                                              "\x90\x03\x04\x06"
                                              "abc")));
    size_t len = 1;
    for (size_t i = 0; i < TR_LEN(changes); i++) {
        CHECK_INT(changes[i].done, TR_PACK_CHANGED);
        len += tr_pack_statement_len(&changes[i].statement);
    }
    CHECK_INT(len, body.len);
    tr_buf_done(&body);
}

TEST(body_without_statements_is_its_version)
{
    struct tr_buf body;
    tr_pack_statement statement;
    tr_buf_init(&body, TR_KIB(1));
    body_apply(&body, NULL, 0);
    CHECK(tr_str_eq(tr_buf_str(&body), TR_STR("\x01")));
    struct tr_pack_cursor cursor = tr_pack_body_open(tr_buf_str(&body));
    CHECK(!tr_pack_cursor_next(&cursor, &statement));
    CHECK_OK(tr_pack_cursor_close(&cursor, NULL), NULL);
    tr_buf_done(&body);
}

TEST(body_tells_which_changes_changed_something)
{
    struct tr_buf body;
    tr_buf_init(&body, TR_KIB(1));
    tr_pack_change first[] = {body_add(1, TRUE_VALUE, 0),
                              body_add(1, TRUE_VALUE, 0),
                              body_add(2, TRUE_VALUE, 7)};
    body_apply(&body, first, TR_LEN(first));
    CHECK_INT(first[0].done, TR_PACK_CHANGED);
    CHECK_INT(first[1].done, TR_PACK_SAME);
    tr_pack_change second[] = {
        body_drop(1, FALSE_VALUE, 0), body_add(1, TRUE_VALUE, 0),
        body_drop(2, TRUE_VALUE, 0),  body_drop(2, TRUE_VALUE, 7),
        body_drop(2, TRUE_VALUE, 7),  body_add(3, TRUE_VALUE, 0),
        body_drop(3, TRUE_VALUE, 0)};
    body_apply(&body, second, TR_LEN(second));
    CHECK_INT(second[0].done, TR_PACK_SAME);
    CHECK_INT(second[1].done, TR_PACK_SAME);
    CHECK_INT(second[2].done, TR_PACK_SAME);
    CHECK_INT(second[3].done, TR_PACK_CHANGED);
    CHECK_INT(second[4].done, TR_PACK_SAME);
    CHECK_INT(second[5].done, TR_PACK_CHANGED);
    CHECK_INT(second[6].done, TR_PACK_CHANGED);
    CHECK(tr_str_eq(tr_buf_str(&body), TR_STR("\x01\x02\x01\x03")));
    tr_buf_done(&body);
}

/* Whoever removes a long value does not know its row, and is told. */
TEST(body_tells_the_row_of_a_long_value)
{
    struct tr_buf body;
    char stored[TR_PACK_LONG_MAX];
    char asked[TR_PACK_LONG_MAX];
    struct tr_buf old;
    struct tr_buf other;
    struct tr_pack_value value;
    static char text[TR_PACK_VALUE_MAX + 1] = {TR_PACK_STRING};
    tr_str whole = {text, sizeof(text)};
    tr_buf_init(&body, TR_KIB(1));
    tr_buf_init_fixed(&old, stored, sizeof(stored));
    tr_buf_init_fixed(&other, asked, sizeof(asked));
    tr_pack_value_put_long(&old, whole, 77);
    tr_pack_value_put_long(&other, whole, 1);
    tr_pack_change first = body_add(1, tr_buf_str(&old), 0);
    body_apply(&body, &first, 1);
    tr_pack_change again = body_add(1, tr_buf_str(&other), 0);
    body_apply(&body, &again, 1);
    CHECK_INT(again.done, TR_PACK_SAME);
    tr_pack_change last = body_drop(1, tr_buf_str(&other), 0);
    struct tr_buf out;
    tr_buf_init(&out, TR_KIB(1));
    CHECK_OK(tr_pack_body_apply(tr_buf_str(&body), &last, 1, &out, NULL), NULL);
    CHECK_INT(last.done, TR_PACK_CHANGED);
    CHECK_OK(tr_pack_value_get(last.stored, &value, NULL), NULL);
    CHECK_INT(value.number, 77);
    tr_buf_done(&out);
    tr_buf_done(&body);
}

TEST(body_finds_the_statements_of_a_predicate)
{
    tr_str body = TR_STR("\x01\x02\x01\x02\x02\x01\x03\x06\x01\x02\x08\x00");
    tr_pack_statement statement;
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    CHECK(tr_pack_cursor_next_of(&cursor, 1, &statement));
    CHECK(tr_pack_cursor_next_of(&cursor, 1, &statement));
    CHECK(tr_str_eq(statement.v, TRUE_VALUE));
    CHECK(!tr_pack_cursor_next_of(&cursor, 1, &statement));
    CHECK(!tr_pack_cursor_next_of(&cursor, 2, &statement));
    CHECK(tr_pack_cursor_next_of(&cursor, 3, &statement));
    CHECK_INT(statement.p, 3);
    CHECK(tr_pack_cursor_next_of(&cursor, 4, &statement));
    CHECK_INT(statement.v.len, 0);
    CHECK(!tr_pack_cursor_next_of(&cursor, 5, &statement));
    CHECK_OK(tr_pack_cursor_close(&cursor, NULL), NULL);
}

TEST(body_refuses_what_is_none)
{
    static const struct {
        const char *why;
        tr_str body;
    } rows[] = {
        {"nothing", TR_STR_INIT("")},
        {"another version", TR_STR_INIT("\x02")},
        {"predicate 0", TR_STR_INIT("\x01\x00\x01\x03")},
        {"predicate too large",
         TR_STR_INIT("\x01\x80\x80\x80\x80\x80\x80\x80\x80\x10\x01\x03")},
        {"half a predicate", TR_STR_INIT("\x01\x82")},
        {"a longer form than needed", TR_STR_INIT("\x01\x82\x00\x01\x03")},
        {"no length", TR_STR_INIT("\x01\x02")},
        {"no graph", TR_STR_INIT("\x01\x03")},
        {"graph 0", TR_STR_INIT("\x01\x03\x00\x01\x03")},
        {"half a value", TR_STR_INIT("\x01\x02\x02\x03")},
        {"a value without end",
         TR_STR_INIT("\x01\x02\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x03")},
        {"a mark with a graph", TR_STR_INIT("\x01\x03\x05\x00")},
        {"a mark twice", TR_STR_INIT("\x01\x02\x00\x02\x00")},
        {"a mark and a statement", TR_STR_INIT("\x01\x02\x00\x02\x01\x03")},
        {"a statement and a mark", TR_STR_INIT("\x01\x02\x01\x03\x02\x00")},
        {"predicates not sorted", TR_STR_INIT("\x01\x04\x01\x03\x02\x01\x03")},
        {"values not sorted", TR_STR_INIT("\x01\x02\x01\x03\x02\x01\x02")},
        {"graphs not sorted",
         TR_STR_INIT("\x01\x03\x06\x01\x03\x03\x05\x01\x03")},
        {"a graph before the default one",
         TR_STR_INIT("\x01\x03\x05\x01\x03\x02\x01\x03")},
        {"a statement twice", TR_STR_INIT("\x01\x02\x01\x03\x02\x01\x03")},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(1));
        CHECK_ROW(body_check(rows[i].body, &err) == TR_E_IO, rows[i].why);
        CHECK_ROW(strncmp(err.msg, "the store is damaged: ", 22) == 0, err.msg);
        if (rows[i].body.len)
            CHECK_ROW(tr_pack_body_apply(rows[i].body, NULL, 0, &out, NULL) ==
                          TR_E_IO,
                      rows[i].why);
        tr_buf_done(&out);
    }
}

TEST(body_refuses_changes_that_are_our_mistake)
{
    static const char long_value[TR_PACK_VALUE_MAX + 1];
    struct {
        tr_pack_change changes[2];
    } rows[] = {
        {{body_add(0, TRUE_VALUE, 0), body_add(1, TRUE_VALUE, 0)}},
        {{body_add(1, TRUE_VALUE, 0),
          body_add(TR_PACK_NUMBER_MAX + 1, TRUE_VALUE, 0)}},
        {{body_add(1, TRUE_VALUE, 0),
          body_add(1, TRUE_VALUE, TR_PACK_NUMBER_MAX + 1)}},
        {{body_add(1, TRUE_VALUE, 0), body_add(2, TR_STR(""), 0)}},
        {{body_add(1, TRUE_VALUE, 0),
          body_add(2, (tr_str){long_value, sizeof(long_value)}, 0)}},
        {{body_add(2, TRUE_VALUE, 0), body_add(1, TRUE_VALUE, 0)}},
        {{body_add(1, TRUE_VALUE, 0), body_add(1, FALSE_VALUE, 0)}},
        {{body_add(1, TRUE_VALUE, 5), body_add(1, TRUE_VALUE, 0)}},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(4));
        CHECK_INT(
            tr_pack_body_apply(TR_STR("\x01"), rows[i].changes, 2, &out, NULL),
            TR_E_INTERNAL);
        tr_buf_done(&out);
    }
}
