/*
 * project/schema.h - what a capability takes and gives as JSON Schema, for all
 * views: MCP tools, OpenAPI and Thing Descriptions embed the same.
 */
#ifndef TR_PROJECT_SCHEMA_H
#define TR_PROJECT_SCHEMA_H

#include "cap/cap.h"
#include "fields/json_schema.h"
#include "json/writer.h"

/* The schema of the input; that of the output, which must be there. `flags` are
 * those of fields/json_schema.h. */
void tr_project_put_input(struct tr_json_writer *w, const struct tr_cap *cap,
                          unsigned flags);
void tr_project_put_output(struct tr_json_writer *w, const struct tr_cap *cap,
                           unsigned flags);

/*
 * The schema of the input inside of a larger document, at a JSON Pointer of it:
 * what refers to a part of the schema refers to it there. Without x-mcp-header.
 */
void tr_project_embed_input(struct tr_json_writer *w, const struct tr_cap *cap,
                            tr_str pointer);

/*
 * A schema as it is before that, whatever view it is from: what refers to a
 * part of it says so from its start; without x-mcp-header and $schema; if
 * `plain`, without what `[mcp] annotations = false` leaves out, too.
 */
void tr_project_put_unwrapped(struct tr_json_writer *w,
                              const struct tr_json *schema, tr_str pointer,
                              bool plain);

/* Whether the input is a data schema of a Thing Description (TD 1.1, 5.3.2):
 * what an author brings may be more than one can say there. */
bool tr_project_input_is_td(const struct tr_cap *cap);

#endif
