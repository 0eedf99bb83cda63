/* What the system says of the server's process. */
#include "load/mcp.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#define LOOK_MS     20
#define LOOKS_LIMIT 3000

/* So many calls reach every loop, which opens what it opens with the first. */
#define WARM_UP 64

/* What a descriptor leads to. */
static const char *target(int dir_fd, const char *name, char to[PATH_MAX])
{
    ssize_t len = readlinkat(dir_fd, name, to, PATH_MAX - 1);
    to[len > 0 ? len : 0] = '\0';
    return to;
}

/* A thread of the server opens the store when it has something to do there,
 * which no client decides: the checkpoints do when the log has grown. */
static bool is_counted(const char *to, bool only_sockets)
{
    return only_sockets ? strncmp(to, "socket:", 7) == 0
                        : !strstr(to, "/graph.db");
}

static long count_descriptors(int pid, bool only_sockets)
{
    char path[64];
    long count = 0;
    (void)snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        char to[PATH_MAX];
        if (entry->d_name[0] != '.' &&
            is_counted(target(dirfd(folder), entry->d_name, to), only_sockets))
            count++;
    }
    (void)closedir(folder);
    return count;
}

long load_rss_kib(int pid)
{
    char path[64];
    char line[256];
    long kib = -1;
    (void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    while (kib < 0 && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "RssAnon:", 8) == 0)
            kib = strtol(line + 8, NULL, 10);
    }
    (void)fclose(file);
    return kib;
}

static bool wait_for(struct load *load, int pid, bool only_sockets, long wanted)
{
    for (int i = 0; i < LOOKS_LIMIT && !load->fault; i++) {
        if (count_descriptors(pid, only_sockets) == wanted)
            return true;
        (void)load_turn(load, LOOK_MS);
    }
    load_fail(load, "the server has %ld descriptors, not %ld",
              count_descriptors(pid, only_sockets), wanted);
    return false;
}

bool load_wait_descriptors(struct load *load, int pid, long wanted)
{
    return wait_for(load, pid, false, wanted);
}

long load_sockets(int pid)
{
    return count_descriptors(pid, true);
}

bool load_wait_sockets(struct load *load, int pid, long wanted)
{
    return wait_for(load, pid, true, wanted);
}

long load_baseline(struct load *load, int pid)
{
    long sockets = count_descriptors(pid, true);
    for (int i = 0; i < WARM_UP; i++) {
        if (!load_call(load, "touch", "\"uris\":[\"load:none\"]"))
            return -1;
    }
    return wait_for(load, pid, true, sockets) ? count_descriptors(pid, false)
                                              : -1;
}
