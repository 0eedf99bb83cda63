/*
 * install/json_place.h - where the members of an object stand in a text.
 *
 * Only for texts that tr_install_jsonc_read has taken: nothing is checked
 * again.
 */
#ifndef TR_INSTALL_JSON_PLACE_H
#define TR_INSTALL_JSON_PLACE_H

#include "base/vec.h"
#include "install/jsonc.h"

#define TR_INSTALL_NOWHERE SIZE_MAX

struct tr_install_member {
    tr_str name;
    size_t key; /* where it begins, with its quotes */
    size_t value;
    size_t value_end;
    size_t comma; /* the one behind it, or TR_INSTALL_NOWHERE */
};

struct tr_install_object {
    size_t open; /* its braces */
    size_t close;
    TR_VEC(struct tr_install_member) members;
};

/* The object whose brace is the first thing at or behind `from`. */
TR_NODISCARD tr_status tr_install_json_object(
    struct tr_arena *arena, const struct tr_install_json *json, size_t from,
    struct tr_install_object *out, struct tr_err *err);

/*
 * The member of this name; *out stays NULL when there is none. Fails with
 * TR_E_CONFLICT when there are several, of which a host sees but one.
 */
TR_NODISCARD tr_status tr_install_json_member(
    const struct tr_install_json *json, const struct tr_install_object *object,
    tr_str name, const struct tr_install_member **out, struct tr_err *err);

#endif
