#include "base/limits.h"
#include "base/nearest.h"
#include "cap/snapshot.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/store.h"
#include "draw/draw.h"
#include "query/named.h"

#define OUTPUT_MAX TR_MIB(64)

/* How a picture is written; SVG alone can fail for another reason than room. */
enum form { MERMAID, SVG, DOT };

struct drawing {
    const struct tr_cli_invocation *invocation;
    enum form form;
    tr_str type; /* of what; or empty */
    tr_str id;   /* of which node; or empty */
    struct tr_draw_picture picture;
};

static bool read_form(const struct tr_cli_invocation *invocation,
                      enum form *out)
{
    static const char *const names[] = {"mermaid", "svg", "dot"};
    size_t count = 0;
    *out = MERMAID;
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (!tr_cli_invocation_option(invocation, names[i]))
            continue;
        *out = (enum form)i;
        count++;
    }
    return count <= 1;
}

static tr_status write_picture(const struct drawing *d, struct tr_buf *out,
                               struct tr_err *err)
{
    if (d->form == SVG)
        TR_TRY(tr_draw_svg(&d->picture, out, err));
    else if (d->form == DOT)
        tr_draw_dot(&d->picture, out);
    else
        tr_draw_mermaid(&d->picture, out);
    return tr_buf_check(out, err);
}

static tr_status put_out(void *context, const struct tr_rdf_output *output,
                         struct tr_err *err)
{
    struct tr_buf out;
    tr_buf_init(&out, OUTPUT_MAX);
    tr_status status = write_picture(context, &out, err);
    if (status == TR_OK)
        status = output->write(output->context, tr_buf_str(&out), err);
    tr_buf_done(&out);
    return status;
}

static int finish(struct drawing *d, tr_status status, struct tr_err *err)
{
    const char *path = tr_cli_invocation_option(d->invocation, "output");
    if (status == TR_OK)
        status = tr_cli_output_file(path ? path : "-", put_out, d, err);
    return status == TR_OK ? TR_CLI_EXIT_OK : tr_cli_report_error(NULL, err);
}

static tr_status find_type(const struct tr_model *model, tr_str name,
                           const struct tr_model_type **out, struct tr_err *err)
{
    struct tr_nearest nearest;
    *out = name.len ? tr_model_find(model, name) : NULL;
    if (*out || !name.len)
        return TR_OK;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < model->count; i++)
        tr_nearest_offer(&nearest, model->types[i]->name);
    return nearest.best.len
               ? tr_fail(err, TR_E_NOT_FOUND,
                         "there is no type '%.*s', did you mean '%.*s'?",
                         TR_FMT(name), TR_FMT(nearest.best))
               : tr_fail(err, TR_E_NOT_FOUND, "there is no type '%.*s'",
                         TR_FMT(name));
}

/* The types need no store. */
static int draw_types(struct drawing *d)
{
    const char *folder = tr_cli_invocation_option(d->invocation, "app");
    const struct tr_cap_snapshot *snapshot = NULL;
    const struct tr_model_type *type = NULL;
    struct tr_server_app app;
    struct tr_err err = {0};
    if (tr_server_app_open(&app, folder ? folder : ".", &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    if (tr_server_app_load(&app, &snapshot, &err) != TR_OK) {
        (void)tr_cli_report_error(app.file, &err);
        tr_server_app_close(&app);
        return TR_CLI_EXIT_FAILED;
    }
    const struct tr_model *model = tr_cap_snapshot_model(snapshot);
    tr_status status = find_type(model, d->type, &type, &err);
    if (status == TR_OK)
        status = tr_draw_model(&d->picture, model, type, &err);
    int exit_code = finish(d, status, &err);
    tr_cap_snapshot_unpin(snapshot);
    tr_server_app_close(&app);
    return exit_code;
}

static tr_status find_node(const struct drawing *d,
                           const struct tr_graph_read_ctx *ctx, tr_rdf_id *out,
                           struct tr_err *err)
{
    const struct tr_model_type *type = NULL;
    struct tr_query_named node = {0};
    TR_TRY(find_type(ctx->model, d->type, &type, err));
    if (type)
        TR_TRY(tr_query_named_find(ctx, type, d->id, &node, err));
    else
        TR_TRY(tr_graph_node_find(ctx, d->id, &node.id, err));
    *out = node.id;
    return node.id != TR_RDF_ID_NONE
               ? TR_OK
               : tr_fail(err, TR_E_NOT_FOUND, "there is no %.*s%s%.*s",
                         TR_FMT(d->type), d->type.len ? " " : "",
                         TR_FMT(d->id));
}

static int draw_node(struct drawing *d)
{
    struct tr_graph_reader *reader = NULL;
    struct tr_cli_store store;
    struct tr_err err = {0};
    int exit_code = TR_CLI_EXIT_FAILED;
    if (!tr_cli_store_open(&store, d->invocation, TR_CLI_STORE_READ))
        return TR_CLI_EXIT_FAILED;
    if (tr_cli_store_load(&store) && tr_cli_store_read(&store, &reader)) {
        const struct tr_graph_read_ctx ctx = tr_graph_read_ctx_of(
            reader, NULL, store.model, d->invocation->arena);
        tr_rdf_id id = TR_RDF_ID_NONE;
        tr_status status = find_node(d, &ctx, &id, &err);
        if (status == TR_OK)
            status = tr_draw_node(&d->picture, &ctx, id, &err);
        exit_code = finish(d, status, &err);
        tr_graph_reader_end(reader);
        tr_graph_reader_free(reader);
    }
    tr_cli_store_close(&store);
    return exit_code;
}

/* An IRI alone is a node's. */
int tr_cli_run_graph(const struct tr_cli_invocation *invocation)
{
    struct drawing d = {.invocation = invocation,
                        .picture = {.arena = invocation->arena}};
    if (!read_form(invocation, &d.form))
        return tr_cli_report_usage("one of --svg, --dot and --mermaid is "
                                   "enough");
    if (invocation->argument_count > 0)
        d.type = tr_str_from(invocation->arguments[0]);
    if (invocation->argument_count > 1)
        d.id = tr_str_from(invocation->arguments[1]);
    else if (d.type.len && strchr(invocation->arguments[0], ':')) {
        d.id = d.type;
        d.type = TR_STR("");
    }
    return d.id.len ? draw_node(&d) : draw_types(&d);
}
