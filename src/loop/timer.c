#include "loop/timer.h"

#include "loop/inside.h"

/*
 * A pairing heap: starting is one comparison, stopping needs no search, and the
 * timers themselves are its nodes.
 */
static bool is_before(const struct tr_loop_timer *a,
                      const struct tr_loop_timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

/* Both are roots; the later one becomes the first child of the earlier. */
static struct tr_loop_timer *meld(struct tr_loop_timer *a,
                                  struct tr_loop_timer *b)
{
    if (!a || !b)
        return a ? a : b;
    if (is_before(b, a)) {
        struct tr_loop_timer *swap = a;
        a = b;
        b = swap;
    }
    b->prev = a;
    b->next = a->child;
    if (b->next)
        b->next->prev = b;
    a->child = b;
    return a;
}

/* Melds siblings in pairs from the left, then all pairs from the right. */
static struct tr_loop_timer *meld_siblings(struct tr_loop_timer *first)
{
    struct tr_loop_timer *pairs = NULL;
    while (first) {
        struct tr_loop_timer *a = first;
        struct tr_loop_timer *b = a->next;
        first = b ? b->next : NULL;
        a->next = a->prev = NULL;
        if (b)
            b->next = b->prev = NULL;
        struct tr_loop_timer *pair = meld(a, b);
        pair->next = pairs;
        pairs = pair;
    }
    struct tr_loop_timer *root = NULL;
    while (pairs) {
        struct tr_loop_timer *next = pairs->next;
        pairs->next = NULL;
        root = meld(root, pairs);
        pairs = next;
    }
    return root;
}

static void add(struct tr_loop *loop, struct tr_loop_timer *timer)
{
    timer->child = timer->next = timer->prev = NULL;
    timer->active = true;
    loop->timers = meld(loop->timers, timer);
}

static void take_out(struct tr_loop *loop, struct tr_loop_timer *timer)
{
    struct tr_loop_timer *children = meld_siblings(timer->child);
    timer->child = NULL;
    timer->active = false;
    if (loop->timers == timer) {
        loop->timers = children;
        return;
    }
    if (timer->prev->child == timer)
        timer->prev->child = timer->next;
    else
        timer->prev->next = timer->next;
    if (timer->next)
        timer->next->prev = timer->prev;
    timer->next = timer->prev = NULL;
    loop->timers = meld(loop->timers, children);
}

void tr_loop_timer_init(struct tr_loop_timer *timer, struct tr_loop *loop,
                        tr_loop_timer_fn *fn, void *data)
{
    *timer = (struct tr_loop_timer){.loop = loop, .fn = fn, .data = data};
}

void tr_loop_timer_start(struct tr_loop_timer *timer, uint64_t delay_ms,
                         uint64_t period_ms)
{
    struct tr_loop *loop = timer->loop;
    const struct tr_loop_timer *first = loop->timers;
    if (timer->active)
        take_out(loop, timer);
    timer->due_ms = tr_loop_now_ms(loop) + delay_ms;
    timer->period_ms = period_ms;
    timer->order = loop->timer_order++;
    add(loop, timer);
    if (first != loop->timers || first == timer)
        tr_loop_timers_arm(loop);
}

void tr_loop_timer_stop(struct tr_loop_timer *timer)
{
    if (!timer->active)
        return;
    bool was_first = timer->loop->timers == timer;
    take_out(timer->loop, timer);
    if (was_first)
        tr_loop_timers_arm(timer->loop);
}

/* A repeating timer is set again before its call, which may stop it. */
static void fire(struct tr_loop *loop, struct tr_loop_timer *timer)
{
    take_out(loop, timer);
    if (timer->period_ms) {
        uint64_t now_ms = tr_loop_now_ms(loop);
        timer->due_ms += timer->period_ms;
        if (timer->due_ms <= now_ms)
            timer->due_ms = now_ms + timer->period_ms;
        timer->order = loop->timer_order++;
        add(loop, timer);
    }
    timer->fn(timer->data);
}

void tr_loop_timers_fire(struct tr_loop *loop, uint64_t until_ms)
{
    /* A timer that a call starts with no delay waits for the next turn. */
    uint64_t started = loop->timer_order;
    while (loop->timers && loop->timers->due_ms <= until_ms) {
        struct tr_loop_timer *first = loop->timers;
        if (!loop->has_test_clock && first->order >= started)
            break;
        if (loop->has_test_clock && first->due_ms > loop->test_now_ms)
            loop->test_now_ms = first->due_ms;
        fire(loop, first);
    }
    tr_loop_timers_arm(loop);
}

void tr_loop_tick_init(struct tr_loop_tick *tick, tr_loop_timer_fn *fn,
                       void *data)
{
    *tick = (struct tr_loop_tick){.fn = fn, .data = data};
}

void tr_loop_tick_add(struct tr_loop_tick *tick, struct tr_loop *loop)
{
    if (tick->link)
        return;
    tick->next = loop->ticks;
    tick->link = &loop->ticks;
    if (tick->next)
        tick->next->link = &tick->next;
    loop->ticks = tick;
}

void tr_loop_tick_remove(struct tr_loop_tick *tick)
{
    if (!tick->link)
        return;
    *tick->link = tick->next;
    if (tick->next)
        tick->next->link = tick->link;
    tick->link = NULL;
}

/* Ticks that a tick adds are run too: none may wait while the loop sleeps. */
void tr_loop_ticks_run(struct tr_loop *loop)
{
    while (loop->ticks) {
        struct tr_loop_tick *tick = loop->ticks;
        tr_loop_tick_remove(tick);
        tick->fn(tick->data);
    }
}
