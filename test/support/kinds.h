/*
 * test/support/kinds.h - a model with fields of each kind in each form that it
 * may have, with indexes at random, and quads of it: values that are equal and
 * spelt otherwise, some of other kinds, in two graphs.
 *
 * Which kinds there are, and which forms, the tables of fields/ say: a new kind
 * is in it by itself, and fails until test/support/kind_values.c has values.
 */
#ifndef TR_TEST_SUPPORT_KINDS_H
#define TR_TEST_SUPPORT_KINDS_H

#include "model/model.h"
#include "rdf/term.h"

enum { KINDS_NODES = 12, KINDS_CHOSEN = 6, KINDS_FIELDS = KINDS_CHOSEN + 2 };

/*
 * Thing, and below it Task, with some of the fields each; also with the refs
 * `owner` (one) and `friends` (many) of tasks to tasks. All are optional.
 */
struct kinds {
    struct tr_field fields[KINDS_FIELDS];
    char names[KINDS_CHOSEN][32];
    size_t of_thing; /* the first of them are Thing's */
};

/* How many there are of fields that differ in kind or form. */
size_t kinds_count(void);

/* Chooses some of them, from `first` on, so that all come in turn. */
void kinds_choose(struct kinds *kinds, size_t first);

/* With random indexes; no two fields of its types have the same predicate. */
const struct tr_model *kinds_model(const struct kinds *kinds);

/* The IRI of a node. */
tr_str kinds_node(size_t number);

/* A random value of a field, and now and then something else; its texts are
 * static or in the arena. */
tr_rdf_term kinds_value(const struct tr_field *field, struct tr_arena *arena);

/* A random quad, whose texts are static or in the arena: a type, or a value of
 * the field that *field is then. */
tr_rdf_quad kinds_quad(const struct tr_model *model, struct tr_arena *arena,
                       const struct tr_field **field);

#endif
