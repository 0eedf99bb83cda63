/*
 * The generators, app.edit and app.source: the rows of gen/gen.h.
 */
#include "gen/gen.h"

#include "base/file.h"
#include "base/limits.h"
#include "cap/snapshot.h"
#include "crypto/encoding.h"
#include "meta/inside.h"

/* Whether the app would load with these texts. */
static tr_status loads(void *context, const struct tr_gen_file *files,
                       size_t count, struct tr_err *err)
{
    const struct tr_meta_outside *outside = context;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_file_text texts[TR_LIMIT_GEN_DIFFS];
    for (size_t i = 0; i < count; i++)
        texts[i] = (struct tr_file_text){files[i].path, files[i].text};
    tr_status status =
        outside->try_files(outside, texts, count, &snapshot, err);
    tr_cap_snapshot_unpin(snapshot);
    return status;
}

/* What it has made is on record, written or not. */
static tr_status note_files(struct tr_meta_job *job,
                            const struct tr_gen_call *call, struct tr_err *err)
{
    struct tr_prov_activity_files *files = &job->activity.files;
    struct tr_prov_activity_file *items = TR_NEW_ARRAY(
        &job->arena, struct tr_prov_activity_file, call->diff_count);
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for provenance");
    for (size_t i = 0; i < call->diff_count; i++) {
        const struct tr_gen_diff *diff = &call->diffs[i];
        items[i].path = diff->path;
        if (!tr_crypto_hex_read(tr_str_from(diff->after_sha256),
                                items[i].sha256))
            memset(items[i].sha256, 0, sizeof(items[i].sha256));
    }
    *files = (struct tr_prov_activity_files){items, call->diff_count, 0};
    job->has_applied = call->applied && call->diff_count;
    return TR_OK;
}

static tr_status refuse(struct tr_meta_job *job, const struct tr_gen_call *call,
                        tr_status status, const struct tr_err *why,
                        struct tr_err *err)
{
    if (status == TR_E_VALIDATION && call->errors.count) {
        tr_jw_open(&job->writer, '{');
        tr_jw_key(&job->writer, "fields");
        tr_field_errors_write(&job->writer, &call->errors);
        tr_jw_close(&job->writer, '}');
    }
    if (err)
        *err = *why;
    return status;
}

tr_status tr_meta_gen(struct tr_meta_job *job, struct tr_err *err)
{
    const struct tr_gen_project project = {
        .folder = job->outside->folder,
        .name = job->outside->project,
        .loads = loads,
        .context = (void *)(uintptr_t)job->outside,
    };
    struct tr_gen_call call = {
        .op = job->work->gen,
        .project = &project,
        .arguments = job->args,
        .arena = &job->arena,
    };
    struct tr_err why = {0};
    TR_TRY(tr_meta_job_check(job, err));
    tr_status status = tr_gen_run(&call, &why);
    if (status != TR_OK)
        return refuse(job, &call, status, &why, err);
    tr_gen_write(&job->writer, &call);
    TR_TRY(tr_jw_finish(&job->writer, err));
    return note_files(job, &call, err);
}
