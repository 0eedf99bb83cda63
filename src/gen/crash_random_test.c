/*
 * A process that is killed while it changes the files of an app: afterwards
 * either all is done or nothing. What a process leaves behind changes by system
 * calls alone, so the kernel stops it at each of them and it is killed at one.
 */
#include "base/test.h"
#include "gen/apply.h"
#include "support/folder.h"
#include "support/gen.h"

#include <dirent.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEVER ((size_t)-1)

/* What a process does in a folder. */
typedef void work_fn(const char *folder);

/* Runs `work` in a process of its own, which is killed when it has been stopped
 * at `kill_at` beginnings and ends of system calls. Returns how many there
 * were. */
static size_t run_apart(work_fn *work, const char *folder, size_t kill_at)
{
    size_t stops = 0;
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(9);
        (void)raise(SIGSTOP);
        work(folder);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
    CHECK(ptrace(PTRACE_SETOPTIONS, child, NULL,
                 PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
    while (stops < kill_at && ptrace(PTRACE_SYSCALL, child, NULL, 0) == 0 &&
           waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        stops++;
    if (stops == kill_at) {
        CHECK(kill(child, SIGKILL) == 0);
        CHECK(waitpid(child, &status, 0) == child);
    } else {
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return stops;
}

/* Nothing of ours may be left: no draft, no intent. */
static void check_no_rest(const char *path)
{
    DIR *open = opendir(path);
    for (const struct dirent *entry; open && (entry = readdir(open));)
        CHECK_ROW(strncmp(entry->d_name, ".trails-", 8) != 0, entry->d_name);
    if (open)
        CHECK(closedir(open) == 0);
}

static void check_rest(const struct folder *folder)
{
    static const char *const folders[] = {"", "lib", "shapes", "seeds"};
    for (size_t i = 0; i < TR_LEN(folders); i++)
        check_no_rest(folder_path(folder, folders[i]));
}

/* A kind of change, what is there before, and what is afterwards. */
struct scenario {
    void (*prepare)(const struct folder *folder);
    work_fn *work;
    bool (*is_done)(const struct folder *folder); /* checks that none is half */
};

static void run_op(const char *folder, const char *op, const char *arguments)
{
    struct gen_run run;
    gen_run(&run, folder, op, arguments);
    if (run.status != TR_OK)
        (void)fprintf(stderr, "%s\n", gen_message(&run));
    CHECK(run.status == TR_OK);
    gen_done(&run);
}

static bool has(const struct folder *folder, const char *path, const char *text)
{
    const char *now = gen_text(folder->path, path);
    return now && strcmp(now, text) == 0;
}

/* gen.node-type: one file. */
static void prepare_type(const struct folder *folder)
{
    folder_write(folder, "app.lua", "-- one\n");
}

static void work_type(const char *folder)
{
    run_op(folder, "gen.node-type", "{\"name\":\"A\",\"apply\":true}");
}

static bool is_type_done(const struct folder *folder)
{
    bool is_old = has(folder, "app.lua", "-- one\n");
    bool is_new = has(folder, "app.lua",
                      "-- one\n\nnode_type \"A\" {\n  fields = {},\n}\n");
    CHECK(is_old != is_new);
    return is_new;
}

/* app.edit: a file in a folder that is not there yet. */
static void work_edit(const char *folder)
{
    run_op(folder, "app.edit",
           "{\"path\":\"lib/a/b.lua\",\"text\":\"return 1\\n\","
           "\"apply\":true}");
}

static bool is_edit_done(const struct folder *folder)
{
    bool is_there = gen_text(folder->path, "lib/a/b.lua") != NULL;
    CHECK(!is_there || has(folder, "lib/a/b.lua", "return 1\n"));
    return is_there;
}

/* gen.app: several files, in folders. */
static void prepare_nothing(const struct folder *folder)
{
    (void)folder;
}

static void work_app(const char *folder)
{
    run_op(folder, "gen.app", "{\"apply\":true,\"with\":\"types\"}");
}

static bool is_app_done(const struct folder *folder)
{
    static const char *const files[] = {"README.md", "app.lua", "trails.toml",
                                        "seeds/10-Author.csv", ".gitignore"};
    size_t count = 0;
    for (size_t i = 0; i < TR_LEN(files); i++)
        count += gen_text(folder->path, files[i]) != NULL;
    CHECK(count == 0 || count == TR_LEN(files));
    return count > 0;
}

/* One file replaced, one made, one removed. */
static void prepare_three(const struct folder *folder)
{
    folder_write(folder, "app.lua", "-- one\n");
    CHECK(mkdir(folder_path(folder, "shapes"), 0777) == 0);
    folder_write(folder, "shapes/old.ttl", "# old\n");
}

static void work_three(const char *folder)
{
    struct tr_gen_tree tree = {.fd = -1};
    struct tr_gen_diff diffs[] = {
        {.path = TR_STR("app.lua"),
         .change = TR_GEN_MODIFY,
         .after = TR_STR("-- two\n")},
        {.path = TR_STR("lib/new.lua"),
         .change = TR_GEN_CREATE,
         .after = TR_STR("return 1\n")},
        {.path = TR_STR("shapes/old.ttl"), .change = TR_GEN_DELETE},
    };
    tr_gen_hash(TR_STR("-- one\n"), diffs[0].before_sha256);
    tr_gen_hash(TR_STR("# old\n"), diffs[2].before_sha256);
    CHECK(tr_gen_tree_open(folder, &tree, NULL) == TR_OK);
    CHECK(tr_gen_lock(&tree, NULL) == TR_OK);
    CHECK(tr_gen_apply(&tree, diffs, TR_LEN(diffs), NULL) == TR_OK);
    tr_gen_tree_close(&tree);
}

static bool are_three_done(const struct folder *folder)
{
    bool is_done = has(folder, "app.lua", "-- two\n");
    CHECK(is_done || has(folder, "app.lua", "-- one\n"));
    CHECK(is_done == has(folder, "lib/new.lua", "return 1\n"));
    CHECK(is_done != has(folder, "shapes/old.ttl", "# old\n"));
    return is_done;
}

static const struct scenario scenarios[] = {
    {prepare_type, work_type, is_type_done},
    {prepare_type, work_edit, is_edit_done},
    {prepare_nothing, work_app, is_app_done},
    {prepare_three, work_three, are_three_done},
};

static void recover(const char *folder)
{
    CHECK(tr_gen_recover(folder, NULL) == TR_OK);
}

static size_t count_stops(const struct scenario *scenario)
{
    struct folder folder;
    folder_open(&folder);
    scenario->prepare(&folder);
    size_t stops = run_apart(scenario->work, folder.path, NEVER);
    CHECK(scenario->is_done(&folder));
    check_rest(&folder);
    folder_close(&folder);
    return stops;
}

/* Kills it, and now and then who ends what it has left, too. Returns whether it
 * is done then. */
static bool crash(const struct scenario *scenario, size_t stops)
{
    struct folder folder;
    folder_open(&folder);
    scenario->prepare(&folder);
    (void)run_apart(scenario->work, folder.path,
                    1 + tr_test_random_below(stops));
    if (tr_test_random_below(2))
        (void)run_apart(recover, folder.path, tr_test_random_below(100));
    recover(folder.path);
    bool is_done = scenario->is_done(&folder);
    check_rest(&folder);
    if (!is_done)
        scenario->work(folder.path);
    CHECK(scenario->is_done(&folder));
    folder_close(&folder);
    return is_done;
}

TEST(whoever_is_killed_while_files_change_leaves_all_or_nothing)
{
    for (size_t i = 0; i < TR_LEN(scenarios); i++) {
        size_t stops = count_stops(&scenarios[i]);
        size_t times = tr_test_scaled(100);
        size_t done = 0;
        CHECK(stops > 20);
        for (size_t k = 0; k < times; k++)
            done += crash(&scenarios[i], stops);
        CHECK(times < 100 || (done > 0 && done < times));
    }
}
