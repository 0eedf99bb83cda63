/*
 * bench/bench.h - rows of the speed table.
 *
 * A row measures our work and a rival's (or a floor's) in the same run, in
 * turns, and keeps the best of each: absolute times mean nothing on a shared
 * machine, their ratio does.
 */
#ifndef TR_BENCH_BENCH_H
#define TR_BENCH_BENCH_H

#include "base/err.h"

#include <sys/types.h>

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

/*
 * A server under load: a child process that answers HTTP on a loopback port.
 * What counts is its CPU time, which a shared machine disturbs least.
 */
struct tr_bench_server {
    pid_t pid;
    unsigned port;
};

/* Serves on a listening socket until it is killed; runs in the child. */
typedef void tr_bench_serve_fn(int fd);

/* False, with a message, when it cannot be started. */
bool tr_bench_server_start(tr_bench_serve_fn *serve,
                           struct tr_bench_server *out);

/* Runs a program and waits for the line in which it tells its port. */
bool tr_bench_program_start(const char *const argv[],
                            struct tr_bench_server *out);

/* Runs a program that says nothing, at the port that *out has. */
bool tr_bench_silent_start(const char *const argv[],
                           struct tr_bench_server *out);

/* A port of the loopback that nobody listens at. */
unsigned tr_bench_free_port(void);
void tr_bench_server_stop(struct tr_bench_server *server);

/* Serves an app; TRAILS_STORE is its store. */
bool tr_bench_app_start(const char *app, struct tr_bench_server *out);

/* A store of an app, with so many of what `write` writes as Turtle. */
struct tr_bench_store {
    const char *name;
    const char *app;
    void (*write)(FILE *out, size_t count);
    size_t count;
};

#define TR_BENCH_PATH 1024 /* bytes of a path */

/* Makes it, unless it is there; *path gets its folder, in build/. */
bool tr_bench_store_open(const struct tr_bench_store *store, char *path);

/* Runs a line of shell; false, with a message, when it failed. */
bool tr_bench_run(const char *command);

/* The floor: bare epoll; answers `POST /300` with a body of 300 bytes. */
void tr_bench_echo(int fd);

/*
 * Sends `request` over 64 connections that are kept, each with one request at a
 * time, until `count` responses have come, after a sixth as many that are not
 * measured. Returns the nanoseconds of CPU that
 * the server took for one; below 0, with a message, when that failed.
 */
double tr_bench_load(const struct tr_bench_server *server, tr_str request,
                     size_t count);

/* Starts a server of its own kind; false, with a message, when it cannot. */
typedef bool tr_bench_start_fn(struct tr_bench_server *out);

/* The length of the body that a server answers a request with, which is what
 * the floor has to send; 0, with a message, when it refuses it. */
size_t tr_bench_answer_bytes(tr_bench_start_fn *start, tr_str request);

struct tr_bench_served_row {
    const char *name;
    tr_bench_serve_fn *ours;  /* either this */
    tr_bench_start_fn *start; /* or that */
    tr_str our_request;
    tr_str floor_request;           /* to the floor, for as many bytes */
    tr_bench_start_fn *floor_start; /* NULL: it is tr_bench_echo */
    const char *floor;              /* its name; NULL: "echo" */
    size_t requests; /* of a round; 0: as many as small answers take */
    double at_most;  /* times the floor's CPU */
    double *ours_ns; /* gets what was measured; may be NULL */
};

/* Prints a row of memory; true when it meets its target. */
bool tr_bench_report_bytes(const char *name, double bytes, double at_most);

/* Measures both in turns, prints the row; true when it meets its target. */
bool tr_bench_report_served(const struct tr_bench_served_row *row);

/*
 * Opens `count` connections, sends `request` on each, and waits for the first
 * bytes of an answer. Returns what memory (RssAnon) the server has taken for
 * each; below 0, with a message, when that failed.
 */
double tr_bench_hold(const struct tr_bench_server *server, tr_str request,
                     size_t count);

/* Lets this process, and those it starts, open as many files as it may. */
void tr_bench_raise_files(void);

/* Counts the groups of an index in a store of bench/kg_app. */
bool tr_bench_groups(const char *name, const char *store);

/* A row whose times were measured elsewhere. */
struct tr_bench_ratio {
    const char *name;
    const char *rival;
    double ours_ns;
    double theirs_ns;
    double target; /* how many times faster ours has to be */
};

/* Prints the row; true when it meets its target. */
bool tr_bench_report_ratio(const struct tr_bench_ratio *row);

/* Prints a row whose rival cannot be had, and why. */
void tr_bench_report_skipped(const struct tr_bench_ratio *row, const char *why);

struct tr_model;
struct tr_model_type_draft;

/* The model of one type. */
TR_NODISCARD tr_status tr_bench_model(const struct tr_model_type_draft *draft,
                                      const struct tr_model **out,
                                      struct tr_err *err);

/* What its requests say of themselves, and a request of all tools. */
#define TR_BENCH_META                                                          \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

#define TR_BENCH_LIST_BODY                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":"      \
    "{" TR_BENCH_META "}}"

/* A POST of MCP's stateless revision; returns its length. The same head for
 * all, so that reading it costs all the same. */
size_t tr_bench_mcp_request(char *out, size_t size, const char *path,
                            const char *method, const char *name,
                            const char *body);

/* Runs a program, and reads the line it prints; false when it failed. */
bool tr_bench_run_line(const char *const argv[], char *line, size_t size);

/* A group of rows; false when one of them is short. */
bool tr_bench_json(const char *only);
bool tr_bench_access(const char *only);
bool tr_bench_hash(const char *only);
bool tr_bench_stages(const char *only);
bool tr_bench_shacl(const char *only);
bool tr_bench_graph(const char *only);
bool tr_bench_http(const char *only);
bool tr_bench_refused(const char *only);

bool tr_bench_mcp(const char *only);
bool tr_bench_views(const char *only);
bool tr_bench_fanout(const char *only);
bool tr_bench_kg(const char *only);
bool tr_bench_object(const char *only);
bool tr_bench_rows(const char *only);
bool tr_bench_watched(const char *only);
bool tr_bench_stdio(const char *only);
bool tr_bench_fetch(const char *only);
bool tr_bench_prov(const char *only);

bool tr_bench_writes(const char *only);
bool tr_bench_import(const char *only);
bool tr_bench_import_rows(const char *only);

/* Prints a row that has no rival; true when it meets its target. */
bool tr_bench_report_most(const char *name, const char *unit, double value,
                          double at_most);

/* A rate, and what the floor reaches. */
bool tr_bench_report_rate(const char *name, double a_second, double at_least,
                          const char *floor, double floor_a_second);

/* A row that is met by its rate or by its CPU. */
bool tr_bench_report_either(const char *name, double a_second, double at_least,
                            double cpu_us, double at_most_us);

/* Nanoseconds of CPU that a process has used; below 0 when unknown. */
double tr_bench_cpu_ns(pid_t pid);

/* The bytes of anonymous memory that a process holds; below 0 when unknown. */
double tr_bench_rss(pid_t pid);

/* A connection that blocks; below 0 when there is none. */
int tr_bench_connect(const struct tr_bench_server *server);

/* One request on its own connection; the head of the answer, terminated. */
bool tr_bench_ask(const struct tr_bench_server *server, tr_str request,
                  char *answer, size_t size);

#endif
