/*
 * bench/import.c - a file of a million triples into a store on the disk, all of
 * it validated, in one transaction; beside oxigraph, which loads it into
 * memory. Each load is a process of its own; what counts is the time that
 * passes, to the end of the last write to the disk.
 */
#include "base/limits.h"
#include "bench.h"
#include "graph/load.h"
#include "graph/schema.h"
#include "json/reader.h"
#include "model/builder.h"
#include "model/model.h"
#include "rdf/reader.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTANCES = 100000, QUADS = 10, ROUNDS = 3 };

#define E "http://example.org/"

static bool write_instance(FILE *out, int i)
{
    static const char *const roles[] = {"admin", "author", "reader"};
    char s[32];
    (void)snprintf(s, sizeof(s), "<" E "p%d>", i);
    return fprintf(out, "%s <" TR_RDF_IRI_RDF_TYPE "> <" E "Person> .\n", s) >
               0 &&
           fprintf(out, "%s <" E "name> \"Person %d\" .\n", s, i) > 0 &&
           fprintf(out, "%s <" E "email> \"p%d@example.org\" .\n", s, i) > 0 &&
           fprintf(out,
                   "%s <" E "age> \"%d\"^^<" TR_RDF_IRI_XSD_INTEGER "> .\n", s,
                   i % 100) > 0 &&
           fprintf(out,
                   "%s <" E "born> \"19%02d-0%d-1%dT08:30:00Z\""
                   "^^<" TR_RDF_IRI_XSD_DATE_TIME "> .\n",
                   s, i % 100, 1 + i % 9, i % 10) > 0 &&
           fprintf(out,
                   "%s <" E "active> \"%s\"^^<" TR_RDF_IRI_XSD_BOOLEAN "> .\n",
                   s, i % 2 ? "true" : "false") > 0 &&
           fprintf(out, "%s <" E "role> \"%s\" .\n", s, roles[i % 3]) > 0 &&
           fprintf(out,
                   "%s <" E "score> \"%d.5E0\"^^<" TR_RDF_IRI_XSD_DOUBLE
                   "> .\n",
                   s, i % 1000) > 0 &&
           fprintf(out, "%s <" E "knows> <" E "p%d> .\n", s,
                   (i + 1) % INSTANCES) > 0 &&
           fprintf(out, "%s <" E "knows> <" E "p%d> .\n", s,
                   (i + 7) % INSTANCES) > 0;
}

static bool write_data(const char *path)
{
    FILE *file = fopen(path, "w");
    bool done = file != NULL;
    for (int i = 0; done && i < INSTANCES; i++)
        done = write_instance(file, i);
    return file && fclose(file) == 0 && done;
}

#define FIELD(n) .name = TR_STR_INIT(n), .iri = TR_STR_INIT(E n)

/* The type that the file has instances of: every field with a rule. */
static tr_status make_model(struct tr_arena *arena, const struct tr_model **out,
                            struct tr_err *err)
{
    const struct tr_json *roles = NULL;
    TR_TRY(tr_json_read(arena, TR_STR("[\"admin\",\"author\",\"reader\"]"),
                        NULL, &roles, err));
    const struct tr_field fields[] = {
        {FIELD("name"), .min_length = 2, .max_length = 40},
        {FIELD("email"), .pattern = TR_STR_INIT("^[a-z0-9]+@[a-z]+[.]org$"),
         .unique = true},
        {FIELD("age"), .kind = TR_FIELD_INTEGER, .min_value = TR_STR_INIT("0"),
         .max_value = TR_STR_INIT("150")},
        {FIELD("born"), .kind = TR_FIELD_DATETIME},
        {FIELD("active"), .kind = TR_FIELD_BOOLEAN},
        {FIELD("role"), .one_of = roles},
        {FIELD("score"), .kind = TR_FIELD_NUMBER},
        {FIELD("knows"), .kind = TR_FIELD_REF, .target = TR_STR_INIT("Person"),
         .many = true, .max_count = 3},
    };
    struct tr_model_type_draft draft = {
        .shape = {.name = TR_STR_INIT("Person"),
                  .iri = TR_STR_INIT(E "Person"),
                  .fields = fields,
                  .count = TR_LEN(fields)},
        .label = TR_STR_INIT("name")};
    return tr_bench_model(&draft, out, err);
}

