/*
 * install/json_edit.h - an entry put into a JSON file, and taken out.
 *
 * Everything else stays byte for byte: comments, order, spaces, line ends,
 * commas. What is put in is indented as its neighbours are.
 */
#ifndef TR_INSTALL_JSON_EDIT_H
#define TR_INSTALL_JSON_EDIT_H

#include "install/jsonc.h"

/*
 * One step towards a text that has the entry, with what it may have beside
 * command, args and type. *out becomes the text after it, in the arena;
 * `json->text` itself when nothing is missing.
 */
TR_NODISCARD tr_status tr_install_json_put(struct tr_arena *arena,
                                           const struct tr_install_json *json,
                                           const struct tr_install_form *form,
                                           const struct tr_install_entry *entry,
                                           tr_str *out, struct tr_err *err);

/* The text without the entry; itself when it has none of that name. */
TR_NODISCARD tr_status tr_install_json_remove(
    struct tr_arena *arena, const struct tr_install_json *json,
    const struct tr_install_form *form, tr_str name, tr_str *out,
    struct tr_err *err);

#endif
