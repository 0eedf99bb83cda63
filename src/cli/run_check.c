#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/app.h"
#include "cli/report.h"
#include "cli/sound.h"
#include "doctor/doctor.h"
#include "json/writer.h"
#include "model/model.h"
#include "schema/lint.h"
#include "server/doctor.h"
#include "server/gate.h"
#include "shacl/shapes.h"

static const char *severity_name(enum tr_schema_severity severity)
{
    return severity == TR_SCHEMA_SEVERITY_ERROR ? "error" : "warning";
}

/* What a capability says of itself, or does not, that its author should know;
 * false when there is no i-th remark. */
static bool get_remark(const struct tr_cap *cap, size_t i, struct tr_buf *out)
{
    tr_buf_clear(out);
    if (cap->guard.where.len)
        tr_buf_putf(out, "%.*s: ", TR_FMT(cap->guard.where));
    if (!cap->side_effects.is_said && i-- == 0) {
        tr_buf_putf(out, "it says nothing of side_effects: in development it "
                         "may write anything, elsewhere nothing");
        return true;
    }
    for (size_t k = 0; k < cap->precondition_count; k++) {
        if (cap->conditions[k].kind == TR_CAP_NEEDS_NOTHING && i-- == 0) {
            tr_buf_putf(out, "the precondition '%.*s' is not enforced",
                        TR_FMT(cap->preconditions[k].kind));
            return true;
        }
    }
    return false;
}

static void put_json_remarks(struct tr_json_writer *w, const struct tr_cap *cap)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf text;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    for (size_t i = 0; get_remark(cap, i, &text); i++) {
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "capability", cap->id);
        tr_jw_put_string(w, "severity", TR_STR("warning"));
        tr_jw_put_string(w, "path", TR_STR(""));
        tr_jw_put_string(w, "message", tr_buf_str(&text));
        tr_jw_close(w, '}');
    }
}

static void put_line(struct tr_buf *out, const char *begins, tr_str text)
{
    size_t start = out->len;
    tr_buf_put(out, tr_str_from(begins));
    tr_buf_put(out, text);
    tr_cli_report_put_line(out, start);
}

static void put_remarks(struct tr_buf *out, const struct tr_cap *cap)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf text;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    for (size_t i = 0; get_remark(cap, i, &text); i++)
        put_line(out, "    warning: ", tr_buf_str(&text));
}

