/*
 * test/support/c_host.h - an app whose handlers are written in C, on a store in
 * a folder of its own, and calls of it: what runtime/ does, without Lua.
 *
 *     c_host_open(&host);
 *     c_host_start(&host, &(struct c_app){.caps = caps, .cap_count = 2});
 *     c_check(&host, "add", "{}", "{\"ran\":1}");
 *     c_host_close(&host);
 *
 * Its graph has the types of test/support/team.h; its clock stands still.
 */
#ifndef TR_TEST_SUPPORT_C_HOST_H
#define TR_TEST_SUPPORT_C_HOST_H

#include "cap/cap.h"
#include "server/env.h"
#include "support/folder.h"

struct c_host {
    struct folder folder;
    struct tr_arena arena; /* of what the app is made of */
    struct tr_graph_store *store;
    struct tr_loop *loop;
    struct tr_server_env env;
    const struct tr_cap_snapshot *snapshot;
    size_t ran;      /* how often a handler of a capability was started */
    bool is_running; /* the loop, until something has happened */
};

/* What is registered. A capability without a handler has c_run; shapes are
 * registered too. */
struct c_app {
    const struct tr_cap *const *caps;
    size_t cap_count;
    const struct tr_cap_policy *policies;
    size_t policy_count;
    const char *budgets; /* the TOML of [budget], or NULL */
};

/*
 * Opens a host without an app: its arena can hold the JSON that an app needs.
 */
void c_host_open(struct c_host *host);
const struct tr_json *c_host_json(struct c_host *host, const char *text);
void c_host_start(struct c_host *host, const struct c_app *app);
void c_host_close(struct c_host *host);

/* The one number that a statement answers; -1 when it answers nothing. */
int64_t c_host_number(struct c_host *host, const char *sql);

/* Handlers. This one counts itself, and returns {"ran": how many have}. */
void c_run(const struct tr_cap_handler *handler, struct tr_call *call);

/* Counts, and waits for c_call_finish or until it is cancelled. */
void c_run_and_wait(const struct tr_cap_handler *handler, struct tr_call *call);

/* Counts, creates the task trails://team/Task/<the argument number>, which is
 * open, and returns. */
void c_run_and_create(const struct tr_cap_handler *handler,
                      struct tr_call *call);

/* Policies. The third one decides when the test says so, as the second. */
void c_allow(const struct tr_cap_handler *handler, struct tr_call *call);
void c_deny(const struct tr_cap_handler *handler, struct tr_call *call);
void c_allow_later(const struct tr_cap_handler *handler, struct tr_call *call);

struct c_call {
    struct tr_call call; /* first: the door finds the rest by it */
    struct c_host *host;
    struct tr_arena arena;
    struct tr_call *waiting; /* whose handler waits for the test */
    size_t finished;         /* how often the door was told */
    struct tr_call_outcome outcome;
    char text[2048];
};

void c_call_init(struct c_call *c, struct c_host *host, const char *name,
                 const char *args);
void c_call_start(struct c_call *c);

/* Runs the loop until the call has finished. */
void c_call_wait(struct c_call *c);

/* Runs the loop until the handler or a policy waits for the test. */
void c_call_wait_until_it_waits(struct c_call *c);

/* Ends the handler, or the policy, that waits, with a success. */
void c_call_finish(struct c_call *c);
void c_call_done(struct c_call *c);

/* Waits, compares the outcome (outcome_text.h) and releases the call. */
void c_call_check(struct c_call *c, const char *expected);

/* One call, from its start to its end. */
void c_check(struct c_host *host, const char *name, const char *args,
             const char *expected);

#endif
