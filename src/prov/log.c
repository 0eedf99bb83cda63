#include "prov/log.h"

#include "base/limits.h"
#include "db/writer.h"
#include "loop/timer.h"
#include "prov/pack.h"

#include <stdatomic.h>

#define DELAY_MS    100
#define BLOCK_BYTES TR_KIB(256)

/* Old rows that go with one write, besides as many as it brings. */
#define TRIM_ROWS 1000

/* How often a log in a hurry asks a store that does not take it. */
#define LAST_TRIES 20

_Static_assert(BLOCK_BYTES >= 2 * TR_PROV_PACKED_MAX,
               "a block has room for any activity");

/* Activities that are written together. */
struct block {
    struct tr_write write; /* first: the writer gives it back */
    struct tr_prov_log *log;
    struct block *next;
    uint64_t due_ms; /* on the loop's clock */
    int64_t now_us;  /* when it was given to the writer */
    size_t len;
    size_t count;
    unsigned char bytes[BLOCK_BYTES];
};

struct tr_prov_log {
    struct tr_prov_log_opts opts;
    struct tr_timer timer;
    struct block *first; /* the oldest */
    struct block *last;
    struct block *spare; /* one, so that a steady log needs no memory */
    size_t blocks;       /* from first to last */
    bool is_writing;     /* the writer has the first */
    bool is_losing;      /* `losing` has been told */
    bool is_hurried;     /* the loop is to end */
    bool is_closing;
    unsigned tries;    /* that failed, one after the other */
    struct tr_err why; /* the last of them */
    _Atomic uint64_t lost;
    void (*done)(void *data);
    void *done_data;
};

static void on_timer(void *data);

tr_status tr_prov_log_create(const struct tr_prov_log_opts *opts,
                             struct tr_prov_log **out, struct tr_err *err)
{
    struct tr_prov_log *log = calloc(1, sizeof(*log));
    if (!log)
        return tr_fail(err, TR_E_NOMEM, "no memory for a log of provenance");
    log->opts = *opts;
    if (!opts->delay_ms)
        log->opts.delay_ms = DELAY_MS;
    if (!opts->max_bytes)
        log->opts.max_bytes = TR_LIMIT_PROV_WAITING;
    tr_timer_init(&log->timer, opts->loop, on_timer, log);
    *out = log;
    return TR_OK;
}

uint64_t tr_prov_log_lost(const struct tr_prov_log *log)
{
    return atomic_load_explicit(&log->lost, memory_order_relaxed);
}

static void lose(struct tr_prov_log *log, size_t count)
{
    (void)atomic_fetch_add_explicit(&log->lost, count, memory_order_relaxed);
    if (!log->is_losing && log->opts.losing)
        log->opts.losing(log->opts.data, &log->why);
    log->is_losing = true;
}

static struct block *pop(struct tr_prov_log *log)
{
    struct block *block = log->first;
    log->first = block->next;
    if (!log->first)
        log->last = NULL;
    log->blocks--;
    return block;
}

static void recycle(struct tr_prov_log *log, struct block *block)
{
    if (log->spare)
        free(block);
    else
        log->spare = block;
}

/* The oldest that the writer does not have makes room, if there is one. */
static void drop_oldest(struct tr_prov_log *log)
{
    struct block *writing = log->is_writing ? pop(log) : NULL;
    if (log->first) {
        struct block *oldest = pop(log);
        lose(log, oldest->count);
        recycle(log, oldest);
    }
    if (!writing)
        return;
    writing->next = log->first;
    log->first = writing;
    if (!log->last)
        log->last = writing;
    log->blocks++;
}

/* NULL when there is no memory. */
static struct block *push(struct tr_prov_log *log)
{
    if ((log->blocks + 1) * BLOCK_BYTES > log->opts.max_bytes) {
        if (log->tries == 0)
            (void)tr_fail(&log->why, TR_E_LIMIT, "the store does not keep up");
        drop_oldest(log);
    }
    struct block *block = log->spare;
    log->spare = NULL;
    if (!block)
        block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->log = log;
    block->next = NULL;
    block->due_ms = tr_loop_now_ms(log->opts.loop) + log->opts.delay_ms;
    block->len = block->count = 0;
    if (log->last)
        log->last->next = block;
    else
        log->first = block;
    log->last = block;
    log->blocks++;
    return block;
}

/* On the writer's thread: the block is not ours, and of the log only what
 * never changes is looked at. */
