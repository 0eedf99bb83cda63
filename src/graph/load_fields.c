/*
 * What the fields of types say, beside their shapes, of nodes that are loaded:
 * those that are new get the defaults of fields that they do not have, and
 * documents are held against their schema.
 */
#include "base/limits.h"
#include "base/vec.h"
#include "fields/check.h"
#include "fields/kind.h"
#include "graph/load_inside.h"
#include "graph/row.h"
#include "model/model.h"
#include "model/value_term.h"

/* A value that a node is to get. */
struct missing {
    tr_rdf_id node;
    tr_rdf_id home; /* the graph that it goes to */
    const struct tr_field *field;
    const struct tr_json *value;
};

struct filling {
    struct tr_graph_load *load;
    const struct tr_rdf_graph *graph; /* what has been loaded */
    struct tr_arena arena;            /* of one node */
    struct tr_buf missing;            /* struct missing */
};

/* Nodes ------------------------------------------------------------------- */

/* Whether the store knew the node before. */
static tr_status was_there(const struct filling *f, tr_rdf_id node, bool *out,
                           struct tr_err *err)
{
    const struct tr_graph_load *load = f->load;
    struct tr_db_stmt *stmt;
    tr_rdf_term term;
    tr_rdf_id id = TR_RDF_ID_NONE;
    *out = false;
    TR_TRY(tr_rdf_graph_get(f->graph, node, &term, err));
    TR_TRY(tr_graph_terms_find(load->terms, &term, &id, err));
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(
        tr_db_prepare(load->db, "SELECT 1 FROM node WHERE s = ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Finds the first row of a node and a predicate. */
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
        TR_TRY(tr_graph_load_push(&f->missing, &one, sizeof(one), err));
    }
    return TR_OK;
}

/* A list would need nodes of its own. */
static bool is_filled(const struct tr_field *field)
{
    return field->iri.len && field->default_to && !field->list;
}

/* The graph that names the type of a node gets what belongs to it, too. */
static tr_status fill_node(struct filling *f, tr_rdf_id node,
                           const struct tr_model_type *type, tr_rdf_id home,
                           struct tr_err *err)
{
    bool is_old = false;
    bool is_seen = false;
    for (size_t i = 0; i < type->shape->count && !is_old; i++) {
        const struct tr_field *field = &type->shape->fields[i];
        if (!is_filled(field))
            continue;
        if (!is_seen)
            TR_TRY(was_there(f, node, &is_old, err));
        is_seen = true;
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
    if (f->graph == &f->load->stored.base) /* else the batch is what is read */
        TR_TRY(tr_graph_load_make_room(f->load, err));
    f->load->counts.filled++;
    return tr_graph_load_put(f->load, &quad, err);
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
    const struct tr_model_type *type;
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

static bool is_document(const struct tr_field *field)
{
    return field->iri.len && field->kind == TR_FIELD_JSON && !field->list;
}

/* Of one node, or of all with TR_RDF_ID_ANY. */
static tr_status check_documents(struct filling *f, tr_rdf_id node,
                                 const struct tr_model_type *type,
                                 struct tr_err *err)
{
    for (size_t i = 0; i < type->shape->count; i++) {
        struct documents d = {f, type, &type->shape->fields[i]};
        tr_rdf_id predicate;
        if (!is_document(d.field))
            continue;
        TR_TRY(tr_rdf_graph_find_iri(f->graph, d.field->iri, &predicate, err));
        if (predicate != TR_RDF_ID_NONE)
            TR_TRY(tr_rdf_graph_each(
                f->graph,
                (tr_rdf_ids){node, predicate, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                check_document, &d, err));
    }
    return TR_OK;
}

/* All of it --------------------------------------------------------------- */

/* The type that the node is shown as. */
static tr_status find_type(struct filling *f, tr_rdf_id node,
                           struct tr_graph_node_row *out, struct tr_err *err)
{
    tr_arena_reset(&f->arena);
    return tr_graph_row_make(f->graph, f->load->opts.model, node, &f->arena,
                             out, err);
}

/* A statement that says of what type a node is: of several, the one of the type
 * that it is shown as. */
static tr_status see_type(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct filling *f = context;
    struct tr_graph_node_row node;
    TR_TRY(find_type(f, row.s, &node, err));
    return node.declared && node.type == row.o
               ? fill_node(f, row.s, node.declared, row.g, err)
               : TR_OK;
}

static tr_status fill_batch(struct filling *f, struct tr_err *err)
{
    const struct tr_model *model = f->load->opts.model;
    tr_rdf_id type;
    f->graph = tr_rdf_memory_graph_view(f->load->batch);
    for (size_t i = 0; i < model->count; i++)
        TR_TRY(check_documents(f, TR_RDF_ID_ANY, model->types[i], err));
    TR_TRY(tr_rdf_graph_find_iri(f->graph, TR_STR(TR_RDF_IRI_RDF_TYPE), &type,
                                 err));
    if (type == TR_RDF_ID_NONE || f->load->opts.refused)
        return TR_OK;
    TR_TRY(tr_rdf_graph_each(
        f->graph,
        (tr_rdf_ids){TR_RDF_ID_ANY, type, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        see_type, f, err));
    TR_TRY(put_missing(f, err));
    return tr_rdf_memory_graph_index(f->load->batch, err);
}

static tr_status fill_subject(struct filling *f, tr_rdf_id id,
                              struct tr_err *err)
{
    struct tr_graph_node_row node;
    tr_rdf_ids row;
    bool found;
    TR_TRY(find_type(f, id, &node, err));
    if (!node.declared)
        return TR_OK;
    TR_TRY(check_documents(f, id, node.declared, err));
    if (f->load->opts.refused)
        return TR_OK;
    TR_TRY(find_row(f, id, TR_STR(TR_RDF_IRI_RDF_TYPE), &row, &found, err));
    TR_TRY(fill_node(f, id, node.declared,
                     found ? row.g : TR_RDF_ID_DEFAULT_GRAPH, err));
    return put_missing(f, err);
}

/* What was loaded is in the store; it gets a batch more. */
static tr_status fill_store(struct filling *f, struct tr_err *err)
{
    struct tr_graph_load *load = f->load;
    TR_TRY(tr_graph_load_flush(load, err));
    f->graph = &load->stored.base;
    size_t count = load->subjects.len / sizeof(struct tr_graph_load_subject);
    for (size_t i = 0; i < count; i++) {
        const struct tr_graph_load_subject *subjects =
            (const void *)load->subjects.ptr;
        TR_TRY(fill_subject(f, subjects[i].id, err));
        tr_graph_terms_trim(load->terms);
    }
    return tr_rdf_memory_graph_index(load->batch, err);
}

static bool has_fields(const struct tr_model *model)
{
    for (size_t i = 0; model && i < model->count; i++) {
        const struct tr_shape *shape = model->types[i]->shape;
        for (size_t k = 0; k < shape->count; k++) {
            if (is_filled(&shape->fields[k]) || is_document(&shape->fields[k]))
                return true;
        }
    }
    return false;
}

tr_status tr_graph_load_fields(struct tr_graph_load *load, struct tr_err *err)
{
    struct filling f = {.load = load};
    if (!has_fields(load->opts.model))
        return TR_OK;
    tr_arena_init(&f.arena, TR_LIMIT_CHANGE_BYTES);
    tr_buf_init(&f.missing, TR_LIMIT_GRAPH_TABLE);
    tr_status status =
        load->batches ? fill_store(&f, err) : fill_batch(&f, err);
    tr_buf_done(&f.missing);
    tr_arena_done(&f.arena);
    return status;
}
