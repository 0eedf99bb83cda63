/*
 * fields/json_schema.h - a shape as JSON Schema (draft-07, without references,
 * keywords sorted, properties as they were declared), and the HTTP headers that
 * a schema asks for.
 *
 * Writing is pure: the bytes depend on the shape and the flags alone. What JSON
 * Schema cannot express is left out; fields that are unique together are named
 * in the description.
 */
#ifndef TR_FIELDS_JSON_SCHEMA_H
#define TR_FIELDS_JSON_SCHEMA_H

#include "fields/field.h"
#include "json/json.h"
#include "json/writer.h"

/* What draft-07 is called in `$schema`. */
#define TR_SHAPE_DRAFT_07 "http://json-schema.org/draft-07/schema#"

enum tr_shape_schema_flag {
    /* With `$schema`, which revisions from 2025-11-25 on need because their
     * default is 2020-12. */
    TR_SHAPE_WITH_DIALECT = 1u << 0,
    /* Without what others do not know: the format iri and trails:node_type. */
    TR_SHAPE_PLAIN = 1u << 1,
    /* Without x-mcp-header, which means something in MCP alone. */
    TR_SHAPE_WITHOUT_HEADERS = 1u << 2,
};

/* Writes the schema object, as the flags say. */
void tr_shape_write_json_schema(struct tr_json_writer *w,
                                const struct tr_shape *shape, unsigned flags);

/* The same for {"items": [...], "next"?}, where items are of the shape. */
void tr_shape_write_json_schema_page(struct tr_json_writer *w,
                                     const struct tr_shape *shape,
                                     unsigned flags);

/* The schema of one value of a field of kind json; with `own` it says what
 * describes the field, too. */
void tr_field_write_document_schema(struct tr_json_writer *w,
                                    const struct tr_field *field, bool own);

/*
 * An argument that is also sent as an HTTP header: a property with
 * `"x-mcp-header": "Region"` is repeated as Mcp-Param-Region. Clients drop a
 * tool whose annotation breaks a rule of MCP, so all rules are checked: the
 * name is a token, unique whatever its case, on a string, integer or boolean
 * that is reached through `properties` alone.
 */
struct tr_field_header_param {
    tr_str name;
    tr_str pointer; /* JSON Pointer into the arguments */
};

struct tr_field_header_params {
    struct tr_field_header_param *items;
    size_t count;
    size_t cap;
};

/* Finds all of them in a schema. TR_E_INVALID names the rule that is broken. */
TR_NODISCARD tr_status tr_field_header_params_find(
    struct tr_arena *arena, const struct tr_json *schema,
    struct tr_field_header_params *out, struct tr_err *err);

#endif
