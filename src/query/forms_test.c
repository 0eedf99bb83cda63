/* What filters find and how it is ordered and counted, row by row. */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"
#include "query/aggregate.h"
#include "query/query.h"
#include "query/scans.h"
#include "support/world.h"

static const char tasks[] =
    "w:ann a w:Person ; person:name 'Ann' ."
    "w:bob a w:Person ; person:name 'Bob' ; w:boss w:ann ."
    "w:t0 a w:Thing, w:Task ; w:title 'alpha' ; w:size 3 ; w:done true ;"
    " w:due '2026-01-01T10:00:00Z'^^xsd:dateTime ; w:owner w:ann ;"
    " w:share 1.5E0 ; w:tag 'x', 'y' ."
    "w:t1 a w:Thing, w:Task ; w:title 'alpine' ; w:size 20 ; w:done false ;"
    " w:due '2026-01-01T11:00:00+01:00'^^xsd:dateTime ; w:owner w:bob ;"
    " w:share 2.25E0 ."
    "w:t2 a w:Thing, w:Task ; w:title 'beta' ; w:size 100 ;"
    " w:due '2026-01-01T10:00:00.5Z'^^xsd:dateTime ; w:tag 'z' ;"
    " w:needs w:t0, w:t1 ."
    "w:t3 a w:Thing, w:Task ; w:size -7 ; w:done false ; w:owner w:ann ."
    "w:t4 a w:Thing, w:Task ; w:title 'Beta' .";

static void open_tasks(struct world *world)
{
    world_open(world);
    world_add(world, tasks);
    world_land(world);
}

static const struct tr_json *read_json(struct world *world, const char *text)
{
    struct tr_err err = {0};
    const struct tr_json *root = NULL;
    CHECK_OK(tr_json_read(&world->arena, tr_str_from(text), NULL, &root, &err),
             &err);
    return root;
}

/* The digits of w:t<digit>, page by page. */
static void find(struct world *world, const char *filter, const char *order,
                 size_t limit, char out[16])
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query query = {.type = world_type(world, "Task"),
                             .filter = read_json(world, filter),
                             .order = tr_str_from(order),
                             .limit = limit};
    struct tr_query_page page = {0};
    size_t count = 0;
    do {
        struct tr_err err = {0};
        CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
        for (size_t i = 0; i < page.count; i++) {
            tr_rdf_term term;
            CHECK_OK(tr_rdf_graph_get(ctx.graph, page.ids[i], &term, &err),
                     &err);
            CHECK(count < 15);
            out[count++] = term.text.ptr[term.text.len - 1];
        }
        query.after = page.next;
    } while (page.next.len);
    out[count] = '\0';
}

