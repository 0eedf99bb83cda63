/*
 * json/fields.h - a table that fills a C struct from an object.
 *
 *     static const struct tr_json_field fields[] = {
 *         {"name", TR_FIELD_STR, offsetof(struct params, name), TR_REQUIRED},
 *         {"limit", TR_FIELD_I64, offsetof(struct params, limit), 0},
 *     };
 *
 * What is absent leaves its struct member as it was, so defaults are set
 * before. Views and values borrow from the tree.
 */
#ifndef TR_JSON_FIELDS_H
#define TR_JSON_FIELDS_H

#include "json/json.h"

enum tr_json_field_type {
    TR_FIELD_STR,    /* tr_str */
    TR_FIELD_I64,    /* int64_t */
    TR_FIELD_DOUBLE, /* double */
    TR_FIELD_BOOL,   /* bool */
    TR_FIELD_OBJECT, /* const struct tr_json * */
    TR_FIELD_ARRAY,  /* const struct tr_json * */
    TR_FIELD_ANY,    /* const struct tr_json *, null included */
};

enum tr_json_field_flags {
    TR_REQUIRED = 1, /* absent is an error */
    TR_NULLABLE = 2, /* null counts as absent */
};

struct tr_json_field {
    const char *name;
    enum tr_json_field_type type;
    uint32_t offset; /* into the struct, from offsetof */
    uint32_t flags;  /* enum tr_json_field_flags */
};

/* A table, and whether keys it does not name are an error. */
struct tr_json_fields {
    const struct tr_json_field *list;
    size_t count;
    bool closed;
};

/*
 * Fills `out`. Fails with TR_E_INVALID at the first field that is missing, of
 * the wrong type or unknown; the error's `at` is `at` plus the field, as a
 * JSON Pointer. On failure `out` may be filled in part.
 */
TR_NODISCARD tr_status tr_json_fill(const struct tr_json *object,
                                    struct tr_json_fields fields,
                                    const char *at, void *out,
                                    struct tr_err *err);

#endif
