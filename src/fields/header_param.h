/*
 * fields/header_param.h - arguments that are also sent as HTTP headers.
 *
 * A property with `"x-mcp-header": "Region"` is repeated as Mcp-Param-Region.
 * Clients drop a tool whose annotation breaks a rule, so all are checked: a
 * token, unique whatever its case, on a string, integer or boolean that is
 * reached through `properties` alone.
 */
#ifndef TR_FIELDS_HEADER_PARAM_H
#define TR_FIELDS_HEADER_PARAM_H

#include "json/json.h"

struct tr_header_param {
    tr_str name;
    tr_str pointer; /* JSON Pointer into the arguments */
};

struct tr_header_params {
    struct tr_header_param *items;
    size_t count;
    size_t cap;
};

/* Finds them in a schema. TR_E_INVALID names the rule that is broken. */
TR_NODISCARD tr_status tr_header_params_find(struct tr_arena *arena,
                                             const struct tr_json *schema,
                                             struct tr_header_params *out,
                                             struct tr_err *err);

#endif
