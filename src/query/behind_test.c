/* Fields behind a ref, and of who refers: which way leads to the nodes, what
 * bounds it, and what is refused. */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "model/builder.h"
#include "query/query.h"
#include "query/scans.h"
#include "support/world.h"

enum { PEOPLE = 60, TASKS = 300 };

#define NS "http://w/"

static const struct tr_field person_fields[] = {
    {.name = TR_STR_INIT("age"),
     .iri = TR_STR_INIT(NS "age"),
     .kind = TR_FIELD_INTEGER,
     .optional = true,
     .index = TR_FIELD_INDEX_VALUE},
    {.name = TR_STR_INIT("city"),
     .iri = TR_STR_INIT(NS "city"),
     .optional = true},
};
static const struct tr_field task_fields[] = {
    {.name = TR_STR_INIT("size"),
     .iri = TR_STR_INIT(NS "size"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("due"),
     .iri = TR_STR_INIT(NS "due"),
     .kind = TR_FIELD_INTEGER,
     .optional = true,
     .index = TR_FIELD_INDEX_VALUE},
    {.name = TR_STR_INIT("owner"),
     .iri = TR_STR_INIT(NS "owner"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .optional = true},
};
static const struct tr_field note_fields[] = {
    {.name = TR_STR_INIT("owner"),
     .iri = TR_STR_INIT(NS "note-owner"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .optional = true},
    {.name = TR_STR_INIT("about"),
     .iri = TR_STR_INIT(NS "about"),
     .kind = TR_FIELD_REF,
     .any_type = true,
     .optional = true},
};
static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Note"),
               .iri = TR_STR_INIT(NS "Note"),
               .fields = note_fields,
               .count = TR_LEN(note_fields)}},
    {.shape = {.name = TR_STR_INIT("SmallNote"),
               .iri = TR_STR_INIT(NS "SmallNote")},
     .extends = TR_STR_INIT("Note")},
    {.shape = {.name = TR_STR_INIT("Person"),
               .iri = TR_STR_INIT(NS "Person"),
               .fields = person_fields,
               .count = TR_LEN(person_fields)}},
    {.shape = {.name = TR_STR_INIT("Task"),
               .iri = TR_STR_INIT(NS "Task"),
               .fields = task_fields,
               .count = TR_LEN(task_fields)}},
};

static const struct tr_model *make_model(void)
{
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("test"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

/* Person p<i> is i years old, the first 40 live in Ulm; task t<i> is of person
 * i % PEOPLE, and of size i. The same for so many tasks that nobody owns. */
static void open_tasks(struct world *world, size_t tasks, size_t people)
{
    struct tr_buf text;
    world_open(world);
    tr_model_free(world->model);
    world->model = make_model();
    tr_buf_init(&text, TR_MIB(4));
    for (size_t i = 0; i < people; i++)
        tr_buf_putf(&text, "w:p%zu a w:Person ; w:age %zu ; w:city '%s' .\n", i,
                    i, i < 40 ? "Ulm" : "Bonn");
    for (size_t i = 0; i < tasks; i++)
        tr_buf_putf(&text,
                    "w:t%zu a w:Task ; w:size %zu ; w:due %zu ;"
                    " w:owner w:p%zu .\n",
                    i, i, i, i % people);
    tr_buf_putc(&text, '\0');
    world_add(world, text.ptr);
    world_land(world);
    tr_buf_done(&text);
}

static struct tr_query make_query(struct world *world, const char *type,
                                  const char *filter)
{
    struct tr_query query = {.type = world_type(world, type), .limit = 1000};
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(&world->arena, tr_str_from(filter), NULL,
                          &query.filter, &err),
             &err);
    return query;
}

/* What is found, how many nodes were looked at for it, and the way as it is
 * explained. */
static const struct {
    const char *type;
    const char *filter;
    size_t found;
    size_t looked;
    const char *leads;
    const char *index; /* or NULL */
} rows[] = {
    {"Task", "{\"owner.age\":{\"min\":58}}", 10, 10, "owner.age min",
     "Person by age, back along owner"},
    {"Task", "{\"owner.age\":{\"min\":10,\"below\":12},\"size\":{\"max\":100}}",
     4, 10, "owner.age min below", "Person by age, back along owner"},
    /* The first range is the longer one, and leads all the same. */
    {"Task", "{\"owner.age\":{\"above\":50},\"owner.city\":\"Ulm\"}", 0, 45,
     "owner.age above", "Person by age, back along owner"},
    /* More people than equal values are united for: back from them all. */
    {"Task", "{\"owner.city\":\"Ulm\"}", 200, 200, "owner.city one_of",
     "Person, back along owner"},
    /* A few of them: the equal value leads to both. */
    {"Task", "{\"owner.age\":7}", 5, 5, "owner.age one_of", NULL},
    /* What is equal leads to a few: nobody looks for another way. */
    {"Task", "{\"size\":7,\"owner.age\":{\"min\":7}}", 1, 1, "size one_of",
     NULL},
    {"Task", "{\"size\":7,\"due\":{\"min\":0}}", 1, 1, "size one_of", NULL},
    {"Task",
     "{\"size\":7,\"any\":[{\"due\":{\"min\":0}},{\"due\":{\"max\":9}}]}", 1, 1,
     "size one_of", NULL},
    {"Task", "{\"due\":{\"max\":2},\"owner.age\":{\"min\":1}}", 2, 3, "due max",
     "Task by due"},
    {"Task", "{\"any\":[{\"owner.age\":{\"max\":1}},{\"due\":{\"max\":2}}]}",
     11, 13, "any", "Person by age, back along owner; Task by due"},
    /* Who has none need not have an owner. */
    {"Task", "{\"owner.age\":{\"absent\":true}}", 0, 300, "", NULL},
    /* From those who refer along to what they refer to. */
    {"Person", "{\"^Task.owner.due\":{\"below\":2}}", 2, 2,
     "^Task.owner.due below", "Task by due, along owner"},
    {"Person", "{\"city\":\"Ulm\",\"^Task.owner.due\":{\"min\":250}}", 30, 40,
     "city one_of", NULL},
    {"Person", "{\"^Task.owner.size\":7}", 1, 1, "^Task.owner.size one_of",
     "Task, along owner"},
    {"Person", "{\"^Task.owner\":{\"absent\":true}}", 0, 60, "", NULL},
    {"Person", "{\"^about\":{\"present\":true}}", 0, 60, "", NULL},
};

static void check_way(struct world *world, size_t row)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query query = make_query(world, rows[row].type, rows[row].filter);
    struct tr_query_page page;
    struct tr_err err = {0};
    struct tr_json out;
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    CHECK_ROW(page.count == rows[row].found && !page.next.len,
              rows[row].filter);
    CHECK_ROW(page.looked == rows[row].looked, rows[row].filter);
    CHECK_OK(tr_query_explain(&ctx, &query, &out, &err), &err);
    const struct tr_json *leads = tr_json_find(&out, TR_STR("leads"));
    const struct tr_json *index = tr_json_find(&out, TR_STR("index"));
    CHECK_STR(tr_json_text(tr_json_at(leads, 0)), rows[row].leads);
    CHECK_ROW(leads->len <= 1, rows[row].filter);
    CHECK_STR(tr_json_text(index), rows[row].index ? rows[row].index : "");
}

