/*
 * Data of a caller into the store: rows as nodes of a type, or RDF, on the ways
 * that `trails import` goes. All of it lands, with the activity of the call, or
 * nothing does.
 */
#include "base/compiler.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/time.h"
#include "graph/store.h"
#include "meta/inside.h"
#include "prov/writer.h"
#include "table/table.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

struct import {
    struct tr_meta_job *job;
    struct tr_graph_load *load;
    struct tr_table *table;
    struct tr_table_opts rows;
    struct tr_table_file file; /* in memory; -1: none */
    bool is_dry;
    bool is_list;       /* of `rows`: a line is an item */
    struct tr_buf text; /* of them */
    size_t told;        /* mistakes so far */
    struct tr_buf mistakes;
    struct tr_json_writer w; /* to these, an array */
};

/* Mistakes, as the fields of an error. -------------------------------------*/

static void begin_mistakes(struct import *import)
{
    tr_buf_clear(&import->mistakes);
    tr_jw_init(&import->w, &import->mistakes);
    tr_jw_open(&import->w, '[');
    import->told = 0;
}

/* Those so far, as a member of what the job answers. */
static void put_mistakes(struct import *import, const char *key)
{
    struct tr_json_writer *w = &import->job->writer;
    tr_jw_put_raw(w, key, tr_buf_str(&import->mistakes));
    if (import->told > TR_LIMIT_META_TOLD)
        tr_jw_put_i64(w, "left_out",
                      (int64_t)(import->told - TR_LIMIT_META_TOLD));
}

/* Nothing lands: they are the answer. */
static tr_status fail_mistakes(struct import *import, struct tr_err *err)
{
    tr_jw_close(&import->w, ']');
    TR_TRY(tr_jw_finish(&import->w, err));
    tr_meta_job_begin_again(import->job);
    tr_jw_open(&import->job->writer, '{');
    put_mistakes(import, "fields");
    tr_jw_close(&import->job->writer, '}');
    return TR_E_VALIDATION;
}

static void put_mistake(struct import *import, const char *field, tr_str code,
                        tr_place place, tr_str why)
{
    struct tr_json_writer *w = &import->w;
    char message[2 * sizeof(((struct tr_err *)NULL)->msg)];
    struct tr_buf text;
    if (import->told++ >= TR_LIMIT_META_TOLD)
        return;
    tr_buf_init_fixed(&text, message, sizeof(message));
    tr_field_message_put(&text, tr_str_from(field));
    tr_field_message_put(&text, TR_STR(": "));
    tr_field_message_put(&text, why);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "field", tr_str_from(field));
    tr_jw_put_string(w, "code", code);
    tr_jw_put_string(w, "message", tr_buf_str(&text));
    tr_jw_put_null(w, "value");
    tr_jw_put_null(w, "constraint");
    if (place.line && !import->is_list) {
        tr_jw_put_i64(w, "line", (int64_t)place.line);
        tr_jw_put_i64(w, "column", (int64_t)place.column);
    }
    tr_jw_close(w, '}');
}

/* "rows[2]", as JSON counts; "text:3:7". */
static void put_place(const struct import *import, const char *path,
                      tr_place place, char out[64])
{
    const char *name = import->is_list ? "rows" : "text";
    if (path != import->file.path)
        (void)snprintf(out, 64, "%.63s", path); /* the IRI of a node */
    else if (!place.line)
        (void)snprintf(out, 64, "%s", name);
    else if (import->is_list)
        (void)snprintf(out, 64, "rows[%u]", (unsigned)place.line - 1);
    else
        (void)snprintf(out, 64, "text:%u:%u", (unsigned)place.line,
                       (unsigned)place.column);
}

static void tell_row(void *data, const char *path, tr_place place, tr_str why)
{
    struct import *import = data;
    char field[64];
    put_place(import, path, place, field);
    put_mistake(import, field, TR_STR("row"), place, why);
}

static void tell_text(struct import *import, const char *code,
                      const struct tr_err *why)
{
    char field[64];
    put_place(import, import->file.path, why->place, field);
    put_mistake(import, field, tr_str_from(code), why->place,
                tr_str_from(why->msg));
}

