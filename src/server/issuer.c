#include "server/issuer.h"

#include "access/jwt.h"
#include "base/limits.h"
#include "base/log.h"
#include "loop/loop.h"

/* How often it checks whether to fetch, fetches anyway, and fetches at most
 * when a key is wanted. */
#define CHECK_MS   500
#define REFRESH_MS 300000
#define WANTED_MS  10000

/*
 * What the issuer does not answer leaves the keys as they are. What it does
 * answer is passed on, even when it has no key: then no key counts.
 */
static tr_status take(struct tr_server_issuer *issuer,
                      const struct tr_fetch_reply *reply, bool *has_none,
                      struct tr_err *err)
{
    struct tr_access_jwks *jwks = NULL;
    *err = reply->err;
    TR_TRY(reply->status);
    if (reply->code != 200)
        return tr_fail(err, TR_E_IO, "%s: status %u", issuer->url, reply->code);
    TR_TRY(tr_access_key_source_put(issuer->source, reply->body, err));
    tr_status status = tr_access_jwks_read(reply->body, &jwks, err);
    *has_none = status != TR_OK && status != TR_E_NOMEM;
    tr_access_jwks_free(jwks);
    return status;
}

static void tell(struct tr_server_issuer *issuer, bool was_good, bool has_none,
                 const struct tr_err *err)
{
    if (issuer->is_good && !was_good)
        tr_log(TR_LOG_INFO, "the keys of the issuer are here",
               TR_LOG_TEXT("url", tr_str_from(issuer->url)));
    else if (!issuer->is_good)
        tr_log(TR_LOG_ERROR,
               has_none ? TR_SERVER_NO_KEYS
                        : "the keys of the issuer cannot be fetched",
               TR_LOG_TEXT("error", tr_str_from(err->msg)));
}

static void done(void *data)
{
    struct tr_server_issuer *issuer = data;
    struct tr_err err = {0};
    bool was_good = issuer->is_good;
    bool has_none = false;
    issuer->is_running = false;
    issuer->is_good = take(issuer, tr_fetch_reply_of(issuer->fetch), &has_none,
                           &err) == TR_OK;
    tell(issuer, was_good, has_none, &err);
}

static void begin(struct tr_server_issuer *issuer)
{
    struct tr_err err = {0};
    const struct tr_fetch_request request = {
        .url = tr_str_from(issuer->url),
        .max_bytes = TR_LIMIT_JWKS_BYTES,
        .is_operators = true,
        .done = done,
        .data = issuer,
    };
    tr_fetch_free(issuer->fetch);
    issuer->fetch = NULL;
    issuer->fetched_ms = tr_loop_now_ms(issuer->loop);
    atomic_store(&issuer->source->is_wanted, false);
    issuer->is_running =
        tr_fetch_start(issuer->client, &request, &issuer->fetch, &err) == TR_OK;
    if (!issuer->is_running) {
        issuer->is_good = false;
        tell(issuer, false, false, &err);
    }
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

/* Nobody else's client: who wrote the URL may be where handlers may not. */
tr_status tr_server_issuer_start(struct tr_server_issuer *issuer,
                                 struct tr_err *err)
{
    struct tr_fetch_opts opts = *issuer->out;
    opts.loop = issuer->loop;
    opts.max_bytes = 0;
    opts.timeout_ms = 0;
    TR_TRY(tr_fetch_client_create(&opts, &issuer->client, err));
    tr_loop_timer_init(&issuer->timer, issuer->loop, fetch_when_due, issuer);
    tr_loop_timer_start(&issuer->timer, CHECK_MS, CHECK_MS);
    begin(issuer);
    return TR_OK;
}

void tr_server_issuer_stop(struct tr_server_issuer *issuer)
{
    if (!issuer->client)
        return;
    tr_loop_timer_stop(&issuer->timer);
    tr_fetch_free(issuer->fetch);
    tr_fetch_client_close(issuer->client);
    issuer->fetch = NULL;
    issuer->client = NULL;
}
