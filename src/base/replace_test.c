#include "base/file.h"
#include "base/limits.h"
#include "base/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* A folder that is gone, with its files, when the test has ended. */
struct scratch {
    char path[64];
    int folder;
    struct tr_arena arena;
    struct tr_err err;
};

static const struct tr_file_replacing plain = {.mode = 0666};
static const struct tr_file_replacing anew = {.mode = 0666,
                                              .must_be_new = true};

static void start(struct scratch *s)
{
    *s = (struct scratch){.path = "/tmp/trails-replace-test-XXXXXX"};
    CHECK(mkdtemp(s->path) != NULL);
    s->folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(s->folder >= 0);
    tr_arena_init(&s->arena, TR_MIB(4));
}

static size_t each_file(struct scratch *s, bool deletes)
{
    size_t count = 0;
    DIR *open = opendir(s->path);
    for (struct dirent *entry = open ? readdir(open) : NULL; entry;
         entry = readdir(open)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (deletes && unlinkat(s->folder, entry->d_name, 0) != 0)
            (void)unlinkat(s->folder, entry->d_name, AT_REMOVEDIR);
    }
    if (open)
        (void)closedir(open);
    return count;
}

static void end(struct scratch *s)
{
    (void)each_file(s, true);
    (void)close(s->folder);
    CHECK(rmdir(s->path) == 0);
    tr_arena_done(&s->arena);
}

static void path_of(const struct scratch *s, const char *name,
                    char out[TR_LIMIT_PATH_BYTES])
{
    (void)snprintf(out, TR_LIMIT_PATH_BYTES, "%s/%s", s->path, name);
}

static tr_str text_in(struct scratch *s, const char *name)
{
    char path[TR_LIMIT_PATH_BYTES];
    tr_str text = {NULL, 0};
    path_of(s, name, path);
    CHECK_OK(tr_file_read(&s->arena, path, TR_MIB(1), &text, &s->err), &s->err);
    return text;
}

static struct stat about(const struct scratch *s, const char *name)
{
    struct stat info = {0};
    CHECK(fstatat(s->folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0);
    return info;
}

static tr_status put(struct scratch *s, const char *name, tr_str text)
{
    return tr_file_replace(s->folder, name, text, &plain, &s->err);
}

TEST(replace_makes_a_file_with_its_mode_below_the_umask)
{
    static const struct {
        mode_t mode;
        unsigned made;
    } rows[] = {{0666, 0640}, {0600, 0600}, {0777, 0750}};
    struct scratch s;
    start(&s);
    mode_t umask_before = umask(027);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_file_replacing how = {.mode = rows[i].mode};
        char name[8];
        (void)snprintf(name, sizeof(name), "%zu", i);
        CHECK_OK(tr_file_replace(s.folder, name, TR_STR("x"), &how, &s.err),
                 &s.err);
        CHECK_INT(about(&s, name).st_mode & 07777, rows[i].made);
        CHECK_STR(text_in(&s, name), "x");
    }
    (void)umask(umask_before);
    end(&s);
}

TEST(replace_keeps_mode_and_owner)
{
    static const unsigned modes[] = {0600, 0644, 0666, 0755, 02750};
    struct scratch s;
    start(&s);
    CHECK_OK(put(&s, "x", TR_STR("old")), &s.err);
    for (size_t i = 0; i < TR_LEN(modes); i++) {
        if (geteuid() == 0)
            CHECK(fchownat(s.folder, "x", 1234, 4321, 0) == 0);
        CHECK(fchmodat(s.folder, "x", modes[i], 0) == 0);
        struct stat old = about(&s, "x");
        CHECK_OK(put(&s, "x", TR_STR("new")), &s.err);
        struct stat now = about(&s, "x");
        CHECK_STR(text_in(&s, "x"), "new");
        CHECK_INT(now.st_mode, old.st_mode);
        CHECK_INT(now.st_uid, old.st_uid);
        CHECK_INT(now.st_gid, old.st_gid);
        CHECK(now.st_ino != old.st_ino);
    }
    CHECK_INT(each_file(&s, false), 1);
    end(&s);
}

