#include "graph/row.h"

#include "base/limits.h"
#include "model/model.h"

#define IRI_LABEL TR_RDF_NS_RDFS "label"

struct making {
    const struct tr_rdf_graph *graph;
    const struct tr_model *model;
    tr_rdf_id subject;
    struct tr_arena *arena;
    struct tr_graph_node_row row;
    tr_str class_iri; /* of row.type */
    size_t depth;     /* of row.declared, from 1 */
    tr_rdf_term label;
    struct tr_buf text; /* for search */
};

/* A value that stands in two graphs comes twice. */
static tr_status each_value(struct making *m, tr_str predicate,
                            tr_rdf_graph_row_fn *visit, struct tr_err *err)
{
    tr_rdf_id p;
    TR_TRY(tr_rdf_graph_find_iri(m->graph, predicate, &p, err));
    return tr_rdf_graph_each(
        m->graph, (tr_rdf_ids){m->subject, p, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
        visit, m, err);
}

size_t tr_graph_type_depth(const struct tr_model_type *type)
{
    size_t depth = 0;
    for (; type; type = type->parent)
        depth++;
    return depth;
}

/* The deepest declared type; among equals the first by IRI, so that the order
 * of quads does not show. */
static tr_status see_class(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct making *m = context;
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(m->graph, row.o, &term, err));
    if (term.kind != TR_RDF_TERM_IRI && term.kind != TR_RDF_TERM_BLANK)
        return TR_OK;
    const struct tr_model_type *type =
        m->model ? tr_model_find_iri(m->model, term.text) : NULL;
    size_t depth = tr_graph_type_depth(type);
    if (m->row.has_type &&
        (depth < m->depth ||
         (depth == m->depth && tr_str_cmp(term.text, m->class_iri) >= 0)))
        return TR_OK;
    m->row.has_type = true;
    m->row.type = row.o;
    m->row.declared = type;
    m->class_iri = term.text;
    m->depth = depth;
    return TR_OK;
}

static tr_status see_label(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct making *m = context;
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(m->graph, row.o, &term, err));
    if (term.kind != TR_RDF_TERM_LITERAL)
        return TR_OK;
    bool is_better = !m->row.has_label;
    if (!is_better && !term.language.len != !m->label.language.len)
        is_better = !term.language.len;
    else if (!is_better)
        is_better = tr_rdf_term_cmp(&term, &m->label) < 0;
    if (is_better)
        m->label = term;
    m->row.has_label = true;
    return TR_OK;
}

static tr_status see_text(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct making *m = context;
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(m->graph, row.o, &term, err));
    if (term.kind != TR_RDF_TERM_LITERAL)
        return TR_OK;
    if (m->text.len)
        tr_buf_putc(&m->text, '\n');
    tr_buf_put(&m->text, term.text);
    return tr_buf_check(&m->text, err);
}

static tr_status make_label(struct making *m, struct tr_err *err)
{
    const struct tr_model_type *type = m->row.declared;
    const struct tr_field *field = type && type->label.len
                                       ? tr_shape_find(type->shape, type->label)
                                       : NULL;
    if (field)
        TR_TRY(each_value(m, field->iri, see_label, err));
    if (!m->row.has_label)
        TR_TRY(each_value(m, TR_STR(IRI_LABEL), see_label, err));
    if (m->row.has_label &&
        !tr_arena_copy(m->arena, m->label.text, &m->row.label))
        return tr_fail(err, TR_E_NOMEM, "no memory for a label");
    return TR_OK;
}

static tr_status make_search(struct making *m, struct tr_err *err)
{
    const struct tr_model_type *type = m->row.declared;
    for (size_t i = 0; type && i < type->shape->count; i++) {
        if (type->shape->fields[i].search)
            TR_TRY(each_value(m, type->shape->fields[i].iri, see_text, err));
    }
    if (m->text.len &&
        !tr_arena_copy(m->arena, tr_buf_str(&m->text), &m->row.search))
        return tr_fail(err, TR_E_NOMEM, "no memory for a search text");
    return TR_OK;
}

tr_status tr_graph_row_make(const struct tr_rdf_graph *graph,
                            const struct tr_model *model, tr_rdf_id subject,
                            struct tr_arena *arena,
                            struct tr_graph_node_row *out, struct tr_err *err)
{
    struct making m = {
        .graph = graph, .model = model, .subject = subject, .arena = arena};
    tr_buf_init(&m.text, TR_LIMIT_CHANGE_BYTES);
    tr_status status =
        each_value(&m, TR_STR(TR_RDF_IRI_RDF_TYPE), see_class, err);
    if (status == TR_OK)
        status = make_label(&m, err);
    if (status == TR_OK)
        status = make_search(&m, err);
    tr_buf_done(&m.text);
    if (status == TR_OK)
        *out = m.row;
    return status;
}
