/* Nodes of a type as rows. */
#include "csv/writer.h"
#include "json/writer.h"
#include "query/node.h"
#include "query/query.h"
#include "table/inside.h"

struct dumping {
    const struct tr_table_dump *dump;
    const struct tr_rdf_output *output;
    struct tr_graph_read_ctx ctx;
    struct tr_arena arena;   /* of a page */
    struct tr_arena columns; /* of `names` */
    TR_VEC(tr_str) names;    /* of fields, in the order of columns */
    bool has_types;          /* there are types below this one */
    struct tr_buf text;
    struct tr_buf cell;
    bool has_row;
};

static bool has_name(const struct dumping *d, tr_str name)
{
    for (size_t i = 0; i < d->names.count; i++) {
        if (tr_str_eq(d->names.items[i], name))
            return true;
    }
    return false;
}

/* Those of the type, then what the types below it have besides. */
static tr_status list_columns(struct dumping *d, struct tr_err *err)
{
    const struct tr_model *model = d->dump->model;
    const struct tr_model_type *top = d->dump->type;
    for (size_t i = 0; i <= model->count; i++) {
        const struct tr_model_type *one = i ? model->types[i - 1] : top;
        if (!tr_model_type_is(one, top) || (i && one == top))
            continue;
        d->has_types |= i > 0;
        for (size_t k = 0; k < one->shape->count; k++) {
            tr_str name = one->shape->fields[k].name;
            if (!has_name(d, name) &&
                !tr_vec_push(&d->columns, &d->names, name))
                return tr_fail(err, TR_E_NOMEM, "no memory for columns");
        }
    }
    return TR_OK;
}

static void put_header(struct dumping *d)
{
    tr_csv_put_cell(&d->text, TR_STR("id"));
    if (d->has_types)
        tr_buf_put(&d->text, TR_STR(",_type"));
    for (size_t i = 0; i < d->names.count; i++) {
        tr_buf_putc(&d->text, ',');
        tr_csv_put_cell(&d->text, d->names.items[i]);
    }
    tr_csv_end_row(&d->text);
}

static const struct tr_field *
find_field(const struct dumping *d, const struct tr_json *node, tr_str name)
{
    const struct tr_model_type *type = tr_model_find(
        d->dump->model, tr_json_text(tr_json_find(node, TR_STR("_type"))));
    return type ? tr_shape_find(type->shape, name) : NULL;
}

/* An array without items is a value of a document alone. */
static bool is_absent(const struct tr_field *field, const struct tr_json *value)
{
    return !value || value->kind == TR_JSON_NULL ||
           (value->kind == TR_JSON_ARRAY && value->len == 0 &&
            !(field && field->kind == TR_FIELD_JSON));
}

static tr_status put_value(struct dumping *d, const struct tr_json *value,
                           bool is_json, struct tr_err *err)
{
    struct tr_json_writer w;
    tr_str text = tr_json_text(value);
    if (value->kind == TR_JSON_STRING && !is_json) {
        if (memchr(text.ptr, '\0', text.len))
            return tr_fail(err, TR_E_INVALID,
                           "a text with a NUL cannot be in CSV: use ndjson");
        tr_csv_put_cell(&d->text, text);
        return TR_OK;
    }
    tr_buf_clear(&d->cell);
    tr_jw_init(&w, &d->cell);
    tr_jw_value(&w, value);
    TR_TRY(tr_jw_finish(&w, err));
    tr_csv_put_cell(&d->text, tr_buf_str(&d->cell));
    return TR_OK;
}

static tr_status put_csv(struct dumping *d, const struct tr_json *node,
                         struct tr_err *err)
{
    tr_csv_put_cell(&d->text, tr_json_text(tr_json_find(node, TR_STR("id"))));
    if (d->has_types) {
        tr_buf_putc(&d->text, ',');
        tr_csv_put_cell(&d->text,
                        tr_json_text(tr_json_find(node, TR_STR("_type"))));
    }
    for (size_t i = 0; i < d->names.count; i++) {
        tr_str name = d->names.items[i];
        const struct tr_json *value = tr_json_find(node, name);
        tr_buf_putc(&d->text, ',');
        const struct tr_field *field = find_field(d, node, name);
        /* A document stands as JSON in its cell, also when it is a text. */
        if (!is_absent(field, value))
            TR_TRY(put_value(d, value, field && field->kind == TR_FIELD_JSON,
                             err));
    }
    tr_csv_end_row(&d->text);
    return TR_OK;
}