/* An argument that does not go with the others. */
TR_PRINTF(3, 4)
static tr_status refuse(struct import *import, const char *argument,
                        const char *format, ...)
{
    char why[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    begin_mistakes(import);
    put_mistake(import, argument, TR_STR("invalid"), (tr_place){0},
                tr_str_from(why));
    return fail_mistakes(import, NULL);
}

/* What lands. --------------------------------------------------------------*/

/* Any number of nodes may change: they are counted, not named. */
static tr_status record(void *data, struct tr_db *db, struct tr_err *err)
{
    struct import *import = data;
    struct tr_prov_activity *activity = &import->job->activity;
    struct tr_prov_writer *writer = NULL;
    tr_time now = tr_time_now();
    TR_TRY(tr_meta_job_check(import->job, err));
    if (!import->job->has_activity)
        return TR_OK;
    TR_TRY(tr_prov_writer_create(&writer, err));
    activity->wrote = true;
    activity->generated.left_out = tr_graph_load_counts(import->load).changed;
    int64_t took =
        now.seconds * 1000000 + now.nanos / 1000 - activity->started_us;
    activity->took_us = took > 0 ? (uint64_t)took : 0;
    tr_status status = tr_prov_write(writer, db, activity, err);
    tr_prov_writer_free(writer);
    return status;
}

static tr_status open_load(struct import *import, tr_str graph,
                           struct tr_err *err)
{
    const struct tr_meta_job *job = import->job;
    const struct tr_graph_load_opts opts = {
        .path = tr_graph_store_path(job->store),
        .model = job->model,
        .project = job->outside->project,
        .graph = graph,
        .max_results = TR_LIMIT_META_TOLD,
        .max_work = TR_LIMIT_META_WORK,
        .is_dry = import->is_dry,
        .landed = record,
        .data = import,
    };
    return tr_graph_load_create(&opts, &import->load, err);
}

/* What the load has refused; with what the caller does not see in the way, no
 * more than that. */
static tr_status refuse_load(struct import *import, const struct tr_err *why,
                             struct tr_err *err)
{
    const struct tr_shacl_validation *validation =
        tr_graph_load_validation(import->load);
    const struct tr_err hidden = {.msg = TR_FIELD_HIDDEN};
    tr_status status = TR_OK;
    begin_mistakes(import);
    if (import->job->face)
        tell_text(import, "hidden", &hidden);
    else if (import->table && validation)
        status = tr_table_tell_refused(import->table, import->load, err);
    else if (validation) {
        const struct tr_shacl_report *report =
            tr_graph_load_report(import->load);
        for (size_t i = 0; i < report->results.count && status == TR_OK; i++) {
            import->told++;
            status = tr_shacl_result_write_field_error(
                &report->results.items[i], validation, &import->w, err);
        }
    } else {
        tell_text(import, "unique", why);
    }
    return status == TR_OK ? fail_mistakes(import, err) : status;
}

/* It has landed, or cannot because of something else than shapes. */
static tr_status end_load(struct import *import, tr_status status,
                          const struct tr_err *why, struct tr_err *err)
{
    if (status == TR_E_INVALID) {
        begin_mistakes(import);
        tell_text(import, "invalid", why);
        return fail_mistakes(import, err);
    }
    if (status != TR_OK) {
        if (err)
            *err = *why;
        return status;
    }
    import->job->is_recorded = import->job->has_activity && !import->is_dry;
    if (!import->is_dry)
        tr_graph_store_raise_generation(import->job->store);
    return TR_OK;
}

/* RDF. ---------------------------------------------------------------------*/

static void put_count(struct import *import, const char *key, uint64_t count)
{
    tr_jw_put_i64(&import->job->writer, key, (int64_t)count);
}

static tr_status write_quads(struct import *import, struct tr_err *err)
{
    struct tr_graph_load_counts counts = tr_graph_load_counts(import->load);
    tr_meta_job_begin_again(import->job);
    tr_jw_open(&import->job->writer, '{');
    put_count(import, "statements", counts.read);
    put_count(import, "added", counts.added);
    put_count(import, "nodes", counts.changed);
    put_count(import, "filled", counts.filled);
    put_count(import, "respelt", counts.respelt);
    tr_jw_put_bool(&import->job->writer, "dry_run", import->is_dry);
    tr_jw_close(&import->job->writer, '}');
    return tr_jw_finish(&import->job->writer, err);
}

static tr_status read_quads(struct import *import, enum tr_rdf_format format,
                            struct tr_err *err)
{
    tr_str text = tr_meta_job_text(import->job, "text");
    const struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
    const struct tr_rdf_sink sink = tr_graph_load_sink(import->load);
    struct tr_err why = {0};
    tr_status status = tr_rdf_read(format, &source, &sink, &why);
    if (status == TR_E_SYNTAX || status == TR_E_INVALID) {
        begin_mistakes(import);
        tell_text(import, "syntax", &why);
        return fail_mistakes(import, err);
    }
    if (status != TR_OK && err)
        *err = why;
    return status;
}

static tr_status import_rdf(struct import *import, enum tr_rdf_format format,
                            struct tr_err *err)
{
    const struct tr_meta_job *job = import->job;
    struct tr_err why = {0};
    if (tr_meta_job_text(job, "type").len)
        return refuse(import, "type", "is for rows, not for RDF");
    if (import->rows.replace || import->rows.skip_bad)
        return refuse(import, import->rows.replace ? "replace" : "skip_bad",
                      "is for rows, not for RDF");
    if (job->face)
        return refuse(import, "format",
                      "RDF is for callers who see every type and field: send "
                      "rows");
    TR_TRY(open_load(import, tr_meta_job_text(job, "graph"), err));
    TR_TRY(read_quads(import, format, err));
    TR_TRY(tr_meta_job_check(import->job, err));
    tr_status status = tr_graph_load_finish(import->load, &why);
    if (status == TR_E_VALIDATION)
        return refuse_load(import, &why, err);
    TR_TRY(end_load(import, status, &why, err));
    return write_quads(import, err);
}

/* Rows. --------------------------------------------------------------------*/

static tr_status find_type(struct import *import, struct tr_err *err)
{
    const struct tr_meta_job *job = import->job;
    const struct tr_model *seen = job->face ? job->face->model : job->model;
    tr_str name = tr_meta_job_text(job, "type");
    struct tr_nearest nearest;
    (void)err;
    if (!name.len)
        return refuse(import, "type", "is needed: rows are nodes of a type");
    import->rows.model = seen;
    import->file.type = tr_model_find(seen, name);
    if (import->file.type)
        return TR_OK;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < seen->count; i++)
        tr_nearest_offer(&nearest, seen->types[i]->name);
    return refuse(import, "type", "there is no type '%.*s'%s%.*s%s",
                  TR_FMT(name), nearest.best.len ? ": did you mean '" : "",
                  TR_FMT(nearest.best), nearest.best.len ? "'?" : "");
}

