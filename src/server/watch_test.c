/*
 * Which changes of an app's files are a reason to load it again, and how often,
 * while folders are watched and while files are polled. Time is the test's own:
 * what a shell has done when it returns, the next turn of the loop hears of.
 */
#include "server/watch.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/test.h"
#include "loop/loop.h"
#include "server/sources.h"
#include "support/folder.h"
#include "support/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system's limits, as libuv meets them here: it asks for a watch of a
 * folder through this, and gets none any more. */
static bool is_out_of_watches;

__attribute__((visibility("default"))) int
inotify_add_watch(int fd, const char *name, uint32_t mask)
{
    if (!is_out_of_watches)
        return (int)syscall(SYS_inotify_add_watch, fd, name, mask);
    errno = ENOSPC;
    return -1;
}

/* An app whose app.lua has a path on each line, of a file that it reads too. */
struct fixture {
    struct folder top; /* the app's folder is `app` in it */
    char app[80];
    struct tr_loop *loop;
    struct tr_server_sources sources;
    struct tr_server_watch watch;
    unsigned loads;
};

static void shell(const struct fixture *f, const char *script)
{
    shell_run(f->top.path, script);
}

static void load(struct fixture *f)
{
    const struct tr_file_folder folder = {f->app, tr_server_sources_note,
                                          &f->sources, NULL, 0};
    struct tr_arena arena;
    tr_str text = {NULL, 0};
    tr_str line;
    struct tr_err err;
    tr_arena_init(&arena, TR_MIB(1));
    tr_server_sources_clear(&f->sources);
    (void)!tr_file_read_below(&arena, &folder, "trails.toml", 1000, &text,
                              &err);
    if (tr_file_read_below(&arena, &folder, "app.lua", 10000, &text, &err) !=
        TR_OK)
        text.len = 0;
    for (tr_str rest = text; tr_str_cut(rest, '\n', &line, &rest);) {
        char path[200];
        tr_str ignored;
        (void)snprintf(path, sizeof(path), "%.*s", TR_FMT(line));
        (void)!tr_file_read_below(&arena, &folder, path, 1000, &ignored, &err);
    }
    tr_arena_done(&arena);
}

static void changed(void *data)
{
    struct fixture *f = data;
    f->loads++;
    load(f);
    tr_server_watch_follow(&f->watch);
}

static void open_fixture(struct fixture *f, const char *script)
{
    const struct tr_loop_opts opts = {.test_clock = true};
    *f = (struct fixture){0};
    folder_open(&f->top);
    (void)snprintf(f->app, sizeof(f->app), "%s/app", f->top.path);
    shell(f, script);
    CHECK_OK(tr_loop_create(&opts, &f->loop, NULL), NULL);
    tr_server_sources_init(&f->sources, f->app);
    load(f);
    f->watch = (struct tr_server_watch){
        .loop = f->loop, .sources = &f->sources, .changed = changed, .data = f};
    tr_server_watch_start(&f->watch);
}

static void close_fixture(struct fixture *f)
{
    tr_server_watch_stop(&f->watch);
    tr_server_watch_stop(&f->watch);
    tr_loop_run(f->loop); /* nothing keeps it */
    tr_server_sources_done(&f->sources);
    tr_loop_free(f->loop);
    folder_close(&f->top);
}

/* Hears of what has happened: watches alone do not keep a loop. */
static void hear(struct fixture *f)
{
    tr_loop_hold(f->loop);
    (void)tr_loop_turn(f->loop);
    tr_loop_release(f->loop);
}

/* Lets time pass: nobody waits longer than half a second. */
static void settle(struct fixture *f)
{
    hear(f);
    for (unsigned ms = 0; ms < 500; ms += 50) {
        tr_loop_step(f->loop, 50);
        hear(f);
    }
}

