/*
 * toml/reader.h - TOML 1.0.0, exactly, into an arena.
 *
 * The tree is of the same kind as the JSON reader's; its root is an object.
 * Strings and keys without escapes, and numbers that JSON writes the same way,
 * are views of `text`, which must outlive the tree.
 *
 * Integers are decimal numbers, whatever they were written as; floats are
 * numbers as RFC 8259 writes them, inf and nan kinds of their own. Dates and
 * times have an upper-case T and Z and their fraction as it was written.
 */
#ifndef TR_TOML_READER_H
#define TR_TOML_READER_H

#include "json/json.h"

/*
 * Reads a whole document. Expected failures: TR_E_SYNTAX for everything that
 * is no TOML, TR_E_LIMIT above TR_LIMIT_TOML_BYTES or TR_LIMIT_NESTING, both
 * with the place, and TR_E_NOMEM. While it runs, it takes memory beside the
 * arena, at most as much again as the arena may hold.
 */
TR_NODISCARD tr_status tr_toml_read(struct tr_arena *arena, tr_str text,
                                    const struct tr_json **out,
                                    struct tr_err *err);

#endif
