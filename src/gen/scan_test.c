#include "gen/scan.h"

#include "base/limits.h"
#include "base/test.h"
#include "gen/declare.h"

#define ARENA TR_MIB(64)

/* What a text is scanned into. */
struct scanned {
    struct tr_arena arena;
    struct tr_gen_outline outline;
    struct tr_err err;
    tr_status status;
};

static void scan(struct scanned *s, const char *text)
{
    *s = (struct scanned){0};
    tr_arena_init(&s->arena, ARENA);
    s->status = tr_gen_scan(tr_str_from(text), &s->arena, &s->outline, &s->err);
}

static void done(struct scanned *s)
{
    tr_arena_done(&s->arena);
}

TEST(declarations_are_found_with_their_names)
{
    struct scanned s;
    scan(&s, "node_type 'A' { fields = { x = text } }\n"
             "capability([[b]]) { run = function() return {} end }\n"
             "resource_template (\"c:{d}\") ({})\n"
             "if x then prompt \"p\" {} end\n"
             "policy \"q\\n\" {}\n"
             "shape(name) {}\n");
    static const struct {
        const char *word;
        const char *name;
        bool is_statement;
    } rows[] = {
        {"node_type", "A", true},
        {"capability", "b", true},
        {"resource_template", "c:{d}", true},
        {"prompt", "p", false},
        {"policy", "", true},
    };
    CHECK_OK(s.status, &s.err);
    CHECK_INT(s.outline.count, TR_LEN(rows));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        CHECK_STR(s.outline.declarations[i].word, rows[i].word);
        CHECK_STR(s.outline.declarations[i].name, rows[i].name);
        CHECK_ROW((s.outline.declarations[i].end > 0) == rows[i].is_statement,
                  rows[i].word);
    }
    done(&s);
}

TEST(comments_strings_and_members_declare_nothing)
{
    struct scanned s;
    scan(&s, "-- node_type 'A' {}\n"
             "--[[ capability 'b' {} ]] --[==[ ]] prompt 'c' {} ]==]\n"
             "local a = \"policy 'd' {}\" .. 'shape \\'e\\' {}' .. [=[\n"
             "resource 'f' {} ]] ]=]\n"
             "own.node_type 'G' {} own:shape 'H' {}\n"
             "local shape = 1\n"
             "x = { capability = 'i' }\n"
             "a = 1 --[[]]\n");
    CHECK_OK(s.status, &s.err);
    CHECK_INT(s.outline.count, 0);
    done(&s);
}

TEST(locals_of_the_file_are_found_and_no_others)
{
    struct scanned s;
    scan(&s, "local a, b <const>, c = 1\n"
             "local function d() local e = 1 end\n"
             "do local f end\n"
             "for g = 1, 2 do local h end\n"
             "local i <close> = nil local j\n");
    static const char *const names[] = {"a", "b", "c", "d", "i", "j"};
    CHECK_OK(s.status, &s.err);
    CHECK_INT(s.outline.local_count, TR_LEN(names));
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_STR(s.outline.locals[i].name, names[i]);
    done(&s);
}

TEST(a_text_that_is_no_lua_is_refused_with_its_place)
{
    static const struct {
        const char *text;
        const char *says;
        unsigned line;
    } rows[] = {
        {"x = 'a\n'", "a string does not end", 1},
        {"\nx = \"a", "a string does not end", 2},
        {"x = 'a\\", "a string does not end", 1},
        {"\n\nx = [==[ ]] ]=]", "a long string or comment does not end", 3},
        {"--[[", "a long string or comment does not end", 1},
        {"x = {\n(", "does not end", 2},
        {"if x then", "does not end", 1},
        {"end", "has not begun", 1},
        {"x = }", "has not begun", 1},
        {"repeat end", "has not begun", 1},
        {"f(]", "has not begun", 1},
        {"function f() until", "has not begun", 1},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct scanned s;
        scan(&s, rows[i].text);
        CHECK_ROW(s.status == TR_E_INVALID, rows[i].text);
        CHECK_ROW(strstr(s.err.msg, rows[i].says), rows[i].text);
        CHECK_ROW(s.err.place.line == rows[i].line, rows[i].text);
        done(&s);
    }
}

