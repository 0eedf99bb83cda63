/*
 * model/inside.h - what models and their builders are made of.
 */
#ifndef TR_MODEL_INSIDE_H
#define TR_MODEL_INSIDE_H

#include "base/vec.h"
#include "model/builder.h"
#include "rdf/memory_graph.h"

/* A model with what belongs to it. */
struct tr_model_whole {
    struct tr_model model; /* first: a pointer to it is one to the whole */
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_rdf_prefixes prefixes;
    struct tr_map by_name;
    struct tr_map by_iri;
    struct tr_map by_shape; /* the name of a shape table, to a tr_shape */
    struct tr_map kinds; /* a predicate, to the kinds of its fields, 1 << kind
                            or'ed */
    struct tr_rdf_memory_graph *graph;
    struct tr_shacl_shapes *shapes;
    unsigned face_scopes;                          /* that fields ask for */
    struct tr_model_face *faces[TR_SCOPE_ALL + 1]; /* by those of them that a
                                                      caller has; or NULL */
};

/* A type that was added; `index` counts them in declaration order. */
struct tr_model_type_entry {
    struct tr_model_type_draft draft;
    size_t index;
};

/* A type, or a type or shape, that something else refers to. */
struct tr_model_needed {
    tr_str name;
    tr_str where;
    bool or_shape;
};

struct tr_model_turtle {
    tr_str text;
    tr_str base;
    tr_str file;
};

struct tr_model_builder {
    struct tr_arena arena; /* of the drafts */
    struct tr_field_patterns patterns;
    tr_str project;
    struct tr_rdf_prefixes prefixes;
    struct tr_map type_names; /* to a struct tr_model_type_entry */
    struct tr_map shape_names;
    TR_VEC(struct tr_model_type_entry *) types;
    TR_VEC(struct tr_model_shape_draft *) shapes;
    TR_VEC(struct tr_model_turtle) turtles;
    TR_VEC(struct tr_model_needed) needed;
};

/* One tr_model_build, and what it has so far. */
struct tr_model_making {
    struct tr_model_builder *from;
    struct tr_model_whole *whole;
    struct tr_model_type **types; /* by index; NULL before it is made */
    struct tr_map shape_iris;
    struct tr_err *err;
};

/* index.c: gives a type the indexes of its draft. */
TR_NODISCARD tr_status tr_model_choose_indexes(
    const struct tr_model_making *m, const struct tr_model_type_draft *draft,
    struct tr_model_type *type);

/* The field that "due" or "-due" names, or NULL. */
const struct tr_field *tr_model_index_field(const struct tr_shape *shape,
                                            tr_str name);

/* types.c: the part of tr_model_build that makes the types. */
TR_NODISCARD tr_status tr_model_make_types(struct tr_model_making *m);

/* spelling.c: notes which predicates are declared, and with which kinds. */
TR_NODISCARD tr_status tr_model_note_kinds(struct tr_model_making *m);

/* value_term.c: a double as its canonical text. */
void tr_model_write_number(struct tr_buf *out, double number);

/* document.c: a JSON value as the one text of it, in the arena. */
TR_NODISCARD tr_status tr_model_document_spell(const struct tr_json *value,
                                               struct tr_arena *arena,
                                               tr_str *out, struct tr_err *err);

/* The same of a text, into a buffer that has been cleared; false when it is no
 * JSON, or is spelt so already. */
bool tr_model_document_respell(tr_str text, struct tr_buf *room);

/* guard.c: copies the guards of a draft; false without memory. */
TR_NODISCARD bool tr_model_draft_copy_guards(struct tr_arena *arena,
                                             struct tr_model_type_draft *draft);

/* Gives a type its guard, and its tools theirs; the parent has its own. */
TR_NODISCARD tr_status tr_model_choose_guard(
    const struct tr_model_making *m, const struct tr_model_type_draft *draft,
    struct tr_model_type *type);

/* key.c: whether nodes of the type may show the key of what a ref names; its
 * field is in `shape`, which is the type's or that of an object. */
TR_NODISCARD tr_status tr_model_check_shown_key(
    const struct tr_model_making *m, const struct tr_model_type *type,
    const struct tr_shape *shape, const struct tr_field *ref);

/* turtle_check.c: whether a document can be read, and its patterns too. */
TR_NODISCARD tr_status
tr_model_check_turtle(const struct tr_model_turtle *turtle, struct tr_err *err);

/* Takes the shapes that name something hidden out of a document. */
TR_NODISCARD tr_status tr_model_strip_turtle(const struct tr_model_making *m,
                                             const struct tr_model_face *face,
                                             struct tr_model_turtle *turtle);

/* face.c: what callers see, once everything else is there. */
TR_NODISCARD tr_status tr_model_make_faces(struct tr_model_making *m);

/* Fails with "there is no node type 'X', did you mean 'Y'?". */
tr_status tr_model_fail_unknown(const struct tr_model_making *m, tr_str name);

/* Fails when a field is declared again with another kind: no value would
 * satisfy both. */
TR_NODISCARD tr_status tr_model_check_kind(const struct tr_model_making *m,
                                           const struct tr_field *declared,
                                           const struct tr_field *own,
                                           tr_str type);

/* Puts where it stands and what it is in front of an error; returns `st`. */
tr_status tr_model_about(const struct tr_model_making *m, tr_str where,
                         const char *kind, tr_str name, tr_status st);

/* Puts the field in front of an error; returns `st`. */
tr_status tr_model_about_field(const struct tr_model_making *m, tr_str field,
                               tr_status st);

struct tr_model_tool_shape;

/* The arguments `filter` and `order` of a tool; false without memory. Without
 * `one_of` the latter has nothing to choose from. */
bool tr_model_make_filter(const struct tr_model_tool_shape *how,
                          struct tr_field *out);
bool tr_model_make_order(const struct tr_model_tool_shape *how,
                         struct tr_field *out);

#endif
