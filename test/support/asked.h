/*
 * test/support/asked.h - random filters, as JSON and as what they mean, and a
 * plain look at a node that says whether it fits one.
 *
 * What may be asked of a field, fields/forms.h says. How values compare,
 * test/support/kind_values.h knows.
 */
#ifndef TR_TEST_SUPPORT_ASKED_H
#define TR_TEST_SUPPORT_ASKED_H

#include "base/buf.h"
#include "fields/forms.h"
#include "graph/read_ctx.h"
#include "support/kind_values.h"

/* A value of a reference has an IRI for its text. */
struct asked_cond {
    const struct tr_field
        *across; /* the ref that leads to the field, or NULL */
    const struct tr_field *field;
    unsigned forms; /* bits of enum tr_field_form; equal is a choice of one */
    struct kind_value bounds[TR_FIELD_FORM_BELOW + 1];
    struct kind_value choices[3];
    size_t choice_count;
    tr_str prefix;
    struct asked *any; /* alternatives, and no field */
    size_t any_count;
};

/* All of them hold. */
struct asked {
    struct asked_cond conds[4];
    size_t count;
};

/* Makes a filter for instances of a type; all of it is in the arena. */
const struct asked *asked_make(const struct tr_model_type *type,
                               struct tr_arena *arena, struct tr_buf *json);

/* Whether a node is an instance of a type, and fits. */
bool asked_fits(const struct tr_graph_read_ctx *ctx,
                const struct tr_model_type *type, const struct asked *asked,
                tr_rdf_id node);

enum { ASKED_VALUES = 32 };

/* What a node has of a field: terms in the arena, and their ids. */
struct asked_values {
    tr_rdf_term terms[ASKED_VALUES];
    tr_rdf_id ids[ASKED_VALUES];
    size_t count;
};

struct asked_values asked_values_of(const struct tr_graph_read_ctx *ctx,
                                    tr_rdf_id node,
                                    const struct tr_field *field);

#endif
