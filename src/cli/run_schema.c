#include "base/limits.h"
#include "cli/command.h"
#include "cli/rdf_input.h"
#include "cli/report.h"
#include "fields/json_schema.h"
#include "model/shacl.h"
#include "shacl/shapes.h"

static tr_status write_schema(const struct tr_shacl_shapes *shapes, tr_str type,
                              struct tr_arena *arena, struct tr_buf *out,
                              struct tr_err *err)
{
    struct tr_field_patterns patterns = {0};
    const struct tr_shape *table = NULL;
    struct tr_json_writer w;
    size_t index = 0;
    TR_TRY(tr_model_find_shacl_type(shapes, type, &index, err));
    tr_status status =
        tr_model_shape_of_shacl(shapes, index, arena, &patterns, &table, err);
    if (status == TR_OK) {
        tr_jw_init_pretty(&w, out);
        tr_shape_write_json_schema(&w, table, TR_SHAPE_WITH_DIALECT);
        status = tr_jw_finish(&w, err);
        tr_buf_putc(out, '\n');
    }
    tr_field_patterns_done(&patterns);
    return status;
}

static int print_schema(const struct tr_cli_invocation *invocation,
                        const struct tr_rdf_memory_graph *graph)
{
    tr_str type = tr_str_from(tr_cli_invocation_option(invocation, "type"));
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_status status =
        tr_shacl_shapes_read(tr_rdf_memory_graph_view(graph), &shapes, &err);
    if (status == TR_OK)
        status = write_schema(shapes, type, invocation->arena, &out, &err);
    int exit_code = status == TR_OK ? tr_cli_report_output(&out)
                                    : tr_cli_report_error(NULL, &err);
    tr_buf_done(&out);
    tr_shacl_shapes_free(shapes);
    return exit_code;
}

int tr_cli_run_schema(const struct tr_cli_invocation *invocation)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_rdf_prefixes prefixes;
    if (!tr_cli_invocation_option(invocation, "shapes") ||
        !tr_cli_invocation_option(invocation, "type"))
        return tr_cli_report_usage("'schema' needs --shapes and --type");
    tr_rdf_prefixes_init(&prefixes, invocation->arena);
    if (!tr_cli_rdf_input_read(invocation, "shapes", &prefixes, &graph))
        return TR_CLI_EXIT_FAILED;
    tr_cli_rdf_input_warn(graph);
    int exit_code = print_schema(invocation, graph);
    tr_rdf_memory_graph_free(graph);
    return exit_code;
}
