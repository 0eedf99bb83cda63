/* From what names a node to its IRI: an IRI, the end of one, or a unique value;
 * of a node of the store, or of another row. */
#include "fields/check.h"
#include "fields/value.h"
#include "json/build.h"
#include "model/uri.h"
#include "model/value_term.h"
#include "query/named.h"
#include "table/inside.h"

/* A row that comes later has no IRI yet; this stands for it until then. */
#define PENDING "urn:trails:row"

static bool may_have(const struct tr_table *table,
                     const struct tr_model_type *wanted)
{
    for (size_t i = 0; i < table->opts.count; i++) {
        const struct tr_model_type *held = table->opts.files[i].type;
        if (tr_model_type_is(held, wanted) || tr_model_type_is(wanted, held))
            return true;
    }
    return false;
}

/* The unique set of a type, or of one above it, that is this field alone; else
 * `out` has no type. */
static tr_status find_set(struct tr_table *table,
                          const struct tr_model_type *type, tr_str by,
                          tr_str value, struct tr_table_key *out,
                          struct tr_err *err)
{
    for (; type; type = type->parent) {
        const struct tr_shape *shape = type->shape;
        const struct tr_field *field = tr_shape_find(shape, by);
        struct tr_json text = {0};
        for (size_t i = 0; field && i < shape->unique_count; i++) {
            if (shape->unique[i].count != 1 ||
                !tr_str_eq(shape->unique[i].names[0], by))
                continue;
            *out = (struct tr_table_key){
                .type = type, .unique = &shape->unique[i], .index = i};
            tr_status status =
                tr_field_value_read(field, value, &table->arena, &text);
            if (status == TR_OK)
                status = tr_model_value_to_term(field, &text, &table->arena,
                                                &out->terms[0], err);
            if (status == TR_OK)
                status = tr_table_key_write(table, out, err);
            if (status != TR_OK)
                out->type = NULL;
            return status == TR_E_NOMEM ? status : TR_OK;
        }
    }
    return TR_OK;
}

static tr_status keep_iri(struct tr_table *table, tr_str iri,
                          struct tr_json *value, struct tr_err *err)
{
    tr_str copy;
    if (!tr_arena_copy(&table->arena, iri, &copy))
        return tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
    *value = tr_json_make_text(TR_JSON_STRING, copy);
    return TR_OK;
}

struct known {
    tr_str iri;
};

static tr_status remember(struct tr_table *table, tr_str name, tr_str iri,
                          struct tr_err *err)
{
    tr_str copy;
    if (table->refs.count >= TR_LIMIT_TABLE_KNOWN) {
        tr_arena_reset(&table->known);
        tr_map_init(&table->refs, &table->known);
    }
    struct known *known = TR_NEW(&table->known, struct known);
    if (!known || !tr_arena_copy(&table->known, iri, &known->iri) ||
        !tr_arena_copy(&table->known, name, &copy) ||
        !tr_map_set(&table->refs, copy, known))
        return tr_fail(err, TR_E_NOMEM, "no memory for what rows refer to");
    return TR_OK;
}

/* Of the store, and from what was looked up before. */
static tr_status look(struct tr_table *table, const struct tr_field *field,
                      tr_str text, tr_str *out, struct tr_err *err)
{
    char room[TR_LIMIT_URI_BYTES];
    struct tr_query_named node = {0};
    struct tr_buf name;
    tr_buf_init_fixed(&name, room, sizeof(room));
    tr_buf_putf(&name, "%.*s %.*s %.*s", TR_FMT(field->target),
                TR_FMT(field->by), TR_FMT(text));
    const struct known *found =
        name.failed == TR_OK ? tr_map_find(&table->refs, tr_buf_str(&name))
                             : NULL;
    if (found) {
        *out = found->iri;
        return TR_OK;
    }
    TR_TRY(tr_query_named_find_ref(&table->ctx, field, text, &node, err));
    *out = node.iri;
    return node.iri.len && name.failed == TR_OK
               ? remember(table, tr_buf_str(&name), node.iri, err)
               : TR_OK;
}

