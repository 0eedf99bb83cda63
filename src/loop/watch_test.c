#include "loop/watch.h"

#include "base/test.h"
#include "loop/loop.h"
#include "support/folder.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the system says to libuv, which asks it through this; 0: the truth. */
static int refusal;

__attribute__((visibility("default"))) int
inotify_add_watch(int fd, const char *name, uint32_t mask)
{
    if (!refusal)
        return (int)syscall(SYS_inotify_add_watch, fd, name, mask);
    errno = refusal;
    return -1;
}

/* The names that were told, with a space behind each. */
struct told {
    char names[1000];
    struct tr_loop *loop;
    struct folder folder;
};

static void note(const char *name, void *data)
{
    struct told *told = data;
    size_t len = strlen(told->names);
    (void)snprintf(told->names + len, sizeof(told->names) - len, "%s ", name);
}

static void start(struct told *told)
{
    *told = (struct told){0};
    folder_open(&told->folder);
    CHECK_OK(tr_loop_create(NULL, &told->loop, NULL), NULL);
    tr_loop_hold(told->loop);
}

static void end(struct told *told)
{
    tr_loop_release(told->loop);
    tr_loop_run(told->loop); /* a watch that is open does not keep it */
    tr_loop_free(told->loop);
    folder_close(&told->folder);
}

TEST(a_watch_names_what_something_happened_to)
{
    struct told told;
    struct tr_loop_watch *watch = NULL;
    struct tr_err err;
    start(&told);
    CHECK_OK(tr_loop_watch_open(told.loop, told.folder.path, note, &told,
                                &watch, &err),
             &err);
    (void)tr_loop_turn(told.loop);
    CHECK(!told.names[0]);
    folder_write(&told.folder, "one", "text");
    CHECK(rename(folder_path(&told.folder, "one"),
                 folder_path(&told.folder, "two")) == 0);
    (void)tr_loop_turn(told.loop);
    CHECK(strstr(told.names, "one ") && strstr(told.names, "two "));
    tr_loop_watch_close(watch);
    told.names[0] = '\0';
    folder_write(&told.folder, "three", "text");
    (void)tr_loop_turn(told.loop);
    CHECK(!told.names[0]);
    end(&told);
    tr_loop_watch_close(NULL);
}

TEST(a_watch_hears_of_its_folder_by_that_name)
{
    struct told told;
    struct tr_loop_watch *watch = NULL;
    struct tr_err err;
    char moved[80];
    start(&told);
    (void)snprintf(moved, sizeof(moved), "%s-moved", told.folder.path);
    CHECK_OK(tr_loop_watch_open(told.loop, told.folder.path, note, &told,
                                &watch, &err),
             &err);
    CHECK(rename(told.folder.path, moved) == 0);
    (void)tr_loop_turn(told.loop);
    CHECK(strstr(told.names, strrchr(told.folder.path, '/') + 1));
    CHECK(rename(moved, told.folder.path) == 0);
    tr_loop_watch_close(watch);
    end(&told);
}

TEST(a_folder_that_cannot_be_watched_is_an_error_that_says_why)
{
    static const struct {
        int why;
        tr_status status;
    } rows[] = {
        {ENOSPC, TR_E_LIMIT}, {EMFILE, TR_E_LIMIT},      {ENFILE, TR_E_LIMIT},
        {ENOSYS, TR_E_LIMIT}, {ENOENT, TR_E_NOT_FOUND},  {EACCES, TR_E_IO},
        {ENOMEM, TR_E_NOMEM}, {ENOTDIR, TR_E_NOT_FOUND},
    };
    struct told told;
    struct tr_loop_watch *watch = NULL;
    struct tr_err err;
    start(&told);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        refusal = rows[i].why;
        CHECK_ROW(tr_loop_watch_open(told.loop, told.folder.path, note, &told,
                                     &watch, &err) == rows[i].status,
                  strerror(rows[i].why));
        CHECK_ROW(strstr(err.msg, told.folder.path), err.msg);
    }
    refusal = 0;
    CHECK_INT(tr_loop_watch_open(told.loop,
                                 folder_path(&told.folder, "nothing"), note,
                                 &told, &watch, &err),
              TR_E_NOT_FOUND);
    CHECK(!watch);
    end(&told);
}

static tr_status open_and_close(void *context, struct tr_err *err)
{
    struct told *told = context;
    struct tr_loop_watch *watch = NULL;
    TR_TRY(tr_loop_watch_open(told->loop, told->folder.path, note, told, &watch,
                              err));
    tr_loop_watch_close(watch);
    (void)tr_loop_turn(told->loop);
    return TR_OK;
}

TEST(a_watch_without_memory_is_refused)
{
    struct told told;
    start(&told);
    tr_test_sweep(open_and_close, &told);
    end(&told);
}
