/*
 * install/editor.h - entries put into the text of a host's file, and taken out.
 *
 * A change is checked before it is given out: the new text is read, and must
 * say what the old one said, but for the entry.
 */
#ifndef TR_INSTALL_EDITOR_H
#define TR_INSTALL_EDITOR_H

#include "base/err.h"
#include "install/form.h"
#include "json/json.h"

/*
 * The tree of a text; NULL for one with nothing in it. Fails with TR_E_SYNTAX
 * or TR_E_LIMIT, with line and column.
 */
TR_NODISCARD tr_status tr_install_read(struct tr_arena *arena,
                                       const struct tr_install_form *form,
                                       tr_str text, const struct tr_json **out,
                                       struct tr_err *err);

/*
 * The text with the entry; one that is there keeps what it has beside command
 * and arguments. *out is `text` itself when nothing had to be changed. Fails
 * as tr_install_read, with TR_E_INVALID for a file of another shape, with
 * TR_E_CONFLICT for a key that is there twice, and with TR_E_UNSUPPORTED for
 * TOML that has the entry in a value.
 */
TR_NODISCARD tr_status tr_install_put(struct tr_arena *arena,
                                      const struct tr_install_form *form,
                                      tr_str text,
                                      const struct tr_install_entry *entry,
                                      tr_str *out, struct tr_err *err);

/* The text without the entry, in the same way. */
TR_NODISCARD tr_status tr_install_remove(struct tr_arena *arena,
                                         const struct tr_install_form *form,
                                         tr_str text, tr_str name, tr_str *out,
                                         struct tr_err *err);

#endif
