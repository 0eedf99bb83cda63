/*
 * schema/keywords.h - the functions that the table of keywords names.
 */
#ifndef TR_SCHEMA_KEYWORDS_H
#define TR_SCHEMA_KEYWORDS_H

#include "schema/run.h"

/* schema_prepare.c: what a keyword's value must be, and what is kept of it. */
tr_keyword_compile_fn tr_prepare_type, tr_prepare_list, tr_prepare_number,
    tr_prepare_divisor, tr_prepare_count, tr_prepare_flag, tr_prepare_pattern,
    tr_prepare_patterns, tr_prepare_names, tr_prepare_name_lists,
    tr_prepare_text, tr_prepare_contains, tr_prepare_additional,
    tr_prepare_mixed, tr_prepare_items_07, tr_prepare_branches, tr_prepare_ref,
    tr_prepare_dynamic_ref, tr_prepare_unevaluated;

/* schema_assert.c */
tr_keyword_check_fn tr_check_type, tr_check_enum, tr_check_const,
    tr_check_multiple, tr_check_maximum, tr_check_minimum, tr_check_above,
    tr_check_below, tr_check_max_length, tr_check_min_length, tr_check_pattern,
    tr_check_format;

/* schema_array.c */
tr_keyword_check_fn tr_check_max_items, tr_check_min_items, tr_check_unique,
    tr_check_prefix, tr_check_items, tr_check_items_07, tr_check_additional_07,
    tr_check_contains, tr_check_unevaluated_items;

/* schema_object.c */
tr_keyword_check_fn tr_check_max_properties, tr_check_min_properties,
    tr_check_required, tr_check_dependent_required, tr_check_properties,
    tr_check_pattern_properties, tr_check_additional, tr_check_names,
    tr_check_dependent_schemas, tr_check_dependencies,
    tr_check_unevaluated_properties;

/* schema_combine.c */
tr_keyword_check_fn tr_check_ref, tr_check_dynamic_ref, tr_check_all,
    tr_check_any, tr_check_one, tr_check_not, tr_check_if;

#endif
