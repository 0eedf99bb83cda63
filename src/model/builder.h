/*
 * model/builder.h - from declarations, in any order, to a model.
 *
 * A type may refer to one that comes later, so what can be said of a draft
 * alone is said when it is added, and the rest by tr_model_build. Errors are
 * TR_E_INVALID unless something else is named.
 */
#ifndef TR_MODEL_BUILDER_H
#define TR_MODEL_BUILDER_H

#include "model/model.h"

/* Everything in a draft is copied. Empty means: not said. */
struct tr_model_type_draft {
    struct tr_shape shape; /* as it was written: own fields, own IRIs */
    tr_str where;          /* "app.lua:7"; put in front of later errors */
    tr_str extends;        /* the name of the parent */
    tr_str label;          /* a field; else label, title or name, if text */
    bool has_strategy;     /* else the parent's, else TR_MODEL_IRI_UUID */
    enum tr_model_iri_strategy strategy;
    const tr_str *content_fields;
    size_t content_count;
    unsigned tools;  /* enum tr_model_tool */
    bool is_private; /* so are the types below */
    bool has_guard;  /* else the parent's */
    struct tr_model_guard guard;
    const struct tr_model_tool_rules *tool_rules;
    size_t tool_rules_count;
    const struct tr_shape_unique *indexes; /* names together: "due", or "-due",
                                              from the greatest value down */
    size_t index_count;
};

/* A shape table: further constraints on the nodes of its target. Without a
 * target it constrains no node, and is only found by its name. */
struct tr_model_shape_draft {
    struct tr_shape shape; /* never closed in the graph */
    tr_str where;
    tr_str target;             /* the name of a type, or the IRI of a class */
    tr_str target_subjects_of; /* the IRI of a predicate */
};

struct tr_model_builder;

/* An empty project is called "local". Refuses the names that built-in URIs
 * have. */
TR_NODISCARD tr_status tr_model_builder_create(tr_str project,
                                               struct tr_model_builder **out,
                                               struct tr_err *err);

/* NULL is allowed. */
void tr_model_builder_free(struct tr_model_builder *builder);

/* The prefixes rdf, rdfs, xsd and sh are there from the start. */
TR_NODISCARD tr_status
tr_model_builder_add_prefix(struct tr_model_builder *builder, tr_str name,
                            tr_str iri, struct tr_err *err);

/* When the fault is in a field, `at` is its name. */
TR_NODISCARD tr_status tr_model_builder_add_type(
    struct tr_model_builder *builder, const struct tr_model_type_draft *draft,
    struct tr_err *err);
TR_NODISCARD tr_status tr_model_builder_add_shape(
    struct tr_model_builder *builder, const struct tr_model_shape_draft *draft,
    struct tr_err *err);

/* Something else refers to a type: tr_model_build fails without it. */
TR_NODISCARD tr_status
tr_model_builder_need_type(struct tr_model_builder *builder, tr_str name,
                           tr_str where, struct tr_err *err);

/* The same for a type or a shape table. */
TR_NODISCARD tr_status
tr_model_builder_need_shape(struct tr_model_builder *builder, tr_str name,
                            tr_str where, struct tr_err *err);

/*
 * Adds a document with SHACL shapes. Relative IRIs in it are resolved against
 * trails://project/<file>. Fails with TR_E_SYNTAX and the place, or TR_E_LIMIT.
 */
TR_NODISCARD tr_status
tr_model_builder_add_turtle(struct tr_model_builder *builder, tr_str text,
                            tr_str file, struct tr_err *err);

/* The builder can only be freed afterwards. *out is owned by the caller. */
TR_NODISCARD tr_status tr_model_build(struct tr_model_builder *builder,
                                      const struct tr_model **out,
                                      struct tr_err *err);

#endif