TEST(brackets_stand_in_each_other_as_deep_as_lua_takes_them)
{
    struct scanned s;
    char text[402] = {0};
    memset(text, '{', 200);
    memset(text + 200, '}', 200);
    scan(&s, text);
    CHECK_OK(s.status, &s.err);
    done(&s);
    memset(text, '{', 201);
    scan(&s, text);
    CHECK(s.status == TR_E_LIMIT);
    done(&s);
}

TEST(a_file_has_so_many_declarations)
{
    struct scanned s;
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(1));
    for (size_t i = 0; i < TR_LIMIT_GEN_DECLARATIONS; i++)
        tr_buf_put(&text, TR_STR("shape 'a' {}\n"));
    tr_buf_putc(&text, '\0');
    scan(&s, text.ptr);
    CHECK_OK(s.status, &s.err);
    done(&s);
    text.len--;
    tr_buf_put(&text, TR_STR("shape 'a' {}\n"));
    tr_buf_putc(&text, '\0');
    scan(&s, text.ptr);
    CHECK(s.status == TR_E_LIMIT);
    done(&s);
    tr_buf_done(&text);
}

#define NEW "NEW {\n}\n"

/* Where a declaration stands, and that all else stays as it is. */
static const struct insertion {
    const char *file;
    const char *after;
    const char *word;
} insertions[] = {
    {"", NEW, "capability"},
    {"x = 1\n", "x = 1\n\n" NEW, "capability"},
    {"x = 1\n\n", "x = 1\n\n" NEW, "capability"},
    {"x = 1", "x = 1\n\n" NEW, "capability"},
    {"-- only this", "-- only this\n\n" NEW, "capability"},
    {"capability 'a' {}\n\nnode_type 'B' {}\n",
     "capability 'a' {}\n\n" NEW "\nnode_type 'B' {}\n", "capability"},
    {"capability 'a' {}\nnode_type 'B' {}\n",
     "capability 'a' {}\n\n" NEW "\nnode_type 'B' {}\n", "capability"},
    {"capability 'a' {} -- why\nx = 1\n",
     "capability 'a' {} -- why\n\n" NEW "\nx = 1\n", "capability"},
    {"capability 'a' {};\nx = 1\n", "capability 'a' {};\n\n" NEW "\nx = 1\n",
     "capability"},
    {"capability 'a' {}\ncapability 'b' {}\nx = 1",
     "capability 'a' {}\ncapability 'b' {}\n\n" NEW "\nx = 1", "capability"},
    {"capability 'a' {}\ncapability 'b' {}",
     "capability 'a' {}\ncapability 'b' {}\n\n" NEW, "capability"},
    {"capability 'a' {} x = 1\n", "capability 'a' {} x = 1\n\n" NEW,
     "capability"},
    {"capability 'a' {} --[[ x\n]]", "capability 'a' {} --[[ x\n]]\n\n" NEW,
     "capability"},
    {"if x then capability 'a' {} end\ny = 1\n",
     "if x then capability 'a' {} end\ny = 1\n\n" NEW, "capability"},
    {"capability 'a' {}\nx = 1\n", "capability 'a' {}\nx = 1\n\n" NEW,
     "prompt"},
    {"local m = {}\nreturn m\n", "local m = {}\n\n" NEW "\nreturn m\n",
     "prompt"},
    {"local m = {}\n-- what it gives\nreturn m\n",
     "local m = {}\n\n" NEW "\n-- what it gives\nreturn m\n", "prompt"},
    {"local m = {}\n-- of m\n\n-- what\n-- it gives\nreturn m",
     "local m = {}\n-- of m\n\n" NEW "\n-- what\n-- it gives\nreturn m",
     "prompt"},
    {"local m = {} -- of m\nreturn m",
     "local m = {} -- of m\n\n" NEW "\nreturn m", "prompt"},
    {"f() return 1", "f() \n\n" NEW "\nreturn 1", "prompt"},
    {"prompt 'a' {}\nreturn { prompt 'b' {} }",
     "prompt 'a' {}\n\n" NEW "\nreturn { prompt 'b' {} }", "prompt"},
    {"function f() return 1 end\n", "function f() return 1 end\n\n" NEW,
     "prompt"},
    {"x = [[\nreturn 1\n]]\n", "x = [[\nreturn 1\n]]\n\n" NEW, "prompt"},
    {"--[[ a\n-- b\n]] return 1", NEW "\n--[[ a\n-- b\n]] return 1", "prompt"},
};

