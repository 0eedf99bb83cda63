#include "fields/pattern.h"

#include "base/limits.h"
#include "base/test.h"

static tr_status search(const char *source, tr_str subject, unsigned flags,
                        struct tr_field_pattern_hit *hit)
{
    struct tr_arena arena;
    struct tr_field_patterns set = {0};
    const struct tr_field_pattern *pattern = NULL;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(8));
    CHECK_OK(tr_field_pattern_compile(&set, tr_str_from(source), flags,
                                      &pattern, &err),
             &err);
    tr_status st =
        tr_field_pattern_find(pattern, subject, 0, &arena, hit, &err);
    tr_field_patterns_done(&set);
    tr_arena_done(&arena);
    return st;
}

static const struct {
    const char *source;
    tr_str subject;
    bool found;
} searches[] = {
    {"^REQ-\\d+$", TR_STR_INIT("REQ-12"), true},
    {"^REQ-\\d+$", TR_STR_INIT("REQ-"), false},
    {"\\d", TR_STR_INIT("abc7def"), true}, /* unanchored */
    {"^a$", TR_STR_INIT("a\n"), false},    /* $ is the very end */
    {"^a$", TR_STR_INIT("b\na"), false},
    {"^.$", TR_STR_INIT("\xC3\xA9"), true}, /* a code point */
    {"^.$", TR_STR_INIT("\xF0\x9F\x90\xB2"), true},
    {"^\\d$", TR_STR_INIT("\xD9\xA3"), false}, /* ASCII digits only */
    {"^\\w$", TR_STR_INIT("\xC3\xA9"), false},
    {"^\\u00e9$", TR_STR_INIT("\xC3\xA9"), true},
    {"^\\u{1F432}$", TR_STR_INIT("\xF0\x9F\x90\xB2"), true},
    {"^\\p{Letter}+$", TR_STR_INIT("\xC3\xA9t\xC3\xA9"), true},
    {"^\\p{General_Category=Letter}$", TR_STR_INIT("1"), false},
    {"^\\P{gc=Decimal_Number}$", TR_STR_INIT("x"), true},
    {"^\\\\p{Letter}$", TR_STR_INIT("\\p{Letter}"), true},
    {"^[]$", TR_STR_INIT("x"), false}, /* an empty class matches nothing */
    {"(a)?\\1b", TR_STR_INIT("b"), true},
    {"", TR_STR_INIT(""), true},
    {"a", {NULL, 0}, false},
    {"a.c", TR_STR_INIT("a\0c"), true},
};

TEST(patterns_search_as_json_schema_has_it)
{
    for (size_t i = 0; i < TR_LEN(searches); i++) {
        struct tr_field_pattern_hit hit;
        CHECK_OK(search(searches[i].source, searches[i].subject, 0, &hit),
                 NULL);
        CHECK_ROW((hit.count > 0) == searches[i].found, searches[i].source);
    }
}

TEST(a_hit_tells_where_and_which_groups)
{
    struct tr_field_pattern_hit hit;
    CHECK_OK(search("(\\w+)@(x)?(\\w+)", TR_STR("to ann@home now"), 0, &hit),
             NULL);
    CHECK_INT(hit.count, 4);
    CHECK(hit.at[0].from == 3 && hit.at[0].to == 11);
    CHECK(hit.at[1].from == 3 && hit.at[1].to == 6);
    CHECK(hit.at[2].from > hit.at[2].to); /* not set */
    CHECK(hit.at[3].from == 7 && hit.at[3].to == 11);
    CHECK_OK(search("ANN", TR_STR("ann"), TR_FIELD_PATTERN_CASELESS, &hit),
             NULL);
    CHECK_INT(hit.count, 1);
    CHECK_OK(search("^.$", TR_STR("\xff"), TR_FIELD_PATTERN_BYTES, &hit), NULL);
    CHECK_INT(hit.count, 1);
}

TEST(more_groups_than_there_is_room_for_are_left_out)
{
    struct tr_field_pattern_hit hit;
    char source[3 * 40 + 1];
    for (size_t i = 0; i < 40; i++)
        memcpy(source + 3 * i, "(a)", 3);
    source[sizeof(source) - 1] = '\0';
    CHECK_OK(search(source,
                    TR_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), 0,
                    &hit),
             NULL);
    CHECK_INT(hit.count, TR_FIELD_PATTERN_GROUPS);
}

TEST(a_pattern_that_does_not_compile_says_where)
{
    static const char *const wrong[] = {
        "(", "[", "a**", "\\", "(?<", "\\p{Nope}", "a{2,1}", "(?P<x", "\\C"};
    for (size_t i = 0; i < TR_LEN(wrong); i++) {
        struct tr_field_patterns set = {0};
        const struct tr_field_pattern *pattern = NULL;
        struct tr_err err = {0};
        CHECK_ROW(tr_field_pattern_compile(&set, tr_str_from(wrong[i]), 0,
                                           &pattern, &err) == TR_E_INVALID,
                  wrong[i]);
        CHECK_ROW(strstr(err.msg, " at byte ") != NULL, wrong[i]);
        CHECK(pattern == NULL && set.newest == NULL);
    }
}

