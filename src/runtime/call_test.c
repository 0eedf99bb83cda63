/*
 * Calls between a door and hosts: how they end, and how they are made to.
 */
#include "runtime/call.h"

#include "access/authority.h"
#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"
#include "loop/loop.h"
#include "runtime/wire_error.h"

struct fixture {
    struct tr_call call; /* first: the door finds us by it */
    struct tr_loop *loop;
    const struct tr_cap_snapshot *snapshot;
    struct tr_arena arena;
    size_t finished;
    struct tr_call_outcome outcome;
};

/* Handlers in C. -----------------------------------------------------------*/

static void end_well(struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    tr_call_finish(call, &outcome);
}

static void ignore(struct tr_call *call)
{
    (void)call;
}

static const struct tr_call_host_ops obedient = {.cancel = end_well};
static const struct tr_call_host_ops deaf = {.cancel = ignore};

/* Waits until it is cancelled, and then says that all went well. */
static void wait_obediently(const struct tr_cap_handler *handler,
                            struct tr_call *call)
{
    (void)handler;
    call->host = &obedient;
}

/* Waits for the test to end it. */
static void wait_deafly(const struct tr_cap_handler *handler,
                        struct tr_call *call)
{
    (void)handler;
    call->host = &deaf;
}

static void pass_on(struct tr_call *parent, void *data,
                    const struct tr_call_outcome *outcome)
{
    (void)data;
    tr_call_finish(parent, outcome);
}

/* Invokes the capability whose id is its data, and ends as that does. */
static void invoke(const struct tr_cap_handler *handler, struct tr_call *call)
{
    static const struct tr_json no_args = {.kind = TR_JSON_OBJECT};
    struct tr_call_outcome outcome = {0};
    struct tr_call_invoke_child request = {
        .id = tr_str_from(handler->data), .args = &no_args, .done = pass_on};
    call->host = &deaf;
    outcome.status = tr_call_invoke_child(call, &request, &outcome.err);
    if (outcome.status != TR_OK)
        tr_call_finish(call, &outcome);
}

/* The door. ----------------------------------------------------------------*/

static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct fixture *f = (struct fixture *)(void *)call;
    f->finished++;
    f->outcome = *outcome;
}

static const struct tr_call_door_ops door = {.finished = finished};

static void add(struct tr_cap_builder *builder, const char *id,
                tr_cap_handler_fn *run, const char *data)
{
    struct tr_err err = {0};
    struct tr_cap cap = {
        .id = tr_str_from(id),
        .description = TR_STR("For a test."),
        .handler = {run, data},
    };
    CHECK_OK(tr_cap_registry_add_cap(builder, &cap, &err), &err);
}

static void open_with(struct fixture *f, const char *id, uint64_t timeout_ms)
{
    static const struct tr_json no_args = {.kind = TR_JSON_OBJECT};
    static const struct tr_access_authority somebody = {.scopes =
                                                            TR_SCOPE_RUNTIME};
    struct tr_loop_opts clock = {.test_clock = true};
    struct tr_cap_builder *builder = NULL;
    struct tr_err err = {0};
    *f = (struct fixture){0};
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    add(builder, "obedient", wait_obediently, NULL);
    add(builder, "deaf", wait_deafly, NULL);
    add(builder, "above_obedient", invoke, "obedient");
    add(builder, "above_deaf", invoke, "deaf");
    add(builder, "top", invoke, "above_obedient");
    add(builder, "endless", invoke, "endless");
    CHECK_OK(tr_cap_registry_build(builder, &f->snapshot, &err), &err);
    tr_cap_builder_free(builder);
    CHECK_OK(tr_loop_create(&clock, &f->loop, &err), &err);
    tr_arena_init(&f->arena, TR_MIB(1));
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(f->snapshot, tr_str_from(id));
    f->call = (struct tr_call){
        .authority = &somebody,
        .loop = f->loop,
        .arena = &f->arena,
        .snapshot = f->snapshot,
        .handler = &cap->handler,
        .cap = cap,
        .args = &no_args,
        .door = &door,
        .timeout_ms = timeout_ms,
    };
    tr_call_invoke(&f->call);
}

static void close_fixture(struct fixture *f)
{
    tr_arena_done(&f->arena);
    tr_cap_snapshot_unpin(f->snapshot);
    tr_loop_free(f->loop);
}

TEST(call_cancelled_ends_as_such_whatever_its_host_says)
{
    static const char *const names[] = {"obedient", "above_obedient", "top"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct fixture f;
        open_with(&f, names[i], 0);
        CHECK_ROW(f.finished == 0, names[i]);
        tr_call_cancel(&f.call);
        CHECK_ROW(f.finished == 1, names[i]);
        CHECK_ROW(f.outcome.status == TR_E_CANCELLED, names[i]);
        close_fixture(&f);
    }
}