#define APP                                                                    \
    "mkdir -p app/lib/deep; touch app/trails.toml;"                            \
    "printf 'lib/a\\nlib/deep/b\\nlib/none\\n' > app/app.lua;"                 \
    "echo a > app/lib/a; echo b > app/lib/deep/b;"

/* A folder of Kubernetes: names lead to one that can be swapped at once. */
#define CONFIG_MAP                                                             \
    "mkdir -p app/..1 app/lib; echo lib/a > app/..1/app.lua;"                  \
    "touch app/..1/trails.toml; echo a > app/lib/a; ln -s ..1 app/..data;"     \
    "ln -s ..data/app.lua app/app.lua;"                                        \
    "ln -s ..data/trails.toml app/trails.toml;"

#define SWAP_TO(text)                                                          \
    "mkdir app/..2; printf '" text "' > app/..2/app.lua;"                      \
    "touch app/..2/trails.toml; ln -s ..2 app/..data_tmp;"                     \
    "mv -T app/..data_tmp app/..data; rm -r app/..1"

static const struct row {
    const char *name;
    const char *before;
    const char *change;
    unsigned loads;
} rows[] = {
    {"nothing", APP, "true", 0},
    {"a file is touched", APP, "touch app/app.lua app/lib/a", 0},
    {"the same is written again", APP, "echo a > app/lib/a", 0},
    {"written in place", APP, "echo '# more' >> app/app.lua", 1},
    {"settings", APP, "echo '# more' >> app/trails.toml", 1},
    {"a module", APP, "echo aa > app/lib/a", 1},
    {"a module further down", APP, "echo bb > app/lib/deep/b", 1},
    {"in three pieces", APP,
     "printf '' > app/lib/a; printf a >> app/lib/a; printf aa >> app/lib/a", 1},
    {"truncated", APP, ": > app/lib/a", 1},
    {"another file takes its name", APP,
     "echo aa > app/lib/.new; mv app/lib/.new app/lib/a", 1},
    {"the same by another file", APP,
     "cp -p app/lib/a app/lib/.new; mv app/lib/.new app/lib/a", 0},
    {"vim", APP,
     "touch app/lib/4913; rm app/lib/4913; echo x > app/lib/.a.swp;"
     "mv app/lib/a app/lib/a~; echo aa > app/lib/a; rm app/lib/a~",
     1},
    {"vim with a swap file that stays", APP,
     "echo x > app/lib/.a.swp; echo y >> app/lib/.a.swp", 0},
    {"emacs before it saves", APP,
     "echo aa > 'app/lib/#a#'; ln -s me@host 'app/lib/.#a'", 0},
    {"a backup", APP, "cp app/lib/a app/lib/a~; cp app/lib/a app/a.bak", 0},
    {"a file that is none of it", APP,
     "echo c > app/lib/c; mkdir -p app/data; echo d > app/data/d", 0},
    {"a module is removed", APP, "rm app/lib/a", 1},
    {"a module is renamed", APP, "mv app/lib/a app/lib/aa", 1},
    {"a folder is removed", APP, "rm -r app/lib/deep", 1},
    {"a folder is removed and made again", APP,
     "rm -r app/lib/deep; mkdir app/lib/deep; echo b > app/lib/deep/b", 0},
    {"a folder is replaced", APP,
     "cp -r app/lib new; echo aa > new/a; mv app/lib old; mv new app/lib", 1},
    {"a module appears", APP, "echo n > app/lib/none", 1},
    {"a module appears with its folder",
     "mkdir app; touch app/trails.toml; echo lib/deep/b > app/app.lua",
     "mkdir -p app/lib/deep; echo b > app/lib/deep/b", 1},
    {"many files", APP,
     "i=0; while [ $i -lt 300 ]; do echo $i > app/lib/f$i; i=$((i+1)); done;"
     "echo aa > app/lib/a; echo bb > app/lib/deep/b; echo >> app/app.lua",
     1},
    {"who may read it", APP, "chmod 600 app/trails.toml", 1},
    {"the app is replaced", APP,
     "cp -r app new; echo aa > new/lib/a; mv app old; mv new app", 1},
    {"the app is away for a moment", APP, "mv app old; mv old app", 0},
    {"the app is a link",
     "mkdir one; mv app x 2>/dev/null || true; ln -s one app;" APP,
     "cp -r one two; echo aa > two/lib/a; ln -s two new; mv -T new app", 1},
    {"a file is a link",
     "mkdir app; touch app/trails.toml; echo '#' > x; ln -s ../x app/app.lua",
     "echo '# more' >> x", 1},
    {"a link is set anew",
     "mkdir app; touch app/trails.toml; echo '#' > x; ln -s ../x app/app.lua",
     "echo '# more' > y; ln -s ../y app/new; mv app/new app/app.lua", 1},
    {"a link to nowhere",
     "mkdir app; touch app/trails.toml; ln -s ../x app/app.lua", "echo '#' > x",
     1},
    {"links in a circle",
     "mkdir app; touch app/trails.toml; ln -s app.lua app/app.lua",
     "rm app/app.lua; echo '#' > app/app.lua", 1},
    {"a folder of links is swapped", CONFIG_MAP, SWAP_TO("lib/a\\n#\\n"), 1},
    {"a folder of links is swapped for the same", CONFIG_MAP,
     SWAP_TO("lib/a\\n"), 0},
};

