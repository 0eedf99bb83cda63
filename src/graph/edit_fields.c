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

static tr_status add_value(struct tr_graph_kg *kg, tr_str subject,
                           const struct tr_field *field,
                           const struct tr_json *value, struct tr_err *err)
{
    struct tr_field_error error = {.field = field->name, .value = *value};
    struct tr_err why = {0};
    tr_rdf_term term = {0};
    tr_status status =
        tr_model_value_to_term(field, value, kg->arena, &term, &why);
    if (status == TR_OK && field->kind == TR_FIELD_REF)
        status = expect_whole(kg, field, term.text, &error, &why);
    if (status == TR_OK)
        return tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, subject, field->iri,
                                  &term, err);
    if (err)
        *err = why;
    if (status != TR_E_VALIDATION)
        return status;
    if (!error.code.len)
        error.code = TR_STR("type");
    error.message = tr_str_from(why.msg);
    if (!tr_field_errors_add(kg->arena, &kg->errors, &error))
        return no_memory(err);
    return tr_field_errors_verdict(&kg->errors, err);
}

/* An object is said of a node of its own, which its owner refers to. */
static tr_status add_object(struct tr_graph_kg *kg, tr_str subject,
                            const struct tr_field *field,
                            const struct tr_json *value, size_t number,
                            struct tr_err *err)
{
    struct tr_buf text;
    tr_str part;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    tr_graph_part_write(&text, subject, field->name, number);
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(kg->arena, tr_buf_str(&text), &part))
        status = no_memory(err);
    tr_buf_done(&text);
    TR_TRY(status);
    const tr_rdf_term term = tr_rdf_term_iri(part);
    TR_TRY(tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, subject, field->iri, &term,
                              err));
    return tr_graph_kg_add_fields(kg, field->object, part, value, err);
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

static tr_status add_cells(struct tr_graph_kg *kg, tr_str subject,
                           const struct tr_field *field,
                           const struct tr_json *list, struct tr_buf cells[2],
                           struct tr_err *err)
{
    struct tr_field item = *field;
    size_t start = cells[0].len;
    tr_str before = subject;
    tr_str predicate = field->iri;
    item.iri = TR_STR(TR_RDF_IRI_RDF_FIRST);
    for (size_t i = 0; i < list->len; i++) {
        struct tr_buf *cell = &cells[i % 2];
        cell->len = start;
        tr_buf_putf(cell, "%zu", i + 1);
        TR_TRY(tie(kg, cell, before, predicate, err));
        before = tr_buf_str(cell);
        predicate = TR_STR(TR_RDF_IRI_RDF_REST);
        TR_TRY(add_value(kg, before, &item, &list->as.items[i], err));
    }
    const tr_rdf_term end = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_NIL));
    return tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, before, predicate, &end,
                              err);
}

/* A list is a chain of cells (RDF 1.1 Schema, 5.2). One without items is not
 * there, as is a set without values. */
static tr_status add_list(struct tr_graph_kg *kg, tr_str subject,
                          const struct tr_field *field,
                          const struct tr_json *list, struct tr_err *err)
{
    struct tr_buf cells[2];
    if (!list->len)
        return TR_OK;
    for (size_t i = 0; i < TR_LEN(cells); i++) {
        tr_buf_init(&cells[i], TR_LIMIT_URI_BYTES);
        tr_graph_part_write_cells(&cells[i], kg->model, subject, field->iri);
    }
    tr_status status = add_cells(kg, subject, field, list, cells, err);
    for (size_t i = 0; i < TR_LEN(cells); i++)
        tr_buf_done(&cells[i]);
    return status;
}

static tr_status add_one(struct tr_graph_kg *kg, tr_str subject,
                         const struct tr_field *field,
                         const struct tr_json *value, size_t number,
                         struct tr_err *err)
{
    return field->object ? add_object(kg, subject, field, value, number, err)
                         : add_value(kg, subject, field, value, err);
}

static tr_status add_field(struct tr_graph_kg *kg, tr_str subject,
                           const struct tr_field *field,
                           const struct tr_json *value, struct tr_err *err)
{
    bool is_array = value->kind == TR_JSON_ARRAY;
    if (field->list && is_array)
        return add_list(kg, subject, field, value, err);
    if (!field->many || !is_array)
        return add_one(kg, subject, field, value, 0, err);
    for (size_t i = 0; i < value->len; i++)
        TR_TRY(add_one(kg, subject, field, &value->as.items[i], i + 1, err));
    return TR_OK;
}

tr_status tr_graph_kg_add_fields(struct tr_graph_kg *kg,
                                 const struct tr_shape *shape, tr_str subject,
                                 const struct tr_json *fields,
                                 struct tr_err *err)
{
    for (size_t i = 0; i < fields->len; i++) {
        const struct tr_json_member *member = &fields->as.members[i];
        const struct tr_field *field =
            tr_shape_find(shape, tr_json_text(&member->key));
        if (field && member->value.kind != TR_JSON_NULL)
            TR_TRY(add_field(kg, subject, field, &member->value, err));
    }
    return TR_OK;
}
