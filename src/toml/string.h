/*
 * toml/string.h - the four kinds of strings (TOML 1.0.0, section "String").
 */
#ifndef TR_TOML_STRING_H
#define TR_TOML_STRING_H

#include "toml/cursor.h"

/*
 * Reads the string the cursor stands at, a quote. Without escapes *out is a
 * view of the text, otherwise it lives in the arena.
 */
TR_NODISCARD tr_status tr_toml_string(struct tr_toml_cursor *in, tr_str *out,
                                      struct tr_err *err);

/* As tr_toml_string, for a key: refuses the kinds that span lines. */
TR_NODISCARD tr_status tr_toml_quoted_key(struct tr_toml_cursor *in,
                                          tr_str *out, struct tr_err *err);

#endif
