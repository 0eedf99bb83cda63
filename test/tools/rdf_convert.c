/*
 * test/tools/rdf_convert.c - one syntax on standard input, another on standard
 * output: rdf_convert FROM TO. Always through a graph in memory.
 */
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "rdf/writer.h"

#include <unistd.h>

static tr_status convert(struct tr_rdf_memory_graph *graph,
                         enum tr_rdf_format from, enum tr_rdf_format to,
                         struct tr_err *err)
{
    int fd = STDOUT_FILENO;
    struct tr_rdf_file_opts opts = {.format = &from,
                                    .base = TR_STR("http://example.org/base")};
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    struct tr_rdf_output output = tr_rdf_output_fd(&fd);
    TR_TRY(tr_rdf_file_read("-", &opts, &sink, err));
    TR_TRY(tr_rdf_memory_graph_index(graph, err));
    return tr_rdf_write(to, tr_rdf_memory_graph_view(graph), NULL, &output,
                        err);
}

int main(int argc, char **argv)
{
    enum tr_rdf_format from;
    enum tr_rdf_format to;
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_err err = {0};
    if (argc != 3 || !tr_rdf_format_find(tr_str_from(argv[1]), &from) ||
        !tr_rdf_format_find(tr_str_from(argv[2]), &to)) {
        (void)fputs("usage: rdf_convert FROM TO\n", stderr);
        return 2;
    }
    tr_status status = tr_rdf_memory_graph_create(0, &graph, &err);
    if (status == TR_OK)
        status = convert(graph, from, to, &err);
    tr_rdf_memory_graph_free(graph);
    if (status != TR_OK)
        (void)fprintf(stderr, "%u:%u: %s\n", err.place.line, err.place.column,
                      err.msg);
    return status == TR_OK ? 0 : 1;
}
