/*
 * meta/job.h - the handler of a meta-capability that runs on a thread of its
 * own, so that its loop goes on with others.
 *
 * A job gets what it needs of its call before it starts, and hands over what it
 * has made when it has ended: in between they share nothing but whether it is
 * to stop.
 */
#ifndef TR_META_JOB_H
#define TR_META_JOB_H

#include "cap/cap.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "prov/activity.h"

#include <pthread.h>
#include <stdatomic.h>

struct tr_call;
struct tr_graph_store;
struct tr_meta_job;
struct tr_meta_outside;
struct tr_model;
struct tr_model_face;

/*
 * Does the work, on its thread, and writes the result to the job's writer, as
 * JSON. After a failure what it has written is the data of the error, or
 * nothing.
 */
typedef tr_status tr_meta_work_fn(struct tr_meta_job *job, struct tr_err *err);

/* What the data of its handler points to. */
struct tr_gen_op;

struct tr_meta_work {
    tr_meta_work_fn *run;
    const struct tr_gen_op *gen; /* of tr_meta_gen */
};

struct tr_meta_job {
    /* For the work. */
    const struct tr_json *args; /* of the call, as its shape has checked them */
    const struct tr_meta_outside *outside;
    struct tr_graph_store *store;     /* NULL: there is none */
    const struct tr_model *model;     /* the whole one, or NULL */
    const struct tr_model_face *face; /* what the caller sees; NULL: all */
    struct tr_arena arena;
    struct tr_buf text;
    struct tr_json_writer writer; /* to the text */
    struct tr_prov_activity activity;
    bool has_activity; /* its call is recorded */
    bool has_applied;  /* it has changed files, and `activity` says which */
    bool is_recorded;  /* it has written the activity itself */
    _Atomic bool is_stopped;

    const struct tr_meta_work *work;

    /* For job.c. */
    struct tr_call *call;
    pthread_t thread;
    struct tr_loop_parcel parcel;
    tr_status status;
    struct tr_err err;
};

/* The `run` of such handlers. */
tr_cap_handler_fn tr_meta_job_run;

/* TR_E_CANCELLED once nobody wants the result any more: to be asked before
 * anything lands. */
TR_NODISCARD tr_status tr_meta_job_check(const struct tr_meta_job *job,
                                         struct tr_err *err);

/* An argument; "" when it is absent, false when it is. */
tr_str tr_meta_job_text(const struct tr_meta_job *job, const char *name);
bool tr_meta_job_flag(const struct tr_meta_job *job, const char *name);

/* A new writer to the emptied text, after something else was written. */
void tr_meta_job_begin_again(struct tr_meta_job *job);

#endif
