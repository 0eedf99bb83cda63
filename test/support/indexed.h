/*
 * test/support/indexed.h - a model with indexes by value, and quads of it at
 * random: values that are equal and spelt otherwise, some of other kinds, in
 * two graphs.
 */
#ifndef TR_TEST_SUPPORT_INDEXED_H
#define TR_TEST_SUPPORT_INDEXED_H

#include "model/model.h"
#include "rdf/term.h"

enum { INDEXED_SETS = 512, INDEXED_NODES = 12 };

/*
 * Thing {name: text, size: integer}, and below it Task {due: datetime, rank:
 * decimal, owner: ref}, all optional; the first five bits of `set` are indexes,
 * the other four the fields with values that have none.
 */
const struct tr_model *indexed_model(unsigned set);

/* Gives the store in a file the indexes of a model; `opts` may be NULL. */
struct tr_db_opts;
tr_status indexed_fit(const char *path, const struct tr_db_opts *opts,
                      const struct tr_model *model, struct tr_err *err);

/* The IRI of a node. */
tr_str indexed_node(size_t number);

/* A random quad; its texts are static. */
tr_rdf_quad indexed_quad(void);

/* A random value for a field of this name. */
tr_rdf_term indexed_value(tr_str field);

#endif