TEST(a_range_behind_a_ref_is_walked_and_followed_back)
{
    struct world world;
    open_tasks(&world, TASKS, PEOPLE);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_way(&world, i);
    world_close(&world);
}

static size_t count_pages(struct world *world, struct tr_query query)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    size_t count = 0;
    do {
        struct tr_query_page page;
        struct tr_err err = {0};
        CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
        count += page.count;
        query.after = page.next;
    } while (query.after.len);
    return count;
}

/* As many are found at once as would be sorted; beyond that a page scans, and
 * what needs all of them goes back as far as its work allows. */
TEST(the_way_back_has_a_bound)
{
    const size_t many = TR_LIMIT_QUERY_SORTED + 500;
    struct world world;
    struct tr_field_errors errors = {0};
    struct tr_query_page page;
    struct tr_query_count count;
    struct tr_err err = {0};
    open_tasks(&world, many, 2);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    struct tr_query query =
        make_query(&world, "Task", "{\"owner.age\":{\"min\":0}}");
    CHECK_INT(count_pages(&world, query), many);
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK(count.at_least && count.count == TR_LIMIT_COUNT);
    query.max_work = 700;
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK(count.at_least && count.count == 700);
    query.max_work = 0;
    query.order = TR_STR("size");
    query.errors = &errors;
    CHECK(tr_query_where(&ctx, &query, &page, &err) == TR_E_VALIDATION);
    CHECK_STR(errors.items[0].code, "needs_index");
    errors.count = 0;
    query = make_query(&world, "Task", "{\"owner.age\":{\"min\":1}}");
    query.order = TR_STR("-size");
    query.limit = 3;
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    CHECK_INT(page.count, 3);
    world_close(&world);
}

/* Without an index there is no way back: what to declare is a field of the type
 * that the ref leads to. */
TEST(an_index_that_is_missing_behind_a_ref_is_named)
{
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    struct tr_query_scans *scans = NULL;
    struct world world;
    struct tr_query_page page;
    struct tr_err err = {0};
    struct tr_json out;
    open_tasks(&world, 1200, PEOPLE);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    struct tr_query query = make_query(&world, "Task",
                                       "{\"owner.city\":{\"prefix\":\"X\"},"
                                       "\"owner.age\":{\"absent\":true}}");
    CHECK_OK(tr_query_scans_create(&scans, &err), &err);
    ctx.scans = scans;
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    CHECK_INT(page.looked, 1200);
    CHECK_INT(tr_query_scans_read(scans, found), 1);
    CHECK_STR(tr_str_from(found[0].type), "Person");
    CHECK_STR(tr_str_from(found[0].field), "city");
    CHECK_OK(tr_query_explain(&ctx, &query, &out, &err), &err);
    CHECK_STR(tr_json_text(tr_json_find(&out, TR_STR("declare"))),
              "index = true for the field city of Person");
    tr_query_scans_free(scans);
    world_close(&world);
}

