/*
 * bench/drive.h - a server asked many different things: the client of
 * test/load, and the server's CPU for each request.
 */
#ifndef TR_BENCH_DRIVE_H
#define TR_BENCH_DRIVE_H

#include "bench.h"
#include "load/mcp.h"

/* Who is asked what; each connection has one request at a time. */
struct tr_bench_drive {
    const struct tr_bench_server *server;
    size_t connections;
    /* Sends the next request. */
    void (*ask)(struct load_conn *conn, void *data);
    /* Looks at an answer; false when it is none. */
    bool (*take)(struct load *load, tr_str body, void *data);
    void *data;
};

/*
 * Asks until `count` answers have come. Returns the nanoseconds of CPU that the
 * server took for one; below 0, with a message, when that failed.
 */
double tr_bench_drive(const struct tr_bench_drive *drive, size_t count);

/* The requests of MCP's stateless revision: tools/list, tools/call with the
 * members of its arguments, and resources/read. */
void tr_bench_drive_list(struct load_conn *conn);
void tr_bench_drive_call(struct load_conn *conn, const char *tool,
                         const char *arguments);
void tr_bench_drive_read(struct load_conn *conn, const char *uri);

#endif