/* An item on each line, so that lines lead back to items. */
static tr_status write_lines(struct import *import, const struct tr_json *rows,
                             struct tr_err *err)
{
    for (size_t i = 0; i < rows->len; i++) {
        struct tr_json_writer w;
        tr_jw_init(&w, &import->text);
        tr_jw_value(&w, &rows->as.items[i]);
        TR_TRY(tr_jw_finish(&w, err));
        tr_buf_putc(&import->text, '\n');
    }
    return tr_buf_check(&import->text, err);
}

/* What is read several times has to be a file. */
static tr_status open_text(struct import *import, tr_str text,
                           struct tr_err *err)
{
    import->file.fd = memfd_create("import", MFD_CLOEXEC);
    if (import->file.fd < 0)
        return tr_fail(err, TR_E_IO, "no memory for the rows");
    return tr_file_write_all(import->file.fd, NULL, text, err);
}

static tr_status open_rows(struct import *import, struct tr_err *err)
{
    struct tr_graph_store *store = import->job->store;
    import->rows.store = tr_graph_store_path(store);
    import->rows.files = &import->file;
    import->rows.count = 1;
    import->rows.told = tell_row;
    import->rows.data = import;
    TR_TRY(tr_graph_store_reader(store, &import->rows.reader, err));
    TR_TRY(tr_graph_store_reader(store, &import->rows.changes, err));
    return tr_table_create(&import->rows, &import->table, err);
}

static tr_status write_rows(struct import *import, struct tr_err *err)
{
    struct tr_table_counts counts = tr_table_counts(import->table);
    struct tr_json_writer *w = &import->job->writer;
    tr_meta_job_begin_again(import->job);
    tr_jw_open(w, '{');
    put_count(import, "rows", counts.rows);
    put_count(import, "created", counts.created);
    put_count(import, "changed", counts.changed);
    put_count(import, "same", counts.same);
    put_count(import, "bad", counts.bad);
    if (import->told) { /* of rows that are left out */
        tr_jw_close(&import->w, ']');
        put_mistakes(import, "mistakes");
    }
    tr_jw_put_bool(w, "dry_run", import->is_dry);
    tr_jw_close(w, '}');
    return tr_jw_finish(w, err);
}

static tr_status check_rows(struct import *import, struct tr_err *err)
{
    begin_mistakes(import);
    tr_status status = tr_table_check(import->table, err);
    return status == TR_E_VALIDATION ? fail_mistakes(import, err) : status;
}

