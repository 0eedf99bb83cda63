#include "graph/row.h"

#include "base/test.h"
#include "model/builder.h"
#include "model/model.h"
#include "rdf/memory_graph.h"

#define LABEL TR_RDF_NS_RDFS "label"
#define TEAM  "trails://team/"

static const struct tr_field thing_fields[] = {
    {.name = TR_STR_INIT("title"), .search = true, .optional = true},
};
static const struct tr_field task_fields[] = {
    {.name = TR_STR_INIT("notes"),
     .search = true,
     .many = true,
     .optional = true},
    {.name = TR_STR_INIT("secret"), .optional = true},
};

static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Thing"),
               .fields = thing_fields,
               .count = TR_LEN(thing_fields)},
     .label = TR_STR_INIT("title")},
    {.shape = {.name = TR_STR_INIT("Task"),
               .fields = task_fields,
               .count = TR_LEN(task_fields)},
     .label = TR_STR_INIT("title"),
     .extends = TR_STR_INIT("Thing")},
};

struct world {
    const struct tr_model *model;
    struct tr_rdf_memory_graph *graph;
    struct tr_arena arena;
    struct tr_graph_node_row row;
};

static void open_world(struct world *w)
{
    struct tr_model_builder *builder = NULL;
    struct tr_err err = {0};
    *w = (struct world){0};
    tr_arena_init(&w->arena, 1 << 20);
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &w->model, &err), &err);
    tr_model_builder_free(builder);
    CHECK_OK(tr_rdf_memory_graph_create(0, &w->graph, &err), &err);
}

static void close_world(struct world *w)
{
    tr_rdf_memory_graph_free(w->graph);
    tr_model_free(w->model);
    tr_arena_done(&w->arena);
}

static void say(struct world *w, const char *predicate, tr_rdf_term object)
{
    CHECK_OK(tr_rdf_memory_graph_add_triple(
                 w->graph, tr_rdf_term_iri(TR_STR("http://e/s")), predicate,
                 object, NULL),
             NULL);
}

static tr_rdf_term iri(const char *text)
{
    return tr_rdf_term_iri(tr_str_from(text));
}

static tr_rdf_term text(const char *text)
{
    return tr_rdf_term_string(tr_str_from(text));
}

static void make(struct world *w, const struct tr_model *model)
{
    const struct tr_rdf_graph *view = tr_rdf_memory_graph_view(w->graph);
    struct tr_err err = {0};
    tr_rdf_id subject;
    CHECK_OK(tr_rdf_memory_graph_index(w->graph, &err), &err);
    CHECK_OK(tr_rdf_graph_find_iri(view, TR_STR("http://e/s"), &subject, &err),
             &err);
    CHECK_OK(tr_graph_row_make(view, model, subject, &w->arena, &w->row, &err),
             &err);
}

static void check_type(struct world *w, const char *expected)
{
    tr_rdf_term term;
    CHECK(w->row.has_type);
    CHECK_OK(tr_rdf_graph_get(tr_rdf_memory_graph_view(w->graph), w->row.type,
                              &term, NULL),
             NULL);
    CHECK_STR(term.text, expected);
}

TEST(row_has_the_most_specific_type_its_label_and_what_is_searched)
{
    struct world w;
    open_world(&w);
    say(&w, TR_RDF_IRI_RDF_TYPE, iri("http://a/Other"));
    say(&w, TR_RDF_IRI_RDF_TYPE, iri(TEAM "Thing"));
    say(&w, TR_RDF_IRI_RDF_TYPE, iri(TEAM "Task"));
    say(&w, TEAM "Thing#title", text("Sweep"));
    say(&w, TEAM "Task#notes", text("the floor"));
    say(&w, TEAM "Task#secret", text("hidden"));
    say(&w, LABEL, text("Another"));
    make(&w, w.model);
    check_type(&w, TEAM "Task");
    CHECK_STR(w.row.declared->name, "Task");
    CHECK(w.row.has_label);
    CHECK_STR(w.row.label, "Sweep");
    CHECK_STR(w.row.search, "Sweep\nthe floor");
    close_world(&w);
}

TEST(row_of_what_no_type_declares_has_the_first_class_and_rdfs_label)
{
    struct world w;
    open_world(&w);
    say(&w, TR_RDF_IRI_RDF_TYPE, iri("http://b/Z"));
    say(&w, TR_RDF_IRI_RDF_TYPE, iri("http://b/A"));
    say(&w, TR_RDF_IRI_RDF_TYPE, text("http://a/no-class"));
    say(&w, LABEL, tr_rdf_term_lang(TR_STR("Apfel"), TR_STR("de")));
    say(&w, LABEL, text("Pear"));
    say(&w, LABEL, text("Quince"));
    say(&w, LABEL, iri("http://e/no-label"));
    make(&w, NULL);
    check_type(&w, "http://b/A");
    CHECK(!w.row.declared);
    CHECK_STR(w.row.label, "Pear");
    CHECK_INT(w.row.search.len, 0);
    make(&w, w.model);
    check_type(&w, "http://b/A");
    close_world(&w);
}

TEST(row_may_have_no_type_and_no_label)
{
    struct world w;
    open_world(&w);
    say(&w, TEAM "Thing#title", text("Sweep"));
    make(&w, w.model);
    CHECK(!w.row.has_type);
    CHECK_INT(w.row.type, TR_RDF_ID_NONE);
    CHECK(!w.row.has_label);
    CHECK_INT(w.row.search.len, 0);
    close_world(&w);
}
