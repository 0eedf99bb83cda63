/*
 * bench/watched.c - what a write costs the thread that writes while a thousand
 * watch the type that is written, against nobody: those who tell are others.
 *
 * Two servers, and one client that writes to both of them, a write each and
 * then the next: so that both find the machine as busy as the other, and each
 * write is a transaction. The client is the one of test/load.
 */
#include "bench.h"
#include "load/mcp.h"

#include <dirent.h>
#include <unistd.h>

#define APP      "bench/kg_app"
#define NAME     "kg: writer's CPU, 1,000 watch"
#define WRITER   "trails-write" /* how the thread is called */
#define WATCHERS 1000
#define WRITES   300
#define WARM_UP  60
#define ROUNDS   3

enum { WATCHED, ALONE, SIDES };

struct side {
    struct tr_bench_server server;
    char folder[64];
    char cpu_file[64]; /* of the thread that writes */
    struct load_conn *writer;
};

struct watched {
    struct load load; /* one for both: they are told apart when it connects */
    struct side sides[SIDES];
    size_t opened;
    size_t told;
    size_t to_write; /* pairs that are not begun */
    size_t to_land;  /* of the pair that is */
};

static const struct load_message listen_to_notes = {
    .revision = LOAD_MODERN,
    .id = "1",
    .method = "subscriptions/listen",
    .params = "\"notifications\":{\"resourceSubscriptions\":"
              "[\"trails://kg/Note\"]}",
};
static const struct load_message write_note = {
    .revision = LOAD_MODERN,
    .id = "1",
    .method = "tools/call",
    .name = "write_note",
    .params = "\"name\":\"write_note\",\"arguments\":{}",
};

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct watched *watched = conn->owner;
    (void)event;
    if (conn->events == 1)
        watched->opened++;
    else
        watched->told++;
}

static void write_pair(struct watched *watched)
{
    if (!watched->to_write)
        return;
    watched->to_write--;
    watched->to_land = SIDES;
    for (int i = 0; i < SIDES; i++)
        load_post(watched->sides[i].writer, &write_note);
}

static void on_body(struct load_conn *conn, tr_str body)
{
    struct watched *watched = conn->owner;
    if (!memmem(body.ptr, body.len, "\"result\"", 8))
        load_fail(conn->load, "a write failed: %.*s", TR_FMT(body));
    if (--watched->to_land == 0)
        write_pair(watched);
}

static const struct load_ops watcher_ops = {.on_event = on_event};
static const struct load_ops writer_ops = {.on_body = on_body};

static bool is_open(void *data)
{
    struct watched *watched = data;
    return watched->opened == watched->load.count;
}

static bool has_landed(void *data)
{
    struct watched *watched = data;
    return watched->to_land == 0 && watched->to_write == 0;
}

/* One after the other: a queue of those who connect may be short. */
static bool open_watchers(struct watched *watched)
{
    watched->load.port = watched->sides[WATCHED].server.port;
    for (size_t i = 0; i < WATCHERS; i++) {
        struct load_conn *conn =
            load_open(&watched->load, &watcher_ops, watched);
        if (!conn)
            return false;
        load_post(conn, &listen_to_notes);
        if (!load_run(&watched->load, is_open, watched))
            return false;
    }
    return true;
}

static bool open_writers(struct watched *watched)
{
    for (int i = 0; i < SIDES; i++) {
        struct side *side = &watched->sides[i];
        watched->load.port = side->server.port;
        side->writer = load_open(&watched->load, &writer_ops, watched);
        if (!side->writer)
            return false;
    }
    return true;
}

static bool write_pairs(struct watched *watched, size_t count)
{
    watched->to_write = count;
    write_pair(watched);
    return load_run(&watched->load, has_landed, watched);
}

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    bool good = file && fgets(line, size, file);
    if (file)
        (void)fclose(file);
    return good;
}

