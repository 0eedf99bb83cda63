#include "cap/uri_template.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "support/uri_template_expand.h"

static const struct tr_json *read_suite(struct tr_arena *arena,
                                        const char *name)
{
    char path[512];
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    tr_str kept;
    if (!tr_test_suite(name, path, sizeof(path)))
        skip();
    tr_str text = tr_test_read_file(path);
    CHECK(tr_arena_copy(arena, text, &kept));
    free((void *)(uintptr_t)text.ptr);
    CHECK_OK(tr_json_read(arena, kept, NULL, &tree, &err), &err);
    return tree;
}

/* The expansion, or "false" when the template or a value is refused. */
static bool expand(struct tr_arena *arena, tr_str text,
                   const struct tr_json *vars, struct tr_buf *out)
{
    const struct tr_cap_uri_template *compiled = NULL;
    struct tr_err err = {0};
    tr_status st = tr_cap_uri_template_compile(arena, text, &compiled, &err);
    if (st == TR_OK)
        st = uri_template_expand(compiled, vars, out, &err);
    else
        CHECK(st == TR_E_SYNTAX && err.place.line == 1);
    CHECK(st == TR_OK || st == TR_E_SYNTAX || st == TR_E_INVALID);
    return st == TR_OK;
}

static bool is_expected(const struct tr_json *expected, tr_str got)
{
    if (expected->kind == TR_JSON_STRING)
        return tr_str_eq(tr_json_text(expected), got);
    for (size_t i = 0; i < expected->len; i++) {
        if (is_expected(&expected->as.items[i], got))
            return true;
    }
    return false;
}

static void check_case(struct tr_arena *arena, const struct tr_json *vars,
                       const struct tr_json *test)
{
    struct tr_buf out;
    tr_str text = tr_json_text(tr_json_at(test, 0));
    const struct tr_json *expected = tr_json_at(test, 1);
    char row[512];
    tr_buf_init(&out, TR_KIB(64));
    bool expanded = expand(arena, text, vars, &out);
    (void)snprintf(row, sizeof(row), "%.*s -> %.*s", TR_FMT(text),
                   TR_FMT(tr_buf_str(&out)));
    if (expected->kind == TR_JSON_BOOL)
        CHECK_ROW(!expanded, row);
    else
        CHECK_ROW(expanded && is_expected(expected, tr_buf_str(&out)), row);
    tr_buf_done(&out);
}

static void run_suite(const char *name, size_t expected)
{
    struct tr_arena arena;
    size_t count = 0;
    tr_arena_init(&arena, TR_MIB(16));
    const struct tr_json *groups = read_suite(&arena, name);
    for (size_t i = 0; i < groups->len; i++) {
        const struct tr_json *group = &groups->as.members[i].value;
        const struct tr_json *cases = tr_json_find(group, TR_STR("testcases"));
        const struct tr_json *vars = tr_json_find(group, TR_STR("variables"));
        for (size_t k = 0; k < cases->len; k++, count++)
            check_case(&arena, vars, &cases->as.items[k]);
    }
    print_message("%s: %zu\n", name, count);
    CHECK(count >= expected);
    tr_arena_done(&arena);
}

TEST(templates_expand_as_the_examples_of_rfc_6570)
{
    run_suite("uri-template/spec-examples.json", 50);
}

TEST(templates_expand_as_the_examples_by_section)
{
    run_suite("uri-template/spec-examples-by-section.json", 100);
}

TEST(templates_expand_as_the_extended_examples)
{
    run_suite("uri-template/extended-tests.json", 40);
}

TEST(templates_that_are_wrong_are_refused)
{
    run_suite("uri-template/negative-tests.json", 30);
}

