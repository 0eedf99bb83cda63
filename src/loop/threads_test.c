/* What threads do to a loop; also built and run with ThreadSanitizer. */
#include "base/test.h"
#include "loop/loop.h"
#include "loop/thread.h"

#include <pthread.h>
#include <unistd.h>

#define SENDERS 4
#define POSTS   2000

struct inbox {
    struct tr_loop *loop;
    unsigned next[SENDERS]; /* the number expected from each sender */
    unsigned total;
};

struct sender {
    pthread_t thread;
    struct inbox *inbox;
    unsigned number;
};

struct letter {
    struct inbox *inbox;
    unsigned sender;
    unsigned number;
};

static void on_letter(void *data)
{
    struct letter *letter = data;
    struct inbox *inbox = letter->inbox;
    CHECK_INT(letter->number, inbox->next[letter->sender]);
    inbox->next[letter->sender]++;
    inbox->total++;
    free(letter);
    if (inbox->total == SENDERS * POSTS)
        tr_loop_release(inbox->loop);
}

static void *send_letters(void *data)
{
    struct sender *sender = data;
    for (unsigned i = 0; i < POSTS; i++) {
        struct letter *letter = calloc(1, sizeof(*letter));
        *letter = (struct letter){sender->inbox, sender->number, i};
        while (tr_loop_post(sender->inbox->loop, on_letter, letter, NULL) !=
               TR_OK)
            (void)sched_yield(); /* full: the loop has to catch up */
    }
    return NULL;
}

TEST(posts_from_many_threads_arrive_each_in_order)
{
    struct inbox inbox = {0};
    struct sender senders[SENDERS];
    const struct tr_loop_opts opts = {.inbox_count = 100};
    CHECK_OK(tr_loop_create(&opts, &inbox.loop, NULL), NULL);
    tr_loop_hold(inbox.loop);
    for (unsigned i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.inbox = &inbox, .number = i};
        CHECK(pthread_create(&senders[i].thread, NULL, send_letters,
                             &senders[i]) == 0);
    }
    tr_loop_run(inbox.loop);
    CHECK_INT(inbox.total, SENDERS * POSTS);
    for (unsigned i = 0; i < SENDERS; i++)
        (void)pthread_join(senders[i].thread, NULL);
    tr_loop_free(inbox.loop);
}

static void *stop_it(void *data)
{
    tr_loop_stop(data);
    return NULL;
}

TEST(a_loop_is_stopped_by_another_thread)
{
    struct tr_loop *loop = NULL;
    pthread_t thread;
    CHECK_OK(tr_loop_create(NULL, &loop, NULL), NULL);
    tr_loop_hold(loop);
    CHECK(pthread_create(&thread, NULL, stop_it, loop) == 0);
    tr_loop_run(loop);
    (void)pthread_join(thread, NULL);
    tr_loop_release(loop);
    tr_loop_free(loop);
}