/* What another row would have: its IRI, and with a key the unique value. */
static bool name_row(struct tr_table *table, const struct tr_model_type *type,
                     tr_str text, const struct tr_table_key *key,
                     struct tr_table_hope *out)
{
    tr_str iris[2] = {text};
    if (!tr_field_is_absolute_iri(text) &&
        !tr_model_kg_uri_iris(&table->arena, type, text, table->opts.model,
                              iris))
        return false;
    out->iri = iris[0];
    out->set = key ? tr_table_key_set(table, key) : TR_STR("");
    out->value = key ? key->text : iris[0];
    return !key || out->set.len > 0;
}

/* A cell that refers to a node, and what is known of that. */
struct asking {
    struct tr_table *table;
    struct tr_table_row *row;
    struct tr_table_cell *cell;
    const struct tr_model_type *type;
    const struct tr_table_key *key; /* or NULL */
    struct tr_err *err;
};

/* An id wins over a value that looks like one. */
static tr_status find_named(const struct asking *ask,
                            const struct tr_table_hope *hope, tr_str *out)
{
    struct tr_table_name by_iri = {.set = {"", 0}, .value = hope->iri};
    struct tr_table_name by_key = {.set = hope->set, .value = hope->value};
    struct tr_table *table = ask->table;
    TR_TRY(tr_table_staging_find(&table->staging, &by_iri, &table->arena,
                                 ask->err));
    if (!by_iri.iri.len)
        TR_TRY(tr_table_staging_find(&table->staging, &by_key, &table->arena,
                                     ask->err));
    *out = by_iri.iri.len ? by_iri.iri : by_key.iri;
    return TR_OK;
}

static tr_status find_row(const struct asking *ask, tr_str why,
                          struct tr_json *value)
{
    struct tr_table *table = ask->table;
    const struct tr_table_row *row = ask->row;
    struct tr_table_hope hope = {
        .why = why,
        .spot = {row->number, (size_t)(row->file - table->opts.files),
                 ask->cell->place}};
    tr_str iri;
    if (!name_row(table, ask->type, tr_json_text(value), ask->key, &hope))
        return tr_fail(ask->err, TR_E_NOMEM, "no memory for a row");
    if (!table->is_writing) {
        *value = tr_json_make_text(TR_JSON_STRING, TR_STR(PENDING));
        return tr_table_staging_hope(&table->staging, &hope, ask->err);
    }
    TR_TRY(find_named(ask, &hope, &iri));
    if (iri.len)
        *value = tr_json_make_text(TR_JSON_STRING, iri);
    return TR_OK;
}

/* The node is none of the store. */
static tr_status look_in_rows(const struct asking *ask, struct tr_json *value)
{
    char room[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf why;
    tr_buf_init_fixed(&why, room, sizeof(room));
    tr_buf_putf(&why, "%.*s: there is no %.*s ", TR_FMT(ask->cell->name),
                TR_FMT(ask->type->name));
    tr_field_message_put(&why, tr_json_text(value));
    if (may_have(ask->table, ask->type))
        return find_row(ask, tr_buf_str(&why), value);
    ask->cell->is_told = true;
    return tr_table_tell(ask->table, ask->row->file, ask->row, ask->cell->place,
                         "%.*s", TR_FMT(tr_buf_str(&why)));
}

tr_status tr_table_ref(struct tr_table *table, struct tr_table_row *row,
                       const struct tr_field *field, struct tr_table_cell *cell,
                       struct tr_json *value, struct tr_err *err)
{
    struct asking ask = {.table = table, .row = row, .cell = cell, .err = err};
    tr_str text = tr_json_text(value);
    struct tr_table_key key = {0};
    tr_str iri = {"", 0};
    if (!field->any_type)
        ask.type = tr_model_find(table->opts.model, field->target);
    if (value->kind != TR_JSON_STRING || !text.len || !ask.type)
        return TR_OK; /* the check knows what to say */
    if (field->by.len && !tr_field_is_absolute_iri(text))
        TR_TRY(find_set(table, ask.type, field->by, text, &key, err));
    ask.key = key.type ? &key : NULL;
    TR_TRY(look(table, field, text, &iri, err));
    return iri.len ? keep_iri(table, iri, value, err)
                   : look_in_rows(&ask, value);
}