TEST(replace_refuses_what_is_no_file_of_the_folder)
{
    static const struct {
        const char *name;
        const char *msg;
    } rows[] = {{"link", "link is a link, not a file"},
                {"folder", "folder is a folder, not a file"},
                {"pipe", "pipe is something else, not a file"},
                {"a/b", "'a/b' is not the name of a file"},
                {"/etc/hosts", "'/etc/hosts' is not the name of a file"},
                {"..", "'..' is not the name of a file"},
                {".", "'.' is not the name of a file"},
                {"", "'' is not the name of a file"}};
    struct scratch s;
    start(&s);
    CHECK(symlinkat("target", s.folder, "link") == 0);
    CHECK(mkdirat(s.folder, "folder", 0777) == 0);
    CHECK(mkfifoat(s.folder, "pipe", 0666) == 0);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        CHECK_ROW(put(&s, rows[i].name, TR_STR("x")) == TR_E_INVALID,
                  rows[i].name);
        CHECK_STR(tr_str_from(s.err.msg), rows[i].msg);
    }
    CHECK_INT(each_file(&s, false), 3);
    end(&s);
}

TEST(replace_makes_a_new_file_only_where_nothing_is)
{
    struct scratch s;
    start(&s);
    CHECK_OK(tr_file_replace(s.folder, "x", TR_STR("1"), &anew, &s.err),
             &s.err);
    CHECK_INT(tr_file_replace(s.folder, "x", TR_STR("2"), &anew, &s.err),
              TR_E_CONFLICT);
    CHECK_STR(tr_str_from(s.err.msg), "x is there already");
    CHECK_STR(text_in(&s, "x"), "1");
    CHECK_INT(each_file(&s, false), 1);
    end(&s);
}

TEST(replace_shows_the_file_as_it_is_told)
{
    struct tr_file_replacing how = {.shown = "~/x", .must_be_new = true};
    struct scratch s;
    start(&s);
    CHECK_OK(put(&s, "x", TR_STR("1")), &s.err);
    CHECK_INT(tr_file_replace(s.folder, "x", TR_STR("2"), &how, &s.err),
              TR_E_CONFLICT);
    CHECK_STR(tr_str_from(s.err.msg), "~/x is there already");
    end(&s);
}

TEST(replace_leaves_the_draft_of_a_process_that_died)
{
    char name[64];
    struct scratch s;
    start(&s);
    (void)snprintf(name, sizeof(name), ".trails-%ld-0.tmp", (long)getpid());
    CHECK_OK(put(&s, name, TR_STR("draft")), &s.err);
    CHECK_OK(put(&s, "x", TR_STR("1")), &s.err);
    CHECK_STR(text_in(&s, "x"), "1");
    CHECK_STR(text_in(&s, name), "draft");
    CHECK_INT(each_file(&s, false), 2);
    end(&s);
}

/* In another process, as a user whom the modes of files concern. The message
 * comes back in *err. */