static const struct {
    const char *type;
    const char *filter;
    const char *message;
} refusals[] = {
    {"Person", "{\"^owner.size\":1}",
     "^owner.size is not a field: several types refer by that; say "
     "['^Note.owner','^Task.owner']"},
    {"Person", "{\"^boss\":{\"present\":true}}",
     "^boss is not a field: nothing refers by that; there are "
     "['^Note.owner','^about','^Task.owner']"},
    {"Task", "{\"^owner\":{\"present\":true}}",
     "^owner is not a field: nothing refers by that; there are ['^about']"},
    {"Person", "{\"^Task.owner.sise\":1}",
     "^Task.owner.sise is not a field; did you mean ^Task.owner.size"},
    {"Person", "{\"^Task.owner\":\"http://w/t1\"}",
     "^Task.owner needs a form, not ''; there are ['present','absent']"},
    {"Person", "{\"^Task.owner\":{\"min\":1}}",
     "^Task.owner has no form 'min'; there are ['present','absent']"},
    {"Person", "{\"^\":1}",
     "^ is not a field: nothing refers by that; there are "
     "['^Note.owner','^about','^Task.owner']"},
    {"Person", "{\"^Task.owner.owner.age\":1}",
     "^Task.owner.owner.age is not a field; there are "
     "['^Task.owner.size','^Task.owner.due','^Task.owner.owner']"},
};

TEST(what_nobody_refers_by_is_refused)
{
    struct world world;
    open_tasks(&world, 1, 1);
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        struct tr_graph_read_ctx ctx = world_read_ctx(&world);
        struct tr_query query =
            make_query(&world, refusals[i].type, refusals[i].filter);
        struct tr_field_errors errors = {0};
        struct tr_query_page page;
        struct tr_err err = {0};
        query.errors = &errors;
        CHECK_ROW(tr_query_where(&ctx, &query, &page, &err) == TR_E_VALIDATION,
                  refusals[i].filter);
        CHECK_INT(errors.count, 1);
        CHECK_STR(errors.items[0].message, refusals[i].message);
    }
    world_close(&world);
}

/* One who is referred to by so many that the query does not end: it says so.
 */
TEST(steps_across_refs_have_a_bound)
{
    struct world world;
    struct tr_query_page page;
    struct tr_err err = {0};
    open_tasks(&world, 1, 1);
    for (size_t i = 0; i < TR_LIMIT_QUERY_WORK; i++) {
        char iri[32];
        int len = snprintf(iri, sizeof(iri), NS "t%zu", i);
        const tr_rdf_quad quad = {
            .subject = tr_rdf_term_iri((tr_str){iri, (size_t)len}),
            .predicate = tr_rdf_term_iri(TR_STR(NS "owner")),
            .object = tr_rdf_term_iri(TR_STR(NS "p0"))};
        world_add_quad(&world, &quad);
    }
    world_add(&world, "w:one w:owner w:p0 . w:more w:owner w:p0 .");
    world_land(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    struct tr_query query =
        make_query(&world, "Person", "{\"^Task.owner.size\":{\"above\":7}}");
    CHECK(tr_query_where(&ctx, &query, &page, &err) == TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg),
              "^Task.owner.size has to be looked at for more than 50000 nodes: "
              "narrow the filter");
    world_remove(&world, "w:more w:owner w:p0 .");
    CHECK_OK(tr_query_where(&ctx, &query, &page, &err), &err);
    CHECK_INT(page.count, 0);
    world_close(&world);
}

static tr_status ask_all(void *context, struct tr_err *err)
{
    static const char *const filters[][2] = {
        {"Task", "{\"owner.age\":{\"min\":3}}"},
        {"Task", "{\"owner.city\":\"Ulm\"}"},
        {"Task",
         "{\"any\":[{\"owner.age\":{\"max\":1}},{\"due\":{\"max\":2}}]}"},
        {"Person", "{\"^Task.owner.due\":{\"min\":3}}"},
        {"Person", "{\"^Task.owner\":{\"absent\":true}}"}};
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    tr_status status = TR_OK;
    for (size_t i = 0; i < TR_LEN(filters) && status == TR_OK; i++) {
        struct tr_query query = {.type = world_type(world, filters[i][0])};
        struct tr_query_count count;
        struct tr_query_page page;
        struct tr_arena arena;
        struct tr_json out;
        tr_arena_init(&arena, TR_MIB(4));
        ctx.arena = &arena;
        tr_graph_terms_forget(world->terms);
        status = tr_json_read(&arena, tr_str_from(filters[i][1]), NULL,
                              &query.filter, err);
        if (status == TR_OK)
            status = tr_query_where(&ctx, &query, &page, err);
        if (status == TR_OK)
            status = tr_query_where_count(&ctx, &query, &count, err);
        if (status == TR_OK)
            status = tr_query_explain(&ctx, &query, &out, err);
        tr_arena_done(&arena);
    }
    return status;
}

TEST(ways_back_say_so_when_there_is_no_memory)
{
    struct world world;
    open_tasks(&world, 50, 45);
    CHECK(ask_all(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(ask_all, &world);
    world_close(&world);
}