static const struct {
    const char *text;
    const char *uri;
    const char *vars; /* "a=1;b=2", or NULL when it does not match */
} matches[] = {
    {"app://notes", "app://notes", ""},
    {"app://notes", "app://notes/", NULL},
    {"app://notes/{id}", "app://notes/7", "id=7"},
    {"app://notes/{id}", "app://notes/", NULL},
    {"app://notes/{id}", "app://notes/7/8", NULL},
    {"app://notes/{id}", "app://notes/7?x", NULL},
    {"app://notes/{id}", "app://notes/a%20b%2Fc", "id=a b/c"},
    {"app://notes/{id}", "app://notes/%C3%A9", "id=\xC3\xA9"},
    {"app://notes/{id}", "app://notes/%ff", NULL},
    {"app://notes/{id}", "app://notes/%00", NULL},
    {"app://notes/{id}", "app://notes/%4", NULL},
    {"app://{a}/{b}.json", "app://x/y.z.json", "a=x;b=y.z"},
    {"app://{a}-{b}", "app://x-y-z", "a=x-y;b=z"},
    {"app://{a}-{b}", "app://-z", NULL},
    {"app://files/{+path}", "app://files/a/b/c.txt", "path=a/b/c.txt"},
    {"app://files/{+path}/raw", "app://files/a/raw/b/raw", "path=a/raw/b"},
    {"app://files{/a,b}", "app://files/x/y", "a=x;b=y"},
    {"app://files{/a,b}", "app://files/x", "a=x"},
    {"app://files{/a,b}", "app://files", ""},
    {"app://files{/a,b}", "app://files/x/y/z", NULL},
    {"app://files{/a}/end", "app://files/x/end", "a=x"},
    {"app://files{/a}/end", "app://files/end", ""},
    {"app://files{/a,b}/end", "app://files/x/end", "a=x"},
    {"app://{+p}{/a}/end", "app://x/end", "p=x"},
    {"app://{+p}{/a,b}/end/{c}", "app://x/y/end/z", "p=x/y;c=z"},
    {"trails://kg/T{?where,limit}", "trails://kg/T", ""},
    {"trails://kg/T{?where,limit}", "trails://kg/T?limit=5", "limit=5"},
    {"trails://kg/T{?where,limit}", "trails://kg/T?limit=5&where=a=b",
     "where=a=b;limit=5"},
    {"trails://kg/T{?where,limit}", "trails://kg/T?where=a%3Db", "where=a=b"},
    {"trails://kg/T{?where,limit}", "trails://kg/T?limit", "limit="},
    {"trails://kg/T{?where,limit}", "trails://kg/T?limit=5&limit=6", NULL},
    {"trails://kg/T{?where,limit}", "trails://kg/T?other=5", NULL},
    {"trails://kg/T{?where,limit}", "trails://kg/T?", NULL},
    {"trails://kg/T{?where,limit}", "trails://kg/T?limit=5#x", NULL},
    {"app://s?fixed=1{&q}", "app://s?fixed=1&q=2", "q=2"},
    {"app://s?fixed=1{&q}", "app://s?fixed=1", ""},
    {"app://s?fixed=1{&q}", "app://s?fixed=1?q=2", NULL},
};

static void put_vars(struct tr_buf *out, const struct tr_cap_uri_vars *vars)
{
    for (size_t i = 0; i < vars->count; i++)
        tr_buf_putf(out, "%s%.*s=%.*s", i ? ";" : "",
                    TR_FMT(vars->items[i].name), TR_FMT(vars->items[i].value));
}

TEST(uris_match_templates)
{
    for (size_t i = 0; i < TR_LEN(matches); i++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        struct tr_cap_uri_vars vars = {0};
        const struct tr_cap_uri_template *compiled = NULL;
        bool matched = false;
        char storage[256];
        struct tr_buf text;
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_OK(tr_cap_uri_template_compile(
                     &arena, tr_str_from(matches[i].text), &compiled, &err),
                 &err);
        CHECK_ROW(tr_cap_uri_template_can_match(compiled), matches[i].text);
        CHECK_OK(tr_cap_uri_template_match(compiled,
                                           tr_str_from(matches[i].uri), &arena,
                                           &matched, &vars, &err),
                 &err);
        CHECK_ROW(matched == (matches[i].vars != NULL), matches[i].uri);
        tr_buf_init_fixed(&text, storage, sizeof(storage));
        put_vars(&text, &vars);
        if (matched)
            CHECK_STR(tr_buf_str(&text), matches[i].vars);
        tr_arena_done(&arena);
    }
}

TEST(templates_that_are_ambiguous_are_not_for_matching)
{
    static const char *const texts[] = {
        "{a}{b}", "{a}{+b}", "{a,b}", "{a:3}",    "{a*}",    "{#a}",
        "{.a}",   "{;a}",    "{?a}x", "{?a}{&b}", "{a}/{a}", "{+a,b}"};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        struct tr_arena arena;
        const struct tr_cap_uri_template *compiled = NULL;
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_OK(tr_cap_uri_template_compile(&arena, tr_str_from(texts[i]),
                                             &compiled, NULL),
                 NULL);
        CHECK_ROW(!tr_cap_uri_template_can_match(compiled), texts[i]);
        tr_arena_done(&arena);
    }
}

