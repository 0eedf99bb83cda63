/* A row, checked as a write of it would be. */
#include "fields/check.h"
#include "graph/node.h"
#include "json/build.h"
#include "model/uri.h"
#include "query/named.h"
#include "query/node.h"
#include "table/inside.h"

/* What becomes of a row. */
struct taking {
    struct tr_table *table;
    struct tr_table_row *row;
    struct tr_table_cell *id; /* NULL: it has none */
    bool has_key;             /* it has unique values */
    tr_str iri;               /* of the node; "": its type names it */
    tr_rdf_id node;           /* that is there, or TR_RDF_ID_NONE */
    const struct tr_json *fields;
    struct tr_json_member *members;
    size_t count;
    struct tr_err *err;
};

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a row");
}

/* An empty id is none. */
static tr_status take_id(struct taking *t, struct tr_table_cell *cell)
{
    struct tr_table *table = t->table;
    struct tr_query_named node = {0};
    tr_str text = tr_str_trim(tr_json_text(&cell->value));
    tr_str iris[2];
    if (cell->value.kind != TR_JSON_STRING || !text.len)
        return TR_OK;
    t->id = cell;
    if (tr_field_is_absolute_iri(text)) {
        t->iri = text;
        return TR_OK;
    }
    TR_TRY(tr_query_named_find(&table->ctx, t->row->type, text, &node, t->err));
    t->iri = node.iri;
    if (node.iri.len)
        return TR_OK;
    if (!tr_model_kg_uri_iris(&table->arena, t->row->type, text,
                              table->opts.model, iris))
        return no_memory(t->err);
    t->iri = iris[0];
    if (!memchr(text.ptr, '/', text.len) && tr_field_is_absolute_iri(t->iri))
        return TR_OK;
    return tr_table_tell(table, t->row->file, t->row, cell->place,
                         "id must be an IRI, or the end of one: %.*s",
                         TR_FMT(text));
}

static tr_status take_type(struct taking *t, const struct tr_table_cell *cell)
{
    tr_str name = tr_str_trim(tr_json_text(&cell->value));
    const struct tr_model_type *type =
        tr_model_find(t->table->opts.model, name);
    if (cell->value.kind != TR_JSON_STRING || !name.len)
        return TR_OK;
    if (type && tr_model_type_is(type, t->row->file->type)) {
        t->row->type = type;
        return TR_OK;
    }
    return tr_table_tell(t->table, t->row->file, t->row, cell->place,
                         "_type must be %.*s, or a type below it",
                         TR_FMT(t->row->file->type->name));
}

static bool is_name(const struct tr_table_cell *cell, const char *name)
{
    return tr_str_eq(cell->name, tr_str_from(name));
}

static tr_status take_cell(struct taking *t, struct tr_table_cell *cell)
{
    struct tr_table *table = t->table;
    const struct tr_field *field =
        tr_shape_find(t->row->type->shape, cell->name);
    struct tr_json value;
    if (!field && cell->value.kind != TR_JSON_NULL)
        return tr_table_tell(table, t->row->file, t->row, cell->place,
                             "%.*s has no field '%.*s'",
                             TR_FMT(t->row->type->name), TR_FMT(cell->name));
    if (!field)
        return TR_OK;
    TR_TRY(tr_table_value(table, t->row, field, cell, &value, t->err));
    if (value.kind == TR_JSON_NULL)
        return TR_OK;
    t->members[t->count++] = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, field->name), value};
    return TR_OK;
}

static tr_status take_cells(struct taking *t)
{
    struct tr_table_row *row = t->row;
    struct tr_json *object = TR_NEW(&t->table->arena, struct tr_json);
    t->members = TR_NEW_ARRAY(&t->table->arena, struct tr_json_member,
                              row->cells.count + 1);
    if (!object || !t->members)
        return no_memory(t->err);
    for (size_t i = 0; i < row->cells.count; i++) {
        if (is_name(&row->cells.items[i], "_type"))
            TR_TRY(take_type(t, &row->cells.items[i]));
    }
    for (size_t i = 0; i < row->cells.count; i++) {
        struct tr_table_cell *cell = &row->cells.items[i];
        if (is_name(cell, "id"))
            TR_TRY(take_id(t, cell));
        else if (!is_name(cell, "_type"))
            TR_TRY(take_cell(t, cell));
    }
    if (!tr_json_make_object(&t->table->arena, t->members, t->count, object))
        return no_memory(t->err);
    t->fields = object;
    return TR_OK;
}

