/* What hosts make of the tools, and whether those are what they were. */
#include "base/file.h"
#include "base/limits.h"
#include "cap/snapshot.h"
#include "config/config.h"
#include "doctor/inside.h"
#include "json/reader.h"
#include "model/model.h"
#include "project/mcp_tool.h"
#include "schema/lint.h"
#include "shacl/shapes.h"

#include <unistd.h>

/* A sink cannot fail: what it could not tell is told afterwards. */
struct unknown {
    struct tr_doctor_exam *exam;
    tr_status status;
    struct tr_err *err;
};

static void tell_unknown(void *context, tr_str words)
{
    struct unknown *unknown = context;
    if (unknown->status == TR_OK)
        unknown->status = tr_doctor_tell(
            unknown->exam, TR_AUDIT_WARN, words,
            TR_STR("write what was meant, or take it out of the shapes"),
            unknown->err);
}

/* A shape that is not well-formed keeps an app from loading; what nobody checks
 * does not, and its author should know. */
tr_status tr_doctor_check_shapes(struct tr_doctor_exam *exam,
                                 struct tr_err *err)
{
    const struct tr_doctor_patient *patient = exam->patient;
    size_t before = exam->report->count;
    struct unknown unknown = {exam, TR_OK, err};
    const struct tr_shacl_unknown_sink sink = {tell_unknown, &unknown};
    if (patient->scopes & TR_SCOPE_BUILDER)
        TR_TRY(tr_shacl_each_unknown(
            tr_cap_snapshot_model(patient->snapshot)->source, &sink, err));
    if (unknown.status != TR_OK || exam->report->count > before)
        return unknown.status;
    return tr_doctor_tellf(exam, TR_AUDIT_WELL, "", err,
                           "%zu node types and %zu shapes are in force",
                           patient->model->count,
                           patient->model->shapes->count);
}

static tr_status tell_finding(struct tr_doctor_exam *exam,
                              const struct tr_cap *cap,
                              const struct tr_schema_finding *finding,
                              struct tr_err *err)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    tr_buf_init_fixed(&message, text, sizeof(text));
    tr_buf_putf(&message, "%.*s: ", TR_FMT(cap->id));
    tr_schema_finding_put(&message, finding);
    return tr_doctor_tell(exam, TR_AUDIT_WARN, tr_buf_str(&message),
                          tr_str_from(finding->fix), err);
}

/* Tells what some clients are known to refuse, as it was found when the app was
 * registered. */
static tr_status tell_refused(struct tr_doctor_exam *exam, bool of_names,
                              struct tr_err *err)
{
    const struct tr_cap_snapshot *snapshot = exam->patient->snapshot;
    size_t count = tr_cap_snapshot_counts(snapshot).caps;
    for (size_t i = 0; i < count; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        if (!tr_cap_guard_is_shown(&cap->guard, exam->patient->scopes))
            continue;
        for (size_t k = 0; k < cap->finding_count; k++) {
            if (cap->findings[k].is_name == of_names)
                TR_TRY(tell_finding(exam, cap, &cap->findings[k], err));
        }
    }
    return TR_OK;
}

tr_status tr_doctor_check_names(struct tr_doctor_exam *exam, struct tr_err *err)
{
    return tell_refused(exam, true, err);
}

tr_status tr_doctor_check_schemas(struct tr_doctor_exam *exam,
                                  struct tr_err *err)
{
    return tell_refused(exam, false, err);
}

tr_status tr_doctor_check_hosts(struct tr_doctor_exam *exam, struct tr_err *err)
{
    const struct tr_config *config = exam->patient->outside->config;
    struct tr_doctor_complaint found[TR_DOCTOR_COMPLAINTS_MAX];
    size_t count =
        tr_doctor_hosts_complain(config, exam->patient->snapshot, found);
    for (size_t i = 0; i < count; i++)
        TR_TRY(tr_doctor_tell(
            exam, TR_AUDIT_WARN, tr_str_from(found[i].message),
            TR_STR("trails.toml: [mcp] annotations = false"), err));
    return TR_OK;
}

/* Golden files. ------------------------------------------------------------*/

/* A tool, and the file that says what it was. */
struct golden {
    const struct tr_cap *cap;
    const struct tr_json *kept; /* what the file has */
    struct tr_arena *arena;     /* of one tool */
    struct tr_buf text;         /* of what is compared */
    struct tr_buf other;
};

static tr_status write_canonical(struct tr_buf *out,
                                 const struct tr_json *value,
                                 struct tr_err *err)
{
    struct tr_json_writer w;
    tr_buf_clear(out);
    tr_jw_init(&w, out);
    if (value)
        tr_jw_canonical(&w, value);
    return value ? tr_jw_finish(&w, err) : TR_OK;
}

