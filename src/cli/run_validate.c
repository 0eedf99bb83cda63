#include "base/limits.h"
#include "cli/command.h"
#include "cli/rdf_input.h"
#include "cli/report.h"
#include "rdf/writer.h"
#include "shape/report.h"
#include "shape/shacl_reader.h"

#include <unistd.h>

enum { DEFAULT_LIMIT = 1000, BAR = 32 };

enum format { TEXT, TTL, JSON };

struct validate {
    const struct tr_invocation *invocation;
    enum format format;
    size_t limit;
    struct tr_prefixes prefixes;
    struct tr_memory_graph *shapes_graph; /* owned, as the next three are */
    struct tr_memory_graph *data;
    struct tr_shapes *shapes;
    struct tr_validation *validation;
    struct tr_arena arena; /* of the report */
    struct tr_report report;
};

static int read_options(struct validate *run)
{
    static const char *const names[] = {"text", "ttl", "json"};
    const char *format = tr_invocation_option(run->invocation, "format");
    const char *limit = tr_invocation_option(run->invocation, "limit");
    int64_t number = DEFAULT_LIMIT;
    size_t i = 0;
    if (!tr_invocation_option(run->invocation, "shapes") ||
        !tr_invocation_option(run->invocation, "data"))
        return tr_report_usage("'validate' needs --shapes and --data");
    while (format && i < TR_LEN(names) && strcmp(format, names[i]) != 0)
        i++;
    if (i == TR_LEN(names))
        return tr_report_usage("unknown format '%s': text, ttl or json",
                               format);
    if (limit && (!tr_str_to_i64(tr_str_from(limit), &number) || number < 1 ||
                  (uint64_t)number > TR_LIMIT_RESULTS))
        return tr_report_usage("--limit must be a number from 1 to %zu",
                               TR_LIMIT_RESULTS);
    run->format = (enum format)i;
    run->limit = (size_t)number;
    return TR_EXIT_OK;
}

static void show_progress(void *context, size_t done, size_t total)
{
    (void)context;
    char bar[BAR + 1];
    size_t full = total ? done * BAR / total : BAR;
    memset(bar, ' ', BAR);
    memset(bar, '#', full);
    bar[BAR] = '\0';
    (void)fprintf(stderr, "\r[%s] %zu of %zu nodes", bar, done, total);
}

static void hide_progress(void)
{
    (void)fputs("\r\033[K", stderr);
}

static bool wants_progress(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static tr_status validate(struct validate *run, struct tr_err *err)
{
    bool shows = wants_progress();
    struct tr_validation_opts opts = {.progress = shows ? show_progress : NULL};
    TR_TRY(tr_shapes_read(tr_memory_graph_view(run->shapes_graph), &run->shapes,
                          err));
    TR_TRY(tr_validation_create(run->shapes, tr_memory_graph_view(run->data),
                                &opts, &run->validation, err));
    tr_status status =
        tr_validation_run(run->validation, tr_report_add, &run->report, err);
    if (shows)
        hide_progress();
    return status;
}

static tr_status write_turtle(struct validate *run, struct tr_err *err)
{
    struct tr_memory_graph *graph = NULL;
    int fd = STDOUT_FILENO;
    struct tr_rdf_output output = tr_rdf_output_fd(&fd);
    TR_TRY(tr_memory_graph_create(0, &graph, err));
    tr_status status =
        tr_report_to_graph(&run->report, run->validation, graph, err);
    if (status == TR_OK)
        status = tr_memory_graph_index(graph, err);
    if (status == TR_OK)
        status = tr_rdf_write(TR_RDF_TURTLE, tr_memory_graph_view(graph),
                              &run->prefixes, &output, err);
    tr_memory_graph_free(graph);
    return status;
}

static tr_status fill(struct validate *run, struct tr_buf *out,
                      struct tr_err *err)
{
    struct tr_json_writer w;
    if (run->format == TEXT)
        return tr_report_write_text(&run->report, run->validation,
                                    &run->prefixes, out, err);
    tr_jw_init_pretty(&w, out);
    TR_TRY(tr_report_write_json(&run->report, run->validation, &w, err));
    tr_buf_putc(out, '\n');
    return TR_OK;
}

static int write_report(struct validate *run, struct tr_err *err)
{
    struct tr_buf out;
    int exit_code = TR_EXIT_OK;
    tr_buf_init(&out, TR_LIMIT_CLI_REPORT);
    tr_status status =
        run->format == TTL ? write_turtle(run, err) : fill(run, &out, err);
    if (status != TR_OK)
        exit_code = tr_report_error(NULL, err);
    else if (run->format != TTL)
        exit_code = tr_report_output(&out);
    tr_buf_done(&out);
    if (exit_code != TR_EXIT_OK)
        return TR_EXIT_USAGE;
    return tr_report_conforms(&run->report) ? TR_EXIT_OK : TR_EXIT_FAILED;
}

static int run_all(struct validate *run)
{
    struct tr_err err = {0};
    if (!tr_rdf_input_read(run->invocation, "shapes", &run->prefixes,
                           &run->shapes_graph) ||
        !tr_rdf_input_read(run->invocation, "data", &run->prefixes, &run->data))
        return TR_EXIT_USAGE;
    if (validate(run, &err) == TR_OK)
        return write_report(run, &err);
    (void)tr_report_error(NULL, &err);
    return TR_EXIT_USAGE;
}

int tr_run_validate(const struct tr_invocation *invocation)
{
    struct validate run = {.invocation = invocation};
    int exit_code = read_options(&run);
    if (exit_code != TR_EXIT_OK)
        return exit_code;
    tr_arena_init(&run.arena, TR_LIMIT_CLI_REPORT);
    tr_report_init(&run.report, &run.arena, run.limit);
    tr_prefixes_init(&run.prefixes, invocation->arena);
    exit_code = run_all(&run);
    tr_validation_free(run.validation);
    tr_shapes_free(run.shapes);
    tr_memory_graph_free(run.data);
    tr_memory_graph_free(run.shapes_graph);
    tr_arena_done(&run.arena);
    return exit_code;
}
