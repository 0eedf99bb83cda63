#include "db/writer.h"

#include "base/limits.h"
#include "db/checkpoint.h"
#include "loop/thread.h"

struct tr_db_writer {
    struct tr_db_writer_opts opts;
    struct tr_db *db; /* the thread's */
    struct tr_db_checkpointer *checkpointer;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    struct tr_db_write *first;
    struct tr_db_write *last;
    size_t waiting;
    bool is_ending;
};

/* The oldest writes, at most a group; NULL when the thread shall end. */
static struct tr_db_write *take_group(struct tr_db_writer *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    while (!writer->first && !writer->is_ending)
        (void)pthread_cond_wait(&writer->wake, &writer->lock);
    struct tr_db_write *group = writer->first;
    struct tr_db_write *last = group;
    size_t count = group ? 1 : 0;
    while (last && last->next && count < writer->opts.max_group) {
        last = last->next;
        count++;
    }
    writer->first = last ? last->next : NULL;
    if (!writer->first)
        writer->last = NULL;
    if (last)
        last->next = NULL;
    writer->waiting -= count;
    (void)pthread_mutex_unlock(&writer->lock);
    return group;
}

/* Fails the writes that have not failed by themselves. */
static void fail_all(struct tr_db_write *group, const struct tr_err *err)
{
    for (struct tr_db_write *w = group; w; w = w->next) {
        if (w->status != TR_OK)
            continue;
        w->status = err->code;
        w->err = *err;
    }
}

static tr_status settle(struct tr_db_writer *writer, struct tr_err *err)
{
    const struct tr_db_writer_opts *opts = &writer->opts;
    return opts->settle ? opts->settle(opts->data, writer->db, err) : TR_OK;
}

/* Whether the transaction can go on: an undo that fails has broken it. */
static bool run_one(struct tr_db_writer *writer, struct tr_db_write *write,
                    struct tr_err *broken)
{
    struct tr_db *db = writer->db;
    if (write->is_deferred) {
        write->status = write->run(write, db, &write->err);
        return true;
    }
    if (settle(writer, broken) != TR_OK)
        return false;
    if (tr_db_savepoint(db, broken) != TR_OK)
        return false;
    write->status = write->run(write, db, &write->err);
    if (write->status == TR_OK)
        return tr_db_keep(db, broken) == TR_OK;
    return tr_db_undo(db, broken) == TR_OK;
}

static tr_status run_each(struct tr_db_writer *writer,
                          struct tr_db_write *group, bool *has_any,
                          struct tr_err *err)
{
    const struct tr_db_writer_opts *opts = &writer->opts;
    if (opts->begun)
        TR_TRY(opts->begun(opts->data, writer->db, err));
    for (struct tr_db_write *w = group; w; w = w->next) {
        if (!run_one(writer, w, err))
            return err->code;
        *has_any = *has_any || w->status == TR_OK;
    }
    return settle(writer, err);
}

/* Where every write has failed there is nothing to commit. */
static tr_status run_group(struct tr_db_writer *writer,
                           struct tr_db_write *group, struct tr_err *err)
{
    const struct tr_db_writer_opts *opts = &writer->opts;
    bool has_any = false;
    TR_TRY(tr_db_begin(writer->db, TR_DB_WRITE, err));
    tr_status status = run_each(writer, group, &has_any, err);
    if (status == TR_OK && has_any) {
        status = tr_db_commit(writer->db, err);
        if (status == TR_OK && opts->committed)
            opts->committed(opts->data);
        if (status == TR_OK)
            return TR_OK;
    } else {
        tr_db_rollback(writer->db);
    }
    if (opts->undone)
        opts->undone(opts->data);
    return status;
}

static void tell_done(void *data)
{
    struct tr_db_write *write = data;
    write->done(write);
}

static void *work(void *data)
{
    struct tr_db_writer *writer = data;
    struct tr_db_write *group;
    while ((group = take_group(writer))) {
        struct tr_err err = {0};
        if (run_group(writer, group, &err) != TR_OK)
            fail_all(group, &err);
        while (group) {
            struct tr_db_write *next = group->next;
            group->parcel.fn = tell_done;
            group->parcel.data = group;
            tr_loop_deliver(group->loop, &group->parcel);
            group = next;
        }
        tr_db_checkpointer_note(writer->checkpointer, writer->db);
    }
    return NULL;
}

/* The thread has ended, or never began. */
static void free_writer(struct tr_db_writer *writer)
{
    tr_db_checkpointer_free(writer->checkpointer);
    tr_db_close(writer->db);
    (void)pthread_cond_destroy(&writer->wake);
    (void)pthread_mutex_destroy(&writer->lock);
    free(writer);
}

static tr_status open_writer(struct tr_db_writer *writer, struct tr_err *err)
{
    const struct tr_db_writer_opts *opts = &writer->opts;
    struct tr_db_checkpoint_opts checkpoints = {.path = opts->path,
                                                .db = opts->db};
    struct tr_db_opts db = opts->db;
    db.keeps_log = true;
    tr_db_scratch_sweep(opts->path);
    TR_TRY(tr_db_open(opts->path, &db, &writer->db, err));
    if (opts->opened)
        TR_TRY(opts->opened(opts->data, writer->db, err));
    return tr_db_checkpointer_create(&checkpoints, &writer->checkpointer, err);
}

tr_status tr_db_writer_create(const struct tr_db_writer_opts *opts,
                              struct tr_db_writer **out, struct tr_err *err)
{
    struct tr_db_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return tr_fail(err, TR_E_NOMEM, "no memory for the writer");
    writer->opts = *opts;
    if (!opts->max_waiting)
        writer->opts.max_waiting = TR_LIMIT_WRITES_WAITING;
    if (!opts->max_group)
        writer->opts.max_group = TR_LIMIT_WRITES_GROUP;
    (void)pthread_mutex_init(&writer->lock, NULL);
    (void)pthread_cond_init(&writer->wake, NULL);
    tr_status status = open_writer(writer, err);
    if (status == TR_OK)
        status = tr_loop_thread_start(&writer->thread, work, writer, err);
    if (status != TR_OK) {
        free_writer(writer);
        return status;
    }
    /* The name shows in top and ps, and so what the thread costs. */
    (void)pthread_setname_np(writer->thread, "trails-write");
    *out = writer;
    return TR_OK;
}

tr_status tr_db_writer_submit(struct tr_db_writer *writer,
                              struct tr_db_write *write, struct tr_err *err)
{
    write->next = NULL;
    write->status = TR_OK;
    (void)pthread_mutex_lock(&writer->lock);
    bool fits = writer->waiting < writer->opts.max_waiting;
    if (fits) {
        if (writer->last)
            writer->last->next = write;
        else
            writer->first = write;
        writer->last = write;
        writer->waiting++;
        (void)pthread_cond_signal(&writer->wake);
    }
    (void)pthread_mutex_unlock(&writer->lock);
    return fits ? TR_OK
                : tr_fail(err, TR_E_UNAVAILABLE, "too many writes are waiting");
}

size_t tr_db_writer_waiting(struct tr_db_writer *writer)
{
    (void)pthread_mutex_lock(&writer->lock);
    size_t waiting = writer->waiting;
    (void)pthread_mutex_unlock(&writer->lock);
    return waiting;
}

void tr_db_writer_free(struct tr_db_writer *writer)
{
    if (!writer)
        return;
    (void)pthread_mutex_lock(&writer->lock);
    writer->is_ending = true;
    (void)pthread_cond_signal(&writer->wake);
    (void)pthread_mutex_unlock(&writer->lock);
    (void)pthread_join(writer->thread, NULL);
    free_writer(writer);
}
