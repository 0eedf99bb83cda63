/*
 * json/build.h - make values, and copy them.
 *
 * What is passed in by pointer is copied into the arena, except texts, which
 * are borrowed.
 */
#ifndef TR_JSON_BUILD_H
#define TR_JSON_BUILD_H

#include "json/json.h"

/* A string, number or TOML kind. `text` is at most 4 GiB. */
static inline struct tr_json tr_json_make_text(enum tr_json_kind kind,
                                               tr_str text)
{
    return (struct tr_json){
        .kind = (uint8_t)kind,
        .len = (uint32_t)text.len,
        .as.text = text.ptr,
    };
}

/* A number without fraction and exponent. */
static inline struct tr_json tr_json_make_integer(tr_str text)
{
    struct tr_json value = tr_json_make_text(TR_JSON_NUMBER, text);
    value.flags = TR_JSON_INTEGER;
    return value;
}

static inline struct tr_json tr_json_make_bool(bool value)
{
    return (struct tr_json){
        .kind = TR_JSON_BOOL,
        .flags = value ? TR_JSON_TRUE : 0,
    };
}

TR_NODISCARD bool tr_json_make_array(struct tr_arena *arena,
                                     const struct tr_json *items, size_t count,
                                     struct tr_json *out);

/*
 * Where a key stands twice, the last value wins and stands where the first did.
 * `members` is scratch: it may be rearranged.
 */
TR_NODISCARD bool tr_json_make_object(struct tr_arena *arena,
                                      struct tr_json_member *members,
                                      size_t count, struct tr_json *out);

/*
 * The members of two objects, each of which may be NULL: where both have a key,
 * it has the value of `b`. NULL without memory.
 */
const struct tr_json *tr_json_join(struct tr_arena *arena,
                                   const struct tr_json *a,
                                   const struct tr_json *b);

/* Copies a tree, its texts included. False without memory. */
TR_NODISCARD bool tr_json_copy(struct tr_arena *arena,
                               const struct tr_json *value,
                               const struct tr_json **out);

#endif
