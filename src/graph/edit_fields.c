#include "base/limits.h"
#include "graph/edit.h"
#include "graph/part.h"
#include "model/value_term.h"

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a node");
}

/* Every change goes through here: what is asked for is spelt as the store has
 * it, also when it is to go. */
tr_status tr_graph_kg_put_op(struct tr_graph_kg *kg, enum tr_graph_op_kind kind,
                             const tr_rdf_quad *quad, struct tr_err *err)
{
    tr_rdf_quad own = *quad;
    struct tr_buf room;
    bool changed;
    tr_buf_init(&room, TR_LIMIT_RDF_TERM);
    tr_status status = tr_model_spell(kg->model, own.predicate.text,
                                      &own.object, &room, &changed, err);
    if (status == TR_OK)
        status = tr_graph_changeset_add(&kg->changes, kind, &own, err);
    tr_buf_done(&room);
    return status;
}

tr_status tr_graph_kg_add_op(struct tr_graph_kg *kg, enum tr_graph_op_kind kind,
                             tr_str subject, tr_str predicate,
                             const tr_rdf_term *object, struct tr_err *err)
{
    tr_rdf_quad quad = {.subject = tr_rdf_term_iri(subject)};
    if (predicate.len)
        quad.predicate = tr_rdf_term_iri(predicate);
    if (object)
        quad.object = *object;
    return tr_graph_kg_put_op(kg, kind, &quad, err);
}

/* Nothing refers to a part but its owner, which may drop it. */
static tr_status expect_whole(struct tr_graph_kg *kg,
                              const struct tr_field *field, tr_str iri,
                              struct tr_field_error *error, struct tr_err *err)
{
    tr_str owner;
    TR_TRY(tr_graph_kg_owner_of(kg, iri, &owner, err));
    if (!owner.len)
        return TR_OK;
    error->code = TR_STR("node_kind");
    return tr_fail(err, TR_E_VALIDATION,
                   "%.*s: this is a part of <%.*s>: refer to that",
                   TR_FMT(field->name), TR_FMT(owner));
}

/* What is said of a node, or of an object in one. */
struct adding {
    struct tr_graph_kg *kg;
    tr_str subject;
    const struct tr_field_holder *at; /* NULL: the node itself */
};

/* The reason begins with the field's name, to which there may be a way. */
static tr_status refuse(const struct adding *a, const struct tr_field *field,
                        struct tr_field_error error, const struct tr_err *why,
                        struct tr_err *err)
{
    struct tr_graph_kg *kg = a->kg;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE_BYTES + TR_LIMIT_DESCRIPTION_BYTES);
    tr_field_holder_put(&text, a->at);
    tr_buf_put(&text, field->name);
    size_t len = text.len;
    tr_buf_put(&text, tr_str_skip(tr_str_from(why->msg), field->name.len));
    bool is_added = false;
    if (text.failed == TR_OK) {
        error.field = (tr_str){text.ptr, len};
        error.message = tr_buf_str(&text);
        is_added = tr_field_errors_add(kg->arena, &kg->errors, &error);
    }
    tr_buf_done(&text);
    return is_added ? tr_field_errors_verdict(&kg->errors, err)
                    : no_memory(err);
}

static tr_status add_value(const struct adding *a, const struct tr_field *field,
                           const struct tr_json *value, struct tr_err *err)
{
    struct tr_graph_kg *kg = a->kg;
    struct tr_field_error error = {.value = *value};
    struct tr_err why = {0};
    tr_rdf_term term = {0};
    tr_status status =
        tr_model_value_to_term(field, value, kg->arena, &term, &why);
    if (status == TR_OK && field->kind == TR_FIELD_REF)
        status = expect_whole(kg, field, term.text, &error, &why);
    if (status == TR_OK)
        return tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, a->subject, field->iri,
                                  &term, err);
    if (err)
        *err = why;
    if (status != TR_E_VALIDATION)
        return status;
    if (!error.code.len)
        error.code = TR_STR("type");
    return refuse(a, field, error, &why, err);
}

static tr_status add_members(const struct adding *a,
                             const struct tr_shape *shape,
                             const struct tr_json *fields, struct tr_err *err);

