#include "shacl/reader_inside.h"

static bool has_node(const struct tr_shacl_nodes *nodes, tr_rdf_id id)
{
    for (size_t i = 0; i < nodes->count; i++) {
        if (nodes->items[i] == id)
            return true;
    }
    return false;
}

/* Adds the subjects of a pattern that are not yet in the list; with
 * `sort_later` all of them, since the caller drops the doubles. */
static tr_status add_subjects(struct tr_shacl_reader *r, tr_rdf_ids pattern,
                              bool sort_later, struct tr_shacl_nodes *out)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_status status = TR_OK;
    tr_rdf_graph_match(r->graph, pattern, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        if (sort_later || !has_node(out, row.s))
            status = tr_shacl_nodes_push(r, out, row.s);
    }
    tr_status closed =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? r->err : NULL);
    return status != TR_OK ? status : closed;
}

static tr_status find(struct tr_shacl_reader *r, const char *iri,
                      tr_rdf_id *out)
{
    return tr_rdf_graph_find_iri(r->graph, tr_str_from(iri), out, r->err);
}

/* Adds every subclass of a class, itself first. */
static tr_status subclasses(struct tr_shacl_reader *r, tr_rdf_id class_id,
                            struct tr_shacl_nodes *out)
{
    tr_rdf_id subclass = TR_RDF_ID_NONE;
    TR_TRY(find(r, TR_RDF_NS_RDFS "subClassOf", &subclass));
    TR_TRY(tr_shacl_nodes_push(r, out, class_id));
    for (size_t i = 0; i < out->count; i++)
        TR_TRY(add_subjects(
            r,
            (tr_rdf_ids){TR_RDF_ID_ANY, subclass, out->items[i], TR_RDF_ID_ANY},
            false, out));
    return TR_OK;
}

tr_status tr_shacl_has_type(struct tr_shacl_reader *r, tr_rdf_id subject,
                            const struct tr_shacl_nodes *nodes, bool *out)
{
    tr_rdf_id type = TR_RDF_ID_NONE;
    *out = false;
    TR_TRY(find(r, TR_RDF_IRI_RDF_TYPE, &type));
    for (size_t i = 0; i < nodes->count && !*out; i++)
        TR_TRY(tr_rdf_graph_has(
            r->graph,
            (tr_rdf_ids){subject, type, nodes->items[i], TR_RDF_ID_ANY}, out,
            r->err));
    return TR_OK;
}

/* SHACL, section 1.1: instances are those of the subclasses too. */
static tr_status add_instances(struct tr_shacl_reader *r, const char *iri,
                               struct tr_shacl_nodes *out)
{
    struct tr_shacl_nodes classes = {0};
    tr_rdf_id class_id = TR_RDF_ID_NONE;
    tr_rdf_id type = TR_RDF_ID_NONE;
    TR_TRY(find(r, iri, &class_id));
    TR_TRY(find(r, TR_RDF_IRI_RDF_TYPE, &type));
    TR_TRY(subclasses(r, class_id, &classes));
    for (size_t i = 0; i < classes.count; i++)
        TR_TRY(add_subjects(
            r,
            (tr_rdf_ids){TR_RDF_ID_ANY, type, classes.items[i], TR_RDF_ID_ANY},
            true, out));
    return TR_OK;
}

/* SHACL 2.1: a node with a parameter is a shape, even when it has no type. */
static tr_status has_parameter(struct tr_shacl_reader *r, tr_rdf_id node,
                               bool *out)
{
    *out = false;
    for (int i = 0; i < TR_SHACL_COMPONENTS && !*out; i++) {
        char iri[128];
        tr_rdf_id property = TR_RDF_ID_NONE;
        (void)snprintf(
            iri, sizeof(iri), TR_RDF_NS_SH "%s",
            tr_shacl_component_info((enum tr_shacl_component)i)->parameter);
        TR_TRY(find(r, iri, &property));
        TR_TRY(tr_rdf_graph_has(
            r->graph,
            (tr_rdf_ids){node, property, TR_RDF_ID_ANY, TR_RDF_ID_ANY}, out,
            r->err));
    }
    return TR_OK;
}

static tr_status add_classes_with_shapes(struct tr_shacl_reader *r,
                                         struct tr_shacl_nodes *out)
{
    struct tr_shacl_nodes classes = {0};
    TR_TRY(add_instances(r, TR_RDF_NS_RDFS "Class", &classes));
    for (size_t i = 0; i < classes.count; i++) {
        bool is_shape = false;
        TR_TRY(has_parameter(r, classes.items[i], &is_shape));
        if (is_shape)
            TR_TRY(tr_shacl_nodes_push(r, out, classes.items[i]));
    }
    return TR_OK;
}

tr_status tr_shacl_find_roots(struct tr_shacl_reader *r)
{
    static const char *const targets[] = {
        TR_SHACL_IRI("targetNode"),
        TR_SHACL_IRI("targetClass"),
        TR_SHACL_IRI("targetSubjectsOf"),
        TR_SHACL_IRI("targetObjectsOf"),
    };
    struct tr_shacl_nodes roots = {0};
    tr_rdf_id class_id = TR_RDF_ID_NONE;
    TR_TRY(find(r, TR_RDF_NS_RDFS "Class", &class_id));
    TR_TRY(subclasses(r, class_id, &r->classes));
    TR_TRY(add_instances(r, TR_SHACL_IRI("NodeShape"), &roots));
    TR_TRY(add_instances(r, TR_SHACL_IRI("PropertyShape"), &roots));
    TR_TRY(add_classes_with_shapes(r, &roots));
    for (size_t i = 0; i < TR_LEN(targets); i++) {
        tr_rdf_id property = TR_RDF_ID_NONE;
        TR_TRY(find(r, targets[i], &property));
        TR_TRY(add_subjects(
            r,
            (tr_rdf_ids){TR_RDF_ID_ANY, property, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
            true, &roots));
    }
    tr_shacl_nodes_sort(&roots);
    for (size_t i = 0; i < roots.count; i++) {
        uint32_t unused;
        TR_TRY(tr_shacl_shape_at(r, roots.items[i], &unused));
    }
    return TR_OK;
}
