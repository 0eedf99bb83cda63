/*
 * fields/value.h - JSON values by their meaning: equality, hash, size.
 *
 * Equal is what JSON Schema calls equal: numbers by value, objects whatever
 * the order of their members.
 */
#ifndef TR_FIELDS_VALUE_H
#define TR_FIELDS_VALUE_H

#include "json/json.h"

bool tr_field_value_eq(const struct tr_json *a, const struct tr_json *b);

/* Equal for equal values. */
uint64_t tr_field_value_hash(const struct tr_json *value, uint64_t seed);

/* How many values the tree has; keys are not counted. */
size_t tr_field_value_count(const struct tr_json *value);

#endif