/* An object is said of a node of its own, which its owner refers to. */
static tr_status add_object(const struct adding *a,
                            const struct tr_field *field,
                            const struct tr_json *value, size_t number,
                            struct tr_err *err)
{
    const struct tr_field_holder at = {a->at, field->name, number};
    struct adding inner = {.kg = a->kg, .at = &at};
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    tr_graph_part_write(&text, a->subject, field->name, number);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK &&
        !tr_arena_copy(a->kg->arena, tr_buf_str(&text), &inner.subject))
        status = no_memory(err);
    tr_buf_done(&text);
    TR_TRY(status);
    const tr_rdf_term term = tr_rdf_term_iri(inner.subject);
    TR_TRY(tr_graph_kg_add_op(a->kg, TR_GRAPH_OP_ADD, a->subject, field->iri,
                              &term, err));
    return add_members(&inner, field->object, value, err);
}

/* Ties a cell to what comes before it; `cell` is the end of the IRI. */
static tr_status tie(struct tr_graph_kg *kg, const struct tr_buf *cell,
                     tr_str before, tr_str predicate, struct tr_err *err)
{
    const tr_rdf_term next = tr_rdf_term_iri(tr_buf_str(cell));
    TR_TRY(tr_buf_check(cell, err));
    return tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, before, predicate, &next,
                              err);
}

static tr_status add_cells(const struct adding *a, const struct tr_field *field,
                           const struct tr_json *list, struct tr_buf cells[2],
                           struct tr_err *err)
{
    struct adding cell_of = *a;
    struct tr_field item = *field;
    size_t start = cells[0].len;
    tr_str predicate = field->iri;
    item.iri = TR_STR(TR_RDF_IRI_RDF_FIRST);
    for (size_t i = 0; i < list->len; i++) {
        struct tr_buf *cell = &cells[i % 2];
        cell->len = start;
        tr_buf_putf(cell, "%zu", i + 1);
        TR_TRY(tie(a->kg, cell, cell_of.subject, predicate, err));
        cell_of.subject = tr_buf_str(cell);
        predicate = TR_STR(TR_RDF_IRI_RDF_REST);
        TR_TRY(add_value(&cell_of, &item, &list->as.items[i], err));
    }
    const tr_rdf_term end = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_NIL));
    return tr_graph_kg_add_op(a->kg, TR_GRAPH_OP_ADD, cell_of.subject,
                              predicate, &end, err);
}

/* A list is a chain of cells (RDF 1.1 Schema, 5.2). One without items is not
 * there, as is a set without values. */
static tr_status add_list(const struct adding *a, const struct tr_field *field,
                          const struct tr_json *list, struct tr_err *err)
{
    struct tr_buf cells[2];
    tr_status status = TR_OK;
    if (!list->len)
        return TR_OK;
    for (size_t i = 0; i < TR_LEN(cells); i++) {
        tr_buf_init(&cells[i], TR_LIMIT_URI_BYTES);
        tr_graph_part_write_cells(&cells[i], a->kg->model, a->subject,
                                  field->iri);
        if (status == TR_OK)
            status = tr_buf_check(&cells[i], err);
    }
    if (status == TR_OK)
        status = add_cells(a, field, list, cells, err);
    for (size_t i = 0; i < TR_LEN(cells); i++)
        tr_buf_done(&cells[i]);
    return status;
}

static tr_status add_one(const struct adding *a, const struct tr_field *field,
                         const struct tr_json *value, size_t number,
                         struct tr_err *err)
{
    return field->object ? add_object(a, field, value, number, err)
                         : add_value(a, field, value, err);
}

static tr_status add_field(const struct adding *a, const struct tr_field *field,
                           const struct tr_json *value, struct tr_err *err)
{
    bool is_array = value->kind == TR_JSON_ARRAY;
    if (field->list && is_array)
        return add_list(a, field, value, err);
    if (!field->many || !is_array)
        return add_one(a, field, value, 0, err);
    for (size_t i = 0; i < value->len; i++)
        TR_TRY(add_one(a, field, &value->as.items[i], i + 1, err));
    return TR_OK;
}

static tr_status add_members(const struct adding *a,
                             const struct tr_shape *shape,
                             const struct tr_json *fields, struct tr_err *err)
{
    for (size_t i = 0; i < fields->len; i++) {
        const struct tr_json_member *member = &fields->as.members[i];
        const struct tr_field *field =
            tr_shape_find(shape, tr_json_text(&member->key));
        if (field && member->value.kind != TR_JSON_NULL)
            TR_TRY(add_field(a, field, &member->value, err));
    }
    return TR_OK;
}

tr_status tr_graph_kg_add_fields(struct tr_graph_kg *kg,
                                 const struct tr_shape *shape, tr_str subject,
                                 const struct tr_json *fields,
                                 struct tr_err *err)
{
    const struct adding adding = {.kg = kg, .subject = subject};
    return add_members(&adding, shape, fields, err);
}
