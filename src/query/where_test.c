#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "query/query.h"
#include "support/world.h"

static const struct tr_json *read_json(struct world *world, const char *text)
{
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    CHECK_OK(tr_json_read(&world->arena, tr_str_from(text), NULL, &root, &err),
             &err);
    return root;
}

/* `count` tasks w:t<n>: size 1 and a title of its own; one in `every` is done.
 */
static void open_tasks(struct world *world, size_t count, size_t every)
{
    struct tr_buf text;
    world_open(world);
    tr_buf_init(&text, TR_MIB(1));
    for (size_t i = 0; i < count; i++)
        tr_buf_putf(&text,
                    "w:t%zu a w:Thing, w:Task ; w:size 1 ; w:title '%zu' ;"
                    " w:done %s .\n",
                    i, i, i % every ? "false" : "true");
    tr_buf_putc(&text, '\0');
    world_add(world, text.ptr);
    world_land(world);
    tr_buf_done(&text);
}

static tr_status ask(struct world *world, const char *filter,
                     struct tr_query *query, struct tr_query_page *page,
                     struct tr_err *err)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    query->type = world_type(world, "Task");
    query->filter = read_json(world, filter);
    return tr_query_where(&ctx, query, page, err);
}

static const struct {
    const char *filter;
    const char *field;
    const char *code;
    const char *message;
} refusals[] = {
    {"{\"titel\":\"a\"}", "titel", "unknown_field",
     "titel is not a field; did you mean title"},
    {"{\"zzzzzzzzz\":\"a\"}", "zzzzzzzzz", "unknown_field",
     "zzzzzzzzz is not a field; there are "
     "['title','size','tag','done','due','share','owner','needs']"},
    {"{\"size\":\"3\"}", "size", "type", "size must be an integer"},
    {"{\"title\":null}", "title", "type", "title must be text"},
    {"{\"tag\":[\"a\"]}", "tag", "type", "tag must be text"},
    {"{\"owner\":\"1:ann\"}", "owner", "type", "owner must be an absolute IRI"},
    {"{\"size\":{\"min\":\"a\"}}", "size", "type",
     "size min must be an integer"},
    {"{\"size\":{\"least\":1}}", "size", "unknown_form",
     "size has no form 'least'; there are "
     "['min','max','above','below','one_of','present','absent']"},
    {"{\"done\":{\"min\":true}}", "done", "unknown_form",
     "done has no form 'min'; there are ['one_of','present','absent']"},
    {"{\"tag\":{\"one_of\":[\"a\"]}}", "tag", "unknown_form",
     "tag has no form 'one_of'; there are ['has','present','absent']"},
    {"{\"tag\":{\"has\":{\"has\":\"a\"}}}", "tag", "unknown_form",
     "tag has no form 'has'; there are "
     "['min','max','above','below','one_of','prefix']"},
    {"{\"title\":{}}", "title", "unknown_form",
     "title needs a form, not ''; there are "
     "['min','max','above','below','one_of','prefix','present','absent']"},
    {"{\"title\":{\"prefix\":1}}", "title", "type",
     "title prefix must be text"},
    {"{\"title\":{\"one_of\":\"a\"}}", "title", "type",
     "title one_of must be an array of values"},
    {"{\"title\":{\"absent\":1}}", "title", "type",
     "title absent must be true or false"},
    {"{\"owner.nam\":\"a\"}", "owner.nam", "unknown_field",
     "owner.nam is not a field; did you mean owner.name"},
    {"{\"ower.name\":\"a\"}", "ower", "unknown_field",
     "ower is not a field; did you mean owner"},
    {"{\"title.name\":\"a\"}", "title.name", "unknown_field",
     "title.name is not a field: only a ref to a type leads to fields of "
     "others"},
    {"{\"owner.owner.name\":\"a\"}", "owner.owner.name", "unknown_field",
     "owner.owner.name is not a field; there are "
     "['owner.name','owner.owner']"},
    {"{\"any\":{}}", "any", "type", "any must be an array of filters"},
    {"{\"any\":[]}", "any", "type", "any must be an array of filters"},
    {"{\"any\":[1]}", "any", "type", "any must be an array of filters"},
    {"{\"any\":[{\"any\":[{\"any\":[{\"any\":[{\"any\":[{}]}]}]}]}]}", "any",
     "type", "any stands too deep in another any"},
};

