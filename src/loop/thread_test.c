#include "loop/thread.h"

#include "base/test.h"

#include <signal.h>

static void *look(void *data)
{
    (void)pthread_sigmask(SIG_BLOCK, NULL, data);
    return NULL;
}

static void check_heard(const sigset_t *mask, bool are_heard)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < TR_LEN(signals); i++)
        CHECK_INT(sigismember(mask, signals[i]), are_heard ? 0 : 1);
}

TEST(thread_hears_no_signals_and_its_starter_goes_on_to)
{
    struct tr_err err = {0};
    sigset_t theirs;
    sigset_t ours;
    pthread_t thread;
    CHECK_OK(tr_loop_thread_start(&thread, look, &theirs, &err), &err);
    CHECK_INT(pthread_join(thread, NULL), 0);
    (void)look(&ours);
    check_heard(&theirs, false);
    check_heard(&ours, true);
    CHECK_INT(sigismember(&theirs, SIGSEGV), 0);
}

TEST(thread_can_stop_to_hear_them)
{
    sigset_t before;
    sigset_t ours;
    (void)look(&before);
    tr_loop_thread_ignore_signals();
    (void)look(&ours);
    check_heard(&ours, false);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}
