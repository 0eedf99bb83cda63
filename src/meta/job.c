#include "meta/job.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "loop/thread.h"
#include "meta/inside.h"
#include "runtime/env.h"
#include "runtime/outcome.h"

#include <stdlib.h>

tr_str tr_meta_job_text(const struct tr_meta_job *job, const char *name)
{
    return tr_json_text(tr_json_find(job->args, tr_str_from(name)));
}

bool tr_meta_job_flag(const struct tr_meta_job *job, const char *name)
{
    bool flag = false;
    return tr_json_bool(tr_json_find(job->args, tr_str_from(name)), &flag) &&
           flag;
}

tr_status tr_meta_job_check(const struct tr_meta_job *job, struct tr_err *err)
{
    return atomic_load(&job->is_stopped)
               ? tr_fail(err, TR_E_CANCELLED, "cancelled")
               : TR_OK;
}

void tr_meta_job_begin_again(struct tr_meta_job *job)
{
    tr_buf_clear(&job->text);
    tr_jw_init(&job->writer, &job->text);
}

static void free_job(struct tr_meta_job *job)
{
    tr_buf_done(&job->text);
    tr_arena_done(&job->arena);
    free(job);
}

/* What the work has written, as a tree of the call; NULL: nothing. */
static tr_status read_data(struct tr_meta_job *job, const struct tr_json **out,
                           struct tr_err *err)
{
    *out = NULL;
    if (!job->text.len)
        return TR_OK;
    TR_TRY(tr_jw_finish(&job->writer, err));
    *out = tr_call_tree(job->call, &job->writer, &job->text);
    return *out ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for an answer");
}

static void fill_outcome(struct tr_meta_job *job, struct tr_call_outcome *out)
{
    const struct tr_json *data = NULL;
    out->status = job->status;
    out->err = job->err;
    tr_status read = read_data(job, &data, &out->err);
    if (read != TR_OK)
        out->status = read;
    else if (out->status == TR_OK)
        out->value = data;
    else if (out->status == TR_E_VALIDATION && data)
        tr_call_outcome_set_fields(out, data);
    else
        out->data = data;
}

/* The texts of files are the job's, which goes. */
static tr_status take_files(struct tr_meta_job *job, struct tr_err *err)
{
    const struct tr_prov_activity_files *files = &job->activity.files;
    struct tr_call *call = job->call;
    struct tr_prov_activity_file *items =
        TR_NEW_ARRAY(call->arena, struct tr_prov_activity_file, files->count);
    call->activity.wrote = job->has_applied;
    for (size_t i = 0; items && i < files->count; i++) {
        items[i] = files->items[i];
        if (!tr_arena_copy(call->arena, files->items[i].path, &items[i].path))
            items = NULL;
    }
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for provenance");
    call->activity.files =
        (struct tr_prov_activity_files){items, files->count, files->left_out};
    return TR_OK;
}

/* On the loop. The call may be gone when it has finished. */
static void end(void *data)
{
    struct tr_meta_job *job = data;
    struct tr_call *call = job->call;
    struct tr_loop *loop = call->loop;
    struct tr_call_outcome outcome = {0};
    (void)pthread_join(job->thread, NULL);
    (void)atomic_fetch_sub(&job->outside->jobs->running, 1);
    call->host = NULL;
    call->is_recorded = job->is_recorded;
    fill_outcome(job, &outcome);
    if (outcome.status == TR_OK && job->activity.files.count)
        outcome.status = take_files(job, &outcome.err);
    free_job(job);
    tr_call_finish(call, &outcome);
    tr_loop_release(loop);
}

static void *work(void *data)
{
    struct tr_meta_job *job = data;
    job->status = job->work->run(job, &job->err);
    tr_loop_deliver(job->call->loop, &job->parcel);
    return NULL;
}

/* It ends by itself, soon; then the call does. */
static void cancel(struct tr_call *call)
{
    struct tr_meta_job *job = call->host_data;
    atomic_store(&job->is_stopped, true);
}

static const struct tr_call_host_ops host = {.cancel = cancel};

static tr_status take_turn(struct tr_meta_jobs *jobs, struct tr_err *err)
{
    if (atomic_fetch_add(&jobs->running, 1) < TR_LIMIT_META_JOBS)
        return TR_OK;
    (void)atomic_fetch_sub(&jobs->running, 1);
    return tr_fail(err, TR_E_UNAVAILABLE,
                   "%d such calls run already: try again", TR_LIMIT_META_JOBS);
}

static void fill_job(struct tr_meta_job *job, struct tr_call *call)
{
    const struct tr_call_env *env = tr_call_root(call)->env;
    job->args = call->args;
    job->store = env->store;
    job->model = tr_cap_snapshot_model(call->snapshot);
    job->face = tr_call_face(call);
    job->activity = call->activity;
    job->has_activity = call->started_ns != 0;
    job->call = call;
    job->parcel = (struct tr_loop_parcel){.fn = end, .data = job};
    tr_arena_init(&job->arena, TR_LIMIT_META_BYTES);
    tr_buf_init(&job->text, TR_LIMIT_MESSAGE);
    tr_jw_init(&job->writer, &job->text);
}

static tr_status start(const struct tr_meta_work *what, struct tr_call *call,
                       struct tr_err *err)
{
    const struct tr_meta_outside *outside = NULL;
    TR_TRY(tr_meta_outside_of(call, &outside, err));
    struct tr_meta_job *job = calloc(1, sizeof(*job));
    if (!job)
        return tr_fail(err, TR_E_NOMEM, "no memory for a call");
    job->work = what;
    job->outside = outside;
    fill_job(job, call);
    call->host = &host;
    call->host_data = job;
    tr_loop_hold(call->loop);
    tr_status status = take_turn(outside->jobs, err);
    if (status == TR_OK) {
        status = tr_loop_thread_start(&job->thread, work, job, err);
        if (status != TR_OK)
            (void)atomic_fetch_sub(&outside->jobs->running, 1);
    }
    if (status != TR_OK) {
        call->host = NULL;
        tr_loop_release(call->loop);
        free_job(job);
    }
    return status;
}

void tr_meta_job_run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    outcome.status = start(handler->data, call, &outcome.err);
    if (outcome.status != TR_OK)
        tr_call_finish(call, &outcome);
}
