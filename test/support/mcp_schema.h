/*
 * test/support/mcp_schema.h - the JSON Schema of one revision of MCP, from
 * TRAILS_SUITES, by the names of its definitions.
 *
 * It is read more strictly than it is written: a definition that lists its
 * members has no others. So a field of a newer revision is found, too.
 */
#ifndef TR_TEST_SUPPORT_MCP_SCHEMA_H
#define TR_TEST_SUPPORT_MCP_SCHEMA_H

#include "base/err.h"
#include "fields/pattern.h"
#include "json/json.h"

struct mcp_definition;

struct mcp_schema {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    tr_str revision; /* borrowed */
    const struct tr_json *tree;
    const char *defs_key; /* "$defs", or "definitions" in the older drafts */
    struct mcp_definition *compiled; /* newest first */
};

/* False when the suite does not have this revision; close it all the same. */
bool mcp_schema_open(struct mcp_schema *schema, tr_str revision);
void mcp_schema_close(struct mcp_schema *schema);

/* A definition by its name, or NULL. */
const struct tr_json *mcp_schema_find(const struct mcp_schema *schema,
                                      tr_str name);

/*
 * The name of the definition for a method, among those that a definition such
 * as ServerNotification unites; empty when it is none of them.
 */
tr_str mcp_schema_for_method(const struct mcp_schema *schema, tr_str unites,
                             tr_str method);

/* TR_OK, or how the value differs from the definition. */
TR_NODISCARD tr_status mcp_schema_check(struct mcp_schema *schema, tr_str name,
                                        const struct tr_json *value,
                                        struct tr_err *err);

#endif
