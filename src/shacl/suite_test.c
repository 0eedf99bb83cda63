/*
 * The W3C suite of SHACL Core: one test for each entry of its manifests. A
 * report is compared with the expected one as a graph, by what a test may say
 * of it: conforms, and of each result focus node, path, value, severity,
 * component, shape, and messages where some are expected.
 */
#include "base/limits.h"
#include "base/test.h"
#include "rdf/reader.h"
#include "rdf/writer.h"
#include "shacl/report.h"
#include "shacl/shapes.h"
#include "support/isomorphism.h"

#define NS_MF  "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
#define NS_SHT "http://www.w3.org/ns/shacl-test#"

enum { SUITE_CASES = 98 };

struct entry {
    char name[96];
    char path[512];
};

/* Tests are made before cmocka runs, which could report a failure. */
static void must(bool condition)
{
    if (!condition)
        abort();
}

static struct tr_rdf_memory_graph *load(const char *path)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_rdf_file_opts opts = {0};
    must(tr_rdf_memory_graph_create(0, &graph, NULL) == TR_OK);
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    must(tr_rdf_file_read(path, &opts, &sink, NULL) == TR_OK);
    must(tr_rdf_memory_graph_index(graph, NULL) == TR_OK);
    return graph;
}

static tr_rdf_id find(const struct tr_rdf_graph *graph, const char *iri)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    must(tr_rdf_graph_find_iri(graph, tr_str_from(iri), &id, NULL) == TR_OK);
    return id;
}

