/*
 * bench/writes.h - what the files of the benchmark of writes share.
 */
#ifndef TR_BENCH_WRITES_H
#define TR_BENCH_WRITES_H

#include <stdbool.h>
#include <stddef.h>

/* What landing so many changesets took. */
struct tr_bench_writes {
    double a_second;
    double cpu_us; /* of the thread that writes, for one of them */
    double p50_ms;
    double p99_ms;
};

/* How bare SQLite is driven. */
struct tr_bench_bare {
    const char *before;   /* a store, into which it inserts */
    const char *after;    /* what this one has more */
    const char *settings; /* pragmas */
    size_t group;         /* changesets in one transaction */
    size_t warm_up;       /* and in what is not measured */
    size_t round;         /* and in each round, of which the best counts */
    size_t rounds;
};

/*
 * The floor: row by row, with prepared statements. False, with a message, when
 * it cannot be measured.
 */
bool tr_bench_bare_writes(const struct tr_bench_bare *opts,
                          struct tr_bench_writes *out);

#endif
