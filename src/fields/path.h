/*
 * fields/path.h - the way to a place in a schema; on the stack, innermost
 * first.
 */
#ifndef TR_FIELDS_PATH_H
#define TR_FIELDS_PATH_H

#include "base/buf.h"
#include "json/json.h"

struct tr_way {
    const struct tr_way *outer;
    tr_str name;
};

/* Writes it as a JSON Pointer; NULL is the root. */
static inline void tr_way_put(struct tr_buf *out, const struct tr_way *at)
{
    if (!at)
        return;
    tr_way_put(out, at->outer);
    tr_json_pointer_put(out, at->name);
}

#endif
