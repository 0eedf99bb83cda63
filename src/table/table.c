#include "base/time.h"
#include "crypto/random.h"
#include "table/inside.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const names[] = {
    [TR_TABLE_CSV] = "csv",
    [TR_TABLE_JSON] = "json",
    [TR_TABLE_NDJSON] = "ndjson",
};

bool tr_table_format_find(tr_str name, enum tr_table_format *out)
{
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_str_eq(name, tr_str_from(names[i]))) {
            *out = (enum tr_table_format)i;
            return true;
        }
    }
    return false;
}

bool tr_table_format_of_file(tr_str path, enum tr_table_format *out)
{
    for (size_t i = path.len; i > 0; i--) {
        if (path.ptr[i - 1] == '/')
            return false;
        if (path.ptr[i - 1] == '.')
            return tr_table_format_find(tr_str_skip(path, i), out);
    }
    return false;
}

static tr_status draw(struct tr_table *table, struct tr_err *err)
{
    tr_time now = tr_time_now();
    TR_TRY(tr_crypto_random_bytes(&table->seed, sizeof(table->seed), err));
    table->seed |= 1;
    table->now_ms =
        (uint64_t)now.seconds * 1000 + (uint64_t)now.nanos / 1000000;
    return TR_OK;
}

static tr_status open_all(struct tr_table *table, struct tr_err *err)
{
    TR_TRY(draw(table, err));
    TR_TRY(tr_table_staging_open(&table->staging, table->opts.store, err));
    TR_TRY(tr_graph_reader_begin(table->opts.reader, err));
    table->has_begun = true;
    table->ctx = tr_graph_read_ctx_of(table->opts.reader, NULL,
                                      table->opts.model, &table->arena);
    for (size_t i = 0; i < table->opts.count; i++) {
        struct stat info;
        if (fstat(table->opts.files[i].fd, &info) == 0)
            table->total += 2 * (uint64_t)info.st_size;
    }
    return TR_OK;
}

tr_status tr_table_create(const struct tr_table_opts *opts,
                          struct tr_table **out, struct tr_err *err)
{
    struct tr_table *table = calloc(1, sizeof(*table));
    if (!table)
        return tr_fail(err, TR_E_NOMEM, "no memory for an import");
    table->opts = *opts;
    tr_arena_init(&table->arena, TR_LIMIT_TABLE_ROW);
    tr_arena_init(&table->known, TR_LIMIT_TABLE_ROW);
    tr_arena_init(&table->header, TR_LIMIT_TABLE_ROW);
    tr_map_init(&table->refs, &table->known);
    tr_status status = open_all(table, err);
    if (status != TR_OK) {
        tr_table_free(table);
        return status;
    }
    *out = table;
    return TR_OK;
}

void tr_table_free(struct tr_table *table)
{
    if (!table)
        return;
    if (table->has_begun)
        tr_graph_reader_end(table->opts.reader);
    tr_table_staging_close(&table->staging);
    tr_arena_done(&table->arena);
    tr_arena_done(&table->known);
    tr_arena_done(&table->header);
    free(table);
}

struct tr_table_counts tr_table_counts(const struct tr_table *table)
{
    return table->counts;
}

tr_status tr_table_tell(struct tr_table *table,
                        const struct tr_table_file *file,
                        struct tr_table_row *row, tr_place place,
                        const char *format, ...)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    const struct tr_table_spot spot = {
        row ? row->number : 0, (size_t)(file - table->opts.files), place};
    va_list args;
    if (table->is_writing) { /* it was told the first time */
        if (row)
            row->is_bad = true;
        return TR_OK;
    }
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    table->counts.mistakes++;
    if (row && !row->is_bad) {
        row->is_bad = true;
        table->counts.bad++;
    }
    return tr_table_staging_tell(&table->staging, &spot, row != NULL,
                                 tr_str_from(text), NULL);
}

/* Good rows of the first time are good the second time, and bad ones are left
 * out. */
static tr_status take_row(struct tr_table *table, struct tr_table_row *row,
                          struct tr_err *err)
{
    bool is_bad = row->is_bad;
    if (!table->is_writing)
        table->counts.rows++;
    else if (table->counts.bad)
        TR_TRY(tr_table_staging_is_bad(&table->staging, row->number, &is_bad,
                                       err));
    return is_bad ? TR_OK : tr_table_take_row(table, row, err);
}