/* Where the CPU of the thread that writes is told. */
static bool find_thread(struct side *side)
{
    char path[64];
    char line[64];
    int pid = (int)side->server.pid;
    (void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    bool found = false;
    for (struct dirent *one; threads && !found && (one = readdir(threads));) {
        (void)snprintf(path, sizeof(path), "/proc/%d/task/%.16s/comm", pid,
                       one->d_name);
        found = read_line(path, line, sizeof(line)) &&
                strncmp(line, WRITER, sizeof(WRITER) - 1) == 0;
        (void)snprintf(side->cpu_file, sizeof(side->cpu_file),
                       "/proc/%d/task/%.16s/schedstat", pid, one->d_name);
    }
    if (threads)
        (void)closedir(threads);
    return found;
}

static double thread_ns(const struct side *side)
{
    char line[64];
    return read_line(side->cpu_file, line, sizeof(line)) ? strtod(line, NULL)
                                                         : -1;
}

/* Nanoseconds of one write, of both. */
static bool measure(struct watched *watched, double ns[SIDES])
{
    if (!write_pairs(watched, WARM_UP))
        return false;
    for (int i = 0; i < SIDES; i++)
        ns[i] = thread_ns(&watched->sides[i]);
    size_t told = watched->told;
    if (!write_pairs(watched, WRITES))
        return false;
    for (int i = 0; i < SIDES; i++)
        ns[i] = (thread_ns(&watched->sides[i]) - ns[i]) / WRITES;
    return watched->told > told;
}

/* On a disk, as it would be. */
static bool start_side(struct side *side)
{
    (void)snprintf(side->folder, sizeof(side->folder),
                   "build/bench-watched-XXXXXX");
    if (!mkdtemp(side->folder))
        return false;
    char *store = realpath(side->folder, NULL);
    (void)setenv("TRAILS_STORE", store ? store : side->folder, 1);
    free(store);
    bool started = tr_bench_app_start(APP, &side->server);
    (void)unsetenv("TRAILS_STORE");
    return started && find_thread(side);
}

static void stop_side(struct side *side)
{
    char command[96];
    tr_bench_server_stop(&side->server);
    (void)snprintf(command, sizeof(command), "rm -r %s", side->folder);
    if (!side->folder[0] || system(command) != 0) /* NOLINT */
        (void)fprintf(stderr, "bench: '%s' stays\n", side->folder);
}

static bool start(struct watched *watched)
{
    return start_side(&watched->sides[WATCHED]) &&
           start_side(&watched->sides[ALONE]) &&
           load_init(&watched->load, watched->sides[WATCHED].server.port, 1) &&
           open_watchers(watched) && open_writers(watched);
}

static void stop(struct watched *watched)
{
    if (watched->load.fault)
        (void)fprintf(stderr, "bench: %s\n", watched->load.fault);
    if (watched->load.poll_fd > 0)
        load_done(&watched->load);
    for (int i = 0; i < SIDES; i++)
        stop_side(&watched->sides[i]);
}

/* The best of each. */
bool tr_bench_watched(const char *only)
{
    static struct watched watched;
    struct tr_bench_ratio row = {.name = NAME,
                                 .rival = "nobody watches",
                                 .ours_ns = 1e18,
                                 .theirs_ns = 1e18,
                                 .target = 1 / 1.2};
    double ns[SIDES] = {0};
    if (!strstr(NAME, only))
        return true;
    tr_bench_raise_files(); /* before the fork: both need many */
    bool done = start(&watched);
    for (int i = 0; i < ROUNDS && done; i++) {
        done = measure(&watched, ns);
        row.ours_ns = ns[WATCHED] < row.ours_ns ? ns[WATCHED] : row.ours_ns;
        row.theirs_ns = ns[ALONE] < row.theirs_ns ? ns[ALONE] : row.theirs_ns;
    }
    stop(&watched);
    return done && tr_bench_report_ratio(&row);
}
