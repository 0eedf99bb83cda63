/*
 * cli/refused.h - what shapes have refused in the end of an import, as what is
 * to be looked for in its rows.
 */
#ifndef TR_CLI_REFUSED_H
#define TR_CLI_REFUSED_H

#include "base/arena.h"
#include "table/table.h"

struct tr_cli_refused {
    struct tr_arena arena; /* of all texts */
    struct tr_table_origin *origins;
    size_t count;
};

void tr_cli_refused_init(struct tr_cli_refused *refused);
void tr_cli_refused_done(struct tr_cli_refused *refused);

/* One for each result without details, as far as they were kept; none when it
 * was not a shape that failed. */
TR_NODISCARD tr_status tr_cli_refused_read(const struct tr_graph_load *load,
                                           struct tr_cli_refused *out,
                                           struct tr_err *err);

#endif
