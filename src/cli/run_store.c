/*
 * cli/run_store.c - store rename: another name for the project of a store.
 */
#include "base/limits.h"
#include "cli/command.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/store.h"
#include "config/settings.h"
#include "graph/upkeep.h"

struct renaming {
    struct tr_graph_renaming asked;
    struct tr_graph_renamed done;
    struct tr_cli_record record;
    char names[2 * TR_GRAPH_NAME_BYTES + 8];
};

/* The activity has both names: those before it have the nodes by their ids. */
static tr_status record(void *data, struct tr_db *db, const char *from,
                        struct tr_err *err)
{
    struct renaming *renaming = data;
    (void)snprintf(renaming->names, sizeof(renaming->names), "%s%s%.*s", from,
                   from[0] ? " -> " : "", TR_FMT(renaming->asked.to));
    renaming->record.activity.asked = tr_str_from(renaming->names);
    return tr_cli_record_write(&renaming->record, db, err);
}

/* The old name may be one that no project can have any more. */
static int read_options(const struct tr_cli_invocation *invocation,
                        struct tr_graph_renaming *out)
{
    const char *from = tr_cli_invocation_option(invocation, "from");
    out->to = tr_str_from(invocation->arguments[0]);
    out->from = tr_str_from(from);
    out->is_dry = tr_cli_invocation_option(invocation, "dry-run") != NULL;
    const char *why = tr_config_check_project(out->to);
    if (why)
        return tr_cli_report_usage("the name of a project %s", why);
    if (from &&
        (!*from || strlen(from) >= TR_GRAPH_NAME_BYTES || strchr(from, '/')))
        return tr_cli_report_usage("--from: '%s' is no name of a project",
                                   from);
    return TR_CLI_EXIT_OK;
}

static void put_counts(struct tr_buf *out, const struct renaming *renaming)
{
    const struct tr_graph_renamed *done = &renaming->done;
    bool is_dry = renaming->asked.is_dry;
    tr_str to = renaming->asked.to;
    if (!done->from[0]) {
        tr_buf_putf(out,
                    "The store %s of project '%.*s'; nothing %s to be "
                    "renamed.\n",
                    is_dry ? "would be" : "is", TR_FMT(to),
                    is_dry ? "has" : "had");
        return;
    }
    tr_buf_putf(out, "%llu IRIs of '%s' %s of '%.*s'%s\n",
                (unsigned long long)done->iris, done->from,
                is_dry ? "would be" : "are", TR_FMT(to),
                is_dry ? "." : " now.");
    if (done->joined)
        tr_buf_putf(out,
                    "%llu of them were there already under that name: 'trails "
                    "validate' says whether the data conforms.\n",
                    (unsigned long long)done->joined);
}

static int report(const struct renaming *renaming,
                  const struct tr_server_app *app)
{
    tr_str to = renaming->asked.to;
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    put_counts(&out, renaming);
    if (tr_config_project_origin(app->settings) == TR_CONFIG_FROM_FILE &&
        !tr_str_eq(tr_str_from(app->name), to))
        tr_buf_putf(&out, "trails.toml says '%s': set name = \"%.*s\" there.\n",
                    app->name, TR_FMT(to));
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

static tr_status rename_store(struct tr_graph_store *store,
                              struct renaming *renaming, struct tr_err *err)
{
    TR_TRY(tr_cli_record_begin(&renaming->record, "store rename", err));
    tr_status status = tr_graph_rename(tr_graph_store_path(store),
                                       &renaming->asked, &renaming->done, err);
    if (status == TR_OK && !renaming->asked.is_dry)
        tr_graph_store_raise_generation(store);
    return status;
}

int tr_cli_run_store_rename(const struct tr_cli_invocation *invocation)
{
    struct renaming renaming = {.asked = {.landed = record}};
    struct tr_cli_store store;
    struct tr_err err = {0};
    renaming.asked.data = &renaming;
    int exit_code = read_options(invocation, &renaming.asked);
    if (exit_code != TR_CLI_EXIT_OK)
        return exit_code;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_EXISTING))
        return TR_CLI_EXIT_FAILED;
    exit_code = rename_store(store.store, &renaming, &err) == TR_OK
                    ? report(&renaming, &store.app)
                    : tr_cli_report_error(NULL, &err);
    tr_cli_store_close(&store);
    return exit_code;
}
