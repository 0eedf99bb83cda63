#include "prov/log.h"

#include "base/limits.h"
#include "db/writer.h"
#include "loop/timer.h"
#include "prov/pack.h"

#include <stdatomic.h>

#define DELAY_MS    100
#define BLOCK_BYTES TR_KIB(256)

/* Blocks that are written at once: some milliseconds of work. */
#define WRITE_BLOCKS 4

/* Old rows that one write deletes, besides as many as it adds. */
#define TRIM_ROWS 1000

/* How often a log that is hurried tries a store that fails. */
#define LAST_TRIES 20

_Static_assert(BLOCK_BYTES >= 2 * TR_PROV_PACKED_MAX,
               "a block has room for any activity");

/* Activities, packed one behind the other. */
struct block {
    struct block *next;
    uint64_t due_ms; /* on the loop's clock */
    size_t len;
    size_t count;
    unsigned char bytes[BLOCK_BYTES];
};

struct tr_prov_log {
    struct tr_db_write write; /* first: run and done get a pointer to it */
    struct tr_prov_log_opts opts;
    struct block *writing; /* those that the writer has, the oldest first */
    int64_t now_us;        /* when it got them */
    struct tr_loop_timer timer;
    struct block *first; /* the oldest that waits */
    struct block *last;
    struct block *spare; /* one, so that a steady log needs no memory */
    size_t blocks;       /* that wait, or that the writer has */
    struct tr_prov_log_wait *waiting;  /* for blocks that wait */
    struct tr_prov_log_wait *settling; /* for those that the writer has */
    bool is_losing;                    /* `losing` was called */
    bool is_hurried;                   /* the loop is to end */
    bool is_closing;
    unsigned tries;    /* writes that failed, one after the other */
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
    tr_loop_timer_init(&log->timer, opts->loop, on_timer, log);
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

static void recycle(struct tr_prov_log *log, struct block *block)
{
    log->blocks--;
    if (log->spare)
        free(block);
    else
        log->spare = block;
}

/* Blocks that the writer has are not lost yet: they stay. */
static void drop_oldest(struct tr_prov_log *log)
{
    struct block *oldest = log->first;
    if (!oldest)
        return;
    log->first = oldest->next;
    if (!log->first)
        log->last = NULL;
    lose(log, oldest->count);
    recycle(log, oldest);
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

static tr_status write_blocks(const struct tr_prov_log *log, struct tr_db *db,
                              struct tr_err *err)
{
    int64_t count = 0;
    for (const struct block *b = log->writing; b; b = b->next) {
        TR_TRY(tr_prov_write_reads(log->opts.names, db, b->bytes, b->len, err));
        count += (int64_t)b->count;
    }
    return tr_prov_trim(db, &log->opts.keep, log->now_us, TRIM_ROWS + count,
                        err);
}

/* Runs on the writer's thread, and reads only members that the loop does not
 * touch meanwhile. */
static tr_status run(struct tr_db_write *write, struct tr_db *db,
                     struct tr_err *err)
{
    const struct tr_prov_log *log =
        (const struct tr_prov_log *)(const void *)write;
    tr_status status = write_blocks(log, db, err);
    if (status != TR_OK) /* the names that it has added are undone too */
        tr_prov_writer_forget(log->opts.names);
    return status;
}

static void finish(struct tr_prov_log *log)
{
    void (*done)(void *) = log->done;
    void *data = log->done_data;
    tr_loop_timer_stop(&log->timer);
    free(log->spare);
    free(log);
    done(data);
}

static void flush(struct tr_prov_log *log);

static void tell_all(struct tr_prov_log_wait **list)
{
    struct tr_prov_log_wait *wait = *list;
    *list = NULL;
    while (wait) {
        struct tr_prov_log_wait *next = wait->next;
        wait->done(wait);
        wait = next;
    }
}

/* Blocks wait for the next try, unless a hurried log has tried enough. */
static void note_failure(struct tr_prov_log *log, const struct tr_err *err)
{
    log->why = *err;
    log->tries++;
    while (log->is_hurried && log->tries >= LAST_TRIES && log->first)
        drop_oldest(log);
    if (!log->first)
        log->tries = 0; /* the next block is tried at once */
    if (log->first)
        tr_loop_timer_start(&log->timer, log->opts.delay_ms, 0);
    else if (log->is_closing)
        finish(log);
}

/* A block that is full, or late, does not wait. */
static void go_on(struct tr_prov_log *log)
{
    uint64_t now = tr_loop_now_ms(log->opts.loop);
    if (log->first->next || log->is_hurried || log->waiting ||
        now >= log->first->due_ms)
        flush(log);
    else
        tr_loop_timer_start(&log->timer, log->first->due_ms - now, 0);
}

static void recycle_all(struct tr_prov_log *log)
{
    while (log->writing) {
        struct block *next = log->writing->next;
        recycle(log, log->writing);
        log->writing = next;
    }
}

/* Puts the blocks that the writer had in front: they are the oldest. */
static void take_back(struct tr_prov_log *log)
{
    struct block *last = log->writing;
    while (last->next)
        last = last->next;
    last->next = log->first;
    log->first = log->writing;
    if (!log->last)
        log->last = last;
    log->writing = NULL;
}

static void written(struct tr_db_write *write)
{
    struct tr_prov_log *log = (struct tr_prov_log *)(void *)write;
    struct tr_prov_log_wait *settled = log->settling;
    log->settling = NULL;
    tr_loop_release(log->opts.loop);
    if (write->status != TR_OK) {
        struct tr_prov_log_wait *waiting = log->waiting;
        log->waiting = NULL;
        take_back(log);
        note_failure(log, &write->err);
        tell_all(&settled);
        tell_all(&waiting);
        return;
    }
    log->tries = 0;
    log->is_losing = false;
    recycle_all(log);
    if (log->first)
        go_on(log);
    else if (log->is_closing)
        finish(log);
    tell_all(&settled); /* last: the log may be gone */
}

/* The oldest blocks share a transaction, and so a sync of the disk; but not so
 * many that other writes would wait for long. */
static void hand_over(struct tr_prov_log *log)
{
    struct block *last = log->first;
    for (size_t i = 1; i < WRITE_BLOCKS && last->next; i++)
        last = last->next;
    log->writing = log->first;
    log->first = last->next;
    last->next = NULL;
    if (log->first)
        return;
    log->last = NULL;
    log->settling = log->waiting;
    log->waiting = NULL;
}

static void flush(struct tr_prov_log *log)
{
    struct tr_err err = {0};
    tr_time now = tr_loop_wall(log->opts.loop);
    tr_loop_timer_stop(&log->timer);
    log->now_us = now.seconds * 1000000 + now.nanos / 1000;
    hand_over(log);
    log->write = (struct tr_db_write){
        .run = run,
        .done = written,
        .loop = log->opts.loop,
    };
    if (tr_db_writer_submit(log->opts.writer, &log->write, &err) != TR_OK) {
        struct tr_prov_log_wait *settled = log->settling;
        struct tr_prov_log_wait *waiting = log->waiting;
        log->settling = log->waiting = NULL;
        take_back(log);
        note_failure(log, &err);
        tell_all(&settled);
        tell_all(&waiting);
        return;
    }
    tr_loop_hold(log->opts.loop);
}

static void on_timer(void *data)
{
    struct tr_prov_log *log = data;
    if (log->first && !log->writing)
        flush(log);
}

static bool has_room(const struct tr_prov_log *log,
                     const struct tr_prov_activity *activity)
{
    const struct block *block = log->last;
    return block && BLOCK_BYTES - block->len >= tr_prov_pack_max(activity);
}

void tr_prov_log_add(struct tr_prov_log *log,
                     const struct tr_prov_activity *activity)
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
    bool is_waiting = log->writing || log->tries > 0;
    if (!is_waiting && (log->first->next || !log->timer.active))
        go_on(log);
}

/* What the writer has already counts as well: it is older. */
void tr_prov_log_settle(struct tr_prov_log *log, struct tr_prov_log_wait *wait)
{
    struct tr_prov_log_wait **list =
        log->first ? &log->waiting : &log->settling;
    if (!log->first && !log->writing) {
        wait->done(wait);
        return;
    }
    wait->next = *list;
    *list = wait;
    if (!log->writing)
        flush(log);
}

/* When a write is under way, the rest follows as it ends. */
void tr_prov_log_hurry(struct tr_prov_log *log)
{
    log->is_hurried = true;
    log->tries = 0;
    if (log->first && !log->writing)
        flush(log);
}

void tr_prov_log_close(struct tr_prov_log *log, void (*done)(void *data),
                       void *data)
{
    bool is_empty = !log->first && !log->writing;
    log->done = done;
    log->done_data = data;
    log->is_closing = true;
    if (is_empty)
        finish(log);
    else
        tr_prov_log_hurry(log);
}
