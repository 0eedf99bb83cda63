#include "cli/rows.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "table/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Results of a refused import that are shown; those that are known at a time of
 * one that leaves out what is refused. */
enum { SHOWN = 100, LEFT_OUT = 10000 };

const struct tr_model_type *tr_cli_rows_type(const struct tr_model *model,
                                             tr_str name)
{
    const struct tr_model_type *type = tr_model_find(model, name);
    struct tr_nearest nearest;
    if (type)
        return type;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < model->count; i++)
        tr_nearest_offer(&nearest, model->types[i]->name);
    (void)tr_cli_report_usage("there is no type '%.*s'%s%.*s%s", TR_FMT(name),
                              nearest.best.len ? ": did you mean '" : "",
                              TR_FMT(nearest.best),
                              nearest.best.len ? "'?" : "");
    return NULL;
}

/* A pipe cannot be read twice. */
static int copy_to_file(int from)
{
    char room[65536];
    FILE *copy = tmpfile();
    int fd = copy ? dup(fileno(copy)) : -1;
    ssize_t count = 1;
    if (copy)
        (void)fclose(copy);
    while (fd >= 0 && count > 0) {
        count = read(from, room, sizeof(room));
        if (count < 0 && errno == EINTR) {
            count = 1;
            continue;
        }
        tr_str text = {room, count > 0 ? (size_t)count : 0};
        if (count < 0 || tr_file_write_all(fd, NULL, text, NULL) != TR_OK) {
            (void)close(fd);
            return -1;
        }
    }
    return fd;
}

static int open_file(const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    int fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || (!is_input && lseek(fd, 0, SEEK_SET) == 0))
        return fd;
    int copy = copy_to_file(fd);
    if (!is_input)
        (void)close(fd);
    return copy;
}

bool tr_cli_rows_add(struct tr_cli_rows *rows, const char *path,
                     enum tr_table_format format,
                     const struct tr_model_type *type)
{
    struct tr_err err;
    if (rows->file_count == TR_LEN(rows->files)) {
        (void)tr_cli_report_usage("more than %d files", TR_CLI_ROWS_FILES);
        return false;
    }
    int fd = open_file(path);
    if (fd < 0) {
        (void)tr_fail(&err, TR_E_IO, "cannot open it: %s", strerror(errno));
        (void)tr_cli_report_error(path, &err);
        return false;
    }
    rows->files[rows->file_count++] = (struct tr_table_file){
        .path = path, .fd = fd, .format = format, .type = type};
    return true;
}

static void hide_progress(const struct tr_cli_rows *rows)
{
    if (rows->shows)
        tr_cli_progress_hide();
}

static void show_progress(void *data, uint64_t done, uint64_t total)
{
    const struct tr_cli_rows *rows = data;
    if (rows->shows)
        tr_cli_progress_show(done, total, "bytes");
}

static void show_mistake(void *data, const char *path, tr_place place,
                         tr_str why)
{
    struct tr_buf line;
    hide_progress(data);
    tr_buf_init(&line, TR_LIMIT_CLI_OUTPUT);
    tr_buf_putf(&line, "%s:", path);
    if (place.line)
        tr_buf_putf(&line, "%u:%u:", (unsigned)place.line,
                    (unsigned)place.column);
    tr_buf_putf(&line, " %.*s", TR_FMT(why));
    tr_cli_report_put_line(&line, 0);
    if (line.failed == TR_OK)
        (void)fwrite(line.ptr, 1, line.len, stderr);
    tr_buf_done(&line);
}

static int refuse(const struct tr_cli_rows *rows, tr_status status,
                  const struct tr_err *err)
{
    hide_progress(rows);
    if (status == TR_E_VALIDATION && rows->load) {
        tr_status told = tr_table_tell_refused(rows->work, rows->load, NULL);
        (void)told; /* as far as they can be told */
    }
    (void)tr_cli_report_error(NULL, err);
    (void)fprintf(stderr, "Nothing was imported.\n");
    return TR_CLI_EXIT_FAILED;
}

static void put_count(struct tr_buf *out, uint64_t count, const char *what)
{
    if (count)
        tr_buf_putf(out, ", %llu %s", (unsigned long long)count, what);
}