static void check_insertion(const struct insertion *row)
{
    struct tr_buf out;
    struct tr_err err = {0};
    struct scanned s;
    tr_buf_init(&out, TR_KIB(4));
    scan(&s, row->file);
    CHECK_OK(s.status, &s.err);
    CHECK_OK(tr_gen_insert(tr_str_from(row->file), &s.outline, row->word,
                           TR_STR(NEW), &out, &err),
             &err);
    CHECK_STR(tr_buf_str(&out), row->after);
    done(&s);
    tr_buf_done(&out);
}

TEST(a_declaration_stands_behind_the_last_of_its_kind_or_at_the_end)
{
    for (size_t i = 0; i < TR_LEN(insertions); i++)
        check_insertion(&insertions[i]);
}

TEST(a_file_with_line_ends_of_windows_gets_more_of_them)
{
    static const char file[] = "capability 'a' {}\r\nx = 1\r\n";
    struct tr_buf out;
    struct tr_err err = {0};
    struct scanned s;
    tr_buf_init(&out, TR_KIB(4));
    scan(&s, file);
    CHECK_OK(s.status, &s.err);
    CHECK_OK(tr_gen_insert(tr_str_from(file), &s.outline, "capability",
                           TR_STR(NEW), &out, &err),
             &err);
    CHECK_STR(tr_buf_str(&out),
              "capability 'a' {}\r\n\r\nNEW {\r\n}\r\n\r\nx = 1\r\n");
    done(&s);
    tr_buf_done(&out);
}

TEST(a_text_uses_a_variable_that_it_reads)
{
    tr_str text = TR_STR("node_type 'A' { text = x.date, y = number, -- uri\n"
                         "'boolean' }");
    CHECK(tr_gen_scan_uses(text, TR_STR("node_type")));
    CHECK(tr_gen_scan_uses(text, TR_STR("number")));
    CHECK(tr_gen_scan_uses(text, TR_STR("x")));
    CHECK(!tr_gen_scan_uses(text, TR_STR("text")));
    CHECK(!tr_gen_scan_uses(text, TR_STR("date")));
    CHECK(!tr_gen_scan_uses(text, TR_STR("uri")));
    CHECK(!tr_gen_scan_uses(text, TR_STR("boolean")));
    CHECK(tr_gen_scan_uses(TR_STR("'a' .. text"), TR_STR("text")));
}

TEST(a_text_of_several_lines_is_noticed)
{
    CHECK(tr_gen_scan_has_long_text(TR_STR("x = [[\n]]")));
    CHECK(tr_gen_scan_has_long_text(TR_STR("x = 'a\\\nb'")));
    CHECK(tr_gen_scan_has_long_text(TR_STR("x = 'a\\z\n b'")));
    CHECK(!tr_gen_scan_has_long_text(TR_STR("x = [[a]] -- [[\ny = 'b\\n'")));
}

static tr_status scan_some(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_gen_outline outline;
    (void)context;
    tr_arena_init(&arena, ARENA);
    tr_status status = tr_gen_scan(
        TR_STR("local a = 1\nnode_type 'A' {}\nshape 'B' {}\nreturn a\n"),
        &arena, &outline, err);
    tr_arena_done(&arena);
    return status;
}

TEST(scanning_survives_every_failing_allocation)
{
    tr_test_sweep(scan_some, NULL);
}
