/*
 * What calls come to is counted, of each that a handler has answered.
 */
#include "access/authority.h"
#include "base/test.h"
#include "prov/log.h"
#include "support/activity.h"
#include "support/c_host.h"

static void spend(const struct tr_cap_handler *handler, struct tr_call *call)
{
    CHECK_OK(tr_call_budget_use(call, 40, 0.25, NULL), NULL);
    c_run(handler, call);
}

static void break_down(const struct tr_cap_handler *handler,
                       struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = tr_fail(&outcome.err, TR_E_INTERNAL, "a bug");
    tr_call_finish(call, &outcome);
}

static const tr_str everywhere[] = {TR_STR_INIT("*")};

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("look")},
    &(const struct tr_cap){.id = TR_STR_INIT("spend"),
                           .version = TR_STR_INIT("2.0.0"),
                           .cost.tokens = 13,
                           .handler.run = spend},
    &(const struct tr_cap){.id = TR_STR_INIT("fail"),
                           .handler.run = break_down},
    &(const struct tr_cap){.id = TR_STR_INIT("create"),
                           .side_effects.graph_writes = {everywhere, 1},
                           .handler.run = c_run_and_create},
    &(const struct tr_cap){.id = TR_STR_INIT("hidden"),
                           .guard.scope = TR_SCOPE_BUILDER},
};

static void on_settled(struct tr_prov_log_wait *wait)
{
    (void)wait;
}

/* Waits until the store has what was counted. */
static struct tr_prov_measured measured(struct c_host *host, const char *id,
                                        const char *version)
{
    struct tr_prov_log_wait wait = {.done = on_settled};
    tr_prov_log_hurry(host->env.calls.log);
    tr_prov_log_settle(host->env.calls.log, &wait);
    tr_loop_run(host->loop);
    return activity_measured(host->env.calls.reader->db, id, version);
}

static uint64_t times(struct c_host *host, const char *id)
{
    return measured(host, id, "0.1.0").of[TR_PROV_UNIT_MICROS].count;
}

TEST(calls_that_were_answered_are_counted)
{
    static const struct tr_access_authority nobody = {0};
    struct c_host host;
    struct c_call c;
    c_host_open(&host);
    c_host_start(&host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
    c_check(&host, "look", "{}", "{\"ran\":1}");
    c_check(&host, "look", "{}", "{\"ran\":2}");
    c_check(&host, "fail", "{}", "internal: a bug");
    c_call_init(&c, &host, "hidden", "{}");
    c.call.authority = &nobody;
    c_call_start(&c);
    c_call_wait(&c);
    CHECK_INT(c.outcome.status, TR_E_UNAUTHENTICATED);
    c_call_done(&c);
    c_call_init(&c, &host, "create", "{}");
    c_call_start(&c);
    c_call_wait(&c);
    CHECK_OK(c.outcome.status, &c.outcome.err);
    c_call_done(&c);
    CHECK_INT(times(&host, "look"), 2);
    CHECK_INT(times(&host, "fail"), 0);
    CHECK_INT(times(&host, "hidden"), 0);
    CHECK_INT(times(&host, "create"), 1);
    CHECK_INT(measured(&host, "look", "0.1.0").of[TR_PROV_UNIT_TOKENS].count,
              0);
    c_host_close(&host);
}

TEST(what_calls_have_spent_is_counted_as_they_said_it)
{
    struct c_host host;
    c_host_open(&host);
    c_host_start(&host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
    c_check(&host, "spend", "{}", "{\"ran\":1}");
    struct tr_prov_measured found = measured(&host, "spend", "2.0.0");
    CHECK_INT(found.of[TR_PROV_UNIT_TOKENS].count, 1);
    CHECK_INT(found.of[TR_PROV_UNIT_TOKENS].p50, 42); /* a bucket's middle */
    CHECK(found.of[TR_PROV_UNIT_MICRO_USD].p95 > 240000);
    CHECK(found.of[TR_PROV_UNIT_MICRO_USD].p95 < 260000);
    /* Forty are over three times thirteen. */
    CHECK_INT(c_host_number(&host, "SELECT count(*) FROM measured"
                                   " WHERE warned > 0"),
              1);
    c_host_close(&host);
}