static tr_status write_block(const struct block *block, struct tr_db *db,
                             struct tr_err *err)
{
    const struct tr_prov_log_opts *opts = &block->log->opts;
    TR_TRY(tr_prov_write_reads(opts->names, db, block->bytes, block->len, err));
    return tr_prov_trim(db, &opts->keep, block->now_us,
                        TRIM_ROWS + (int64_t)block->count, err);
}

static tr_status run(struct tr_write *write, struct tr_db *db,
                     struct tr_err *err)
{
    const struct block *block = (const struct block *)(const void *)write;
    tr_status status = write_block(block, db, err);
    if (status != TR_OK) /* the names that it has added go with it */
        tr_prov_writer_forget(block->log->opts.names);
    return status;
}

static void finish(struct tr_prov_log *log)
{
    void (*done)(void *) = log->done;
    void *data = log->done_data;
    tr_timer_stop(&log->timer);
    free(log->spare);
    free(log);
    done(data);
}

static void flush(struct tr_prov_log *log);

/* They are kept for the next try, unless the log has tried enough. */
static void note_failure(struct tr_prov_log *log, const struct tr_err *err)
{
    log->why = *err;
    log->tries++;
    while (log->is_hurried && log->tries >= LAST_TRIES && log->first)
        drop_oldest(log);
    if (!log->first)
        log->tries = 0; /* what comes next is tried again */
    if (log->first)
        tr_timer_start(&log->timer, log->opts.delay_ms, 0);
    else if (log->is_closing)
        finish(log);
}

/* A block that is full, or late, does not wait. */
static void go_on(struct tr_prov_log *log)
{
    uint64_t now = tr_loop_now_ms(log->opts.loop);
    if (log->first->next || log->is_hurried || now >= log->first->due_ms)
        flush(log);
    else
        tr_timer_start(&log->timer, log->first->due_ms - now, 0);
}

static void written(struct tr_write *write)
{
    struct block *block = (struct block *)(void *)write;
    struct tr_prov_log *log = block->log;
    log->is_writing = false;
    tr_loop_release(log->opts.loop);
    if (write->status != TR_OK) {
        note_failure(log, &write->err);
        return;
    }
    log->tries = 0;
    log->is_losing = false;
    recycle(log, pop(log));
    if (log->first)
        go_on(log);
    else if (log->is_closing)
        finish(log);
}

static void flush(struct tr_prov_log *log)
{
    struct block *block = log->first;
    struct tr_err err = {0};
    tr_time now = tr_loop_wall(log->opts.loop);
    tr_timer_stop(&log->timer);
    block->now_us = now.seconds * 1000000 + now.nanos / 1000;
    block->write = (struct tr_write){
        .run = run,
        .done = written,
        .loop = log->opts.loop,
    };
    if (tr_writer_submit(log->opts.writer, &block->write, &err) != TR_OK) {
        note_failure(log, &err);
        return;
    }
    log->is_writing = true;
    tr_loop_hold(log->opts.loop);
}

static void on_timer(void *data)
{
    struct tr_prov_log *log = data;
    if (log->first && !log->is_writing)
        flush(log);
}

static bool has_room(const struct tr_prov_log *log,
                     const struct tr_activity *activity)
{
    const struct block *block = log->last;
    bool is_ours = block && !(log->is_writing && block == log->first);
    return is_ours && BLOCK_BYTES - block->len >= tr_prov_pack_max(activity);
}

void tr_prov_log_add(struct tr_prov_log *log,
                     const struct tr_activity *activity)
{
    struct block *block = log->last;
    if (!has_room(log, activity)) {
        block = push(log);
        if (!block) {
            (void)tr_fail(&log->why, TR_E_NOMEM, "no memory for provenance");
            lose(log, 1);
            return;
        }
    }
    block->len += tr_prov_pack(activity, block->bytes + block->len);
    block->count++;
    bool is_waiting = log->is_writing || log->tries > 0;
    if (!is_waiting && (log->first->next || !log->timer.active))
        go_on(log);
}

/* What is being written goes on with the rest when it has ended. */
void tr_prov_log_hurry(struct tr_prov_log *log)
{
    log->is_hurried = true;
    log->tries = 0;
    if (log->first && !log->is_writing)
        flush(log);
}

void tr_prov_log_close(struct tr_prov_log *log, void (*done)(void *data),
                       void *data)
{
    bool is_empty = !log->first;
    log->done = done;
    log->done_data = data;
    log->is_closing = true;
    if (is_empty)
        finish(log);
    else
        tr_prov_log_hurry(log);
}
