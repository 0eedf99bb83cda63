#include "schema/keywords.h"

#define NEW  (1u << TR_DIALECT_2020_12)
#define OLD  (1u << TR_DIALECT_07)
#define BOTH (NEW | OLD)

#define CORE  TR_VOCAB_CORE
#define APPLY TR_VOCAB_APPLICATOR
#define VALID TR_VOCAB_VALIDATION
#define LEFT  TR_VOCAB_UNEVALUATED

#define NONE    TR_HOLDS_NONE
#define SCHEMA  TR_HOLDS_SCHEMA
#define ARRAY   TR_HOLDS_ARRAY
#define MAP     TR_HOLDS_MAP
#define EITHER  TR_HOLDS_EITHER
#define MAP_MIX TR_HOLDS_MAP_MIX

#define RULE "constraint"

/*
 * What looks at all that was evaluated stands last. Adding a keyword is a line
 * here and a function of each kind.
 */
/* clang-format off */
const struct tr_keyword tr_keywords[] = {
    {"$defs", NEW, CORE, MAP, NULL, NULL, RULE, ""},
    {"definitions", BOTH, CORE, MAP, NULL, NULL, RULE, ""},
    {"$ref", BOTH, CORE, NONE, tr_prepare_ref, tr_check_ref, RULE, ""},
    {"$dynamicRef", NEW, CORE, NONE, tr_prepare_dynamic_ref,
     tr_check_dynamic_ref, RULE, ""},

    {"type", BOTH, VALID, NONE, tr_prepare_type, tr_check_type, "type",
     "must be of type "},
    {"enum", BOTH, VALID, NONE, tr_prepare_list, tr_check_enum, "one_of",
     "must be one of "},
    {"const", BOTH, VALID, NONE, NULL, tr_check_const, "one_of",
     "must be "},
    {"pattern", BOTH, VALID, NONE, tr_prepare_pattern, tr_check_pattern,
     "pattern", "must match "},
    {"minLength", BOTH, VALID, NONE, tr_prepare_count, tr_check_min_length,
     "min_length", "must have a length of at least "},
    {"maxLength", BOTH, VALID, NONE, tr_prepare_count, tr_check_max_length,
     "max_length", "must have a length of at most "},
    {"minimum", BOTH, VALID, NONE, tr_prepare_number, tr_check_minimum,
     "min_value", "must be at least "},
    {"maximum", BOTH, VALID, NONE, tr_prepare_number, tr_check_maximum,
     "max_value", "must be at most "},
    {"exclusiveMinimum", BOTH, VALID, NONE, tr_prepare_number, tr_check_above,
     "min_value", "must be above "},
    {"exclusiveMaximum", BOTH, VALID, NONE, tr_prepare_number, tr_check_below,
     "max_value", "must be below "},
    {"multipleOf", BOTH, VALID, NONE, tr_prepare_divisor, tr_check_multiple,
     RULE, "must be a multiple of "},
    {"format", BOTH, TR_VOCAB_FORMAT, NONE, tr_prepare_text, tr_check_format,
     RULE, "must be of the format "},

    {"required", BOTH, VALID, NONE, tr_prepare_names, tr_check_required,
     "required", "is required"},
    {"minProperties", BOTH, VALID, NONE, tr_prepare_count,
     tr_check_min_properties, "min_count", "must have at least this many "
     "members: "},
    {"maxProperties", BOTH, VALID, NONE, tr_prepare_count,
     tr_check_max_properties, "max_count", "must have at most this many "
     "members: "},
    {"dependentRequired", NEW, VALID, NONE, tr_prepare_name_lists,
     tr_check_dependent_required, "required", "is required here"},
    {"properties", BOTH, APPLY, MAP, NULL, tr_check_properties, RULE, ""},
    {"patternProperties", BOTH, APPLY, MAP, tr_prepare_patterns,
     tr_check_pattern_properties, RULE, ""},
    {"additionalProperties", BOTH, APPLY, SCHEMA, tr_prepare_additional,
     tr_check_additional, "unknown_field", "is not a field"},
    {"propertyNames", BOTH, APPLY, SCHEMA, NULL, tr_check_names, RULE, ""},
    {"dependentSchemas", NEW, APPLY, MAP, NULL, tr_check_dependent_schemas,
     RULE, ""},
    {"dependencies", OLD, APPLY, MAP_MIX, tr_prepare_mixed,
     tr_check_dependencies, "required", "is required here"},

    {"minItems", BOTH, VALID, NONE, tr_prepare_count, tr_check_min_items,
     "min_count", "must have at least this many values: "},
    {"maxItems", BOTH, VALID, NONE, tr_prepare_count, tr_check_max_items,
     "max_count", "must have at most this many values: "},
    {"uniqueItems", BOTH, VALID, NONE, tr_prepare_flag, tr_check_unique,
     "unique", "must not have a value twice"},
    {"prefixItems", NEW, APPLY, ARRAY, NULL, tr_check_prefix, RULE, ""},
    {"items", NEW, APPLY, SCHEMA, tr_prepare_items_07, tr_check_items, RULE,
     ""},
    {"items", OLD, APPLY, EITHER, NULL, tr_check_items_07, RULE, ""},
    {"additionalItems", OLD, APPLY, SCHEMA, tr_prepare_items_07,
     tr_check_additional_07, RULE, ""},
    {"contains", BOTH, APPLY, SCHEMA, tr_prepare_contains, tr_check_contains,
     RULE, "does not have the items it must"},

    {"allOf", BOTH, APPLY, ARRAY, NULL, tr_check_all, RULE, ""},
    {"anyOf", BOTH, APPLY, ARRAY, NULL, tr_check_any, RULE,
     "fits none of the schemas in anyOf"},
    {"oneOf", BOTH, APPLY, ARRAY, NULL, tr_check_one, RULE,
     "does not fit exactly one of the schemas in oneOf"},
    {"not", BOTH, APPLY, SCHEMA, NULL, tr_check_not, RULE,
     "fits a schema it must not fit"},
    {"then", BOTH, APPLY, SCHEMA, NULL, NULL, RULE, ""},
    {"else", BOTH, APPLY, SCHEMA, NULL, NULL, RULE, ""},
    {"if", BOTH, APPLY, SCHEMA, tr_prepare_branches, tr_check_if, RULE, ""},

    {"unevaluatedItems", NEW, LEFT, SCHEMA, tr_prepare_unevaluated,
     tr_check_unevaluated_items, RULE, ""},
    {"unevaluatedProperties", NEW, LEFT, SCHEMA, tr_prepare_unevaluated,
     tr_check_unevaluated_properties, "unknown_field", "is not a field"},
};
/* clang-format on */

const size_t tr_keyword_count = TR_LEN(tr_keywords);

bool tr_keyword_is_active(const struct tr_keyword *keyword,
                          const struct tr_schema_resource *resource)
{
    return (keyword->dialects & 1u << resource->dialect) &&
           (keyword->vocabulary & resource->vocabularies);
}
