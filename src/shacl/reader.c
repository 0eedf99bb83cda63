#include "shacl/reader_inside.h"
#include "shacl/shapes.h"

static tr_status read_targets_of(struct tr_shacl_reader *r, tr_rdf_id node,
                                 const char *property,
                                 enum tr_shacl_target_kind kind,
                                 struct tr_shacl_shape *shape)
{
    struct tr_shacl_nodes values;
    TR_TRY(tr_shacl_values(r, node, property, &values));
    struct tr_shacl_target *targets = TR_NEW_ARRAY(
        r->arena, struct tr_shacl_target, shape->target_count + values.count);
    if (!targets)
        return tr_shacl_fail_memory(r);
    if (shape->target_count)
        memcpy(targets, shape->targets, shape->target_count * sizeof(*targets));
    for (size_t i = 0; i < values.count; i++) {
        struct tr_shacl_target target = {kind, TR_SHACL_TERM_NO_NONE};
        TR_TRY(tr_shacl_term(r, values.items[i], &target.term));
        tr_rdf_term_kind found = r->terms.items[target.term].kind;
        if (found != TR_RDF_TERM_IRI &&
            (kind != TR_SHACL_TARGET_NODE || found == TR_RDF_TERM_BLANK))
            return tr_shacl_fail(r, TR_E_INVALID, "%s must be an IRI%s",
                                 strrchr(property, '#') + 1,
                                 kind == TR_SHACL_TARGET_NODE ? " or a literal"
                                                              : "");
        targets[shape->target_count + i] = target;
    }
    shape->targets = targets;
    shape->target_count += values.count;
    return TR_OK;
}

/* SHACL 2.1.3.3: a shape that is a class targets its own instances. */
static tr_status read_implicit_target(struct tr_shacl_reader *r, tr_rdf_id node,
                                      struct tr_shacl_shape *shape)
{
    bool is_class = false;
    TR_TRY(tr_shacl_has_type(r, node, &r->classes, &is_class));
    if (!is_class || r->terms.items[shape->term].kind != TR_RDF_TERM_IRI)
        return TR_OK;
    struct tr_shacl_target *targets =
        TR_NEW_ARRAY(r->arena, struct tr_shacl_target, shape->target_count + 1);
    if (!targets)
        return tr_shacl_fail_memory(r);
    if (shape->target_count)
        memcpy(targets, shape->targets, shape->target_count * sizeof(*targets));
    targets[shape->target_count++] =
        (struct tr_shacl_target){TR_SHACL_TARGET_CLASS, shape->term};
    shape->targets = targets;
    return TR_OK;
}

static tr_status read_targets(struct tr_shacl_reader *r, tr_rdf_id node,
                              struct tr_shacl_shape *shape)
{
    static const struct {
        const char *property;
        enum tr_shacl_target_kind kind;
    } kinds[] = {
        {TR_SHACL_IRI("targetNode"), TR_SHACL_TARGET_NODE},
        {TR_SHACL_IRI("targetClass"), TR_SHACL_TARGET_CLASS},
        {TR_SHACL_IRI("targetSubjectsOf"), TR_SHACL_TARGET_SUBJECTS_OF},
        {TR_SHACL_IRI("targetObjectsOf"), TR_SHACL_TARGET_OBJECTS_OF},
    };
    for (size_t i = 0; i < TR_LEN(kinds); i++)
        TR_TRY(
            read_targets_of(r, node, kinds[i].property, kinds[i].kind, shape));
    return read_implicit_target(r, node, shape);
}

static tr_status read_messages(struct tr_shacl_reader *r, tr_rdf_id node,
                               struct tr_shacl_shape *shape)
{
    struct tr_shacl_nodes values;
    TR_TRY(tr_shacl_values(r, node, TR_SHACL_IRI("message"), &values));
    tr_shacl_term_no *messages =
        TR_NEW_ARRAY(r->arena, tr_shacl_term_no, values.count);
    if (!messages)
        return tr_shacl_fail_memory(r);
    for (size_t i = 0; i < values.count; i++) {
        TR_TRY(tr_shacl_term(r, values.items[i], &messages[i]));
        const tr_rdf_term *term = &r->terms.items[messages[i]];
        enum tr_rdf_xsd_type type = tr_rdf_xsd_type_of(term->datatype);
        if (term->kind != TR_RDF_TERM_LITERAL ||
            (type != TR_RDF_XSD_STRING && type != TR_RDF_XSD_LANG_STRING))
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "sh:message must be a string");
    }
    shape->messages = messages;
    shape->message_count = values.count;
    return TR_OK;
}