TEST(variables_are_listed_once)
{
    struct tr_arena arena;
    const struct tr_cap_uri_template *compiled = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_cap_uri_template_compile(&arena, TR_STR("{b}/{a}{?b,c}"),
                                         &compiled, NULL),
             NULL);
    CHECK_INT(tr_cap_uri_template_var_count(compiled), 3);
    CHECK_STR(tr_cap_uri_template_var(compiled, 0), "b");
    CHECK_STR(tr_cap_uri_template_var(compiled, 2), "c");
    tr_arena_done(&arena);
}

TEST(templates_and_uris_have_a_maximum)
{
    struct tr_arena arena;
    const struct tr_cap_uri_template *compiled = NULL;
    struct tr_cap_uri_vars vars;
    bool matched = true;
    char *text = calloc(1, TR_LIMIT_URI_BYTES + 1);
    if (!text)
        abort();
    memset(text, 'a', TR_LIMIT_URI_BYTES + 1);
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_INT(
        tr_cap_uri_template_compile(
            &arena, (tr_str){text, TR_LIMIT_URI_BYTES + 1}, &compiled, NULL),
        TR_E_LIMIT);
    CHECK_INT(
        tr_cap_uri_template_compile(&arena, TR_STR("\xff"), &compiled, NULL),
        TR_E_SYNTAX);
    CHECK_OK(
        tr_cap_uri_template_compile(&arena, TR_STR("{+a}"), &compiled, NULL),
        NULL);
    CHECK_OK(tr_cap_uri_template_match(compiled,
                                       (tr_str){text, TR_LIMIT_URI_BYTES + 1},
                                       &arena, &matched, &vars, NULL),
             NULL);
    CHECK(!matched);
    tr_arena_done(&arena);
    free(text);
}

/* Without a bound this would be the eighth power of the length. */
TEST(matching_gives_up_when_it_takes_too_many_steps)
{
    struct tr_arena arena;
    const struct tr_cap_uri_template *compiled = NULL;
    struct tr_cap_uri_vars vars;
    bool matched = true;
    static char uri[4000];
    memset(uri, 'a', sizeof(uri));
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_OK(tr_cap_uri_template_compile(
                 &arena, TR_STR("{a}a{b}a{c}a{d}a{e}a{f}a{g}a{h}b"), &compiled,
                 NULL),
             NULL);
    CHECK_OK(tr_cap_uri_template_match(compiled, (tr_str){uri, sizeof(uri)},
                                       &arena, &matched, &vars, NULL),
             NULL);
    CHECK(!matched);
    tr_arena_done(&arena);
}

static tr_status all_of_it(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    const struct tr_cap_uri_template *compiled = NULL;
    struct tr_cap_uri_vars vars;
    struct tr_buf out;
    bool matched;
    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&out, 64);
    tr_status st = tr_cap_uri_template_compile(&arena, TR_STR("app://{a}{?b}"),
                                               &compiled, err);
    if (st == TR_OK)
        st = uri_template_expand(compiled, context, &out, err);
    if (st == TR_OK)
        st = tr_cap_uri_template_match(compiled, tr_buf_str(&out), &arena,
                                       &matched, &vars, err);
    tr_buf_done(&out);
    tr_arena_done(&arena);
    return st;
}

TEST(templates_survive_without_memory)
{
    struct tr_arena arena;
    const struct tr_json *vars = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, TR_STR("{\"a\":\"x\",\"b\":true}"), NULL,
                          &vars, NULL),
             NULL);
    tr_test_sweep(all_of_it, (void *)(uintptr_t)vars);
    for (size_t max = 0; max < 2048; max += 16) {
        struct tr_arena small;
        const struct tr_cap_uri_template *compiled = NULL;
        struct tr_cap_uri_vars found;
        bool matched;
        tr_arena_init(&small, max);
        tr_status st = tr_cap_uri_template_compile(
            &small, TR_STR("app://{a}{?b}"), &compiled, NULL);
        if (st == TR_OK)
            st = tr_cap_uri_template_match(compiled, TR_STR("app://x?b=1"),
                                           &small, &matched, &found, NULL);
        CHECK(st == TR_OK || st == TR_E_NOMEM);
        tr_arena_done(&small);
    }
    tr_arena_done(&arena);
}
