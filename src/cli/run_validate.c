#include "base/limits.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/rdf_input.h"
#include "cli/report.h"
#include "cli/store.h"
#include "graph/upkeep.h"
#include "model/model.h"
#include "rdf/writer.h"
#include "shacl/report.h"
#include "shacl/shapes.h"

#include <unistd.h>

/* `SHOW_EVERY` is in nodes. */
enum { DEFAULT_LIMIT = 1000, SHOW_EVERY = 1024 };

enum format { TEXT, TTL, JSON };

struct validate {
    const struct tr_cli_invocation *invocation;
    enum format format;
    size_t limit;
    struct tr_rdf_prefixes prefixes;
    struct tr_rdf_memory_graph *shapes_graph; /* owned, as are the next */
    struct tr_shacl_shapes *shapes;           /* of --shapes */
    struct tr_rdf_memory_graph *data;         /* of --data */
    struct tr_cli_store store;                /* without --data */
    bool has_store;
    struct tr_graph_reader *reader;
    struct tr_shacl_validation *validation;
    bool shows;            /* how far it is */
    bool has_nodes;        /* there was one to look at */
    struct tr_arena arena; /* of the report */
    struct tr_shacl_report report;
};

static int read_options(struct validate *run)
{
    static const char *const names[] = {"text", "ttl", "json"};
    const char *format = tr_cli_invocation_option(run->invocation, "format");
    const char *limit = tr_cli_invocation_option(run->invocation, "limit");
    int64_t number = DEFAULT_LIMIT;
    size_t i = 0;
    if (tr_cli_invocation_option(run->invocation, "data") &&
        !tr_cli_invocation_option(run->invocation, "shapes"))
        return tr_cli_report_usage("'validate' with --data needs --shapes");
    if (tr_cli_invocation_option(run->invocation, "data") &&
        tr_cli_invocation_option(run->invocation, "app"))
        return tr_cli_report_usage("either --data or --app, not both");
    while (format && i < TR_LEN(names) && strcmp(format, names[i]) != 0)
        i++;
    if (i == TR_LEN(names))
        return tr_cli_report_usage("unknown format '%s': text, ttl or json",
                                   format);
    if (limit && (!tr_str_to_i64(tr_str_from(limit), &number) || number < 1 ||
                  (uint64_t)number > TR_LIMIT_RESULTS))
        return tr_cli_report_usage("--limit must be a number from 1 to %zu",
                                   TR_LIMIT_RESULTS);
    run->format = (enum format)i;
    run->limit = (size_t)number;
    return TR_CLI_EXIT_OK;
}

static void note_progress(void *context, size_t done, size_t total)
{
    struct validate *run = context;
    run->has_nodes = true;
    if (run->reader)
        tr_graph_reader_trim(run->reader);
    if (run->shows && done % SHOW_EVERY == 0)
        tr_cli_progress_show(done, total, "nodes");
}

static tr_status compile_shapes(struct validate *run,
                                const struct tr_shacl_shapes **out,
                                struct tr_err *err)
{
    *out = run->store.model ? run->store.model->shapes : NULL;
    if (run->shapes_graph) {
        TR_TRY(tr_shacl_shapes_read(tr_rdf_memory_graph_view(run->shapes_graph),
                                    &run->shapes, err));
        *out = run->shapes;
        tr_cli_rdf_input_warn(run->shapes_graph);
        if (!tr_shacl_shapes_have_targets(run->shapes))
            return tr_fail(err, TR_E_NOT_FOUND, "nothing was checked: %s",
                           run->shapes->count
                               ? "none of the shapes has a target"
                               : "there are no shapes");
    }
    return *out ? TR_OK : tr_fail(err, TR_E_NOT_FOUND, "there are no shapes");
}

static tr_status validate(struct validate *run, struct tr_err *err)
{
    const struct tr_shacl_shapes *shapes = NULL;
    const struct tr_rdf_graph *data = run->data
                                          ? tr_rdf_memory_graph_view(run->data)
                                          : &run->reader->stored.base;
    struct tr_shacl_validation_opts opts = {.progress = note_progress,
                                            .progress_context = run};
    run->shows = tr_cli_progress_is_wanted();
    TR_TRY(compile_shapes(run, &shapes, err));
    TR_TRY(
        tr_shacl_validation_create(shapes, data, &opts, &run->validation, err));
    tr_status status = tr_shacl_validation_run(
        run->validation, tr_shacl_report_add, &run->report, err);
    if (run->shows)
        tr_cli_progress_hide();
    if (status == TR_OK && run->shapes && !run->has_nodes)
        tr_cli_report_warning(
            "nothing was checked: no node of the data is a target");
    return status;
}

