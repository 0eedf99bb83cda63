/*
 * schema/schema.h - a JSON Schema validator for drafts 2020-12 and 07.
 *
 * A schema is compiled once and used by any number of threads. Nothing is
 * fetched: documents a schema refers to are given with it (the two
 * meta-schemas are there anyway). Depth and work are bounded: what cannot be
 * decided within them is an error, never a pass. `format` is an annotation
 * unless opts->assert_formats is set.
 */
#ifndef TR_SCHEMA_SCHEMA_H
#define TR_SCHEMA_SCHEMA_H

#include "fields/error.h"

struct tr_field_patterns;
struct tr_schema;

enum tr_schema_dialect { TR_SCHEMA_DIALECT_2020_12, TR_SCHEMA_DIALECT_07 };

/* A document that schemas may refer to by its URI. */
struct tr_schema_doc {
    tr_str uri; /* absolute, without fragment */
    const struct tr_json *tree;
};

/* A field left zero takes the default named beside it. */
struct tr_schema_opts {
    enum tr_schema_dialect
        dialect;         /* TR_SCHEMA_DIALECT_2020_12; `$schema` wins */
    bool assert_formats; /* false: date-time, date, iri, uuid are checked */
    const struct tr_schema_doc *docs; /* none */
    size_t doc_count;
};

/*
 * Compiles `root`, which stays borrowed with the docs. TR_E_INVALID: a keyword
 * has a value it cannot have, or a reference leads nowhere; `at` is the JSON
 * Pointer of the subschema. TR_E_UNSUPPORTED: an unknown dialect or required
 * vocabulary. TR_E_LIMIT: too large. `opts` may be NULL.
 */
TR_NODISCARD tr_status tr_schema_compile(struct tr_arena *arena,
                                         struct tr_field_patterns *patterns,
                                         const struct tr_json *root,
                                         const struct tr_schema_opts *opts,
                                         const struct tr_schema **out,
                                         struct tr_err *err);

/*
 * TR_OK when `value` is valid. TR_E_VALIDATION with what is wrong in `errors`;
 * TR_E_LIMIT when it would take too much work to tell. Scratch memory and the
 * errors are in `arena`.
 */
TR_NODISCARD tr_status tr_schema_check(const struct tr_schema *schema,
                                       const struct tr_json *value,
                                       struct tr_arena *arena,
                                       struct tr_field_errors *errors,
                                       struct tr_err *err);

/* The same of a part of something: paths begin with `name`. */
TR_NODISCARD tr_status tr_schema_check_part(
    const struct tr_schema *schema, tr_str name, const struct tr_json *value,
    struct tr_arena *arena, struct tr_field_errors *errors, struct tr_err *err);

#endif
