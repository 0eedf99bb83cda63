#include "prov/log.h"

#include "base/limits.h"
#include "db/writer.h"
#include "loop/timer.h"
#include "prov/blocks.h"
#include "prov/tally.h"

#include <stdatomic.h>

#define DELAY_MS 100

/* Blocks that are written at once: some milliseconds of work. */
#define WRITE_BLOCKS 4

/* Old rows that one write deletes, besides as many as it adds. */
#define TRIM_ROWS 1000

/* How long what calls came to may wait for activities to go with. */
#define MEASURE_MS 1000

/* How often a log that is hurried tries a store that fails. */
#define LAST_TRIES 20

struct tr_prov_log {
    struct tr_db_write write; /* first: run and done get a pointer to it */
    struct tr_prov_log_opts opts;
    int64_t now_us; /* when the writer got them */
    struct tr_prov_tally tallies[2];
    struct tr_prov_tally *tally;   /* that is being filled */
    struct tr_prov_tally *tallied; /* that the writer has, or an empty one */
    struct tr_loop_timer measuring;
    struct tr_loop_timer timer;
    bool is_writing; /* the writer has blocks, or a tally */
    struct tr_prov_blocks blocks;
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
static void on_measured(void *data);

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
    log->tally = &log->tallies[0];
    log->tallied = &log->tallies[1];
    tr_prov_tally_init(log->tally);
    tr_prov_tally_init(log->tallied);
    tr_loop_timer_init(&log->timer, opts->loop, on_timer, log);
    tr_loop_timer_init(&log->measuring, opts->loop, on_measured, log);
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

/* Blocks that the writer has are not lost yet: they stay. */
static void drop_oldest(struct tr_prov_log *log)
{
    if (log->blocks.first)
        lose(log, tr_prov_blocks_drop(&log->blocks));
}

/* NULL when there is no memory. */
static struct tr_prov_block *push(struct tr_prov_log *log)
{
    if ((log->blocks.count + 1) * TR_PROV_BLOCK_BYTES > log->opts.max_bytes) {
        if (log->tries == 0)
            (void)tr_fail(&log->why, TR_E_LIMIT, "the store does not keep up");
        drop_oldest(log);
    }
    return tr_prov_blocks_push(&log->blocks, tr_loop_now_ms(log->opts.loop) +
                                                 log->opts.delay_ms);
}

static tr_status write_blocks(const struct tr_prov_log *log, struct tr_db *db,
                              struct tr_err *err)
{
    int64_t count = 0;
    for (const struct tr_prov_block *b = log->blocks.out; b; b = b->next) {
        TR_TRY(tr_prov_write_reads(log->opts.names, db, b->bytes, b->len, err));
        count += (int64_t)b->count;
    }
    TR_TRY(tr_prov_tally_write(log->tallied, db, log->now_us, err));
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
    tr_loop_timer_stop(&log->measuring);
    tr_prov_tally_done(log->tally);
    tr_prov_tally_done(log->tallied);
    tr_prov_blocks_done(&log->blocks);
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
    while (log->is_hurried && log->tries >= LAST_TRIES && log->blocks.first)
        drop_oldest(log);
    if (!log->blocks.first)
        log->tries = 0; /* the next block is tried at once */
    if (log->blocks.first)
        tr_loop_timer_start(&log->timer, log->opts.delay_ms, 0);
    else if (log->is_closing)
        finish(log);
}

/* A block that is full, or late, does not wait. */
static void go_on(struct tr_prov_log *log)
{
    uint64_t now = tr_loop_now_ms(log->opts.loop);
    if (log->blocks.first->next || log->is_hurried || log->waiting ||
        now >= log->blocks.first->due_ms)
        flush(log);
    else
        tr_loop_timer_start(&log->timer, log->blocks.first->due_ms - now, 0);
}

/* The store did not take what the writer had. A hurried log tries measures once
 * more when it is closed: a loop that waits for its timers must end. */
static void take_back(struct tr_prov_log *log)
{
    log->is_writing = false;
    tr_prov_blocks_take_back(&log->blocks);
    tr_prov_tally_take(log->tally, log->tallied);
    if (!log->is_hurried && !tr_prov_tally_is_empty(log->tally))
        tr_loop_timer_start(&log->measuring, MEASURE_MS, 0);
}

/* It did. */
static void forget(struct tr_prov_log *log)
{
    log->tries = 0;
    log->is_losing = log->is_writing = false;
    tr_prov_blocks_written(&log->blocks);
    tr_prov_tally_warn(log->tallied);
    tr_prov_tally_clear(log->tallied);
}

static bool has_waiting(const struct tr_prov_log *log)
{
    return log->blocks.first || !tr_prov_tally_is_empty(log->tally);
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
    forget(log);
    if (log->blocks.first)
        go_on(log);
    else if (log->is_closing && has_waiting(log))
        flush(log);
    else if (log->is_closing)
        finish(log);
    tell_all(&settled); /* last: the log may be gone */
}

/* The oldest blocks share a transaction, and so a sync of the disk; but not so
 * many that other writes would wait for long. */
static void hand_over(struct tr_prov_log *log)
{
    struct tr_prov_tally *tally = log->tally;
    log->is_writing = true;
    log->tally = log->tallied;
    log->tallied = tally;
    tr_prov_blocks_hand_over(&log->blocks, WRITE_BLOCKS);
    if (log->blocks.first)
        return;
    log->settling = log->waiting;
    log->waiting = NULL;
}

static void flush(struct tr_prov_log *log)
{
    struct tr_err err = {0};
    tr_time now = tr_loop_wall(log->opts.loop);
    tr_loop_timer_stop(&log->timer);
    tr_loop_timer_stop(&log->measuring);
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
    if (log->blocks.first && !log->is_writing)
        flush(log);
}

/* While a store fails, it waits for what is tried again. */
static void on_measured(void *data)
{
    struct tr_prov_log *log = data;
    if (!log->is_writing && log->tries == 0 && has_waiting(log))
        flush(log);
}

void tr_prov_log_measure(struct tr_prov_log *log,
                         const struct tr_prov_actual *actual)
{
    tr_prov_tally_add(log->tally, actual);
    if (!log->measuring.active)
        tr_loop_timer_start(&log->measuring, MEASURE_MS, 0);
}

static bool has_room(const struct tr_prov_log *log,
                     const struct tr_prov_activity *activity)
{
    const struct tr_prov_block *block = log->blocks.last;
    return block &&
           TR_PROV_BLOCK_BYTES - block->len >= tr_prov_pack_max(activity);
}

void tr_prov_log_add(struct tr_prov_log *log,
                     const struct tr_prov_activity *activity)
{
    struct tr_prov_block *block = log->blocks.last;
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
    if (!is_waiting && (log->blocks.first->next || !log->timer.active))
        go_on(log);
}

/* What the writer has already counts as well: it is older. */
void tr_prov_log_settle(struct tr_prov_log *log, struct tr_prov_log_wait *wait)
{
    struct tr_prov_log_wait **list =
        log->blocks.first ? &log->waiting : &log->settling;
    if (!log->blocks.first && !log->is_writing) {
        wait->done(wait);
        return;
    }
    wait->next = *list;
    *list = wait;
    if (!log->is_writing)
        flush(log);
}

/* When a write is under way, the rest follows as it ends. */
void tr_prov_log_hurry(struct tr_prov_log *log)
{
    log->is_hurried = true;
    log->tries = 0;
    if (has_waiting(log) && !log->is_writing)
        flush(log);
}

void tr_prov_log_close(struct tr_prov_log *log, void (*done)(void *data),
                       void *data)
{
    bool is_empty = !has_waiting(log) && !log->is_writing;
    log->done = done;
    log->done_data = data;
    log->is_closing = true;
    if (is_empty)
        finish(log);
    else
        tr_prov_log_hurry(log);
}
