#include "model/fill.h"

#include "base/limits.h"
#include "base/vec.h"
#include "fields/check.h"
#include "fields/kind.h"
#include "model/value_term.h"

/* A value that a node is to get. */
struct missing {
    tr_rdf_id node;
    tr_rdf_id home; /* the graph that it goes to */
    const struct tr_field *field;
    const struct tr_json *value;
};

struct filling {
    const struct tr_model_filling *how;
    const struct tr_rdf_graph *graph;
    struct tr_arena arena; /* of one value */
    struct tr_buf missing; /* struct missing */
};

/* Nodes ------------------------------------------------------------------- */

/* The first row of a node and a predicate. */
static tr_status find_row(const struct filling *f, tr_rdf_id node, tr_str iri,
                          tr_rdf_ids *out, bool *found, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_id predicate;
    *found = false;
    TR_TRY(tr_rdf_graph_find_iri(f->graph, iri, &predicate, err));
    if (predicate == TR_RDF_ID_NONE)
        return TR_OK;
    tr_rdf_graph_match(
        f->graph, (tr_rdf_ids){node, predicate, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        &cursor);
    *found = tr_rdf_cursor_next(&cursor, out);
    return tr_rdf_cursor_close(&cursor, err);
}

static size_t depth_of(const struct tr_model_type *type)
{
    size_t depth = 0;
    for (; type; type = type->parent)
        depth++;
    return depth;
}

/* The most specific type of a node, and the graph that says so: that one gets
 * what belongs to the node, too. */
static tr_status find_type(const struct filling *f, tr_rdf_id node,
                           const struct tr_model_type **out, tr_rdf_id *home,
                           struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    tr_rdf_id type;
    *out = NULL;
    TR_TRY(tr_rdf_graph_find_iri(f->graph, TR_STR(TR_RDF_IRI_RDF_TYPE), &type,
                                 err));
    if (type == TR_RDF_ID_NONE)
        return TR_OK;
    tr_rdf_graph_match(f->graph,
                       (tr_rdf_ids){node, type, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        tr_rdf_term term;
        status = tr_rdf_graph_get(f->graph, row.o, &term, err);
        const struct tr_model_type *found =
            status == TR_OK ? tr_model_find_iri(f->how->model, term.text)
                            : NULL;
        if (depth_of(found) > depth_of(*out)) {
            *out = found;
            *home = row.g;
        }
    }
    return tr_rdf_cursor_end(&cursor, status, err);
}

/* Defaults ---------------------------------------------------------------- */

static tr_status fill_field(struct filling *f, tr_rdf_id node, tr_rdf_id home,
                            const struct tr_field *field, struct tr_err *err)
{
    const struct tr_json *value = field->default_to;
    bool is_array = tr_field_is_array(field);
    size_t count = is_array ? value->len : 1;
    tr_rdf_ids row;
    bool has;
    TR_TRY(find_row(f, node, field->iri, &row, &has, err));
    for (size_t i = 0; !has && i < count; i++) {
        const struct missing one = {node, home, field,
                                    is_array ? &value->as.items[i] : value};
        tr_buf_put(&f->missing, (tr_str){(const char *)&one, sizeof(one)});
    }
    return tr_buf_check(&f->missing, err);
}

/* A list would need nodes of its own. */
static bool is_filled(const struct tr_field *field)
{
    return field->iri.len && field->default_to && !field->list;
}

static tr_status fill_fields(struct filling *f, tr_rdf_id node,
                             const struct tr_model_type *type, tr_rdf_id home,
                             struct tr_err *err)
{
    bool is_old = false;
    bool is_asked = false;
    for (size_t i = 0; i < type->shape->count && !is_old; i++) {
        const struct tr_field *field = &type->shape->fields[i];
        tr_rdf_term term;
        if (!is_filled(field))
            continue;
        if (!is_asked) {
            TR_TRY(tr_rdf_graph_get(f->graph, node, &term, err));
            TR_TRY(f->how->is_old(f->how->context, &term, &is_old, err));
        }
        is_asked = true;
        if (!is_old)
            TR_TRY(fill_field(f, node, home, field, err));
    }
    return TR_OK;
}

static tr_status put_value(struct filling *f, const struct missing *one,
                           struct tr_err *err)
{
    tr_rdf_quad quad = {.predicate = tr_rdf_term_iri(one->field->iri)};
    tr_arena_reset(&f->arena);
    TR_TRY(tr_rdf_graph_get(f->graph, one->node, &quad.subject, err));
    if (one->home != TR_RDF_ID_DEFAULT_GRAPH)
        TR_TRY(tr_rdf_graph_get(f->graph, one->home, &quad.graph, err));
    if (!tr_arena_copy(&f->arena, quad.subject.text, &quad.subject.text) ||
        !tr_arena_copy(&f->arena, quad.graph.text, &quad.graph.text))
        return tr_fail(err, TR_E_NOMEM, "no memory for a default");
    TR_TRY(tr_model_value_to_term(one->field, one->value, &f->arena,
                                  &quad.object, err));
    return f->how->put(f->how->context, &quad, err);
}

static tr_status put_missing(struct filling *f, struct tr_err *err)
{
    const struct missing *items = (const void *)f->missing.ptr;
    for (size_t i = 0; i < f->missing.len / sizeof(*items); i++)
        TR_TRY(put_value(f, &items[i], err));
    tr_buf_clear(&f->missing);
    return TR_OK;
}

/* Documents --------------------------------------------------------------- */

struct documents {
    struct filling *filling;
    const struct tr_field *field;
};

/* What is of another datatype is left to its shape. */
static tr_status check_document(void *context, tr_rdf_ids row,
                                struct tr_err *err)
{
    const struct documents *d = context;
    struct filling *f = d->filling;
    struct tr_field one = *d->field;
    struct tr_field_errors errors = {0};
    struct tr_json value;
    tr_rdf_term node;
    tr_rdf_term term;
    one.min_count = one.max_count = 0;
    tr_arena_reset(&f->arena);
    TR_TRY(tr_rdf_graph_get(f->graph, row.o, &term, err));
    if (!tr_str_eq(term.datatype, TR_STR(TR_RDF_IRI_RDF_JSON)))
        return TR_OK;
    tr_status status =
        tr_model_document_read(term.text, &f->arena, &value, NULL);
    const struct tr_json array = {
        .kind = TR_JSON_ARRAY, .len = 1, .as.items = &value};
    if (status == TR_OK)
        status = tr_field_check(&one, tr_field_is_array(&one) ? &array : &value,
                                &f->arena, &errors, NULL);
    if (status == TR_OK)
        return TR_OK;
    if (status != TR_E_VALIDATION)
        return tr_fail(err, status, "no memory for a document");
    TR_TRY(tr_rdf_graph_get(f->graph, row.s, &node, err));
    return tr_fail(err, status, "<%.*s>: %.*s", TR_FMT(node.text),
                   TR_FMT(errors.count ? errors.items[0].message
                                       : TR_STR("a document is no JSON")));
}

/* Each item; of a list that is in another graph, none. */
static tr_status check_list(void *context, tr_rdf_ids row, struct tr_err *err)
{
    const struct documents *d = context;
    tr_rdf_ids cell = row;
    bool found = true;
    for (size_t i = 0; i < TR_LIMIT_LIST_ITEMS; i++) {
        tr_rdf_ids item;
        TR_TRY(find_row(d->filling, cell.o, TR_STR(TR_RDF_IRI_RDF_FIRST), &item,
                        &found, err));
        if (!found)
            return TR_OK;
        row.o = item.o;
        TR_TRY(check_document(context, row, err));
        TR_TRY(find_row(d->filling, cell.o, TR_STR(TR_RDF_IRI_RDF_REST), &cell,
                        &found, err));
        if (!found)
            return TR_OK;
    }
    return TR_OK;
}

static bool is_document(const struct tr_field *field)
{
    return field->iri.len && field->kind == TR_FIELD_JSON;
}

/* Of one node, or of all with TR_RDF_ID_ANY. */
static tr_status check_documents(struct filling *f, tr_rdf_id node,
                                 const struct tr_shape *shape,
                                 struct tr_err *err)
{
    for (size_t i = 0; i < shape->count; i++) {
        struct documents d = {f, &shape->fields[i]};
        tr_rdf_id predicate;
        if (!is_document(d.field))
            continue;
        TR_TRY(tr_rdf_graph_find_iri(f->graph, d.field->iri, &predicate, err));
        if (predicate != TR_RDF_ID_NONE)
            TR_TRY(tr_rdf_graph_each(
                f->graph,
                (tr_rdf_ids){node, predicate, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                d.field->list ? check_list : check_document, &d, err));
    }
    return TR_OK;
}

/* The same of what may be an object in a node of this shape: it does not say
 * what it is, its predicates do. */
static tr_status check_parts(struct filling *f, tr_rdf_id node,
                             const struct tr_shape *shape, struct tr_err *err)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_shape *object = shape->fields[i].object;
        if (shape->fields[i].kind != TR_FIELD_OBJECT || !object)
            continue;
        TR_TRY(check_documents(f, node, object, err));
        TR_TRY(check_parts(f, node, object, err));
    }
    return TR_OK;
}

static tr_status check_all_parts(struct filling *f, tr_rdf_id node,
                                 struct tr_err *err)
{
    const struct tr_model *model = f->how->model;
    for (size_t i = 0; i < model->count; i++)
        TR_TRY(check_parts(f, node, model->types[i]->shape, err));
    return TR_OK;
}

static bool has_documents(const struct tr_shape *shape)
{
    bool has = false;
    for (size_t i = 0; i < shape->count && !has; i++) {
        const struct tr_field *field = &shape->fields[i];
        has = is_document(field) ||
              (field->kind == TR_FIELD_OBJECT && field->object &&
               has_documents(field->object));
    }
    return has;
}

/* All of it --------------------------------------------------------------- */

static tr_status see_node(struct filling *f, tr_rdf_id node, struct tr_err *err)
{
    const struct tr_model_type *type;
    tr_rdf_id home = TR_RDF_ID_DEFAULT_GRAPH;
    TR_TRY(find_type(f, node, &type, &home, err));
    if (!type)
        return check_all_parts(f, node, err);
    TR_TRY(check_documents(f, node, type->shape, err));
    return f->how->only_checks ? TR_OK : fill_fields(f, node, type, home, err);
}

/* A statement that says of what type a node is: of several, the one of the type
 * that it is shown as, and in one graph. */
static tr_status see_row(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct filling *f = context;
    const struct tr_model_type *type;
    tr_rdf_id home;
    tr_rdf_term term;
    TR_TRY(find_type(f, row.s, &type, &home, err));
    TR_TRY(tr_rdf_graph_get(f->graph, row.o, &term, err));
    return type && home == row.g && tr_str_eq(type->shape->iri, term.text)
               ? fill_fields(f, row.s, type, home, err)
               : TR_OK;
}

/* Documents of nodes whose type stands elsewhere are checked, too. */
static tr_status see_all(struct filling *f, struct tr_err *err)
{
    const struct tr_model *model = f->how->model;
    tr_rdf_id type;
    for (size_t i = 0; i < model->count; i++)
        TR_TRY(check_documents(f, TR_RDF_ID_ANY, model->types[i]->shape, err));
    TR_TRY(check_all_parts(f, TR_RDF_ID_ANY, err));
    TR_TRY(tr_rdf_graph_find_iri(f->graph, TR_STR(TR_RDF_IRI_RDF_TYPE), &type,
                                 err));
    if (type == TR_RDF_ID_NONE || f->how->only_checks)
        return TR_OK;
    return tr_rdf_graph_each(
        f->graph,
        (tr_rdf_ids){TR_RDF_ID_ANY, type, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        see_row, f, err);
}

static tr_status fill(const struct tr_model_filling *how, tr_rdf_id node,
                      struct tr_err *err)
{
    struct filling f = {.how = how, .graph = how->graph};
    tr_arena_init(&f.arena, TR_LIMIT_CHANGE_BYTES);
    tr_buf_init(&f.missing, TR_LIMIT_GRAPH_TABLE);
    tr_status status =
        node == TR_RDF_ID_ANY ? see_all(&f, err) : see_node(&f, node, err);
    if (status == TR_OK)
        status = put_missing(&f, err);
    tr_buf_done(&f.missing);
    tr_arena_done(&f.arena);
    return status;
}

tr_status tr_model_fill_node(const struct tr_model_filling *how, tr_rdf_id node,
                             struct tr_err *err)
{
    return fill(how, node, err);
}

tr_status tr_model_fill_all(const struct tr_model_filling *how,
                            struct tr_err *err)
{
    return fill(how, TR_RDF_ID_ANY, err);
}

bool tr_model_has_filling(const struct tr_model *model)
{
    for (size_t i = 0; model && i < model->count; i++) {
        const struct tr_shape *shape = model->types[i]->shape;
        for (size_t k = 0; k < shape->count; k++) {
            if (is_filled(&shape->fields[k]))
                return true;
        }
        if (has_documents(shape))
            return true;
    }
    return false;
}