static const struct {
    const char *filter;
    const char *order;
    const char *found;
} rows[] = {
    {"{}", "", "01234"},
    {"{\"size\":{\"min\":3}}", "", "012"},
    {"{\"size\":{\"above\":3}}", "", "12"},
    {"{\"size\":{\"max\":3}}", "", "03"},
    {"{\"size\":{\"below\":3}}", "", "3"},
    {"{\"size\":{\"min\":3.0,\"max\":1e2}}", "", "012"},
    {"{\"size\":{\"above\":3,\"min\":3,\"below\":100}}", "", "1"},
    {"{\"size\":{\"one_of\":[20,3.0,4]}}", "", "01"},
    {"{\"size\":{\"one_of\":[]}}", "", ""},
    {"{\"size\":{\"absent\":true}}", "", "4"},
    {"{\"size\":{\"absent\":false}}", "", "0123"},
    {"{\"size\":{\"present\":true}}", "", "0123"},
    {"{\"size\":{\"present\":false}}", "", "4"},
    {"{\"size\":{\"present\":true,\"absent\":true}}", "", ""},
    {"{\"size\":{\"min\":3,\"absent\":true}}", "", ""},
    {"{\"title\":{\"prefix\":\"alp\"}}", "", "01"},
    {"{\"title\":{\"prefix\":\"\"}}", "", "0124"},
    {"{\"title\":{\"min\":\"a\",\"below\":\"b\"}}", "", "01"},
    {"{\"title\":{\"one_of\":[\"beta\",\"Beta\",\"no\"]}}", "", "24"},
    {"{\"due\":\"2026-01-01T12:00:00+02:00\"}", "", "01"},
    {"{\"due\":{\"max\":\"2026-01-01T09:00:00-01:00\"}}", "", "01"},
    {"{\"due\":{\"above\":\"2026-01-01T09:00:00-01:00\"}}", "", "2"},
    {"{\"due\":{\"one_of\":[\"2026-01-01T10:00:00.500Z\"]}}", "", "2"},
    {"{\"share\":{\"above\":1.5}}", "", "1"},
    {"{\"share\":{\"one_of\":[2.25,15e-1]}}", "", "01"},
    {"{\"done\":false}", "", "13"},
    {"{\"done\":{\"one_of\":[true,false]}}", "", "013"},
    {"{\"tag\":\"y\"}", "", "0"},
    {"{\"tag\":{\"has\":\"z\"}}", "", "2"},
    {"{\"tag\":{\"has\":{\"min\":\"y\"}}}", "", "02"},
    {"{\"tag\":{\"has\":{\"one_of\":[\"x\",\"z\"]}}}", "", "02"},
    {"{\"tag\":{\"absent\":true}}", "", "134"},
    {"{\"needs\":{\"has\":{\"id\":\"http://w/t0\"}}}", "", "2"},
    {"{\"needs\":\"http://w/t1\"}", "", "2"},
    {"{\"owner\":{\"id\":\"http://w/ann\"}}", "", "03"},
    {"{\"owner\":{\"one_of\":[\"http://w/ann\",\"http://w/bob\"]}}", "", "013"},
    {"{\"owner\":{\"one_of\":[{\"id\":\"http://w/bob\"}]}}", "", "1"},
    {"{\"owner.name\":\"Ann\"}", "", "03"},
    {"{\"owner.name\":{\"above\":\"Ann\"}}", "", "1"},
    {"{\"owner.name\":{\"prefix\":\"B\"}}", "", "1"},
    {"{\"owner.name\":{\"absent\":true}}", "", "24"},
    {"{\"owner.owner\":{\"absent\":true}}", "", "0234"},
    {"{\"owner.owner\":\"http://w/ann\"}", "", "1"},
    {"{\"needs.size\":{\"min\":20}}", "", "2"},
    {"{\"needs.tag\":{\"has\":\"x\"}}", "", "2"},
    {"{\"owner.name\":\"Ann\",\"size\":{\"min\":0}}", "", "0"},
    {"{\"any\":[{\"size\":3},{\"title\":\"beta\"}]}", "", "02"},
    {"{\"any\":[{\"size\":3},{\"done\":true}]}", "", "0"},
    {"{\"any\":[{\"size\":{\"min\":20}},{\"done\":true}]}", "", "012"},
    {"{\"any\":[{\"size\":{\"min\":20}},{}]}", "", "01234"},
    {"{\"done\":false,\"any\":[{\"size\":20},{\"size\":3}]}", "", "1"},
    {"{\"any\":[{\"any\":[{\"size\":3},{\"size\":20}],\"done\":true}]}", "",
     "0"},
    {"{}", "size", "30124"},
    {"{}", "-size", "21034"},
    {"{}", "title", "40123"},
    {"{}", "-title", "21043"},
    {"{}", "due", "01234"},
    {"{}", "-due", "20134"},
    {"{}", "done", "13024"},
    {"{}", "-share", "10234"},
    {"{}", "owner", "03124"},
    {"{\"size\":{\"min\":0}}", "-due", "201"},
    {"{\"done\":false}", "title", "13"},
    {"{\"any\":[{\"size\":3},{\"size\":20}]}", "-size", "10"},
};

static void check_rows(struct world *world)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        for (size_t limit = 1; limit < 7; limit++) {
            char found[16];
            find(world, rows[i].filter, rows[i].order, limit, found);
            CHECK_ROW(strcmp(found, rows[i].found) == 0, rows[i].filter);
        }
    }
}

TEST(filters_find_what_they_say)
{
    struct world world;
    open_tasks(&world);
    check_rows(&world);
    world_close(&world);
}

/* The same, where nothing of it has landed. */
TEST(filters_see_what_a_call_has_changed)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:t3 a w:Thing, w:Task ; w:size 12 ; w:title 'gone' .");
    world_land(&world);
    world_change(&world);
    world_remove(&world,
                 "w:t3 a w:Thing, w:Task ; w:size 12 ; w:title 'gone' .");
    world_add(&world, tasks);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char found[16];
        size_t count = 0;
        find(&world, rows[i].filter, "", 2, found);
        for (const char *c = rows[i].found; *c; c++)
            count += strchr(found, *c) != NULL;
        CHECK_ROW(count == strlen(found) && count == strlen(rows[i].found),
                  rows[i].filter);
    }
    world_close(&world);
}

