/*
 * model/model.h - what an app declares about its graph: its types and shapes.
 *
 * A builder makes it (builder.h); it is immutable from then on, and read by any
 * number of threads. The snapshot that it is in owns it (cap/snapshot.h).
 *
 * An instance of a type has an rdf:type for the type and for each of its
 * ancestors: nothing is inferred.
 */
#ifndef TR_MODEL_MODEL_H
#define TR_MODEL_MODEL_H

#include "base/scope.h"
#include "fields/field.h"
#include "rdf/graph.h"
#include "rdf/iri.h"
#include "shacl/shapes.h"

/* How a new instance gets its IRI. */
enum tr_model_iri_strategy {
    TR_MODEL_IRI_UUID,    /* trails://project/Type/<uuid> */
    TR_MODEL_IRI_CONTENT, /* trails://project/Type/sha256-<hash of some fields>
                           */
    TR_MODEL_IRI_PRESERVE /* whoever creates it says which */
};

/* Ready-made capabilities that a type may have. */
enum tr_model_tool {
    TR_MODEL_TOOL_CREATE = 1,
    TR_MODEL_TOOL_UPDATE = 2,
    TR_MODEL_TOOL_DELETE = 4,
    TR_MODEL_TOOL_FIND = 8,
};

/* What a caller must have, and which policies must allow it. */
struct tr_model_guard {
    enum tr_scope scope; /* 0: whoever has been let in */
    const tr_str *policies;
    size_t policy_count;
};

/*
 * What one of the ready-made capabilities asks for: its own guard where it has
 * one, else that of its type.
 */
struct tr_model_tool_rules {
    enum tr_model_tool tool;
    bool has_scope;
    bool has_policies;
    struct tr_model_guard guard;
    const struct tr_json *preconditions; /* [{"kind", "params"}], or NULL */
};

/*
 * Instances in the order of their values in some fields: those with the same
 * first one in the order of the second... Without a value is last either way.
 */
struct tr_model_index_part {
    const struct tr_field *field; /* with one value, of the type's shape */
    bool descending;
};

struct tr_model_index {
    const struct tr_model_index_part *parts;
    size_t count;
};

/*
 * The shape is registered, has IRIs (shacl.h), and has the inherited fields
 * first. `shape->unique` is what is unique among all instances of the type,
 * those of its subtypes included. It also has the fields that are unique alone.
 * What the ancestors have in theirs is not repeated, and holds too.
 */
struct tr_model_type {
    tr_str name;
    const struct tr_shape *shape;
    const struct tr_model_type *parent; /* or NULL */
    tr_str label;                       /* a field with one text, or "" */
    enum tr_model_iri_strategy strategy;
    const tr_str *content_fields; /* of TR_MODEL_IRI_CONTENT */
    size_t content_count;
    unsigned tools; /* enum tr_model_tool, or'ed; not inherited */
    const struct tr_model_tool_rules *tool_rules; /* of some of them */
    size_t tool_rules_count;
    struct tr_model_guard guard; /* that of the parent, if there is one */
    bool is_private;             /* for handlers alone; inherited */
    const struct tr_model_index *indexes; /* that it declares, by `index` of a
                                             field and `indexes`; those of the
                                             types above hold too */
    size_t index_count;
    tr_str where; /* "app.lua:7", for what is wrong with it later */
};

struct tr_model {
    tr_str project; /* never empty */
    const struct tr_rdf_prefixes *prefixes;
    const struct tr_model_type *const *types; /* in declaration order */
    size_t count;
    const tr_str *part_predicates; /* that lead to a part of a node: an object,
                                      or a cell of a list */
    size_t part_count;
    const struct tr_shacl_shapes *shapes; /* of types, shape tables and files */
    const struct tr_rdf_graph *source; /* what the shapes were compiled from */
};

/* NULL is allowed. */
void tr_model_free(const struct tr_model *model);

/* By name, or by the IRI of its class; NULL when there is none. */
const struct tr_model_type *tr_model_find(const struct tr_model *model,
                                          tr_str name);
const struct tr_model_type *tr_model_find_iri(const struct tr_model *model,
                                              tr_str iri);

