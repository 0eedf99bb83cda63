#include "loop/loop.h"
#include "prov/journal_store.h"
#include "runtime/env.h"
#include "runtime/journal.h"

_Static_assert(TR_CALL_KEPT_NAME == TR_PROV_JOURNAL_NAME,
               "a name fits what a request has for it");

/* A write of ours: it outlives the call, which may be cancelled meanwhile. */
struct tr_call_keeping {
    struct tr_db_write write; /* first: what `done` gets */
    struct tr_db_writer *writer;
    struct tr_prov_idempotency_result row;
    int64_t now_s;
    void (*done)(void *data, tr_status status, const struct tr_err *err);
    void *data;
    char text[];
};

static tr_status run_put(struct tr_db_write *write, struct tr_db *db,
                         struct tr_err *err)
{
    const struct tr_call_keeping *keeping =
        (const struct tr_call_keeping *)(const void *)write;
    return tr_prov_journal_put(db, &keeping->row, keeping->now_s, err);
}

static tr_status run_drop(struct tr_db_write *write, struct tr_db *db,
                          struct tr_err *err)
{
    const struct tr_call_keeping *keeping =
        (const struct tr_call_keeping *)(const void *)write;
    return tr_prov_idempotency_drop(db, &keeping->row.name, err);
}

static tr_status submit(struct tr_call_keeping *keeping, struct tr_err *err);

static void written(struct tr_db_write *write)
{
    struct tr_call_keeping *keeping = (struct tr_call_keeping *)(void *)write;
    struct tr_loop *loop = write->loop;
    bool is_put = write->run == run_put;
    if (keeping->done)
        keeping->done(keeping->data, write->status, &write->err);
    if (is_put && !keeping->done && write->status == TR_OK) {
        write->run = run_drop; /* nobody has its name */
        tr_status ignored = submit(keeping, NULL);
        (void)ignored;
    } else {
        free(keeping);
    }
    tr_loop_release(loop);
}

/* Without success it is freed: a row stays until its time is over. */
static tr_status submit(struct tr_call_keeping *keeping, struct tr_err *err)
{
    struct tr_loop *loop = keeping->write.loop;
    keeping->write.done = written;
    tr_loop_hold(loop);
    tr_status status =
        tr_db_writer_submit(keeping->writer, &keeping->write, err);
    if (status != TR_OK) {
        free(keeping);
        tr_loop_release(loop);
    }
    return status;
}

static tr_status submit_of(struct tr_call *root,
                           struct tr_call_keeping *keeping, struct tr_err *err)
{
    keeping->writer = tr_graph_store_writer(root->env->store);
    keeping->write.loop = root->loop;
    return submit(keeping, err);
}

tr_status tr_call_journal_keep(struct tr_call *root, struct tr_call_keep *keep,
                               struct tr_call_keeping **out, struct tr_err *err)
{
    struct tr_prov_idempotency_name id;
    if (!root->env || keep->text.len > TR_LIMIT_IDEMPOTENCY_RESULT_BYTES)
        return tr_fail(err, TR_E_LIMIT,
                       "what the handler has learnt is longer than %zu bytes",
                       TR_LIMIT_IDEMPOTENCY_RESULT_BYTES);
    TR_TRY(tr_prov_journal_name_make(root->principal, &id, err));
    tr_prov_journal_name_write(&id, keep->name);
    struct tr_call_keeping *keeping =
        calloc(1, sizeof(*keeping) + keep->text.len);
    if (!keeping)
        return tr_fail(err, TR_E_NOMEM, "no memory to keep a journal");
    memcpy(keeping->text, keep->text.ptr, keep->text.len);
    keeping->row.result = (tr_str){keeping->text, keep->text.len};
    keeping->row.life_s = keep->life_s;
    keeping->now_s = tr_loop_wall(root->loop).seconds;
    keeping->done = keep->done;
    keeping->data = keep->data;
    keeping->write.run = run_put;
    keeping->row.name = id;
    TR_TRY(submit_of(root, keeping, err));
    *out = keeping;
    return TR_OK;
}

void tr_call_journal_forget(struct tr_call_keeping *keeping)
{
    if (keeping)
        keeping->done = NULL;
}

tr_status tr_call_journal_find(const struct tr_call_env *env, tr_str name,
                               int64_t now_s, struct tr_arena *arena,
                               tr_str *out, struct tr_err *err)
{
    struct tr_prov_idempotency_name id;
    struct tr_prov_idempotency_result row;
    if (!env || !env->reader || !tr_prov_journal_name_read(name, &id))
        return tr_fail(err, TR_E_NOT_FOUND, "nothing is kept");
    TR_TRY(tr_prov_idempotency_find(env->reader->db, &id, now_s, arena, &row,
                                    err));
    *out = row.result;
    return row.result.ptr ? TR_OK
                          : tr_fail(err, TR_E_NOT_FOUND, "it is kept no more");
}

/* A row that stays goes when its time is over. */
void tr_call_journal_drop(struct tr_call *root, tr_str name)
{
    struct tr_prov_idempotency_name id;
    struct tr_call_keeping *keeping = tr_prov_journal_name_read(name, &id)
                                          ? calloc(1, sizeof(*keeping))
                                          : NULL;
    if (!keeping)
        return;
    keeping->write.run = run_drop;
    keeping->row.name = id;
    tr_status ignored = submit_of(root, keeping, NULL);
    (void)ignored;
}