static void put_as_nobody(struct scratch *s, rlim_t max_bytes)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {max_bytes, max_bytes};
        (void)signal(SIGXFSZ, SIG_IGN);
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(2);
        (void)setrlimit(RLIMIT_FSIZE, &limit);
        s->err = (struct tr_err){0};
        (void)put(s, "x", TR_STR("a new text"));
        _exit(write(ends[1], &s->err, sizeof(s->err)) !=
              (ssize_t)sizeof(s->err));
    }
    int ended = 1;
    CHECK(read(ends[0], &s->err, sizeof(s->err)) == (ssize_t)sizeof(s->err));
    CHECK(waitpid(child, &ended, 0) == child && ended == 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(the_name_of_a_draft_is_known)
{
    static const char *const rows[] = {"",
                                       ".trails-1.tmp",
                                       ".trails--1.tmp",
                                       ".trails-1-.tmp",
                                       ".trails-x-1.tmp",
                                       ".trails-1-2.tmp2",
                                       ".trails-1-2",
                                       "trails-1-2.tmp",
                                       ".trails-apply.json"};
    CHECK(tr_file_is_draft(".trails-1-0.tmp"));
    CHECK(tr_file_is_draft(".trails-4194304-99.tmp"));
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(!tr_file_is_draft(rows[i]), rows[i]);
}

TEST(replace_says_why_a_file_cannot_be_written_and_leaves_it)
{
    static const struct {
        const char *row;
        const char *msg;
        unsigned folder;
        unsigned file;
        uid_t uid; /* of the file, where the test may choose */
        rlim_t max_bytes;
    } rows[] = {
        {"a read-only file", "cannot write x: Permission denied", 0777, 0444,
         NOBODY, RLIM_INFINITY},
        {"a read-only folder", "cannot write x: Permission denied", 0555, 0666,
         NOBODY, RLIM_INFINITY},
        {"no space", "cannot write x: File too large", 0777, 0666, NOBODY, 4},
        {"another's", "cannot write x: it belongs to another user", 0777, 0666,
         0, RLIM_INFINITY},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct scratch s;
        if (rows[i].uid == 0 && geteuid() != 0)
            continue; /* only root can make what belongs to another */
        start(&s);
        CHECK_OK(put(&s, "x", TR_STR("old")), &s.err);
        if (geteuid() == 0)
            CHECK(fchownat(s.folder, "x", rows[i].uid, rows[i].uid, 0) == 0);
        CHECK(fchmodat(s.folder, "x", rows[i].file, 0) == 0);
        CHECK(fchmod(s.folder, rows[i].folder) == 0);
        put_as_nobody(&s, rows[i].max_bytes);
        CHECK_STR(tr_str_from(s.err.msg), rows[i].msg);
        CHECK_INT(s.err.code, TR_E_IO);
        CHECK(fchmod(s.folder, 0700) == 0);
        CHECK_STR(text_in(&s, "x"), "old");
        CHECK_INT(each_file(&s, false), 1);
        end(&s);
    }
}

/* A text of so many equal letters that it is written in several steps. */
static tr_str letters(char *storage, size_t size, char letter)
{
    memset(storage, letter, size);
    return (tr_str){storage, size};
}

static void put_for_ever(struct scratch *s)
{
    static char storage[200000];
    for (unsigned i = 0;; i++) {
        tr_str text = letters(storage, sizeof(storage), (char)('a' + i % 26));
        if (put(s, "x", text) != TR_OK)
            _exit(1);
    }
}

static void check_whole(struct scratch *s)
{
    tr_str text = text_in(s, "x");
    CHECK_INT(text.len, 200000);
    for (size_t i = 1; i < text.len; i++)
        CHECK(text.ptr[i] == text.ptr[0]);
    tr_arena_reset(&s->arena);
}

TEST(replace_shows_readers_one_text_or_the_other_and_leaves_one_when_killed)
{
    static char storage[200000];
    for (size_t i = 0; i < tr_test_scaled(20); i++) {
        struct scratch s;
        start(&s);
        CHECK_OK(put(&s, "x", letters(storage, sizeof(storage), 'a')), &s.err);
        struct stat first = about(&s, "x");
        pid_t child = fork();
        if (child == 0)
            put_for_ever(&s);
        while (about(&s, "x").st_ino == first.st_ino)
            check_whole(&s); /* until the child has begun */
        for (uint64_t j = tr_test_random_below(20); j > 0; j--)
            check_whole(&s);
        CHECK(kill(child, SIGKILL) == 0);
        CHECK(waitpid(child, NULL, 0) == child);
        check_whole(&s);
        end(&s);
    }
}

/* Each adds one to the number in the file, so many times. */
static bool count_up(struct scratch *s, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        int lock = -1;
        int64_t number = 0;
        char next[32];
        if (tr_file_lock_folder(s->path, &lock, &s->err) != TR_OK)
            return false;
        if (!tr_str_to_i64(text_in(s, "x"), &number))
            return false;
        (void)snprintf(next, sizeof(next), "%lld", (long long)number + 1);
        if (tr_file_replace(lock, "x", tr_str_from(next), &plain, &s->err))
            return false;
        (void)close(lock);
    }
    return true;
}

TEST(a_locked_folder_is_somebodys_alone)
{
    enum { CHILDREN = 3 };
    size_t times = tr_test_scaled(200);
    char sum[32];
    struct scratch s;
    start(&s);
    CHECK_OK(put(&s, "x", TR_STR("0")), &s.err);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(count_up(&s, times) ? 0 : 1);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int ended = 1;
        CHECK(wait(&ended) > 0 && ended == 0);
    }
    (void)snprintf(sum, sizeof(sum), "%zu", CHILDREN * times);
    CHECK_STR(text_in(&s, "x"), sum);
    end(&s);
}

TEST(a_folder_that_is_not_there_is_not_locked)
{
    char path[TR_LIMIT_PATH_BYTES];
    int lock = -1;
    struct scratch s;
    start(&s);
    path_of(&s, "x", path);
    CHECK_INT(tr_file_lock_folder(path, &lock, &s.err), TR_E_NOT_FOUND);
    CHECK(strstr(s.err.msg, "cannot open the folder /tmp/") != NULL);
    CHECK_OK(put(&s, "x", TR_STR("1")), &s.err);
    CHECK_INT(tr_file_lock_folder(path, &lock, &s.err), TR_E_IO);
    CHECK(strstr(s.err.msg, "Not a directory") != NULL);
    CHECK_INT(lock, -1);
    end(&s);
}

