#include "install/install.h"

#include "base/file.h"
#include "base/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder with the file of a host, gone when the test has ended. */
struct scratch {
    char folder[64];
    char path[128];
    char copy[160];
    struct tr_install_target target;
    struct tr_install_done done;
    struct tr_arena arena;
    struct tr_err err;
};

static const struct tr_install_wish a = {
    .name = TR_STR_INIT("trails-a"), .command = "/bin/t", .folder = "/apps/a"};
static const struct tr_install_wish b = {
    .name = TR_STR_INIT("trails-b"), .command = "/bin/t", .folder = "/apps/b"};

static void start(struct scratch *s, const char *name)
{
    *s = (struct scratch){.folder = "/tmp/trails-install-test-XXXXXX"};
    CHECK(mkdtemp(s->folder) != NULL);
    (void)snprintf(s->path, sizeof(s->path), "%s/%s", s->folder, name);
    (void)snprintf(s->copy, sizeof(s->copy), "%s.before-trails", s->path);
    s->target = (struct tr_install_target){
        .path = s->path,
        .form = {.servers = TR_STR("mcpServers"), .host = "Cursor"},
        .is_private = true};
    tr_arena_init(&s->arena, TR_MIB(64));
}

static void end(struct scratch *s)
{
    char command[128];
    pid_t child = fork();
    (void)snprintf(command, sizeof(command), "%s", s->folder);
    if (child == 0) {
        (void)execlp("rm", "rm", "-rf", command, (char *)NULL);
        _exit(1);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    tr_arena_done(&s->arena);
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    CHECK(fd >= 0);
    CHECK_OK(tr_file_write_all(fd, path, tr_str_from(text), NULL), NULL);
    CHECK(fchmod(fd, mode) == 0 && close(fd) == 0);
}

static tr_str text_of(struct scratch *s, const char *path)
{
    tr_str text = {NULL, 0};
    CHECK_OK(tr_file_read(&s->arena, path, TR_MIB(1), &text, &s->err), &s->err);
    return text;
}

static unsigned mode_of(const char *path)
{
    struct stat info = {0};
    CHECK(stat(path, &info) == 0);
    return info.st_mode & 07777;
}

static void add(struct scratch *s, const struct tr_install_wish *wish)
{
    CHECK_OK(tr_install_add(&s->target, wish, NULL, &s->done, &s->err),
             &s->err);
}

static void take_out(struct scratch *s, const struct tr_install_wish *wish)
{
    CHECK_OK(tr_install_take_out(&s->target, wish, NULL, &s->done, &s->err),
             &s->err);
}

TEST(install_makes_what_is_missing_and_takes_it_away)
{
    char folder[160];
    struct scratch s;
    start(&s, "x/y/mcp.json");
    add(&s, &a);
    CHECK(s.done.changed && !s.done.has_copy && !s.done.is_gone);
    CHECK_INT(mode_of(s.path), 0600);
    (void)snprintf(folder, sizeof(folder), "%s/x/y", s.folder);
    CHECK_INT(mode_of(folder), 0700);
    add(&s, &a);
    CHECK(!s.done.changed);
    take_out(&s, &a);
    CHECK(s.done.changed && s.done.is_gone);
    CHECK(access(s.path, F_OK) != 0);
    take_out(&s, &a);
    CHECK(!s.done.changed);
    end(&s);
}

TEST(install_lets_others_read_what_is_a_projects)
{
    struct scratch s;
    start(&s, "x/mcp.json");
    mode_t umask_before = umask(022);
    s.target.is_private = false;
    add(&s, &a);
    (void)umask(umask_before);
    CHECK_INT(mode_of(s.path), 0644);
    end(&s);
}

TEST(install_keeps_a_copy_and_the_mode)
{
    struct scratch s;
    start(&s, "mcp.json");
    write_file(s.path, "{\"x\": 1}", 0640);
    if (geteuid() == 0)
        CHECK(chown(s.path, 1234, 4321) == 0);
    add(&s, &a);
    CHECK(s.done.has_copy);
    CHECK_STR(tr_str_from(s.done.copy), s.copy);
    CHECK_STR(text_of(&s, s.copy), "{\"x\": 1}");
    CHECK_INT(mode_of(s.path), 0640);
    CHECK_INT(mode_of(s.copy), 0640);
    struct stat info;
    CHECK(stat(s.copy, &info) == 0);
    CHECK_INT(info.st_uid, geteuid() == 0 ? 1234 : geteuid());
    take_out(&s, &a);
    CHECK_STR(text_of(&s, s.path), "{\"x\": 1}");
    CHECK(access(s.copy, F_OK) != 0 && !s.done.has_copy);
    CHECK_INT(mode_of(s.path), 0640);
    end(&s);
}

TEST(install_with_nothing_to_change_touches_nothing)
{
    struct stat before[2];
    struct stat after[2];
    struct scratch s;
    start(&s, "mcp.json");
    write_file(s.path, "{\"x\": 1}", 0600);
    add(&s, &a);
    CHECK(stat(s.path, &before[0]) == 0 && stat(s.copy, &before[1]) == 0);
    add(&s, &a);
    take_out(&s, &b);
    CHECK(!s.done.changed && s.done.has_copy);
    CHECK(stat(s.path, &after[0]) == 0 && stat(s.copy, &after[1]) == 0);
    for (size_t i = 0; i < 2; i++) {
        CHECK_INT(before[i].st_ino, after[i].st_ino);
        CHECK_INT(before[i].st_mtim.tv_nsec, after[i].st_mtim.tv_nsec);
    }
    end(&s);
}

/* People keep such files elsewhere, and link to them. */
TEST(install_writes_through_a_link)
{
    char real[128];
    struct stat info;
    struct scratch s;
    start(&s, "mcp.json");
    (void)snprintf(real, sizeof(real), "%s/dotfiles/cursor.json", s.folder);
    CHECK(symlink("dotfiles/cursor.json", s.path) == 0);
    add(&s, &a); /* it leads to nothing yet */
    CHECK(lstat(s.path, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(stat(real, &info) == 0);
    take_out(&s, &a);
    CHECK(access(real, F_OK) != 0);
    write_file(real, "{\"x\": 1}", 0600);
    add(&s, &a);
    CHECK(lstat(s.path, &info) == 0 && S_ISLNK(info.st_mode));
    (void)snprintf(s.copy, sizeof(s.copy), "%s.before-trails", real);
    CHECK_STR(tr_str_from(s.done.copy), s.copy);
    CHECK_STR(text_of(&s, s.copy), "{\"x\": 1}");
    take_out(&s, &a);
    CHECK_STR(text_of(&s, s.path), "{\"x\": 1}");
    end(&s);
}

static const char *const broken[] = {
    "{", "{\"mcpServers\": 1}", "{\"mcpServers\": {}, \"mcpServers\": {}}"};

TEST(install_leaves_a_file_that_it_cannot_change)
{
    for (size_t i = 0; i < TR_LEN(broken); i++) {
        struct scratch s;
        start(&s, "mcp.json");
        write_file(s.path, broken[i], 0600);
        CHECK_ROW(tr_install_add(&s.target, &a, NULL, &s.done, &s.err) != TR_OK,
                  broken[i]);
        CHECK_INT(s.err.place.line, 1);
        CHECK_STR(text_of(&s, s.path), broken[i]);
        CHECK(access(s.copy, F_OK) != 0);
        end(&s);
    }
}

TEST(install_leaves_an_entry_that_is_another_apps)
{
    struct tr_install_wish other = a;
    struct scratch s;
    other.folder = "/apps/other";
    start(&s, "mcp.json");
    add(&s, &a);
    tr_str before = text_of(&s, s.path);
    CHECK_INT(tr_install_add(&s.target, &other, NULL, &s.done, &s.err),
              TR_E_CONFLICT);
    CHECK_INT(tr_install_take_out(&s.target, &other, NULL, &s.done, &s.err),
              TR_E_CONFLICT);
    CHECK(tr_str_eq(text_of(&s, s.path), before));
    other.folder = NULL;
    take_out(&s, &other);
    CHECK(s.done.changed);
    end(&s);
}

TEST(install_shows_what_it_would_do_and_does_nothing)
{
    struct tr_buf diff;
    char expected[1024];
    struct scratch s;
    start(&s, "x/mcp.json");
    tr_buf_init(&diff, TR_KIB(64));
    CHECK_OK(tr_install_add(&s.target, &a, &diff, &s.done, &s.err), &s.err);
    (void)snprintf(expected, sizeof(expected),
                   "--- /dev/null\n+++ b%s\n@@ -0,0 +1,8 @@\n+{\n"
                   "+  \"mcpServers\": {\n+    \"trails-a\": {\n"
                   "+      \"command\": \"/bin/t\",\n"
                   "+      \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]\n"
                   "+    }\n+  }\n+}\n",
                   s.path);
    CHECK_STR(tr_buf_str(&diff), expected);
    *strrchr(s.path, '/') = '\0';
    CHECK(access(s.path, F_OK) != 0);
    s.path[strlen(s.path)] = '/';
    add(&s, &a);
    tr_buf_clear(&diff);
    CHECK_OK(tr_install_add(&s.target, &a, &diff, &s.done, &s.err), &s.err);
    CHECK_INT(diff.len, 0);
    CHECK_OK(tr_install_take_out(&s.target, &a, &diff, &s.done, &s.err),
             &s.err);
    tr_buf_putc(&diff, '\0');
    CHECK(strstr(diff.ptr, "+++ /dev/null") != NULL);
    CHECK(access(s.path, F_OK) == 0);
    tr_buf_done(&diff);
    end(&s);
}

TEST(install_names_files_that_cannot_be)
{
    static char path[TR_LIMIT_PATH_BYTES];
    struct scratch s;
    start(&s, "mcp.json");
    CHECK(mkdir(s.path, 0700) == 0);
    CHECK_INT(tr_install_add(&s.target, &a, NULL, &s.done, &s.err), TR_E_IO);
    CHECK(strstr(s.err.msg, s.path) != NULL);
    struct tr_install_file file;
    CHECK_INT(tr_install_look(&s.arena, &s.target, &file, &s.err), TR_E_IO);
    memset(path, 'x', sizeof(path) - 5);
    s.target.path = path;
    CHECK_INT(tr_install_add(&s.target, &a, NULL, &s.done, &s.err), TR_E_LIMIT);
    end(&s);
}

TEST(install_looks_at_what_is_there)
{
    struct tr_install_file file;
    struct scratch s;
    start(&s, "mcp.json");
    CHECK_OK(tr_install_look(&s.arena, &s.target, &file, &s.err), &s.err);
    CHECK(!file.is_there && file.entries.count == 0);
    add(&s, &a);
    add(&s, &b);
    CHECK_OK(tr_install_look(&s.arena, &s.target, &file, &s.err), &s.err);
    CHECK(file.is_there);
    CHECK_INT(file.entries.count, 2);
    CHECK_STR(file.entries.items[1].folder, "/apps/b");
    end(&s);
}

/* Each process puts its own app in and takes it out again, and leaves it in. */
static bool come_and_go(struct scratch *s, int number, size_t times)
{
    char name[32];
    char folder[32];
    (void)snprintf(name, sizeof(name), "trails-p%d", number);
    (void)snprintf(folder, sizeof(folder), "/apps/p%d", number);
    struct tr_install_wish wish = {tr_str_from(name), "/bin/t", folder, NULL,
                                   NULL};
    for (size_t i = 0; i < times; i++) {
        if (tr_install_add(&s->target, &wish, NULL, &s->done, &s->err) ||
            !s->done.changed)
            return false;
        if (i + 1 < times &&
            (tr_install_take_out(&s->target, &wish, NULL, &s->done, &s->err) ||
             !s->done.changed))
            return false;
    }
    return true;
}

TEST(installs_at_the_same_time_do_not_lose_each_other)
{
    enum { CHILDREN = 4 };
    size_t times = tr_test_scaled(100);
    struct tr_install_file file;
    struct scratch s;
    start(&s, "mcp.json");
    write_file(s.path, "{\"x\": 1}", 0600);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(come_and_go(&s, i, times) ? 0 : 1);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int ended = 1;
        CHECK(wait(&ended) > 0 && ended == 0);
    }
    CHECK_OK(tr_install_look(&s.arena, &s.target, &file, &s.err), &s.err);
    CHECK_INT(file.entries.count, CHILDREN);
    CHECK_STR(text_of(&s, s.copy), "{\"x\": 1}");
    end(&s);
}

static tr_status add_and_look(void *context, struct tr_err *err)
{
    struct scratch *s = context;
    struct tr_install_file file;
    struct tr_arena arena;
    (void)unlink(s->copy);
    (void)unlink(s->path);
    write_file(s->path, "{\"x\": 1}", 0600);
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_install_add(&s->target, &a, NULL, &s->done, err);
    if (status == TR_OK)
        status = tr_install_look(&arena, &s->target, &file, err);
    if (status == TR_OK)
        status = tr_install_take_out(&s->target, &a, NULL, &s->done, err);
    tr_arena_done(&arena);
    return status;
}

TEST(install_tells_when_there_is_no_memory)
{
    struct scratch s;
    start(&s, "mcp.json");
    tr_test_sweep(add_and_look, &s);
    end(&s);
}
