/*
 * toml/scalar.h - values that are neither quoted nor in brackets.
 */
#ifndef TR_TOML_SCALAR_H
#define TR_TOML_SCALAR_H

#include "toml/cursor.h"

/* Reads a boolean, a number, or a date or time. */
TR_NODISCARD tr_status tr_toml_scalar(struct tr_toml_cursor *in,
                                      struct tr_json *out, struct tr_err *err);

#endif
