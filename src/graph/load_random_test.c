/* Whatever is loaded, in whatever pieces, the store has that and no more. */
#include "base/test.h"
#include "graph/row.h"
#include "model/model.h"
#include "rdf/memory_graph.h"
#include "support/quads.h"
#include "support/store.h"

enum { NAMES = 8 };

/* What the store should have. */
struct expected {
    struct quads quads;
    int64_t versions[NAMES]; /* of http://a/0 and so on; 0: it is no node */
    int64_t told;
};

static tr_rdf_quad random_quad(void)
{
    tr_rdf_quad quad = quads_random();
    if (tr_test_random_below(4) == 0)
        quad.predicate = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE));
    return quad;
}

static size_t name_of(const tr_rdf_term *subject)
{
    return (size_t)(subject->text.ptr[subject->text.len - 1] - '0');
}

static bool is_type(const tr_rdf_quad *quad)
{
    return tr_str_eq(quad->predicate.text, TR_STR(TR_RDF_IRI_RDF_TYPE)) &&
           quad->object.kind == TR_RDF_TERM_IRI;
}

static bool has_type(const struct quads *quads, size_t name)
{
    for (size_t i = 0; i < quads->count; i++) {
        if (name_of(&quads->items[i].subject) == name &&
            is_type(&quads->items[i]))
            return true;
    }
    return false;
}

static void expect(struct expected *expected, const bool changed[NAMES])
{
    for (size_t i = 0; i < NAMES; i++) {
        if (!changed[i])
            continue;
        expected->told++;
        if (expected->versions[i] || has_type(&expected->quads, i))
            expected->versions[i]++;
    }
}

static void load(struct store *store, struct expected *expected)
{
    struct tr_graph_load_opts opts = {
        .path = store->path,
        .db = {.no_sync = true},
        .max_batch = 1 + (size_t)tr_test_random_below(60),
    };
    struct tr_graph_load *load = NULL;
    struct tr_err err = {0};
    bool changed[NAMES] = {false};
    uint64_t added = 0;
    CHECK_OK(tr_graph_load_create(&opts, &load, &err), &err);
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    for (size_t n = tr_test_random_below(40); n > 0; n--) {
        tr_rdf_quad quad = random_quad();
        CHECK_OK(sink.quad(sink.context, &quad, &err), &err);
        if (quads_find(&expected->quads, &quad) < expected->quads.count)
            continue;
        quads_put(&expected->quads, &quad);
        changed[name_of(&quad.subject)] = true;
        added++;
    }
    CHECK_OK(tr_graph_load_finish(load, &err), &err);
    CHECK_INT(tr_graph_load_counts(load).added, added);
    tr_graph_load_free(load);
    expect(expected, changed);
}

static void check_nodes(struct store *store, const struct expected *expected)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < NAMES; i++) {
        char iri[] = "http://a/0";
        iri[sizeof(iri) - 2] = (char)('0' + i);
        int64_t version =
            store_number(store, "SELECT version FROM node WHERE s = ?1",
                         (int64_t)store_id(store, iri));
        CHECK_INT(version == -1 ? 0 : version, expected->versions[i]);
        nodes += expected->versions[i] > 0;
    }
    CHECK_INT(
        store_number(store, "SELECT count(*) FROM node WHERE version > 0", 0),
        nodes);
    store_verify(store);
    CHECK_INT(store_number(store, "SELECT count(*) FROM change", 0),
              expected->told);
}

/* The rows of the store are those of a graph in memory with the same quads. */
static void check_rows(struct store *store)
{
    struct tr_err err = {0};
    struct tr_arena arena;
    struct tr_db_stmt *stmt;
    bool row;
    tr_arena_init(&arena, 1 << 20);
    CHECK_OK(tr_db_prepare(store->reader->db,
                           "SELECT s, type, label IS NULL FROM node"
                           " WHERE version > 0",
                           &stmt, &err),
             &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    while (row) {
        struct tr_graph_node_row made;
        CHECK_OK(tr_graph_row_make(&store->reader->stored.base, NULL,
                                   (tr_rdf_id)tr_db_column_i64(stmt, 0), &arena,
                                   &made, &err),
                 &err);
        CHECK_INT(tr_db_column_i64(stmt, 1), made.type);
        CHECK_INT(tr_db_column_i64(stmt, 2), !made.has_label);
        CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    }
    tr_arena_done(&arena);
}

/* No class is counted wrongly, and none is left out. */
static void check_counts(struct store *store)
{
    int64_t type = (int64_t)store_id(store, TR_RDF_IRI_RDF_TYPE);
    CHECK_INT(store_number(store,
                           "SELECT count(*) FROM (SELECT o, count(DISTINCT s)"
                           " FROM ops WHERE p = ?1 GROUP BY o"
                           " EXCEPT SELECT type, count FROM type_count)",
                           type),
              0);
    CHECK_INT(store_number(store,
                           "SELECT count(*) FROM (SELECT type, count FROM"
                           " type_count EXCEPT SELECT o, count(DISTINCT s)"
                           " FROM ops WHERE p = ?1"
                           " GROUP BY o)",
                           type),
              0);
}

TEST(load_in_pieces_gives_what_was_given)
{
    static struct expected expected;
    for (size_t n = tr_test_scaled(200); n > 0; n--) {
        struct store store;
        struct tr_err err = {0};
        expected = (struct expected){0};
        store_open(&store);
        for (size_t round = 0; round < 5; round++) {
            load(&store, &expected);
            CHECK_OK(tr_graph_reader_begin(store.reader, &err), &err);
            quads_compare(&expected.quads, &store.reader->stored.base);
            check_nodes(&store, &expected);
            check_rows(&store);
            check_counts(&store);
            CHECK_OK(tr_db_check(store.reader->db, &err), &err);
            tr_graph_reader_end(store.reader);
        }
        store_close(&store);
    }
}