/* And what comes next is seen, too: once. */
static void check_row(const struct row *row)
{
    struct fixture f;
    open_fixture(&f, row->before);
    settle(&f);
    CHECK_ROW(f.loads == 0, row->name);
    shell(&f, row->change);
    settle(&f);
    CHECK_ROW(f.loads == row->loads, row->name);
    shell(&f, "[ -e app/app.lua ]; echo '# once more' >> app/app.lua");
    settle(&f);
    CHECK_ROW(f.loads == row->loads + 1, row->name);
    close_fixture(&f);
}

TEST(a_change_is_noticed_once_however_it_was_made)
{
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(&rows[i]);
}

TEST(where_no_folder_can_be_watched_files_are_polled)
{
    is_out_of_watches = true;
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_row(&rows[i]);
    is_out_of_watches = false;
}

TEST(while_nothing_happens_nothing_is_done)
{
    struct fixture f;
    open_fixture(&f, APP);
    CHECK(!f.watch.quiet.active && !f.watch.poll.active);
    CHECK(!f.watch.is_polling);
    CHECK(!tr_loop_turn(f.loop)); /* nothing keeps the loop */
    shell(&f, "echo c > app/lib/c");
    hear(&f);
    CHECK(!f.watch.quiet.active);
    close_fixture(&f);
}

TEST(it_waits_until_nothing_has_happened_for_a_moment)
{
    struct fixture f;
    open_fixture(&f, APP);
    for (unsigned i = 0; i < 3; i++) {
        shell(&f, "echo '# more' >> app/app.lua");
        hear(&f);
        tr_loop_step(f.loop, TR_SERVER_WATCH_QUIET_MS - 1);
        CHECK_INT(f.loads, 0);
    }
    tr_loop_step(f.loop, 1);
    CHECK_INT(f.loads, 1);
    settle(&f);
    CHECK_INT(f.loads, 1);
    close_fixture(&f);
}

TEST(who_writes_for_ever_is_not_waited_for)
{
    struct fixture f;
    open_fixture(&f, APP);
    for (unsigned ms = 0; ms < TR_SERVER_WATCH_MAX_MS; ms += 50) {
        CHECK_INT(f.loads, 0);
        shell(&f, "echo '# more' >> app/app.lua");
        hear(&f);
        tr_loop_step(f.loop, 50);
    }
    CHECK_INT(f.loads, 1);
    close_fixture(&f);
}

