/*
 * bench/shacl.c - validation against the faster of the two npm validators.
 *
 * 100,000 instances of eight fields, a million triples, a few of them wrong.
 * The rivals get a tenth of the instances, which they need seconds for; what is
 * compared is the CPU time of one instance. All find the same results there.
 */
#include "base/limits.h"
#include "bench.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "shacl/report.h"
#include "shacl/shapes.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTANCES = 100000, RIVALS = 10000, ROUNDS = 5 };

static const char shapes_text[] =
    "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
    "@prefix e: <http://example.org/> .\n"
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    "e:PersonShape a sh:NodeShape ; sh:targetClass e:Person ;\n"
    " sh:property [ sh:path e:name ; sh:datatype xsd:string ; sh:minCount 1 ;"
    " sh:maxCount 1 ; sh:minLength 2 ; sh:maxLength 40 ] ,\n"
    " [ sh:path e:email ; sh:datatype xsd:string ; sh:pattern "
    "\"^[a-z0-9]+@[a-z]+[.]org$\" ; sh:maxCount 1 ] ,\n"
    " [ sh:path e:age ; sh:datatype xsd:integer ; sh:minInclusive 0 ;"
    " sh:maxInclusive 150 ; sh:maxCount 1 ] ,\n"
    " [ sh:path e:born ; sh:datatype xsd:dateTime ; sh:maxCount 1 ] ,\n"
    " [ sh:path e:active ; sh:datatype xsd:boolean ; sh:minCount 1 ] ,\n"
    " [ sh:path e:role ; sh:in ( \"admin\" \"author\" \"reader\" ) ] ,\n"
    " [ sh:path e:score ; sh:datatype xsd:decimal ; sh:maxCount 1 ] ,\n"
    " [ sh:path e:knows ; sh:class e:Person ; sh:nodeKind sh:IRI ;"
    " sh:maxCount 3 ] .\n";

static bool write_instance(FILE *out, int i, int count)
{
    static const char *const roles[] = {"admin", "author", "reader", "king"};
    return fprintf(
               out,
               "<http://example.org/p%d> <" TR_RDF_IRI_RDF_TYPE
               "> <http://example.org/Person> .\n"
               "<http://example.org/p%d> <http://example.org/name> "
               "\"Person %d\" .\n"
               "<http://example.org/p%d> <http://example.org/email> "
               "\"p%d@example.org\" .\n"
               "<http://example.org/p%d> <http://example.org/age> "
               "\"%d\"^^<" TR_RDF_IRI_XSD_INTEGER "> .\n"
               "<http://example.org/p%d> <http://example.org/born> "
               "\"19%02d-0%d-1%dT08:30:00Z\"^^<" TR_RDF_IRI_XSD_DATE_TIME
               "> .\n"
               "<http://example.org/p%d> <http://example.org/active> "
               "\"%s\"^^<" TR_RDF_IRI_XSD_BOOLEAN "> .\n"
               "<http://example.org/p%d> <http://example.org/role> \"%s\" .\n"
               "<http://example.org/p%d> <http://example.org/score> "
               "\"%d.5\"^^<" TR_RDF_IRI_XSD_DECIMAL "> .\n"
               "<http://example.org/p%d> <http://example.org/knows> "
               "<http://example.org/p%d> .\n"
               "<http://example.org/p%d> <http://example.org/knows> "
               "<http://example.org/p%d> .\n",
               i, i, i, i, i, i, i % 97 ? i % 100 : 200, i, i % 100, 1 + i % 9,
               i % 10, i, i % 2 ? "true" : "false", i,
               roles[i % 101 ? i % 3 : 3], i, i % 1000, i, (i + 1) % count, i,
               (i + 7) % count) > 0;
}

static bool write_files(char shapes[64], char data[64], int count)
{
    (void)snprintf(shapes, 64, "/tmp/trails-bench-%ld-shapes.ttl",
                   (long)getpid());
    (void)snprintf(data, 64, "/tmp/trails-bench-%ld-data.nt", (long)getpid());
    FILE *file = fopen(shapes, "w");
    if (!file)
        return false;
    bool done = fputs(shapes_text, file) >= 0;
    done = fclose(file) == 0 && done;
    file = done ? fopen(data, "w") : NULL;
    if (!file)
        return false;
    for (int i = 0; i < count && done; i++)
        done = write_instance(file, i, count);
    return fclose(file) == 0 && done;
}

static double cpu_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Other measurements of this process may have held more. */
static void forget_peak(void)
{
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    (void)malloc_trim(0);
    if (fd >= 0)
        (void)!write(fd, "5", 1);
    (void)close(fd);
}

/* The most that this process has held since then. */
static double peak_bytes(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? (double)used.ru_maxrss * 1024
                                              : -1;
}

static const char *const rivals[] = {"shacl-engine", "rdf-validate-shacl"};

/* Milliseconds of one run, and what it found. */
struct measured {
    const char *name;
    double read_ms;
    double validate_ms;
    size_t results;
    double bytes;
};

