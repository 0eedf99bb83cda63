/*
 * fields/field.h - the field model: what an object may hold, described once.
 *
 * A host fills a `struct tr_shape` with fields, in declaration order, and has
 * it registered; JSON Schema (json_schema.h) and the check of arguments
 * (check.h) are views of the result. Registered shapes are immutable, live in
 * the arena they were registered into, and borrow nothing.
 */
#ifndef TR_FIELDS_FIELD_H
#define TR_FIELDS_FIELD_H

#include "base/limits.h"
#include "base/scope.h"
#include "json/json.h"

struct tr_field_pattern;
struct tr_field_patterns;

enum tr_field_kind {
    TR_FIELD_TEXT,
    TR_FIELD_INTEGER,
    TR_FIELD_NUMBER,
    TR_FIELD_BOOLEAN,
    TR_FIELD_DATETIME, /* RFC 3339 text */
    TR_FIELD_REF,      /* the IRI of another node */
    TR_FIELD_DATE,     /* of no zone, as is a time */
    TR_FIELD_TIME,
    TR_FIELD_DURATION, /* days, hours, minutes, seconds */
    TR_FIELD_DECIMAL,  /* exact, as text */
    TR_FIELD_URI,
    TR_FIELD_EMAIL,
    TR_FIELD_JSON,   /* a document that is kept whole */
    TR_FIELD_OBJECT, /* a node that is part of its owner */
    TR_FIELD_KINDS
};

/* Whom a ref names, in what callers send. */
enum tr_field_names {
    TR_FIELD_NAMES_ANOTHER, /* that is there */
    TR_FIELD_NAMES_ITSELF,  /* the node that is to change, if it is there */
    TR_FIELD_NAMES_NEW,     /* the node that is to be made */
};

/* How nodes are found by the values of a field. */
enum tr_field_index {
    TR_FIELD_INDEX_DEFAULT, /* as its kind has it */
    TR_FIELD_INDEX_NONE,    /* not at all */
    TR_FIELD_INDEX_VALUE,   /* also in the order of values */
};

struct tr_shape;
struct tr_field_errors;

/* How documents are held against a JSON Schema, by who can read one. */
struct tr_field_schema_ops {
    /* Takes a schema, which lives as long as the arena. TR_E_INVALID. */
    tr_status (*compile)(struct tr_arena *arena,
                         struct tr_field_patterns *patterns,
                         const struct tr_json *schema, const void **out,
                         struct tr_err *err);
    /* Adds what is wrong, each with the path of a part, which begins with
     * `name`. TR_E_VALIDATION, or TR_E_INVALID where it would take too much
     * work to tell. */
    tr_status (*check)(const void *compiled, tr_str name,
                       const struct tr_json *value, struct tr_arena *arena,
                       struct tr_field_errors *errors, struct tr_err *err);
};

/* Zero or empty means: no such constraint. */
struct tr_field {
    tr_str name; /* [A-Za-z_][A-Za-z0-9_]* */
    enum tr_field_kind kind;
    enum tr_scope scope; /* who reads it, in a type; 0: everybody */
    bool many;           /* an array of values: a set */
    bool list;           /* an array in an order, in which values may repeat */
    bool optional;       /* absent is fine; so it is with a default */
    bool search;         /* for text search; no part of the check */
    bool unique;         /* for the graph; no part of the check */
    bool any_type;       /* a ref points to whatever has an IRI; no target */
    enum tr_field_names names;
    enum tr_field_index index; /* for types; no part of the check */
    tr_str by;                 /* of a ref: a unique field of its target, whose
                                  value names it too */
    const struct tr_shape *object; /* what an object holds; NULL: anything */
    const struct tr_json *schema;  /* of a JSON value, or NULL */
    const struct tr_field_schema_ops *schema_ops; /* with a schema */
    int64_t digits;                               /* of a decimal, at most; */
    int64_t scale; /* and of these behind the point */
    tr_str title;
    tr_str description;
    tr_str iri;    /* of the predicate, where the app names one */
    tr_str target; /* the node type a ref points to */
    tr_str header; /* x-mcp-header: also sent as Mcp-Param-<header> */
    tr_str pattern;
    int64_t min_length; /* in code points */
    int64_t max_length;
    tr_str min_value; /* JSON numbers, kept as they were written */
    tr_str max_value;
    tr_str min_exclusive;
    tr_str max_exclusive;
    int64_t min_count; /* only with many; a required many has at least 1 */
    int64_t max_count;
    const struct tr_json *one_of;     /* an array of scalars */
    const struct tr_json *default_to; /* taken when the field is absent */