static tr_status put_json(struct dumping *d, const struct tr_json *node,
                          struct tr_err *err)
{
    struct tr_json_writer w;
    tr_jw_init(&w, &d->text);
    tr_jw_open(&w, '{');
    for (size_t i = 0; i < node->len; i++) {
        tr_str key = tr_json_text(&node->as.members[i].key);
        bool is_own = tr_str_eq(key, TR_STR("id")) ||
                      (d->has_types && tr_str_eq(key, TR_STR("_type")));
        if (!is_own && !has_name(d, key))
            continue;
        tr_jw_key_str(&w, key);
        tr_jw_value(&w, &node->as.members[i].value);
    }
    tr_jw_close(&w, '}');
    TR_TRY(tr_jw_finish(&w, err));
    tr_buf_putc(&d->text, '\n');
    return TR_OK;
}

/* As a node of an array: [ before the first, a comma before the others. */
static tr_status put_ld(struct dumping *d, tr_rdf_id id, struct tr_err *err)
{
    struct tr_query_node_shown shown = {0};
    struct tr_json_writer w;
    size_t before = d->text.len;
    tr_buf_put(&d->text, d->has_row ? TR_STR(",\n") : TR_STR("[\n"));
    tr_jw_init(&w, &d->text);
    TR_TRY(tr_query_node_write_ld(&d->ctx, id, d->dump->type, &w, &shown, err));
    if (!shown.found)
        d->text.len = before;
    else
        TR_TRY(tr_jw_finish(&w, err));
    d->has_row |= shown.found;
    return tr_buf_check(&d->text, err);
}

static tr_status put_node(struct dumping *d, tr_rdf_id id, struct tr_err *err)
{
    struct tr_json node = {0};
    bool found = false;
    if (d->dump->format == TR_TABLE_JSON)
        return put_ld(d, id, err);
    TR_TRY(tr_query_node_read_id(&d->ctx, id, &node, &found, err));
    if (!found)
        return TR_OK;
    tr_status status = d->dump->format == TR_TABLE_CSV
                           ? put_csv(d, &node, err)
                           : put_json(d, &node, err);
    if (status == TR_E_INVALID)
        tr_err_prefix(err, "<%.*s>",
                      TR_FMT(tr_json_text(tr_json_find(&node, TR_STR("id")))));
    TR_TRY(status);
    return tr_buf_check(&d->text, err);
}

static tr_status put_page(struct dumping *d, const struct tr_query_page *page,
                          struct tr_err *err)
{
    for (size_t i = 0; i < page->count; i++) {
        TR_TRY(put_node(d, page->ids[i], err));
        TR_TRY(tr_rdf_output_flush(d->output, &d->text, false, err));
    }
    return TR_OK;
}

static tr_status put_all(struct dumping *d, struct tr_graph_reader *reader,
                         struct tr_err *err)
{
    struct tr_query_page page = {0};
    char room[TR_LIMIT_URI_BYTES];
    tr_str after = {"", 0};
    do {
        tr_arena_reset(&d->arena);
        tr_graph_reader_trim(reader);
        TR_TRY(tr_query_list_type(&d->ctx, d->dump->type, after, TR_LIMIT_PAGE,
                                  &page, err));
        if (page.next.len > sizeof(room))
            return tr_fail(err, TR_E_LIMIT, "an IRI is too long");
        if (page.next.len)
            memcpy(room, page.next.ptr, page.next.len);
        after = (tr_str){room, page.next.len};
        TR_TRY(put_page(d, &page, err));
    } while (after.len);
    if (d->dump->format == TR_TABLE_JSON)
        tr_buf_put(&d->text, d->has_row ? TR_STR("\n]\n") : TR_STR("[]\n"));
    return tr_rdf_output_flush(d->output, &d->text, true, err);
}

tr_status tr_table_dump(struct tr_graph_reader *reader,
                        const struct tr_table_dump *dump,
                        const struct tr_rdf_output *output, struct tr_err *err)
{
    struct dumping d = {.dump = dump, .output = output};
    tr_arena_init(&d.arena, TR_LIMIT_TABLE_ROW);
    tr_arena_init(&d.columns, TR_LIMIT_TABLE_ROW);
    tr_buf_init(&d.text, TR_LIMIT_TABLE_ROW);
    tr_buf_init(&d.cell, TR_LIMIT_TABLE_ROW);
    d.ctx = tr_graph_read_ctx_of(reader, NULL, dump->model, &d.arena);
    tr_status status = list_columns(&d, err);
    if (status == TR_OK && dump->format == TR_TABLE_CSV)
        put_header(&d);
    if (status == TR_OK)
        status = put_all(&d, reader, err);
    tr_buf_done(&d.text);
    tr_buf_done(&d.cell);
    tr_arena_done(&d.columns);
    tr_arena_done(&d.arena);
    return status;
}
