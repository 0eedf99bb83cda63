#include "dump/dump.h"

#include "audit/stats.h"
#include "base/limits.h"
#include "base/test.h"
#include "support/store.h"

static tr_status dump(struct store *store, const struct tr_dump_opts *opts,
                      struct tr_buf *out, struct tr_err *err)
{
    struct tr_rdf_output output = tr_rdf_output_buf(out);
    tr_buf_clear(out);
    CHECK_OK(tr_graph_reader_begin(store->reader, err), err);
    tr_status status = tr_dump_quads(store->reader, opts, &output, err);
    tr_graph_reader_end(store->reader);
    return status;
}

static void check_dump(struct store *store, struct tr_dump_opts opts,
                       const char *expected)
{
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    CHECK_OK(dump(store, &opts, &out, &err), &err);
    CHECK_STR(tr_buf_str(&out), expected);
    tr_buf_done(&out);
}

TEST(dump_writes_one_graph_or_all)
{
    struct store store;
    struct tr_err err = {0};
    struct tr_buf out;
    store_open(&store);
    tr_buf_init(&out, TR_MIB(1));
    CHECK_OK(store_load(&store, NULL,
                        "<http://e/a> <http://e/p> 5 . "
                        "<http://e/g> { <http://e/a> <http://e/p> <http://e/b> "
                        "}",
                        0, &err),
             &err);
    check_dump(&store, (struct tr_dump_opts){.format = TR_RDF_NQUADS},
               "<http://e/a> <http://e/p> <http://e/b> <http://e/g> .\n"
               "<http://e/a> <http://e/p> "
               "\"5\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n");
    struct tr_dump_opts one = {.format = TR_RDF_NQUADS,
                               .graph = TR_STR("http://e/g")};
    check_dump(&store, one,
               "<http://e/a> <http://e/p> <http://e/b> <http://e/g> .\n");
    one.format = TR_RDF_NTRIPLES;
    check_dump(&store, one, "<http://e/a> <http://e/p> <http://e/b> .\n");
    one.format = TR_RDF_TURTLE;
    check_dump(&store, one, "<http://e/a> <http://e/p> <http://e/b> .\n");
    one.graph = TR_STR("http://e/none");
    CHECK_INT(dump(&store, &one, &out, &err), TR_E_NOT_FOUND);
    one = (struct tr_dump_opts){.format = TR_RDF_NTRIPLES};
    CHECK_INT(dump(&store, &one, &out, &err), TR_E_INVALID);
    tr_buf_done(&out);
    store_close(&store);
}

/* Only IRIs that an import of this project has made, and can be a label. */
TEST(dump_makes_blank_nodes_blank_again)
{
    static const char text[] =
        "<http://e/a> <http://e/p> <trails://team/.well-known/genid/x1> ,"
        " <trails://team/.well-known/genid/x/1> ,"
        " <trails://other/.well-known/genid/x1> .";
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, text, 0, &err), &err);
    check_dump(&store,
               (struct tr_dump_opts){.format = TR_RDF_NTRIPLES,
                                     .project = TR_STR("team")},
               "<http://e/a> <http://e/p> _:x1 .\n"
               "<http://e/a> <http://e/p> "
               "<trails://team/.well-known/genid/x/1> .\n"
               "<http://e/a> <http://e/p> "
               "<trails://other/.well-known/genid/x1> .\n");
    store_close(&store);
}

TEST(stats_count_what_is_there)
{
    struct tr_audit_stats stats;
    struct tr_arena arena;
    struct store store;
    struct tr_err err = {0};
    store_open(&store);
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(store_load(&store, NULL,
                        "<http://e/a> a <http://e/C> . <http://e/b> a "
                        "<http://e/C> , <http://e/D> . <http://e/g> { "
                        "<http://e/a> <http://e/p> 1 }",
                        0, &err),
             &err);
    CHECK_OK(tr_graph_reader_begin(store.reader, &err), &err);
    CHECK_OK(tr_audit_stats_read(store.reader, &arena, &stats, &err), &err);
    tr_graph_reader_end(store.reader);
    CHECK_INT(stats.quads, 4);
    CHECK_INT(stats.nodes, 2);
    CHECK_INT(stats.changes, 2);
    CHECK_INT(stats.last_change, 2);
    CHECK_INT(stats.activities, 0);
    CHECK(stats.bytes > 0 && stats.terms >= 7);
    CHECK_INT(stats.types.count, 2);
    CHECK_STR(stats.types.items[0].iri, "http://e/C");
    CHECK_INT(stats.types.items[0].count, 2);
    CHECK_INT(stats.graphs.count, 2);
    CHECK_STR(stats.graphs.items[0].iri, "");
    CHECK_INT(stats.graphs.items[0].count, 3);
    CHECK_STR(stats.graphs.items[1].iri, "http://e/g");
    tr_arena_done(&arena);
    store_close(&store);
}

struct sweep {
    struct store *store;
    enum tr_rdf_format format;
};

/* With a reader of its own: one that was used has its statements ready. */
static tr_status dump_once(void *context, struct tr_err *err)
{
    const struct sweep *sweep = context;
    struct tr_dump_opts opts = {.format = sweep->format};
    struct tr_graph_reader *reader = NULL;
    struct tr_buf out;
    struct tr_rdf_output output = tr_rdf_output_buf(&out);
    TR_TRY(tr_graph_reader_create(sweep->store->path, NULL, &reader, err));
    tr_buf_init(&out, TR_MIB(1));
    tr_status status = tr_graph_reader_begin(reader, err);
    if (status == TR_OK) {
        status = tr_dump_quads(reader, &opts, &output, err);
        tr_graph_reader_end(reader);
    }
    tr_graph_reader_free(reader);
    tr_buf_done(&out);
    return status;
}

TEST(dump_survives_every_allocation_that_fails)
{
    struct store store;
    struct sweep sweep = {&store, TR_RDF_NQUADS};
    struct tr_err err = {0};
    store_open(&store);
    CHECK_OK(store_load(&store, NULL, "<http://e/a> a <http://e/C> , 1.5 .", 0,
                        &err),
             &err);
    tr_test_sweep(dump_once, &sweep);
    sweep.format = TR_RDF_TRIG;
    tr_test_sweep(dump_once, &sweep);
    store_close(&store);
}