static tr_status import(const struct tr_model *model, const char *data,
                        const char *store, struct tr_err *err)
{
    struct tr_graph_load_opts opts = {.path = store, .model = model};
    struct tr_rdf_file_opts file = {0};
    struct tr_graph_load *load = NULL;
    TR_TRY(tr_graph_load_create(&opts, &load, err));
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    tr_status status = tr_rdf_file_read(data, &file, &sink, err);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, err);
    tr_graph_load_free(load);
    return status;
}

static tr_status make_store(const char *store, struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(store, NULL, &db, err));
    tr_status status = tr_graph_schema(db, err);
    tr_db_close(db);
    return status;
}

static double now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* In the child. */
static _Noreturn void run_ours(const char *data, const char *store)
{
    const struct tr_model *model = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = make_model(&arena, &model, &err);
    if (status == TR_OK)
        status = make_store(store, &err);
    if (status == TR_OK)
        status = import(model, data, store, &err);
    if (status != TR_OK)
        (void)printf("import: %s\n", err.msg);
    (void)fflush(stdout);
    _exit(status != TR_OK);
}

static bool measure_ours(const char *data, const char *store, double *ms,
                         double *bytes)
{
    struct rusage used;
    int status = 1;
    (void)fflush(stdout);
    double start = now_ms();
    pid_t child = fork();
    if (child == 0)
        run_ours(data, store);
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        return false;
    *ms = now_ms() - start;
    *bytes = (double)used.ru_maxrss * 1024;
    return true;
}

/* It tells its own time: that of node's start is not counted. */
static bool measure_rival(const char *data, double *ms)
{
    const char *const argv[] = {"scripts/node", "bench/import_rival.mjs", data,
                                NULL};
    char line[128];
    if (!tr_bench_run_line(argv, line, sizeof(line)))
        return false;
    char *rest = NULL;
    *ms = strtod(line, &rest);
    return strtoul(rest, NULL, 10) == (size_t)INSTANCES * QUADS;
}

static void remove_store(const char *store)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char path[PATH_MAX];
    for (size_t i = 0; i < TR_LEN(endings); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", store, endings[i]);
        (void)unlink(path);
    }
}

/* In turns; the best of each. */
static bool measure(const char *data, const char *store, double best[2],
                    double *bytes)
{
    best[0] = best[1] = 1e18;
    for (int i = 0; i < ROUNDS; i++) {
        double ours = 0;
        double theirs = 0;
        bool done = measure_ours(data, store, &ours, bytes);
        remove_store(store);
        if (!done || !measure_rival(data, &theirs))
            return false;
        best[0] = ours < best[0] ? ours : best[0];
        best[1] = theirs < best[1] ? theirs : best[1];
    }
    return true;
}

/* On a disk: what is in memory would not have to be synced. */
bool tr_bench_import(const char *only)
{
    char folder[] = "build/import-XXXXXX";
    char data[64];
    char store[64];
    double best[2];
    double bytes = 0;
    if (!strstr("import", only))
        return true;
    if (!mkdtemp(folder))
        return false;
    (void)snprintf(data, sizeof(data), "%s/data.nt", folder);
    (void)snprintf(store, sizeof(store), "%s/graph.db", folder);
    bool done = write_data(data) && measure(data, store, best, &bytes);
    remove_store(store);
    (void)unlink(data);
    (void)rmdir(folder);
    if (!done) {
        (void)printf("import: cannot be measured\n");
        return false;
    }
    struct tr_bench_ratio row = {
        .name = "import: a triple, durable",
        .rival = "oxigraph in memory",
        .ours_ns = best[0] * 1e6 / INSTANCES / QUADS,
        .theirs_ns = best[1] * 1e6 / INSTANCES / QUADS,
        .target = 2.5,
    };
    bool met = tr_bench_report_ratio(&row);
    return tr_bench_report_most("import: 1M triples", "MB", bytes / 1e6, 200) &&
           met;
}
