/*
 * schema/keywords.h - the functions that the table of keywords names.
 */
#ifndef TR_SCHEMA_KEYWORDS_H
#define TR_SCHEMA_KEYWORDS_H

#include "schema/run.h"

/* prepare.c: what a keyword's value must be, and what is kept of it. */
tr_schema_keyword_compile_fn tr_schema_prepare_type, tr_schema_prepare_list,
    tr_schema_prepare_number, tr_schema_prepare_divisor,
    tr_schema_prepare_count, tr_schema_prepare_flag, tr_schema_prepare_pattern,
    tr_schema_prepare_patterns, tr_schema_prepare_names,
    tr_schema_prepare_name_lists, tr_schema_prepare_text,
    tr_schema_prepare_contains, tr_schema_prepare_additional,
    tr_schema_prepare_mixed, tr_schema_prepare_items_07,
    tr_schema_prepare_branches, tr_schema_prepare_ref,
    tr_schema_prepare_dynamic_ref, tr_schema_prepare_unevaluated;

/* assert.c */
tr_schema_keyword_check_fn tr_schema_check_type, tr_schema_check_enum,
    tr_schema_check_const, tr_schema_check_multiple, tr_schema_check_maximum,
    tr_schema_check_minimum, tr_schema_check_above, tr_schema_check_below,
    tr_schema_check_max_length, tr_schema_check_min_length,
    tr_schema_check_pattern, tr_schema_check_format;

/* array.c */
tr_schema_keyword_check_fn tr_schema_check_max_items, tr_schema_check_min_items,
    tr_schema_check_unique, tr_schema_check_prefix, tr_schema_check_items,
    tr_schema_check_items_07, tr_schema_check_additional_07,
    tr_schema_check_contains, tr_schema_check_unevaluated_items;

/* object.c */
tr_schema_keyword_check_fn tr_schema_check_max_properties,
    tr_schema_check_min_properties, tr_schema_check_required,
    tr_schema_check_dependent_required, tr_schema_check_properties,
    tr_schema_check_pattern_properties, tr_schema_check_additional,
    tr_schema_check_names, tr_schema_check_dependent_schemas,
    tr_schema_check_dependencies, tr_schema_check_unevaluated_properties;

/* combine.c */
tr_schema_keyword_check_fn tr_schema_check_ref, tr_schema_check_dynamic_ref,
    tr_schema_check_all, tr_schema_check_any, tr_schema_check_one,
    tr_schema_check_not, tr_schema_check_if;

#endif
