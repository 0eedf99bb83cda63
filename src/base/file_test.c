#include "base/file.h"

#include "base/limits.h"
#include "base/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES 1000

static const struct tr_file_folder tmp = {.path = "/tmp"};

/* A file of `len` bytes that is gone when the test has ended. */
struct scratch {
    char path[64];
    struct tr_arena arena;
    struct tr_err err;
    tr_str text;
};

static void start(struct scratch *scratch, size_t len)
{
    *scratch = (struct scratch){.path = "/tmp/trails-file-test-XXXXXX"};
    tr_arena_init(&scratch->arena, (size_t)1024 * 1024);
    int fd = mkstemp(scratch->path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    CHECK(file != NULL);
    for (size_t i = 0; i < len; i++)
        (void)fputc((int)(i % 251), file);
    CHECK(fclose(file) == 0);
}

static void end(struct scratch *scratch)
{
    (void)unlink(scratch->path);
    tr_arena_done(&scratch->arena);
}

static tr_status read_scratch(struct scratch *scratch, size_t max_bytes)
{
    return tr_file_read(&scratch->arena, scratch->path, max_bytes,
                        &scratch->text, &scratch->err);
}

TEST(file_read_gives_files_up_to_the_maximum_whole)
{
    static const size_t lengths[] = {0, 1, 999, 1000};
    for (size_t i = 0; i < TR_LEN(lengths); i++) {
        struct scratch scratch;
        start(&scratch, lengths[i]);
        CHECK_OK(read_scratch(&scratch, MAX_BYTES), &scratch.err);
        CHECK_INT(scratch.text.len, lengths[i]);
        for (size_t j = 0; j < lengths[i]; j++)
            CHECK((unsigned char)scratch.text.ptr[j] == j % 251);
        end(&scratch);
    }
}

TEST(file_read_takes_many_steps_for_a_large_file)
{
    struct scratch scratch;
    start(&scratch, 100000);
    CHECK_OK(read_scratch(&scratch, 200000), &scratch.err);
    CHECK_INT(scratch.text.len, 100000);
    CHECK((unsigned char)scratch.text.ptr[99999] == 99999 % 251);
    end(&scratch);
}

TEST(file_read_refuses_a_file_one_byte_too_long)
{
    struct scratch scratch;
    char msg[128];
    start(&scratch, MAX_BYTES + 1);
    CHECK_INT(read_scratch(&scratch, MAX_BYTES), TR_E_LIMIT);
    (void)snprintf(msg, sizeof(msg), "%s is larger than 1000 bytes",
                   scratch.path);
    CHECK_STR(tr_str_from(scratch.err.msg), msg);
    end(&scratch);
}

TEST(file_read_says_that_a_file_is_not_there)
{
    struct scratch scratch;
    start(&scratch, 0);
    (void)unlink(scratch.path);
    CHECK_INT(read_scratch(&scratch, MAX_BYTES), TR_E_NOT_FOUND);
    CHECK(strstr(scratch.err.msg, scratch.path) != NULL);
    end(&scratch);
}

TEST(file_read_says_that_a_path_cannot_be_opened)
{
    struct scratch scratch;
    start(&scratch, 0);
    (void)snprintf(strchr(scratch.path, '\0'), 3, "/x");
    CHECK_INT(read_scratch(&scratch, MAX_BYTES), TR_E_IO);
    CHECK(strstr(scratch.err.msg, "cannot open") != NULL);
    *strrchr(scratch.path, '/') = '\0';
    end(&scratch);
}

TEST(file_read_says_that_a_folder_cannot_be_read)
{
    struct scratch scratch;
    start(&scratch, 0);
    (void)unlink(scratch.path);
    CHECK(mkdir(scratch.path, 0700) == 0);
    CHECK_INT(read_scratch(&scratch, MAX_BYTES), TR_E_IO);
    CHECK(strstr(scratch.err.msg, "cannot read") != NULL);
    (void)rmdir(scratch.path);
    end(&scratch);
}

TEST(file_read_takes_a_dash_for_standard_input)
{
    int ends[2];
    struct scratch scratch;
    start(&scratch, 0);
    int saved = dup(STDIN_FILENO);
    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) >= 0);
    CHECK(write(ends[1], "piped", 5) == 5);
    (void)close(ends[1]);
    CHECK_OK(tr_file_read(&scratch.arena, "-", MAX_BYTES, &scratch.text,
                          &scratch.err),
             &scratch.err);
    CHECK_STR(scratch.text, "piped");
    if (saved >= 0)
        (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
    (void)close(ends[0]);
    end(&scratch);
}

static tr_status read_again(void *context, struct tr_err *err)
{
    struct scratch *scratch = context;
    tr_arena_done(&scratch->arena);
    return tr_file_read(&scratch->arena, scratch->path, 100000, &scratch->text,
                        err);
}

TEST(file_read_tells_when_there_is_no_memory)
{
    struct scratch scratch;
    start(&scratch, 50000);
    tr_test_sweep(read_again, &scratch);
    end(&scratch);
}

