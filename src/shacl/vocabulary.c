#include "base/limits.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/vec.h"
#include "rdf/iri.h"
#include "shacl/reader_inside.h"
#include "shacl/shapes.h"

/* What the vocabulary has (https://www.w3.org/ns/shacl), in the order of its
 * specification; those of components stand in their table too. */
static const char *const properties[] = {
    "path",
    "targetClass",
    "targetNode",
    "targetObjectsOf",
    "targetSubjectsOf",
    "property",
    "node",
    "class",
    "datatype",
    "nodeKind",
    "minCount",
    "maxCount",
    "minExclusive",
    "minInclusive",
    "maxExclusive",
    "maxInclusive",
    "minLength",
    "maxLength",
    "pattern",
    "flags",
    "languageIn",
    "uniqueLang",
    "equals",
    "disjoint",
    "lessThan",
    "lessThanOrEquals",
    "not",
    "and",
    "or",
    "xone",
    "qualifiedValueShape",
    "qualifiedMinCount",
    "qualifiedMaxCount",
    "qualifiedValueShapesDisjoint",
    "closed",
    "ignoredProperties",
    "hasValue",
    "in",
    "message",
    "severity",
    "deactivated",
    "name",
    "description",
    "order",
    "group",
    "defaultValue",
    "inversePath",
    "alternativePath",
    "zeroOrMorePath",
    "oneOrMorePath",
    "zeroOrOnePath",
    "shapesGraph",
    "shapesGraphWellFormed",
    "suggestedShapesGraph",
    "entailment",
    "conforms",
    "result",
    "detail",
    "focusNode",
    "resultPath",
    "resultMessage",
    "resultSeverity",
    "value",
    "sourceShape",
    "sourceConstraint",
    "sourceConstraintComponent",
    "declare",
    "prefix",
    "namespace",
    "prefixes",
    "sparql",
    "select",
    "ask",
    "construct",
    "update",
    "resultAnnotation",
    "annotationProperty",
    "annotationValue",
    "annotationVarName",
    "parameter",
    "optional",
    "labelTemplate",
    "validator",
    "nodeValidator",
    "propertyValidator",
    "target",
    "rule",
    "condition",
    "subject",
    "predicate",
    "object",
    "this",
    "expression",
    "filterShape",
    "nodes",
    "intersection",
    "union",
    "returnType",
    "js",
    "jsFunctionName",
    "jsLibrary",
    "jsLibraryURL",
};
static const char *const classes[] = {
    "Shape",
    "NodeShape",
    "PropertyShape",
    "ValidationReport",
    "ValidationResult",
    "AbstractResult",
    "Severity",
    "NodeKind",
    "PropertyGroup",
    "PrefixDeclaration",
    "Parameter",
    "Parameterizable",
    "ConstraintComponent",
    "Function",
    "ResultAnnotation",
    "Rule",
    "TripleRule",
    "SPARQLRule",
    "SPARQLConstraint",
    "SPARQLTarget",
    "SPARQLTargetType",
    "SPARQLFunction",
    "SPARQLExecutable",
    "SPARQLAskExecutable",
    "SPARQLSelectExecutable",
    "SPARQLConstructExecutable",
    "SPARQLUpdateExecutable",
    "SPARQLAskValidator",
    "SPARQLSelectValidator",
    "Validator",
    "Target",
    "TargetType",
    "JSConstraint",
    "JSExecutable",
    "JSFunction",
    "JSLibrary",
    "JSRule",
    "JSTarget",
    "JSTargetType",
    "JSValidator",
};

struct looking {
    const struct tr_rdf_graph *graph;
    struct tr_arena arena;
    tr_rdf_id rdf_type;
    TR_VEC(tr_rdf_id) seen;
    const struct tr_shacl_unknown_sink *sink;
};

/* Tells of a term that is none of the list. */
static void look_at(const struct looking *l, tr_str term,
                    const char *const *list, size_t count)
{
    struct tr_nearest nearest;
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf words;
    tr_nearest_init(&nearest, term);
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(tr_str_from(list[i]), term))
            return;
        tr_nearest_offer(&nearest, tr_str_from(list[i]));
    }
    tr_buf_init_fixed(&words, storage, sizeof(storage));
    tr_buf_putf(&words, "sh:%.*s is no term of SHACL: nothing checks it",
                TR_FMT(tr_utf8_cut(term, TR_LIMIT_ECHO_BYTES)));
    if (nearest.best.len)
        tr_buf_putf(&words, "; did you mean sh:%.*s?", TR_FMT(nearest.best));
    l->sink->tell(l->sink->context, tr_buf_str(&words));
}

/* Whether the term has not come up before; few different ones do. */
static bool is_new(struct looking *l, tr_rdf_id id)
{
    for (size_t i = 0; i < l->seen.count; i++) {
        if (l->seen.items[i] == id)
            return false;
    }
    return l->seen.count < TR_LIMIT_SHAPE_LIST &&
           tr_vec_push(&l->arena, &l->seen, id);
}

static tr_status see(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct looking *l = context;
    bool is_type = row.p == l->rdf_type;
    tr_rdf_id id = is_type ? row.o : row.p;
    tr_rdf_term term;
    if (!is_new(l, id))
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(l->graph, id, &term, err));
    if (term.kind != TR_RDF_TERM_IRI ||
        !tr_str_starts(term.text, TR_STR(TR_RDF_NS_SH)))
        return TR_OK;
    look_at(l, tr_str_skip(term.text, sizeof(TR_RDF_NS_SH) - 1),
            is_type ? classes : properties,
            is_type ? TR_LEN(classes) : TR_LEN(properties));
    return TR_OK;
}

tr_status tr_shacl_each_unknown(const struct tr_rdf_graph *graph,
                                const struct tr_shacl_unknown_sink *sink,
                                struct tr_err *err)
{
    struct looking l = {.graph = graph, .sink = sink};
    tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &l.rdf_type, err));
    tr_arena_init(&l.arena, TR_LIMIT_SHAPES_BYTES);
    tr_status status = tr_rdf_graph_each(graph, all, see, &l, err);
    tr_arena_done(&l.arena);
    return status;
}
