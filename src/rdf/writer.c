#include "rdf/writer.h"

#include "rdf/jsonld_writer.h"
#include "rdf/turtle_writer.h"

struct lines {
    const struct tr_rdf_graph *graph;
    struct tr_rdf_sink sink;
};

static tr_status write_row(void *context, tr_rdf_ids row, struct tr_err *err)
{
    const struct lines *lines = context;
    tr_rdf_quad quad;
    TR_TRY(tr_rdf_graph_quad(lines->graph, row, &quad, err));
    return lines->sink.quad(lines->sink.context, &quad, err);
}

static const tr_rdf_ids any = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                               TR_RDF_ID_ANY};

static tr_status write_lines(bool quads, const struct tr_rdf_graph *graph,
                             const struct tr_rdf_output *output,
                             struct tr_err *err)
{
    struct tr_rdf_line_writer writer;
    tr_rdf_line_writer_init(&writer, quads, output);
    struct lines lines = {graph, tr_rdf_line_writer_sink(&writer)};
    tr_status status = tr_rdf_graph_each(graph, any, write_row, &lines, err);
    if (status == TR_OK)
        status = tr_rdf_line_writer_finish(&writer, err);
    tr_rdf_line_writer_done(&writer);
    return status;
}

static tr_status refuse_named(void *context, tr_rdf_ids row, struct tr_err *err)
{
    const struct tr_rdf_format_info *info = context;
    if (row.g == TR_RDF_ID_DEFAULT_GRAPH)
        return TR_OK;
    return tr_fail(err, TR_E_INVALID,
                   "the data has named graphs, which %s cannot hold",
                   info->name);
}

tr_status tr_rdf_write(enum tr_rdf_format format,
                       const struct tr_rdf_graph *graph,
                       const struct tr_rdf_prefixes *prefixes,
                       const struct tr_rdf_output *output, struct tr_err *err)
{
    struct tr_rdf_format_info info = *tr_rdf_format_info(format);
    if (!info.has_graphs)
        TR_TRY(tr_rdf_graph_each(graph, any, refuse_named, &info, err));
    switch (format) {
    case TR_RDF_NTRIPLES:
    case TR_RDF_NQUADS:
        return write_lines(info.has_graphs, graph, output, err);
    case TR_RDF_TURTLE:
    case TR_RDF_TRIG:
        return tr_rdf_turtle_write(graph, prefixes, output, err);
    case TR_RDF_JSONLD:
        return tr_rdf_jsonld_write(graph, output, err);
    case TR_RDF_FORMATS:
        break;
    }
    return tr_fail(err, TR_E_UNSUPPORTED, "no such format");
}