static const struct {
    const char *filter;
    const char *group;
    const char *measures; /* "sum size,avg share" */
    const char *groups;
} sums[] = {
    {"{}", "", "", "[{\"count\":5}]"},
    {"{\"done\":false}", "", "", "[{\"count\":2}]"},
    {"{\"title\":\"no\"}", "", "s size",
     "[{\"count\":0,\"sum\":{\"size\":null}}]"},
    {"{\"title\":\"no\"}", "done", "", "[]"},
    {"{}", "done", "",
     "[{\"group\":false,\"count\":2},{\"group\":true,\"count\":1},"
     "{\"group\":null,\"count\":2}]"},
    {"{}", "done", "s size",
     "[{\"group\":false,\"count\":2,\"sum\":{\"size\":13}},"
     "{\"group\":true,\"count\":1,\"sum\":{\"size\":3}},"
     "{\"group\":null,\"count\":2,\"sum\":{\"size\":100}}]"},
    {"{}", "owner", "i title",
     "[{\"group\":\"http://w/ann\",\"count\":2,\"min\":{\"title\":\"alpha\"}},"
     "{\"group\":\"http://w/bob\",\"count\":1,\"min\":{\"title\":\"alpine\"}},"
     "{\"group\":null,\"count\":2,\"min\":{\"title\":\"Beta\"}}]"},
    {"{}", "", "s size,a size,a share,x due,i due,s share",
     "[{\"count\":5,\"sum\":{\"size\":116,\"share\":3.75},"
     "\"min\":{\"due\":\"2026-01-01T10:00:00Z\"},"
     "\"max\":{\"due\":\"2026-01-01T10:00:00.5Z\"},"
     "\"avg\":{\"size\":29,\"share\":1.875}}]"},
    {"{}", "due", "",
     "[{\"group\":\"2026-01-01T10:00:00Z\",\"count\":2},"
     "{\"group\":\"2026-01-01T10:00:00.5Z\",\"count\":1},"
     "{\"group\":null,\"count\":2}]"},
};

static size_t read_measures(const char *text, struct tr_query_measure *out)
{
    static const char letters[] = "sixa";
    tr_str rest = tr_str_from(text);
    size_t count = 0;
    while (rest.len) {
        tr_str one = rest;
        if (!tr_str_cut(rest, ',', &one, &rest))
            rest = (tr_str){0};
        out[count].kind =
            (enum tr_query_measure_kind)(strchr(letters, one.ptr[0]) - letters);
        out[count++].field = tr_str_skip(one, 2);
    }
    return count;
}

TEST(aggregates_give_numbers_of_groups)
{
    struct world world;
    open_tasks(&world);
    for (size_t i = 0; i < TR_LEN(sums); i++) {
        struct tr_graph_read_ctx ctx = world_read_ctx(&world);
        struct tr_query_measure measures[TR_LIMIT_QUERY_MEASURES];
        struct tr_query_aggregate asked = {
            .type = world_type(&world, "Task"),
            .filter = read_json(&world, sums[i].filter),
            .group = tr_str_from(sums[i].group),
            .measures = measures,
            .measure_count = read_measures(sums[i].measures, measures)};
        struct tr_query_groups groups;
        struct tr_json out;
        struct tr_err err = {0};
        CHECK_OK(tr_query_aggregate(&ctx, &asked, &groups, &err), &err);
        CHECK(!groups.more);
        CHECK_OK(tr_query_groups_json(&ctx, &asked, &groups, &out, &err), &err);
        world_check_json(&out, sums[i].groups);
    }
    world_close(&world);
}