/* The arena is the parent's: it may not be released under a child. */
TEST(call_cancelled_waits_for_a_child_that_cannot_stop)
{
    struct fixture f;
    open_with(&f, "above_deaf", 0);
    tr_call_cancel(&f.call);
    tr_call_cancel(&f.call);
    CHECK_INT(f.finished, 0);
    CHECK(tr_call_is_stopped(f.call.child));
    end_well(f.call.child);
    CHECK_INT(f.finished, 1);
    CHECK_INT(f.outcome.status, TR_E_CANCELLED);
    CHECK(f.call.child == NULL);
    close_fixture(&f);
}

TEST(call_past_its_deadline_ends_with_a_timeout)
{
    static const char *const names[] = {"obedient", "above_obedient", "top"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct fixture f;
        open_with(&f, names[i], 1500);
        tr_loop_step(f.loop, 1499);
        CHECK_ROW(f.finished == 0, names[i]);
        tr_loop_step(f.loop, 1);
        CHECK_ROW(f.finished == 1, names[i]);
        CHECK_ROW(f.outcome.status == TR_E_TIMEOUT, names[i]);
        CHECK_STR(tr_str_from(f.outcome.err.msg),
                  "the call took longer than 1.5 s");
        CHECK_STR(tr_json_text(tr_json_find(f.outcome.data, TR_STR("reason"))),
                  "timeout");
        close_fixture(&f);
    }
}

TEST(call_in_time_leaves_no_timer_behind)
{
    struct fixture f;
    open_with(&f, "above_deaf", 1000);
    CHECK(f.call.timer.active);
    end_well(f.call.child);
    CHECK_INT(f.finished, 1);
    CHECK_INT(f.outcome.status, TR_OK);
    CHECK(!f.call.timer.active);
    close_fixture(&f);
}

/* Why it ends is decided once. */
TEST(call_cancelled_before_its_deadline_stays_cancelled)
{
    struct fixture f;
    open_with(&f, "deaf", 1000);
    tr_call_cancel(&f.call);
    tr_loop_step(f.loop, 1000);
    CHECK_INT(f.finished, 0);
    end_well(&f.call);
    CHECK_INT(f.outcome.status, TR_E_CANCELLED);
    close_fixture(&f);
}

TEST(call_must_end_counts_the_time_of_the_turn)
{
    struct fixture f;
    open_with(&f, "above_deaf", 1000);
    tr_loop_step(f.loop, 400);
    CHECK(!tr_call_must_end(f.call.child, 599));
    CHECK(!tr_call_is_stopped(&f.call));
    CHECK(tr_call_must_end(f.call.child, 600));
    CHECK(tr_call_is_stopped(&f.call));
    end_well(f.call.child);
    CHECK_INT(f.outcome.status, TR_E_TIMEOUT);
    close_fixture(&f);
}

TEST(call_without_a_deadline_may_take_for_ever)
{
    struct fixture f;
    open_with(&f, "deaf", 0);
    CHECK(!tr_call_must_end(&f.call, UINT64_MAX / 2));
    end_well(&f.call);
    CHECK_INT(f.outcome.status, TR_OK);
    close_fixture(&f);
}

TEST(call_that_invokes_itself_ends_at_a_depth)
{
    struct fixture f;
    open_with(&f, "endless", 0);
    CHECK_INT(f.finished, 1);
    CHECK_INT(f.outcome.status, TR_E_LIMIT);
    CHECK_STR(tr_str_from(f.outcome.err.msg),
              "capabilities invoke each other more than 8 levels deep");
    close_fixture(&f);
}

/* In production the text of what is hidden does not leave the house. */
TEST(wire_error_hides_only_what_tells_of_our_insides)
{
    for (int status = TR_OK; status <= TR_E_INTERNAL; status++) {
        struct tr_call_wire_error wire =
            tr_call_wire_error((tr_status)status, false);
        bool is_inside = status == TR_E_NOMEM || status == TR_E_IO ||
                         status == TR_E_INTERNAL;
        CHECK_ROW(wire.is_hidden == is_inside,
                  tr_status_name((tr_status)status));
        CHECK_ROW(!wire.is_hidden || wire.is_ours,
                  tr_status_name((tr_status)status));
    }
    CHECK_INT(tr_call_wire_error(TR_E_TIMEOUT, true).code, -32603);
    CHECK_INT(tr_call_wire_error((tr_status)1000, true).code, -32603);
}