/* Whether all that the file has is so in this form of the tool; a file may have
 * less. */
static tr_status is_same(struct golden *g, struct tr_project_mcp_form form,
                         bool *out, struct tr_err *err)
{
    const struct tr_json *tool = NULL;
    struct tr_json_writer w;
    tr_buf_clear(&g->text);
    tr_jw_init(&w, &g->text);
    tr_project_tool(&w, g->cap, form);
    TR_TRY(tr_jw_finish(&w, err));
    tr_str copy;
    if (!tr_arena_copy(g->arena, tr_buf_str(&g->text), &copy))
        return tr_fail(err, TR_E_NOMEM, "no memory for a tool");
    TR_TRY(tr_json_read(g->arena, copy, NULL, &tool, err));
    *out = tr_json_is(g->kept, TR_JSON_OBJECT);
    for (size_t i = 0; *out && i < g->kept->len; i++) {
        const struct tr_json_member *member = &g->kept->as.members[i];
        TR_TRY(write_canonical(&g->text, &member->value, err));
        TR_TRY(write_canonical(
            &g->other, tr_json_find(tool, tr_json_text(&member->key)), err));
        *out = tr_str_eq(tr_buf_str(&g->text), tr_buf_str(&g->other));
    }
    return TR_OK;
}

/* Where the manifest is has nothing to do with the tool: files may have it. */
static tr_status is_same_in(struct golden *g, struct tr_project_mcp_form form,
                            bool *out, struct tr_err *err)
{
    TR_TRY(is_same(g, form, out, err));
    if (*out || !form.manifest)
        return TR_OK;
    form.manifest = false;
    return is_same(g, form, out, err);
}

static tr_status compare(struct tr_doctor_exam *exam, struct golden *g,
                         const char *path, struct tr_err *err)
{
    const struct tr_doctor_outside *outside = exam->patient->outside;
    bool same = false;
    for (size_t i = outside->form_count; !same && i > 0; i--)
        TR_TRY(is_same_in(g, outside->forms[i - 1].form, &same, err));
    if (same)
        return TR_OK;
    return tr_doctor_tellf(
        exam, TR_AUDIT_WARN,
        "when agents may see the change, write the file anew; else take it "
        "back",
        err, "%.*s is not what %s says", TR_FMT(g->cap->id), path);
}

/* A tool without a file is new, or nobody keeps it. */
static tr_status compare_file(struct tr_doctor_exam *exam,
                              const struct tr_cap *cap, size_t *compared,
                              struct tr_err *err)
{
    char path[TR_LIMIT_PATH_BYTES];
    struct tr_arena arena;
    struct golden g = {.cap = cap, .arena = &arena};
    tr_str text;
    (void)snprintf(path, sizeof(path), "%s/fixtures/mcp_schemas/%.*s.json",
                   exam->patient->outside->folder, TR_FMT(cap->name));
    if (access(path, F_OK) != 0)
        return TR_OK;
    ++*compared;
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    tr_buf_init(&g.text, TR_LIMIT_MESSAGE);
    tr_buf_init(&g.other, TR_LIMIT_MESSAGE);
    tr_status status =
        tr_file_read(&arena, path, TR_LIMIT_SCHEMA_BYTES, &text, err);
    if (status == TR_OK)
        status = tr_json_read(&arena, text, NULL, &g.kept, err);
    if (status == TR_OK)
        status = compare(exam, &g, path, err);
    tr_buf_done(&g.other);
    tr_buf_done(&g.text);
    tr_arena_done(&arena);
    if (status != TR_OK && err)
        tr_err_prefix(err, "%s", path);
    return status;
}

tr_status tr_doctor_check_snapshots(struct tr_doctor_exam *exam,
                                    struct tr_err *err)
{
    const struct tr_doctor_patient *patient = exam->patient;
    size_t count = tr_cap_snapshot_counts(patient->snapshot).caps;
    size_t before = exam->report->count;
    size_t compared = 0;
    if (!patient->outside->folder)
        return TR_OK;
    for (size_t i = 0; i < count; i++)
        TR_TRY(compare_file(exam, tr_cap_snapshot_cap(patient->snapshot, i),
                            &compared, err));
    if (exam->report->count > before)
        return TR_OK;
    if (!compared)
        return tr_doctor_tell(exam, TR_AUDIT_WELL,
                              TR_STR("the app has no golden files"), TR_STR(""),
                              err);
    return tr_doctor_tellf(exam, TR_AUDIT_WELL, "", err,
                           "%zu tools are what their golden files say",
                           compared);
}
