#include "runtime/process_turn.h"

#include "base/test.h"
#include "support/folder.h"

#include <fcntl.h>
#include <unistd.h>

/* Two processes have a file open each; here one has it open twice. */
struct files {
    struct folder folder;
    int files[2];
};

static void open_files(struct files *f)
{
    folder_open(&f->folder);
    for (size_t i = 0; i < 2; i++) {
        f->files[i] = open(folder_path(&f->folder, "shared"),
                           O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        CHECK(f->files[i] >= 0);
    }
}

static void close_files(struct files *f)
{
    for (size_t i = 0; i < 2; i++)
        (void)close(f->files[i]);
    folder_close(&f->folder);
}

static struct tr_call_process_turn want(uint64_t a, uint64_t b)
{
    struct tr_call_process_turn turn = {0};
    struct tr_graph_race race = {0};
    tr_graph_race_add(&race, a, 0);
    tr_graph_race_add(&race, b, 0);
    tr_call_process_turn_want(&turn, &race);
    return turn;
}

TEST(process_turn_is_one_process_at_a_time)
{
    struct files f;
    struct tr_call_process_turn a = want(1, 1);
    struct tr_call_process_turn b = want(1, 1);
    struct tr_call_process_turn other = want(2, 3);
    open_files(&f);
    CHECK(tr_call_process_turn_take(&a, f.files[0]));
    CHECK(!tr_call_process_turn_take(&b, f.files[1]));
    CHECK(tr_call_process_turn_take(&other, f.files[1]));
    tr_call_process_turn_leave(&a, f.files[0]);
    CHECK(tr_call_process_turn_take(&b, f.files[1]));
    tr_call_process_turn_leave(&b, f.files[1]);
    tr_call_process_turn_leave(&other, f.files[1]);
    close_files(&f);
}

/* A process that has many who want it does not keep the other one out. */
TEST(process_turn_is_for_who_asked_first)
{
    struct files f;
    struct tr_call_process_turn a = want(1, 1);
    struct tr_call_process_turn again = want(1, 1);
    struct tr_call_process_turn b = want(1, 1);
    open_files(&f);
    CHECK(tr_call_process_turn_take(&a, f.files[0]));
    CHECK(!tr_call_process_turn_take(&b, f.files[1]));
    tr_call_process_turn_leave(&a, f.files[0]);
    CHECK(!tr_call_process_turn_take(&again, f.files[0]));
    CHECK(tr_call_process_turn_take(&b, f.files[1]));
    tr_call_process_turn_leave(&b, f.files[1]);
    CHECK(tr_call_process_turn_take(&again, f.files[0]));
    tr_call_process_turn_leave(&again, f.files[0]);
    close_files(&f);
}

/* Of several, all or none are taken. */
TEST(process_turn_holds_nothing_while_it_waits)
{
    struct files f;
    struct tr_call_process_turn two = want(7, 5);
    struct tr_call_process_turn seven = want(7, 7);
    struct tr_call_process_turn five = want(5, 5);
    open_files(&f);
    CHECK(tr_call_process_turn_take(&seven, f.files[0]));
    CHECK(!tr_call_process_turn_take(&two, f.files[1]));
    tr_call_process_turn_leave(&two, f.files[1]);
    CHECK(tr_call_process_turn_take(&five, f.files[0]));
    tr_call_process_turn_leave(&five, f.files[0]);
    tr_call_process_turn_leave(&seven, f.files[0]);
    CHECK(tr_call_process_turn_take(&two, f.files[1]));
    tr_call_process_turn_leave(&two, f.files[1]);
    close_files(&f);
}

/* The kernel gives back what a process had. */
TEST(process_turn_ends_with_its_process)
{
    struct files f;
    struct tr_call_process_turn a = want(1, 2);
    struct tr_call_process_turn b = want(1, 2);
    open_files(&f);
    CHECK(tr_call_process_turn_take(&a, f.files[0]));
    CHECK(!tr_call_process_turn_take(&b, f.files[1]));
    (void)close(f.files[0]);
    CHECK(tr_call_process_turn_take(&b, f.files[1]));
    f.files[0] = open(folder_path(&f.folder, "shared"), O_RDWR | O_CLOEXEC);
    close_files(&f);
}
