/*
 * builtin/reply.h - what a handler in C gets, and fills: it writes a text, or
 * gives a value.
 *
 * It reads and changes the graph through the call, as a handler in Lua would.
 * Only a handler that gives a value may change it.
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
    tr_status (*write)(struct tr_builtin_reply *reply, struct tr_err *err);
    const struct tr_model_type *type; /* whose handler it is, or NULL */
    bool gives_data; /* its text is JSON, which callers get as a value */
    bool is_tool;    /* everybody sees the same of it: */
    const struct tr_model_face *face; /* what its scope shows; NULL: all */
};

/* The reply to one call, while its handler runs. */
struct tr_builtin_reply {
    struct tr_call *call;
    const struct tr_builtin *what;
    const struct tr_model_face *face; /* what is seen; NULL: all */
    const struct tr_model *model;     /* as it is seen, or NULL */
    const struct tr_model_type *type; /* what->type, as it is seen */
    struct tr_buf text;
    struct tr_json_writer writer;       /* to the text, for handlers of JSON */
    TR_VEC(struct tr_json_member) meta; /* of the contents */
    TR_VEC(struct tr_json_member) data; /* of an error */
    const struct tr_json *value; /* instead of the text, or NULL; in the call's
                                    arena */
    const struct tr_json *asked; /* the fields that the nodes in `value` are to
                                    have; NULL: all */
};

/* The `run` of such handlers: calls `write`, and finishes the call. */
tr_cap_handler_fn tr_builtin_run;

/* Whether the caller may know of a shape or type. */
bool tr_builtin_is_shown(const struct tr_builtin_reply *reply, tr_str iri);

/* Writes the members that say what a type is: its IRI, its fields... */
void tr_builtin_put_type(struct tr_builtin_reply *reply,
                         const struct tr_model_type *type);

/* Enters the graph, as it is seen; the handler must leave it (graph/kg.h). */
TR_NODISCARD tr_status tr_builtin_reply_enter(struct tr_builtin_reply *reply,
                                              struct tr_graph_kg **kg,
                                              struct tr_graph_read_ctx *ctx,
                                              struct tr_err *err);

/* An argument; "" when it is absent. */
tr_str tr_builtin_reply_arg(const struct tr_builtin_reply *reply,
                            const char *name);

/*
 * Makes a cursor that is valid for a day and for one purpose. It is signed, so
 * that clients cannot change it. TR_E_UNSUPPORTED where there are no keys.
 */
TR_NODISCARD tr_status tr_builtin_reply_seal(
    const struct tr_builtin_reply *reply, const char *purpose,
    const struct tr_buf *text, tr_str *out, struct tr_err *err);

/* What a cursor holds; false when it was not made so, or has expired. */
bool tr_builtin_reply_unseal(const struct tr_builtin_reply *reply,
                             const char *purpose, tr_str cursor, tr_str *out);

/* Adds a member to the contents' _meta. `key` is a literal; a text is copied.
 */
TR_NODISCARD tr_status tr_builtin_reply_meta(struct tr_builtin_reply *reply,
                                             const char *key,
                                             const struct tr_json *value,
                                             struct tr_err *err);
TR_NODISCARD tr_status
tr_builtin_reply_meta_text(struct tr_builtin_reply *reply, const char *key,
                           tr_str text, struct tr_err *err);
TR_NODISCARD tr_status
tr_builtin_reply_meta_count(struct tr_builtin_reply *reply, const char *key,
                            uint64_t count, struct tr_err *err);

/* Adds a member to the error's data; an empty text becomes null. */
TR_NODISCARD tr_status
tr_builtin_reply_error_member(struct tr_builtin_reply *reply, const char *key,
                              tr_str text, struct tr_err *err);

#endif
