/*
 * fields/value.h - JSON values by their meaning: equality, hash, size.
 *
 * Equal is what JSON Schema calls equal: numbers by value, objects whatever
 * the order of their members.
 */
#ifndef TR_FIELDS_VALUE_H
#define TR_FIELDS_VALUE_H

#include "base/err.h"
#include "json/json.h"

struct tr_field;

bool tr_field_value_eq(const struct tr_json *a, const struct tr_json *b);

/* Equal for equal values. */
uint64_t tr_field_value_hash(const struct tr_json *value, uint64_t seed);

/* How many values the tree has; keys are not counted. */
size_t tr_field_value_count(const struct tr_json *value);

/*
 * Reads one value of a field from its text, for wires that have texts only:
 * numbers and booleans as XSD writes them, so that 005 is 5 and 1 is true;
 * a document is its JSON; other kinds are texts. What it makes lives in
 * `arena`, or borrows `text`. TR_E_VALIDATION: it is no value of that kind; or
 * TR_E_NOMEM. Constraints are not looked at.
 */
TR_NODISCARD tr_status tr_field_value_read(const struct tr_field *field,
                                           tr_str text, struct tr_arena *arena,
                                           struct tr_json *out);

/* The values that a field can have at all, where they are few: those of
 * `one_of`, or of a boolean, as texts; else `*count` is 0. */
const struct tr_json *tr_field_value_choices(const struct tr_field *field,
                                             size_t *count);

#endif
