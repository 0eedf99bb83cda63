/*
 * install/jsonc.h - JSON as people edit it: with comments, commas after the
 * last member, a byte order mark.
 *
 * What JSON does not have is made into spaces, so that the strict reader sees a
 * text of the same length, and every place in it is one of the file.
 */
#ifndef TR_INSTALL_JSONC_H
#define TR_INSTALL_JSONC_H

#include "install/form.h"
#include "json/json.h"

struct tr_install_json {
    tr_str text;                /* as it is in the file */
    tr_str bare;                /* without comments, with all commas */
    const struct tr_json *root; /* NULL when it has nothing but comments */
};

/*
 * Fails with TR_E_SYNTAX, at a line and column of the file, for what is no JSON
 * or not such as the host takes. `text` must outlive the arena's memory.
 */
TR_NODISCARD tr_status tr_install_jsonc_read(struct tr_arena *arena,
                                             tr_str text,
                                             const struct tr_install_form *form,
                                             struct tr_install_json *out,
                                             struct tr_err *err);

#endif
