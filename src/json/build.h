/*
 * json/build.h - make values; for readers of other syntaxes and for tests.
 *
 * What is passed in by pointer is copied into the arena, except texts, which
 * are borrowed.
 */
#ifndef TR_JSON_BUILD_H
#define TR_JSON_BUILD_H

#include "json/json.h"

/* A string, number or TOML kind. `text` is at most 4 GiB. */
struct tr_json tr_json_make_text(enum tr_json_kind kind, tr_str text);

/* A number without fraction and exponent. */
struct tr_json tr_json_make_integer(tr_str text);

struct tr_json tr_json_make_bool(bool value);

TR_NODISCARD bool tr_json_make_array(struct tr_arena *arena,
                                     const struct tr_json *items, size_t count,
                                     struct tr_json *out);

/*
 * Where a key stands twice, the last value wins and takes the place of the
 * first. `members` is scratch: it may be rearranged.
 */
TR_NODISCARD bool tr_json_make_object(struct tr_arena *arena,
                                      struct tr_json_member *members,
                                      size_t count, struct tr_json *out);

#endif
