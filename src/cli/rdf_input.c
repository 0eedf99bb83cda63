#include "cli/rdf_input.h"

#include "cli/report.h"
#include "rdf/reader.h"
#include "shacl/shapes.h"

struct input {
    struct tr_rdf_memory_graph *graph;
    struct tr_rdf_prefixes *prefixes;
};

static tr_status add_quad(void *context, const tr_rdf_quad *quad,
                          struct tr_err *err)
{
    const struct input *input = context;
    return tr_rdf_memory_graph_add(input->graph, quad, err);
}

/* In reports a prefix means what the first file that declares it says. */
static tr_status add_prefix(void *context, tr_str name, tr_str iri,
                            struct tr_err *err)
{
    const struct input *input = context;
    tr_str known;
    if (tr_rdf_prefixes_find(input->prefixes, name, &known))
        return TR_OK;
    return tr_rdf_prefixes_set(input->prefixes, name, iri, err);
}

static bool read_files(const struct tr_cli_invocation *invocation,
                       const char *option, struct input *input)
{
    struct tr_rdf_sink sink = {
        .context = input, .quad = add_quad, .prefix = add_prefix};
    struct tr_rdf_file_opts opts = {0};
    struct tr_err err = {0};
    const char *path;
    size_t at = 0;
    while ((path = tr_cli_invocation_next(invocation, option, &at))) {
        if (tr_rdf_file_read(path, &opts, &sink, &err) != TR_OK) {
            (void)tr_cli_report_error(path, &err);
            return false;
        }
        tr_rdf_memory_graph_next_document(input->graph);
    }
    if (tr_rdf_memory_graph_index(input->graph, &err) == TR_OK)
        return true;
    (void)tr_cli_report_error(NULL, &err);
    return false;
}

bool tr_cli_rdf_input_read(const struct tr_cli_invocation *invocation,
                           const char *option, struct tr_rdf_prefixes *prefixes,
                           struct tr_rdf_memory_graph **out)
{
    struct input input = {.prefixes = prefixes};
    struct tr_err err = {0};
    if (tr_rdf_memory_graph_create(0, &input.graph, &err) != TR_OK) {
        (void)tr_cli_report_error(NULL, &err);
        return false;
    }
    if (!read_files(invocation, option, &input)) {
        tr_rdf_memory_graph_free(input.graph);
        return false;
    }
    *out = input.graph;
    return true;
}

static void warn_of(void *context, tr_str words)
{
    (void)context;
    tr_cli_report_warning("%.*s", TR_FMT(words));
}

void tr_cli_rdf_input_warn(const struct tr_rdf_memory_graph *shapes)
{
    const struct tr_shacl_unknown_sink sink = {warn_of, NULL};
    struct tr_err err = {0};
    if (tr_shacl_each_unknown(tr_rdf_memory_graph_view(shapes), &sink, &err) !=
        TR_OK)
        (void)tr_cli_report_error(NULL, &err);
}
