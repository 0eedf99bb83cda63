#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/store.h"
#include "graph/dump.h"
#include "graph/upkeep.h"

struct export
{
    struct tr_graph_dump_opts opts;
    struct tr_graph_reader *reader;
    struct tr_graph_owner owner; /* of the store, whatever the app is called */
};

static tr_status write_all(void *context, const struct tr_rdf_output *output,
                           struct tr_err *err)
{
    struct export *export = context;
    TR_TRY(tr_graph_owner_read(export->reader->db, &export->owner, err));
    if (export->owner.name[0] && !export->owner.other[0])
        export->opts.project = tr_str_from(export->owner.name);
    return tr_graph_dump(export->reader, &export->opts, output, err);
}

static int read_options(const struct tr_cli_invocation *invocation,
                        struct tr_graph_dump_opts *out)
{
    const char *format = tr_cli_invocation_option(invocation, "format");
    out->format = TR_RDF_NQUADS;
    if (format && !tr_rdf_format_find(tr_str_from(format), &out->format))
        return tr_cli_report_usage(
            "unknown format '%s': nq, trig, ttl, nt or jsonld", format);
    out->graph = tr_str_from(tr_cli_invocation_option(invocation, "graph"));
    out->prov = tr_cli_invocation_option(invocation, "prov") != NULL;
    if (out->prov && !tr_rdf_format_info(out->format)->has_graphs)
        return tr_cli_report_usage(
            "--prov needs a format with named graphs: nq, "
            "trig or jsonld");
    return TR_CLI_EXIT_OK;
}

int tr_cli_run_export(const struct tr_cli_invocation *invocation)
{
    const char *path = tr_cli_invocation_option(invocation, "output");
    struct export export = {0};
    struct tr_cli_store store;
    struct tr_err err = {0};
    int exit_code = read_options(invocation, &export.opts);
    if (exit_code != TR_CLI_EXIT_OK)
        return exit_code;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ))
        return TR_CLI_EXIT_FAILED;
    export.opts.project = tr_str_from(store.app.name);
    exit_code = TR_CLI_EXIT_FAILED;
    if (tr_cli_store_read(&store, &export.reader)) {
        tr_status status =
            tr_cli_output_file(path ? path : "-", write_all, &export, &err);
        exit_code =
            status == TR_OK ? TR_CLI_EXIT_OK : tr_cli_report_error(path, &err);
        tr_graph_reader_end(export.reader);
        tr_graph_reader_free(export.reader);
    }
    tr_cli_store_close(&store);
    return exit_code;
}
