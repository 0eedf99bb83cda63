/*
 * fields/check_inside.h - one check of an object: what the files check*.c
 * share.
 */
#ifndef TR_FIELDS_CHECK_INSIDE_H
#define TR_FIELDS_CHECK_INSIDE_H

#include "base/buf.h"
#include "fields/check.h"

/* The state of one check. The first failure that is no violation sticks. */
struct tr_field_checking {
    const struct tr_field_holder *at; /* NULL: the object is in no other */
    bool has_odd_object;              /* one has to be completed */
    struct tr_arena *arena;
    const struct tr_shape *shape; /* NULL when one value is checked */
    struct tr_field_errors *errors;
    bool is_patch;       /* only what is given counts */
    bool is_input;       /* null is absent, a ref may be a name */
    bool has_names;      /* a ref is one */
    size_t nulls;        /* members that count as absent */
    size_t absent;       /* fields that take their default */
    bool has_odd_number; /* an integer is written as 1.0 or 1e2, or a
                            decimal as a number */
    struct tr_err *err;
    tr_status failed;
};

/* What is wrong (check_says.c). ---------------------------------------------*/

void tr_field_check_no_memory(struct tr_field_checking *c);

/* Adds an error; its field is named by the way there. */
void tr_field_violate(struct tr_field_checking *c,
                      const struct tr_field_error *error, const char *says,
                      const struct tr_json *detail);
void tr_field_violate_count(struct tr_field_checking *c,
                            const struct tr_field *field,
                            const struct tr_json *value, int64_t limit,
                            const char *code);
void tr_field_violate_kind(struct tr_field_checking *c,
                           const struct tr_field *field,
                           const struct tr_json *value);

/* A count as JSON; its text is in the arena. */
struct tr_json tr_field_count_json(struct tr_field_checking *c, int64_t count);

/* Values. -------------------------------------------------------------------*/

/* What a field has, in its form (check.c); one value of it (check_value.c). */
void tr_field_check_value(struct tr_field_checking *c,
                          const struct tr_field *field,
                          const struct tr_json *value);
void tr_field_check_one(struct tr_field_checking *c,
                        const struct tr_field *field,
                        const struct tr_json *value);

/* Objects (check_object.c). -------------------------------------------------*/

/* The check of what an object holds, which is the value of a field. */
struct tr_field_checking
tr_shape_check_inside(const struct tr_field_checking *c,
                      const struct tr_field *field,
                      const struct tr_field_holder *at);
void tr_field_check_object(struct tr_field_checking *c,
                           const struct tr_field *field,
                           const struct tr_json *value, size_t number);
void tr_shape_check_members(struct tr_field_checking *c,
                            const struct tr_json *object);

/* The value of a field; NULL when it is absent. */
const struct tr_json *tr_shape_find_given(const struct tr_field_checking *c,
                                          const struct tr_json *object,
                                          tr_str name);

/* Whether null stands for nothing, and this is one. */
static inline bool tr_shape_is_null(const struct tr_field_checking *c,
                                    const struct tr_json *value)
{
    return c->is_input && value->kind == TR_JSON_NULL;
}

/* What a handler sees (check_complete.c). -----------------------------------*/

/* Whether it sees the object otherwise than it was given; a number that is
 * written otherwise than it sees it. */
bool tr_shape_is_odd(const struct tr_field_checking *c);
bool tr_field_has_odd_number(enum tr_field_kind kind,
                             const struct tr_json *value);

/* The object as it sees it; itself when nothing has to change. It is known to
 * be right. NULL without memory. */
const struct tr_json *tr_shape_complete(struct tr_field_checking *c,
                                        const struct tr_json *object);

#endif
