#include "schema/keywords.h"

#define NEW  (1u << TR_SCHEMA_DIALECT_2020_12)
#define OLD  (1u << TR_SCHEMA_DIALECT_07)
#define BOTH (NEW | OLD)

#define CORE  TR_SCHEMA_VOCAB_CORE
#define APPLY TR_SCHEMA_VOCAB_APPLICATOR
#define VALID TR_SCHEMA_VOCAB_VALIDATION
#define LEFT  TR_SCHEMA_VOCAB_UNEVALUATED

#define NONE    TR_SCHEMA_HOLDS_NONE
#define SCHEMA  TR_SCHEMA_HOLDS_SCHEMA
#define ARRAY   TR_SCHEMA_HOLDS_ARRAY
#define MAP     TR_SCHEMA_HOLDS_MAP
#define EITHER  TR_SCHEMA_HOLDS_EITHER
#define MAP_MIX TR_SCHEMA_HOLDS_MAP_MIX

#define RULE "constraint"

/*
 * The unevaluated... keywords stand last, since they depend on what all others
 * have evaluated. Adding a keyword is a line here and a function of each kind.
 */
/* clang-format off */
const struct tr_schema_keyword tr_schema_keywords[] = {
    {"$defs", NEW, CORE, MAP, NULL, NULL, RULE, ""},
    {"definitions", BOTH, CORE, MAP, NULL, NULL, RULE, ""},
    {"$ref", BOTH, CORE, NONE, tr_schema_prepare_ref, tr_schema_check_ref, RULE, ""},
    {"$dynamicRef", NEW, CORE, NONE, tr_schema_prepare_dynamic_ref,
     tr_schema_check_dynamic_ref, RULE, ""},

    {"type", BOTH, VALID, NONE, tr_schema_prepare_type, tr_schema_check_type, "type",
     "must be of type "},
    {"enum", BOTH, VALID, NONE, tr_schema_prepare_list, tr_schema_check_enum, "one_of",
     "must be one of "},
    {"const", BOTH, VALID, NONE, NULL, tr_schema_check_const, "one_of",
     "must be "},
    {"pattern", BOTH, VALID, NONE, tr_schema_prepare_pattern, tr_schema_check_pattern,
     "pattern", "must match "},
    {"minLength", BOTH, VALID, NONE, tr_schema_prepare_count, tr_schema_check_min_length,
     "min_length", "must have a length of at least "},
    {"maxLength", BOTH, VALID, NONE, tr_schema_prepare_count, tr_schema_check_max_length,
     "max_length", "must have a length of at most "},
    {"minimum", BOTH, VALID, NONE, tr_schema_prepare_number, tr_schema_check_minimum,
     "min_value", "must be at least "},
    {"maximum", BOTH, VALID, NONE, tr_schema_prepare_number, tr_schema_check_maximum,
     "max_value", "must be at most "},
    {"exclusiveMinimum", BOTH, VALID, NONE, tr_schema_prepare_number, tr_schema_check_above,
     "min_value", "must be above "},
    {"exclusiveMaximum", BOTH, VALID, NONE, tr_schema_prepare_number, tr_schema_check_below,
     "max_value", "must be below "},
    {"multipleOf", BOTH, VALID, NONE, tr_schema_prepare_divisor, tr_schema_check_multiple,
     RULE, "must be a multiple of "},
    {"format", BOTH, TR_SCHEMA_VOCAB_FORMAT, NONE, tr_schema_prepare_text, tr_schema_check_format,
     RULE, "must be of the format "},

    {"required", BOTH, VALID, NONE, tr_schema_prepare_names, tr_schema_check_required,
     "required", "is required"},
    {"minProperties", BOTH, VALID, NONE, tr_schema_prepare_count,
     tr_schema_check_min_properties, "min_count", "must have at least this many "
     "members: "},
    {"maxProperties", BOTH, VALID, NONE, tr_schema_prepare_count,
     tr_schema_check_max_properties, "max_count", "must have at most this many "
     "members: "},
    {"dependentRequired", NEW, VALID, NONE, tr_schema_prepare_name_lists,
     tr_schema_check_dependent_required, "required", "is required here"},
    {"properties", BOTH, APPLY, MAP, NULL, tr_schema_check_properties, RULE, ""},
    {"patternProperties", BOTH, APPLY, MAP, tr_schema_prepare_patterns,
     tr_schema_check_pattern_properties, RULE, ""},
    {"additionalProperties", BOTH, APPLY, SCHEMA, tr_schema_prepare_additional,
     tr_schema_check_additional, "unknown_field", "is not a field"},
    {"propertyNames", BOTH, APPLY, SCHEMA, NULL, tr_schema_check_names, RULE, ""},
    {"dependentSchemas", NEW, APPLY, MAP, NULL, tr_schema_check_dependent_schemas,
     RULE, ""},
    {"dependencies", OLD, APPLY, MAP_MIX, tr_schema_prepare_mixed,
     tr_schema_check_dependencies, "required", "is required here"},

    {"minItems", BOTH, VALID, NONE, tr_schema_prepare_count, tr_schema_check_min_items,
     "min_count", "must have at least this many values: "},
    {"maxItems", BOTH, VALID, NONE, tr_schema_prepare_count, tr_schema_check_max_items,
     "max_count", "must have at most this many values: "},
    {"uniqueItems", BOTH, VALID, NONE, tr_schema_prepare_flag, tr_schema_check_unique,
     "unique", "must not have a value twice"},
    {"prefixItems", NEW, APPLY, ARRAY, NULL, tr_schema_check_prefix, RULE, ""},
    {"items", NEW, APPLY, SCHEMA, tr_schema_prepare_items_07, tr_schema_check_items, RULE,
     ""},
    {"items", OLD, APPLY, EITHER, NULL, tr_schema_check_items_07, RULE, ""},
    {"additionalItems", OLD, APPLY, SCHEMA, tr_schema_prepare_items_07,
     tr_schema_check_additional_07, RULE, ""},
    {"contains", BOTH, APPLY, SCHEMA, tr_schema_prepare_contains, tr_schema_check_contains,
     RULE, "does not have the items it must"},

    {"allOf", BOTH, APPLY, ARRAY, NULL, tr_schema_check_all, RULE, ""},
    {"anyOf", BOTH, APPLY, ARRAY, NULL, tr_schema_check_any, RULE,
     "fits none of the schemas in anyOf"},
    {"oneOf", BOTH, APPLY, ARRAY, NULL, tr_schema_check_one, RULE,
     "does not fit exactly one of the schemas in oneOf"},
    {"not", BOTH, APPLY, SCHEMA, NULL, tr_schema_check_not, RULE,
     "fits a schema it must not fit"},
    {"then", BOTH, APPLY, SCHEMA, NULL, NULL, RULE, ""},
    {"else", BOTH, APPLY, SCHEMA, NULL, NULL, RULE, ""},
    {"if", BOTH, APPLY, SCHEMA, tr_schema_prepare_branches, tr_schema_check_if, RULE, ""},

    {"unevaluatedItems", NEW, LEFT, SCHEMA, tr_schema_prepare_unevaluated,
     tr_schema_check_unevaluated_items, RULE, ""},
    {"unevaluatedProperties", NEW, LEFT, SCHEMA, tr_schema_prepare_unevaluated,
     tr_schema_check_unevaluated_properties, "unknown_field", "is not a field"},
};
/* clang-format on */

const size_t tr_schema_keyword_count = TR_LEN(tr_schema_keywords);

bool tr_schema_keyword_is_active(const struct tr_schema_keyword *keyword,
                                 const struct tr_schema_resource *resource)
{
    return (keyword->dialects & 1u << resource->dialect) &&
           (keyword->vocabulary & resource->vocabularies);
}
