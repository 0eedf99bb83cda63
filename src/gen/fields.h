/*
 * gen/fields.h - tables of fields, as callers send them and as app.lua has
 * them.
 *
 * One table of options says what a field can have: the shape that callers see,
 * the field that registration judges, and the Lua that is written are views of
 * it.
 */
#ifndef TR_GEN_FIELDS_H
#define TR_GEN_FIELDS_H

#include "gen/inside.h"

/* The shape of one field: its name, its kind, its options. Lives in the arena;
 * not registered. */
TR_NODISCARD tr_status tr_gen_field_shape_make(struct tr_arena *arena,
                                               const struct tr_shape **out,
                                               struct tr_err *err);

/*
 * Reads the value of an argument, an array of fields, which registration would
 * take; what it would not is refused as `argument`, each field for itself.
 * `*out` is a draft in the call's arena.
 */
TR_NODISCARD tr_status tr_gen_fields_read(struct tr_gen_call *call,
                                          const char *argument,
                                          struct tr_shape *out,
                                          struct tr_err *err);

/* Writes them as a table, { ... }; its lines are `indent` spaces to the right,
 * but for the first. */
void tr_gen_put_fields(struct tr_buf *out, const struct tr_json *fields,
                       unsigned indent);

#endif
