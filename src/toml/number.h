/*
 * toml/number.h - integers and floats (TOML 1.0.0, sections "Integer" and
 * "Float").
 */
#ifndef TR_TOML_NUMBER_H
#define TR_TOML_NUMBER_H

#include "toml/cursor.h"

/*
 * Makes a number, TR_JSON_INF or TR_JSON_NAN out of `token`, a part of the
 * cursor's text. What needs no change stays a view of it.
 */
TR_NODISCARD tr_status tr_toml_number(const struct tr_toml_cursor *in,
                                      tr_str token, struct tr_json *out,
                                      struct tr_err *err);

#endif
