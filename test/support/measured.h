/*
 * test/support/measured.h - sums, averages, the least and the greatest of what
 * some nodes have of a field, reckoned as at school.
 */
#ifndef TR_TEST_SUPPORT_MEASURED_H
#define TR_TEST_SUPPORT_MEASURED_H

#include "query/aggregate.h"
#include "support/asked.h"

/* Whether a field can be measured so. */
bool measured_can(enum tr_query_measure_kind kind,
                  const struct tr_field *field);

/* A measure of what some nodes have of a field. */
struct measured {
    enum tr_query_measure_kind kind;
    const struct tr_field *field;
    const tr_rdf_id *nodes;
    size_t count;
};

/* Fails, and tells `row`, when `got` is not that. */
void measured_check(const struct tr_graph_read_ctx *ctx,
                    const struct measured *measured, const struct tr_json *got,
                    const char *row);

#endif