/* A shape table by its name, for arguments: unknown fields are refused. NULL
 * when there is none. */
const struct tr_shape *tr_model_find_shape(const struct tr_model *model,
                                           tr_str name);

/* Whether instances of `type` are instances of `ancestor`; true of a type and
 * itself. */
bool tr_model_type_is(const struct tr_model_type *type,
                      const struct tr_model_type *ancestor);

/*
 * Nodes by key: a ref with `by` takes the value of that field of its target,
 * which is unique there, as well as an id (decision 0037).
 */

/* The field that a ref names by; NULL: it has none, or the model does not show
 * it. */
const struct tr_field *tr_model_key_of(const struct tr_model *model,
                                       const struct tr_field *ref);

/* The same where nodes show it: not of what is private, which handlers hand
 * on. */
const struct tr_field *tr_model_shown_key_of(const struct tr_model *model,
                                             const struct tr_field *ref);

/* TR_E_INVALID says why `by` of a ref cannot be that. */
TR_NODISCARD tr_status tr_model_check_key(const struct tr_model *model,
                                          const struct tr_field *ref,
                                          struct tr_err *err);

/* Whether `name` is what nodes show the keys of a ref as: "account_domain". */
bool tr_model_is_shown_key(const struct tr_field *ref, tr_str name);

/* Whether all who see nodes of `type`, by whatever tool, may read those of
 * `target`, too. */
bool tr_model_is_as_guarded(const struct tr_model_type *type,
                            const struct tr_model_type *target);

/* That name; false without memory. */
TR_NODISCARD bool tr_model_name_shown_key(const struct tr_field *ref,
                                          struct tr_arena *arena, tr_str *out);

/*
 * What callers with certain scopes see of a model: another model, as if what is
 * hidden from them had never been declared. So a hidden field is an unknown
 * one, in every text. A ref to a private type is one to its nearest ancestor
 * that is not, or to any node. What is left out is listed, for those who read
 * instances.
 */
struct tr_model_face {
    const struct tr_model *model;
    const struct tr_model_type *const *private_types; /* the topmost, of the
                                                         whole model */
    size_t private_count;
    const tr_str *predicates; /* of hidden fields: no visible field has one of
                                 these */
    size_t predicate_count;
    const tr_str *part_predicates; /* of the whole model, if some parts are
                                      hidden */
    size_t part_count;
    const tr_str *iris; /* of all private types, and those predicates */
    size_t iri_count;
    bool has_own_labels; /* a node may be called otherwise than in its row */
};

/* Has a ref that points to a private type point to the nearest type above it
 * that is not, or to any node; the name of the private one is not told, nor is
 * a key of it. Returns whether it did. */
bool tr_model_show_ref(const struct tr_model *model, struct tr_field *field);

/* NULL when callers with these scopes see everything. */
const struct tr_model_face *tr_model_face_for(const struct tr_model *model,
                                              unsigned scopes);

/* Whether it is the IRI of a private type, or a predicate that is hidden. */
bool tr_model_face_hides(const struct tr_model_face *face, tr_str iri);

/*
 * A graph without what a face hides: quads about instances of private types,
 * and those with a hidden predicate. A quad that refers to a private node
 * stays. It lives in `arena`, is for one thread, and as long as `below`.
 */
TR_NODISCARD tr_status tr_model_face_graph(const struct tr_model_face *face,
                                           const struct tr_rdf_graph *below,
                                           struct tr_arena *arena,
                                           const struct tr_rdf_graph **out,
                                           struct tr_err *err);

/* Whether such a graph would show a row of the one below. Parts that are
 * TR_RDF_ID_ANY do not matter. */
bool tr_model_face_shows(const struct tr_rdf_graph *visible, tr_rdf_ids row);

/* Whether a result of a validation is about what is hidden, or would name it;
 * `visible` is such a graph of what was validated. */
struct tr_shacl_result;
bool tr_model_face_hides_result(const struct tr_model_face *face,
                                const struct tr_rdf_graph *visible,
                                const struct tr_shacl_shapes *shapes,
                                const struct tr_shacl_result *result);

#endif
