#include "loop/thread.h"

static void block(sigset_t *before)
{
    static const int heard[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < TR_LEN(heard); i++)
        (void)sigaddset(&set, heard[i]);
    (void)pthread_sigmask(SIG_BLOCK, &set, before);
}

/* A thread begins with the mask of the one that starts it. */
tr_status tr_loop_thread_start(pthread_t *out, void *(*work)(void *),
                               void *data, struct tr_err *err)
{
    sigset_t before;
    block(&before);
    int rc = pthread_create(out, NULL, work, data);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0 ? TR_OK
                   : tr_fail(err, TR_E_LIMIT, "cannot start a thread: %s",
                             strerror(rc));
}

void tr_loop_thread_ignore_signals(void)
{
    block(NULL);
}

void tr_loop_thread_hold_signals(sigset_t *before)
{
    block(before);
}

void tr_loop_thread_free_signals(const sigset_t *before)
{
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool tr_loop_thread_is_told_to_end(void)
{
    sigset_t waiting;
    return sigpending(&waiting) == 0 && (sigismember(&waiting, SIGTERM) == 1 ||
                                         sigismember(&waiting, SIGINT) == 1);
}
