#include "base/limits.h"
#include "base/test.h"
#include "query/query.h"
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
    struct tr_query_search search = {
        .text = tr_str_from(text),
        .type = type ? world_type(world, type) : NULL,
    };
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    struct tr_buf found;
    bool more = false;
    tr_buf_init(&found, TR_KIB(4));
    CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
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
        struct tr_query_search search = {.text = tr_str_from(texts[i])};
        struct tr_err err = {0};
        struct tr_query_page page = {0};
        bool more = false;
        CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
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
    struct tr_query_page page = {0};
    bool more = false;
    open_library(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    memset(text, '"', sizeof(text));
    struct tr_query_search search = {.text = {text, sizeof(text)}};
    CHECK(tr_query_search(&ctx, &search, &page, &more, &err) == TR_E_INVALID);
    search.text.len--;
    CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 2 ? '-' : 'a';
    search.text.len = TR_LIMIT_SEARCH_WORDS * 2 + 1;
    CHECK(tr_query_search(&ctx, &search, &page, &more, &err) == TR_E_INVALID);
    search.text.len--;
    CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
    search = (struct tr_query_search){.text = TR_STR("apple"), .limit = 2};
    CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
    CHECK_INT(page.count, 2);
    CHECK(more);
    CHECK(!page.is_partial);
    world_close(&world);
}

/* Fifty nodes with a common word, three of which have a rare one. */
static void open_shelf(struct world *world)
{
    world_open(world);
    for (size_t i = 0; i < 50; i++) {
        char text[160];
        (void)snprintf(
            text, sizeof(text), "w:n%zu a %s ; %s 'common word common%s' .", i,
            i % 2 ? "w:Person" : "w:Thing", i % 2 ? "person:name" : "w:title",
            i % 20 == 7 ? " rare" : "");
        world_add(world, text);
    }
    world_land(world);
}

static void check_work(struct world *world,
                       const struct tr_query_search *search, size_t count,
                       bool is_partial)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    char label[160];
    bool more;
    (void)snprintf(label, sizeof(label), "%.*s, %zu", TR_FMT(search->text),
                   search->max_work);
    CHECK_OK(tr_query_search(&ctx, search, &page, &more, &err), &err);
    CHECK_ROW(page.count == count, label);
    CHECK_ROW(page.is_partial == is_partial, label);
    CHECK_ROW(more || !is_partial, label);
}

/* What a search may look at is what its rarest word has, whatever the others
 * have, and wherever it stands. */
TEST(search_costs_what_its_rarest_word_costs)
{
    static const struct {
        const char *text;
        size_t needs;
        size_t finds;
    } rows[] = {
        {"rare common", 3, 3},
        {"common rare", 3, 3},
        {"rar", 3, 3},
        {"common word rare comm", 3, 3},
        {"rare comm", 3, 3},
        {"word-common rare", 3, 3},
        {"common-rare", 3, 3},
        {"rare-common", 3, 0},
        {"common word", 50, 50},
        {"comm wor", 0, 0},
        {"common nowhere", 0, 0},
        {"nowhere comm", 0, 0},
    };
    struct world world;
    open_shelf(&world);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_query_search search = {.text = tr_str_from(rows[i].text),
                                         .max_work =
                                             rows[i].needs ? rows[i].needs : 1};
        check_work(&world, &search, rows[i].finds, false);
    }
    world_close(&world);
}

/* Those of another type are candidates too. */
TEST(search_says_when_it_has_not_looked_at_all)
{
    struct world world;
    open_shelf(&world);
    struct tr_query_search search = {.text = TR_STR("common"), .max_work = 10};
    check_work(&world, &search, 10, true);
    search.limit = 4;
    check_work(&world, &search, 4, true);
    search = (struct tr_query_search){.text = TR_STR("word common"),
                                      .type = world_type(&world, "Person"),
                                      .max_work = 10};
    check_work(&world, &search, 5, true);
    search.max_work = 49;
    check_work(&world, &search, 24, true);
    search.max_work = 50;
    check_work(&world, &search, 25, false);
    search.type = world_type(&world, "Task");
    search.max_work = 10;
    check_work(&world, &search, 0, false);
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
