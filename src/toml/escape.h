/*
 * toml/escape.h - what a backslash means in a basic string.
 */
#ifndef TR_TOML_ESCAPE_H
#define TR_TOML_ESCAPE_H

#include "toml/cursor.h"

/*
 * Replaces the escapes of `raw`, a part of the cursor's text. *out lives in
 * the arena.
 */
TR_NODISCARD tr_status tr_toml_unescape(const struct tr_toml_cursor *in,
                                        tr_str raw, bool multi_line,
                                        tr_str *out, struct tr_err *err);

#endif
