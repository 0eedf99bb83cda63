#include "dump/dump.h"

#include "base/limits.h"
#include "model/uri.h"
#include "prov/view.h"
#include "rdf/memory_graph.h"

struct dump {
    struct tr_graph_reader *reader;
    const struct tr_dump_opts *opts;
    struct tr_buf genid; /* how the IRIs of blank nodes begin */
    struct tr_rdf_sink sink;
    bool drops_graph;
};

static void make_blank(const struct dump *dump, tr_rdf_term *term)
{
    tr_rdf_term blank;
    if (tr_model_genid_is_blank(tr_buf_str(&dump->genid), term, &blank))
        *term = blank;
}

static tr_status pass_on(void *context, const tr_rdf_quad *quad,
                         struct tr_err *err)
{
    const struct dump *dump = context;
    tr_rdf_quad own = *quad;
    make_blank(dump, &own.subject);
    make_blank(dump, &own.object);
    make_blank(dump, &own.graph);
    if (dump->drops_graph)
        own.graph = (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
    return dump->sink.quad(dump->sink.context, &own, err);
}

/* Trims the cache of terms after each row, so that memory stays bounded. */
static tr_status write_row(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct dump *dump = context;
    tr_rdf_quad quad;
    TR_TRY(tr_rdf_graph_quad(&dump->reader->stored.base, row, &quad, err));
    TR_TRY(pass_on(dump, &quad, err));
    tr_graph_terms_trim(dump->reader->terms, TR_GRAPH_TERMS_BYTES);
    return TR_OK;
}

static tr_status find_graph(const struct dump *dump, tr_rdf_id *out,
                            struct tr_err *err)
{
    const struct tr_rdf_graph *graph = &dump->reader->stored.base;
    bool has = false;
    *out = TR_RDF_ID_ANY;
    if (!dump->opts->graph.len)
        return TR_OK;
    TR_TRY(tr_rdf_graph_find_iri(graph, dump->opts->graph, out, err));
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY, *out};
    TR_TRY(tr_rdf_graph_has(graph, pattern, &has, err));
    if (has)
        return TR_OK;
    return tr_fail(err, TR_E_NOT_FOUND, "the store has no graph <%.*s>",
                   TR_FMT(dump->opts->graph));
}

static tr_status write_prov(struct dump *dump, struct tr_err *err)
{
    struct tr_prov_resolver resolver = {tr_graph_reader_iri, dump->reader};
    struct tr_rdf_sink sink = {.context = dump, .quad = pass_on};
    struct tr_buf graph;
    tr_buf_init(&graph, TR_LIMIT_URI_BYTES);
    tr_prov_graph_put(&graph, dump->opts->project);
    tr_status status = tr_buf_check(&graph, err);
    if (status == TR_OK)
        status = tr_prov_quads(dump->reader->db, tr_buf_str(&graph), &resolver,
                               &sink, err);
    tr_buf_done(&graph);
    return status;
}

static tr_status write_quads(struct dump *dump, struct tr_err *err)
{
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    TR_TRY(find_graph(dump, &pattern.g, err));
    TR_TRY(tr_rdf_graph_each(&dump->reader->stored.base, pattern, write_row,
                             dump, err));
    return dump->opts->prov ? write_prov(dump, err) : TR_OK;
}

static tr_status write_lines(struct dump *dump,
                             const struct tr_rdf_output *output,
                             struct tr_err *err)
{
    struct tr_rdf_line_writer writer;
    tr_rdf_line_writer_init(&writer, dump->opts->format == TR_RDF_NQUADS,
                            output);
    dump->sink = tr_rdf_line_writer_sink(&writer);
    tr_status status = write_quads(dump, err);
    if (status == TR_OK)
        status = tr_rdf_line_writer_finish(&writer, err);
    tr_rdf_line_writer_done(&writer);
    return status;
}

static tr_status write_graph(struct dump *dump,
                             const struct tr_rdf_output *output,
                             struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph = NULL;
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    dump->sink = tr_rdf_memory_graph_sink(graph);
    tr_status status = write_quads(dump, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(graph, err);
    if (status == TR_OK)
        status =
            tr_rdf_write(dump->opts->format, tr_rdf_memory_graph_view(graph),
                         dump->opts->prefixes, output, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

tr_status tr_dump_quads(struct tr_graph_reader *reader,
                        const struct tr_dump_opts *opts,
                        const struct tr_rdf_output *output, struct tr_err *err)
{
    struct dump dump = {.reader = reader, .opts = opts};
    bool is_lines =
        opts->format == TR_RDF_NTRIPLES || opts->format == TR_RDF_NQUADS;
    dump.drops_graph =
        opts->graph.len && !tr_rdf_format_info(opts->format)->has_graphs;
    tr_buf_init(&dump.genid, TR_LIMIT_URI_BYTES);
    tr_model_genid_start(&dump.genid, opts->project);
    tr_status status = tr_buf_check(&dump.genid, err);
    if (status == TR_OK)
        status = is_lines ? write_lines(&dump, output, err)
                          : write_graph(&dump, output, err);
    tr_buf_done(&dump.genid);
    return status;
}
