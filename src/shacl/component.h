/*
 * shacl/component.h - the constraint components of SHACL Core, one table.
 *
 * What the reader, the validator and the reports have to know of a component
 * stands here once. The order is that of the results of one shape.
 */
#ifndef TR_SHACL_COMPONENT_H
#define TR_SHACL_COMPONENT_H

#include "base/str.h"

enum tr_shacl_component {
    TR_SHACL_MIN_COUNT,
    TR_SHACL_MAX_COUNT,
    TR_SHACL_CLASS,
    TR_SHACL_DATATYPE,
    TR_SHACL_NODE_KIND,
    TR_SHACL_IN,
    TR_SHACL_PATTERN,
    TR_SHACL_MIN_LENGTH,
    TR_SHACL_MAX_LENGTH,
    TR_SHACL_MIN_INCLUSIVE,
    TR_SHACL_MIN_EXCLUSIVE,
    TR_SHACL_MAX_INCLUSIVE,
    TR_SHACL_MAX_EXCLUSIVE,
    TR_SHACL_LANGUAGE_IN,
    TR_SHACL_UNIQUE_LANG,
    TR_SHACL_EQUALS,
    TR_SHACL_DISJOINT,
    TR_SHACL_LESS_THAN,
    TR_SHACL_LESS_THAN_OR_EQUALS,
    TR_SHACL_HAS_VALUE,
    TR_SHACL_NOT,
    TR_SHACL_AND,
    TR_SHACL_OR,
    TR_SHACL_XONE,
    TR_SHACL_NODE,
    TR_SHACL_QUALIFIED_MIN,
    TR_SHACL_QUALIFIED_MAX,
    TR_SHACL_PROPERTY,
    TR_SHACL_CLOSED,
    TR_SHACL_COMPONENTS
};

/* What the values of a parameter are (SHACL, section 4). */
enum tr_shacl_parameter {
    TR_SHACL_PARAMETER_COUNT,     /* an integer, not below 0 */
    TR_SHACL_PARAMETER_IRI,       /* of a class, datatype or predicate */
    TR_SHACL_PARAMETER_NODE_KIND, /* one of six IRIs */
    TR_SHACL_PARAMETER_LITERAL,
    TR_SHACL_PARAMETER_PATTERN,
    TR_SHACL_PARAMETER_TERM,
    TR_SHACL_PARAMETER_TERMS,     /* a list */
    TR_SHACL_PARAMETER_LANGUAGES, /* a list of strings */
    TR_SHACL_PARAMETER_TRUE,      /* a boolean, which counts when it is true */
    TR_SHACL_PARAMETER_SHAPE,
    TR_SHACL_PARAMETER_SHAPES, /* a list */
    TR_SHACL_PARAMETER_QUALIFIED
};

struct tr_shacl_component_info {
    const char *parameter; /* "minCount": with sh: before it */
    const char *component; /* "MinCount": with ConstraintComponent after it */
    const char *code;      /* "min_count": of field errors */
    enum tr_shacl_parameter kind;
    bool many;          /* each value is a constraint of its own */
    bool property_only; /* node shapes must not have it */
};

/* Never NULL. */
const struct tr_shacl_component_info *
tr_shacl_component_info(enum tr_shacl_component component);

#endif
