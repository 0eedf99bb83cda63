/*
 * shacl/shapes.h - SHACL shapes, compiled: what the validator runs.
 *
 * tr_shacl_shapes_read makes them of a graph, which may come from a file or
 * from tables of fields (model/shacl.h). Terms are numbers into one table, so
 * that a validation looks each of them up once in its data. Shapes are
 * immutable and self-contained: nothing is borrowed from the graph, and any
 * number of threads may validate with the same shapes.
 *
 * Numbers such as SHACL 2.3.1 are sections of the Recommendation of 2017.
 */
#ifndef TR_SHACL_SHAPES_H
#define TR_SHACL_SHAPES_H

#include "fields/pattern.h"
#include "rdf/graph.h"
#include "rdf/xsd.h"
#include "shacl/component.h"

/* Index into `terms`. */
typedef uint32_t tr_shacl_term_no;
#define TR_SHACL_TERM_NO_NONE UINT32_MAX

/* Terms that every set of shapes has, in this order. */
enum { TR_SHACL_TERM_NO_TYPE, TR_SHACL_TERM_NO_SUBCLASS };

#define TR_SHACL_SHAPE_NONE UINT32_MAX

enum tr_shacl_path_kind {
    TR_SHACL_PATH_PREDICATE,
    TR_SHACL_PATH_INVERSE,
    TR_SHACL_PATH_SEQUENCE,
    TR_SHACL_PATH_ALTERNATIVE,
    TR_SHACL_PATH_ZERO_OR_MORE,
    TR_SHACL_PATH_ONE_OR_MORE,
    TR_SHACL_PATH_ZERO_OR_ONE
};

/* SHACL 2.3.1. */
struct tr_shacl_path {
    enum tr_shacl_path_kind kind;
    tr_shacl_term_no predicate; /* only of a predicate */
    const struct tr_shacl_path *const *parts;
    size_t count;
};

/* Bits of nodeKind. */
enum {
    TR_SHACL_NODE_IRI = 1,
    TR_SHACL_NODE_BLANK = 2,
    TR_SHACL_NODE_LITERAL = 4
};

/* One constraint; a component uses only what its comment names. */
struct tr_shacl_constraint {
    enum tr_shacl_component component;
    tr_shacl_term_no term; /* class, datatype, predicate, value, bound */
    uint64_t number;       /* a count, a length, bits of the node kind */
    enum tr_rdf_xsd_type datatype; /* of `term` as a datatype */
    bool has_bound;                /* the bound has a value */
    tr_rdf_xsd_value bound;        /* min/max In/Exclusive */
    const tr_shacl_term_no
        *terms; /* in, languageIn; closed: allowed predicates */
    size_t term_count;
    const uint32_t *shapes; /* not, and, or, xone, node, property, qualified */
    size_t shape_count;
    const uint32_t *siblings; /* qualified with disjoint: other value shapes */
    size_t sibling_count;
    bool disjoint; /* qualifiedValueShapesDisjoint */
    const struct tr_field_pattern *pattern;
    tr_str flags; /* of the pattern */
};

enum tr_shacl_target_kind {
    TR_SHACL_TARGET_NODE,
    TR_SHACL_TARGET_CLASS,
    TR_SHACL_TARGET_SUBJECTS_OF,
    TR_SHACL_TARGET_OBJECTS_OF
};

/* SHACL 2.1.3. */
struct tr_shacl_target {
    enum tr_shacl_target_kind kind;
    tr_shacl_term_no term;
};

/* A node shape, or with a path a property shape. */
struct tr_shacl_shape {
    tr_shacl_term_no term; /* the shape itself */
    const struct tr_shacl_path *path;
    tr_shacl_term_no severity;
    bool deactivated;
    const struct tr_shacl_target *targets;
    size_t target_count;
    const struct tr_shacl_constraint *constraints;
    size_t constraint_count;
    const tr_shacl_term_no *messages;
    size_t message_count;
    uint32_t qualified; /* the sh:qualifiedValueShape, or TR_SHACL_SHAPE_NONE */
    tr_str name;        /* sh:name and sh:description, or empty */
    tr_str description;
    tr_shacl_term_no default_value; /* sh:defaultValue, if it is one value */
};

struct tr_shacl_shapes {
    struct tr_arena arena;             /* everything here lives in it */
    struct tr_field_patterns patterns; /* but these */
    const struct tr_rdf_graph
        *source; /* for comparing the pointer only: it may be freed */
    const tr_rdf_term *terms;
    size_t term_count;
    const struct tr_shacl_shape *shapes;
    size_t count;
};

/* Whether any shape, one that is deactivated too, has a target: without one,
 * nothing is ever checked. */
bool tr_shacl_shapes_have_targets(const struct tr_shacl_shapes *shapes);

/* Gets a sentence for each, valid during the call alone. */
struct tr_shacl_unknown_sink {
    void (*tell)(void *context, tr_str words);
    void *context;
};

/*
 * Predicates and classes with the namespace of SHACL that are none of its
 * vocabulary. Whoever wrote them meant something that no validator checks.
 */
TR_NODISCARD tr_status tr_shacl_each_unknown(
    const struct tr_rdf_graph *graph, const struct tr_shacl_unknown_sink *sink,
    struct tr_err *err);

/* NULL is allowed. */
void tr_shacl_shapes_free(struct tr_shacl_shapes *shapes);

/* The index of the shape with this IRI; false when there is none. */
bool tr_shacl_shapes_find(const struct tr_shacl_shapes *shapes, tr_str iri,
                          size_t *out);

/* Appends a path as SPARQL writes it: ^ex:a/ex:b*. `prefixes` may be NULL. */
struct tr_rdf_prefixes;
void tr_shacl_path_write(struct tr_buf *out,
                         const struct tr_shacl_shapes *shapes,
                         const struct tr_shacl_path *path,
                         const struct tr_rdf_prefixes *prefixes);

/*
 * Reads every shape of `graph`, named graphs included. Fails with TR_E_INVALID
 * for an ill-formed or recursive shape (the message says which and why, and
 * `at` is its name), TR_E_UNSUPPORTED for SHACL-SPARQL, TR_E_LIMIT for shapes
 * that nest too deep. *out is owned by the caller.
 */
TR_NODISCARD tr_status tr_shacl_shapes_read(const struct tr_rdf_graph *graph,
                                            struct tr_shacl_shapes **out,
                                            struct tr_err *err);

#endif
