/*
 * schema/verbatim.h - a JSON Schema that the app's author wrote, as it is.
 *
 * Its bytes are kept for emission, but for the white space between them, which
 * has no meaning and would end a line of stdio. Arguments are checked against
 * it as draft 2020-12 or draft-07 says (`$schema` decides, 2020-12 is the
 * default).
 * Nothing is ever fetched: a reference to a document that is not known is an
 * error at registration. Lives in the arena it was registered into.
 */
#ifndef TR_SCHEMA_VERBATIM_H
#define TR_SCHEMA_VERBATIM_H

#include "fields/error.h"

struct tr_field_patterns;
struct tr_schema_verbatim;

/*
 * Registers JSON text whose root is an object schema. Fails with TR_E_SYNTAX
 * and the place; with TR_E_INVALID when the schema is wrong (`at` is the JSON
 * Pointer of the part); with TR_E_UNSUPPORTED for an unknown dialect.
 */
TR_NODISCARD tr_status tr_schema_verbatim_register(
    struct tr_arena *arena, struct tr_field_patterns *patterns, tr_str text,
    const struct tr_schema_verbatim **out, struct tr_err *err);

/* The text, on one line; and the same as a tree. */
tr_str tr_schema_verbatim_text(const struct tr_schema_verbatim *verbatim);
const struct tr_json *
tr_schema_verbatim_tree(const struct tr_schema_verbatim *verbatim);

/*
 * Checks arguments. TR_E_VALIDATION means that `errors` says why; the field is
 * the path of the value, such as address/street. TR_E_LIMIT: it would take too
 * much work to tell, which is not a pass. `args` may be NULL for {}.
 */
TR_NODISCARD tr_status tr_schema_verbatim_check(
    const struct tr_schema_verbatim *verbatim, const struct tr_json *args,
    struct tr_arena *arena, struct tr_field_errors *errors, struct tr_err *err);

#endif
