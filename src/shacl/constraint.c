#include "shacl/reader_inside.h"

/* What was read of one shape. */
struct constraints {
    tr_rdf_id node;
    const struct tr_shacl_path *path;
    struct tr_shacl_constraint *items;
    size_t count;
    size_t cap;
};

static void property_iri(enum tr_shacl_component component, char iri[128])
{
    (void)snprintf(iri, 128, TR_RDF_NS_SH "%s",
                   tr_shacl_component_info(component)->parameter);
}

static struct tr_shacl_constraint
new_constraint(enum tr_shacl_component component)
{
    return (struct tr_shacl_constraint){
        .component = component,
        .term = TR_SHACL_TERM_NO_NONE,
    };
}

static tr_status add(struct tr_shacl_reader *r, struct constraints *out,
                     struct tr_shacl_constraint constraint)
{
    return tr_vec_push(r->arena, out, constraint) ? TR_OK
                                                  : tr_shacl_fail_memory(r);
}

struct ordered {
    tr_rdf_id id;
    tr_rdf_term order; /* sh:order, or kind NONE */
};

static int compare_order(const void *a, const void *b)
{
    const struct ordered *x = a;
    const struct ordered *y = b;
    bool has_x = x->order.kind == TR_RDF_TERM_LITERAL;
    bool has_y = y->order.kind == TR_RDF_TERM_LITERAL;
    if (has_x && has_y) {
        enum tr_rdf_xsd_order order =
            tr_rdf_xsd_compare_terms(&x->order, &y->order);
        if (order == TR_RDF_XSD_LESS || order == TR_RDF_XSD_GREATER)
            return order;
    } else if (has_x != has_y) {
        return has_x ? -1 : 1;
    }
    return (x->id > y->id) - (x->id < y->id);
}

/* SHACL 2.3.2.2: sh:order first; else as they were written down. */
static tr_status sort_properties(struct tr_shacl_reader *r,
                                 struct tr_shacl_nodes *values)
{
    struct ordered *list =
        TR_NEW_ARRAY(r->arena, struct ordered, values->count);
    if (!list)
        return tr_shacl_fail_memory(r);
    for (size_t i = 0; i < values->count; i++) {
        struct tr_shacl_nodes orders;
        list[i].id = values->items[i];
        TR_TRY(tr_shacl_values(r, list[i].id, TR_SHACL_IRI("order"), &orders));
        if (orders.count)
            TR_TRY(tr_rdf_graph_get(r->graph, orders.items[0], &list[i].order,
                                    r->err));
    }
    if (values->count > 1)
        qsort(list, values->count, sizeof(*list), compare_order);
    for (size_t i = 0; i < values->count; i++)
        values->items[i] = list[i].id;
    return TR_OK;
}

/* SHACL 4.7.3: the counts mean something only with a shape to count by. */
static tr_status read_qualified(struct tr_shacl_reader *r,
                                enum tr_shacl_component component,
                                tr_rdf_id value, struct constraints *out)
{
    struct tr_shacl_constraint constraint = new_constraint(component);
    tr_rdf_id disjoint = TR_RDF_ID_NONE;
    const char *parameter = tr_shacl_component_info(component)->parameter;
    TR_TRY(tr_shacl_read_count(r, value, parameter, &constraint.number));
    uint32_t *shape = TR_NEW(r->arena, uint32_t);
    if (!shape)
        return tr_shacl_fail_memory(r);
    uint32_t own = r->shape_of.items[r->at] - 1;
    *shape = r->list.items[own].qualified;
    if (*shape == TR_SHACL_SHAPE_NONE)
        return TR_OK;
    TR_TRY(tr_shacl_value(
        r, out->node, TR_SHACL_IRI("qualifiedValueShapesDisjoint"), &disjoint));
    TR_TRY(tr_shacl_read_true(r, disjoint, "qualifiedValueShapesDisjoint",
                              &constraint.disjoint));
    constraint.shapes = shape;
    constraint.shape_count = 1;
    return add(r, out, constraint);
}

