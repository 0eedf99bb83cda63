/*
 * prov/measure.h - what calls of capabilities came to: how long they took, and
 * what they said they spent.
 *
 * Of each capability and version the store has histograms, to which every
 * process adds. Their buckets are an eighth of a power of two, so a percentile
 * is at most a sixteenth away from the truth. They are kept by months of thirty
 * days, this one and the one before: older calls, and versions that nobody
 * calls any more, are forgotten.
 */
#ifndef TR_PROV_MEASURE_H
#define TR_PROV_MEASURE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * measured        a capability, its version and a month; when a warning of it
 *                 was logged (in microseconds since 1970)
 * measured_times  how often it came to what is in a bucket
 */
#define TR_PROV_SCHEMA_MEASURED                                                \
    "CREATE TABLE measured (m INTEGER PRIMARY KEY, id TEXT NOT NULL,"          \
    " version TEXT NOT NULL, month INTEGER NOT NULL,"                          \
    " warned INTEGER NOT NULL, UNIQUE (id, version, month));"                  \
    "CREATE TABLE measured_times (m INTEGER NOT NULL, unit INTEGER NOT NULL,"  \
    " bucket INTEGER NOT NULL, times INTEGER NOT NULL,"                        \
    " PRIMARY KEY (m, unit, bucket)) WITHOUT ROWID;"

/* Stored as numbers. */
enum tr_prov_unit {
    TR_PROV_UNIT_MICROS,    /* of wall time */
    TR_PROV_UNIT_TOKENS,    /* of ctx:spend */
    TR_PROV_UNIT_MICRO_USD, /* the same */
    TR_PROV_UNITS
};

/* One call of a capability; its texts are borrowed. */
struct tr_prov_actual {
    tr_str id;
    tr_str version;
    bool has_spent; /* it said so: the units behind the first count */
    uint64_t of[TR_PROV_UNITS];
    uint64_t estimate[TR_PROV_UNITS]; /* 0: there is none */
};

/* An actual is told of when it is over so many times its estimate. */
#define TR_PROV_OVER ((uint64_t)3)

/* So far a percentile is away from the truth at most, as a part of it. */
#define TR_PROV_MEASURE_ERROR (1.0 / 16)

struct tr_prov_percentiles {
    uint64_t count; /* of calls; 0: nothing is known */
    uint64_t p50;
    uint64_t p95;
};

struct tr_prov_measured {
    tr_str id;
    tr_str version;
    struct tr_prov_percentiles of[TR_PROV_UNITS];
};

struct tr_db;

struct tr_prov_measured_list {
    struct tr_prov_measured *items;
    size_t count;
    size_t cap;
};

/* Those of all, in the order of ids and versions, in the arena. */
TR_NODISCARD tr_status
tr_prov_measure_read_all(struct tr_db *db, struct tr_arena *arena,
                         struct tr_prov_measured_list *out, struct tr_err *err);

/* That of one; NULL when it was never called. */
const struct tr_prov_measured *
tr_prov_measured_find(const struct tr_prov_measured_list *list, tr_str id,
                      tr_str version);

#endif