static int report_done(const struct tr_cli_rows *rows)
{
    struct tr_table_counts counts = tr_table_counts(rows->work);
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_buf_putf(
        &out, "%llu rows read, %llu %screated", (unsigned long long)counts.rows,
        (unsigned long long)counts.created, rows->is_dry ? "would be " : "");
    put_count(&out, counts.changed, "changed");
    put_count(&out, counts.same, "unchanged");
    put_count(&out, counts.deleted, "deleted");
    put_count(&out, counts.bad, "bad ones left out");
    tr_buf_putc(&out, '\n');
    if (rows->rdf_count) {
        struct tr_graph_load_counts load = tr_graph_load_counts(rows->load);
        tr_buf_putf(&out, "%llu statements new, %llu gone, in all\n",
                    (unsigned long long)load.added,
                    (unsigned long long)load.removed);
    }
    if (rows->is_dry)
        tr_buf_put(&out, TR_STR("Nothing was written: this was a dry run.\n"));
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

/* Any number of nodes may change: they are counted, not named. */
static tr_status record(void *data, struct tr_db *db, struct tr_err *err)
{
    struct tr_cli_rows *rows = data;
    rows->record.activity.generated.left_out =
        tr_graph_load_counts(rows->load).changed;
    return tr_cli_record_write(&rows->record, db, err);
}

static tr_status open_work(struct tr_cli_rows *rows, struct tr_err *err)
{
    struct tr_graph_store *store = rows->store->store;
    rows->table.store = tr_graph_store_path(store);
    rows->table.model = rows->store->model;
    rows->table.files = rows->files;
    rows->table.count = rows->file_count;
    rows->table.told = show_mistake;
    rows->table.progress = show_progress;
    rows->table.data = rows;
    TR_TRY(tr_cli_record_begin(&rows->record, rows->command, err));
    TR_TRY(tr_graph_store_reader(store, &rows->table.reader, err));
    TR_TRY(tr_graph_store_reader(store, &rows->table.changes, err));
    return tr_table_create(&rows->table, &rows->work, err);
}

static tr_status open_load(struct tr_cli_rows *rows, struct tr_err *err)
{
    const struct tr_graph_load_opts opts = {
        .path = rows->table.store,
        .model = rows->store->model,
        .project = tr_str_from(rows->store->app.name),
        .max_results = rows->table.skip_bad ? LEFT_OUT : SHOWN,
        .is_dry = rows->is_dry,
        .landed = record,
        .data = rows,
    };
    return tr_graph_load_create(&opts, &rows->load, err);
}

static tr_status read_rdf(struct tr_cli_rows *rows, struct tr_err *err)
{
    for (size_t i = 0; i < rows->rdf_count; i++) {
        tr_status status =
            tr_table_replace_rdf(rows->work, rows->rdf[i], rows->load, err);
        if (status != TR_OK) {
            char where[64] = "";
            if (err->place.line)
                (void)snprintf(where, sizeof(where), ":%u:%u",
                               (unsigned)err->place.line,
                               (unsigned)err->place.column);
            tr_err_prefix(err, "%s%s", rows->rdf[i], where);
            return status;
        }
    }
    return TR_OK;
}

static tr_status write_all(struct tr_cli_rows *rows, struct tr_err *err)
{
    TR_TRY(open_load(rows, err));
    TR_TRY(tr_table_write(rows->work, rows->load, err));
    TR_TRY(read_rdf(rows, err));
    hide_progress(rows);
    if (rows->shows)
        (void)fputs("Validating and storing...", stderr);
    return tr_graph_load_finish(rows->load, err);
}

/* False when none of the rows is to blame, or --skip-bad was not given. */
static tr_status leave_out(struct tr_cli_rows *rows, bool *more,
                           struct tr_err *err)
{
    *more = false;
    return rows->table.skip_bad
               ? tr_table_leave_out(rows->work, rows->load, more, err)
               : TR_OK;
}

/* Each time more rows are bad, so that it comes to an end. */
static tr_status write_good(struct tr_cli_rows *rows, struct tr_err *err)
{
    bool more = true;
    tr_status status = TR_OK;
    while (more) {
        tr_graph_load_free(rows->load);
        rows->load = NULL;
        status = write_all(rows, err);
        if (status != TR_E_VALIDATION)
            return status;
        TR_TRY(leave_out(rows, &more, err));
    }
    return status;
}

int tr_cli_rows_run(struct tr_cli_rows *rows)
{
    struct tr_err err = {0};
    tr_status status = open_work(rows, &err);
    if (status == TR_OK)
        status = tr_table_check(rows->work, &err);
    if (status == TR_OK)
        status = write_good(rows, &err);
    if (status != TR_OK)
        return refuse(rows, status, &err);
    hide_progress(rows);
    if (!rows->is_dry)
        tr_graph_store_raise_generation(rows->store->store);
    return report_done(rows);
}

void tr_cli_rows_close(struct tr_cli_rows *rows)
{
    tr_graph_load_free(rows->load);
    tr_table_free(rows->work);
    tr_graph_reader_free(rows->table.reader);
    tr_graph_reader_free(rows->table.changes);
    for (size_t i = 0; i < rows->file_count; i++) {
        if (rows->files[i].fd != STDIN_FILENO)
            (void)close(rows->files[i].fd);
    }
}
