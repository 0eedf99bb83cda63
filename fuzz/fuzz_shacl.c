/*
 * Any bytes as Turtle, taken for shapes and for the data they are about: a
 * report that can be written, or an error with a message.
 */
#include "rdf_roundtrip.h"
#include "shacl/report.h"
#include "shacl/shapes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_report_of(const struct tr_shacl_report *report,
                            const struct tr_shacl_validation *v,
                            struct tr_arena *arena)
{
    struct tr_rdf_memory_graph *out = new_graph();
    struct tr_json_writer w;
    struct tr_buf text;
    struct tr_rdf_prefixes prefixes;
    tr_buf_init(&text, TR_MIB(64));
    tr_rdf_prefixes_init(&prefixes, arena);
    must(tr_shacl_report_to_graph(report, v, out, NULL) == TR_OK);
    must(tr_rdf_memory_graph_index(out, NULL) == TR_OK);
    must(tr_shacl_report_write_text(report, v, &prefixes, &text, NULL) ==
         TR_OK);
    tr_jw_init(&w, &text);
    must(tr_shacl_report_write_json(report, v, &w, NULL) == TR_OK);
    must(tr_utf8_is_valid(tr_buf_str(&text)));
    tr_buf_done(&text);
    tr_rdf_memory_graph_free(out);
}

static void check_shapes(const struct tr_shacl_shapes *shapes,
                         const struct tr_rdf_graph *graph)
{
    struct tr_shacl_validation *v = NULL;
    struct tr_shacl_validation_opts opts = {.max_work = 100000};
    struct tr_err err = {0};
    struct tr_arena arena;
    struct tr_shacl_report report;
    tr_arena_init(&arena, TR_MIB(64));
    tr_shacl_report_init(&report, &arena, 1000);
    must(tr_shacl_validation_create(shapes, graph, &opts, &v, &err) == TR_OK);
    tr_status status =
        tr_shacl_validation_run(v, tr_shacl_report_add, &report, &err);
    must(status == TR_OK || status == TR_E_LIMIT);
    check_report_of(&report, v, &arena);
    tr_shacl_validation_free(v);
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    struct tr_rdf_memory_graph *graph = new_graph();
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_err err = {0};
    if (read_bytes(TR_RDF_TURTLE, text, graph, &err) == TR_OK) {
        const struct tr_rdf_graph *view = tr_rdf_memory_graph_view(graph);
        tr_status status = tr_shacl_shapes_read(view, &shapes, &err);
        must(status == TR_OK || (status == err.code && err.msg[0]));
        if (status == TR_OK)
            check_shapes(shapes, view);
    }
    tr_shacl_shapes_free(shapes);
    tr_rdf_memory_graph_free(graph);
    return 0;
}
