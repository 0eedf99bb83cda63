/*
 * All terms of the W3C suites of RDF and SHACL, in every lexical form that they
 * have: each has a part that can be read, either way, and those that compare
 * have the order of rdf/xsd.h.
 */
#include "base/limits.h"
#include "base/test.h"
#include "keys/key.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "rdf/xsd.h"

#include <dirent.h>
#include <sys/stat.h>

enum { PATH_BYTES = 1024, NEIGHBOURS = 200 };

struct suite {
    struct tr_rdf_memory_graph *graph;
    size_t files;
};

static void read_file(struct suite *suite, const char *path)
{
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(suite->graph);
    struct tr_rdf_file_opts opts = {.base = TR_STR("http://example.org/x")};
    enum tr_rdf_format format;
    if (!tr_rdf_format_of_file(tr_str_from(path), &format))
        return;
    tr_rdf_memory_graph_next_document(suite->graph);
    tr_status status = tr_rdf_file_read(path, &opts, &sink, NULL);
    CHECK_ROW(status == TR_OK || status == TR_E_SYNTAX, path);
    suite->files++;
}

static void read_folder(struct suite *suite, const char *folder)
{
    DIR *dir = opendir(folder);
    CHECK_ROW(dir != NULL, folder);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[PATH_BYTES];
        struct stat info;
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        CHECK_ROW(stat(path, &info) == 0, path);
        if (S_ISDIR(info.st_mode))
            read_folder(suite, path);
        else
            read_file(suite, path);
    }
    (void)closedir(dir);
}

struct one {
    struct tr_key key;
    tr_rdf_xsd_value value;
    bool has_value;
};

static void make(const tr_rdf_term *term, tr_rdf_id id, struct one *out)
{
    struct tr_key inverse = {0};
    struct tr_key_value value;
    *out = (struct one){0};
    tr_key_put(&out->key, term, id, false);
    tr_key_put(&inverse, term, id, true);
    CHECK_INT(tr_key_part_len(tr_key_str(&out->key)), out->key.len);
    CHECK_INT(tr_key_part_len(tr_key_str(&inverse)), out->key.len);
    CHECK(tr_key_read(tr_key_str(&inverse), &value));
    out->has_value = term->kind == TR_RDF_TERM_LITERAL && !term->language.len &&
                     tr_rdf_xsd_parse(term, &out->value);
}

/* Decimals with each other: beside a double only the nearest one counts. */
static void check_pair(const struct one *a, const struct one *b)
{
    int order = tr_str_cmp(tr_key_str(&a->key), tr_key_str(&b->key));
    if (!a->has_value || !b->has_value || a->value.type != b->value.type ||
        !tr_rdf_xsd_is_numeric(a->value.type))
        return;
    enum tr_rdf_xsd_order plain = tr_rdf_xsd_compare(&a->value, &b->value);
    if (plain != TR_RDF_XSD_INCOMPARABLE)
        CHECK_ROW((order > 0) - (order < 0) == (int)plain,
                  "two numbers of the suites");
}

static size_t check_all(const struct suite *suite)
{
    static struct one last[NEIGHBOURS];
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(suite->graph);
    size_t count = 0;
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < tr_rdf_graph_bound(graph); id++) {
        tr_rdf_term term;
        struct one *now = &last[count % NEIGHBOURS];
        if (tr_rdf_graph_get(graph, id, &term, NULL) != TR_OK)
            continue; /* the graph numbers languages too */
        make(&term, id, now);
        for (size_t i = 0; i < NEIGHBOURS && i < count; i++)
            check_pair(now, &last[i]);
        count++;
    }
    return count;
}

TEST(key_takes_all_terms_of_the_w3c_suites)
{
    static const char *const folders[] = {"rdf", "shacl"};
    static struct suite suite;
    char path[PATH_BYTES];
    CHECK_OK(tr_rdf_memory_graph_create(0, &suite.graph, NULL), NULL);
    for (size_t i = 0; i < TR_LEN(folders); i++) {
        if (tr_test_suite(folders[i], path, sizeof(path)))
            read_folder(&suite, path);
    }
    if (suite.files) {
        CHECK_OK(tr_rdf_memory_graph_index(suite.graph, NULL), NULL);
        CHECK(check_all(&suite) > 1000);
    }
    tr_rdf_memory_graph_free(suite.graph);
    if (!suite.files)
        skip();
}
