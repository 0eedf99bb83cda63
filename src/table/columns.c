/* Which field a column is, or a key of an object. */
#include "base/nearest.h"
#include "json/build.h"
#include "table/inside.h"

static const char *const own_names[] = {"id", "_type", "_version"};

/* The field of that name in the type, or in one below it. */
static const struct tr_field *find_field(const struct tr_model *model,
                                         const struct tr_model_type *type,
                                         tr_str name)
{
    const struct tr_field *field = tr_shape_find(type->shape, name);
    for (size_t i = 0; !field && i < model->count; i++) {
        if (tr_model_type_is(model->types[i], type))
            field = tr_shape_find(model->types[i]->shape, name);
    }
    return field;
}

static tr_str nearest_to(const struct tr_model_type *type, tr_str name)
{
    const struct tr_shape *shape = type->shape;
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < shape->count; i++)
        tr_nearest_offer(&nearest, shape->fields[i].name);
    tr_nearest_offer(&nearest, TR_STR("id"));
    return nearest.best;
}

bool tr_table_knows(const struct tr_model *model,
                    const struct tr_model_type *type, tr_str name, tr_str *near)
{
    for (size_t i = 0; i < TR_LEN(own_names); i++) {
        if (tr_str_eq(name, tr_str_from(own_names[i])))
            return true;
    }
    if (find_field(model, type, name))
        return true;
    *near = nearest_to(type, name);
    return false;
}

static const struct tr_table_mapping *find_mapping(const struct tr_table *table,
                                                   tr_str column)
{
    for (size_t i = 0; i < table->opts.map_count; i++) {
        if (tr_str_eq(table->opts.map[i].column, column))
            return &table->opts.map[i];
    }
    return NULL;
}

bool tr_table_name(const struct tr_table_input *input, tr_str column,
                   tr_str *out, tr_str *near)
{
    const struct tr_table_mapping *map = find_mapping(input->table, column);
    *out = map ? map->field : column;
    if (tr_str_eq(*out,
                  TR_STR("_version"))) /* it says nothing of a new state */
        *out = TR_STR("");
    return out->len == 0 || tr_table_knows(input->table->opts.model,
                                           input->file->type, *out, near);
}

static tr_status tell_unknown(struct tr_table_input *input, tr_place place,
                              tr_str column, tr_str near)
{
    const struct tr_model_type *type = input->file->type;
    if (near.len)
        return tr_table_tell(
            input->table, input->file, NULL, place,
            "%.*s has no field '%.*s': did you mean '%.*s'? --map "
            "'%.*s=%.*s' says so, --map '%.*s=' leaves the column out",
            TR_FMT(type->name), TR_FMT(column), TR_FMT(near), TR_FMT(column),
            TR_FMT(near), TR_FMT(column));
    return tr_table_tell(input->table, input->file, NULL, place,
                         "%.*s has no field '%.*s': --map '%.*s=FIELD' says "
                         "which it is, --map '%.*s=' leaves the column out",
                         TR_FMT(type->name), TR_FMT(column), TR_FMT(column),
                         TR_FMT(column));
}

static tr_status take_column(struct tr_table_input *input, size_t i,
                             const struct tr_csv_cell *cell)
{
    struct tr_table_column *column = &input->columns[i];
    tr_str near = {"", 0};
    if (!column->header.len)
        return tr_table_tell(input->table, input->file, NULL, cell->place,
                             "column %zu has no name", i + 1);
    if (!tr_table_name(input, column->header, &column->name, &near))
        return tell_unknown(input, cell->place, column->header, near);
    for (size_t k = 0; k < i && column->name.len; k++) {
        if (tr_str_eq(input->columns[k].name, column->name))
            return tr_table_tell(input->table, input->file, NULL, cell->place,
                                 "'%.*s' stands in two columns",
                                 TR_FMT(column->name));
    }
    return TR_OK;
}

static bool has_column(const struct tr_table_input *input, tr_str name,
                       bool is_header)
{
    for (size_t i = 0; i < input->column_count; i++) {
        if (tr_str_eq(is_header ? input->columns[i].header
                                : input->columns[i].name,
                      name))
            return true;
    }
    return false;
}

/* What every row would lack, and what --map names in vain. */
static tr_status check_columns(struct tr_table_input *input, tr_place place)
{
    const struct tr_table_opts *opts = &input->table->opts;
    const struct tr_shape *shape = input->file->type->shape;
    for (size_t i = 0; i < opts->map_count; i++) {
        if (!has_column(input, opts->map[i].column, true))
            TR_TRY(tr_table_tell(input->table, input->file, NULL, place,
                                 "--map names a column '%.*s', which is not "
                                 "there",
                                 TR_FMT(opts->map[i].column)));
    }
    for (size_t i = 0; !opts->replace && i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if (tr_field_is_required(field) &&
            !has_column(input, field->name, false))
            TR_TRY(tr_table_tell(input->table, input->file, NULL, place,
                                 "there is no column '%.*s', which each %.*s "
                                 "must have",
                                 TR_FMT(field->name),
                                 TR_FMT(input->file->type->name)));
    }
    return TR_OK;
}

tr_status tr_table_read_header(struct tr_table_input *input,
                               const struct tr_csv_row *row, struct tr_err *err)
{
    struct tr_arena *arena = &input->table->header;
    uint64_t before = input->table->counts.mistakes;
    tr_place place = row->place;
    input->columns = TR_NEW_ARRAY(arena, struct tr_table_column, row->count);
    if (!input->columns)
        return tr_fail(err, TR_E_NOMEM, "no memory for a header");
    input->column_count = row->count;
    for (size_t i = 0; i < row->count; i++) {
        if (!tr_arena_copy(arena, tr_str_trim(row->cells[i].text),
                           &input->columns[i].header))
            return tr_fail(err, TR_E_NOMEM, "no memory for a header");
    }
    for (size_t i = 0; i < row->count; i++)
        TR_TRY(take_column(input, i, &row->cells[i]));
    if (input->table->counts.mistakes == before)
        TR_TRY(check_columns(input, place));
    if (input->table->counts.mistakes == before)
        return TR_OK;
    input->table->is_stopped = true;
    input->is_ended = true;
    return TR_OK;
}