static void put_json_findings(struct tr_json_writer *w,
                              const struct tr_cap *cap)
{
    for (size_t i = 0; i < cap->finding_count; i++) {
        const struct tr_schema_finding *finding = &cap->findings[i];
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "capability", cap->id);
        tr_jw_put_string(w, "severity",
                         tr_str_from(severity_name(finding->severity)));
        tr_jw_put_string(w, "path", finding->path);
        tr_jw_put_string(w, "message", finding->message);
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

/* Counts what the app has declared, without what is built in. */
static tr_cap_counts count_own(const struct tr_cap_snapshot *snapshot)
{
    tr_cap_counts has = tr_cap_snapshot_counts(snapshot);
    size_t resources = has.resources;
    size_t templates = has.templates;
    for (size_t i = 0; i < resources; i++)
        has.resources -=
            tr_cap_snapshot_resource(snapshot, i)->about.is_built_in;
    for (size_t i = 0; i < templates; i++)
        has.templates -=
            tr_cap_snapshot_template(snapshot, i)->about.is_built_in;
    return has;
}

/* Settings that are valid, but may not be meant, what hosts will say, and a
 * store that will be refused. */
struct warnings {
    struct tr_server_unsafe items[TR_SERVER_UNSAFE_MAX +
                                  TR_DOCTOR_COMPLAINTS_MAX + 2 +
                                  TR_LIMIT_QUERY_SCANS];
    size_t count;
    struct tr_err store; /* these have the texts of two of them */
    struct tr_err published;
};

/* Of a field that the app still has, and has no index for. */
static bool is_still_slow(const struct tr_model *model,
                          const struct tr_query_scan *scan)
{
    const struct tr_model_type *type =
        tr_model_find(model, tr_str_from(scan->type));
    const struct tr_field *field =
        type ? tr_shape_find(type->shape, tr_str_from(scan->field)) : NULL;
    return field && field->index != TR_FIELD_INDEX_VALUE;
}

/* A store that cannot be read says so when it is opened. */
static void find_slow(const struct tr_server_app *app,
                      const struct tr_model *model, struct tr_arena *arena,
                      struct warnings *out)
{
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    size_t count = 0;
    if (tr_server_slow_read(app, found, &count, NULL) != TR_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        const struct tr_query_scan *scan = &found[i];
        char text[TR_LIMIT_MESSAGE_BYTES];
        struct tr_buf line;
        tr_str says;
        tr_buf_init_fixed(&line, text, sizeof(text));
        tr_buf_putf(&line,
                    "%llu queries by %s.%s have looked at %llu nodes: "
                    "declare index = true for the field",
                    (unsigned long long)scan->times, scan->type, scan->field,
                    (unsigned long long)scan->looked);
        if (is_still_slow(model, scan) &&
            tr_arena_copy(arena, tr_buf_str(&line), &says))
            out->items[out->count++] =
                (struct tr_server_unsafe){"queries.slow", says.ptr, NULL};
    }
}

static void find_complaints(const struct tr_config *config,
                            const struct tr_cap_snapshot *snapshot,
                            struct warnings *out)
{
    struct tr_doctor_complaint found[TR_DOCTOR_COMPLAINTS_MAX];
    size_t count = tr_doctor_hosts_complain(config, snapshot, found);
    for (size_t i = 0; i < count; i++)
        out->items[out->count++] =
            (struct tr_server_unsafe){found[i].id, found[i].message, NULL};
}

static void find_warnings(const struct tr_server_app *app,
                          const struct tr_cap_snapshot *snapshot,
                          struct tr_arena *arena, struct warnings *out)
{
    out->count = tr_server_unsafe_find(app, snapshot, arena, out->items);
    find_complaints(app->config, snapshot, out);
    if (tr_server_app_check_store(app, &out->store) == TR_E_CONFLICT)
        out->items[out->count++] =
            (struct tr_server_unsafe){"store.name", out->store.msg, NULL};
    if (tr_server_app_check_published(app, snapshot, &out->published) ==
        TR_E_CONFLICT)
        out->items[out->count++] = (struct tr_server_unsafe){
            "version.content", out->published.msg, NULL};
    find_slow(app, tr_cap_snapshot_model(snapshot), arena, out);
}

static void put_warning(struct tr_json_writer *w, tr_str id, tr_str message)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "id", id);
    tr_jw_put_string(w, "message", message);
    tr_jw_close(w, '}');
}

/* Of the app's shapes: what nobody checks. */
static void put_json_unknown(void *context, tr_str words)
{
    put_warning(context, TR_STR("shapes.unknown_term"), words);
}

static void put_unknown(void *context, tr_str words)
{
    put_line(context, "warning: ", words);
}

static tr_status put_warnings(struct tr_json_writer *w,
                              const struct tr_model *model,
                              const struct warnings *warnings,
                              struct tr_err *err)
{
    const struct tr_shacl_unknown_sink sink = {put_json_unknown, w};
    tr_jw_key(w, "warnings");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < warnings->count; i++)
        put_warning(w, tr_str_from(warnings->items[i].id),
                    tr_str_from(warnings->items[i].message));
    TR_TRY(tr_shacl_each_unknown(model->source, &sink, err));
    tr_jw_close(w, ']');
    return TR_OK;
}

/* As trails://doctor has them. */
static void put_json_store(struct tr_json_writer *w,
                           const struct tr_cli_sound *sound)
{
    tr_jw_key(w, "store");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < sound->items.count; i++)
        tr_audit_finding_write(w, &sound->items.items[i]);
    tr_jw_close(w, ']');
}

/* What there is to say: one value for those who say it. */
struct said {
    const struct tr_cap_snapshot *snapshot;
    struct warnings warnings;
    struct tr_cli_sound sound;
    bool is_whole; /* all of the store was to be looked at */
};

static tr_status put_json(struct tr_buf *out, const struct said *said,
                          struct tr_err *err)
{
    const struct tr_cap_snapshot *snapshot = said->snapshot;
    tr_cap_counts has = count_own(snapshot);
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "capabilities");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < has.caps; i++)
        tr_jw_string(&w, tr_cap_snapshot_cap(snapshot, i)->id);
    tr_jw_close(&w, ']');
    put_types(&w, tr_cap_snapshot_model(snapshot));
    tr_jw_put_i64(&w, "resources", (int64_t)has.resources);
    tr_jw_put_i64(&w, "resource_templates", (int64_t)has.templates);
    tr_jw_put_i64(&w, "prompts", (int64_t)has.prompts);
    tr_jw_key(&w, "findings");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < has.caps; i++)
        put_json_findings(&w, tr_cap_snapshot_cap(snapshot, i));
    for (size_t i = 0; i < has.caps; i++)
        put_json_remarks(&w, tr_cap_snapshot_cap(snapshot, i));
    tr_jw_close(&w, ']');
    TR_TRY(put_warnings(&w, tr_cap_snapshot_model(snapshot), &said->warnings,
                        err));
    put_json_store(&w, &said->sound);
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
    return tr_jw_finish(&w, err);
}

