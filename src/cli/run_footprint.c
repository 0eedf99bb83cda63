#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/app.h"
#include "cli/report.h"
#include "config/config.h"
#include "doctor/footprint.h"
#include "json/writer.h"
#include "mcp/mcp.h"
#include "server/site.h"

/* A row: what one authority is sent in one revision. */
struct row {
    const struct tr_doctor_scope_set *who;
    tr_str revision;
    struct tr_doctor_footprint lists;
};

struct table {
    struct row rows[TR_DOCTOR_SCOPE_SETS * TR_MCP_FORMS];
    size_t count;
};

static tr_status fill(struct table *table, const struct tr_server_app *app,
                      const struct tr_cap_snapshot *snapshot,
                      struct tr_err *err)
{
    struct tr_project_form forms[TR_MCP_FORMS];
    const struct tr_project_site site = tr_server_site(app);
    tr_mcp_list_forms(&site, forms);
    *table = (struct table){0};
    for (size_t i = 0; i < TR_DOCTOR_SCOPE_SETS; i++) {
        for (size_t k = 0; k < TR_MCP_FORMS; k++) {
            struct row *row = &table->rows[table->count++];
            row->who = &tr_doctor_scope_sets[i];
            row->revision = forms[k].revision;
            TR_TRY(tr_doctor_footprint_of(
                snapshot, row->who->scopes, forms[k].form,
                app->config->mcp.instructions, &row->lists, err));
        }
    }
    return TR_OK;
}

static void put_size(struct tr_json_writer *w, size_t bytes)
{
    tr_jw_put_i64(w, "bytes", (int64_t)bytes);
    tr_jw_put_i64(w, "tokens", (int64_t)tr_doctor_tokens(bytes));
}

static void put_row(struct tr_json_writer *w, const struct row *row)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "authority", tr_str_from(row->who->name));
    tr_jw_put_string(w, "revision", row->revision);
    for (int i = 0; i < TR_DOCTOR_LISTS; i++) {
        tr_jw_key(w, tr_doctor_list_name((enum tr_doctor_list)i));
        tr_jw_open(w, '{');
        tr_jw_put_i64(w, "items", (int64_t)row->lists.items[i]);
        put_size(w, row->lists.bytes[i]);
        tr_jw_close(w, '}');
    }
    tr_jw_key(w, "instructions");
    tr_jw_open(w, '{');
    put_size(w, row->lists.instructions);
    tr_jw_close(w, '}');
    if (row->lists.biggest.len) {
        tr_jw_key(w, "biggest");
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "tool", row->lists.biggest);
        put_size(w, row->lists.biggest_bytes);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
}

static tr_status put_json(struct tr_buf *out, const struct table *table,
                          struct tr_err *err)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "lists");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < table->count; i++)
        put_row(&w, &table->rows[i]);
    tr_jw_close(&w, ']');
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
    return tr_jw_finish(&w, err);
}

static void put_text(struct tr_buf *out, const struct table *table)
{
    tr_buf_putf(out, "%-9s %-11s %6s %9s %8s  %s\n", "authority", "revision",
                "tools", "bytes", "tokens",
                "tokens of resources, templates, prompts, instructions");
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        const size_t *bytes = row->lists.bytes;
        tr_buf_putf(out, "%-9s %-11.*s %6zu %9zu %8zu  %zu, %zu, %zu, %zu\n",
                    row->who->name, TR_FMT(row->revision),
                    row->lists.items[TR_DOCTOR_LIST_TOOLS],
                    bytes[TR_DOCTOR_LIST_TOOLS],
                    tr_doctor_tokens(bytes[TR_DOCTOR_LIST_TOOLS]),
                    tr_doctor_tokens(bytes[TR_DOCTOR_LIST_RESOURCES]),
                    tr_doctor_tokens(bytes[TR_DOCTOR_LIST_TEMPLATES]),
                    tr_doctor_tokens(bytes[TR_DOCTOR_LIST_PROMPTS]),
                    tr_doctor_tokens(row->lists.instructions));
    }
}

static int print(const struct tr_cli_invocation *invocation,
                 const struct tr_server_app *app,
                 const struct tr_cap_snapshot *snapshot)
{
    struct table table;
    struct tr_buf out;
    struct tr_err err = {0};
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_status status = fill(&table, app, snapshot, &err);
    if (status == TR_OK && tr_cli_invocation_option(invocation, "json"))
        status = put_json(&out, &table, &err);
    else if (status == TR_OK)
        put_text(&out, &table);
    int exit_code = status == TR_OK ? tr_cli_report_output(&out)
                                    : tr_cli_report_error(NULL, &err);
    tr_buf_done(&out);
    return exit_code;
}

int tr_cli_run_footprint(const struct tr_cli_invocation *invocation)
{
    return tr_cli_app_look(invocation, print);
}