/* Text for people, of which any one will do. */
static tr_status read_words(struct tr_shacl_reader *r, tr_rdf_id node,
                            const char *property, tr_str *out)
{
    struct tr_shacl_nodes values;
    tr_rdf_term term;
    TR_TRY(tr_shacl_values(r, node, property, &values));
    if (!values.count)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(r->graph, values.items[0], &term, r->err));
    if (term.kind == TR_RDF_TERM_LITERAL &&
        !tr_arena_copy(r->arena, term.text, out))
        return tr_shacl_fail_memory(r);
    return TR_OK;
}

/* SHACL 2.3.2: for those who make forms; a validator does not look at it. */
static tr_status read_default(struct tr_shacl_reader *r, tr_rdf_id node,
                              struct tr_shacl_shape *shape)
{
    struct tr_shacl_nodes values;
    shape->default_value = TR_SHACL_TERM_NO_NONE;
    TR_TRY(tr_shacl_values(r, node, TR_SHACL_IRI("defaultValue"), &values));
    return values.count == 1
               ? tr_shacl_term(r, values.items[0], &shape->default_value)
               : TR_OK;
}

static tr_status read_severity(struct tr_shacl_reader *r, tr_rdf_id node,
                               struct tr_shacl_shape *shape)
{
    tr_rdf_id severity = TR_RDF_ID_NONE;
    tr_rdf_id off = TR_RDF_ID_NONE;
    tr_rdf_term violation = tr_rdf_term_iri(TR_STR(TR_SHACL_IRI("Violation")));
    TR_TRY(tr_shacl_value(r, node, TR_SHACL_IRI("deactivated"), &off));
    TR_TRY(tr_shacl_read_true(r, off, "deactivated", &shape->deactivated));
    TR_TRY(tr_shacl_value(r, node, TR_SHACL_IRI("severity"), &severity));
    if (severity == TR_RDF_ID_NONE)
        return tr_shacl_intern(r, &violation, TR_RDF_ID_NONE, &shape->severity);
    TR_TRY(tr_shacl_term(r, severity, &shape->severity));
    if (r->terms.items[shape->severity].kind != TR_RDF_TERM_IRI)
        return tr_shacl_fail(r, TR_E_INVALID, "sh:severity must be an IRI");
    return TR_OK;
}

/* A constraint that is not implemented must not look as if it held. */
static tr_status refuse_sparql(struct tr_shacl_reader *r, tr_rdf_id node)
{
    static const char *const properties[] = {
        TR_SHACL_IRI("sparql"), TR_SHACL_IRI("target"), TR_SHACL_IRI("js")};
    for (size_t i = 0; i < TR_LEN(properties); i++) {
        struct tr_shacl_nodes values;
        TR_TRY(tr_shacl_values(r, node, properties[i], &values));
        if (values.count)
            return tr_shacl_fail(r, TR_E_UNSUPPORTED,
                                 "sh:%s is not part of SHACL Core, which is "
                                 "what there is",
                                 strrchr(properties[i], '#') + 1);
    }
    return TR_OK;
}

/* SHACL 2.2 and 2.3: the type has to agree with whether there is a path. */
static tr_status read_shape_path(struct tr_shacl_reader *r, tr_rdf_id node,
                                 struct tr_shacl_shape *shape)
{
    tr_rdf_id path = TR_RDF_ID_NONE;
    tr_rdf_id type = TR_RDF_ID_NONE;
    bool is_typed = false;
    TR_TRY(tr_shacl_value(r, node, TR_SHACL_IRI("path"), &path));
    TR_TRY(tr_rdf_graph_find_iri(r->graph,
                                 path == TR_RDF_ID_NONE
                                     ? TR_STR(TR_SHACL_IRI("PropertyShape"))
                                     : TR_STR(TR_SHACL_IRI("NodeShape")),
                                 &type, r->err));
    TR_TRY(tr_shacl_has_type(r, node, &(struct tr_shacl_nodes){&type, 1, 1},
                             &is_typed));
    if (is_typed && path == TR_RDF_ID_NONE)
        return tr_shacl_fail(r, TR_E_INVALID, "a property shape needs sh:path");
    if (is_typed)
        return tr_shacl_fail(r, TR_E_INVALID,
                             "a node shape must not have sh:path");
    return path == TR_RDF_ID_NONE ? TR_OK
                                  : tr_shacl_read_path(r, path, &shape->path);
}

