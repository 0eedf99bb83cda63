/*
 * Whatever is asked of a store, with ever less memory: each allocation that is
 * made fails once, be it of the process or of the arena that results live in,
 * and who asks is told so.
 */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"
#include "model/builder.h"
#include "query/aggregate.h"
#include "query/named.h"
#include "query/query.h"
#include "support/world.h"

#define NS      "http://w/"
#define ENOUGH  TR_MIB(1)
#define STEP    48 /* bytes: less than most of what is allocated */
#define RDF(of) "<" TR_RDF_NS_RDF of ">"

static const struct tr_field at_fields[] = {{.name = TR_STR_INIT("north"),
                                             .iri = TR_STR_INIT(NS "north"),
                                             .kind = TR_FIELD_NUMBER}};
static const struct tr_shape at = {.fields = at_fields,
                                   .count = TR_LEN(at_fields)};
static const struct tr_field home_fields[] = {
    {.name = TR_STR_INIT("city"), .iri = TR_STR_INIT(NS "city")},
    {.name = TR_STR_INIT("marks"),
     .iri = TR_STR_INIT(NS "marks"),
     .many = true,
     .optional = true},
    {.name = TR_STR_INIT("at"),
     .iri = TR_STR_INIT(NS "at"),
     .kind = TR_FIELD_OBJECT,
     .object = &at,
     .optional = true}};
static const struct tr_shape home = {.fields = home_fields,
                                     .count = TR_LEN(home_fields)};