TEST(sums_are_exact_however_many_digits)
{
    struct world world;
    struct tr_graph_read_ctx ctx;
    struct tr_query_measure measures[] = {{TR_QUERY_SUM, TR_STR_INIT("size")}};
    struct tr_query_groups groups;
    struct tr_err err = {0};
    world_open(&world);
    world_add(&world,
              "w:a a w:Thing ; w:size 100000000000000000000000000000000001 ."
              "w:b a w:Thing ; w:size -99999999999999999999999999999999999 ."
              "w:c a w:Thing ; w:size -100000000000000000000000000000000009 .");
    world_land(&world);
    ctx = world_read_ctx(&world);
    struct tr_query_aggregate asked = {.type = world_type(&world, "Thing"),
                                       .measures = measures,
                                       .measure_count = 1};
    CHECK_OK(tr_query_aggregate(&ctx, &asked, &groups, &err), &err);
    CHECK_STR(tr_json_text(&groups.items[0].measures[0]),
              "-100000000000000000000000000000000007");
    world_close(&world);
}

static const struct {
    const char *order;
    const char *group;
    const char *measure;
    const char *message;
} refusals[] = {
    {"siz", NULL, NULL, "siz is not a field; did you mean size"},
    {"-tag", NULL, NULL,
     "tag has no order; there are "
     "['title','size','done','due','share','owner']"},
    {NULL, "tag", NULL,
     "tag is nothing for group; there are "
     "['title','size','done','due','share','owner']"},
    {NULL, "sise", NULL, "sise is not a field; did you mean size"},
    {NULL, NULL, "s title",
     "title is nothing for sum; there are ['size','share']"},
    {NULL, NULL, "i needs",
     "needs is nothing for min; there are "
     "['title','size','done','due','share','owner']"},
};

TEST(orders_and_aggregates_name_the_field_that_is_wrong)
{
    struct world world;
    open_tasks(&world);
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        struct tr_graph_read_ctx ctx = world_read_ctx(&world);
        struct tr_field_errors errors = {0};
        struct tr_query_measure measures[2];
        struct tr_query query = {
            .type = world_type(&world, "Task"),
            .order = tr_str_from(refusals[i].order ? refusals[i].order : ""),
            .errors = &errors};
        struct tr_query_aggregate asked = {
            .type = query.type,
            .group = tr_str_from(refusals[i].group ? refusals[i].group : ""),
            .measures = measures,
            .measure_count = read_measures(
                refusals[i].measure ? refusals[i].measure : "", measures),
            .errors = &errors};
        struct tr_query_page page;
        struct tr_query_groups groups;
        struct tr_err err = {0};
        tr_status status =
            refusals[i].order ? tr_query_where(&ctx, &query, &page, &err)
                              : tr_query_aggregate(&ctx, &asked, &groups, &err);
        CHECK_ROW(status == TR_E_VALIDATION, refusals[i].message);
        CHECK_STR(errors.items[0].message, refusals[i].message);
    }
    world_close(&world);
}

static const char *const bad_places[] = {"http://w/t0",      "http://w/t0 ",
                                         "http://w/t0 7",    "http://w/t0 zz",
                                         "http://w/t0 00ff", " ",
                                         "http://w/t0 ff00"};