static tr_rdf_id object_of(const struct tr_rdf_graph *graph, tr_rdf_id subject,
                           const char *predicate)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row = {0};
    tr_rdf_graph_match(graph,
                       (tr_rdf_ids){subject, find(graph, predicate),
                                    TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    tr_rdf_id found =
        tr_rdf_cursor_next(&cursor, &row) ? row.o : TR_RDF_ID_NONE;
    must(tr_rdf_cursor_close(&cursor, NULL) == TR_OK);
    return found;
}

/* file:///x -> /x */
static void path_of(const struct tr_rdf_graph *graph, tr_rdf_id id,
                    char path[512])
{
    tr_rdf_term term;
    must(tr_rdf_graph_get(graph, id, &term, NULL) == TR_OK);
    must(tr_str_starts(term.text, TR_STR("file://")));
    (void)snprintf(path, 512, "%.*s", TR_FMT(tr_str_skip(term.text, 7)));
}

/* What is copied from one report to a graph that is compared. */
struct copy {
    const struct tr_rdf_graph *from;
    struct tr_rdf_memory_graph *to;
    const char *const *kept;
    size_t count;
};

static bool is_kept(const struct copy *copy, tr_str predicate)
{
    for (size_t i = 0; i < copy->count; i++) {
        if (tr_str_eq(tr_str_from(copy->kept[i]), predicate))
            return true;
    }
    return false;
}

static bool leads_on(tr_str predicate)
{
    return !tr_str_eq(predicate, TR_STR(TR_RDF_NS_SH "sourceShape")) &&
           !tr_str_eq(predicate, TR_STR(TR_RDF_NS_SH "focusNode")) &&
           !tr_str_eq(predicate, TR_STR(TR_RDF_NS_SH "value"));
}

static void copy_node(const struct copy *copy, tr_rdf_id node)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_graph_match(
        copy->from,
        (tr_rdf_ids){node, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        &cursor);
    while (tr_rdf_cursor_next(&cursor, &row)) {
        tr_rdf_quad quad;
        must(tr_rdf_graph_quad(copy->from, row, &quad, NULL) == TR_OK);
        if (!is_kept(copy, quad.predicate.text))
            continue;
        must(tr_rdf_memory_graph_add(copy->to, &quad, NULL) == TR_OK);
        if (quad.object.kind == TR_RDF_TERM_BLANK &&
            leads_on(quad.predicate.text))
            copy_node(copy, row.o);
    }
    must(tr_rdf_cursor_close(&cursor, NULL) == TR_OK);
}

static struct tr_rdf_memory_graph *comparable(const struct tr_rdf_graph *from,
                                              tr_rdf_id report,
                                              bool with_messages)
{
    static const char *const kept[] = {
        TR_RDF_NS_SH "conforms",
        TR_RDF_NS_SH "result",
        TR_RDF_NS_SH "focusNode",
        TR_RDF_NS_SH "resultPath",
        TR_RDF_NS_SH "value",
        TR_RDF_NS_SH "resultSeverity",
        TR_RDF_NS_SH "sourceConstraintComponent",
        TR_RDF_NS_SH "sourceShape",
        TR_RDF_IRI_RDF_FIRST,
        TR_RDF_IRI_RDF_REST,
        TR_RDF_NS_SH "inversePath",
        TR_RDF_NS_SH "alternativePath",
        TR_RDF_NS_SH "zeroOrMorePath",
        TR_RDF_NS_SH "oneOrMorePath",
        TR_RDF_NS_SH "zeroOrOnePath",
        TR_RDF_NS_SH "resultMessage",
    };
    struct copy copy = {
        .from = from, .kept = kept, .count = TR_LEN(kept) - !with_messages};
    must(tr_rdf_memory_graph_create(0, &copy.to, NULL) == TR_OK);
    copy_node(&copy, report);
    must(tr_rdf_memory_graph_index(copy.to, NULL) == TR_OK);
    return copy.to;
}

static struct tr_rdf_memory_graph *
validate(const struct tr_rdf_graph *shapes_graph,
         const struct tr_rdf_graph *data)
{
    struct tr_err err = {0};
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_shacl_validation *v = NULL;
    struct tr_rdf_memory_graph *out = NULL;
    struct tr_arena arena;
    struct tr_shacl_report report;
    tr_arena_init(&arena, TR_MIB(16));
    tr_shacl_report_init(&report, &arena, 0);
    CHECK_OK(tr_shacl_shapes_read(shapes_graph, &shapes, &err), &err);
    CHECK_OK(tr_shacl_validation_create(shapes, data, NULL, &v, &err), &err);
    CHECK_OK(tr_shacl_validation_run(v, tr_shacl_report_add, &report, &err),
             &err);
    CHECK_OK(tr_rdf_memory_graph_create(0, &out, &err), &err);
    CHECK_OK(tr_shacl_report_to_graph(&report, v, out, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(out, &err), &err);
    tr_shacl_validation_free(v);
    tr_shacl_shapes_free(shapes);
    tr_arena_done(&arena);
    return out;
}

static void show(const char *what, const struct tr_rdf_memory_graph *graph)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(1));
    struct tr_rdf_output output = tr_rdf_output_buf(&text);
    if (tr_rdf_write(TR_RDF_TURTLE, tr_rdf_memory_graph_view(graph), NULL,
                     &output, NULL) == TR_OK)
        print_message("%s:\n%.*s\n", what, TR_FMT(tr_buf_str(&text)));
    tr_buf_done(&text);
}

static void check_report(const struct tr_rdf_graph *manifest, tr_rdf_id wanted,
                         const struct tr_rdf_memory_graph *report)
{
    const struct tr_rdf_graph *got_graph = tr_rdf_memory_graph_view(report);
    bool with_messages =
        find(manifest, TR_RDF_NS_SH "resultMessage") != TR_RDF_ID_NONE;
    tr_rdf_id root = TR_RDF_ID_NONE;
    tr_rdf_term label = tr_rdf_term_blank(TR_STR("report"));
    bool same = false;
    CHECK_OK(tr_rdf_graph_find(got_graph, &label, &root, NULL), NULL);
    struct tr_rdf_memory_graph *want =
        comparable(manifest, wanted, with_messages);
    struct tr_rdf_memory_graph *got =
        comparable(got_graph, root, with_messages);
    CHECK_OK(graph_isomorphic(tr_rdf_memory_graph_view(got),
                              tr_rdf_memory_graph_view(want), &same, NULL),
             NULL);
    if (!same) {
        show("wanted", want);
        show("got", got);
    }
    tr_rdf_memory_graph_free(got);
    tr_rdf_memory_graph_free(want);
    CHECK(same);
}

