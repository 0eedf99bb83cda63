#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/rows.h"
#include "cli/store.h"
#include "dump/dump.h"
#include "graph/upkeep.h"

struct export
{
    struct tr_dump_opts opts;
    const char *type; /* rows of it, or NULL: statements */
    struct tr_table_dump rows;
    struct tr_graph_reader *reader;
    struct tr_graph_owner owner; /* of the store, whatever the app is called */
};

static tr_status write_all(void *context, const struct tr_rdf_output *output,
                           struct tr_err *err)
{
    struct export *export = context;
    if (export->type)
        return tr_table_dump(export->reader, &export->rows, output, err);
    TR_TRY(tr_graph_owner_read(export->reader->db, &export->owner, err));
    if (export->owner.name[0] && !export->owner.other[0])
        export->opts.project = tr_str_from(export->owner.name);
    return tr_dump_quads(export->reader, &export->opts, output, err);
}

/* Rows are of one type, and there is nothing else beside them. */
static int read_row_options(const struct tr_cli_invocation *invocation,
                            struct export *out)
{
    const char *format = tr_cli_invocation_option(invocation, "format");
    if (tr_cli_invocation_option(invocation, "graph") ||
        tr_cli_invocation_option(invocation, "prov"))
        return tr_cli_report_usage(
            "--graph and --prov are for statements: not with --type");
    out->rows.format = TR_TABLE_CSV;
    if (format && strcmp(format, "jsonld") == 0)
        out->rows.format = TR_TABLE_JSON;
    else if (format &&
             (!tr_table_format_find(tr_str_from(format), &out->rows.format) ||
              out->rows.format == TR_TABLE_JSON))
        return tr_cli_report_usage(
            "with --type the format is csv, ndjson or jsonld, not '%s'",
            format);
    return TR_CLI_EXIT_OK;
}

static int find_type(struct tr_cli_store *store, struct export *out)
{
    if (!out->type)
        return TR_CLI_EXIT_OK;
    if (!tr_cli_store_load(store))
        return TR_CLI_EXIT_FAILED;
    out->rows.model = store->model;
    out->rows.type = tr_cli_rows_type(store->model, tr_str_from(out->type));
    return out->rows.type ? TR_CLI_EXIT_OK : TR_CLI_EXIT_USAGE;
}

static int read_options(const struct tr_cli_invocation *invocation,
                        struct tr_dump_opts *out)
{
    const char *format = tr_cli_invocation_option(invocation, "format");
    enum tr_table_format rows;
    out->format = TR_RDF_NQUADS;
    if (format && tr_table_format_find(tr_str_from(format), &rows))
        return tr_cli_report_usage("%s is for rows: it needs --type", format);
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
    export.type = tr_cli_invocation_option(invocation, "type");
    int exit_code = export.type ? read_row_options(invocation, &export)
                                : read_options(invocation, &export.opts);
    if (exit_code != TR_CLI_EXIT_OK)
        return exit_code;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ))
        return TR_CLI_EXIT_FAILED;
    export.opts.project = tr_str_from(store.app.name);
    exit_code = find_type(&store, &export);
    if (exit_code != TR_CLI_EXIT_OK) {
        tr_cli_store_close(&store);
        return exit_code;
    }
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
