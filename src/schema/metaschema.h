/*
 * schema/metaschema.h - the two meta-schemas, each in one document.
 *
 * They say what the published ones say about the values of keywords, without
 * the split into vocabularies; for schemas that refer to them, such as a tool
 * that takes a schema.
 */
#ifndef TR_SCHEMA_METASCHEMA_H
#define TR_SCHEMA_METASCHEMA_H

#include "base/str.h"

/* The JSON text for a URI without fragment; false when it is another one. */
bool tr_schema_metaschema_find(tr_str uri, tr_str *out);

#endif