static tr_status read_shape(struct tr_shacl_reader *r, size_t at)
{
    struct tr_shacl_shape shape = r->list.items[at];
    r->at = shape.term;
    tr_rdf_id node = r->ids.items[shape.term];
    TR_TRY(refuse_sparql(r, node));
    TR_TRY(read_shape_path(r, node, &shape));
    TR_TRY(read_severity(r, node, &shape));
    TR_TRY(read_targets(r, node, &shape));
    TR_TRY(read_messages(r, node, &shape));
    TR_TRY(read_words(r, node, TR_SHACL_IRI("name"), &shape.name));
    TR_TRY(
        read_words(r, node, TR_SHACL_IRI("description"), &shape.description));
    TR_TRY(read_default(r, node, &shape));
    TR_TRY(tr_shacl_read_constraints(r, &shape));
    r->list.items[at] = shape;
    return TR_OK;
}

static tr_status intern_known(struct tr_shacl_reader *r)
{
    static const tr_str known[] = {
        [TR_SHACL_TERM_NO_TYPE] = TR_STR_INIT(TR_RDF_IRI_RDF_TYPE),
        [TR_SHACL_TERM_NO_SUBCLASS] = TR_STR_INIT(TR_RDF_NS_RDFS "subClassOf"),
    };
    for (size_t i = 0; i < TR_LEN(known); i++) {
        tr_rdf_term term = tr_rdf_term_iri(known[i]);
        tr_shacl_term_no no;
        TR_TRY(tr_shacl_intern(r, &term, TR_RDF_ID_NONE, &no));
    }
    return TR_OK;
}

/* SHACL, section 1.5: a processor that does not support the entailment which
 * shapes ask for must fail. */
static tr_status refuse_entailment(struct tr_shacl_reader *r)
{
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_NONE, TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    bool is_there = false;
    TR_TRY(tr_rdf_graph_find_iri(r->graph, TR_STR(TR_SHACL_IRI("entailment")),
                                 &pattern.p, r->err));
    TR_TRY(tr_rdf_graph_has(r->graph, pattern, &is_there, r->err));
    return is_there ? tr_shacl_fail(r, TR_E_UNSUPPORTED,
                                    "sh:entailment: there is no inference")
                    : TR_OK;
}

static tr_status read_all(struct tr_shacl_reader *r)
{
    TR_TRY(intern_known(r));
    TR_TRY(refuse_entailment(r));
    TR_TRY(tr_shacl_find_roots(r));
    for (size_t i = 0; i < r->list.count; i++)
        TR_TRY(read_shape(r, i));
    TR_TRY(tr_shacl_link(r));
    r->shapes->terms = r->terms.items;
    r->shapes->term_count = r->terms.count;
    r->shapes->shapes = r->list.items;
    r->shapes->count = r->list.count;
    return TR_OK;
}

tr_status tr_shacl_shapes_read(const struct tr_rdf_graph *graph,
                               struct tr_shacl_shapes **out, struct tr_err *err)
{
    struct tr_err unused = {0};
    struct tr_shacl_shapes *shapes = calloc(1, sizeof(*shapes));
    if (!shapes)
        return tr_fail(err, TR_E_NOMEM, "no memory for the shapes");
    tr_arena_init(&shapes->arena, TR_LIMIT_SHAPES_BYTES);
    shapes->source = graph;
    struct tr_shacl_reader r = {
        .graph = graph,
        .arena = &shapes->arena,
        .shapes = shapes,
        .at = TR_SHACL_TERM_NO_NONE,
        .err = err ? err : &unused,
    };
    tr_map_init(&r.numbers, r.arena);
    tr_buf_init(&r.text, TR_LIMIT_RDF_TERM);
    tr_status status = read_all(&r);
    tr_buf_done(&r.text);
    if (status != TR_OK)
        tr_shacl_shapes_free(shapes);
    else
        *out = shapes;
    return status;
}
