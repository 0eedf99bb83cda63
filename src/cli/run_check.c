#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/command.h"
#include "cli/report.h"
#include "json/writer.h"
#include "server/app.h"

static void put_cap_names(struct tr_json_writer *w,
                          const struct tr_snapshot *snapshot)
{
    tr_jw_key(w, "capabilities");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < tr_snapshot_counts(snapshot).caps; i++)
        tr_jw_string(w, tr_snapshot_cap(snapshot, i)->id);
    tr_jw_close(w, ']');
}

static void put_json(struct tr_buf *out, const struct tr_snapshot *snapshot)
{
    tr_counts has = tr_snapshot_counts(snapshot);
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    put_cap_names(&w, snapshot);
    tr_jw_key(&w, "resources");
    tr_jw_i64(&w, (int64_t)has.resources);
    tr_jw_key(&w, "resource_templates");
    tr_jw_i64(&w, (int64_t)has.templates);
    tr_jw_key(&w, "prompts");
    tr_jw_i64(&w, (int64_t)has.prompts);
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
}

static void put_text(struct tr_buf *out, const struct tr_snapshot *snapshot)
{
    tr_counts has = tr_snapshot_counts(snapshot);
    for (size_t i = 0; i < has.caps; i++) {
        const struct tr_cap *cap = tr_snapshot_cap(snapshot, i);
        tr_buf_putf(out, "%-28.*s %.*s\n", TR_FMT(cap->id),
                    TR_FMT(cap->description));
    }
    tr_buf_putf(out,
                "ok: %zu capabilities, %zu resources, %zu templates, "
                "%zu prompts\n",
                has.caps, has.resources, has.templates, has.prompts);
}

int tr_run_check(const struct tr_invocation *invocation)
{
    const char *folder =
        invocation->argument_count ? invocation->arguments[0] : ".";
    const struct tr_snapshot *snapshot = NULL;
    struct tr_app app;
    struct tr_buf out;
    struct tr_err err;
    if (tr_app_open(&app, folder, &err) != TR_OK)
        return tr_report_error(app.file, &err);
    if (tr_app_load(&app, &snapshot, &err) != TR_OK) {
        tr_app_close(&app);
        return tr_report_error(app.file, &err);
    }
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_invocation_option(invocation, "json"))
        put_json(&out, snapshot);
    else
        put_text(&out, snapshot);
    int exit_code = tr_report_output(&out);
    tr_buf_done(&out);
    tr_snapshot_unpin(snapshot);
    tr_app_close(&app);
    return exit_code;
}
