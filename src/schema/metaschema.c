#include "schema/metaschema.h"

#define COUNT     "{\"type\":\"integer\",\"minimum\":0}"
#define NUMBER    "{\"type\":\"number\"}"
#define TEXT      "{\"type\":\"string\"}"
#define FLAG      "{\"type\":\"boolean\"}"
#define PATTERN   "{\"type\":\"string\",\"format\":\"regex\"}"
#define REFERENCE "{\"type\":\"string\",\"format\":\"uri-reference\"}"
#define ANCHOR                                                                 \
    "{\"type\":\"string\",\"pattern\":\"^[A-Za-z_][-A-Za-z0-9._]*$\"}"
#define NAMES    "{\"type\":\"array\",\"items\":" TEXT ",\"uniqueItems\":true}"
#define MAP(of)  "{\"type\":\"object\",\"additionalProperties\":" of "}"
#define LIST(of) "{\"type\":\"array\",\"minItems\":1,\"items\":" of "}"
#define SIMPLE                                                                 \
    "{\"enum\":[\"array\",\"boolean\",\"integer\",\"null\",\"number\","        \
    "\"object\",\"string\"]}"
#define TYPE                                                                   \
    "{\"anyOf\":[" SIMPLE ",{\"type\":\"array\",\"items\":" SIMPLE             \
    ",\"minItems\":1,\"uniqueItems\":true}]}"

/* What both drafts have; `s` is how a schema refers to the meta-schema. */
#define SHARED(s)                                                              \
    "\"$schema\":{\"type\":\"string\",\"format\":\"uri\"},"                    \
    "\"$comment\":" TEXT ",\"title\":" TEXT ",\"description\":" TEXT ","       \
    "\"default\":true,\"readOnly\":" FLAG ",\"writeOnly\":" FLAG ","           \
    "\"examples\":{\"type\":\"array\"},"                                       \
    "\"definitions\":" MAP(                                                    \
        s) ","                                                                 \
           "\"type\":" TYPE ",\"const\":true,\"enum\":{\"type\":\"array\"},"   \
           "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"      \
           "\"maximum\":" NUMBER ",\"exclusiveMaximum\":" NUMBER ","           \
           "\"minimum\":" NUMBER ",\"exclusiveMinimum\":" NUMBER ","           \
           "\"maxLength\":" COUNT ",\"minLength\":" COUNT                      \
           ",\"pattern\":" PATTERN ","                                         \
           "\"maxItems\":" COUNT ",\"minItems\":" COUNT                        \
           ",\"uniqueItems\":" FLAG ","                                        \
           "\"maxProperties\":" COUNT ",\"minProperties\":" COUNT ","          \
           "\"required\":" NAMES ",\"format\":" TEXT ","                       \
           "\"contentEncoding\":" TEXT ",\"contentMediaType\":" TEXT ","       \
           "\"properties\":" MAP(                                              \
               s) ",\"additionalProperties\":" s ","                           \
                  "\"patternProperties\":" MAP(                                \
                      s) ",\"propertyNames\":" s ","                           \
                         "\"contains\":" s ",\"if\":" s ",\"then\":" s         \
                         ",\"else\":" s ","                                    \
                         "\"allOf\":" LIST(s) ",\"anyOf\":" LIST(              \
                             s) ",\"oneOf\":" LIST(s) ","                      \
                                                      "\"not\":" s

#define ROOT         "{\"$ref\":\"#\"}"
#define DYNAMIC      "{\"$dynamicRef\":\"#meta\"}"
#define EITHER(a, b) "{\"anyOf\":[" a "," b "]}"

static const struct {
    tr_str uri;
    tr_str text;
} documents[] = {
    {TR_STR_INIT("http://json-schema.org/draft-07/schema"),
     TR_STR_INIT(
         "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"$id\":\"http://json-schema.org/draft-07/schema#\","
         "\"type\":[\"object\",\"boolean\"],\"default\":true,"
         "\"properties\":{\"$id\":" REFERENCE ",\"$ref\":" REFERENCE
         ",\"items\":" EITHER(
             ROOT, LIST(ROOT)) ",\"additionalItems\":" ROOT
                               ",\"dependencies\":" MAP(
                                   EITHER(ROOT, NAMES)) "," SHARED(ROOT) "}}")},
    {TR_STR_INIT("https://json-schema.org/draft/2020-12/schema"),
     TR_STR_INIT("{\"$schema\":\"https://json-schema.org/draft/2020-12/"
                 "schema\","
                 "\"$id\":\"https://json-schema.org/draft/2020-12/schema\","
                 "\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"]"
                 ","
                 "\"properties\":{\"$id\":{\"type\":\"string\","
                 "\"format\":\"uri-reference\",\"pattern\":\"^[^#]*#?$\"},"
                 "\"$ref\":" REFERENCE ",\"$dynamicRef\":" REFERENCE
                 ",\"$anchor\":" ANCHOR ",\"$dynamicAnchor\":" ANCHOR
                 ",\"$vocabulary\":" MAP(FLAG) ",\"$defs\":" MAP(
                     DYNAMIC) ",\"deprecated\":" FLAG
                              ",\"prefixItems\":" LIST(
                                  DYNAMIC) ",\"items\":" DYNAMIC
                                           ",\"unevaluatedItems\":" DYNAMIC
                                           ",\"unevaluatedProperties\":" DYNAMIC
                                           ",\"dependentSchemas\":" MAP(DYNAMIC) ",\"dependentRequired\":" MAP(NAMES) ",\"dependencies\":" MAP(
                                               EITHER(
                                                   DYNAMIC,
                                                   NAMES)) ",\"maxContain"
                                                           "s\":" COUNT
                                                           ",\"minContains\""
                                                           ":" COUNT
                                                           ",\"contentSchema\""
                                                           ":" DYNAMIC
                                                           "," SHARED(
                                                               DYNAMIC) "}}")},
};

bool tr_schema_metaschema_find(tr_str uri, tr_str *out)
{
    for (size_t i = 0; i < TR_LEN(documents); i++) {
        if (tr_str_eq(uri, documents[i].uri)) {
            *out = documents[i].text;
            return true;
        }
    }
    return false;
}
