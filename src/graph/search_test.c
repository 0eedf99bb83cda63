#include "base/limits.h"
#include "base/test.h"
#include "graph/query.h"
#include "support/world.h"

static void open_library(struct world *world)
{
    world_open(world);
    world_add(world,
              "w:a a w:Thing ; w:title 'Green apple' ; w:tag 'fruit', 'sour' ."
              "w:b a w:Thing ; w:title 'apple apple apple apple pie' ."
              "w:c a w:Thing, w:Task ; w:title 'Bake an \\u00C4pfel tart' ."
              "w:p a w:Person ; person:name 'Apple Jones' ."
              "w:q a w:Person ; person:name 'say \"NOT\" OR (near)* a-b' .");
    world_land(world);
}

static void check_search(struct world *world, const char *text,
                         const char *type, const char *expected)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_graph_search search = {
        .text = tr_str_from(text),
        .type = type ? world_type(world, type) : NULL,
    };
    struct tr_err err = {0};
    struct tr_graph_page page = {0};
    struct tr_buf found;
    bool more = false;
    tr_buf_init(&found, TR_KIB(4));
    CHECK_OK(tr_graph_search(&ctx, &search, &page, &more, &err), &err);
    CHECK(!more);
    for (size_t i = 0; i < page.count; i++) {
        tr_rdf_term term = {0};
        CHECK_OK(tr_rdf_graph_get(ctx.graph, page.ids[i], &term, &err), &err);
        tr_buf_put(&found, tr_str_skip(term.text, sizeof("http://w/") - 1));
    }
    tr_buf_putc(&found, '\0');
    CHECK_ROW(strcmp(found.ptr ? found.ptr : "", expected) == 0, text);
    tr_buf_done(&found);
}

TEST(search_finds_all_words_and_the_start_of_the_last)
{
    struct world world;
    open_library(&world);
    check_search(&world, "apple", NULL, "bpa");
    check_search(&world, "APP", NULL, "bpa");
    check_search(&world, "apple green", NULL, "a");
    check_search(&world, "  apple\n gr ", NULL, "a");
    check_search(&world, "gr apple", NULL, "");
    check_search(&world, "sour", NULL, "a");
    check_search(&world, "apfel", NULL, "c");
    check_search(&world, "pear", NULL, "");
    check_search(&world, "apple", "Person", "p");
    check_search(&world, "apple", "Thing", "ba");
    check_search(&world, "apple", "Task", "");
    world_close(&world);
}

/* Whatever FTS5 would understand is only text here. */
TEST(search_has_no_syntax)
{
    static const char *const texts[] = {
        "\"",
        "\"\"",
        "*",
        "^",
        "-",
        "--",
        "(",
        ")",
        ":",
        "{}",
        "\"a",
        "AND",
        "NEAR(",
        "apple AND",
        "text:apple",
        "+",
        "' OR 1=1",
        "\x01",
        "\xE2\x80\x94",
        "a\"*\"b",
        "NOT apple",
        "apple OR x",
        "^apple^*",
        ";",
        "%_",
    };
    struct world world;
    open_library(&world);
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        struct tr_graph_read_ctx ctx = world_read_ctx(&world);
        struct tr_graph_search search = {.text = tr_str_from(texts[i])};
        struct tr_err err = {0};
        struct tr_graph_page page = {0};
        bool more = false;
        CHECK_OK(tr_graph_search(&ctx, &search, &page, &more, &err), &err);
    }
    check_search(&world, "", NULL, "");
    check_search(&world, " \t\n", NULL, "");
    check_search(&world, "-- (", NULL, "");
    check_search(&world, "\xE2\x80\x94", NULL, "");
    check_search(&world, "-- apple \xE2\x80\x94", NULL, "bpa");
    check_search(&world, "^apple*", NULL, "bpa");
    check_search(&world, "\"apple\"", NULL, "bpa");
    check_search(&world, "NOT", NULL, "q");
    check_search(&world, "say NOT OR (near) a-b", NULL, "q");
    check_search(&world, "apple OR pear", NULL, "");
    check_search(&world, "text:apple", NULL, "");
    world_close(&world);
}

TEST(search_is_bounded)
{
    static char text[TR_LIMIT_SEARCH_BYTES + 1];
    struct world world;
    struct tr_err err = {0};
    struct tr_graph_page page = {0};
    bool more = false;
    open_library(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    memset(text, '"', sizeof(text));
    struct tr_graph_search search = {.text = {text, sizeof(text)}};
    CHECK(tr_graph_search(&ctx, &search, &page, &more, &err) == TR_E_INVALID);
    search.text.len--;
    CHECK_OK(tr_graph_search(&ctx, &search, &page, &more, &err), &err);
    for (size_t i = 1; i < sizeof(text); i += 2)
        text[i] = ' ';
    CHECK(tr_graph_search(&ctx, &search, &page, &more, &err) == TR_E_INVALID);
    search.text.len = TR_LIMIT_SEARCH_WORDS * 2;
    CHECK_OK(tr_graph_search(&ctx, &search, &page, &more, &err), &err);
    search = (struct tr_graph_search){.text = TR_STR("apple"), .limit = 2};
    CHECK_OK(tr_graph_search(&ctx, &search, &page, &more, &err), &err);
    CHECK_INT(page.count, 2);
    CHECK(more);
    search.type = world_type(&world, "Task");
    search.max_work = 2;
    CHECK(tr_graph_search(&ctx, &search, &page, &more, &err) == TR_E_LIMIT);
    world_close(&world);
}

TEST(search_leaves_out_what_the_call_has_deleted)
{
    struct world world;
    open_library(&world);
    world_change(&world);
    world_remove(&world, "w:a a w:Thing ; w:title 'Green apple' ;"
                         " w:tag 'fruit', 'sour' .");
    world_add(&world, "w:new a w:Thing ; w:title 'apple' ."
                      "w:b w:size 3 .");
    check_search(&world, "apple", NULL, "bp");
    check_search(&world, "apple", "Thing", "b");
    world_close(&world);
}