    /* Set by registration. */
    const struct tr_field_pattern *compiled;
    const void *compiled_schema;
};

/* Fields that are unique together. */
struct tr_shape_unique {
    const tr_str *names;
    size_t count;
};

struct tr_shape {
    tr_str name; /* may be empty, for inline tables */
    tr_str iri;
    tr_str description;
    const struct tr_field *fields; /* in declaration order */
    size_t count;
    const struct tr_shape_unique *unique;
    size_t unique_count;
    bool open;        /* unknown fields pass; else they are refused */
    tr_str patch_key; /* not empty: objects are changes to the node that this
                         field names. All other fields may be absent; null
                         removes an optional one, unless a caller sends it */

    const tr_str *left_out; /* what is known, and not taken here; it lives as
                               long as the shape */
    size_t left_out_count;
    const char *left_out_why; /* "cannot be ...: it has ..." */

    const uint32_t *sorted; /* set by registration: fields by name */
};

/*
 * Checks and copies `draft` into the arena, and compiles its patterns into the
 * set. Fails with TR_E_INVALID; the error's `at` is the field's name.
 */
TR_NODISCARD tr_status tr_shape_register(struct tr_arena *arena,
                                         struct tr_field_patterns *patterns,
                                         const struct tr_shape *draft,
                                         const struct tr_shape **out,
                                         struct tr_err *err);

/* The field of a name; NULL when there is none. */
const struct tr_field *tr_shape_find(const struct tr_shape *shape, tr_str name);

/* The name of the field that `name` may have meant; empty when none is. */
tr_str tr_shape_nearest(const struct tr_shape *shape, tr_str name);

/* Whether an object without this field is refused. */
static inline bool tr_field_is_required(const struct tr_field *field)
{
    return !field->optional && !field->default_to;
}

/* Whether its values are an array: a set, or a list. */
static inline bool tr_field_is_array(const struct tr_field *field)
{
    return field->many || field->list;
}

/* The least number of items an array of this field has. A required field has at
 * least one: without items it would be absent. */
static inline int64_t tr_field_min_count(const struct tr_field *field)
{
    return field->min_count == 0 && tr_field_is_required(field)
               ? 1
               : field->min_count;
}

/* The greatest number of them; 0: any. A list is read as a whole, and so are
 * the objects of a node. */
static inline int64_t tr_field_max_count(const struct tr_field *field)
{
    if (field->max_count)
        return field->max_count;
    if (field->list)
        return TR_LIMIT_LIST_ITEMS;
    return field->many && field->kind == TR_FIELD_OBJECT ? TR_LIMIT_OBJECTS : 0;
}

/* "text", "integer", ...: the words of app.lua. */
const char *tr_field_kind_name(enum tr_field_kind kind);

/* [A-Za-z_][A-Za-z0-9_]*, at most TR_LIMIT_NAME_BYTES. */
bool tr_field_name_is_valid(tr_str name);

/* A token as HTTP has it (RFC 9110, section 5.6.2). */
bool tr_field_is_http_token(tr_str text);

/*
 * Checks what registration can say of a field before its pattern is compiled.
 * TR_E_INVALID has a message that does not repeat the field's name. `arena` is
 * scratch.
 */
TR_NODISCARD tr_status tr_field_check_rules(const struct tr_field *field,
                                            struct tr_arena *arena,
                                            struct tr_err *err);

#endif