TEST(where_says_what_is_wrong_with_a_filter)
{
    struct world world;
    open_tasks(&world, 1, 1);
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        struct tr_field_errors errors = {0};
        struct tr_query query = {.errors = &errors};
        struct tr_err err = {0};
        struct tr_query_page page = {0};
        CHECK_ROW(ask(&world, refusals[i].filter, &query, &page, &err) ==
                      TR_E_VALIDATION,
                  refusals[i].filter);
        CHECK_INT(errors.count, 1);
        CHECK_STR(errors.items[0].field, refusals[i].field);
        CHECK_STR(errors.items[0].code, refusals[i].code);
        CHECK_STR(errors.items[0].message, refusals[i].message);
    }
    world_close(&world);
}

TEST(where_needs_nobody_who_hears_of_errors)
{
    struct world world;
    struct tr_query query = {0};
    struct tr_query_page page = {0};
    open_tasks(&world, 1, 1);
    CHECK(ask(&world, "{\"titel\":1}", &query, &page, NULL) == TR_E_VALIDATION);
    CHECK(ask(&world, "{\"size\":\"a\"}", &query, &page, NULL) ==
          TR_E_VALIDATION);
    CHECK(ask(&world, "[]", &query, &page, NULL) == TR_E_VALIDATION);
    world_close(&world);
}

TEST(where_goes_on_only_from_what_the_store_knows)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query query = {.after = TR_STR("http://w/nowhere")};
    struct tr_query_page page = {0};
    open_tasks(&world, 3, 1);
    CHECK(ask(&world, "{}", &query, &page, &err) == TR_E_NOT_FOUND);
    /* A page may start behind a node that is gone. */
    world_remove(&world, "w:t1 a w:Task, w:Thing .");
    query.after = TR_STR("http://w/t1");
    CHECK_OK(ask(&world, "{}", &query, &page, &err), &err);
    CHECK_INT(page.count, 1);
    world_close(&world);
}

TEST(where_has_pages_of_a_bounded_size)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query query = {0};
    struct tr_query_page page = {0};
    open_tasks(&world, TR_LIMIT_PAGE + 1, 1);
    CHECK_OK(ask(&world, "{}", &query, &page, &err), &err);
    CHECK_INT(page.count, TR_LIMIT_PAGE_DEFAULT);
    query.limit = SIZE_MAX;
    CHECK_OK(ask(&world, "{\"size\":1}", &query, &page, &err), &err);
    CHECK_INT(page.count, TR_LIMIT_PAGE);
    CHECK_STR(page.next, "http://w/t999");
    query.after = page.next;
    CHECK_OK(ask(&world, "{\"size\":1}", &query, &page, &err), &err);
    CHECK_INT(page.count, 1);
    CHECK_INT(page.next.len, 0);
    world_close(&world);
}

/* How many of a type there are, in pages of seven; each comes once. */
static size_t count_all(struct world *world, const char *type)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query query = {.type = world_type(world, type), .limit = 7};
    struct tr_query_page page = {0};
    struct tr_err err = {0};
    tr_rdf_id last = TR_RDF_ID_NONE;
    size_t count = 0;
    do {
        CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
        for (size_t i = 0; i < page.count; i++) {
            CHECK(page.ids[i] > last);
            last = page.ids[i];
        }
        count += page.count;
        query.after = page.next;
    } while (page.next.len);
    return count;
}

/* The row of a node names one of its classes: of those that are both, Task. */
TEST(where_finds_all_of_a_class_among_others)
{
    struct world world;
    struct tr_buf text;
    world_open(&world);
    tr_buf_init(&text, TR_MIB(1));
    for (int i = 0; i < 120; i++)
        tr_buf_putf(&text, "w:n%d a w:Person%s .\n", i,
                    i % 4 ? "" : ", w:Task, w:Thing");
    tr_buf_putf(&text, "w:other a w:Thing .\n");
    tr_buf_putc(&text, '\0');
    world_add(&world, text.ptr);
    world_land(&world);
    CHECK_INT(count_all(&world, "Person"), 120);
    CHECK_INT(count_all(&world, "Task"), 30);
    CHECK_INT(count_all(&world, "Thing"), 31);
    tr_buf_done(&text);
    world_close(&world);
}

/* Half are tasks, half have the title; one task has it, the last. */
static void open_halves(struct world *world)
{
    world_open(world);
    for (size_t i = 0; i < 200; i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "w:t%zu a w:%s ; w:title '%s' .", i,
                       i % 2 ? "Task" : "Person", i % 2 ? "odd" : "even");
        world_add(world, text);
    }
    world_add(world, "w:t199 w:title 'even' .");
}

