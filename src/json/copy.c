#include "json/copy.h"

#include "json/build.h"

static bool copy_value(struct tr_arena *arena, const struct tr_json *from,
                       struct tr_json *to);

static bool copy_array(struct tr_arena *arena, const struct tr_json *from,
                       struct tr_json *to)
{
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, from->len);
    if (!items)
        return false;
    for (size_t i = 0; i < from->len; i++) {
        if (!copy_value(arena, &from->as.items[i], &items[i]))
            return false;
    }
    *to = *from;
    to->as.items = items;
    return true;
}

/* The index of a wide object is made anew: its seed is its own address. */
static bool copy_object(struct tr_arena *arena, const struct tr_json *from,
                        struct tr_json *to)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, from->len);
    if (!members)
        return false;
    for (size_t i = 0; i < from->len; i++) {
        const struct tr_json_member *member = &from->as.members[i];
        if (!copy_value(arena, &member->key, &members[i].key) ||
            !copy_value(arena, &member->value, &members[i].value))
            return false;
    }
    return tr_json_make_object(arena, members, from->len, to);
}

/* Trees are at most TR_LIMIT_NESTING deep. */
static bool copy_value(struct tr_arena *arena, const struct tr_json *from,
                       struct tr_json *to)
{
    tr_str text;
    switch ((enum tr_json_kind)from->kind) {
    case TR_JSON_NULL:
    case TR_JSON_BOOL:
        *to = *from;
        return true;
    case TR_JSON_ARRAY:
        return copy_array(arena, from, to);
    case TR_JSON_OBJECT:
        return copy_object(arena, from, to);
    default:
        if (!tr_arena_copy(arena, tr_json_text(from), &text))
            return false;
        *to = *from;
        to->as.text = text.ptr;
        return true;
    }
}

bool tr_json_copy(struct tr_arena *arena, const struct tr_json *value,
                  const struct tr_json **out)
{
    struct tr_json *copy = TR_NEW(arena, struct tr_json);
    if (!copy || !copy_value(arena, value, copy))
        return false;
    *out = copy;
    return true;
}
