#include "base/limits.h"
#include "cli/command.h"
#include "cli/import_rows.h"
#include "cli/progress.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/store.h"
#include "graph/load.h"
#include "model/model.h"
#include "rdf/iri.h"
#include "rdf/reader.h"

/* Results of a refused import that are shown, and values. */
enum { SHOWN = 100, REFUSED_SHOWN = 10 };

struct import {
    const struct tr_cli_invocation *invocation;
    enum tr_rdf_format format;
    bool has_format;
    tr_str graph;
    bool shows;       /* draws a bar */
    const char *file; /* that is being read */
    uint32_t line;    /* of it */
    size_t refused;   /* values that are not spelt as they would be written */
    struct tr_cli_store store;
    struct tr_graph_load *load;
    struct tr_cli_record record;
};

static int read_options(struct import *import)
{
    const char *format = tr_cli_invocation_option(import->invocation, "format");
    const char *graph = tr_cli_invocation_option(import->invocation, "graph");
    struct tr_err err;
    import->has_format = format != NULL;
    if (format && !tr_rdf_format_find(tr_str_from(format), &import->format))
        return tr_cli_report_usage(
            "unknown format '%s': nt, nq, ttl, trig or jsonld", format);
    import->graph = tr_str_from(graph);
    if (graph && tr_rdf_iri_check(import->graph, &err) != TR_OK)
        return tr_cli_report_usage("--graph: %s", err.msg);
    return TR_CLI_EXIT_OK;
}

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    const struct import *import = context;
    if (import->shows)
        tr_cli_progress_show(done, total, "bytes");
}

static void hide_progress(const struct import *import)
{
    if (import->shows)
        tr_cli_progress_hide();
}

/* Of --as-written. */
static void show_refused(void *data, const tr_rdf_quad *quad, tr_str spelling)
{
    struct import *import = data;
    struct tr_buf text;
    if (import->refused++ >= REFUSED_SHOWN)
        return;
    hide_progress(import);
    tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
    tr_rdf_term_write(&text, &quad->object);
    tr_buf_putf(&text, " of ");
    tr_rdf_term_write(&text, &quad->predicate);
    tr_buf_putf(&text, " would be written as \"%.*s\"\n", TR_FMT(spelling));
    (void)fprintf(stderr, "%s:%u: ", import->file, (unsigned)import->line);
    if (text.failed == TR_OK)
        (void)fwrite(text.ptr, 1, text.len, stderr);
    else
        (void)fputs("a long value would be written otherwise\n", stderr);
    tr_buf_done(&text);
}

static bool read_file(struct import *import, const char *path)
{
    struct tr_rdf_file_opts opts = {
        .format = import->has_format ? &import->format : NULL,
        .progress = show_progress,
        .context = import,
    };
    struct tr_rdf_sink sink = tr_graph_load_sink(import->load);
    struct tr_err err = {0};
    sink.line = &import->line;
    import->file = path;
    tr_status status = tr_rdf_file_read(path, &opts, &sink, &err);
    if (status == TR_OK)
        status = tr_graph_load_next_document(import->load, &err);
    hide_progress(import);
    if (status == TR_OK)
        return true;
    (void)tr_cli_report_error(status == TR_E_UNAVAILABLE ? NULL : path, &err);
    return false;
}

/* Says what does not conform, by node, and that nothing was imported. */
static void report_refused(const struct import *import,
                           const struct tr_err *err)
{
    const struct tr_shacl_validation *validation =
        tr_graph_load_validation(import->load);
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_REPORT);
    if (validation &&
        tr_shacl_report_write_text(tr_graph_load_report(import->load),
                                   validation, import->store.model->prefixes,
                                   &out, NULL) == TR_OK &&
        out.len)
        (void)fwrite(out.ptr, 1, out.len, stderr);
    tr_buf_done(&out);
    (void)tr_cli_report_error(NULL, err);
    (void)fputs("Nothing was imported.\n", stderr);
}

