/*
 * model/value_term.h - a field's value as an RDF term, and a term as JSON; and
 * values where no type says what they are.
 *
 * Each kind of field has one datatype, and each value one lexical form, the
 * canonical one: so equal values are the same term. A time keeps the offset it
 * was given with; with another offset it is another term.
 */
#ifndef TR_MODEL_VALUE_TERM_H
#define TR_MODEL_VALUE_TERM_H

#include "fields/kind.h"
#include "rdf/term.h"

/* The datatype that values of a kind have; "" for a ref, which is an IRI. */
tr_str tr_model_kind_datatype(enum tr_field_kind kind);

/*
 * One value, not an array, of a field. Texts live in `arena` or are those of
 * `value`. TR_E_VALIDATION, with the field's name in `at`, for a value of
 * another kind and for one that the datatype cannot say: a leap second, a
 * number that no double comes near.
 */
TR_NODISCARD tr_status tr_model_value_to_term(const struct tr_field *field,
                                              const struct tr_json *value,
                                              struct tr_arena *arena,
                                              tr_rdf_term *out,
                                              struct tr_err *err);

/*
 * A term of a field's kind as the field has it: text, number, bool, or the IRI
 * as a text. Everything else, and all with `field` NULL: strings, integers,
 * doubles and booleans as they are; {"id"} for an IRI; {"value", "language"} or
 * {"value", "type"} for the other literals. The texts are copied.
 */
TR_NODISCARD tr_status tr_model_value_from_term(const struct tr_field *field,
                                                const tr_rdf_term *term,
                                                struct tr_arena *arena,
                                                struct tr_json *out,
                                                struct tr_err *err);

/* The value of a text of rdf:JSON; it lives in the arena. TR_E_VALIDATION for
 * what is no JSON, or too deep. */
TR_NODISCARD tr_status tr_model_document_read(tr_str text,
                                              struct tr_arena *arena,
                                              struct tr_json *out,
                                              struct tr_err *err);

/*
 * The same for literals that come as terms. A value has one spelling in a
 * store, so that equal values of a field are one term and are found and
 * compared as that (decision 0025): 01, 1e0, +00:00 and .000Z are written as
 * create would write them.
 */

struct tr_model;

/* Whether values of a kind can be spelt in several ways. */
static inline bool tr_model_kind_has_spellings(enum tr_field_kind kind)
{
    return tr_field_kind_has(kind, TR_FIELD_HAS_SPELLINGS);
}

/* Calls `visit` once for each predicate and kind that has spellings. */
typedef tr_status tr_model_spelling_fn(void *context, tr_str predicate,
                                       enum tr_field_kind kind,
                                       struct tr_err *err);
TR_NODISCARD tr_status tr_model_each_spelling(const struct tr_model *model,
                                              tr_model_spelling_fn *visit,
                                              void *context,
                                              struct tr_err *err);

/*
 * True, and our spelling in `room`, which is cleared first, when the literal is
 * of a kind that has several and is spelt otherwise. What is ill-typed is left
 * as it is, for validation to judge; a time keeps its offset.
 */
bool tr_model_spells_otherwise(const tr_rdf_term *literal, struct tr_buf *room,
                               enum tr_field_kind *kind);

/*
 * Spells the object of a quad as we do, when its predicate is declared with its
 * kind; `*changed` says whether it was spelt otherwise. The new text is in
 * `room`. With `model` NULL nothing is declared.
 */
TR_NODISCARD tr_status tr_model_spell(const struct tr_model *model,
                                      tr_str predicate, tr_rdf_term *object,
                                      struct tr_buf *room, bool *changed,
                                      struct tr_err *err);

/*
 * Values and predicates where no type says what they are.
 *
 * A predicate is an absolute IRI, or a name with a prefix of the app's. A value
 * is a text, a number, a boolean, {"id": an IRI}, {"value": text, "type": IRI}
 * or {"value": text, "language": tag}: as graph/node.h shows them.
 */

/* TR_E_INVALID for what is no IRI. The result lives in `arena`. */
TR_NODISCARD tr_status tr_model_untyped_iri(const struct tr_model *model,
                                            tr_str text, struct tr_arena *arena,
                                            tr_str *out, struct tr_err *err);

TR_NODISCARD tr_status tr_model_untyped_term(const struct tr_model *model,
                                             const struct tr_json *value,
                                             struct tr_arena *arena,
                                             tr_rdf_term *out,
                                             struct tr_err *err);

#endif
