/*
 * json/json.h - a parsed document: immutable values in an arena.
 *
 * A value is 16 bytes. Texts, items and members belong to the arena the tree
 * was read into, or to the text it was read from: both must outlive the tree.
 * The TOML reader makes trees of the same kind. Trees may be read by several
 * threads at once.
 */
#ifndef TR_JSON_JSON_H
#define TR_JSON_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum tr_json_kind {
    TR_JSON_NULL,
    TR_JSON_BOOL,
    TR_JSON_NUMBER, /* the text is the number as it was written */
    TR_JSON_STRING,
    TR_JSON_ARRAY,
    TR_JSON_OBJECT,
    /* What only TOML has; the JSON writer refuses these. */
    TR_JSON_INF, /* the text is "inf" or "-inf" */
    TR_JSON_NAN,
    TR_JSON_DATETIME, /* texts as RFC 3339 has them, with an upper-case T */
    TR_JSON_LOCAL_DATETIME,
    TR_JSON_LOCAL_DATE,
    TR_JSON_LOCAL_TIME,
};

enum tr_json_flags {
    TR_JSON_TRUE = 1,    /* on a bool */
    TR_JSON_INTEGER = 2, /* on a number: no fraction and no exponent */
    TR_JSON_INDEXED = 4, /* on an object: it has a hash index (json/index.h) */
};

struct tr_buf;
struct tr_json_member;

struct tr_json {
    uint8_t kind;  /* enum tr_json_kind */
    uint8_t flags; /* enum tr_json_flags */
    uint32_t len;  /* bytes of the text, items, or members */
    union {
        const char *text;
        const struct tr_json *items;
        const struct tr_json_member *members;
    } as;
};

struct tr_json_member {
    struct tr_json key; /* a string */
    struct tr_json value;
};

_Static_assert(sizeof(struct tr_json) == 16, "a value is 16 bytes");

/* Whether there is a value and it is of this kind. */
static inline bool tr_json_is(const struct tr_json *value,
                              enum tr_json_kind kind)
{
    return value && value->kind == kind;
}

/* The text of a string, number or time; empty for everything else. */
tr_str tr_json_text(const struct tr_json *value);

/* The value of a key; NULL when it is absent or `object` is none. */
const struct tr_json *tr_json_find(const struct tr_json *object, tr_str key);

/* The item at an index; NULL when it is absent or `array` is none. */
const struct tr_json *tr_json_at(const struct tr_json *array, size_t index);

/* The value a JSON Pointer (RFC 6901) names; NULL when there is none. */
const struct tr_json *tr_json_pointer(const struct tr_json *root,
                                      tr_str pointer);

/* Appends a step to a JSON Pointer: '/', and the name with its escapes. */
void tr_json_pointer_put(struct tr_buf *pointer, tr_str name);

/* A bool; false, and nothing written, when it is something else. */
bool tr_json_bool(const struct tr_json *value, bool *out);

/* An integer that fits: 12 and -7, but not 12.0 or 1e2. */
bool tr_json_i64(const struct tr_json *value, int64_t *out);

/* The nearest double of a number; false when that would be infinite. */
bool tr_json_double(const struct tr_json *value, double *out);

/* "null", "a number", ...: for messages. */
const char *tr_json_kind_name(enum tr_json_kind kind);

#endif