static int report_done(const struct import *import)
{
    struct tr_graph_load_counts counts = tr_graph_load_counts(import->load);
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_buf_putf(&out, "%llu statements read, %llu new, %llu nodes changed\n",
                (unsigned long long)counts.read,
                (unsigned long long)counts.added,
                (unsigned long long)counts.changed);
    if (counts.prov)
        tr_buf_putf(&out, "%llu statements of provenance left out\n",
                    (unsigned long long)counts.prov);
    if (counts.filled)
        tr_buf_putf(&out, "%llu defaults filled in\n",
                    (unsigned long long)counts.filled);
    if (counts.respelt)
        tr_buf_putf(&out, "%llu values written in their canonical form\n",
                    (unsigned long long)counts.respelt);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

static int land(struct import *import)
{
    struct tr_err err = {0};
    if (import->shows)
        (void)fputs("Validating and storing...", stderr);
    tr_status status = tr_graph_load_finish(import->load, &err);
    bool has_prov = tr_graph_load_counts(import->load).prov > 0;
    hide_progress(import);
    if (status == TR_E_VALIDATION)
        report_refused(import, &err);
    else if (status != TR_OK)
        (void)tr_cli_report_error(NULL, &err);
    if (status == TR_E_INVALID && has_prov)
        (void)fputs("Nothing was imported; --skip-prov leaves them out.\n",
                    stderr);
    if (status == TR_E_INVALID && import->refused)
        (void)fputs("Nothing was imported; without --as-written the canonical "
                    "form is.\n",
                    stderr);
    if (status != TR_OK)
        return TR_CLI_EXIT_FAILED;
    tr_graph_store_raise_generation(import->store.store);
    return report_done(import);
}

/* An import may change any number of nodes: they are counted, not named. */
static tr_status record(void *data, struct tr_db *db, struct tr_err *err)
{
    struct import *import = data;
    import->record.activity.generated.left_out =
        tr_graph_load_counts(import->load).changed;
    return tr_cli_record_write(&import->record, db, err);
}

static int run(struct import *import)
{
    const struct tr_cli_invocation *invocation = import->invocation;
    struct tr_err err = {0};
    if (!tr_cli_store_load(&import->store))
        return TR_CLI_EXIT_FAILED;
    struct tr_graph_load_opts opts = {
        .path = tr_graph_store_path(import->store.store),
        .model = import->store.model,
        .project = tr_str_from(import->store.app.name),
        .graph = import->graph,
        .max_results = SHOWN,
        .skip_prov = tr_cli_invocation_option(invocation, "skip-prov") != NULL,
        .refused = tr_cli_invocation_option(invocation, "as-written")
                       ? show_refused
                       : NULL,
        .landed = record,
        .data = import,
    };
    if (tr_cli_record_begin(&import->record, "import", &err) != TR_OK ||
        tr_graph_load_create(&opts, &import->load, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    for (size_t i = 0; i < invocation->argument_count; i++) {
        if (!read_file(import, invocation->arguments[i]))
            return TR_CLI_EXIT_FAILED;
    }
    return land(import);
}

int tr_cli_run_import(const struct tr_cli_invocation *invocation)
{
    struct import import = {.invocation = invocation,
                            .shows = tr_cli_progress_is_wanted()};
    int exit_code = tr_cli_import_rows_check(invocation);
    if (exit_code == TR_CLI_EXIT_OK &&
        tr_cli_invocation_option(invocation, "type"))
        return tr_cli_import_rows(invocation);
    if (exit_code == TR_CLI_EXIT_OK)
        exit_code = read_options(&import);
    if (exit_code != TR_CLI_EXIT_OK)
        return exit_code;
    if (!tr_cli_store_open(&import.store, invocation, TR_CLI_STORE_MADE))
        return TR_CLI_EXIT_FAILED;
    exit_code = run(&import);
    tr_graph_load_free(import.load);
    tr_cli_store_close(&import.store);
    return exit_code;
}