TEST(where_stops_after_so_much_work_and_goes_on)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query query = {.max_work = 40};
    struct tr_query_page page = {0};
    size_t pages = 0;
    open_halves(&world);
    do {
        CHECK_OK(ask(&world, "{\"title\":\"even\"}", &query, &page, &err),
                 &err);
        CHECK_INT(page.count, page.next.len ? 0 : 1);
        query.after = page.next;
        pages++;
    } while (page.next.len);
    CHECK_INT(pages, 3);
    world_close(&world);
}

TEST(where_gives_up_to_look_for_one_among_too_many)
{
    struct world world;
    struct tr_graph_read_ctx ctx;
    struct tr_err err = {0};
    struct tr_query query = {.max_work = 50};
    struct tr_query_count count = {0};
    bool exists = false;
    open_halves(&world);
    ctx = world_read_ctx(&world);
    query.type = world_type(&world, "Task");
    query.filter = read_json(&world, "{\"title\":\"even\"}");
    CHECK(tr_query_where_exists(&ctx, &query, &exists, &err) == TR_E_LIMIT);
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK_INT(count.count, 0);
    CHECK(count.at_least);
    query.max_work = 0;
    CHECK_OK(tr_query_where_exists(&ctx, &query, &exists, &err), &err);
    CHECK(exists);
    world_close(&world);
}

/* With two candidates it is not found by walking the other values. */
TEST(where_walks_the_rarest_value)
{
    struct world world;
    struct tr_graph_read_ctx ctx;
    struct tr_err err = {0};
    struct tr_query query = {.max_work = 2};
    bool exists = false;
    open_tasks(&world, 300, 300);
    ctx = world_read_ctx(&world);
    query.type = world_type(&world, "Task");
    query.filter =
        read_json(&world, "{\"size\":1,\"done\":false,\"title\":\"299\"}");
    CHECK_OK(tr_query_where_exists(&ctx, &query, &exists, &err), &err);
    CHECK(exists);
    /* All have a size: what is rare shows only when many were none. */
    query.max_work = 120;
    query.filter = read_json(&world, "{\"size\":1,\"tag\":\"x\"}");
    for (size_t i = 200; i < 300; i++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "w:t%zu w:tag 'x' .", i);
        world_add(&world, text);
    }
    world_remove(&world, "w:t299 w:size 1 .");
    CHECK_OK(tr_query_where_exists(&ctx, &query, &exists, &err), &err);
    CHECK(exists);
    world_close(&world);
}

TEST(where_counts_so_far_and_no_further)
{
    struct world world;
    struct tr_graph_read_ctx ctx;
    struct tr_err err = {0};
    struct tr_query query = {0};
    struct tr_query_count count = {0};
    open_tasks(&world, TR_LIMIT_COUNT + 1, 2);
    ctx = world_read_ctx(&world);
    query.type = world_type(&world, "Thing");
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK_INT(count.count, TR_LIMIT_COUNT + 1);
    CHECK(!count.at_least);
    query.type = world_type(&world, "Task");
    query.filter = read_json(&world, "{\"size\":1}");
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK_INT(count.count, TR_LIMIT_COUNT);
    CHECK(count.at_least);
    query.filter = read_json(&world, "{\"done\":true}");
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK_INT(count.count, TR_LIMIT_COUNT / 2 + 1);
    CHECK(!count.at_least);
    world_close(&world);
}

TEST(where_compares_values_and_not_their_texts)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query query = {0};
    struct tr_query_page page = {0};
    open_tasks(&world, 2, 1);
    world_add(&world, "w:t0 w:share 1.5e0 ; w:tag 'a', 'b' ;"
                      " w:due '2026-07-28T12:00:00Z'^^xsd:dateTime .");
    world_add(&world, "w:t1 w:share 1.5E0, '15e-1'^^xsd:double .");
    static const char *const filters[] = {
        "{\"size\":1.0,\"title\":\"0\"}",
        "{\"tag\":\"b\"}",
        "{\"due\":\"2026-07-28t12:00:00.000+00:00\"}",
    };
    for (size_t i = 0; i < TR_LEN(filters); i++) {
        CHECK_OK(ask(&world, filters[i], &query, &page, &err), &err);
        CHECK_ROW(page.count == 1, filters[i]);
    }
    world_close(&world);
}

