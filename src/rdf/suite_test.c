/*
 * The W3C suites of the four syntaxes: one test for each entry of their
 * manifests. What is to be read is read, what is to be refused is refused with
 * a place, and what has a result gives it, up to the names of blank nodes.
 * There are no exceptions: what serd does otherwise, turtle_guard.c and
 * serd_reader.c make good.
 */
#include "base/limits.h"
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "support/isomorphism.h"

#define NS_MF    "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
#define NS_TESTS "https://w3c.github.io/rdf-tests/rdf/rdf11/"

static const struct suite {
    const char *folder;
    enum tr_rdf_format format;
    enum tr_rdf_format result;
} suites[] = {
    {"rdf-n-triples", TR_RDF_NTRIPLES, TR_RDF_NTRIPLES},
    {"rdf-n-quads", TR_RDF_NQUADS, TR_RDF_NQUADS},
    {"rdf-turtle", TR_RDF_TURTLE, TR_RDF_NTRIPLES},
    {"rdf-trig", TR_RDF_TRIG, TR_RDF_NQUADS},
};

struct entry {
    const struct suite *suite;
    char name[128];
    char base[256];
    char action[512]; /* a path */
    char result[512]; /* a path, or "" */
    bool is_negative;
};

static void load(enum tr_rdf_format format, const char *path, const char *base,
                 struct tr_rdf_memory_graph **out)
{
    struct tr_err err = {0};
    tr_str text = tr_test_read_file(path);
    tr_str rest = text;
    struct tr_rdf_source source = tr_rdf_source_text(&rest, tr_str_from(base));
    CHECK_OK(tr_rdf_memory_graph_create(0, out, &err), &err);
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(*out);
    CHECK_OK(tr_rdf_read(format, &source, &sink, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(*out, &err), &err);
    free((void *)(uintptr_t)text.ptr);
}

static void reads(void **state)
{
    const struct entry *entry = *state;
    struct tr_rdf_memory_graph *got = NULL;
    struct tr_rdf_memory_graph *want = NULL;
    bool same = false;
    load(entry->suite->format, entry->action, entry->base, &got);
    if (entry->result[0]) {
        load(entry->suite->result, entry->result, "", &want);
        CHECK_OK(graph_isomorphic(tr_rdf_memory_graph_view(got),
                                  tr_rdf_memory_graph_view(want), &same, NULL),
                 NULL);
        CHECK(same);
    }
    tr_rdf_memory_graph_free(got);
    tr_rdf_memory_graph_free(want);
}

static tr_status ignore(void *context, const tr_rdf_quad *quad,
                        struct tr_err *err)
{
    (void)context;
    (void)quad;
    (void)err;
    return TR_OK;
}

static void refuses(void **state)
{
    const struct entry *entry = *state;
    struct tr_err err = {0};
    struct tr_rdf_sink sink = {.quad = ignore};
    tr_str text = tr_test_read_file(entry->action);
    tr_str rest = text;
    struct tr_rdf_source source =
        tr_rdf_source_text(&rest, tr_str_from(entry->base));
    CHECK_INT(tr_rdf_read(entry->suite->format, &source, &sink, &err),
              TR_E_SYNTAX);
    CHECK(err.place.line > 0 && err.place.column > 0);
    CHECK(err.msg[0] != '\0');
    free((void *)(uintptr_t)text.ptr);
}

static void suite_is_absent(void **state)
{
    (void)state;
    skip();
}

/* Tests are made before cmocka runs, which could report a failure. */
static void must(bool condition)
{
    if (!condition)
        abort();
}

/* The one object of a subject and predicate, or kind NONE. */
static tr_rdf_term object_of(const struct tr_rdf_graph *graph,
                             tr_rdf_id subject, const char *predicate)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_rdf_term found = {.kind = TR_RDF_TERM_NONE};
    must(tr_rdf_graph_find_iri(graph, tr_str_from(predicate), &id, NULL) ==
         TR_OK);
    tr_rdf_graph_match(graph,
                       (tr_rdf_ids){subject, id, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    if (tr_rdf_cursor_next(&cursor, &row))
        must(tr_rdf_graph_get(graph, row.o, &found, NULL) == TR_OK);
    must(tr_rdf_cursor_close(&cursor, NULL) == TR_OK);
    return found;
}

static tr_str last_part(tr_str iri)
{
    size_t at = iri.len;
    while (at && iri.ptr[at - 1] != '/' && iri.ptr[at - 1] != '#')
        at--;
    return tr_str_skip(iri, at);
}

static void join(char *to, size_t size, const char *start, tr_str end)
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, to, size);
    tr_buf_putf(&buf, "%s/", start);
    tr_buf_put(&buf, end);
    tr_buf_putc(&buf, '\0');
    must(buf.failed == TR_OK);
}

