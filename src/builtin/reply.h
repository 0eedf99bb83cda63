/*
 * builtin/reply.h - handlers that are C functions: they write a text, or give
 * a value.
 *
 * They read and change the graph through the call, as a handler in Lua would.
 * Only those that give a value may change it.
 */
#ifndef TR_BUILTIN_REPLY_H
#define TR_BUILTIN_REPLY_H

#include "cap/cap.h"
#include "graph/kg.h"
#include "json/writer.h"
#include "runtime/call.h"

struct tr_builtin_reply;

/* What a handler's data points to; lives as long as the snapshot. */
struct tr_builtin {
    tr_status (*write)(struct tr_builtin_reply *answer, struct tr_err *err);
    const struct tr_model_type *type; /* that it is about, or NULL */
    tr_str name;                      /* of what it is about, or empty */
};

/* An answer on its way. */
struct tr_builtin_reply {
    struct tr_call *call;
    const struct tr_builtin *what;
    struct tr_buf text;
    struct tr_json_writer writer; /* to the text, for those who write JSON */
    TR_VEC(struct tr_json_member) meta; /* of the contents */
    TR_VEC(struct tr_json_member) data; /* of an error */
    const struct tr_json *value; /* the answer, when it is no text; in the
                                    call's arena */
};

/* Runs `write`; for `run` of a handler. */
tr_cap_handler_fn tr_builtin_built_in_run;

/* The graph, until the handler leaves it (graph/kg.h). */
TR_NODISCARD tr_status tr_builtin_reply_enter(struct tr_builtin_reply *answer,
                                              struct tr_graph_kg **kg,
                                              struct tr_graph_read_ctx *ctx,
                                              struct tr_err *err);

/* An argument; "" when it is absent. */
tr_str tr_builtin_reply_arg(const struct tr_builtin_reply *answer,
                            const char *name);

/*
 * A cursor that is good for a day, for one purpose: what it says is ours alone
 * to write. TR_E_UNSUPPORTED where there are no keys.
 */
TR_NODISCARD tr_status tr_builtin_reply_seal(
    const struct tr_builtin_reply *answer, const char *purpose,
    const struct tr_buf *text, tr_str *out, struct tr_err *err);

/* What a cursor says; false when it is none of ours, or too old. */
bool tr_builtin_reply_unseal(const struct tr_builtin_reply *answer,
                             const char *purpose, tr_str cursor, tr_str *out);

/* Members of the contents' _meta. `key` is a literal; a text is copied. */
TR_NODISCARD tr_status
tr_builtin_reply_meta_text(struct tr_builtin_reply *answer, const char *key,
                           tr_str text, struct tr_err *err);
TR_NODISCARD tr_status
tr_builtin_reply_meta_count(struct tr_builtin_reply *answer, const char *key,
                            uint64_t count, struct tr_err *err);

/* A member of the error's data; an empty text is null. */
TR_NODISCARD tr_status
tr_builtin_reply_error_member(struct tr_builtin_reply *answer, const char *key,
                              tr_str text, struct tr_err *err);

#endif
