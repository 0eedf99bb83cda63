#include "server/issuer.h"

#include "access/jwt.h"
#include "base/limits.h"
#include "base/log.h"
#include "fetch/fetch.h"
#include "loop/loop.h"

/* How often it checks whether to fetch, fetches anyway, and fetches at most
 * when a key is wanted. */
#define CHECK_MS   500
#define REFRESH_MS 300000
#define WANTED_MS  10000

static bool goes_on(void *data)
{
    return !tr_loop_job_is_cancelled(data);
}

/*
 * What the issuer does not answer leaves the keys as they are. What it does
 * answer is passed on, even when it has no key: then no key counts.
 */
static tr_status fetch(struct tr_server_issuer *issuer, struct tr_err *err)
{
    const struct tr_fetch how = {issuer->url, goes_on, &issuer->job};
    struct tr_access_jwks *jwks = NULL;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_JWKS_BYTES);
    tr_status status = tr_fetch_get(&how, &text, err);
    if (status == TR_OK)
        status =
            tr_access_key_source_put(issuer->source, tr_buf_str(&text), err);
    if (status == TR_OK) {
        status = tr_access_jwks_read(tr_buf_str(&text), &jwks, err);
        issuer->has_none = status != TR_OK && status != TR_E_NOMEM;
    }
    tr_access_jwks_free(jwks);
    tr_buf_done(&text);
    return status;
}

static void run(struct tr_loop_job *job)
{
    struct tr_server_issuer *issuer = job->data;
    issuer->err = (struct tr_err){0};
    issuer->has_none = false;
    tr_status ignored = fetch(issuer, &issuer->err);
    (void)ignored; /* `issuer->err` has it */
}

static void done(struct tr_loop_job *job)
{
    struct tr_server_issuer *issuer = job->data;
    bool was_good = issuer->is_good;
    issuer->is_running = false;
    issuer->is_good = job->status == TR_OK && issuer->err.code == TR_OK;
    if (issuer->is_stopped)
        return;
    if (issuer->is_good && !was_good)
        tr_log(TR_LOG_INFO, "the keys of the issuer are here",
               TR_LOG_TEXT("url", tr_str_from(issuer->url)));
    else if (!issuer->is_good)
        tr_log(TR_LOG_ERROR,
               issuer->has_none ? TR_SERVER_NO_KEYS
                                : "the keys of the issuer cannot be fetched",
               TR_LOG_TEXT("error", tr_str_from(issuer->err.msg)));
}

static void begin(struct tr_server_issuer *issuer)
{
    issuer->fetched_ms = tr_loop_now_ms(issuer->loop);
    atomic_store(&issuer->source->is_wanted, false);
    issuer->job =
        (struct tr_loop_job){.run = run, .done = done, .data = issuer};
    issuer->is_running = tr_loop_job_start(&issuer->job, issuer->pool,
                                           issuer->loop, NULL) == TR_OK;
}

static void fetch_when_due(void *data)
{
    struct tr_server_issuer *issuer = data;
    uint64_t passed = tr_loop_now_ms(issuer->loop) - issuer->fetched_ms;
    bool is_due = passed >= REFRESH_MS;
    bool is_wanted =
        !issuer->is_good || atomic_load(&issuer->source->is_wanted);
    if (!issuer->is_running && (is_due || (is_wanted && passed >= WANTED_MS)))
        begin(issuer);
}

tr_status tr_server_issuer_start(struct tr_server_issuer *issuer,
                                 struct tr_err *err)
{
    TR_TRY(tr_loop_pool_create(1, 0, &issuer->pool, err));
    tr_loop_timer_init(&issuer->timer, issuer->loop, fetch_when_due, issuer);
    tr_loop_timer_start(&issuer->timer, CHECK_MS, CHECK_MS);
    begin(issuer);
    return TR_OK;
}

void tr_server_issuer_stop(struct tr_server_issuer *issuer)
{
    if (!issuer->pool || issuer->is_stopped)
        return;
    issuer->is_stopped = true;
    tr_loop_timer_stop(&issuer->timer);
    if (issuer->is_running)
        tr_loop_job_cancel(&issuer->job);
}

void tr_server_issuer_close(struct tr_server_issuer *issuer)
{
    tr_loop_pool_free(issuer->pool);
    issuer->pool = NULL;
}