/* False when none of the rows is to blame, or bad ones are not left out; what
 * is hidden is told to nobody, so then nothing is. */
static tr_status leave_out(struct import *import, bool *more,
                           struct tr_err *err)
{
    *more = false;
    if (!import->rows.skip_bad || import->job->face)
        return TR_OK;
    return tr_table_leave_out(import->table, import->load, more, err);
}

/* Each time more rows are bad, so that it comes to an end. */
static tr_status load_good(struct import *import, struct tr_err *err)
{
    bool more = true;
    tr_status status = TR_OK;
    while (more) {
        struct tr_err why = {0};
        TR_TRY(tr_meta_job_check(import->job, err));
        tr_graph_load_free(import->load);
        import->load = NULL;
        TR_TRY(open_load(import, TR_STR(""), err));
        TR_TRY(tr_table_write(import->table, import->load, err));
        status = tr_graph_load_finish(import->load, &why);
        if (status != TR_E_VALIDATION)
            return end_load(import, status, &why, err);
        TR_TRY(leave_out(import, &more, err));
        if (!more)
            return refuse_load(import, &why, err);
    }
    return status;
}

static tr_status load_rows(struct import *import, struct tr_err *err)
{
    TR_TRY(open_rows(import, err));
    TR_TRY(check_rows(import, err));
    TR_TRY(load_good(import, err));
    return write_rows(import, err);
}

static tr_status import_rows(struct import *import, enum tr_table_format format,
                             tr_str text, struct tr_err *err)
{
    if (tr_meta_job_text(import->job, "graph").len)
        return refuse(import, "graph", "is for RDF: rows have no graph");
    import->file.format = format;
    TR_TRY(find_type(import, err));
    TR_TRY(open_text(import, text, err));
    return load_rows(import, err);
}

/* Which of them. -----------------------------------------------------------*/

static tr_status import_list(struct import *import, const struct tr_json *rows,
                             struct tr_err *err)
{
    import->is_list = true;
    if (rows->kind != TR_JSON_ARRAY)
        return refuse(import, "rows", "is an array of objects");
    if (tr_json_find(import->job->args, TR_STR("format")))
        return refuse(import, "format",
                      "is for `text`: rows are what they are");
    TR_TRY(write_lines(import, rows, err));
    return import_rows(import, TR_TABLE_NDJSON, tr_buf_str(&import->text), err);
}

static tr_status import_text(struct import *import, tr_str text,
                             struct tr_err *err)
{
    tr_str name = tr_meta_job_text(import->job, "format");
    enum tr_table_format rows;
    enum tr_rdf_format rdf;
    if (!name.len)
        return refuse(import, "format", "is needed: it says what `text` is");
    if (text.len > TR_LIMIT_META_TEXT)
        return refuse(import, "text", "has at most %zu bytes: send it in parts",
                      TR_LIMIT_META_TEXT);
    if (tr_table_format_find(name, &rows))
        return import_rows(import, rows, text, err);
    if (tr_rdf_format_find(name, &rdf))
        return import_rdf(import, rdf, err);
    return refuse(import, "format", "is none that is known");
}

static void release(struct import *import)
{
    tr_graph_load_free(import->load);
    tr_table_free(import->table);
    tr_graph_reader_free(import->rows.reader);
    tr_graph_reader_free(import->rows.changes);
    if (import->file.fd >= 0)
        (void)close(import->file.fd);
    tr_buf_done(&import->text);
    tr_buf_done(&import->mistakes);
}

tr_status tr_meta_data_import(struct tr_meta_job *job, struct tr_err *err)
{
    const struct tr_json *rows = tr_json_find(job->args, TR_STR("rows"));
    const struct tr_json *text = tr_json_find(job->args, TR_STR("text"));
    struct import import = {
        .job = job,
        .file = {.path = "import", .fd = -1},
        .rows = {.replace = tr_meta_job_flag(job, "replace"),
                 .skip_bad = tr_meta_job_flag(job, "skip_bad")},
        .is_dry = tr_meta_job_flag(job, "dry_run"),
    };
    tr_status status;
    if (!job->store || !job->model)
        return tr_fail(err, TR_E_UNSUPPORTED, "there is no store");
    tr_buf_init(&import.text, TR_LIMIT_META_TEXT);
    tr_buf_init(&import.mistakes, TR_LIMIT_MESSAGE);
    if (!rows == !text)
        status = refuse(&import, "rows", "give `rows` or `text`, one of them");
    else if (rows)
        status = import_list(&import, rows, err);
    else
        status = import_text(&import, tr_json_text(text), err);
    release(&import);
    return status;
}
