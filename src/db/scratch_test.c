#include "base/test.h"
#include "db/db.h"
#include "support/folder.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many files are in the folder. */
static size_t count_files(const struct folder *folder)
{
    DIR *entries = opendir(folder_path(folder, ""));
    size_t count = 0;
    const struct dirent *entry;
    CHECK(entries);
    while ((entry = readdir(entries)))
        count += entry->d_name[0] != '.';
    (void)closedir(entries);
    return count;
}

/* Another process that has a scratch file and its companion, and waits. */
static pid_t start_work(const char *store)
{
    int ready[2];
    char byte = 0;
    CHECK(pipe(ready) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct tr_db_scratch scratch;
        struct tr_db *db = NULL;
        if (tr_db_scratch_open(&scratch, store, NULL) != TR_OK ||
            tr_db_open(scratch.path, NULL, &db, NULL) != TR_OK ||
            tr_db_exec(db, "CREATE TABLE a (b)", NULL) != TR_OK ||
            write(ready[1], &byte, 1) != 1)
            _exit(1);
        for (;;)
            (void)pause();
    }
    CHECK(pid > 0 && read(ready[0], &byte, 1) == 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    return pid;
}

TEST(a_scratch_file_of_a_process_that_was_killed_is_removed)
{
    struct folder folder;
    char store[256];
    folder_open(&folder);
    folder_write(&folder, "graph.db", "a");
    (void)snprintf(store, sizeof(store), "%s",
                   folder_path(&folder, "graph.db"));
    for (int i = 0; i < 3; i++) {
        pid_t pid = start_work(store);
        CHECK_INT(count_files(&folder), 4);
        tr_db_scratch_sweep(store);
        CHECK_INT(count_files(&folder), 4); /* it is in use */
        CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
        CHECK_INT(count_files(&folder), 4);
        tr_db_scratch_sweep(store);
        CHECK_INT(count_files(&folder), 1);
    }
    folder_close(&folder);
}

TEST(a_scratch_file_is_removed_when_it_is_closed)
{
    struct folder folder;
    struct tr_db_scratch scratch;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(tr_db_scratch_open(&scratch, folder_path(&folder, "a.db"), &err),
             &err);
    CHECK_OK(tr_db_open(scratch.path, NULL, &db, &err), &err);
    tr_db_close(db);
    CHECK_INT(count_files(&folder), 1);
    tr_db_scratch_close(&scratch);
    CHECK_INT(count_files(&folder), 0);
    CHECK_INT(tr_db_scratch_open(&scratch, "/no/such/folder/a.db", &err),
              TR_E_IO);
    folder_close(&folder);
}
