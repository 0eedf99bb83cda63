/*
 * runtime/outcome.h - makes the data and the meta of an outcome.
 *
 * All of it lives in the call's arena; NULL means that there was no memory, and
 * then an outcome goes without.
 */
#ifndef TR_RUNTIME_OUTCOME_H
#define TR_RUNTIME_OUTCOME_H

#include "base/limits.h"
#include "runtime/call.h"
#include "runtime/wire_error.h"

struct tr_buf;
struct tr_field;
struct tr_field_errors;
struct tr_shape;
struct tr_model_type;
struct tr_json_member;
struct tr_json_writer;

/* Whether the handler neither failed nor returned an error on purpose. */
static inline bool
tr_call_outcome_is_success(const struct tr_call_outcome *outcome)
{
    return outcome->status == TR_OK && !outcome->is_error;
}

/* {"key": value, ...} */
const struct tr_json *tr_call_object(const struct tr_call *call,
                                     struct tr_json_member *members,
                                     size_t count);

/* {"reason": reason} */
const struct tr_json *tr_call_reason(const struct tr_call *call, tr_str reason);

/* {"fields": [...]} */
const struct tr_json *tr_call_fields(const struct tr_call *call,
                                     const struct tr_field_errors *errors);

/* Makes it the failure of a validation, with such data; its message counts the
 * fields. */
void tr_call_outcome_set_fields(struct tr_call_outcome *outcome,
                                const struct tr_json *data);

/*
 * The message of an error as callers are told it. Of a validation it says what
 * is wrong with each field of `data`, as many as fit, and how many more there
 * are. It is `message` itself, or stands in `storage`.
 */
tr_str tr_call_error_text(tr_status status, tr_str message,
                          const struct tr_json *data,
                          char storage[TR_LIMIT_ERROR_TEXT]);

/* What callers are told of a failure. */
struct tr_call_failure {
    struct tr_call_wire_error wire;
    tr_str text;
    const struct tr_json *data; /* NULL: there is none, or it is hidden */
    bool is_fault; /* its author, or the operator, has to know of it */
    char storage[TR_LIMIT_ERROR_TEXT];
};

/* Makes it; `own_codes` as for tr_call_wire_error. */
struct tr_call_tell_how {
    bool own_codes;
    bool in_production;
};
void tr_call_failure_tell(const struct tr_call_outcome *failed,
                          struct tr_call_tell_how how,
                          struct tr_call_failure *out);

/*
 * Gives a TR_E_VALIDATION that a handler has made up the form of all others:
 * entries of `data.fields` that are none are left out, and when none is left,
 * there is one without a field that says what the message said.
 */
void tr_call_outcome_check_fields(const struct tr_call *call,
                                  struct tr_call_outcome *outcome);

/*
 * What the graph says of a failure: the fields that are wrong, or the reason
 * `conflict`; NULL for other statuses.
 */
const struct tr_json *tr_call_graph_data(struct tr_call *call,
                                         tr_status status);

/*
 * The same for a caller who must not hear all of it, because it is about what
 * is hidden; NULL when the caller may.
 */
const struct tr_json *tr_call_graph_told(struct tr_call *call,
                                         tr_status status);

/* Whether a field of a type, or with NULL the type itself, is hidden from the
 * caller. */
bool tr_call_hides(const struct tr_call *call, const struct tr_model_type *type,
                   const struct tr_field *field);

/* Fails with TR_E_NOT_FOUND, and says which instance may have been meant and
 * what lists them (runtime/names.h). */
TR_NODISCARD tr_status tr_call_fail_missing(struct tr_call *call,
                                            const struct tr_model_type *type,
                                            tr_str given, struct tr_err *err);

/* Of a TR_E_CONFLICT because of a version, names what reads the node. */
void tr_call_say_read_again(struct tr_call *call, struct tr_err *err);

/* {"field": field, "reason": "invalid_cursor"} */
const struct tr_json *tr_call_bad_cursor(const struct tr_call *call,
                                         tr_str field);

/*
 * Of a success whose value is stored nodes (cap.h: stored_shape): says in the
 * meta which do not fit, and leaves out of `structured` the values that are of
 * another kind than clients were promised. Other outcomes stay as they are.
 */
TR_NODISCARD tr_status tr_call_outcome_show_stored(
    const struct tr_call *call, struct tr_call_outcome *outcome,
    const struct tr_json *asked, struct tr_err *err);

/* In the meta: the nodes that do not fit, [{"id", "fields": [...]}]. */
#define TR_CALL_META_UNFIT "dev.trails/unfit"

/* That list for one node, as tr_query_node_read has it; NULL when it fits. */
TR_NODISCARD tr_status tr_call_list_unfit(const struct tr_call *call,
                                          const struct tr_shape *shape,
                                          const struct tr_json *node,
                                          const struct tr_json **out,
                                          struct tr_err *err);

/*
 * Whether the graph says of the node `value` exactly what is wrong with it, as
 * callers of the capability may see it.
 */
bool tr_call_is_stored(struct tr_call *call, const struct tr_json *value,
                       const struct tr_field_errors *errors);

/* The value of an outcome without those values; NULL: it has none, or there was
 * no memory. */
const struct tr_json *tr_call_structured(const struct tr_call *call,
                                         const struct tr_json *value);

/* Parses what a writer has written to `text`, which is released. */
const struct tr_json *tr_call_tree(const struct tr_call *call,
                                   struct tr_json_writer *w,
                                   struct tr_buf *text);

/* `meta`, which may be NULL, with more members; `meta` itself without memory.
 */
const struct tr_json *tr_call_add_meta(const struct tr_call *call,
                                       const struct tr_json *meta,
                                       const struct tr_json_member *more,
                                       size_t count);

#endif
