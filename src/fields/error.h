/*
 * fields/error.h - what is wrong with which field, all of it, in order.
 *
 * Everything an error holds lives in the arena it was added with. Values are
 * echoed in a bounded form, and the list has a maximum.
 */
#ifndef TR_FIELDS_ERROR_H
#define TR_FIELDS_ERROR_H

#include "base/buf.h"
#include "json/json.h"
#include "json/writer.h"

struct tr_field_error {
    tr_str field; /* a name, or a path such as address/street */
    tr_str code;  /* "required", "type", "one_of", "pattern_limit", ... */
    tr_str message;
    struct tr_json value; /* null when it is absent */
    struct tr_json constraint;
};

struct tr_field_errors {
    struct tr_field_error *items;
    size_t count;
    size_t cap;
    bool more; /* there were more than TR_LIMIT_FIELD_ERRORS */
};

/* Adds a copy; values too long to echo are cut. False without memory. */
TR_NODISCARD bool tr_field_errors_add(struct tr_arena *arena,
                                      struct tr_field_errors *errors,
                                      const struct tr_field_error *error);

/*
 * As tr_field_errors_add, with the message "<field> <says><detail>". `detail`
 * may be NULL; a string stands without quotes.
 */
TR_NODISCARD bool tr_field_errors_say(struct tr_arena *arena,
                                      struct tr_field_errors *errors,
                                      const struct tr_field_error *error,
                                      const char *says,
                                      const struct tr_json *detail);

/* TR_OK without errors, else TR_E_VALIDATION with a message that counts the
 * fields. Errors of one field must stand side by side. */
TR_NODISCARD tr_status tr_field_errors_verdict(
    const struct tr_field_errors *errors, struct tr_err *err);

/* `{field, code, message, value, constraint}`; and of each, as a JSON array. */
void tr_field_error_write(struct tr_json_writer *w,
                          const struct tr_field_error *error);
void tr_field_errors_write(struct tr_json_writer *w,
                           const struct tr_field_errors *errors);

/* What is said instead of what the reader must not know, and an error in the
 * form above that says so. */
#define TR_FIELD_HIDDEN "something that the caller does not see is in the way"
void tr_field_error_write_hidden(struct tr_json_writer *w);

/* Appends `s` to a message, cut at a code point where it does not fit. */
void tr_field_message_put(struct tr_buf *message, tr_str s);

/* The field that an object is the value of, and which of its values; those that
 * are in each other are on the stack, innermost first. */
struct tr_field_holder {
    const struct tr_field_holder *outer;
    tr_str field;
    size_t number; /* from 1; 0: it has only one */
};

/* Writes the way to what is in it, address. or lines[2]. as JSON counts; NULL
 * is no object. */
void tr_field_holder_put(struct tr_buf *out, const struct tr_field_holder *at);

/* One step of the path to a value in a schema; the steps are on the stack,
 * innermost first. */
struct tr_field_path {
    const struct tr_field_path *outer;
    tr_str name;
};

/* Writes the path as a JSON Pointer (RFC 6901); NULL is the root. */
static inline void tr_field_path_put(struct tr_buf *out,
                                     const struct tr_field_path *at)
{
    if (!at)
        return;
    tr_field_path_put(out, at->outer);
    tr_json_pointer_put(out, at->name);
}

#endif
