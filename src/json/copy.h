/*
 * json/copy.h - a tree of its own, in another arena.
 */
#ifndef TR_JSON_COPY_H
#define TR_JSON_COPY_H

#include "json/json.h"

/* Copies texts too: the copy borrows nothing. False without memory. */
TR_NODISCARD bool tr_json_copy(struct tr_arena *arena,
                               const struct tr_json *value,
                               const struct tr_json **out);

#endif
