/*
 * bench/main.c - prints the speed table: one row per measurement, and exits 1
 * when a row is short of its target. An argument picks the rows whose name
 * contains it.
 */
#include "bench.h"

#define ROUNDS          30
#define ROUND_NS        5e6
#define WARM_UP_NS      2e7
#define SERVED_ROUNDS   7
#define SERVED_REQUESTS 30000
#define NAME_FORMAT     "%-28s | %-22s | %-28s | %-9s | %s\n"

static double cpu_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Nanoseconds of one call, averaged over enough calls to be measurable. */
static double time_calls(tr_bench_fn *work, const void *data, size_t calls)
{
    static volatile uint64_t sink;
    double start = cpu_ns();
    for (size_t i = 0; i < calls; i++)
        sink += work(data);
    return (cpu_ns() - start) / (double)calls;
}

static size_t calls_per_round(tr_bench_fn *work, const void *data)
{
    double start = cpu_ns();
    size_t calls = 0;
    while (cpu_ns() - start < WARM_UP_NS) {
        (void)time_calls(work, data, 16);
        calls += 16;
    }
    return 1 + (size_t)((double)calls * ROUND_NS / WARM_UP_NS);
}

void tr_bench_compare(const struct tr_bench_row *row, double *ours_ns,
                      double *theirs_ns)
{
    size_t our_calls = calls_per_round(row->ours, row->data);
    size_t their_calls = calls_per_round(row->theirs, row->data);
    *ours_ns = *theirs_ns = 1e18;
    for (int i = 0; i < ROUNDS; i++) {
        double ours = time_calls(row->ours, row->data, our_calls);
        double theirs = time_calls(row->theirs, row->data, their_calls);
        *ours_ns = ours < *ours_ns ? ours : *ours_ns;
        *theirs_ns = theirs < *theirs_ns ? theirs : *theirs_ns;
    }
}

bool tr_bench_report_ratio(const struct tr_bench_ratio *row)
{
    char measured[64];
    char rival[64];
    char target[32];
    double ratio = row->theirs_ns / row->ours_ns;
    bool met = ratio >= row->target;
    (void)snprintf(measured, sizeof(measured), "%.0f ns, %.1f x", row->ours_ns,
                   ratio);
    (void)snprintf(rival, sizeof(rival), "%s %.0f ns", row->rival,
                   row->theirs_ns);
    (void)snprintf(target, sizeof(target), ">= %.1f x", row->target);
    (void)printf(NAME_FORMAT, row->name, measured, rival, target,
                 met ? "ok" : "SHORT");
    return met;
}

void tr_bench_report_skipped(const struct tr_bench_ratio *row, const char *why)
{
    char measured[64];
    char rival[192];
    char target[32];
    (void)snprintf(measured, sizeof(measured), "%.0f ns", row->ours_ns);
    (void)snprintf(rival, sizeof(rival), "no %s: %s", row->rival, why);
    (void)snprintf(target, sizeof(target), ">= %.1f x", row->target);
    (void)printf(NAME_FORMAT, row->name, measured, rival, target, "SKIPPED");
}

/* Best of some rounds each, in turns. */
static bool measure_served(const struct tr_bench_served_row *row,
                           const struct tr_bench_server servers[2],
                           double best_ns[2])
{
    const tr_str requests[2] = {row->our_request, row->floor_request};
    size_t count = row->requests ? row->requests : SERVED_REQUESTS;
    best_ns[0] = best_ns[1] = 1e18;
    for (int i = 0; i < 2 * SERVED_ROUNDS; i++) {
        double ns = tr_bench_load(&servers[i % 2], requests[i % 2], count);
        if (ns < 0)
            return false;
        best_ns[i % 2] = ns < best_ns[i % 2] ? ns : best_ns[i % 2];
    }
    return true;
}

bool tr_bench_report_served(const struct tr_bench_served_row *row)
{
    struct tr_bench_server servers[2] = {0};
    double ns[2];
    char measured[64];
    char floor[64];
    char target[32];

    bool done = (row->start ? row->start(&servers[0])
                            : tr_bench_server_start(row->ours, &servers[0])) &&
                (row->floor_start
                     ? row->floor_start(&servers[1])
                     : tr_bench_server_start(tr_bench_echo, &servers[1])) &&
                measure_served(row, servers, ns);
    tr_bench_server_stop(&servers[0]);
    tr_bench_server_stop(&servers[1]);
    if (!done)
        return false;
    if (row->ours_ns)
        *row->ours_ns = ns[0];
    bool met = ns[0] / ns[1] <= row->at_most;
    (void)snprintf(measured, sizeof(measured), "%.2f us, %.2f x", ns[0] / 1e3,
                   ns[0] / ns[1]);
    (void)snprintf(floor, sizeof(floor), "%s %.2f us",
                   row->floor ? row->floor : "echo", ns[1] / 1e3);
    (void)snprintf(target, sizeof(target), "<= %.2f x", row->at_most);
    (void)printf(NAME_FORMAT, row->name, measured, floor, target,
                 met ? "ok" : "SHORT");
    return met;
}

