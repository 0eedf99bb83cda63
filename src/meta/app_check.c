/*
 * Whether the app loads, with some texts in place of its files: it is loaded as
 * a snapshot that nobody else sees, which then goes.
 */
#include "base/ascii.h"
#include "base/file.h"
#include "base/limits.h"
#include "cap/snapshot.h"
#include "gen/path.h"
#include "meta/inside.h"
#include "model/model.h"
#include "schema/lint.h"

struct checking {
    struct tr_meta_job *job;
    struct tr_file_text texts[TR_LIMIT_META_FILES];
    size_t count;
    struct tr_field_errors errors; /* of the arguments */
};

/* Cuts "<digits>:" off; false, and nothing cut, when it is none. */
static bool cut_number(tr_str *said, uint32_t *out)
{
    uint32_t number = 0;
    size_t i = 0;
    while (i < said->len && i < 9 && tr_ascii_is_digit(said->ptr[i]))
        number = number * 10 + (uint32_t)(said->ptr[i++] - '0');
    if (i == 0 || i == said->len || said->ptr[i] != ':')
        return false;
    *out = number;
    *said = tr_str_skip(*said, i + 1);
    return true;
}

/* Where "app.lua:7: ..." or "trails.toml:3:7: ..." says it is. */
static void put_place(struct tr_json_writer *w, tr_str *said)
{
    tr_str file;
    tr_str rest;
    uint32_t line = 0;
    uint32_t column = 0;
    if (!tr_str_cut(*said, ':', &file, &rest) || !file.len ||
        !cut_number(&rest, &line))
        return;
    tr_jw_put_string(w, "file", file);
    tr_jw_put_i64(w, "line", (int64_t)line);
    if (cut_number(&rest, &column))
        tr_jw_put_i64(w, "column", (int64_t)column);
    while (rest.len && rest.ptr[0] == ' ')
        rest = tr_str_skip(rest, 1);
    *said = rest;
}

/* Paths are told from the app's folder, as callers give them. */
static tr_str from_folder(tr_str said, const char *folder)
{
    tr_str start = tr_str_from(folder);
    while (start.len && start.ptr[start.len - 1] == '/')
        start.len--;
    return tr_str_starts(said, start) && said.len > start.len &&
                   said.ptr[start.len] == '/'
               ? tr_str_skip(said, start.len + 1)
               : said;
}

void tr_meta_put_finding(struct tr_json_writer *w, const char *folder,
                         const char *severity, tr_str said)
{
    said = from_folder(said, folder);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "severity", tr_str_from(severity));
    put_place(w, &said);
    tr_jw_put_string(w, "message", said);
    tr_jw_close(w, '}');
}

/* What clients refuse, or hosts, in a capability that loads. */
static void put_lint(struct checking *c, const struct tr_cap *cap,
                     const struct tr_schema_finding *finding)
{
    char text[2 * TR_LIMIT_ERROR_TEXT];
    struct tr_buf said;
    tr_buf_init_fixed(&said, text, sizeof(text));
    if (cap->guard.where.len)
        tr_buf_putf(&said, "%.*s: ", TR_FMT(cap->guard.where));
    tr_buf_putf(&said, "%.*s: ", TR_FMT(cap->id));
    tr_schema_finding_put(&said, finding);
    tr_meta_put_finding(
        &c->job->writer, c->job->outside->folder,
        finding->severity == TR_SCHEMA_SEVERITY_ERROR ? "error" : "warning",
        tr_buf_str(&said));
}

static void put_counts(struct checking *c,
                       const struct tr_cap_snapshot *snapshot)
{
    struct tr_json_writer *w = &c->job->writer;
    tr_cap_counts counts = tr_cap_snapshot_counts(snapshot);
    size_t resources = 0;
    size_t templates = 0;
    for (size_t i = 0; i < counts.resources; i++)
        resources += !tr_cap_snapshot_resource(snapshot, i)->about.is_built_in;
    for (size_t i = 0; i < counts.templates; i++)
        templates += !tr_cap_snapshot_template(snapshot, i)->about.is_built_in;
    tr_jw_put_i64(w, "types", (int64_t)tr_cap_snapshot_model(snapshot)->count);
    tr_jw_put_i64(w, "capabilities", (int64_t)counts.caps);
    tr_jw_put_i64(w, "resources", (int64_t)resources);
    tr_jw_put_i64(w, "resource_templates", (int64_t)templates);
    tr_jw_put_i64(w, "prompts", (int64_t)counts.prompts);
}