static const struct tr_field site_fields[] = {
    {.name = TR_STR_INIT("domain"),
     .iri = TR_STR_INIT(NS "domain"),
     .unique = true,
     .optional = true},
    {.name = TR_STR_INIT("state"),
     .iri = TR_STR_INIT(NS "state"),
     .index = TR_FIELD_INDEX_VALUE,
     .optional = true},
    {.name = TR_STR_INIT("size"),
     .iri = TR_STR_INIT(NS "size"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("share"),
     .iri = TR_STR_INIT(NS "share"),
     .kind = TR_FIELD_NUMBER,
     .optional = true},
    {.name = TR_STR_INIT("due"),
     .iri = TR_STR_INIT(NS "due"),
     .kind = TR_FIELD_DATETIME,
     .index = TR_FIELD_INDEX_VALUE,
     .optional = true},
    {.name = TR_STR_INIT("span"),
     .iri = TR_STR_INIT(NS "span"),
     .kind = TR_FIELD_DURATION,
     .optional = true},
    {.name = TR_STR_INIT("tags"),
     .iri = TR_STR_INIT(NS "tags"),
     .many = true,
     .optional = true},
    {.name = TR_STR_INIT("next"),
     .iri = TR_STR_INIT(NS "next"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Site"),
     .by = TR_STR_INIT("domain"),
     .optional = true},
    {.name = TR_STR_INIT("home"),
     .iri = TR_STR_INIT(NS "home"),
     .kind = TR_FIELD_OBJECT,
     .object = &home,
     .optional = true},
    {.name = TR_STR_INIT("depots"),
     .iri = TR_STR_INIT(NS "depots"),
     .kind = TR_FIELD_OBJECT,
     .object = &home,
     .many = true,
     .optional = true},
    {.name = TR_STR_INIT("steps"),
     .iri = TR_STR_INIT(NS "steps"),
     .list = true,
     .optional = true},
};
static const struct tr_model_type_draft draft = {
    .shape = {.name = TR_STR_INIT("Site"),
              .iri = TR_STR_INIT(NS "Site"),
              .fields = site_fields,
              .count = TR_LEN(site_fields)},
    .label = TR_STR_INIT("domain")};

static const char sites[] =
    "w:a a w:Site ; w:domain 'a.example' ; w:state 'open' ; w:size 3 ;"
    " w:share 1.5E0 ; w:due '2026-01-01T10:00:00Z'^^xsd:dateTime ;"
    " w:span 'PT3S'^^xsd:dayTimeDuration ; w:tags 'x', 'y' ; w:next w:b ;"
    " w:home <http://w/a#home> ; w:steps <http://w/a#1> ;"
    " w:depots <http://w/a#depots.1>, <http://w/a#depots.2> ; w:odd 'more' ."
    "<http://w/a#home> w:city 'Ulm' ; w:marks 'm', 'n' ;"
    " w:at <http://w/a#home.at> . <http://w/a#home.at> w:north 4.8E1 ."
    "<http://w/a#depots.1> w:city 'Bonn' . <http://w/a#depots.2> w:city 'Kiel' "
    "."
    "<http://w/a#1> " RDF("first") " 'go' ; " RDF(
        "rest") " <http://w/a#2> ."
                "<http://w/a#2> " RDF("first") " 'stop' ; " RDF("rest") " " RDF(
                    "nil") " ."
                           "w:b a w:Site ; w:domain 'b.example' ; w:state "
                           "'open' ; w:size 20 ;"
                           " w:due '2026-02-01T10:00:00+01:00'^^xsd:dateTime ; "
                           "w:next w:a ;"
                           " w:share 2.0E0 ; w:span "
                           "'PT1M'^^xsd:dayTimeDuration ; w:tags 'x' ."
                           "w:c a w:Site ; w:state 'shut' ; w:size 20 ; w:next "
                           "w:a ."
                           "GRAPH w:g { w:c w:size 20 ; w:share 1.0E0 . }";

static void open_sites(struct world *world)
{
    struct tr_model_builder *builder = NULL;
    struct tr_err err = {0};
    world_open(world);
    tr_model_free(world->model);
    CHECK_OK(tr_model_builder_create(TR_STR("test"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    CHECK_OK(tr_model_build(builder, &world->model, &err), &err);
    tr_model_builder_free(builder);
    world_add(world, sites);
    world_land(world);
}

/* What is asked --------------------------------------------------------- */

/* What a question has: a filter and the like, as far as it needs them. */
struct asked {
    const char *text;
    const char *order;
};

struct asking {
    struct tr_graph_read_ctx ctx;
    const struct tr_model_type *type;
    const struct tr_json *filter;
    const struct asked *asked;
    struct tr_err *err;
};

typedef tr_status ask_fn(struct asking *a);

static tr_status write_page(struct asking *a, const struct tr_query_page *page)
{
    struct tr_json_writer w;
    struct tr_buf text;
    struct tr_json out;
    TR_TRY(tr_query_page_nodes(&a->ctx, page, &out, a->err));
    TR_TRY(tr_query_page_brief(&a->ctx, page, &out, a->err));
    tr_buf_init(&text, TR_KIB(16));
    tr_jw_init(&w, &text);
    tr_status status = tr_query_page_write_labels(&a->ctx, page, &w, a->err);
    if (status == TR_OK)
        status = tr_jw_finish(&w, a->err);
    tr_buf_done(&text);
    return status;
}

/* Page after page, of one node each. */
static tr_status ask_where(struct asking *a)
{
    struct tr_query query = {.type = a->type,
                             .filter = a->filter,
                             .order = tr_str_from(a->asked->order),
                             .limit = 1,
                             .with_labels = true};
    struct tr_query_page page;
    struct tr_query_count count;
    struct tr_json out;
    bool exists;
    TR_TRY(tr_query_explain(&a->ctx, &query, &out, a->err));
    TR_TRY(tr_query_where_count(&a->ctx, &query, &count, a->err));
    TR_TRY(tr_query_where_exists(&a->ctx, &query, &exists, a->err));
    do {
        TR_TRY(tr_query_where(&a->ctx, &query, &page, a->err));
        if (page.count)
            TR_TRY(tr_query_next_after(&a->ctx, &query, page.ids[0],
                                       &query.after, a->err));
        TR_TRY(write_page(a, &page));
    } while (page.next.len);
    return TR_OK;
}

/* More than may be sorted, and fields to show. */
static tr_status ask_too_much(struct asking *a)
{
    tr_str shown = tr_str_from(a->asked->text);
    struct tr_query query = {.type = a->type,
                             .order = tr_str_from(a->asked->order),
                             .max_work = 1,
                             .shown = &shown,
                             .shown_count = 1};
    struct tr_query_page page;
    return tr_query_where(&a->ctx, &query, &page, a->err);
}

static tr_status ask_aggregate(struct asking *a)
{
    static const struct tr_query_measure measures[] = {
        {TR_QUERY_SUM, TR_STR_INIT("size")},
        {TR_QUERY_AVG, TR_STR_INIT("size")},
        {TR_QUERY_SUM, TR_STR_INIT("share")},
        {TR_QUERY_AVG, TR_STR_INIT("share")},
        {TR_QUERY_MIN, TR_STR_INIT("due")},
        {TR_QUERY_MAX, TR_STR_INIT("span")},
    };
    struct tr_query_aggregate asked = {
        .type = a->type,
        .filter = a->filter,
        .group = tr_str_from(a->asked->order),
        .measures = measures,
        .measure_count = a->filter->len ? TR_LEN(measures) : 0};
    struct tr_query_groups groups;
    struct tr_json out;
    TR_TRY(tr_query_aggregate(&a->ctx, &asked, &groups, a->err));
    return tr_query_groups_json(&a->ctx, &asked, &groups, &out, a->err);
}

static tr_status ask_node(struct asking *a)
{
    struct tr_query_node_shown shown;
    struct tr_json_writer w;
    struct tr_buf text;
    struct tr_json out;
    tr_rdf_id id;
    bool found;
    TR_TRY(tr_query_node_read(&a->ctx, tr_str_from(a->asked->text), &out,
                              &found, a->err));
    TR_TRY(
        tr_graph_node_find(&a->ctx, tr_str_from(a->asked->text), &id, a->err));
    TR_TRY(tr_query_node_read_as(&a->ctx, id, a->type, &out, &found, a->err));
    tr_buf_init(&text, TR_KIB(16));
    tr_jw_init(&w, &text);
    tr_status status =
        tr_query_node_write_ld(&a->ctx, id, NULL, &w, &shown, a->err);
    if (status == TR_OK)
        status = tr_jw_finish(&w, a->err);
    tr_buf_done(&text);
    return status;
}

static tr_status ask_name(struct asking *a)
{
    const struct tr_field *next = tr_shape_find(a->type->shape, TR_STR("next"));
    const struct tr_field *domain =
        tr_shape_find(a->type->shape, TR_STR("domain"));
    struct tr_query_prefix prefix = {.type = a->type,
                                     .text = tr_str_from(a->asked->text),
                                     .limit = 2,
                                     .key = domain};
    struct tr_query_named named;
    struct tr_query_page page;
    bool more;
    TR_TRY(tr_query_named_find_ref(&a->ctx, next, tr_str_from(a->asked->text),
                                   &named, a->err));
    TR_TRY(tr_query_prefix_find(&a->ctx, &prefix, &page, &more, a->err));
    prefix.key = NULL;
    prefix.text = TR_STR(NS);
    return tr_query_prefix_find(&a->ctx, &prefix, &page, &more, a->err);
}

static tr_status ask_quads(struct asking *a)
{
    tr_rdf_term size = tr_rdf_term_iri(TR_STR(NS "size"));
    tr_rdf_term value = tr_rdf_term_typed(tr_str_from(a->asked->text),
                                          TR_STR(TR_RDF_IRI_XSD_INTEGER));
    struct tr_query_match match = {.predicate = &size, .object = &value};
    struct tr_query_matches out;
    return tr_query_match_quads(&a->ctx, &match, &out, a->err);
}

static tr_status ask_route(struct asking *a)
{
    const struct tr_query_step steps[] = {
        {.path = tr_str_from(a->asked->text), .max = 2}};
    struct tr_query_route route = {.steps = steps, .count = TR_LEN(steps)};
    struct tr_query_page page;
    tr_rdf_id id;
    bool more;
    TR_TRY(tr_graph_node_find(&a->ctx, TR_STR(NS "a"), &id, a->err));
    return tr_query_traverse(&a->ctx, id, &route, &page, &more, a->err);
}

static const struct row {
    ask_fn *ask;
    struct asked asked;
    tr_status status; /* with memory enough */
} rows[] = {
    {ask_where, {"{}", ""}, TR_OK},
    {ask_where, {"{}", "size"}, TR_OK},
    {ask_where, {"{}", "-due"}, TR_OK},
    {ask_where, {"{\"state\":\"open\"}", "-due"}, TR_OK},
    {ask_where,
     {"{\"due\":{\"min\":\"2026-01-01T00:00:00Z\"},\"size\":{\"above\":0}}",
      "due"},
     TR_OK},
    {ask_where,
     {"{\"domain\":{\"prefix\":\"a\"},\"share\":{\"min\":1,\"below\":2}}", ""},
     TR_OK},
    {ask_where,
     {"{\"state\":{\"one_of\":[\"open\",\"shut\"]},\"size\":20}", "span"},
     TR_OK},
    {ask_where,
     {"{\"due\":\"2026-01-01T11:00:00+01:00\",\"span\":{\"above\":\"PT1S\"}}",
      ""},
     TR_OK},
    {ask_where,
     {"{\"tags\":{\"has\":{\"one_of\":[\"x\",\"y\"]}},\"next\":"
      "{\"one_of\":[\"b.example\",{\"id\":\"http://w/a\"}]}}",
      ""},
     TR_OK},
    {ask_where,
     {"{\"next\":{\"absent\":true},\"home\":{\"present\":true}}", ""},
     TR_OK},
    /* Alternatives: of equal values, of indexes, and with a scan. */
    {ask_where, {"{\"any\":[{\"state\":\"open\"},{\"size\":20}]}", ""}, TR_OK},
    {ask_where,
     {"{\"any\":[{\"due\":{\"below\":\"2026-02-01T00:00:00Z\"}},"
      "{\"state\":{\"min\":\"s\"}},{\"next.state\":{\"below\":\"p\"}}]}",
      "size"},
     TR_OK},
    {ask_where,
     {"{\"any\":[{\"size\":{\"min\":4}},{\"any\":[{\"size\":3}]}]}", ""},
     TR_OK},
    {ask_where,
     {"{\"next.state\":\"open\",\"next.size\":{\"max\":3}}", ""},
     TR_OK},
    {ask_where,
     {"{\"^next.size\":{\"min\":20},\"^Site.next\":"
      "{\"present\":true}}",
      "size"},
     TR_OK},
    {ask_where,
     {"{\"^next.due\":{\"above\":\"2026-01-02T00:00:00Z\"}}", ""},
     TR_OK},
    /* What is refused. */
    {ask_where, {"{\"^nxt.size\":1}", ""}, TR_E_VALIDATION},
    {ask_where, {"{\"sise\":1,\"zzzzzzzz\":2}", ""}, TR_E_VALIDATION},
    {ask_where, {"{\"next.sise\":1}", ""}, TR_E_VALIDATION},
    {ask_where,
     {"{\"size\":\"a\",\"state\":{\"least\":1}}", ""},
     TR_E_VALIDATION},
    {ask_where,
     {"{\"state\":{\"one_of\":1},\"tags\":{\"present\":2}}", ""},
     TR_E_VALIDATION},
    {ask_where, {"{\"next\":\"nobody\",\"any\":[]}", ""}, TR_E_VALIDATION},
    {ask_where, {"{}", "tags"}, TR_E_VALIDATION},
    {ask_where, {"{}", "sise"}, TR_E_VALIDATION},
    {ask_too_much, {"state", "size"}, TR_E_VALIDATION},
    {ask_too_much, {"stat", "size"}, TR_E_VALIDATION},
    {ask_aggregate, {"{}", "state"}, TR_OK},
    {ask_aggregate, {"{}", ""}, TR_OK},
    {ask_aggregate, {"{\"size\":{\"min\":0}}", "state"}, TR_OK},
    {ask_aggregate, {"{\"size\":20}", "due"}, TR_OK},
    {ask_aggregate, {"{}", "tags"}, TR_E_VALIDATION},
    {ask_aggregate, {"{}", "stat"}, TR_E_VALIDATION},
    {ask_node, {NS "a", ""}, TR_OK},
    {ask_node, {NS "c", ""}, TR_OK},
    {ask_node, {NS "a#home", ""}, TR_OK},
    {ask_name, {"a.example", ""}, TR_OK},
    {ask_quads, {"20", ""}, TR_OK},
    {ask_route, {"next", ""}, TR_OK},
    {ask_route, {"^next", ""}, TR_OK},
    {ask_route, {"nxt", ""}, TR_E_VALIDATION},
};

/* Sweeps ------------------------------------------------------------------ */

struct sweep {
    struct world world;
    const struct row *row;
    const struct tr_json *filter;
    size_t max; /* bytes of the arena */
};

static tr_status ask(void *context, struct tr_err *err)
{
    struct sweep *sweep = context;
    struct tr_arena arena;
    struct asking a = {.ctx = world_read_ctx(&sweep->world),
                       .type = world_type(&sweep->world, "Site"),
                       .filter = sweep->filter,
                       .asked = &sweep->row->asked,
                       .err = err};
    tr_arena_init(&arena, sweep->max);
    a.ctx.arena = &arena;
    tr_graph_terms_forget(sweep->world.terms);
    tr_status status = sweep->row->ask(&a);
    tr_arena_done(&arena);
    return status == sweep->row->status ? TR_OK : status;
}

/* An arena is asked more often than the process is. */
static void sweep_arena(struct sweep *sweep)
{
    tr_status status = TR_E_NOMEM;
    for (sweep->max = 0; status == TR_E_NOMEM; sweep->max += STEP) {
        struct tr_err err = {0};
        status = ask(sweep, &err);
        CHECK_ROW(status == TR_OK || status == TR_E_NOMEM,
                  sweep->row->asked.text);
    }
    sweep->max = ENOUGH;
}

static void open_row(struct sweep *sweep, size_t i)
{
    struct tr_err err = {0};
    sweep->row = &rows[i];
    sweep->filter = NULL;
    sweep->max = ENOUGH;
    if (rows[i].asked.text[0] == '{')
        CHECK_OK(tr_json_read(&sweep->world.arena,
                              tr_str_from(rows[i].asked.text), NULL,
                              &sweep->filter, &err),
                 &err);
    CHECK_OK(ask(sweep, &err), &err); /* statements are kept */
}

static void sweep_all(struct sweep *sweep)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        open_row(sweep, i);
        tr_test_sweep(ask, sweep);
        sweep_arena(sweep);
    }
}

TEST(questions_say_so_when_there_is_no_memory)
{
    struct sweep sweep;
    open_sites(&sweep.world);
    sweep_all(&sweep);
    world_close(&sweep.world);
}

TEST(questions_of_a_call_that_has_changed_something_say_so_too)
{
    struct sweep sweep;
    open_sites(&sweep.world);
    world_change(&sweep.world);
    world_remove(&sweep.world, "w:b w:size 20 .");
    world_add(&sweep.world, "w:d a w:Site ; w:state 'open' ; w:size 7 ;"
                            " w:next w:a . w:b w:size 21 .");
    sweep_all(&sweep);
    world_close(&sweep.world);
}
