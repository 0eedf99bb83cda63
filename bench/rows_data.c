/*
 * bench/rows_data.c - two hundred thousand records, the same in every run, and
 * a server of them.
 */
#include "base/limits.h"
#include "rows.h"

#include <sys/stat.h>
#include <time.h>

#define FIRST_TIME 1577836800 /* 2020-01-01 */
#define TIME_STEP  137

/* No factor of it divides the number of records. */
#define RANK_STEP 7919

/* What a reader keeps of a store's pages (db/db.h, cache_bytes), and how many
 * times as large the store is at least. */
#define READER_CACHE  TR_MIB(8)
#define READER_CACHES 20

void tr_bench_record_id(size_t i, char out[TR_BENCH_ID])
{
    (void)snprintf(out, TR_BENCH_ID, "r%06zu", i);
}

void tr_bench_stream(size_t i, char out[TR_BENCH_ID])
{
    (void)snprintf(out, TR_BENCH_ID, "stream-%04zu", i % TR_BENCH_STREAMS);
}

/* A stream has two of them, in turn. */
void tr_bench_connection(size_t i, char out[TR_BENCH_ID])
{
    size_t in_stream = i / TR_BENCH_STREAMS;
    (void)snprintf(out, TR_BENCH_ID, "link-%02zu",
                   (i + in_stream % 2 * (TR_BENCH_CONNECTIONS / 2)) %
                       TR_BENCH_CONNECTIONS);
}

void tr_bench_batch(size_t i, char out[TR_BENCH_ID])
{
    (void)snprintf(out, TR_BENCH_ID, "batch-%03zu",
                   i / TR_BENCH_CONNECTIONS % TR_BENCH_BATCHES);
}

/* splitmix64 */
uint64_t tr_bench_chance(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void tr_bench_record(size_t i, struct tr_bench_record *out)
{
    uint64_t chance = tr_bench_chance(i);
    unsigned low = (unsigned)(chance & 0xFFFFFFFF);
    unsigned high = (unsigned)(chance >> 32);
    time_t when = FIRST_TIME + (time_t)i * TIME_STEP;
    struct tm parts;
    *out = (struct tr_bench_record){.rank = i * RANK_STEP % TR_BENCH_RECORDS};
    tr_bench_record_id(i, out->id);
    tr_bench_stream(i, out->stream);
    tr_bench_connection(i, out->connection);
    tr_bench_batch(i, out->batch);
    (void)snprintf(out->title, sizeof(out->title),
                   "Record %08x of the gateway in hall %zu", high, i % 97);
    (void)snprintf(out->reference, sizeof(out->reference), "REF-%06zu-%08x", i,
                   low);
    (void)snprintf(
        out->note, sizeof(out->note),
        "Came by shelf %08x at gate %08x. To be kept until somebody has looked "
        "at it again, or until it is a year old, whichever is later; then it "
        "goes where all the others went, unless the one who sent it has asked "
        "for it in the meantime.",
        low, high);
    (void)snprintf(out->share, sizeof(out->share), "%u.%u%uE0", 1 + low % 9,
                   high % 10, 1 + high % 9);
    (void)gmtime_r(&when, &parts);
    (void)strftime(out->at, sizeof(out->at), "%Y-%m-%dT%H:%M:%SZ", &parts);
}

void tr_bench_records_write(FILE *out, size_t count)
{
    struct tr_bench_record one;
    (void)fputs("@prefix r: <trails://bench/Record#> .\n"
                "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n",
                out);
    for (size_t i = 0; i < count; i++) {
        tr_bench_record(i, &one);
        (void)fprintf(out,
                      "<trails://bench/Record/%s> a <trails://bench/Record>;"
                      "r:title \"%s\";r:stream \"%s\";r:connection \"%s\";"
                      "r:batch \"%s\";r:reference \"%s\";r:note \"%s\";"
                      "r:share %s;r:rank %zu;r:at \"%s\"^^xsd:dateTime.\n",
                      one.id, one.title, one.stream, one.connection, one.batch,
                      one.reference, one.note, one.share, one.rank, one.at);
    }
}

static bool is_large(const char *store)
{
    char path[TR_BENCH_PATH + 16];
    struct stat file;
    (void)snprintf(path, sizeof(path), "%s/graph.db", store);
    if (stat(path, &file) == 0 &&
        (size_t)file.st_size >= READER_CACHES * READER_CACHE)
        return true;
    (void)fprintf(stderr, "bench: %s is not %d times a reader's cache\n", path,
                  READER_CACHES);
    return false;
}

/* What is asked is recorded, so it is a copy that is asked. */
static bool copy_store(const char *app)
{
    struct tr_bench_store store = {"rows-" TR_BENCH_GENERATION, app,
                                   tr_bench_records_write, TR_BENCH_RECORDS};
    char path[TR_BENCH_PATH];
    char copy[TR_BENCH_PATH + 8];
    char command[4 * TR_BENCH_PATH];
    if (!tr_bench_store_open(&store, path) || !is_large(path))
        return false;
    (void)snprintf(copy, sizeof(copy), "%s-copy", path);
    (void)snprintf(command, sizeof(command), "rm -rf '%s' && cp -r '%s' '%s'",
                   copy, path, copy);
    return tr_bench_run(command) && setenv("TRAILS_STORE", copy, 1) == 0;
}

bool tr_bench_records_start(const char *app, struct tr_bench_server *out)
{
    return copy_store(app) && tr_bench_app_start(app, out);
}

void tr_bench_records_stop(struct tr_bench_server *server)
{
    tr_bench_server_stop(server);
    if (getenv("TRAILS_STORE"))
        (void)tr_bench_run("rm -rf \"$TRAILS_STORE\"");
    (void)unsetenv("TRAILS_STORE");
}