TEST(pages_in_an_order_go_on_only_from_where_one_ended)
{
    struct world world;
    struct tr_query_page page;
    struct tr_err err = {0};
    open_tasks(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    struct tr_query query = {.type = world_type(&world, "Task"),
                             .order = TR_STR("size")};
    for (size_t i = 0; i < TR_LEN(bad_places); i++) {
        query.after = tr_str_from(bad_places[i]);
        CHECK_ROW(tr_query_where(&ctx, &query, &page, &err) == TR_E_INVALID,
                  bad_places[i]);
    }
    query.after = TR_STR("http://w/nobody ff");
    CHECK(tr_query_where(&ctx, &query, &page, &err) == TR_E_NOT_FOUND);
    world_close(&world);
}

/* A page costs memory and work of so many; the field that would need an index
 * is named. */
TEST(too_many_matches_are_not_sorted)
{
    struct tr_query_scans *scans = NULL;
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    struct world world;
    struct tr_field_errors errors = {0};
    struct tr_query_page page;
    struct tr_err err = {0};
    struct tr_buf text;
    world_open(&world);
    tr_buf_init(&text, TR_MIB(4));
    for (size_t i = 0; i < TR_LIMIT_QUERY_SORTED; i++)
        tr_buf_putf(&text, "w:t%zu a w:Thing ; w:size %zu .\n", i, i % 7);
    tr_buf_putc(&text, '\0');
    world_add(&world, text.ptr);
    world_land(&world);
    tr_buf_done(&text);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    struct tr_query query = {.type = world_type(&world, "Thing"),
                             .order = TR_STR("size"),
                             .errors = &errors};
    CHECK_OK(tr_query_scans_create(&scans, &err), &err);
    ctx.scans = scans;
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    CHECK_INT(page.count, TR_LIMIT_PAGE_DEFAULT);
    CHECK_INT(tr_query_scans_read(scans, found), 1);
    CHECK_STR(tr_str_from(found[0].field), "size");
    CHECK_INT(found[0].looked, TR_LIMIT_QUERY_SORTED);
    world_add(&world, "w:more a w:Thing .");
    world_land(&world);
    CHECK(tr_query_where(&ctx, &query, &page, &err) == TR_E_VALIDATION);
    CHECK_STR(errors.items[0].field, "size");
    CHECK_STR(errors.items[0].code, "needs_index");
    CHECK_STR(errors.items[0].message,
              "size has no index, and more than 10000 matches are not sorted: "
              "narrow the filter, or declare index = true for the field size");
    errors.count = 0;
    query.filter = read_json(&world, "{\"size\":3}");
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    query.filter = NULL;
    query.max_work = 100;
    CHECK(tr_query_where(&ctx, &query, &page, &err) == TR_E_VALIDATION);
    errors.count = 0;
    query.max_work = 0;
    query.order = TR_STR("");
    query.filter = read_json(&world, "{\"title\":{\"prefix\":\"x\"}}");
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    CHECK_INT(tr_query_scans_read(scans, found), 2);
    CHECK_STR(tr_str_from(found[1].field), "title");
    tr_query_scans_free(scans);
    world_close(&world);
}

static tr_status ask_many(struct world *world, size_t conditions)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query_page page;
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_putf(&text, "{\"any\":[{}");
    for (size_t i = 1; i < conditions; i++)
        tr_buf_putf(&text, ",{\"size\":%zu}", i);
    tr_buf_putf(&text, "]}");
    tr_buf_putc(&text, '\0');
    struct tr_query query = {.type = world_type(world, "Task"),
                             .filter = read_json(world, text.ptr)};
    tr_status status = tr_query_where(&ctx, &query, &page, NULL);
    tr_buf_done(&text);
    return status;
}

TEST(a_filter_has_a_bound)
{
    struct world world;
    open_tasks(&world);
    CHECK_INT(ask_many(&world, TR_LIMIT_FILTER_CONDITIONS), TR_OK);
    CHECK_INT(ask_many(&world, TR_LIMIT_FILTER_CONDITIONS + 1), TR_E_LIMIT);
    world_close(&world);
}

/* All that asks, with own changes; statements are kept. */
static tr_status ask_all(void *context, struct tr_err *err)
{
    static const char filter[] =
        "{\"size\":{\"min\":0},\"any\":[{\"tag\":\"x\"},"
        "{\"owner.name\":{\"one_of\":[\"Ann\",\"Bob\"]}}]}";
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query_measure measure = {TR_QUERY_SUM, TR_STR_INIT("size")};
    struct tr_query query = {
        .type = world_type(world, "Task"), .order = TR_STR("-due"), .limit = 1};
    struct tr_query_aggregate asked = {.type = query.type,
                                       .group = TR_STR("done"),
                                       .measures = &measure,
                                       .measure_count = 1};
    struct tr_arena arena;
    struct tr_query_groups groups;
    struct tr_query_page page;
    struct tr_json out;
    tr_arena_init(&arena, TR_MIB(1));
    ctx.arena = &arena;
    tr_graph_terms_forget(world->terms);
    tr_status status =
        tr_json_read(&arena, TR_STR(filter), NULL, &query.filter, err);
    asked.filter = query.filter;
    if (status == TR_OK)
        status = tr_query_where(&ctx, &query, &page, err);
    if (status == TR_OK)
        status = tr_query_explain(&ctx, &query, &out, err);
    if (status == TR_OK)
        status = tr_query_aggregate(&ctx, &asked, &groups, err);
    if (status == TR_OK)
        status = tr_query_groups_json(&ctx, &asked, &groups, &out, err);
    tr_arena_done(&arena);
    return status;
}

TEST(queries_say_so_when_there_is_no_memory)
{
    struct world world;
    open_tasks(&world);
    CHECK(ask_all(&world, NULL) == TR_OK);
    tr_test_sweep(ask_all, &world);
    world_close(&world);
}
