/*
 * install/toml_edit.h - an entry put into a TOML file, and taken out.
 *
 * It is a table of its own, at the end: [mcp_servers.trails-x]. Everything else
 * stays byte for byte.
 */
#ifndef TR_INSTALL_TOML_EDIT_H
#define TR_INSTALL_TOML_EDIT_H

#include "base/err.h"
#include "install/form.h"
#include "json/json.h"

struct tr_install_toml {
    tr_str text;
    const struct tr_json *root; /* its tree */
};

/* As tr_install_json_put. */
TR_NODISCARD tr_status tr_install_toml_put(struct tr_arena *arena,
                                           const struct tr_install_toml *toml,
                                           const struct tr_install_form *form,
                                           const struct tr_install_entry *entry,
                                           tr_str *out, struct tr_err *err);

/* One step towards a text without the entry and the tables that stand in it;
 * `toml->text` itself after the last. */
TR_NODISCARD tr_status tr_install_toml_remove(
    struct tr_arena *arena, const struct tr_install_toml *toml,
    const struct tr_install_form *form, tr_str name, tr_str *out,
    struct tr_err *err);

#endif