TEST(where_skips_as_many_as_it_is_told)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query query = {.skip = 2, .limit = 3};
    struct tr_query_page page = {0};
    open_tasks(&world, 10, 2);
    CHECK_OK(ask(&world, "{\"done\":true}", &query, &page, &err), &err);
    CHECK_INT(page.count, 3);
    CHECK_INT(page.skip, 0);
    CHECK(page.next.len == 0);
    query.skip = 5;
    CHECK_OK(ask(&world, "{\"done\":true}", &query, &page, &err), &err);
    CHECK_INT(page.count, 0);
    world_close(&world);
}

/* The next page has the rest of what is to be skipped before it. */
TEST(where_goes_on_skipping_after_too_much_work)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_query query = {.skip = 3, .limit = 9, .max_work = 1};
    struct tr_query_page page = {0};
    size_t found = 0;
    open_tasks(&world, 40, 4);
    for (size_t pages = 0; pages == 0 || page.next.len; pages++) {
        CHECK(pages < 100);
        CHECK_OK(ask(&world, "{\"done\":true,\"size\":1}", &query, &page, &err),
                 &err);
        found += page.count;
        query.skip = page.skip;
        query.after = page.next;
    }
    CHECK_INT(found, 10 - 3);
    world_close(&world);
}

TEST(list_shows_a_page_in_brief_or_whole)
{
    struct world world;
    struct tr_err err = {0};
    struct tr_json out = {0};
    struct tr_query_page page = {0};
    world_open(&world);
    world_add(&world, "w:p a w:Person ; person:name 'P' ."
                      "w:q a w:Person ; person:name 'Q' ; w:boss w:p .");
    world_land(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    CHECK_OK(tr_query_list_type(&ctx, world_type(&world, "Person"), TR_STR(""),
                                0, &page, &err),
             &err);
    CHECK_OK(tr_query_page_brief(&ctx, &page, &out, &err), &err);
    world_check_json(&out, "[{\"id\":\"http://w/p\",\"_type\":\"Person\","
                           "\"_version\":1,\"label\":\"P\"},"
                           "{\"id\":\"http://w/q\",\"_type\":\"Person\","
                           "\"_version\":1,\"label\":\"Q\"}]");
    CHECK_OK(tr_query_page_nodes(&ctx, &page, &out, &err), &err);
    world_check_json(&out, "[{\"id\":\"http://w/p\",\"_type\":\"Person\","
                           "\"_version\":1,\"name\":\"P\"},"
                           "{\"id\":\"http://w/q\",\"_type\":\"Person\","
                           "\"_version\":1,\"name\":\"Q\","
                           "\"owner\":\"http://w/p\"}]");
    world_close(&world);
}

static tr_status query_all(void *context, struct tr_err *err)
{
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_arena arena;
    struct tr_query_page page = {0};
    struct tr_json out = {0};
    tr_arena_init(&arena, TR_MIB(1));
    ctx.arena = &arena;
    tr_graph_terms_forget(world->terms);
    tr_status status = tr_query_list_type(&ctx, world_type(world, "Task"),
                                          TR_STR(""), 2, &page, err);
    if (status == TR_OK)
        status = tr_query_page_brief(&ctx, &page, &out, err);
    tr_arena_done(&arena);
    return status;
}

TEST(list_says_so_when_there_is_no_memory)
{
    struct world world;
    open_tasks(&world, 3, 1);
    CHECK(query_all(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(query_all, &world);
    world_close(&world);
}

static tr_status filter_all(void *context, struct tr_err *err)
{
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_arena arena;
    struct tr_query_page page = {0};
    const struct tr_json *filter = NULL;
    tr_arena_init(&arena, TR_MIB(1));
    ctx.arena = &arena;
    tr_graph_terms_forget(world->terms);
    tr_status status = tr_json_read(
        &arena, TR_STR("{\"size\":1,\"done\":true}"), NULL, &filter, err);
    struct tr_query query = {.type = world_type(world, "Task"),
                             .filter = filter};
    if (status == TR_OK)
        status = tr_query_where(&ctx, &query, &page, err);
    CHECK(status != TR_OK || page.count == 2);
    tr_arena_done(&arena);
    return status;
}

TEST(where_says_so_when_there_is_no_memory)
{
    struct world world;
    open_tasks(&world, 3, 1);
    world_change(&world);
    world_add(&world, "w:t1 w:done false .");
    world_remove(&world, "w:t1 w:done true .");
    CHECK(filter_all(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(filter_all, &world);
    world_close(&world);
}
