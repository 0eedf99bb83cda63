#include "base/diff.h"

#include "base/limits.h"
#include "base/test.h"

static const struct {
    const char *row;
    const char *from;
    const char *to;
    const char *diff; /* without its first two lines */
} rows[] = {
    {"a line more", "a\nb\n", "a\nx\nb\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n"},
    {"a line less", "a\nb\n", "b\n", "@@ -1,2 +1 @@\n-a\n b\n"},
    {"another line", "a\nb\nc\n", "a\nx\nc\n",
     "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
    {"all is new", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
    {"all is gone", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
    {"an end of line more", "a", "a\n",
     "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
    {"an end of line less", "a\nb\n", "a\nb",
     "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"},
    {"never an end of line", "a\nb", "x\nb",
     "@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n"},
    {"three lines around it", "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
     "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
     "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
    {"six lines apart: one hunk", "a\n1\n2\n3\n4\n5\n6\nb\n",
     "x\n1\n2\n3\n4\n5\n6\ny\n",
     "@@ -1,8 +1,8 @@\n-a\n+x\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+y\n"},
    {"seven lines apart: two", "a\n1\n2\n3\n4\n5\n6\n7\nb\n",
     "x\n1\n2\n3\n4\n5\n6\n7\ny\n",
     "@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n 3\n"
     "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+y\n"},
    {"ends of Windows", "a\r\nb\r\n", "a\r\nb\n",
     "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n"},
};

static void check_diff(const char *from, const char *to, const char *head,
                       const char *diff, const char *row)
{
    struct tr_diff_side a = {TR_STR("a/x"), tr_str_from(from)};
    struct tr_diff_side b = {TR_STR("b/x"), tr_str_from(to)};
    struct tr_buf out;
    struct tr_err err;
    char whole[512];
    (void)snprintf(whole, sizeof(whole), "%s%s", head, diff);
    tr_buf_init(&out, TR_KIB(4));
    CHECK_OK(tr_diff_unified(&out, &a, &b, &err), &err);
    CHECK_ROW(tr_str_eq(tr_buf_str(&out), tr_str_from(whole)), row);
    tr_buf_done(&out);
}

TEST(diff_shows_what_has_changed_with_three_lines_around_it)
{
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_diff(rows[i].from, rows[i].to, "--- a/x\n+++ b/x\n", rows[i].diff,
                   rows[i].row);
}

TEST(diff_says_nothing_of_texts_that_are_equal)
{
    check_diff("", "", "", "", "empty");
    check_diff("a\nb", "a\nb", "", "", "two lines");
}

/* As git writes them, so that git and patch read them. */
TEST(diff_names_its_files)
{
    static const struct {
        tr_str name;
        const char *shown;
    } names[] = {
        {TR_STR_INIT("a/app.lua"), "--- a/app.lua\n"},
        {TR_STR_INIT("a/my app"), "--- a/my app\t\n"},
        {TR_STR_INIT("a/x\ny"), "--- \"a/x\\012y\"\n"},
        {TR_STR_INIT("a/x\"\\ y"), "--- \"a/x\\\"\\\\ y\"\n"},
        {TR_STR_INIT(""), "--- /dev/null\n"},
        {TR_STR_INIT("a/\xC3\xA4"), "--- a/\xC3\xA4\n"},
    };
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct tr_diff_side a = {names[i].name, TR_STR("")};
        struct tr_diff_side b = {TR_STR("b"), TR_STR("1\n")};
        struct tr_buf out;
        struct tr_err err;
        tr_buf_init(&out, TR_KIB(4));
        CHECK_OK(tr_diff_unified(&out, &a, &b, &err), &err);
        CHECK_ROW(tr_str_starts(tr_buf_str(&out), tr_str_from(names[i].shown)),
                  names[i].shown);
        tr_buf_done(&out);
    }
}

/* Texts of few different lines, so that much is alike in many ways. */
static void write_random(struct tr_buf *text, size_t lines, unsigned kinds)
{
    tr_buf_clear(text);
    for (size_t i = 0; i < lines; i++) {
        uint64_t kind = tr_test_random_below(kinds);
        tr_buf_putf(text, "%.*s", (int)kind, "aaaaaaaaaaaaaaaa");
        tr_buf_putc(text, '\n');
    }
    if (text->len && tr_test_random_below(4) == 0)
        text->len--;
}

static tr_str next_line(tr_str *text)
{
    size_t len = 0;
    while (len < text->len && text->ptr[len] != '\n')
        len++;
    len += len < text->len;
    tr_str line = {text->ptr, len};
    *text = tr_str_skip(*text, len);
    return line;
}

/* What a line of a diff says, its end taken away when the next line says so. */
static tr_str said(tr_str line, tr_str rest)
{
    line = tr_str_skip(line, 1);
    if (rest.len && rest.ptr[0] == '\\')
        line.len--;
    return line;
}

struct applied {
    tr_str from;
    size_t line; /* of `from` that comes next */
    struct tr_buf *to;
    size_t changes;
};

static void copy_until(struct applied *applied, size_t line)
{
    for (; applied->line < line; applied->line++)
        tr_buf_put(applied->to, next_line(&applied->from));
}

/* How many lines stand before a hunk, by its head: "@@ -3,2 +4,6 @@". */
static size_t lines_before(tr_str head)
{
    tr_str range;
    tr_str rest;
    tr_str first;
    tr_str count = TR_STR("1");
    int64_t start = 0;
    CHECK(tr_str_starts(head, TR_STR("@@ -")));
    CHECK(tr_str_cut(tr_str_skip(head, 4), ' ', &range, &rest));
    if (!tr_str_cut(range, ',', &first, &count))
        first = range;
    CHECK(tr_str_to_i64(first, &start));
    bool is_empty = tr_str_eq(count, TR_STR("0"));
    return is_empty ? (size_t)start : (size_t)start - 1;
}

static void apply_line(struct applied *applied, tr_str line, tr_str rest)
{
    if (line.ptr[0] == '@') {
        copy_until(applied, lines_before(line));
        return;
    }
    if (line.ptr[0] == '\\')
        return;
    if (line.ptr[0] != '+') {
        CHECK(tr_str_eq(next_line(&applied->from), said(line, rest)));
        applied->line++;
    }
    if (line.ptr[0] != '-')
        tr_buf_put(applied->to, said(line, rest));
    applied->changes += line.ptr[0] != ' ';
}

static size_t apply(tr_str diff, tr_str from, struct tr_buf *to)
{
    struct applied applied = {.from = from, .to = to};
    tr_buf_clear(to);
    if (diff.len) {
        CHECK(tr_str_starts(next_line(&diff), TR_STR("--- ")));
        CHECK(tr_str_starts(next_line(&diff), TR_STR("+++ ")));
    }
    while (diff.len) {
        tr_str line = next_line(&diff);
        apply_line(&applied, line, diff);
    }
    tr_buf_put(to, applied.from);
    return applied.changes;
}

#define LINES_MAX 60

/* The fewest lines that must go and come, by the textbook's table. */
static size_t fewest(tr_str from, tr_str to)
{
    static size_t cost[LINES_MAX + 1][LINES_MAX + 1];
    tr_str a[LINES_MAX];
    tr_str b[LINES_MAX];
    size_t n = 0;
    size_t m = 0;
    while (from.len)
        a[n++] = next_line(&from);
    while (to.len)
        b[m++] = next_line(&to);
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            size_t least = i && j && tr_str_cmp(a[i - 1], b[j - 1]) == 0
                               ? cost[i - 1][j - 1]
                               : SIZE_MAX;
            if (i && cost[i - 1][j] + 1 < least)
                least = cost[i - 1][j] + 1;
            if (j && cost[i][j - 1] + 1 < least)
                least = cost[i][j - 1] + 1;
            cost[i][j] = i || j ? least : 0;
        }
    }
    return cost[n][m];
}

TEST(diff_of_any_texts_leads_from_one_to_the_other_in_the_fewest_lines)
{
    struct tr_buf from;
    struct tr_buf to;
    struct tr_buf diff;
    struct tr_buf got;
    struct tr_err err;
    tr_buf_init(&from, TR_KIB(16));
    tr_buf_init(&to, TR_KIB(16));
    tr_buf_init(&diff, TR_KIB(64));
    tr_buf_init(&got, TR_KIB(64));
    for (size_t i = 0; i < tr_test_scaled(20000); i++) {
        unsigned kinds = 1 + (unsigned)tr_test_random_below(8);
        write_random(&from, tr_test_random_below(LINES_MAX), kinds);
        write_random(&to, tr_test_random_below(LINES_MAX), kinds);
        struct tr_diff_side a = {TR_STR("a"), tr_buf_str(&from)};
        struct tr_diff_side b = {TR_STR("b"), tr_buf_str(&to)};
        tr_buf_clear(&diff);
        CHECK_OK(tr_diff_unified(&diff, &a, &b, &err), &err);
        size_t changes = apply(tr_buf_str(&diff), a.text, &got);
        CHECK_INT(tr_str_cmp(tr_buf_str(&got), b.text), 0);
        CHECK_INT(changes, fewest(a.text, b.text));
    }
    tr_buf_done(&from);
    tr_buf_done(&to);
    tr_buf_done(&diff);
    tr_buf_done(&got);
}

/* The shortest would be looked for too long; what comes out is still right. */
TEST(diff_of_large_texts_that_have_little_in_common_ends)
{
    struct tr_buf from;
    struct tr_buf to;
    struct tr_buf diff;
    struct tr_buf got;
    struct tr_err err;
    tr_buf_init(&from, TR_MIB(4));
    tr_buf_init(&to, TR_MIB(4));
    tr_buf_init(&diff, TR_MIB(16));
    tr_buf_init(&got, TR_MIB(4));
    for (unsigned i = 0; i < 50000; i++) {
        tr_buf_putf(&from, "%u\n", i % 7 ? i * 2 : i);
        tr_buf_putf(&to, "%u\n", i % 5 ? i * 2 + 1 : i);
    }
    struct tr_diff_side a = {TR_STR("a"), tr_buf_str(&from)};
    struct tr_diff_side b = {TR_STR("b"), tr_buf_str(&to)};
    CHECK_OK(tr_diff_unified(&diff, &a, &b, &err), &err);
    (void)apply(tr_buf_str(&diff), a.text, &got);
    CHECK_INT(tr_str_cmp(tr_buf_str(&got), b.text), 0);
    tr_buf_done(&from);
    tr_buf_done(&to);
    tr_buf_done(&diff);
    tr_buf_done(&got);
}

static tr_status diff_of(size_t bytes, char fill, size_t room,
                         struct tr_err *err)
{
    static char text[TR_LIMIT_DIFF_BYTES + 1];
    struct tr_buf out;
    memset(text, fill, bytes);
    struct tr_diff_side a = {TR_STR("a"), {text, bytes}};
    struct tr_diff_side b = {TR_STR("b"), {text, bytes - 1}};
    tr_buf_init(&out, room);
    tr_status status = tr_diff_unified(&out, &a, &b, err);
    tr_buf_done(&out);
    return status;
}

TEST(diff_refuses_texts_that_are_too_long)
{
    struct tr_err err;
    CHECK_OK(diff_of(TR_LIMIT_DIFF_BYTES, 'x', TR_MIB(64), &err), &err);
    CHECK_INT(diff_of(TR_LIMIT_DIFF_BYTES + 1, 'x', TR_MIB(64), &err),
              TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg),
              "a text of more than 16777216 bytes is not compared");
    CHECK_OK(diff_of(TR_LIMIT_DIFF_LINES, '\n', TR_MIB(64), &err), &err);
    CHECK_INT(diff_of(TR_LIMIT_DIFF_LINES + 1, '\n', TR_MIB(64), &err),
              TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg),
              "a text of more than 1000000 lines is not compared");
}

TEST(diff_refuses_what_does_not_fit_where_it_is_written)
{
    struct tr_err err;
    CHECK_INT(diff_of(100, 'x', 150, &err), TR_E_LIMIT);
}

static tr_status diff_once(void *context, struct tr_err *err)
{
    (void)context;
    return diff_of(20000, '\n', TR_KIB(64), err);
}

TEST(diff_tells_when_there_is_no_memory)
{
    tr_test_sweep(diff_once, NULL);
}