TEST(folders_are_made_where_they_are_missing)
{
    char path[TR_LIMIT_PATH_BYTES];
    struct stat made;
    struct scratch s;
    start(&s);
    path_of(&s, "a//b/c/", path);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(tr_file_make_folders(path, 0700, &s.err), &s.err);
        CHECK(stat(path, &made) == 0 && S_ISDIR(made.st_mode));
        CHECK_INT(made.st_mode & 07777, 0700);
    }
    CHECK_OK(tr_file_make_folders("/", 0700, &s.err), &s.err);
    CHECK_OK(tr_file_make_folders(".", 0700, &s.err), &s.err);
    for (size_t len = strlen("a//b/c"); len > 0; len = len > 4 ? 4 : len / 4) {
        path_of(&s, "a//b/c", path);
        path[strlen(s.path) + 1 + len] = '\0';
        CHECK(rmdir(path) == 0);
    }
    end(&s);
}

TEST(folders_are_not_made_below_files)
{
    char path[TR_LIMIT_PATH_BYTES];
    char msg[256];
    struct scratch s;
    start(&s);
    CHECK_OK(put(&s, "x", TR_STR("1")), &s.err);
    path_of(&s, "x/y", path);
    CHECK_INT(tr_file_make_folders(path, 0777, &s.err), TR_E_IO);
    (void)snprintf(msg, sizeof(msg), "cannot make the folder %s/x: File exists",
                   s.path);
    CHECK_STR(tr_str_from(s.err.msg), msg);
    end(&s);
}

/* A path of `len` bytes. */
static void long_path(char *path, size_t len)
{
    for (size_t i = 0; i < len; i++)
        path[i] = i % 100 ? 'x' : '/';
    path[len] = '\0';
}

TEST(paths_have_a_maximum)
{
    char path[TR_LIMIT_PATH_BYTES + 1];
    char out[TR_LIMIT_PATH_BYTES];
    struct tr_err err;
    long_path(path, TR_LIMIT_PATH_BYTES);
    CHECK_INT(tr_file_make_folders(path, 0777, &err), TR_E_LIMIT);
    CHECK_INT(tr_file_follow(path, out, &err), TR_E_LIMIT);
    long_path(path, TR_LIMIT_PATH_BYTES - 1);
    CHECK_OK(tr_file_follow(path, out, &err), &err);
    CHECK_STR(tr_str_from(out), path);
}

TEST(a_link_is_followed_to_what_may_not_be_there)
{
    static const struct {
        const char *name;
        const char *target;
        const char *leads_to;
    } rows[] = {
        {"file", NULL, "file"},     {"absent", NULL, "absent"},
        {"one", "file", "file"},    {"two", "one", "file"},
        {"gone", "sub/x", "sub/x"}, {"up", "../x", "../x"},
    };
    struct scratch s;
    start(&s);
    CHECK_OK(put(&s, "file", TR_STR("1")), &s.err);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char path[TR_LIMIT_PATH_BYTES];
        char out[TR_LIMIT_PATH_BYTES];
        char expected[TR_LIMIT_PATH_BYTES];
        if (rows[i].target)
            CHECK(symlinkat(rows[i].target, s.folder, rows[i].name) == 0);
        path_of(&s, rows[i].name, path);
        path_of(&s, rows[i].leads_to, expected);
        CHECK_OK(tr_file_follow(path, out, &s.err), &s.err);
        CHECK_STR(tr_str_from(out), expected);
    }
    CHECK(symlinkat("/etc/hosts", s.folder, "away") == 0);
    char path[TR_LIMIT_PATH_BYTES];
    path_of(&s, "away", path);
    CHECK_OK(tr_file_follow(path, path, &s.err), &s.err);
    CHECK_STR(tr_str_from(path), "/etc/hosts");
    end(&s);
}

TEST(links_that_lead_nowhere_are_refused)
{
    char path[TR_LIMIT_PATH_BYTES];
    char out[TR_LIMIT_PATH_BYTES];
    char target[TR_LIMIT_PATH_BYTES];
    struct scratch s;
    start(&s);
    CHECK(symlinkat("round", s.folder, "round") == 0);
    path_of(&s, "round", path);
    CHECK_INT(tr_file_follow(path, out, &s.err), TR_E_IO);
    CHECK(strstr(s.err.msg, "Too many levels of symbolic links") != NULL);
    long_path(target, 4090);
    CHECK(symlinkat(target + 1, s.folder, "long") == 0);
    path_of(&s, "long", path);
    CHECK_INT(tr_file_follow(path, out, &s.err), TR_E_LIMIT);
    CHECK(strstr(s.err.msg, "File name too long") != NULL);
    CHECK_OK(put(&s, "file", TR_STR("1")), &s.err);
    path_of(&s, "file/x", path);
    CHECK_INT(tr_file_follow(path, out, &s.err), TR_E_IO);
    CHECK(strstr(s.err.msg, "Not a directory") != NULL);
    end(&s);
}
