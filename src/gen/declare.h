/*
 * gen/declare.h - a declaration: what it says in app.lua, and where it stands.
 */
#ifndef TR_GEN_DECLARE_H
#define TR_GEN_DECLARE_H

#include "gen/inside.h"
#include "gen/scan.h"

/* A declaration, written out; it ends with a line end. */
struct tr_gen_written {
    struct tr_buf text;
    size_t body_from; /* what the author of the call has written of it */
    size_t body_to;
};

/* "node_type", or "resource_template" for a resource with variables. */
const char *tr_gen_word(const struct tr_gen_call *call);

/* Writes the declaration that a call asks for. */
void tr_gen_write_declaration(const struct tr_gen_call *call,
                              struct tr_gen_written *out);

/*
 * Refuses what registration would refuse of the declaration alone: its name,
 * its fields, what it says of itself.
 */
TR_NODISCARD tr_status tr_gen_verify(struct tr_gen_call *call,
                                     struct tr_err *err);

/*
 * Puts a declaration into a file: behind the last one of its kind, else at the
 * end. What was there stays as it is, byte for byte. *at is where it begins.
 */
TR_NODISCARD tr_status tr_gen_insert(tr_str file,
                                     const struct tr_gen_outline *outline,
                                     const char *word, tr_str declaration,
                                     struct tr_buf *out, struct tr_err *err);

/* Where it would begin, in the file as it is. */
size_t tr_gen_insert_offset(tr_str file, const struct tr_gen_outline *outline,
                            const char *word);

#endif
