/*
 * table/refused.h - what shapes have refused in the end of an import, as what
 * is to be looked for in its rows.
 */
#ifndef TR_TABLE_REFUSED_H
#define TR_TABLE_REFUSED_H

#include "base/arena.h"
#include "table/table.h"

struct tr_table_refused {
    struct tr_arena arena; /* of all texts */
    struct tr_table_origin *origins;
    size_t count;
};

void tr_table_refused_init(struct tr_table_refused *refused);
void tr_table_refused_done(struct tr_table_refused *refused);

/* One for each result without details, as far as they were kept; none when it
 * was not a shape that failed. */
TR_NODISCARD tr_status tr_table_refused_read(const struct tr_graph_load *load,
                                             struct tr_table_refused *out,
                                             struct tr_err *err);

#endif