static tr_status offer_holder(void *context, const struct tr_table_key *key,
                              bool *stop, struct tr_err *err)
{
    struct taking *t = context;
    t->has_key = true;
    TR_TRY(tr_table_holder(t->table, key, &t->node, err));
    *stop = t->node != TR_RDF_ID_NONE;
    return TR_OK;
}

static tr_status check_name(struct taking *t)
{
    bool has_name =
        t->iri.len || t->has_key || t->row->type->strategy != TR_MODEL_IRI_UUID;
    if (has_name || !t->table->opts.needs_name || t->row->is_bad)
        return TR_OK;
    return tr_table_tell(t->table, t->row->file, t->row, t->row->place,
                         "it has no id and no unique value: it would be "
                         "another node each time");
}

/* The node that the row replaces: by its id, or else by a unique value. */
static tr_status find_node(struct taking *t)
{
    struct tr_table *table = t->table;
    const struct tr_model_type *type = NULL;
    tr_rdf_term term;
    if (!table->opts.replace)
        return TR_OK;
    if (t->iri.len) {
        bool exists = false;
        TR_TRY(tr_graph_node_find(&table->ctx, t->iri, &t->node, t->err));
        if (t->node != TR_RDF_ID_NONE)
            TR_TRY(tr_graph_node_exists(&table->ctx, t->node, &exists, t->err));
        if (!exists)
            t->node = TR_RDF_ID_NONE;
    } else {
        TR_TRY(tr_table_each_key(table, t->row->type, t->fields, offer_holder,
                                 t, t->err));
    }
    if (t->node == TR_RDF_ID_NONE)
        return check_name(t);
    TR_TRY(tr_graph_node_type(&table->ctx, t->node, &type, t->err));
    TR_TRY(tr_rdf_graph_get(table->ctx.graph, t->node, &term, t->err));
    if (!tr_arena_copy(&table->arena, term.text, &t->iri))
        return no_memory(t->err);
    if (type && tr_model_type_is(type, t->row->type)) {
        t->row->type = type;
        return TR_OK;
    }
    return tr_table_tell(
        table, t->row->file, t->row, t->id ? t->id->place : t->row->place,
        "<%.*s> is no %.*s", TR_FMT(t->iri), TR_FMT(t->row->type->name));
}

static bool says(const struct tr_table_row *row, tr_str name)
{
    for (size_t i = 0; i < row->cells.count; i++) {
        if (tr_str_eq(row->cells.items[i].name, name))
            return true;
    }
    return false;
}

/* A CSV file says nothing of fields that it has no column for. */
static tr_status add_what_stays(struct taking *t)
{
    struct tr_table *table = t->table;
    const struct tr_shape *shape = t->row->type->shape;
    struct tr_json_member *members = TR_NEW_ARRAY(
        &table->arena, struct tr_json_member, t->count + shape->count + 1);
    struct tr_json *object = TR_NEW(&table->arena, struct tr_json);
    struct tr_json node = {0};
    bool found = false;
    if (!members || !object)
        return no_memory(t->err);
    if (t->count)
        memcpy(members, t->members, t->count * sizeof(*members));
    TR_TRY(tr_query_node_read_id(&table->ctx, t->node, &node, &found, t->err));
    for (size_t i = 0; found && i < shape->count; i++) {
        tr_str name = shape->fields[i].name;
        const struct tr_json *value = tr_json_find(&node, name);
        if (value && !says(t->row, name))
            members[t->count++] = (struct tr_json_member){
                tr_json_make_text(TR_JSON_STRING, name), *value};
    }
    if (!tr_json_make_object(&table->arena, members, t->count, object))
        return no_memory(t->err);
    t->fields = object;
    return TR_OK;
}

struct tr_table_cell *tr_table_find_cell(const struct tr_table_row *row,
                                         tr_str path)
{
    static const char ends[] = {'/', '.', '['};
    tr_str name = {path.ptr, 0};
    while (name.len < path.len &&
           !memchr(ends, path.ptr[name.len], sizeof(ends)))
        name.len++;
    for (size_t i = 0; i < row->cells.count; i++) {
        if (tr_str_eq(row->cells.items[i].name, name))
            return &row->cells.items[i];
    }
    return NULL;
}