/* The system keeps so many events for us, and drops those that come then. */
static unsigned long queue_length(void)
{
    char text[32] = "";
    FILE *file = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
    CHECK(file && fgets(text, sizeof(text), file) && fclose(file) == 0);
    unsigned long length = strtoul(text, NULL, 10);
    CHECK(length > 0);
    return length;
}

TEST(what_the_system_forgets_is_noticed_all_the_same)
{
    struct fixture f;
    char path[100];
    open_fixture(&f, APP);
    (void)snprintf(path, sizeof(path), "%s/lib/other", f.app);
    for (unsigned long i = queue_length(); i; i--) {
        FILE *file = fopen(path, "w");
        CHECK(file && fclose(file) == 0 && unlink(path) == 0);
    }
    shell(&f, "echo '# more' >> app/app.lua");
    settle(&f);
    CHECK_INT(f.loads, 1);
    close_fixture(&f);
}

/* A file that is written while the app loads was read half. */
TEST(what_changes_while_the_app_is_read_is_noticed)
{
    struct fixture f;
    open_fixture(&f, APP);
    shell(&f, "echo aa > app/lib/a");
    tr_server_watch_follow(&f.watch); /* as after a load by a signal */
    settle(&f);
    CHECK_INT(f.loads, 1);
    close_fixture(&f);
}

/* While the app's folder is gone, what is above it is watched; when that comes
 * back, nothing up there is. */
TEST(an_app_that_is_away_is_seen_to_come_back)
{
    struct fixture f;
    open_fixture(&f, APP);
    shell(&f, "mkdir -p far; mv app far/app");
    settle(&f);
    CHECK_INT(f.loads, 1);
    shell(&f, "echo aa > far/app/lib/a; mv far/app app");
    settle(&f);
    CHECK_INT(f.loads, 2);
    shell(&f, "touch beside");
    hear(&f);
    CHECK(!f.watch.quiet.active);
    close_fixture(&f);
}

TEST(a_file_that_was_refused_is_read_again_after_any_change)
{
    struct fixture f;
    open_fixture(&f, APP "ln -sf /etc/passwd app/lib/a");
    shell(&f, "cp /etc/passwd app/lib/.new; mv app/lib/.new app/lib/a");
    settle(&f);
    CHECK_INT(f.loads, 1);
    close_fixture(&f);
}

/* More names than memory is taken for: then all of them count. */
TEST(an_app_may_ask_for_more_files_than_are_known)
{
    struct fixture f;
    open_fixture(&f, APP);
    for (unsigned i = 0; i < 2 * TR_LIMIT_SOURCES; i++) {
        char path[32];
        (void)snprintf(path, sizeof(path), "lib/f%u", i);
        tr_server_sources_note(&f.sources, path, TR_E_NOT_FOUND, TR_STR(""));
    }
    CHECK_INT(f.sources.items.count, TR_LIMIT_SOURCES);
    tr_server_watch_follow(&f.watch);
    shell(&f, "echo x > app/lib/f1");
    settle(&f);
    CHECK_INT(f.loads, 1);
    close_fixture(&f);
}

static size_t count_lines(FILE *file, const char *part)
{
    char line[1000];
    size_t count = 0;
    rewind(file);
    while (fgets(line, sizeof(line), file))
        count += strstr(line, part) != NULL;
    return count;
}

TEST(polling_is_said_once)
{
    struct fixture f;
    FILE *log = tmpfile();
    int before = dup(STDERR_FILENO);
    CHECK(log && before >= 0 && dup2(fileno(log), STDERR_FILENO) >= 0);
    is_out_of_watches = true;
    open_fixture(&f, APP);
    for (unsigned i = 0; i < 3; i++) {
        shell(&f, "echo '# more' >> app/app.lua");
        settle(&f);
    }
    is_out_of_watches = false;
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
    CHECK_INT(f.loads, 3);
    CHECK_INT(count_lines(log, "looked at now and then"), 1);
    CHECK_INT(count_lines(log, ""), 1);
    CHECK(fclose(log) == 0);
    close_fixture(&f);
}
