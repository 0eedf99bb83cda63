/*
 * cli/run_doctor.c - doctor: whether an app and its store are well. It ends
 * with codes of its own, for scripts.
 */
#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/app.h"
#include "cli/report.h"
#include "cli/sound.h"
#include "db/db.h"
#include "graph/store.h"
#include "json/writer.h"
#include "server/doctor.h"

#include <unistd.h>

#define EXIT_WELL 0
#define EXIT_WARN 1 /* with --strict */
#define EXIT_FAIL 2

/* The app and its store, as far as they can be opened. */
struct visit {
    struct tr_server_app app;
    struct tr_server_doctor doctor;
    const struct tr_cap_snapshot *snapshot;
    struct tr_db *db;
    struct tr_err no_db;
    struct tr_query_scan scans[TR_LIMIT_QUERY_SCANS];
    struct tr_doctor_patient patient;
};

/* In a transaction that reads: a store that is older stays as it is. */
static tr_status open_db(struct visit *visit, const char *folder,
                         const char *path, struct tr_err *err)
{
    const struct tr_db_opts opts = {.read_only =
                                        tr_graph_store_is_closed(folder)};
    TR_TRY(tr_cli_sound_refuse_newer(folder, err));
    TR_TRY(tr_server_slow_read(&visit->app, visit->scans,
                               &visit->patient.scan_count, err));
    TR_TRY(tr_db_open(path, &opts, &visit->db, err));
    return tr_db_begin(visit->db, TR_DB_READ, err);
}

static void open_store(struct visit *visit)
{
    char path[TR_LIMIT_PATH_BYTES + 16];
    char folder[TR_LIMIT_PATH_BYTES];
    struct tr_doctor_patient *patient = &visit->patient;
    struct tr_err *err = &visit->no_db;
    tr_status status =
        tr_server_app_store(&visit->app, folder, sizeof(folder), err);
    (void)snprintf(path, sizeof(path), "%s/graph.db", folder);
    if (status == TR_OK && access(path, F_OK) != 0)
        return;
    if (status == TR_OK)
        status = open_db(visit, folder, path, err);
    patient->scans = visit->scans;
    patient->max_bytes = TR_LIMIT_CHECK_BYTES;
    if (status == TR_OK)
        patient->db = visit->db;
    else
        patient->no_db = visit->no_db.msg;
}

static void load(struct visit *visit)
{
    char why[TR_SERVER_DOCTOR_TEXT];
    struct tr_err err = {0};
    if (tr_server_app_load(&visit->app, &visit->snapshot, &err) != TR_OK) {
        tr_server_doctor_say(visit->app.file, &err, why);
        tr_server_doctor_note_load(&visit->doctor, TR_AUDIT_FAIL, why);
        return;
    }
    visit->patient.snapshot = visit->snapshot;
    visit->patient.model = tr_cap_snapshot_model(visit->snapshot);
}

static tr_status begin(struct visit *visit, const char *folder,
                       struct tr_err *err)
{
    char why[TR_SERVER_DOCTOR_TEXT];
    struct tr_err broken = {0};
    tr_status opened = tr_server_app_open(&visit->app, folder, &broken);
    TR_TRY(tr_server_doctor_init(&visit->doctor, &visit->app, err));
    visit->patient.scopes = TR_SCOPE_ALL; /* who has the files sees all */
    visit->patient.outside = &visit->doctor.outside;
    if (opened == TR_OK) {
        load(visit);
        open_store(visit);
        return TR_OK;
    }
    tr_server_doctor_say(visit->app.file, &broken, why);
    tr_server_doctor_note_config(&visit->doctor, why);
    return TR_OK;
}

static void end(struct visit *visit)
{
    tr_db_close(visit->db);
    tr_cap_snapshot_unpin(visit->snapshot);
    tr_server_doctor_done(&visit->doctor);
    if (visit->app.config)
        tr_server_app_close(&visit->app);
}

/* One line each, with what to do about it at its end. */
static void put_text(struct tr_buf *out, const struct tr_doctor_report *report,
                     struct tr_cli_look look)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct tr_audit_finding *finding = &report->items[i];
        bool is_bad = finding->health == TR_AUDIT_FAIL;
        bool is_well = finding->health == TR_AUDIT_WELL;
        tr_buf_putf(out, "%s%-4.*s%s ",
                    is_bad    ? look.red
                    : is_well ? ""
                              : look.bold,
                    TR_FMT(tr_audit_health_name(finding->health)),
                    is_well ? "" : look.plain);
        size_t start = out->len;
        tr_buf_putf(out, "%-16s %.*s%s%.*s", finding->id,
                    TR_FMT(finding->message), finding->fix.len ? " - " : "",
                    TR_FMT(finding->fix));
        tr_cli_report_put_line(out, start);
    }
}

static int exit_of(const struct tr_doctor_report *report, bool is_strict)
{
    if (report->health == TR_AUDIT_FAIL)
        return EXIT_FAIL;
    return report->health == TR_AUDIT_WARN && is_strict ? EXIT_WARN : EXIT_WELL;
}

static int print(const struct tr_cli_invocation *invocation,
                 const struct tr_doctor_report *report)
{
    struct tr_json_writer w;
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_invocation_option(invocation, "json")) {
        tr_jw_init_pretty(&w, &out);
        tr_doctor_write(&w, report);
        tr_buf_putc(&out, '\n');
    } else {
        put_text(&out, report, tr_cli_look_of(stdout));
    }
    int printed = tr_cli_report_output(&out);
    tr_buf_done(&out);
    if (printed != TR_CLI_EXIT_OK)
        return EXIT_FAIL;
    return exit_of(report,
                   tr_cli_invocation_option(invocation, "strict") != NULL);
}

static int list(void)
{
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    for (size_t i = 0; tr_doctor_check_id(i); i++)
        tr_buf_putf(&out, "%-16s %s\n", tr_doctor_check_id(i),
                    tr_doctor_check_what(i));
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code == TR_CLI_EXIT_OK ? EXIT_WELL : EXIT_FAIL;
}

int tr_cli_run_doctor(const struct tr_cli_invocation *invocation)
{
    struct visit *visit = TR_NEW(invocation->arena, struct visit);
    struct tr_doctor_report report;
    struct tr_err err = {0};
    if (tr_cli_invocation_option(invocation, "list"))
        return list();
    if (!visit) {
        (void)tr_fail(&err, TR_E_NOMEM, "no memory for a visit");
        (void)tr_cli_report_error(NULL, &err);
        return EXIT_FAIL;
    }
    if (begin(visit, tr_cli_app_folder(invocation), &err) != TR_OK) {
        (void)tr_cli_report_error(NULL, &err);
        return EXIT_FAIL;
    }
    tr_status status =
        tr_doctor_examine(&visit->patient, invocation->arena, &report, &err);
    int exit_code = EXIT_FAIL;
    if (status == TR_OK)
        exit_code = print(invocation, &report);
    else
        (void)tr_cli_report_error(NULL, &err);
    end(visit);
    return exit_code;
}
