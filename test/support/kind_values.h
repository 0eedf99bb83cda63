/*
 * test/support/kind_values.h - values of each kind of field, as a store and as
 * JSON has them, and where each stands among those of its kind. It knows that
 * from a table and from libc, not from what it is there to test.
 */
#ifndef TR_TEST_SUPPORT_KIND_VALUES_H
#define TR_TEST_SUPPORT_KIND_VALUES_H

#include "base/arena.h"
#include "fields/kind.h"
#include "json/json.h"
#include "rdf/term.h"

struct kind_value {
    int64_t rank; /* equal values have the same one, greater ones a greater */
    tr_str text;  /* of the literal, in one of its spellings */
    tr_str json;  /* in one of its spellings; "": callers cannot say it */
    bool is_cut;  /* an index has only the beginning of it in order */
    bool is_out;  /* it is in no range; in an order it comes after the others */
};

/* From here on only a few values of each kind come often, so that they meet;
 * which ones `choice` says. */
void kind_values_narrow(uint64_t choice);

/* A random value of a kind. References and objects have none. */
struct kind_value kind_value_random(enum tr_field_kind kind,
                                    struct tr_arena *arena);

/* One that callers can say, too. */
struct kind_value kind_value_to_ask(enum tr_field_kind kind,
                                    struct tr_arena *arena);

/* A literal that has the datatype of the kind, and is no value of it; false:
 * there are none such. */
bool kind_value_odd(enum tr_field_kind kind, tr_rdf_term *out);

/* The value that a term is; false for one of another kind. */
bool kind_value_find(enum tr_field_kind kind, const tr_rdf_term *term,
                     struct kind_value *out);

/* The same of a value as nodes and groups show it. */
bool kind_value_read(enum tr_field_kind kind, const struct tr_json *shown,
                     struct kind_value *out);

/* The literal with this text. */
tr_rdf_term kind_value_term(enum tr_field_kind kind, tr_str text);

#endif
