/*
 * Any bytes as rows of JSON and of NDJSON: places in their order that are in
 * the file, keys at theirs, and as many rows as the JSON reader finds in the
 * whole of it; or an error with a place.
 */
#include "base/limits.h"
#include "json/reader.h"
#include "model/builder.h"
#include "table/inside.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("a"), .optional = true},
    {.name = TR_STR_INIT("b"), .kind = TR_FIELD_JSON, .optional = true},
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct tr_model *make_model(void)
{
    const struct tr_model_type_draft draft = {
        .shape = {
            .name = TR_STR("T"), .fields = fields, .count = TR_LEN(fields)}};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    must(tr_model_builder_create(TR_STR("p"), &builder, &err) == TR_OK &&
         tr_model_builder_add_type(builder, &draft, &err) == TR_OK &&
         tr_model_build(builder, &model, &err) == TR_OK);
    tr_model_builder_free(builder);
    return model;
}

/* What all rows of a file come to. */
struct seen {
    size_t rows;
    size_t bad;
    bool is_read; /* to its end */
    size_t offset;
};

static void check_row(const struct tr_table_row *row, tr_str text,
                      struct seen *seen)
{
    size_t before = seen->offset;
    must(row->place.line > 0 && row->place.column > 0);
    must(row->place.offset < text.len && row->place.offset >= before);
    for (size_t i = 0; i < row->cells.count; i++) {
        const struct tr_table_cell *cell = &row->cells.items[i];
        must(cell->name.len > 0);
        must(cell->place.offset > before && cell->place.offset < text.len);
        must(text.ptr[cell->place.offset] == '"');
        before = cell->place.offset;
    }
    seen->rows++;
    seen->bad += row->is_bad;
    seen->offset = row->place.offset;
}

/* Mistakes are not kept: it is as if they had been told before. */
static struct seen read_rows(const struct tr_table_file *file,
                             const struct tr_model *model, tr_str text)
{
    struct tr_table table = {.opts = {.model = model}, .is_writing = true};
    struct seen seen = {0};
    struct tr_table_input input;
    struct tr_err err = {0};
    bool more = true;
    tr_arena_init(&table.arena, TR_LIMIT_TABLE_ROW);
    tr_arena_init(&table.header, TR_LIMIT_TABLE_ROW);
    tr_status status = tr_table_input_open(&table, file, &input, &err);
    while (status == TR_OK && more) {
        struct tr_table_row row;
        tr_arena_reset(&table.arena);
        status = tr_table_input_next(&input, &row, &more, &err);
        if (status == TR_OK && more)
            check_row(&row, text, &seen);
    }
    must(status == TR_OK || (err.msg[0] && status == err.code));
    must(status != TR_E_SYNTAX || err.place.offset <= text.len);
    seen.is_read = status == TR_OK;
    tr_table_input_close(&input);
    tr_arena_done(&table.arena);
    tr_arena_done(&table.header);
    return seen;
}

static bool has_rows(const struct tr_json *all)
{
    bool holds = all->kind == TR_JSON_ARRAY;
    for (size_t i = 0; holds && i < all->len; i++)
        holds = all->as.items[i].kind == TR_JSON_OBJECT;
    return holds;
}

/* An array is read row by row as it is at once: its own level is the only one
 * that may be too deep. */
static void compare(tr_str text, const struct seen *seen)
{
    const struct tr_json *all = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(64));
    if (tr_str_starts(text, TR_STR("\xEF\xBB\xBF")))
        text = tr_str_skip(text, 3);
    tr_status status = tr_json_read(&arena, text, NULL, &all, &err);
    if (status == TR_OK && has_rows(all))
        must(seen->is_read && seen->rows == all->len);
    else if (seen->is_read && !seen->bad)
        must(status == TR_E_LIMIT);
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tr_model *model = make_model();
    tr_str text = {(const char *)data, size};
    FILE *copy = tmpfile();
    must(copy && fwrite(data, 1, size, copy) == size && fflush(copy) == 0);
    struct tr_table_file file = {.path = "rows",
                                 .fd = fileno(copy),
                                 .format = TR_TABLE_JSON,
                                 .type = tr_model_find(model, TR_STR("T"))};
    const struct seen seen = read_rows(&file, model, text);
    compare(text, &seen);
    file.format = TR_TABLE_NDJSON;
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    const struct seen other = read_rows(&file, model, text);
    must(other.is_read || size > TR_LIMIT_JSON_BYTES);
    must(other.rows <= lines + size / 2);
    (void)fclose(copy);
    tr_model_free(model);
    return 0;
}
