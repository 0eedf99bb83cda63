#include "base/limits.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "rdf/writer.h"

/* One conversion: its two files, and the graph in between. */
struct convert {
    const char *in;
    const char *out;
    enum tr_rdf_format from;
    enum tr_rdf_format to;
    tr_str base;
    struct tr_rdf_memory_graph *graph; /* NULL when lines are passed through */
    struct tr_rdf_prefixes prefixes;
    const char *at_fault; /* the file that an error is about */
};

static int choose_format(const char *option, const char *name, const char *path,
                         enum tr_rdf_format *out)
{
    if (name && !tr_rdf_format_find(tr_str_from(name), out))
        return tr_cli_report_usage("unknown format '%s' for --%s: ntriples, "
                                   "nquads, turtle, trig or jsonld",
                                   name, option);
    if (!name && !tr_rdf_format_of_file(tr_str_from(path), out))
        return tr_cli_report_usage(
            "the name '%s' does not tell the format; use "
            "--%s",
            path, option);
    return TR_CLI_EXIT_OK;
}

static tr_status add_quad(void *context, const tr_rdf_quad *quad,
                          struct tr_err *err)
{
    const struct convert *convert = context;
    return tr_rdf_memory_graph_add(convert->graph, quad, err);
}

static tr_status add_prefix(void *context, tr_str name, tr_str iri,
                            struct tr_err *err)
{
    struct convert *convert = context;
    return tr_rdf_prefixes_set(&convert->prefixes, name, iri, err);
}

static tr_status read_to(struct convert *convert,
                         const struct tr_rdf_sink *sink, struct tr_err *err)
{
    struct tr_rdf_file_opts opts = {.format = &convert->from,
                                    .base = convert->base};
    convert->at_fault = convert->in;
    return tr_rdf_file_read(convert->in, &opts, sink, err);
}

/* Lines can be written while the rest is still being read. */
static tr_status convert_lines(struct convert *convert,
                               const struct tr_rdf_output *output,
                               struct tr_err *err)
{
    struct tr_rdf_line_writer writer;
    tr_rdf_line_writer_init(&writer, convert->to == TR_RDF_NQUADS, output);
    struct tr_rdf_sink sink = tr_rdf_line_writer_sink(&writer);
    tr_status status = read_to(convert, &sink, err);
    if (status == TR_OK) {
        convert->at_fault = convert->out;
        status = tr_rdf_line_writer_finish(&writer, err);
    }
    tr_rdf_line_writer_done(&writer);
    return status;
}

static tr_status convert_graph(struct convert *convert,
                               const struct tr_rdf_output *output,
                               struct tr_err *err)
{
    struct tr_rdf_sink sink = {
        .context = convert, .quad = add_quad, .prefix = add_prefix};
    TR_TRY(tr_rdf_memory_graph_create(0, &convert->graph, err));
    tr_status status = read_to(convert, &sink, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(convert->graph, err);
    if (status == TR_OK) {
        convert->at_fault = convert->out;
        status =
            tr_rdf_write(convert->to, tr_rdf_memory_graph_view(convert->graph),
                         &convert->prefixes, output, err);
    }
    tr_rdf_memory_graph_free(convert->graph);
    return status;
}

static tr_status convert_to(void *context, const struct tr_rdf_output *output,
                            struct tr_err *err)
{
    struct convert *convert = context;
    if (convert->to == TR_RDF_NTRIPLES || convert->to == TR_RDF_NQUADS)
        return convert_lines(convert, output, err);
    return convert_graph(convert, output, err);
}

int tr_cli_run_convert(const struct tr_cli_invocation *invocation)
{
    struct convert convert = {
        .in = invocation->arguments[0],
        .out = invocation->arguments[1],
        .base = tr_str_from(tr_cli_invocation_option(invocation, "base")),
    };
    struct tr_err err = {0};
    int wrong =
        choose_format("from", tr_cli_invocation_option(invocation, "from"),
                      convert.in, &convert.from);
    if (wrong == TR_CLI_EXIT_OK)
        wrong = choose_format("to", tr_cli_invocation_option(invocation, "to"),
                              convert.out, &convert.to);
    if (wrong != TR_CLI_EXIT_OK)
        return wrong;
    tr_rdf_prefixes_init(&convert.prefixes, invocation->arena);
    convert.at_fault = convert.out;
    if (tr_cli_output_file(convert.out, convert_to, &convert, &err) == TR_OK)
        return TR_CLI_EXIT_OK;
    return tr_cli_report_error(convert.at_fault, &err);
}
