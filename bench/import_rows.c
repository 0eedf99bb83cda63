/*
 * bench/import_rows.c - rows of a CSV file into a store on the disk, beside the
 * same data as N-Triples: what counts is the CPU time of `trails import`.
 */
#include "bench.h"

#include <sys/resource.h>
#include <unistd.h>

enum { ROWS = 100000, ROUNDS = 3 };

#define APP     "bench/import_app"
#define ACCOUNT "trails://desk/Account"
#define XSD     "http://www.w3.org/2001/XMLSchema#"
#define RDF     "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

static bool write_rows(const char *path)
{
    FILE *out = fopen(path, "w");
    bool done = out && fputs("domain,name,size,rate,active,since\n", out) >= 0;
    for (int i = 0; done && i < ROWS; i++)
        done = fprintf(out,
                       "d%d.example,\"Name, %d\",%d,%d.5,true,"
                       "2026-01-01T00:00:%02dZ\n",
                       i, i, i, i, i % 60) > 0;
    return out && fclose(out) == 0 && done;
}

static bool write_statements(const char *path)
{
    FILE *out = fopen(path, "w");
    bool done = out != NULL;
    for (int i = 0; done && i < ROWS; i++) {
        char s[64];
        (void)snprintf(s, sizeof(s), "<" ACCOUNT "/n%d> <" ACCOUNT "#", i);
        done =
            fprintf(out, "<" ACCOUNT "/n%d> <" RDF "type> <" ACCOUNT "> .\n",
                    i) > 0 &&
            fprintf(out, "%sdomain> \"d%d.example\" .\n", s, i) > 0 &&
            fprintf(out, "%sname> \"Name, %d\" .\n", s, i) > 0 &&
            fprintf(out, "%ssize> \"%d\"^^<" XSD "integer> .\n", s, i) > 0 &&
            fprintf(out, "%srate> \"%d.5\"^^<" XSD "double> .\n", s, i) > 0 &&
            fprintf(out, "%sactive> \"true\"^^<" XSD "boolean> .\n", s) > 0 &&
            fprintf(out,
                    "%ssince> \"2026-01-01T00:00:%02dZ\"^^<" XSD
                    "dateTime> .\n",
                    s, i % 60) > 0;
    }
    return out && fclose(out) == 0 && done;
}

static double cpu_ns(void)
{
    struct rusage used;
    (void)getrusage(RUSAGE_CHILDREN, &used);
    return ((double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec) * 1e9 +
           ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec) *
               1e3;
}

/* Into a new store; the CPU time of one row. */
static bool measure(const char *folder, const char *words, double *best)
{
    char line[512];
    (void)snprintf(line, sizeof(line),
                   "rm -rf %s/store && TRAILS_STORE=$PWD/%s/store "
                   "build/release/trails import --app " APP " %s >%s/out 2>&1",
                   folder, folder, words, folder);
    double before = cpu_ns();
    if (!tr_bench_run(line))
        return false;
    double used = (cpu_ns() - before) / ROWS;
    *best = *best == 0 || used < *best ? used : *best;
    return true;
}

static bool measure_both(const char *folder, double *ours, double *theirs)
{
    char rows[128];
    char statements[128];
    (void)snprintf(rows, sizeof(rows), "--type Account %s/rows.csv", folder);
    (void)snprintf(statements, sizeof(statements), "%s/rows.nt", folder);
    if (!write_rows(rows + sizeof("--type Account ") - 1) ||
        !write_statements(statements))
        return false;
    for (int i = 0; i < ROUNDS; i++) {
        if (!measure(folder, rows, ours) ||
            !measure(folder, statements, theirs))
            return false;
    }
    return true;
}

bool tr_bench_import_rows(const char *only)
{
    char folder[] = "build/import-rows-XXXXXX";
    char line[128];
    struct tr_bench_ratio row = {
        .name = "import: a row of CSV",
        .rival = "the same as N-Triples",
        .target = 0.5,
    };
    if (!strstr("import rows", only))
        return true;
    bool done =
        mkdtemp(folder) && measure_both(folder, &row.ours_ns, &row.theirs_ns);
    (void)snprintf(line, sizeof(line), "rm -rf %s", folder);
    (void)tr_bench_run(line);
    if (!done) {
        (void)printf("import rows: cannot be measured\n");
        return false;
    }
    return tr_bench_report_ratio(&row);
}
