/*
 * A fetch of a call: what the journal has of it, what a later round is compared
 * with, and what becomes of it without memory. Nobody answers.
 */
#include "runtime/fetch.h"

#include "base/test.h"
#include "loop/loop.h"
#include "support/c_host.h"
#include "support/peer.h"

#define ORIGIN "http://127.0.0.1:1"

static const tr_str origin = TR_STR_INIT(ORIGIN);

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("slow"),
                           .side_effects = {.external_calls = {&origin, 1}},
                           .handler = {c_run_and_wait, NULL}},
};

struct out {
    struct c_host host;
    struct c_call c;
    struct tr_fetch_client *client;
    struct tr_arena *arena; /* of the call */
    struct tr_json record;
    bool done;
};

static void start(struct out *out)
{
    struct tr_err err = {0};
    *out = (struct out){0};
    c_host_open(&out->host);
    const struct tr_fetch_opts opts = {
        .loop = out->host.loop, .allow = &origin, .allow_count = 1};
    CHECK_OK(tr_fetch_client_create(&opts, &out->client, &err), &err);
    out->host.env.calls.fetch = out->client;
    c_host_start(&out->host, &(struct c_app){.caps = caps, .cap_count = 1});
    c_call_init(&out->c, &out->host, "slow", "{}");
    c_call_start(&out->c);
    c_call_wait_until_it_waits(&out->c);
    out->arena = out->c.call.arena;
}

static void end(struct out *out)
{
    c_call_finish(&out->c);
    c_call_wait(&out->c);
    c_call_done(&out->c);
    c_host_close(&out->host);
}

static void on_done(void *data)
{
    ((struct out *)data)->done = true;
}

static bool is_done(void *data)
{
    return ((struct out *)data)->done;
}

static tr_status fetch(struct out *out, const char *url, struct tr_err *err)
{
    struct tr_call_fetching fetching = {.call = &out->c.call};
    struct tr_fetch_request request = {.url = tr_str_from(url),
                                       .method = TR_STR("GET"),
                                       .done = on_done,
                                       .data = out};
    out->done = false;
    tr_call_fetch_mark(&fetching, &request);
    TR_TRY(tr_call_fetch_begin(&fetching, &request, err));
    tr_peer_until(out->host.loop, is_done, out);
    return tr_call_fetch_end(&fetching, &out->record, err);
}

static bool is_same(const struct out *out, const char *url, const char *method)
{
    struct tr_call_fetching again = {.call = NULL};
    const struct tr_fetch_request request = {.url = tr_str_from(url),
                                             .method = tr_str_from(method)};
    tr_call_fetch_mark(&again, &request);
    return tr_call_fetch_is_same(&again, &out->record);
}

TEST(a_record_knows_its_request)
{
    struct out out;
    struct tr_err err = {0};
    start(&out);
    CHECK_OK(fetch(&out, ORIGIN "/a?b=1&c=2", &err), &err);
    CHECK_STR(tr_json_text(tr_json_find(&out.record, TR_STR("reason"))),
              "connect");
    CHECK(is_same(&out, ORIGIN "/a?b=1&c=2", "GET"));
    CHECK(is_same(&out, ORIGIN "/a?c=2&b=1", "GET"));
    CHECK(!is_same(&out, ORIGIN "/a?b=1&c=2", "HEAD"));
    CHECK(!is_same(&out, ORIGIN "/a?b=1&c=3", "GET"));
    CHECK(!is_same(&out, ORIGIN "/a?b=1", "GET"));
    CHECK(!is_same(&out, ORIGIN "/b?b=1&c=2", "GET"));
    CHECK(!is_same(&out, ORIGIN "/a?b=1&c=2&c=2", "GET"));
    CHECK(!is_same(&out, "", "GET"));
    CHECK_OK(fetch(&out, ORIGIN "/a?" ORIGIN "/b", &err), &err);
    CHECK(is_same(&out, ORIGIN "/a?" ORIGIN "/b", "GET"));
    CHECK(!is_same(&out, ORIGIN "/b?" ORIGIN "/a", "GET"));
    CHECK(!is_same(&out, ORIGIN "/a&" ORIGIN "/b", "GET"));
    end(&out);
}

TEST(of_a_url_with_a_secret_only_the_host_is_noted)
{
    struct tr_call_fetching one = {.has_hidden = true};
    struct tr_call_fetching two = {.has_hidden = true};
    struct tr_fetch_request request = {.url = TR_STR(ORIGIN "/a?key=one"),
                                       .method = TR_STR("GET")};
    tr_call_fetch_mark(&one, &request);
    request.url = TR_STR(ORIGIN "/a?key=two");
    tr_call_fetch_mark(&two, &request);
    CHECK(memcmp(one.mark, two.mark, sizeof(one.mark)) == 0);
    request.url = TR_STR("http://127.0.0.2:1/a?key=one");
    tr_call_fetch_mark(&two, &request);
    CHECK(memcmp(one.mark, two.mark, sizeof(one.mark)) != 0);
}

/* A fetch that ends otherwise, or that is not on record, is one that memory
 * was not there for. */
static tr_status fetch_fresh(void *context, struct tr_err *err)
{
    struct out *out = context;
    struct tr_call *call = &out->c.call;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    call->arena = &arena;
    memset(&call->fetches, 0, sizeof(call->fetches));
    call->fetch_count = 0;
    tr_status status = fetch(out, ORIGIN "/a", err);
    bool is_whole =
        status == TR_OK && call->fetches.count == 1 &&
        tr_str_eq(tr_json_text(tr_json_find(&out->record, TR_STR("reason"))),
                  TR_STR("connect"));
    tr_peer_settle(out->host.loop);
    memset(&call->fetches, 0, sizeof(call->fetches));
    call->arena = out->arena;
    tr_arena_done(&arena);
    return status == TR_OK && !is_whole ? TR_E_NOMEM : status;
}

TEST(a_fetch_of_a_call_without_memory_is_an_error)
{
    struct out out;
    struct tr_err err = {0};
    start(&out);
    CHECK_OK(fetch_fresh(&out, &err), &err); /* libcurl is there */
    tr_test_sweep(fetch_fresh, &out);
    end(&out);
}
