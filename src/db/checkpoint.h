/*
 * db/checkpoint.h - moves what was committed from the log into the store.
 *
 * A thread of its own does it, from the first time that there is enough to do,
 * so that the writer does not wait. If the writer never paused, the log would
 * grow for ever, since it starts anew only when all of it was moved: so when
 * little is left, and the log is long, the writer moves the rest itself. A
 * failure does no harm: what was committed is in the log, and the next commit
 * tries again.
 */
#ifndef TR_DB_CHECKPOINT_H
#define TR_DB_CHECKPOINT_H

#include "db/db.h"

struct tr_db_checkpointer;

/* A field left zero takes the default named beside it. */
struct tr_db_checkpoint_opts {
    const char *path;     /* copied */
    struct tr_db_opts db; /* of its own connection, opened by the thread */
    int64_t pages;        /* TR_LIMIT_LOG_PAGES: in the log, before it begins */
    int64_t max_pages;    /* TR_LIMIT_LOG_MAX: before the writer helps */
};

TR_NODISCARD tr_status
tr_db_checkpointer_create(const struct tr_db_checkpoint_opts *opts,
                          struct tr_db_checkpointer **out, struct tr_err *err);

/* To be called by the writer after each commit of its connection `db`. */
void tr_db_checkpointer_note(struct tr_db_checkpointer *checkpointer,
                             struct tr_db *db);

/* Ends the thread. NULL is allowed. */
void tr_db_checkpointer_free(struct tr_db_checkpointer *checkpointer);

#endif