static void put_loaded(struct checking *c,
                       const struct tr_cap_snapshot *snapshot)
{
    struct tr_json_writer *w = &c->job->writer;
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        for (size_t k = 0; k < cap->finding_count; k++)
            put_lint(c, cap, &cap->findings[k]);
    }
    tr_jw_close(w, ']');
    put_counts(c, snapshot);
}

static tr_status check(struct checking *c, struct tr_err *err)
{
    const struct tr_meta_outside *outside = c->job->outside;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_json_writer *w = &c->job->writer;
    struct tr_err why = {0};
    tr_status status =
        outside->try_files(outside, c->texts, c->count, &snapshot, &why);
    if (status == TR_E_NOMEM)
        return tr_fail(err, status, "no memory to load the app");
    tr_jw_open(w, '{');
    tr_jw_put_bool(w, "ok", status == TR_OK);
    tr_jw_key(w, "findings");
    tr_jw_open(w, '[');
    if (status == TR_OK) {
        put_loaded(c, snapshot);
    } else {
        tr_meta_put_finding(w, outside->folder, "error", tr_str_from(why.msg));
        tr_jw_close(w, ']');
    }
    tr_jw_close(w, '}');
    tr_cap_snapshot_unpin(snapshot);
    return tr_jw_finish(w, err);
}

/* What is wrong with an argument. */
static tr_status refuse(struct checking *c, const char *field, const char *says,
                        struct tr_err *err)
{
    const struct tr_field_error error = {.field = tr_str_from(field),
                                         .code = TR_STR("invalid")};
    return tr_field_errors_say(&c->job->arena, &c->errors, &error, says, NULL)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for an answer");
}

static tr_status add_text(struct checking *c, const char *field,
                          const struct tr_json *path,
                          const struct tr_json *text, struct tr_err *err)
{
    tr_str name = path ? tr_json_text(path) : TR_STR("app.lua");
    const char *why = tr_gen_path_refuse(name);
    if (why)
        return refuse(c, field, why, err);
    if (!tr_json_is(text, TR_JSON_STRING))
        return refuse(c, field, "has no text", err);
    if (c->count == TR_LEN(c->texts))
        return refuse(c, field, "is one file too many", err);
    c->texts[c->count++] = (struct tr_file_text){name, tr_json_text(text)};
    return TR_OK;
}

static tr_status add_files(struct checking *c, const struct tr_json *files,
                           struct tr_err *err)
{
    if (files->kind != TR_JSON_ARRAY)
        return refuse(c, "files", "must be an array of {path, text}", err);
    for (size_t i = 0; i < files->len && i <= TR_LEN(c->texts); i++) {
        const struct tr_json *file = &files->as.items[i];
        char field[32];
        (void)snprintf(field, sizeof(field), "files[%zu]", i);
        TR_TRY(add_text(c, field, tr_json_find(file, TR_STR("path")),
                        tr_json_find(file, TR_STR("text")), err));
    }
    return TR_OK;
}

tr_status tr_meta_app_check(struct tr_meta_job *job, struct tr_err *err)
{
    struct checking c = {.job = job};
    const struct tr_json *files = tr_json_find(job->args, TR_STR("files"));
    const struct tr_json *text = tr_json_find(job->args, TR_STR("text"));
    const struct tr_json *path = tr_json_find(job->args, TR_STR("path"));
    if (text || path)
        TR_TRY(add_text(&c, path ? "path" : "text", path, text, err));
    if (files)
        TR_TRY(add_files(&c, files, err));
    if (!c.errors.count)
        return check(&c, err);
    tr_jw_open(&job->writer, '{');
    tr_jw_key(&job->writer, "fields");
    tr_field_errors_write(&job->writer, &c.errors);
    tr_jw_close(&job->writer, '}');
    return tr_field_errors_verdict(&c.errors, err);
}
