/* From a cell to a value of its field. */
#include "fields/value.h"

#include "fields/kind.h"
#include "json/build.h"
#include "json/reader.h"
#include "table/inside.h"

/* Whether a cell of a CSV file has JSON for this field. */
static bool is_json(const struct tr_field *field)
{
    return field->many || field->list || field->kind == TR_FIELD_JSON ||
           field->kind == TR_FIELD_OBJECT;
}

static tr_status read_json(struct tr_table *table, struct tr_table_row *row,
                           const struct tr_field *field,
                           struct tr_table_cell *cell, struct tr_json *out,
                           struct tr_err *err)
{
    const struct tr_json *value = NULL;
    struct tr_err why = {0};
    tr_status status = tr_json_read(&table->arena, tr_json_text(&cell->value),
                                    NULL, &value, &why);
    if (status == TR_E_NOMEM) {
        if (err)
            *err = why;
        return status;
    }
    if (status == TR_OK) {
        *out = *value;
        return TR_OK;
    }
    cell->is_told = true;
    return tr_table_tell(
        table, row->file, row, cell->place, "%.*s must be JSON%s: %s",
        TR_FMT(field->name),
        field->many || field->list ? ", such as [\"a\",\"b\"]" : "", why.msg);
}

/* A text that is none of its kind stays one, for the check to say so. */
static tr_status read_text(struct tr_table *table, const struct tr_field *field,
                           tr_str text, struct tr_json *out)
{
    if (field->kind != TR_FIELD_TEXT)
        text = tr_str_trim(text);
    tr_status status = tr_field_value_read(field, text, &table->arena, out);
    if (status == TR_E_VALIDATION)
        *out = tr_json_make_text(TR_JSON_STRING, text);
    return status == TR_E_VALIDATION ? TR_OK : status;
}

static tr_status resolve(struct tr_table *table, struct tr_table_row *row,
                         const struct tr_field *field,
                         struct tr_table_cell *cell, struct tr_json *value,
                         struct tr_err *err)
{
    struct tr_json *items;
    if (field->kind != TR_FIELD_REF)
        return TR_OK;
    if (value->kind != TR_JSON_ARRAY)
        return tr_table_ref(table, row, field, cell, value, err);
    items = TR_NEW_ARRAY(&table->arena, struct tr_json, value->len + 1);
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for a row");
    for (size_t i = 0; i < value->len; i++) {
        items[i] = value->as.items[i];
        TR_TRY(tr_table_ref(table, row, field, cell, &items[i], err));
    }
    value->as.items = items;
    return TR_OK;
}

tr_status tr_table_value(struct tr_table *table, struct tr_table_row *row,
                         const struct tr_field *field,
                         struct tr_table_cell *cell, struct tr_json *out,
                         struct tr_err *err)
{
    tr_str text = tr_json_text(&cell->value);
    bool is_json_cell = cell->is_text && is_json(field);
    bool is_empty = cell->is_text && text.len == 0 &&
                    (is_json_cell || field->kind != TR_FIELD_TEXT);
    *out = cell->value;
    if (is_empty)
        *out = (struct tr_json){0};
    if (out->kind == TR_JSON_NULL)
        return TR_OK;
    if (is_json_cell)
        TR_TRY(read_json(table, row, field, cell, out, err));
    else if (cell->is_text)
        TR_TRY(read_text(table, field, text, out));
    if (!cell->is_told)
        TR_TRY(resolve(table, row, field, cell, out, err));
    if (cell->is_told)
        *out = (struct tr_json){0};
    return TR_OK;
}