/* Tests live as long as the program: the list of tests has them. */
static void add_test(const struct entry *entry)
{
    struct tr_test *test = calloc(1, sizeof(*test));
    must(test);
    *test = (struct tr_test){
        .name = entry->name,
        .run = entry->is_negative ? refuses : reads,
        .state = (void *)(uintptr_t)entry,
    };
    tr_test_add(test);
}

static void add_entry(const struct suite *suite,
                      const struct tr_rdf_graph *graph, tr_rdf_id id,
                      const char *folder)
{
    struct entry *entry = calloc(1, sizeof(*entry));
    char home[128];
    tr_rdf_term self;
    tr_rdf_term type = object_of(graph, id, TR_RDF_IRI_RDF_TYPE);
    tr_rdf_term action = object_of(graph, id, NS_MF "action");
    tr_rdf_term result = object_of(graph, id, NS_MF "result");
    must(entry && tr_rdf_graph_get(graph, id, &self, NULL) == TR_OK);
    tr_str file = last_part(action.text);
    entry->suite = suite;
    (void)snprintf(home, sizeof(home), NS_TESTS "%s", suite->folder);
    join(entry->name, sizeof(entry->name), suite->folder + 4,
         last_part(self.text));
    join(entry->base, sizeof(entry->base), home, file);
    join(entry->action, sizeof(entry->action), folder, file);
    if (result.kind == TR_RDF_TERM_IRI)
        join(entry->result, sizeof(entry->result), folder,
             last_part(result.text));
    char kind[128];
    (void)snprintf(kind, sizeof(kind), "%.*s", TR_FMT(type.text));
    entry->is_negative = strstr(kind, "Negative") != NULL;
    add_test(entry);
}

static void add_suite(const struct suite *suite)
{
    static struct tr_test absent = {"rdf_suite_is_absent", suite_is_absent,
                                    NULL, NULL};
    static bool told; /* once for all four */
    char name[64];
    char path[512];
    struct tr_rdf_memory_graph *manifest = NULL;
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_id action = TR_RDF_ID_NONE;

    (void)snprintf(name, sizeof(name), "rdf/%s/manifest.ttl", suite->folder);
    if (!tr_test_suite(name, path, sizeof(path))) {
        if (!told)
            tr_test_add(&absent);
        told = true;
        return;
    }
    load(TR_RDF_TURTLE, path, "http://example.org/manifest", &manifest);
    *strrchr(path, '/') = '\0';
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(manifest);
    must(tr_rdf_graph_find_iri(graph, TR_STR(NS_MF "action"), &action, NULL) ==
         TR_OK);
    tr_rdf_graph_match(
        graph,
        (tr_rdf_ids){TR_RDF_ID_ANY, action, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        &cursor);
    while (tr_rdf_cursor_next(&cursor, &row))
        add_entry(suite, graph, row.s, path);
    must(tr_rdf_cursor_close(&cursor, NULL) == TR_OK);
    tr_rdf_memory_graph_free(manifest);
}

__attribute__((constructor)) static void add_tests(void)
{
    for (size_t i = 0; i < TR_LEN(suites); i++)
        add_suite(&suites[i]);
}
