/*
 * bench/store.c - an app of bench/, its store, and a server of both.
 *
 * A store is made once, by `trails import`, and kept in build/ for the next
 * run. The version of its tables stands in its name: what another layout has
 * written is not measured.
 */
#include "bench.h"
#include "graph/schema.h"

#include <sys/stat.h>
#include <unistd.h>

#define PROGRAM "build/release/trails"

bool tr_bench_app_start(const char *app, struct tr_bench_server *out)
{
    const char *const argv[] = {PROGRAM,  "serve",       app,
                                "--http", "127.0.0.1:0", NULL};
    return tr_bench_program_start(argv, out);
}

size_t tr_bench_answer_bytes(tr_bench_start_fn *start, tr_str request)
{
    struct tr_bench_server server = {0};
    char answer[65536] = "";
    size_t bytes = 0;
    if (start(&server) &&
        tr_bench_ask(&server, request, answer, sizeof(answer)) &&
        strncmp(answer, "HTTP/1.1 200", 12) == 0 &&
        !strstr(answer, "\"error\":{\"code\"")) {
        const char *length = strstr(answer, "Content-Length: ");
        bytes = length ? strtoul(length + 16, NULL, 10) : 0;
    }
    tr_bench_server_stop(&server);
    if (!bytes)
        (void)fprintf(stderr, "bench: no answer but '%.200s'\n", answer);
    return bytes;
}

static tr_status read_version(struct tr_db *db, int64_t *out,
                              struct tr_err *err)
{
    static const char sql[] = "SELECT user_version FROM pragma_user_version";
    struct tr_db_stmt *stmt = NULL;
    bool found = false;
    TR_TRY(tr_graph_schema(db, err));
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &found, err));
    *out = found ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* The version that the tables of a new store have; below 0 when unknown. */
static int64_t find_version(void)
{
    char folder[] = "/tmp/trails-bench-XXXXXX";
    char path[64];
    struct tr_db_opts opts = {.no_sync = true};
    struct tr_db *db = NULL;
    int64_t version = -1;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof(path), "%s/graph.db", folder);
    if (tr_db_open(path, &opts, &db, NULL) != TR_OK ||
        read_version(db, &version, NULL) != TR_OK)
        version = -1;
    tr_db_close(db);
    (void)unlink(path);
    (void)rmdir(folder);
    return version;
}

static bool name_store(const char *name, char *out)
{
    int64_t version = find_version();
    char *build = realpath("build", NULL);
    int len = snprintf(out, TR_BENCH_PATH, "%s/bench-%s-v%lld",
                       build ? build : "build", name, (long long)version);
    free(build);
    return version >= 0 && len > 0 && len < TR_BENCH_PATH;
}

bool tr_bench_run(const char *command)
{
    if (system(command) == 0) /* NOLINT */
        return true;
    (void)fprintf(stderr, "bench: '%s' failed\n", command);
    return false;
}

/* Under another name until it is whole. */
static bool import(const struct tr_bench_store *store, const char *path)
{
    char data[TR_BENCH_PATH + 8];
    char part[TR_BENCH_PATH + 8];
    char command[3 * TR_BENCH_PATH];
    (void)snprintf(data, sizeof(data), "%s.ttl", path);
    (void)snprintf(part, sizeof(part), "%s-part", path);
    FILE *out = fopen(data, "we");
    if (!out)
        return false;
    store->write(out, store->count);
    bool good = fclose(out) == 0;
    (void)snprintf(command, sizeof(command),
                   "rm -rf '%s' && %s import --app %s '%s' >/dev/null", part,
                   PROGRAM, store->app, data);
    (void)setenv("TRAILS_STORE", part, 1);
    good = good && tr_bench_run(command) && rename(part, path) == 0;
    (void)unsetenv("TRAILS_STORE");
    (void)unlink(data);
    return good;
}

bool tr_bench_store_open(const struct tr_bench_store *store, char *path)
{
    struct stat ignored;
    return name_store(store->name, path) &&
           (stat(path, &ignored) == 0 || import(store, path));
}