TEST(a_pattern_has_a_maximum_length)
{
    struct tr_field_patterns set = {0};
    const struct tr_field_pattern *pattern = NULL;
    char *source = calloc(1, TR_LIMIT_PATTERN_BYTES + 1);
    if (!source)
        abort();
    memset(source, 'a', TR_LIMIT_PATTERN_BYTES + 1);
    CHECK_OK(tr_field_pattern_compile(&set,
                                      (tr_str){source, TR_LIMIT_PATTERN_BYTES},
                                      0, &pattern, NULL),
             NULL);
    CHECK_INT(tr_field_pattern_compile(
                  &set, (tr_str){source, TR_LIMIT_PATTERN_BYTES + 1}, 0,
                  &pattern, NULL),
              TR_E_LIMIT);
    tr_field_patterns_done(&set);
    free(source);
}

TEST(a_crafted_text_is_stopped_and_is_no_match)
{
    static const char *const bombs[] = {"^(a+)+$", "(a|aa)+$",
                                        "^(([a-z])+.)+[A-Z]$", "(.*a){20}$"};
    char subject[64];
    memset(subject, 'a', sizeof(subject));
    subject[sizeof(subject) - 1] = '!';
    for (size_t i = 0; i < TR_LEN(bombs); i++) {
        struct tr_field_pattern_hit hit = {.count = 7};
        CHECK_ROW(search(bombs[i], (tr_str){subject, sizeof(subject)}, 0,
                         &hit) == TR_E_LIMIT,
                  bombs[i]);
        CHECK(hit.count == 0);
    }
}

/* Quadratic: each start is cheap, all of them together are not. */
TEST(a_long_text_gets_less_work_per_place)
{
    struct tr_field_pattern_hit hit;
    size_t len = TR_LIMIT_PATTERN_SUBJECT;
    char *subject = calloc(1, len + 1);
    if (!subject)
        abort();
    memset(subject, 'a', len + 1);
    CHECK_INT(search("(?:a|b)*c", (tr_str){subject, len}, 0, &hit), TR_E_LIMIT);
    CHECK_OK(search("^[a-z]+$", (tr_str){subject, len}, 0, &hit), NULL);
    CHECK_INT(hit.count, 1);
    CHECK_INT(search("a", (tr_str){subject, len + 1}, 0, &hit), TR_E_LIMIT);
    free(subject);
}

TEST(a_text_that_is_not_utf_8_is_refused)
{
    struct tr_field_pattern_hit hit;
    CHECK_INT(search("a", TR_STR("a\xff"), 0, &hit), TR_E_INVALID);
}

static tr_status compile_and_match(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_field_patterns set = {0};
    const struct tr_field_pattern *pattern = NULL;
    bool found;
    (void)context;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status st =
        tr_field_pattern_compile(&set, TR_STR("^(a|b)+c"), 0, &pattern, err);
    if (st == TR_OK)
        st =
            tr_field_pattern_match(pattern, TR_STR("abc"), &arena, &found, err);
    tr_field_patterns_done(&set);
    tr_arena_done(&arena);
    return st;
}

TEST(patterns_survive_without_memory)
{
    struct tr_arena full;
    struct tr_field_patterns set = {0};
    const struct tr_field_pattern *pattern = NULL;
    bool found;
    tr_test_sweep(compile_and_match, NULL);
    CHECK_OK(tr_field_pattern_compile(&set, TR_STR("a"), 0, &pattern, NULL),
             NULL);
    tr_arena_init(&full, 0);
    CHECK_INT(tr_field_pattern_match(pattern, TR_STR("a"), &full, &found, NULL),
              TR_E_NOMEM);
    tr_field_patterns_done(&set);
}

/* test/interop/pattern_test.mjs has more, and lets JavaScript judge. */
TEST(what_not_everybody_reads_alike_is_refused_with_its_place)
{
    static const struct {
        const char *pattern;
        const char *says; /* NULL: it is taken */
    } dialect[] = {
        {"^[a-z]+(?:-\\d{2,})?$", NULL},
        {"[\\w\\-.]|\\p{Letter}", NULL},
        {"(?i)a", "a group of a kind that ECMA-262 does not have, at byte 0"},
        {"ab\\h", "an escape that not everybody reads alike, at byte 2"},
        {"a++", "a quantifier after nothing that can be repeated, at byte 2"},
        {"[a-z-[aeiou]]", "the subtraction of a class, at byte 4"},
        {"[\\w-.]", "a range from or to a set; write \\- for the character, at "
                    "byte 3"},
        {"\\p{Greek}", "a property of characters that ECMA-262 does not have, "
                       "at byte 0"},
        {"(a)(b)(c)(d)(e)(f)(g)(h)(i)(?<j>j)\\10", NULL},
        {"(a)(?:b)(?=c)\\1", NULL},
        {"(a)(?:b)(?=c)\\2", "a reference to a group that there is not, at "
                             "byte 13"},
        {"(a)\\12", "a reference to a group that there is not, at byte 3"},
        {"\\99999999999999999999999(a)", "a reference to a group that there is "
                                         "not, at byte 0"},
        {"a\\-", "an escape that not everybody reads alike, at byte 1"},
    };
    for (size_t i = 0; i < TR_LEN(dialect); i++) {
        struct tr_err err = {0};
        tr_status st = tr_field_pattern_check(tr_str_from(dialect[i].pattern),
                                              false, &err);
        CHECK_ROW((st == TR_OK) == !dialect[i].says, dialect[i].pattern);
        CHECK_ROW(!dialect[i].says || strstr(err.msg, dialect[i].says),
                  dialect[i].pattern);
    }
    CHECK_OK(tr_field_pattern_check(TR_STR("a\\-"), true, NULL), NULL);
}
