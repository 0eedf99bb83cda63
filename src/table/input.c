#include "base/text.h"
#include "json/build.h"
#include "table/inside.h"

#include <errno.h>
#include <unistd.h>

/* Bytes between two calls of `progress`. */
#define SHOW_EVERY ((uint64_t)1 << 20)

tr_status tr_table_input_read(void *context, char *to, size_t size, size_t *got,
                              struct tr_err *err)
{
    struct tr_table_input *input = context;
    struct tr_table *table = input->table;
    ssize_t count;
    do {
        count = read(input->file->fd, to, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0)
        return tr_fail(err, TR_E_IO, "cannot read: %s", strerror(errno));
    *got = (size_t)count;
    table->done += *got;
    if (table->opts.progress && table->done - table->shown >= SHOW_EVERY) {
        table->shown = table->done;
        table->opts.progress(table->opts.data, table->done, table->total);
    }
    return TR_OK;
}

static tr_status open_csv(struct tr_table_input *input, struct tr_err *err)
{
    struct tr_csv_row row;
    bool more = false;
    TR_TRY(tr_csv_reader_create(tr_table_input_read, input,
                                input->table->opts.separator, &input->csv,
                                err));
    TR_TRY(tr_csv_reader_next(input->csv, &row, &more, err));
    if (!more)
        return tr_fail(err, TR_E_INVALID,
                       "it is empty: the first row has the names of columns");
    if (row.fault) {
        *err = *row.fault;
        return err->code;
    }
    return tr_table_read_header(input, &row, err);
}

tr_status tr_table_input_open(struct tr_table *table,
                              const struct tr_table_file *file,
                              struct tr_table_input *out, struct tr_err *err)
{
    *out = (struct tr_table_input){
        .table = table, .file = file, .at_place = {0, 1, 1}};
    tr_buf_init(&out->in, TR_LIMIT_JSON_BYTES + TR_KIB(128));
    tr_arena_reset(&table->header);
    if (lseek(file->fd, 0, SEEK_SET) != 0)
        return tr_fail(err, TR_E_IO, "it cannot be read twice: %s",
                       strerror(errno));
    return file->format == TR_TABLE_CSV ? open_csv(out, err) : TR_OK;
}

void tr_table_input_close(struct tr_table_input *input)
{
    tr_csv_reader_free(input->csv);
    tr_buf_done(&input->in);
}

/* An empty cell without quotes is absent. */
static tr_status take_cells(struct tr_table_input *input,
                            const struct tr_csv_row *csv,
                            struct tr_table_row *row, struct tr_err *err)
{
    struct tr_arena *arena = &input->table->arena;
    for (size_t i = 0; i < csv->count; i++) {
        const struct tr_csv_cell *from = &csv->cells[i];
        struct tr_table_cell cell = {
            .name = input->columns[i].name,
            .value = tr_json_make_text(TR_JSON_STRING, from->text),
            .place = from->place,
            .is_text = true};
        if (!from->is_quoted && from->text.len == 0)
            cell.value = (struct tr_json){.kind = TR_JSON_NULL};
        if (cell.name.len && !tr_vec_push(arena, &row->cells, cell))
            return tr_fail(err, TR_E_NOMEM, "no memory for a row");
    }
    return TR_OK;
}

static tr_status next_csv(struct tr_table_input *input,
                          struct tr_table_row *row, bool *more,
                          struct tr_err *err)
{
    struct tr_table *table = input->table;
    struct tr_csv_row csv;
    TR_TRY(tr_csv_reader_next(input->csv, &csv, more, err));
    if (!*more)
        return TR_OK;
    row->place = csv.place;
    if (csv.fault)
        return tr_table_tell(table, input->file, row, csv.fault->place, "%s",
                             csv.fault->msg);
    if (csv.count > input->column_count)
        return tr_table_tell(table, input->file, row,
                             csv.cells[input->column_count].place,
                             "a row of %zu cells, where the header has %zu",
                             csv.count, input->column_count);
    if (csv.count < input->column_count)
        return tr_table_tell(table, input->file, row, csv.place,
                             "a row of %zu cells, where the header has %zu",
                             csv.count, input->column_count);
    return take_cells(input, &csv, row, err);
}

tr_status tr_table_input_next(struct tr_table_input *input,
                              struct tr_table_row *row, bool *more,
                              struct tr_err *err)
{
    bool is_csv = input->file->format == TR_TABLE_CSV;
    *row = (struct tr_table_row){.number = input->table->next_row,
                                 .file = input->file,
                                 .type = input->file->type,
                                 .says_all = !is_csv};
    TR_TRY(is_csv ? next_csv(input, row, more, err)
                  : tr_table_json_next(input, row, more, err));
    input->table->next_row += *more;
    return TR_OK;
}