/* SHACL 4.8.1. The predicates of the properties are added by the linker. */
static tr_status read_ignored(struct tr_shacl_reader *r, tr_rdf_id node,
                              struct tr_shacl_constraint *closed)
{
    tr_rdf_id list = TR_RDF_ID_NONE;
    struct tr_shacl_constraint ignored = new_constraint(TR_SHACL_IN);
    TR_TRY(tr_shacl_value(r, node, TR_SHACL_IRI("ignoredProperties"), &list));
    if (list == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_shacl_read_parameter(r, list, &ignored));
    for (size_t i = 0; i < ignored.term_count; i++) {
        if (r->terms.items[ignored.terms[i]].kind != TR_RDF_TERM_IRI)
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "sh:ignoredProperties must be a list of IRIs");
    }
    closed->terms = ignored.terms;
    closed->term_count = ignored.term_count;
    return TR_OK;
}

static tr_status read_true(struct tr_shacl_reader *r,
                           enum tr_shacl_component component, tr_rdf_id value,
                           struct constraints *out)
{
    struct tr_shacl_constraint constraint = new_constraint(component);
    const char *parameter = tr_shacl_component_info(component)->parameter;
    bool is_on = false;
    TR_TRY(tr_shacl_read_true(r, value, parameter, &is_on));
    if (!is_on)
        return TR_OK;
    if (component == TR_SHACL_CLOSED)
        TR_TRY(read_ignored(r, out->node, &constraint));
    return add(r, out, constraint);
}

static tr_status read_one(struct tr_shacl_reader *r,
                          enum tr_shacl_component component, tr_rdf_id value,
                          struct constraints *out)
{
    enum tr_shacl_parameter kind = tr_shacl_component_info(component)->kind;
    struct tr_shacl_constraint constraint = new_constraint(component);
    if (kind == TR_SHACL_PARAMETER_QUALIFIED)
        return read_qualified(r, component, value, out);
    if (kind == TR_SHACL_PARAMETER_TRUE)
        return read_true(r, component, value, out);
    TR_TRY(tr_shacl_read_parameter(r, value, &constraint));
    if (component == TR_SHACL_PATTERN) {
        tr_rdf_id flags = TR_RDF_ID_NONE;
        TR_TRY(tr_shacl_value(r, out->node, TR_SHACL_IRI("flags"), &flags));
        TR_TRY(tr_shacl_read_pattern(r, flags, &constraint));
    }
    return add(r, out, constraint);
}

static tr_status read_component(struct tr_shacl_reader *r,
                                enum tr_shacl_component component,
                                struct constraints *out)
{
    const struct tr_shacl_component_info *info =
        tr_shacl_component_info(component);
    struct tr_shacl_nodes values;
    char iri[128];
    property_iri(component, iri);
    TR_TRY(tr_shacl_values(r, out->node, iri, &values));
    if (values.count > 1 && !info->many)
        return tr_shacl_fail(r, TR_E_INVALID, "sh:%s has %zu values, not one",
                             info->parameter, values.count);
    bool is_qualified = info->kind == TR_SHACL_PARAMETER_QUALIFIED;
    if (values.count && info->property_only && !out->path && !is_qualified)
        return tr_shacl_fail(r, TR_E_INVALID, "sh:%s needs a shape with a path",
                             info->parameter);
    if (component == TR_SHACL_PROPERTY)
        TR_TRY(sort_properties(r, &values));
    for (size_t i = 0; i < values.count; i++)
        TR_TRY(read_one(r, component, values.items[i], out));
    return TR_OK;
}

static tr_status read_value_shape(struct tr_shacl_reader *r, tr_rdf_id node,
                                  bool is_property, uint32_t *out)
{
    tr_rdf_id shape = TR_RDF_ID_NONE;
    TR_TRY(
        tr_shacl_value(r, node, TR_SHACL_IRI("qualifiedValueShape"), &shape));
    if (shape == TR_RDF_ID_NONE)
        return TR_OK;
    if (!is_property)
        return tr_shacl_fail(r, TR_E_INVALID,
                             "sh:qualifiedValueShape needs a shape with a "
                             "path");
    return tr_shacl_shape_at(r, shape, out);
}

tr_status tr_shacl_read_constraints(struct tr_shacl_reader *r,
                                    struct tr_shacl_shape *shape)
{
    struct constraints list = {.node = r->ids.items[r->at],
                               .path = shape->path};
    uint32_t own = r->shape_of.items[r->at] - 1;
    TR_TRY(
        read_value_shape(r, list.node, shape->path != NULL, &shape->qualified));
    r->list.items[own].qualified = shape->qualified;
    for (int i = 0; i < TR_SHACL_COMPONENTS; i++)
        TR_TRY(read_component(r, (enum tr_shacl_component)i, &list));
    shape->constraints = list.items;
    shape->constraint_count = list.count;
    return TR_OK;
}
