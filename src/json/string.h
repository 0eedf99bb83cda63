/*
 * json/string.h - strings with escapes or with more than ASCII in them.
 */
#ifndef TR_JSON_STRING_H
#define TR_JSON_STRING_H

#include "base/arena.h"
#include "base/err.h"

/* Where a string stands; `at` is behind its opening quote. */
struct tr_json_string_source {
    tr_str text; /* the whole document, for places in errors */
    const char *at;
    const char *end;
};

/*
 * Reads up to and over the closing quote and moves `at` behind it. The value
 * is a view of the source when it has no escapes, else it is in the arena.
 */
TR_NODISCARD tr_status tr_json_string_read(struct tr_arena *arena,
                                           struct tr_json_string_source *source,
                                           tr_str *out, struct tr_err *err);

#endif
