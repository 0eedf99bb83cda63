#include "base/limits.h"
#include "rdf/writer.h"

void tr_rdf_line_writer_init(struct tr_rdf_line_writer *writer, bool quads,
                             const struct tr_rdf_output *output)
{
    writer->output = output;
    writer->quads = quads;
    /* Escaped, a term may be six times as long. */
    tr_buf_init(&writer->text, 32 * TR_LIMIT_RDF_TERM);
}

void tr_rdf_line_writer_done(struct tr_rdf_line_writer *writer)
{
    tr_buf_done(&writer->text);
}

static tr_status write_quad(void *context, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    struct tr_rdf_line_writer *writer = context;
    struct tr_buf *text = &writer->text;
    if (quad->graph.kind != TR_RDF_TERM_NONE && !writer->quads)
        return tr_fail(err, TR_E_INVALID,
                       "the data has named graphs, which ntriples cannot hold");
    tr_rdf_term_write(text, &quad->subject);
    tr_buf_putc(text, ' ');
    tr_rdf_term_write(text, &quad->predicate);
    tr_buf_putc(text, ' ');
    tr_rdf_term_write(text, &quad->object);
    if (quad->graph.kind != TR_RDF_TERM_NONE) {
        tr_buf_putc(text, ' ');
        tr_rdf_term_write(text, &quad->graph);
    }
    tr_buf_put(text, TR_STR(" .\n"));
    return tr_rdf_output_flush(writer->output, text, false, err);
}

struct tr_rdf_sink tr_rdf_line_writer_sink(struct tr_rdf_line_writer *writer)
{
    return (struct tr_rdf_sink){.context = writer, .quad = write_quad};
}

tr_status tr_rdf_line_writer_finish(struct tr_rdf_line_writer *writer,
                                    struct tr_err *err)
{
    return tr_rdf_output_flush(writer->output, &writer->text, true, err);
}
