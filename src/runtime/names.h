/*
 * runtime/names.h - nodes as callers name them, and what they are told of those
 * that are not there; for this folder only.
 */
#ifndef TR_RUNTIME_NAMES_H
#define TR_RUNTIME_NAMES_H

#include "fields/error.h"
#include "graph/kg.h"
#include "runtime/call.h"

/*
 * The arguments with IRIs in the place of ends of ids, and without nulls; *out
 * is `args` itself when it has none. What is not there is added to `errors`;
 * with NULL it stays as it is. `args` may be anything.
 */
TR_NODISCARD tr_status tr_call_spell_out(struct tr_call *call,
                                         const struct tr_json *args,
                                         struct tr_field_errors *errors,
                                         const struct tr_json **out,
                                         struct tr_err *err);

/*
 * Appends "there is no Project NOPE; did you mean DOCK? find_project lists
 * them": only what the caller may see is named, by `key` unless that is NULL.
 * The instances that are compared are the first TR_LIMIT_NEAR of the type,
 * those whose ids begin alike, and those with the same words.
 */
void tr_call_put_missing(const struct tr_call *call,
                         const struct tr_graph_read_ctx *ctx,
                         const struct tr_model_type *type,
                         const struct tr_field *key, tr_str given,
                         struct tr_buf *out);

/*
 * {"fields": [...]} of a landing that was refused, told in terms of nodes: what
 * a ref names and is not there, and who still needs what was to be deleted.
 * When nothing but the latter is wrong, and with one node, *needed is the
 * sentence that says all of it; else it stays, or is empty.
 */
const struct tr_json *tr_call_tell_landing(struct tr_call *call,
                                           const struct tr_json *data,
                                           tr_str *needed);

#endif