static tr_status tell_errors(struct taking *t, const struct tr_err *why)
{
    const struct tr_field_errors *errors = &t->table->kg.errors;
    const struct tr_table_row *row = t->row;
    for (size_t i = 0; i < errors->count; i++) {
        const struct tr_table_cell *cell =
            tr_table_find_cell(row, errors->items[i].field);
        if (cell && cell->is_told)
            continue;
        TR_TRY(tr_table_tell(t->table, row->file, t->row,
                             cell ? cell->place : row->place, "%.*s",
                             TR_FMT(errors->items[i].message)));
    }
    return errors->count ? TR_OK
                         : tr_table_tell(t->table, row->file, t->row,
                                         row->place, "%s", why->msg);
}

/* A failure of the row is told; one of the machine is ours. */
static tr_status judge(struct taking *t, tr_status status,
                       const struct tr_err *why)
{
    const struct tr_table_row *row = t->row;
    switch (status) {
    case TR_OK:
        return TR_OK;
    case TR_E_VALIDATION:
        return tell_errors(t, why);
    case TR_E_CONFLICT:
        return tr_table_tell(t->table, row->file, t->row,
                             t->id ? t->id->place : row->place,
                             "%s; --replace changes it", why->msg);
    case TR_E_INVALID:
    case TR_E_LIMIT:
    case TR_E_NOT_FOUND:
        return tr_table_tell(t->table, row->file, t->row, row->place, "%s",
                             why->msg);
    default:
        *t->err = *why;
        return status;
    }
}

/* A type that names its nodes by their content has named one that is there. */
static tr_status find_same(struct taking *t, const struct tr_err *why)
{
    if (!tr_arena_copy(&t->table->arena, tr_str_from(why->at), &t->iri))
        return no_memory(t->err);
    TR_TRY(find_node(t));
    if (t->node == TR_RDF_ID_NONE)
        t->iri = TR_STR("");
    else if (!t->row->says_all)
        TR_TRY(add_what_stays(t));
    return TR_OK;
}

static tr_status create(struct taking *t, tr_status *out, struct tr_err *why)
{
    struct tr_graph_kg *kg = &t->table->kg;
    bool is_named = t->iri.len > 0;
    tr_str iri = t->iri;
    *out = tr_graph_kg_create(kg, t->row->type, iri, t->fields, &iri, why);
    if (*out == TR_OK)
        t->iri = iri;
    return *out == TR_E_CONFLICT && t->table->opts.replace && !is_named
               ? find_same(t, why)
               : TR_OK;
}

static tr_status change(struct taking *t)
{
    struct tr_graph_kg *kg = &t->table->kg;
    struct tr_err why = {0};
    tr_status status = TR_OK;
    kg->named = t->row->number;
    if (t->node == TR_RDF_ID_NONE)
        TR_TRY(create(t, &status, &why));
    if (t->node != TR_RDF_ID_NONE) {
        const struct tr_graph_kg_update update = {.fields = t->fields,
                                                  .replace = true};
        status = tr_graph_kg_update(kg, t->iri, &update, &why);
    }
    return judge(t, status, &why);
}

static struct tr_table_spot spot_of(const struct taking *t, tr_place place)
{
    return (struct tr_table_spot){
        t->row->number, (size_t)(t->row->file - t->table->opts.files), place};
}

/* "name" or "project, number" */
static void put_names(struct tr_buf *out, const struct tr_shape_unique *unique)
{
    for (size_t i = 0; i < unique->count; i++) {
        tr_buf_put(out, i ? TR_STR(", ") : TR_STR(""));
        tr_buf_put(out, unique->names[i]);
    }
}

static tr_status tell_taken(struct taking *t, const struct tr_table_key *key,
                            tr_place place, const struct tr_table_spot *other)
{
    char room[TR_LIMIT_MESSAGE_BYTES];
    const struct tr_table_file *file = &t->table->opts.files[other->file];
    struct tr_buf names;
    tr_buf_init_fixed(&names, room, sizeof(room) / 2);
    put_names(&names, key->unique);
    return tr_table_tell(t->table, t->row->file, t->row, place,
                         "%.*s must be unique: line %u%s%s has the same",
                         TR_FMT(tr_buf_str(&names)),
                         (unsigned)other->place.line,
                         file == t->row->file ? "" : " of ",
                         file == t->row->file ? "" : file->path);
}

