/*
 * All terms of the W3C suites of RDF and SHACL: each comes back from its value,
 * and from its key unless that is cut, and no two have the same value or key.
 * Files that are there to be refused give what stands before the fault.
 */
#include "base/limits.h"
#include "base/test.h"
#include "pack/key.h"
#include "rdf/memory_graph.h"

#include <dirent.h>
#include <sys/stat.h>

enum { PATH_BYTES = 1024, DATATYPES = 1000 };

/* A term as the store would have it. */
struct packed {
    tr_rdf_term term;
    tr_str value;
    tr_str key;
};

struct suite {
    struct tr_rdf_memory_graph *graph;
    struct tr_arena arena;
    tr_str datatypes[DATATYPES]; /* each has the number after its index */
    size_t datatype_count;
    struct packed *items;
    size_t count;
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

static uint64_t datatype_number(struct suite *suite, tr_str iri)
{
    size_t i = 0;
    while (i < suite->datatype_count && !tr_str_eq(suite->datatypes[i], iri))
        i++;
    if (i == DATATYPES)
        abort();
    suite->datatypes[i] = iri;
    suite->datatype_count += i == suite->datatype_count;
    return i + 1;
}

static void check_value(struct suite *suite, const struct packed *item)
{
    char text[TR_PACK_CANONICAL_TEXT];
    struct tr_pack_value value;
    CHECK_OK(tr_pack_value_get(item->value, &value, NULL), NULL);
    tr_str iri = value.kind == TR_PACK_TYPED
                     ? suite->datatypes[value.number - 1]
                     : item->term.text;
    tr_rdf_term term = tr_pack_value_term(&value, iri, text);
    CHECK(tr_rdf_term_eq(&term, &item->term));
}

static void check_key(struct suite *suite, const struct packed *item)
{
    char text[TR_PACK_CANONICAL_TEXT];
    struct tr_pack_key_value found;
    CHECK_OK(tr_pack_key_get(item->key, &found, NULL), NULL);
    tr_str iri = found.datatype;
    if (found.value.kind == TR_PACK_REFERENCE)
        iri = item->term.text;
    else if (found.value.kind == TR_PACK_TYPED && found.value.number)
        iri = suite->datatypes[found.value.number - 1];
    tr_rdf_term term = tr_pack_value_term(&found.value, iri, text);
    CHECK(found.is_cut || tr_rdf_term_eq(&term, &item->term));
}

static void pack(struct suite *suite, tr_rdf_id id, struct packed *out)
{
    struct tr_pack_value value;
    struct tr_buf bytes;
    tr_pack_key key;
    const tr_rdf_term *term = &out->term;
    CHECK(tr_pack_value_of(term, &value));
    value.number = value.kind == TR_PACK_TYPED
                       ? datatype_number(suite, term->datatype)
                       : (uint64_t)id;
    tr_buf_init(&bytes, TR_MIB(1));
    tr_pack_value_put(&bytes, &value);
    tr_pack_key_make(&value, tr_rdf_xsd_type_of(term->datatype), &key);
    CHECK(tr_arena_copy(&suite->arena, tr_buf_str(&bytes), &out->value));
    CHECK(tr_arena_copy(&suite->arena, tr_pack_key_str(&key), &out->key));
    tr_buf_done(&bytes);
}

static void pack_all(struct suite *suite)
{
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(suite->graph);
    tr_rdf_id bound = tr_rdf_graph_bound(graph);
    suite->items = TR_NEW_ARRAY(&suite->arena, struct packed, bound);
    CHECK(suite->items);
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < bound; id++) {
        struct packed *item = &suite->items[suite->count];
        tr_status status = tr_rdf_graph_get(graph, id, &item->term, NULL);
        if (status == TR_E_NOT_FOUND) /* the graph numbers languages too */
            continue;
        CHECK_OK(status, NULL);
        if (item->term.kind == TR_RDF_TERM_BLANK)
            continue;
        pack(suite, id, item);
        check_value(suite, item);
        check_key(suite, item);
        suite->count++;
    }
}

static int compare_values(const void *a, const void *b)
{
    return tr_pack_value_cmp(((const struct packed *)a)->value,
                             ((const struct packed *)b)->value);
}

static int compare_keys(const void *a, const void *b)
{
    return tr_str_cmp(((const struct packed *)a)->key,
                      ((const struct packed *)b)->key);
}

/* The terms of a graph are all different. */
static void check_different(struct suite *suite,
                            int (*compare)(const void *, const void *))
{
    qsort(suite->items, suite->count, sizeof(*suite->items), compare);
    for (size_t i = 1; i < suite->count; i++)
        CHECK(compare(&suite->items[i - 1], &suite->items[i]) < 0);
}

TEST(pack_keeps_all_terms_of_the_w3c_suites_apart)
{
    static const char *const folders[] = {"rdf", "shacl"};
    static struct suite suite;
    char path[PATH_BYTES];
    CHECK_OK(tr_rdf_memory_graph_create(0, &suite.graph, NULL), NULL);
    tr_arena_init(&suite.arena, TR_MIB(256));
    for (size_t i = 0; i < TR_LEN(folders); i++) {
        if (tr_test_suite(folders[i], path, sizeof(path)))
            read_folder(&suite, path);
    }
    if (suite.files) {
        CHECK_OK(tr_rdf_memory_graph_index(suite.graph, NULL), NULL);
        pack_all(&suite);
        check_different(&suite, compare_values);
        check_different(&suite, compare_keys);
        CHECK(suite.count > 1000);
    }
    tr_rdf_memory_graph_free(suite.graph);
    tr_arena_done(&suite.arena);
    if (!suite.files)
        skip();
}
