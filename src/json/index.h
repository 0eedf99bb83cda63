/*
 * json/index.h - the hash index of a wide object, kept in front of its members.
 *
 * One block of the arena: a power of two of slots, the head, the members. A
 * slot holds a member's index plus one, or 0 when it is free. It is no tr_map,
 * which would have a second array of the keys.
 */
#ifndef TR_JSON_INDEX_H
#define TR_JSON_INDEX_H

#include "json/json.h"

/* Objects with more members than this have an index. */
#define TR_JSON_INDEX_ABOVE 16

/* Makes an indexed object; repeated keys as tr_json_make_object has it. */
TR_NODISCARD bool tr_json_index_build(struct tr_arena *arena,
                                      const struct tr_json_member *members,
                                      size_t count, struct tr_json *out);

const struct tr_json *tr_json_index_find(const struct tr_json *object,
                                         tr_str key);

#endif