static tr_status take_rows(struct tr_table *table, struct tr_table_input *input,
                           struct tr_err *err)
{
    bool more = !input->table->is_stopped;
    while (more) {
        struct tr_table_row row;
        tr_arena_reset(&table->arena);
        tr_graph_reader_trim(table->opts.reader);
        TR_TRY(tr_table_input_next(input, &row, &more, err));
        if (more)
            TR_TRY(take_row(table, &row, err));
    }
    return TR_OK;
}

/* What is wrong with the file itself is told with the rest. */
static tr_status take_file(struct tr_table *table,
                           const struct tr_table_file *file, struct tr_err *err)
{
    struct tr_table_input input;
    struct tr_err why = {0};
    tr_status status = tr_table_input_open(table, file, &input, &why);
    bool is_stopped = table->is_stopped;
    if (status == TR_OK && !is_stopped)
        status = take_rows(table, &input, &why);
    tr_table_input_close(&input);
    if (status == TR_OK)
        return TR_OK;
    if (table->is_writing || (status != TR_E_SYNTAX && status != TR_E_INVALID &&
                              status != TR_E_LIMIT)) {
        if (err)
            *err = why;
        return status;
    }
    table->is_stopped = true;
    return tr_table_tell(table, file, NULL, why.place, "%s", why.msg);
}

static tr_status settle(struct tr_table *table, struct tr_err *err)
{
    if (table->opts.delete_missing && table->counts.rows == 0 &&
        !table->is_stopped) {
        table->is_stopped = true;
        TR_TRY(tr_table_tell(table, &table->opts.files[0], NULL,
                             (tr_place){0, 1, 1},
                             "it has no rows: --delete-missing would delete "
                             "all that is there"));
    }
    return tr_table_settle(table, err);
}

static void tell_one(void *context, const struct tr_table_spot *spot,
                     tr_str why)
{
    struct tr_table *table = context;
    const struct tr_table_opts *opts = &table->opts;
    if (table->told++ < TR_LIMIT_TABLE_TOLD && opts->told)
        opts->told(opts->data, opts->files[spot->file].path, spot->place, why);
}

tr_status tr_table_settle(struct tr_table *table, struct tr_err *err)
{
    struct tr_table_counts *counts = &table->counts;
    TR_TRY(tr_table_staging_settle(&table->staging, err));
    TR_TRY(tr_table_staging_count(&table->staging, &counts->bad,
                                  &counts->mistakes, err));
    return counts->mistakes ? tr_table_staging_each_told(&table->staging,
                                                         tell_one, table, err)
                            : TR_OK;
}

static tr_status check_files(struct tr_table *table, struct tr_err *err)
{
    bool stopped = false;
    for (size_t i = 0; i < table->opts.count; i++) {
        table->is_stopped = false;
        TR_TRY(take_file(table, &table->opts.files[i], err));
        stopped |= table->is_stopped;
    }
    table->is_stopped = stopped;
    return settle(table, err);
}

tr_status tr_table_check(struct tr_table *table, struct tr_err *err)
{
    TR_TRY(check_files(table, err));
    if (table->counts.mistakes == 0 ||
        (table->opts.skip_bad && !table->is_stopped))
        return TR_OK;
    if (table->is_stopped)
        return tr_fail(err, TR_E_VALIDATION, "the files have %llu mistake%s",
                       (unsigned long long)table->counts.mistakes,
                       table->counts.mistakes == 1 ? "" : "s");
    return tr_fail(err, TR_E_VALIDATION, "%llu of %llu rows are bad",
                   (unsigned long long)table->counts.bad,
                   (unsigned long long)table->counts.rows);
}

tr_status tr_table_read_files(struct tr_table *table, struct tr_err *err)
{
    table->next_row = 0;
    for (size_t i = 0; i < table->opts.count; i++)
        TR_TRY(take_file(table, &table->opts.files[i], err));
    return TR_OK;
}

tr_status tr_table_write(struct tr_table *table, struct tr_graph_load *load,
                         struct tr_err *err)
{
    struct tr_table_counts *counts = &table->counts;
    counts->created = counts->changed = counts->same = counts->deleted = 0;
    table->load = load;
    table->is_writing = true;
    table->origins = NULL;
    TR_TRY(tr_table_read_files(table, err));
    return table->opts.delete_missing ? tr_table_delete_missing(table, err)
                                      : TR_OK;
}