/* The scratch file stands in /tmp, and the last part of its path is a name. */
TEST(file_read_below_stays_below_its_folder)
{
    struct scratch scratch;
    const struct tr_file_folder slashed = {.path = "/tmp/"};
    char link[80];
    start(&scratch, 10);
    const char *name = strrchr(scratch.path, '/') + 1;
    CHECK_OK(tr_file_read_below(&scratch.arena, &slashed, name, MAX_BYTES,
                                &scratch.text, &scratch.err),
             &scratch.err);
    CHECK_INT(scratch.text.len, 10);
    const char *const leaving[] = {"../etc/hosts", scratch.path, "..", ".", ""};
    for (size_t i = 0; i < TR_LEN(leaving); i++)
        CHECK_ROW(tr_file_read_below(&scratch.arena, &tmp, leaving[i],
                                     MAX_BYTES, &scratch.text,
                                     &scratch.err) == TR_E_INVALID,
                  leaving[i]);
    (void)snprintf(link, sizeof(link), "%s-link", scratch.path);
    CHECK(symlink("/etc/hosts", link) == 0);
    tr_status st = tr_file_read_below(&scratch.arena, &tmp, link + 5, MAX_BYTES,
                                      &scratch.text, &scratch.err);
    (void)unlink(link);
    CHECK_INT(st, TR_E_INVALID);
    end(&scratch);
}

TEST(file_read_below_says_that_a_file_is_not_there)
{
    struct scratch scratch;
    start(&scratch, 0);
    (void)unlink(scratch.path);
    CHECK_INT(tr_file_read_below(&scratch.arena, &tmp, scratch.path + 5,
                                 MAX_BYTES, &scratch.text, &scratch.err),
              TR_E_NOT_FOUND);
    end(&scratch);
}

struct heard {
    unsigned count;
    char path[64];
    tr_status status;
    char text[8];
};

static void hear(void *data, const char *path, tr_status status, tr_str text)
{
    struct heard *heard = data;
    heard->count++;
    heard->status = status;
    (void)snprintf(heard->path, sizeof(heard->path), "%s", path);
    (void)snprintf(heard->text, sizeof(heard->text), "%.*s", TR_FMT(text));
}

TEST(file_read_below_tells_of_each_file_that_is_asked_for)
{
    struct scratch scratch;
    struct heard heard = {0};
    const struct tr_file_folder folder = {"/tmp", hear, &heard, NULL, 0};
    start(&scratch, 0);
    FILE *file = fopen(scratch.path, "w");
    CHECK(file && fputs("text", file) >= 0 && fclose(file) == 0);
    CHECK_OK(tr_file_read_below(&scratch.arena, &folder, scratch.path + 5,
                                MAX_BYTES, &scratch.text, &scratch.err),
             &scratch.err);
    CHECK(heard.count == 1 && heard.status == TR_OK);
    CHECK(strcmp(heard.path, scratch.path + 5) == 0);
    CHECK(strcmp(heard.text, "text") == 0);
    (void)unlink(scratch.path);
    CHECK_INT(tr_file_read_below(&scratch.arena, &folder, scratch.path + 5,
                                 MAX_BYTES, &scratch.text, &scratch.err),
              TR_E_NOT_FOUND);
    CHECK(heard.count == 2 && heard.status == TR_E_NOT_FOUND);
    CHECK(strcmp(heard.path, scratch.path + 5) == 0 && !heard.text[0]);
    end(&scratch);
}

TEST(file_read_below_refuses_a_path_that_is_too_long)
{
    struct scratch scratch;
    static char path[TR_LIMIT_PATH_BYTES + 1];
    memset(path, 'x', sizeof(path) - 1);
    start(&scratch, 0);
    CHECK_INT(tr_file_read_below(&scratch.arena, &tmp, path, MAX_BYTES,
                                 &scratch.text, &scratch.err),
              TR_E_INVALID);
    end(&scratch);
}

TEST(file_write_all_writes_more_than_a_pipe_takes_at_once)
{
    static char bytes[200000];
    size_t len = 0;
    int ends[2];
    CHECK(pipe(ends) == 0);
    memset(bytes, 'x', sizeof(bytes));
    pid_t writer = fork();
    if (writer == 0) {
        tr_status status = tr_file_write_all(
            ends[1], NULL, (tr_str){bytes, sizeof(bytes)}, NULL);
        _exit(status == TR_OK ? 0 : 1);
    }
    (void)close(ends[1]);
    for (ssize_t got = 1; got > 0; len += (size_t)got)
        got = read(ends[0], bytes, sizeof(bytes));
    int ended = 1;
    CHECK(waitpid(writer, &ended, 0) == writer && ended == 0);
    CHECK_INT(len, sizeof(bytes));
    (void)close(ends[0]);
}

TEST(file_write_all_names_the_file_that_cannot_be_written)
{
    struct tr_err err;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    CHECK(full >= 0);
    CHECK_INT(tr_file_write_all(full, "/dev/full", TR_STR("x"), &err), TR_E_IO);
    CHECK_STR(tr_str_from(err.msg),
              "cannot write /dev/full: No space left on device");
    CHECK_INT(tr_file_write_all(full, NULL, TR_STR("x"), &err), TR_E_IO);
    CHECK_STR(tr_str_from(err.msg), "cannot write: No space left on device");
    CHECK_OK(tr_file_write_all(full, NULL, TR_STR(""), &err), &err);
    (void)close(full);
}
