/*
 * schema/document.h - the JSON Schema of a field whose values are documents.
 *
 * 2020-12 or draft-07, as its `$schema` says; 2020-12 when it says nothing.
 * Nothing is fetched. `format` says nothing that is checked.
 */
#ifndef TR_SCHEMA_DOCUMENT_H
#define TR_SCHEMA_DOCUMENT_H

#include "fields/field.h"

/* For `schema_ops` of a field. */
extern const struct tr_field_schema_ops tr_schema_document_ops;

#endif