static void gives_the_report(void **state)
{
    const struct entry *entry = *state;
    char paths[2][512];
    struct tr_rdf_memory_graph *manifest = load(entry->path);
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(manifest);
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row = {0};
    tr_rdf_graph_match(graph,
                       (tr_rdf_ids){TR_RDF_ID_ANY, find(graph, NS_MF "action"),
                                    TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    CHECK(tr_rdf_cursor_next(&cursor, &row));
    CHECK_OK(tr_rdf_cursor_close(&cursor, NULL), NULL);
    path_of(graph, object_of(graph, row.o, NS_SHT "dataGraph"), paths[0]);
    path_of(graph, object_of(graph, row.o, NS_SHT "shapesGraph"), paths[1]);
    struct tr_rdf_memory_graph *data = load(paths[0]);
    struct tr_rdf_memory_graph *shapes =
        strcmp(paths[0], paths[1]) == 0 ? NULL : load(paths[1]);
    struct tr_rdf_memory_graph *report =
        validate(tr_rdf_memory_graph_view(shapes ? shapes : data),
                 tr_rdf_memory_graph_view(data));
    check_report(graph, object_of(graph, row.s, NS_MF "result"), report);
    tr_rdf_memory_graph_free(report);
    tr_rdf_memory_graph_free(shapes);
    tr_rdf_memory_graph_free(data);
    tr_rdf_memory_graph_free(manifest);
}

static void suite_is_absent(void **state)
{
    (void)state;
    skip();
}

static void suite_is_complete(void **state)
{
    CHECK_INT((intptr_t)*state, SUITE_CASES);
}

/* Tests live as long as the program: the list of tests has them. */
static void add_entry(const char *path)
{
    struct entry *entry = calloc(1, sizeof(*entry));
    struct tr_test *test = calloc(1, sizeof(*test));
    must(entry && test);
    const char *name = strstr(path, "/core/");
    must(name != NULL);
    (void)snprintf(entry->name, sizeof(entry->name), "shacl%s", name);
    (void)snprintf(entry->path, sizeof(entry->path), "%s", path);
    *test = (struct tr_test){
        .name = entry->name, .run = gives_the_report, .state = entry};
    tr_test_add(test);
}

/* A manifest includes others or has an entry. Returns how many there were. */
static intptr_t add_manifest(const char *path)
{
    struct tr_rdf_memory_graph *manifest = load(path);
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(manifest);
    tr_rdf_id include = find(graph, NS_MF "include");
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    intptr_t count = 0;
    if (find(graph, NS_MF "action") != TR_RDF_ID_NONE) {
        add_entry(path);
        count++;
    }
    tr_rdf_graph_match(
        graph,
        (tr_rdf_ids){TR_RDF_ID_ANY, include, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        &cursor);
    while (tr_rdf_cursor_next(&cursor, &row)) {
        char inner[512];
        path_of(graph, row.o, inner);
        count += add_manifest(inner);
    }
    must(tr_rdf_cursor_close(&cursor, NULL) == TR_OK);
    tr_rdf_memory_graph_free(manifest);
    return count;
}

__attribute__((constructor)) static void add_tests(void)
{
    static struct tr_test absent = {"shacl_suite_is_absent", suite_is_absent,
                                    NULL, NULL};
    static struct tr_test complete = {"shacl_suite_is_complete",
                                      suite_is_complete, NULL, NULL};
    char path[512];
    if (!tr_test_suite("shacl/tests/core/manifest.ttl", path, sizeof(path))) {
        tr_test_add(&absent);
        return;
    }
    complete.state = (void *)add_manifest(path);
    tr_test_add(&complete);
}
