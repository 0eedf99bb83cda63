/*
 * toml/value.h - keys with their values, and values that hold values.
 */
#ifndef TR_TOML_VALUE_H
#define TR_TOML_VALUE_H

#include "toml/table.h"

/* Reads `key = value` into a table. */
TR_NODISCARD tr_status tr_toml_read_keyval(struct tr_toml_cursor *in,
                                           struct tr_toml_node *table,
                                           struct tr_err *err);

#endif