static void put_cap(struct tr_buf *out, const struct tr_cap *cap)
{
    size_t start = out->len;
    tr_buf_putf(out, "%-28.*s %.*s", TR_FMT(cap->id), TR_FMT(cap->description));
    tr_cli_report_put_line(out, start);
    for (size_t i = 0; i < cap->finding_count; i++) {
        start = out->len;
        tr_buf_putf(out, "    %s: ", severity_name(cap->findings[i].severity));
        tr_schema_finding_put(out, &cap->findings[i]);
        tr_cli_report_put_line(out, start);
    }
    put_remarks(out, cap);
}

/* Of a store that is well, only who has asked for all of it is told. */
static void put_store(struct tr_buf *out, const struct tr_cli_sound *sound,
                      bool is_whole)
{
    for (size_t i = 0; i < sound->items.count; i++) {
        const struct tr_audit_finding *finding = &sound->items.items[i];
        size_t start = out->len;
        if (finding->health == TR_AUDIT_WELL && !is_whole)
            continue;
        tr_buf_putf(out, "%s%.*s%s%.*s",
                    finding->health == TR_AUDIT_FAIL   ? "error: "
                    : finding->health == TR_AUDIT_WARN ? "warning: "
                                                       : "",
                    TR_FMT(finding->message), finding->fix.len ? ": " : "",
                    TR_FMT(finding->fix));
        tr_cli_report_put_line(out, start);
    }
}

static tr_status put_text(struct tr_buf *out, const struct said *said,
                          struct tr_err *err)
{
    const struct tr_shacl_unknown_sink sink = {put_unknown, out};
    const struct tr_model *model = tr_cap_snapshot_model(said->snapshot);
    const struct warnings *warnings = &said->warnings;
    tr_cap_counts has = count_own(said->snapshot);
    for (size_t i = 0; i < has.caps; i++)
        put_cap(out, tr_cap_snapshot_cap(said->snapshot, i));
    for (size_t i = 0; i < warnings->count; i++)
        put_line(out, "warning: ", tr_str_from(warnings->items[i].message));
    TR_TRY(tr_shacl_each_unknown(model->source, &sink, err));
    put_store(out, &said->sound, said->is_whole);
    if (!said->sound.has_failed)
        tr_buf_putf(out,
                    "ok: %zu capabilities, %zu resources, %zu templates, "
                    "%zu prompts, %zu types\n",
                    has.caps, has.resources, has.templates, has.prompts,
                    model->count);
    return TR_OK;
}

static int print(const struct tr_cli_invocation *invocation,
                 const struct said *said)
{
    struct tr_buf out;
    struct tr_err err;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_status status = tr_cli_invocation_option(invocation, "json")
                           ? put_json(&out, said, &err)
                           : put_text(&out, said, &err);
    int exit_code = status == TR_OK ? tr_cli_report_output(&out)
                                    : tr_cli_report_error(NULL, &err);
    tr_buf_done(&out);
    return exit_code == 0 && said->sound.has_failed ? TR_CLI_EXIT_FAILED
                                                    : exit_code;
}

static int check(const struct tr_cli_invocation *invocation,
                 const struct tr_server_app *app,
                 const struct tr_cap_snapshot *snapshot)
{
    struct said said = {.snapshot = snapshot,
                        .is_whole =
                            tr_cli_invocation_option(invocation, "store")};
    const struct tr_cli_sound_asked asked = {
        .app = app,
        .arena = invocation->arena,
        .is_whole = said.is_whole,
    };
    struct tr_err err = {0};
    find_warnings(app, snapshot, invocation->arena, &said.warnings);
    return tr_cli_sound_find(&asked, &said.sound, &err) == TR_OK
               ? print(invocation, &said)
               : tr_cli_report_error(NULL, &err);
}

int tr_cli_run_check(const struct tr_cli_invocation *invocation)
{
    return tr_cli_app_look(invocation, check);
}
