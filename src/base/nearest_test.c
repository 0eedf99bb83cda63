#include "base/nearest.h"

#include "base/test.h"

/* How far a word that is offered is away, however far that is. */
static size_t distance(tr_str typed, tr_str known)
{
    struct tr_nearest nearest = {.typed = typed, .distance = SIZE_MAX};
    tr_nearest_offer(&nearest, known);
    return nearest.distance;
}

TEST(edit_distance_counts_single_steps)
{
    static const struct {
        const char *a;
        const char *b;
        size_t distance;
    } rows[] = {
        {"", "", 0},           {"", "abc", 3},
        {"abc", "", 3},        {"abc", "abc", 0},
        {"abc", "abd", 1},     {"abc", "ab", 1},
        {"abc", "abcd", 1},    {"abc", "xabc", 1},
        {"ab", "ba", 1},       {"abcd", "acbd", 1},
        {"abcd", "badc", 2},   {"kitten", "sitting", 3},
        {"ca", "abc", 3},      {"limit", "limti", 1},
        {"Limit", "limit", 1}, {"saturday", "sunday", 3},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_str a = tr_str_from(rows[i].a);
        tr_str b = tr_str_from(rows[i].b);
        CHECK_ROW(distance(a, b) == rows[i].distance, rows[i].a);
        CHECK_ROW(distance(b, a) == rows[i].distance, rows[i].a);
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The recursive definition, without a matrix: decide on the last letters. */
static size_t naive_distance(tr_str a, tr_str b)
{
    if (a.len == 0 || b.len == 0)
        return a.len + b.len;
    tr_str a1 = {a.ptr, a.len - 1};
    tr_str b1 = {b.ptr, b.len - 1};
    bool same = a.ptr[a1.len] == b.ptr[b1.len];
    size_t best = naive_distance(a1, b1) + !same;
    best = least(best, naive_distance(a1, b) + 1);
    best = least(best, naive_distance(a, b1) + 1);
    if (a.len > 1 && b.len > 1 && a.ptr[a1.len] == b.ptr[b1.len - 1] &&
        a.ptr[a1.len - 1] == b.ptr[b1.len]) {
        tr_str a2 = {a.ptr, a.len - 2};
        tr_str b2 = {b.ptr, b.len - 2};
        best = least(best, naive_distance(a2, b2) + 1);
    }
    return best;
}

static tr_str random_word(char *storage, size_t max)
{
    size_t len = tr_test_random_below(max + 1);
    for (size_t i = 0; i < len; i++)
        storage[i] = (char)('a' + tr_test_random_below(3));
    return (tr_str){storage, len};
}

TEST(edit_distance_agrees_with_its_definition)
{
    size_t count = tr_test_scaled(4000);
    for (size_t i = 0; i < count; i++) {
        char a[6];
        char b[6];
        tr_str left = random_word(a, sizeof(a));
        tr_str right = random_word(b, sizeof(b));
        CHECK_INT(distance(left, right), naive_distance(left, right));
    }
}

TEST(edit_distance_compares_long_words_by_their_start)
{
    char a[200];
    char b[200];
    memset(a, 'a', sizeof(a));
    memset(b, 'a', sizeof(b));
    b[64] = 'b';
    CHECK_INT(distance((tr_str){a, 200}, (tr_str){b, 200}), 0);
    b[63] = 'b';
    CHECK_INT(distance((tr_str){a, 200}, (tr_str){b, 200}), 1);
    CHECK_INT(distance((tr_str){a, 200}, TR_STR("")), 64);
    memset(b, 'b', sizeof(b));
    CHECK_INT(distance((tr_str){a, 64}, (tr_str){b, 64}), 64);
}

static tr_str nearest_of(const char *typed, const char *const *words,
                         size_t count)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, tr_str_from(typed));
    for (size_t i = 0; i < count; i++)
        tr_nearest_offer(&nearest, tr_str_from(words[i]));
    return nearest.best;
}

TEST(nearest_is_the_closest_word_and_the_first_of_equals)
{
    static const char *const words[] = {"listen", "listed", "limit",
                                        "level",  "path",   "a"};
    static const struct {
        const char *typed;
        const char *best;
    } rows[] = {
        {"listem", "listen"}, {"listne", "listen"}, {"liste", "listen"},
        {"limits", "limit"},  {"lim", ""},          {"pth", "path"},
        {"paht", "path"},     {"level", "level"},   {"b", "a"},
        {"bananas", ""},      {"xyz", ""},          {"lisstenn", "listen"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_str best = nearest_of(rows[i].typed, words, TR_LEN(words));
        CHECK_ROW(tr_str_eq(best, tr_str_from(rows[i].best)), rows[i].typed);
    }
}

TEST(nearest_of_nothing_is_empty)
{
    CHECK_INT(nearest_of("word", NULL, 0).len, 0);
}
