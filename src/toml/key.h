/*
 * toml/key.h - keys, with or without dots (TOML 1.0.0, section "Keys").
 */
#ifndef TR_TOML_KEY_H
#define TR_TOML_KEY_H

#include "toml/table.h"

/* Moves *table into the table that a part in front of the last one names. */
typedef tr_status tr_toml_enter_fn(struct tr_toml_cursor *in,
                                   struct tr_toml_node **table,
                                   const struct tr_toml_key *key,
                                   struct tr_err *err);

/*
 * Reads a key and the blanks behind it. Moves *table along all parts but the
 * last, which becomes *last.
 */
TR_NODISCARD tr_status tr_toml_read_key(struct tr_toml_cursor *in,
                                        tr_toml_enter_fn *enter,
                                        struct tr_toml_node **table,
                                        struct tr_toml_key *last,
                                        struct tr_err *err);

#endif
