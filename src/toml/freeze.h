/*
 * toml/freeze.h - from the tables of the reader to the tree it gives out.
 */
#ifndef TR_TOML_FREEZE_H
#define TR_TOML_FREEZE_H

#include "toml/table.h"

/*
 * Makes the value of a node and of all below it, in the cursor's arena; false
 * when there is no memory.
 */
TR_NODISCARD bool tr_toml_freeze(struct tr_toml_cursor *in,
                                 const struct tr_toml_node *node,
                                 struct tr_json *out);

#endif
