/*
 * bench/bench.h - rows of the speed table.
 *
 * A row measures our work and a rival's (or a floor's) in the same run, in
 * turns, and keeps the best of each: absolute times mean nothing on a shared
 * machine, their ratio does.
 */
#ifndef TR_BENCH_BENCH_H
#define TR_BENCH_BENCH_H

#include "base/str.h"

/* One round of work over the row's data; the result keeps it from vanishing. */
typedef uint64_t tr_bench_fn(const void *data);

struct tr_bench_row {
    const char *name;
    const char *rival;
    tr_bench_fn *ours;
    tr_bench_fn *theirs;
    const void *data;
    double target; /* how many times faster ours has to be */
};

/* Best CPU time of one round, in nanoseconds, of ours and of theirs. */
void tr_bench_compare(const struct tr_bench_row *row, double *ours_ns,
                      double *theirs_ns);

/* Prints the row; true when it meets its target. */
bool tr_bench_report(const struct tr_bench_row *row);

/* A group of rows; false when one of them is short. */
bool tr_bench_json(const char *only);

#endif
