/*
 * bench/rows.h - the records that bench/rows.c asks for: here, and in a plain
 * table of the rival's.
 */
#ifndef TR_BENCH_ROWS_H
#define TR_BENCH_ROWS_H

#include "bench.h"

#define TR_BENCH_RECORDS     200000
#define TR_BENCH_STREAMS     4000 /* of 50 records each */
#define TR_BENCH_CONNECTIONS 40   /* of 5,000 */
#define TR_BENCH_BATCHES     200  /* of 1,000 */

/* The first so many records have all pairs of a connection with a stream, and
 * all with a batch; each pair is that of 25 records. */
#define TR_BENCH_PAIRS 8000

/* To be raised with every change of what a record holds. */
#define TR_BENCH_GENERATION "1"

enum { TR_BENCH_ID = 16, TR_BENCH_TEXT = 160 };

/* Nine fields; three of their texts no other record has. */
struct tr_bench_record {
    char id[TR_BENCH_ID];
    char title[TR_BENCH_TEXT];
    char stream[TR_BENCH_ID];
    char connection[TR_BENCH_ID];
    char batch[TR_BENCH_ID];
    char reference[TR_BENCH_TEXT];
    char note[2 * TR_BENCH_TEXT];
    char share[TR_BENCH_ID]; /* as xsd:double is spelt */
    size_t rank;             /* no two have the same */
    char at[32];
};

/* The i-th record, the same in every run. */
void tr_bench_record(size_t i, struct tr_bench_record *out);

/* A number that has nothing in common with that of its neighbours. */
uint64_t tr_bench_chance(uint64_t i);

/* The ids and names that questions are made of. */
void tr_bench_record_id(size_t i, char out[TR_BENCH_ID]);
void tr_bench_stream(size_t i, char out[TR_BENCH_ID]);
void tr_bench_connection(size_t i, char out[TR_BENCH_ID]);
void tr_bench_batch(size_t i, char out[TR_BENCH_ID]);

/* All of them, as Turtle. */
void tr_bench_records_write(FILE *out, size_t count);

/* Serves an app of them, over a store of its own that goes when it stops. */
bool tr_bench_records_start(const char *app, struct tr_bench_server *out);
void tr_bench_records_stop(struct tr_bench_server *server);

/*
 * MCP Toolbox for Databases over a table of them; both are kept for the next
 * run. False when it cannot be had: `why` gets a few words.
 */
bool tr_bench_toolbox_start(struct tr_bench_server *out, char *why,
                            size_t size);

#endif
