#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/command.h"
#include "cli/report.h"
#include "json/reader.h"
#include "json/writer.h"
#include "server/app.h"
#include "shape/json_schema.h"
#include "shape/lint.h"
#include "shape/model.h"
#include "shape/verbatim.h"

/* What hosts are known to refuse, of one capability. */
static tr_status lint(struct tr_arena *arena, const struct tr_cap *cap,
                      struct tr_findings *out, struct tr_err *err)
{
    const struct tr_json *schema = NULL;
    if (cap->input_schema) {
        schema = tr_verbatim_tree(cap->input_schema);
    } else if (cap->input_shape) {
        struct tr_json_writer w;
        struct tr_buf text;
        tr_str copy;
        tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
        tr_jw_init(&w, &text);
        tr_json_schema_write(&w, cap->input_shape, true);
        tr_status status = tr_jw_finish(&w, err);
        if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), &copy))
            status = tr_fail(err, TR_E_NOMEM, "no memory for a schema");
        tr_buf_done(&text);
        TR_TRY(status);
        TR_TRY(tr_json_read(arena, copy, NULL, &schema, err));
    }
    TR_TRY(tr_lint_name(arena, cap->name, out, err));
    return schema ? tr_lint_schema(arena, schema, out, err) : TR_OK;
}

static const char *severity_name(enum tr_severity severity)
{
    return severity == TR_SEVERITY_ERROR ? "error" : "warning";
}

static void put_json_findings(struct tr_json_writer *w,
                              const struct tr_cap *cap,
                              const struct tr_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct tr_finding *finding = &findings->items[i];
        tr_jw_open(w, '{');
        tr_jw_key(w, "capability");
        tr_jw_string(w, cap->id);
        tr_jw_key(w, "severity");
        tr_jw_string(w, tr_str_from(severity_name(finding->severity)));
        tr_jw_key(w, "path");
        tr_jw_string(w, finding->path);
        tr_jw_key(w, "message");
        tr_jw_string(w, finding->message);
        tr_jw_close(w, '}');
    }
}

static void put_types(struct tr_json_writer *w, const struct tr_model *model)
{
    tr_jw_key(w, "types");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < model->count; i++)
        tr_jw_string(w, model->types[i]->name);
    tr_jw_close(w, ']');
}

/* What the app itself has. */
static tr_counts count_own(const struct tr_snapshot *snapshot)
{
    tr_counts has = tr_snapshot_counts(snapshot);
    size_t resources = has.resources;
    size_t templates = has.templates;
    for (size_t i = 0; i < resources; i++)
        has.resources -= tr_snapshot_resource(snapshot, i)->about.is_built_in;
    for (size_t i = 0; i < templates; i++)
        has.templates -= tr_snapshot_template(snapshot, i)->about.is_built_in;
    return has;
}

static tr_status put_json(struct tr_arena *arena, struct tr_buf *out,
                          const struct tr_snapshot *snapshot,
                          struct tr_err *err)
{
    tr_counts has = count_own(snapshot);
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "capabilities");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < has.caps; i++)
        tr_jw_string(&w, tr_snapshot_cap(snapshot, i)->id);
    tr_jw_close(&w, ']');
    put_types(&w, tr_snapshot_model(snapshot));
    tr_jw_key(&w, "resources");
    tr_jw_i64(&w, (int64_t)has.resources);
    tr_jw_key(&w, "resource_templates");
    tr_jw_i64(&w, (int64_t)has.templates);
    tr_jw_key(&w, "prompts");
    tr_jw_i64(&w, (int64_t)has.prompts);
    tr_jw_key(&w, "findings");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < has.caps; i++) {
        struct tr_findings findings = {0};
        const struct tr_cap *cap = tr_snapshot_cap(snapshot, i);
        TR_TRY(lint(arena, cap, &findings, err));
        put_json_findings(&w, cap, &findings);
    }
    tr_jw_close(&w, ']');
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
    return tr_jw_finish(&w, err);
}

static tr_status put_text(struct tr_arena *arena, struct tr_buf *out,
                          const struct tr_snapshot *snapshot,
                          struct tr_err *err)
{
    tr_counts has = count_own(snapshot);
    for (size_t i = 0; i < has.caps; i++) {
        struct tr_findings findings = {0};
        const struct tr_cap *cap = tr_snapshot_cap(snapshot, i);
        tr_buf_putf(out, "%-28.*s %.*s\n", TR_FMT(cap->id),
                    TR_FMT(cap->description));
        TR_TRY(lint(arena, cap, &findings, err));
        for (size_t j = 0; j < findings.count; j++)
            tr_buf_putf(out, "    %s: %.*s%s%.*s\n",
                        severity_name(findings.items[j].severity),
                        TR_FMT(findings.items[j].path),
                        findings.items[j].path.len ? ": " : "",
                        TR_FMT(findings.items[j].message));
    }
    tr_buf_putf(out,
                "ok: %zu capabilities, %zu resources, %zu templates, "
                "%zu prompts, %zu types\n",
                has.caps, has.resources, has.templates, has.prompts,
                tr_snapshot_model(snapshot)->count);
    return TR_OK;
}

static int print(const struct tr_invocation *invocation,
                 const struct tr_snapshot *snapshot)
{
    struct tr_buf out;
    struct tr_err err;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_status status = tr_invocation_option(invocation, "json")
                           ? put_json(invocation->arena, &out, snapshot, &err)
                           : put_text(invocation->arena, &out, snapshot, &err);
    int exit_code =
        status == TR_OK ? tr_report_output(&out) : tr_report_error(NULL, &err);
    tr_buf_done(&out);
    return exit_code;
}

int tr_run_check(const struct tr_invocation *invocation)
{
    const char *folder =
        invocation->argument_count ? invocation->arguments[0] : ".";
    const struct tr_snapshot *snapshot = NULL;
    struct tr_app app;
    struct tr_err err;
    if (tr_app_open(&app, folder, &err) != TR_OK)
        return tr_report_error(app.file, &err);
    int exit_code;
    if (tr_app_load(&app, &snapshot, &err) != TR_OK) {
        exit_code = tr_report_error(app.file, &err);
    } else {
        exit_code = print(invocation, snapshot);
        tr_snapshot_unpin(snapshot);
    }
    tr_app_close(&app);
    return exit_code;
}