/* Another node has it: an error, unless some row changes that one. */
static tr_status hope_it_goes(struct taking *t, const struct tr_table_key *key,
                              tr_rdf_id holder, tr_place place)
{
    char room[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf why;
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(t->table->ctx.graph, holder, &term, t->err));
    tr_buf_init_fixed(&why, room, sizeof(room));
    put_names(&why, key->unique);
    tr_buf_put(&why, TR_STR(" must be unique: "));
    tr_field_message_put(&why, term.text);
    tr_buf_put(&why, TR_STR(" has the same"));
    if (!t->table->opts.replace)
        return tr_table_tell(t->table, t->row->file, t->row, place, "%.*s",
                             TR_FMT(tr_buf_str(&why)));
    const struct tr_table_hope hope = {.set = {"", 0},
                                       .value = term.text,
                                       .why = tr_buf_str(&why),
                                       .spot = spot_of(t, place)};
    return t->table->opts.delete_missing
               ? TR_OK
               : tr_table_staging_hope(&t->table->staging, &hope, t->err);
}

static tr_status note_key(void *context, const struct tr_table_key *key,
                          bool *stop, struct tr_err *err)
{
    struct taking *t = context;
    const struct tr_table_cell *cell =
        tr_table_find_cell(t->row, key->unique->names[0]);
    tr_place place = cell ? cell->place : t->row->place;
    const struct tr_table_name name = {.set = tr_table_key_set(t->table, key),
                                       .value = key->text,
                                       .iri = t->iri,
                                       .spot = spot_of(t, place)};
    struct tr_table_spot other;
    tr_rdf_id holder;
    bool taken;
    *stop = false;
    if (!name.set.len)
        return no_memory(err);
    TR_TRY(
        tr_table_staging_name(&t->table->staging, &name, &taken, &other, err));
    if (taken)
        return tell_taken(t, key, place, &other);
    TR_TRY(tr_table_holder(t->table, key, &holder, err));
    return holder == TR_RDF_ID_NONE || holder == t->node
               ? TR_OK
               : hope_it_goes(t, key, holder, place);
}

/* An IRI that was drawn just now is nobody else's. */
static tr_status note_names(struct taking *t)
{
    struct tr_table *table = t->table;
    const struct tr_table_name name = {
        .set = {"", 0},
        .value = t->iri,
        .iri = t->iri,
        .spot = spot_of(t, t->id ? t->id->place : t->row->place)};
    bool is_drawn = !t->id && t->node == TR_RDF_ID_NONE &&
                    t->row->type->strategy == TR_MODEL_IRI_UUID;
    struct tr_table_spot other;
    bool taken = false;
    if (!is_drawn)
        TR_TRY(tr_table_staging_name(&table->staging, &name, &taken, &other,
                                     t->err));
    if (taken)
        return tr_table_tell(table, t->row->file, t->row, name.spot.place,
                             "line %u is <%.*s> too",
                             (unsigned)other.place.line, TR_FMT(t->iri));
    return tr_table_each_key(table, t->row->type, t->fields, note_key, t,
                             t->err);
}

static tr_status write_row(struct taking *t)
{
    struct tr_table *table = t->table;
    bool is_old = t->node != TR_RDF_ID_NONE;
    bool changed = false;
    TR_TRY(tr_table_drain(table, is_old, &changed, t->err));
    if (!is_old)
        table->counts.created++;
    else if (changed)
        table->counts.changed++;
    else
        table->counts.same++;
    return TR_OK;
}

static tr_status take(struct taking *t)
{
    struct tr_table *table = t->table;
    TR_TRY(take_cells(t));
    TR_TRY(find_node(t));
    if (t->node != TR_RDF_ID_NONE && !t->row->says_all)
        TR_TRY(add_what_stays(t));
    TR_TRY(change(t));
    if (t->row->is_bad && table->is_writing)
        return tr_fail(t->err, TR_E_CONFLICT,
                       "the store or the file has changed meanwhile: try "
                       "again");
    if (t->row->is_bad)
        return TR_OK;
    if (table->origins) {
        tr_table_note_origins(table, t->row, t->iri);
        return TR_OK;
    }
    return table->is_writing ? write_row(t) : note_names(t);
}

tr_status tr_table_take_row(struct tr_table *table, struct tr_table_row *row,
                            struct tr_err *err)
{
    struct taking t = {.table = table, .row = row, .err = err};
    tr_graph_kg_init(&table->kg, table->opts.changes, table->opts.model,
                     &table->arena);
    table->kg.seed = table->seed;
    table->kg.now_ms = table->now_ms;
    tr_status status = take(&t);
    tr_graph_kg_done(&table->kg);
    return status;
}