bool tr_bench_report(const struct tr_bench_row *row)
{
    struct tr_bench_ratio ratio = {
        .name = row->name, .rival = row->rival, .target = row->target};
    tr_bench_compare(row, &ratio.ours_ns, &ratio.theirs_ns);
    return tr_bench_report_ratio(&ratio);
}

bool tr_bench_report_bytes(const char *name, double bytes, double at_most)
{
    char measured[64];
    char target[32];
    bool met = bytes > 0 && bytes <= at_most; /* nothing is for nothing */
    (void)snprintf(measured, sizeof(measured), "%.0f B each", bytes);
    (void)snprintf(target, sizeof(target), "<= %.0f B", at_most);
    (void)printf(NAME_FORMAT, name, measured, "-", target,
                 met ? "ok" : "SHORT");
    return met;
}

bool tr_bench_report_most(const char *name, const char *unit, double value,
                          double at_most)
{
    char measured[64];
    char target[32];
    bool met = value >= 0 && value <= at_most;
    (void)snprintf(measured, sizeof(measured), "%.1f %s", value, unit);
    (void)snprintf(target, sizeof(target), "<= %g %s", at_most, unit);
    (void)printf(NAME_FORMAT, name, measured, "-", target,
                 met ? "ok" : "SHORT");
    return met;
}

bool tr_bench_report_rate(const char *name, double a_second, double at_least,
                          const char *floor, double floor_a_second)
{
    char measured[64];
    char rival[64];
    char target[32];
    bool met = a_second >= at_least;
    (void)snprintf(measured, sizeof(measured), "%.0f/s, %.2f x", a_second,
                   a_second / floor_a_second);
    (void)snprintf(rival, sizeof(rival), "%s %.0f/s", floor, floor_a_second);
    (void)snprintf(target, sizeof(target), ">= %.0f/s", at_least);
    (void)printf(NAME_FORMAT, name, measured, rival, target,
                 met ? "ok" : "SHORT");
    return met;
}

bool tr_bench_report_either(const char *name, double a_second, double at_least,
                            double cpu_us, double at_most_us)
{
    char measured[64];
    char target[64];
    bool met = a_second >= at_least || cpu_us <= at_most_us;
    (void)snprintf(measured, sizeof(measured), "%.0f/s, %.2f us", a_second,
                   cpu_us);
    (void)snprintf(target, sizeof(target), ">= %.0f/s or <= %.0f us", at_least,
                   at_most_us);
    (void)printf(NAME_FORMAT, name, measured, "-", target,
                 met ? "ok" : "SHORT");
    return met;
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    (void)printf(NAME_FORMAT, "name", "measured", "floor or rival, same run",
                 "target", "");
    (void)fflush(stdout); /* what forks must not print it again */
    bool met = tr_bench_json(only);
    (void)fflush(stdout);
    met = tr_bench_access(only) && met;
    (void)fflush(stdout);
    met = tr_bench_hash(only) && met;
    (void)fflush(stdout);
    met = tr_bench_stages(only) && met;
    (void)fflush(stdout);
    met = tr_bench_http(only) && met;
    (void)fflush(stdout);
    met = tr_bench_refused(only) && met;
    (void)fflush(stdout);
    met = tr_bench_mcp(only) && met;
    met = tr_bench_views(only) && met;
    met = tr_bench_kg(only) && met;
    met = tr_bench_object(only) && met;
    (void)fflush(stdout);
    met = tr_bench_rows(only) && met;
    (void)fflush(stdout);
    met = tr_bench_watched(only) && met;
    (void)fflush(stdout);
    met = tr_bench_stdio(only) && met;
    (void)fflush(stdout);
    met = tr_bench_fetch(only) && met;
    (void)fflush(stdout);
    met = tr_bench_prov(only) && met;
    (void)fflush(stdout);
    met = tr_bench_import(only) && met;
    met = tr_bench_import_rows(only) && met;
    (void)fflush(stdout);
    met = tr_bench_fanout(only) && met;
    (void)fflush(stdout);
    met = tr_bench_graph(only) && met;
    (void)fflush(stdout);
    met = tr_bench_shacl(only) && met;
    (void)fflush(stdout);
    met = tr_bench_writes(only) && met;
    return met ? 0 : 1;
}
