/*
 * pack/body_inside.h - what changes a body; for this folder only.
 */
#ifndef TR_PACK_BODY_INSIDE_H
#define TR_PACK_BODY_INSIDE_H

#include "pack/body.h"

/* Writes tr_pack_statement_len bytes and returns their end. With an empty
 * value it is the mark of a predicate. */
char *tr_pack_statement_write(char *to, const tr_pack_statement *statement);

/* Whether it can stand in a body, behind `last` unless that is NULL; else
 * TR_E_INTERNAL, for it is a mistake of ours. */
TR_NODISCARD tr_status
tr_pack_statement_check(const tr_pack_statement *last,
                        const tr_pack_statement *statement, struct tr_err *err);

#endif
