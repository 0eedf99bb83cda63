#include "db/checkpoint.h"

#include "base/limits.h"
#include "loop/thread.h"

struct tr_db_checkpointer {
    struct tr_db_checkpoint_opts opts;
    char *path;       /* owned */
    struct tr_db *db; /* the thread's */
    pthread_t thread;
    bool has_thread;      /* since it was first wanted */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;
    bool is_wanted; /* the log is long enough */
    bool is_almost_done;
    bool is_ending;
};

static bool wait_for_work(struct tr_db_checkpointer *c)
{
    (void)pthread_mutex_lock(&c->lock);
    while (!c->is_wanted && !c->is_ending)
        (void)pthread_cond_wait(&c->wake, &c->lock);
    c->is_wanted = false;
    bool goes_on = !c->is_ending;
    (void)pthread_mutex_unlock(&c->lock);
    return goes_on;
}

static bool is_open(struct tr_db_checkpointer *c)
{
    return c->db || tr_db_open(c->path, &c->opts.db, &c->db, NULL) == TR_OK;
}

/*
 * Each round moves what was committed during the one before, so they become
 * shorter as long as we are faster than the writer.
 */
static void move_pages(struct tr_db_checkpointer *c)
{
    struct tr_db_log log = {0};
    if (!is_open(c) || tr_db_checkpoint(c->db, &log, NULL) != TR_OK)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->is_almost_done = log.pages - log.moved < c->opts.pages;
    (void)pthread_mutex_unlock(&c->lock);
}

static void *work(void *data)
{
    struct tr_db_checkpointer *c = data;
    while (wait_for_work(c))
        move_pages(c);
    return NULL;
}

static void free_checkpointer(struct tr_db_checkpointer *c)
{
    tr_db_close(c->db);
    free(c->path);
    (void)pthread_cond_destroy(&c->wake);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}

tr_status tr_db_checkpointer_create(const struct tr_db_checkpoint_opts *opts,
                                    struct tr_db_checkpointer **out,
                                    struct tr_err *err)
{
    struct tr_db_checkpointer *c = calloc(1, sizeof(*c));
    if (!c)
        return tr_fail(err, TR_E_NOMEM, "no memory for checkpoints");
    c->opts = *opts;
    if (!opts->pages)
        c->opts.pages = TR_LIMIT_LOG_PAGES;
    if (!opts->max_pages)
        c->opts.max_pages = TR_LIMIT_LOG_MAX;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->wake, NULL);
    size_t size = strlen(opts->path) + 1;
    c->path = calloc(1, size);
    if (!c->path) {
        free_checkpointer(c);
        return tr_fail(err, TR_E_NOMEM, "no memory for checkpoints");
    }
    memcpy(c->path, opts->path, size);
    *out = c;
    return TR_OK;
}

/* Where there is no thread to be had, the next commit tries again. */
static void wake(struct tr_db_checkpointer *c)
{
    (void)pthread_mutex_lock(&c->lock);
    c->is_wanted = true;
    (void)pthread_cond_signal(&c->wake);
    (void)pthread_mutex_unlock(&c->lock);
    if (!c->has_thread)
        c->has_thread =
            tr_loop_thread_start(&c->thread, work, c, NULL) == TR_OK;
}

/* How many times max_pages the log may have before the writer moves it all. */
enum { PATIENCE = 4 };

/*
 * The writer helps when almost all is moved, which is little work, or when the
 * log is so long that the thread seems to be too slow, or to fail.
 */
void tr_db_checkpointer_note(struct tr_db_checkpointer *c, struct tr_db *db)
{
    int64_t pages = tr_db_log_pages(db);
    struct tr_db_log log;
    if (pages < c->opts.pages)
        return;
    (void)pthread_mutex_lock(&c->lock);
    bool helps = (pages >= c->opts.max_pages && c->is_almost_done) ||
                 pages >= c->opts.max_pages * PATIENCE;
    c->is_almost_done = c->is_almost_done && !helps;
    (void)pthread_mutex_unlock(&c->lock);
    wake(c);
    if (helps) {
        tr_status status = tr_db_checkpoint(db, &log, NULL);
        (void)status; /* the next commit tries again */
    }
}

void tr_db_checkpointer_free(struct tr_db_checkpointer *c)
{
    if (!c)
        return;
    (void)pthread_mutex_lock(&c->lock);
    c->is_ending = true;
    (void)pthread_cond_signal(&c->wake);
    (void)pthread_mutex_unlock(&c->lock);
    if (c->has_thread)
        (void)pthread_join(c->thread, NULL);
    free_checkpointer(c);
}