static struct tr_rdf_memory_graph *load(const char *path)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_rdf_file_opts opts = {0};
    if (tr_rdf_memory_graph_create(0, &graph, NULL) != TR_OK)
        return NULL;
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    if (tr_rdf_file_read(path, &opts, &sink, NULL) == TR_OK &&
        tr_rdf_memory_graph_index(graph, NULL) == TR_OK)
        return graph;
    tr_rdf_memory_graph_free(graph);
    return NULL;
}

static bool validate(const struct tr_rdf_memory_graph *shapes_graph,
                     const struct tr_rdf_memory_graph *data, size_t *out)
{
    struct tr_arena arena;
    struct tr_shacl_report report;
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_shacl_validation *v = NULL;
    tr_arena_init(&arena, TR_MIB(64));
    tr_shacl_report_init(&report, &arena, 0);
    bool done =
        tr_shacl_shapes_read(tr_rdf_memory_graph_view(shapes_graph), &shapes,
                             NULL) == TR_OK &&
        tr_shacl_validation_create(shapes, tr_rdf_memory_graph_view(data), NULL,
                                   &v, NULL) == TR_OK &&
        tr_shacl_validation_run(v, tr_shacl_report_add, &report, NULL) == TR_OK;
    *out = report.count;
    tr_shacl_validation_free(v);
    tr_shacl_shapes_free(shapes);
    tr_arena_done(&arena);
    return done;
}

/* Best of some rounds; the data is read anew in each. */
static bool measure_ours(const char *shapes_path, const char *data_path,
                         struct measured *out)
{
    forget_peak();
    struct tr_rdf_memory_graph *shapes = load(shapes_path);
    bool done = shapes != NULL;
    *out = (struct measured){.read_ms = 1e9, .validate_ms = 1e9};
    for (int i = 0; i < ROUNDS && done; i++) {
        double start = cpu_ms();
        struct tr_rdf_memory_graph *data = load(data_path);
        double middle = cpu_ms();
        done = data && validate(shapes, data, &out->results);
        double end = cpu_ms();
        if (middle - start < out->read_ms)
            out->read_ms = middle - start;
        if (end - middle < out->validate_ms)
            out->validate_ms = end - middle;
        tr_rdf_memory_graph_free(data);
    }
    tr_rdf_memory_graph_free(shapes);
    out->bytes = peak_bytes();
    return done;
}

static bool measure_rival(const char *name, const char *shapes,
                          const char *data, struct measured *out)
{
    const char *const argv[] = {
        "scripts/node", "bench/shacl_rival.mjs", name, shapes, data, NULL};
    char line[128];
    if (!tr_bench_run_line(argv, line, sizeof(line)))
        return false;
    char *rest = NULL;
    out->name = name;
    out->read_ms = strtod(line, &rest);
    out->validate_ms = strtod(rest, &rest);
    out->results = strtoul(rest, NULL, 10);
    return true;
}

/* The one that validates faster; they read with the same library. */
static bool measure_rivals(const char *shapes, const char *data,
                           struct measured *out)
{
    for (size_t i = 0; i < TR_LEN(rivals); i++) {
        struct measured rival = {0};
        if (!measure_rival(rivals[i], shapes, data, &rival))
            return false;
        (void)printf("shacl: %-28s %10.0f ms to read %7.0f ms to validate "
                     "%d instances\n",
                     rivals[i], rival.read_ms, rival.validate_ms, RIVALS);
        if (i > 0 && rival.results != out->results)
            return false;
        if (i == 0 || rival.validate_ms < out->validate_ms)
            *out = rival;
    }
    return true;
}

static bool report(const struct measured *ours, const struct measured *rival)
{
    double ns = 1e6 / INSTANCES;
    double their_ns = 1e6 / RIVALS;
    struct tr_bench_ratio after = {
        .name = "shacl: after loading",
        .rival = rival->name,
        .ours_ns = ours->validate_ms * ns,
        .theirs_ns = rival->validate_ms * their_ns,
        .target = 200,
    };
    struct tr_bench_ratio from_files = {
        .name = "shacl: from N-Triples",
        .rival = rival->name,
        .ours_ns = (ours->read_ms + ours->validate_ms) * ns,
        .theirs_ns = (rival->read_ms + rival->validate_ms) * their_ns,
        .target = 60,
    };
    bool met = tr_bench_report_ratio(&after);
    met = tr_bench_report_ratio(&from_files) && met;
    return tr_bench_report_most("shacl: 1M triples", "MB", ours->bytes / 1e6,
                                250) &&
           met;
}

bool tr_bench_shacl(const char *only)
{
    char shapes[64];
    char data[64];
    struct measured ours = {0};
    struct measured rival = {0};
    struct measured small = {0};
    if (!strstr("shacl", only))
        return true;
    bool done = write_files(shapes, data, RIVALS) &&
                measure_rivals(shapes, data, &rival) &&
                measure_ours(shapes, data, &small) &&
                small.results == rival.results &&
                write_files(shapes, data, INSTANCES) &&
                measure_ours(shapes, data, &ours);
    (void)unlink(shapes);
    (void)unlink(data);
    if (!done)
        (void)printf("shacl: cannot be measured (%zu and %zu results)\n",
                     small.results, rival.results);
    return done && report(&ours, &rival);
}
