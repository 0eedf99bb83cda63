/*
 * fields/json_schema.h - a shape as JSON Schema: linear, draft-07, sorted keys.
 *
 * Pure: the bytes depend on the shape and the flag alone. What a shape cannot
 * say in JSON Schema is left out; compound uniqueness stands in the
 * description.
 */
#ifndef TR_FIELDS_JSON_SCHEMA_H
#define TR_FIELDS_JSON_SCHEMA_H

#include "fields/field.h"
#include "json/writer.h"

/* What draft-07 is called in `$schema`. */
#define TR_DRAFT_07 "http://json-schema.org/draft-07/schema#"

/*
 * Writes the schema object. `with_dialect` adds `$schema`, which revisions
 * from 2025-11-25 on need because their default is 2020-12.
 */
void tr_json_schema_write(struct tr_json_writer *w,
                          const struct tr_shape *shape, bool with_dialect);

/* The same for {"items": [...], "next"?}, where items are of the shape. */
void tr_json_schema_write_page(struct tr_json_writer *w,
                               const struct tr_shape *shape, bool with_dialect);

#endif