/* Shapes cannot express unique fields: a store is checked for these as well. */
static int check_unique(struct validate *run, int exit_code)
{
    struct tr_err err = {0};
    if (exit_code == TR_CLI_EXIT_USAGE || !run->store.model)
        return exit_code;
    tr_status status = tr_graph_unique_check(
        &run->reader->stored.base, run->store.model, NULL, NULL, &err);
    if (status == TR_OK)
        return exit_code;
    (void)tr_cli_report_error(NULL, &err);
    return status == TR_E_VALIDATION ? TR_CLI_EXIT_FAILED : TR_CLI_EXIT_USAGE;
}

static tr_status write_turtle(struct validate *run, struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph = NULL;
    int fd = STDOUT_FILENO;
    struct tr_rdf_output output = tr_rdf_output_fd(&fd);
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    tr_status status =
        tr_shacl_report_to_graph(&run->report, run->validation, graph, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(graph, err);
    if (status == TR_OK)
        status = tr_rdf_write(TR_RDF_TURTLE, tr_rdf_memory_graph_view(graph),
                              &run->prefixes, &output, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

static tr_status fill(struct validate *run, struct tr_buf *out,
                      struct tr_err *err)
{
    struct tr_json_writer w;
    if (run->format == TEXT) {
        TR_TRY(tr_shacl_report_detail(&run->report, run->validation, err));
        TR_TRY(tr_shacl_report_write_text(&run->report, run->validation,
                                          &run->prefixes, out, err));
        tr_cli_report_put_lines(out, 0);
        return TR_OK;
    }
    tr_jw_init_pretty(&w, out);
    TR_TRY(tr_shacl_report_write_json(&run->report, run->validation, &w, err));
    tr_buf_putc(out, '\n');
    return TR_OK;
}

static int write_report(struct validate *run, struct tr_err *err)
{
    struct tr_buf out;
    int exit_code = TR_CLI_EXIT_OK;
    tr_buf_init(&out, TR_LIMIT_CLI_REPORT);
    tr_status status =
        run->format == TTL ? write_turtle(run, err) : fill(run, &out, err);
    if (status != TR_OK)
        exit_code = tr_cli_report_error(NULL, err);
    else if (run->format != TTL)
        exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    if (exit_code != TR_CLI_EXIT_OK)
        return TR_CLI_EXIT_USAGE;
    return tr_shacl_report_conforms(&run->report) ? TR_CLI_EXIT_OK
                                                  : TR_CLI_EXIT_FAILED;
}

/* Loads the app's model, whose prefixes shorten IRIs in the report. */
static bool take_model(struct validate *run)
{
    struct tr_err err = {0};
    if (!tr_cli_store_load(&run->store))
        return false;
    const struct tr_map *names = &run->store.model->prefixes->by_name;
    for (size_t i = 0; i < names->count; i++) {
        const tr_str *iri = names->entries[i].value;
        if (tr_rdf_prefixes_set(&run->prefixes, names->entries[i].key, *iri,
                                &err) != TR_OK) {
            (void)tr_cli_report_error(NULL, &err);
            return false;
        }
    }
    return true;
}

static bool read_data(struct validate *run)
{
    if (tr_cli_invocation_option(run->invocation, "data"))
        return tr_cli_rdf_input_read(run->invocation, "data", &run->prefixes,
                                     &run->data);
    run->has_store =
        tr_cli_store_open(&run->store, run->invocation, TR_CLI_STORE_READ);
    return run->has_store && (run->shapes_graph || take_model(run)) &&
           tr_cli_store_read(&run->store, &run->reader);
}

static int run_all(struct validate *run)
{
    struct tr_err err = {0};
    if (tr_cli_invocation_option(run->invocation, "shapes") &&
        !tr_cli_rdf_input_read(run->invocation, "shapes", &run->prefixes,
                               &run->shapes_graph))
        return TR_CLI_EXIT_USAGE;
    if (!read_data(run))
        return TR_CLI_EXIT_USAGE;
    if (validate(run, &err) == TR_OK)
        return check_unique(run, write_report(run, &err));
    (void)tr_cli_report_error(NULL, &err);
    return TR_CLI_EXIT_USAGE;
}

static void release(struct validate *run)
{
    tr_shacl_validation_free(run->validation);
    tr_shacl_shapes_free(run->shapes);
    tr_rdf_memory_graph_free(run->data);
    tr_rdf_memory_graph_free(run->shapes_graph);
    if (run->reader)
        tr_graph_reader_end(run->reader);
    tr_graph_reader_free(run->reader);
    if (run->has_store)
        tr_cli_store_close(&run->store);
    tr_arena_done(&run->arena);
}

int tr_cli_run_validate(const struct tr_cli_invocation *invocation)
{
    struct validate run = {.invocation = invocation};
    int exit_code = read_options(&run);
    if (exit_code != TR_CLI_EXIT_OK)
        return exit_code;
    tr_arena_init(&run.arena, TR_LIMIT_CLI_REPORT);
    tr_shacl_report_init(&run.report, &run.arena, run.limit);
    tr_rdf_prefixes_init(&run.prefixes, invocation->arena);
    exit_code = run_all(&run);
    release(&run);
    return exit_code;
}
