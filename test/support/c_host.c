#include "support/c_host.h"

#include "access/authority.h"
#include "access/budget.h"
#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"
#include "config/config.h"
#include "fields/field.h"
#include "json/reader.h"
#include "loop/loop.h"
#include "model/model.h"
#include "runtime/call.h"
#include "runtime/idempotency_queue.h"
#include "support/live.h"
#include "support/outcome_text.h"
#include "support/team.h"

static struct c_call *call_of(struct tr_call *call)
{
    return (struct c_call *)(void *)tr_call_root(call);
}

/* Runs the loop until something_happened is called. */
static void run_loop(struct c_host *host)
{
    host->is_running = true;
    tr_loop_run(host->loop);
}

static void something_happened(struct c_host *host)
{
    if (host->is_running)
        tr_loop_stop(host->loop);
    host->is_running = false;
}

/* The app. -----------------------------------------------------------------*/

void c_host_open(struct c_host *host)
{
    struct tr_loop_opts clock = {.test_clock = true};
    struct tr_err err = {0};
    *host = (struct c_host){0};
    tr_arena_init(&host->arena, TR_MIB(1));
    folder_open(&host->folder);
    struct tr_graph_store_opts opts = {.folder = host->folder.path,
                                       .db = {.no_sync = true}};
    CHECK_OK(tr_graph_store_open(&opts, &host->store, &err), &err);
    CHECK_OK(tr_loop_create(&clock, &host->loop, &err), &err);
    CHECK_OK(tr_server_env_open(&host->env, host->store, host->loop,
                                (struct tr_prov_keep){0}, NULL, &err),
             &err);
    CHECK_OK(tr_call_idempotency_queue_create(
                 &host->env.calls.idempotency_queue, &err),
             &err);
}

const struct tr_json *c_host_json(struct c_host *host, const char *text)
{
    const struct tr_json *value = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(&host->arena, tr_str_from(text), NULL, &value, &err),
             &err);
    return value;
}

static void read_budgets(struct c_host *host, const char *toml)
{
    const struct tr_config_load *load = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_config_load(&host->arena, tr_str_from(toml), NULL, &load, &err),
             &err);
    CHECK_OK(tr_access_budgets_read(&host->arena, &load->config,
                                    &live_of(host->snapshot)->budgets, &err),
             &err);
}

static void register_shape(struct tr_cap_builder *builder,
                           const struct tr_shape **shape)
{
    struct tr_err err = {0};
    if (*shape)
        CHECK_OK(tr_shape_register(tr_cap_registry_arena(builder),
                                   tr_cap_registry_patterns(builder), *shape,
                                   shape, &err),
                 &err);
}

static void add_cap(struct tr_cap_builder *builder, const struct tr_cap *cap)
{
    struct tr_cap draft = *cap;
    struct tr_err err = {0};
    register_shape(builder, &draft.input_shape);
    register_shape(builder, &draft.output_shape);
    draft.description = TR_STR("For a test.");
    if (!draft.handler.run)
        draft.handler.run = c_run;
    CHECK_OK(tr_cap_registry_add_cap(builder, &draft, &err), &err);
}

void c_host_start(struct c_host *host, const struct c_app *app)
{
    const struct tr_cap_registry_opts opts = {.undeclared_may_write = true};
    struct tr_cap_builder *builder = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(&opts, &builder, &err), &err);
    CHECK_OK(tr_cap_registry_take_model(builder, team_model(), &err), &err);
    for (size_t i = 0; i < app->policy_count; i++)
        CHECK_OK(tr_cap_registry_add_policy(builder, &app->policies[i], &err),
                 &err);
    for (size_t i = 0; i < app->cap_count; i++)
        add_cap(builder, app->caps[i]);
    CHECK_OK(tr_cap_registry_build(builder, &host->snapshot, &err), &err);
    tr_cap_builder_free(builder);
    if (app->budgets)
        read_budgets(host, app->budgets);
}

void c_host_close(struct c_host *host)
{
    tr_server_env_close(&host->env);
    tr_call_idempotency_queue_free(host->env.calls.idempotency_queue);
    tr_cap_snapshot_unpin(host->snapshot);
    tr_loop_free(host->loop);
    tr_graph_store_close(host->store);
    tr_arena_done(&host->arena);
    folder_close(&host->folder);
}

int64_t c_host_number(struct c_host *host, const char *sql)
{
    struct tr_graph_reader *reader = host->env.calls.reader;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = false;
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    CHECK_OK(tr_db_prepare(reader->db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t number = row ? tr_db_column_i64(stmt, 0) : -1;
    tr_db_stmt_reset(stmt);
    tr_graph_reader_end(reader);
    return number;
}

/* Handlers. ----------------------------------------------------------------*/

/* JSON of a text that need not stay; NULL without memory. */
static const struct tr_json *json_of(const struct tr_call *call,
                                     const char *text)
{
    const struct tr_json *value = NULL;
    tr_str copy;
    if (!tr_arena_copy(call->arena, tr_str_from(text), &copy) ||
        tr_json_read(call->arena, copy, NULL, &value, NULL) != TR_OK)
        return NULL;
    return value;
}

static void return_count(struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    char text[32];
    (void)snprintf(text, sizeof(text), "{\"ran\":%zu}",
                   call_of(call)->host->ran);
    outcome.value = json_of(call, text);
    if (!outcome.value)
        outcome.status = tr_fail(&outcome.err, TR_E_NOMEM, "no memory");
    tr_call_finish(call, &outcome);
}

void c_run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    call_of(call)->host->ran++;
    return_count(call);
}

static void on_cancel(struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    call_of(call)->waiting = NULL;
    tr_call_finish(call, &outcome);
}

static const struct tr_call_host_ops waiting = {.cancel = on_cancel};

/* The test, which may run the loop, has its turn. */
static void wait_for_test(struct tr_call *call)
{
    call->host = &waiting;
    call_of(call)->waiting = call;
    something_happened(call_of(call)->host);
}

void c_run_and_wait(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    call_of(call)->host->ran++;
    wait_for_test(call);
}

static tr_status create_task(struct tr_call *call, struct tr_err *err)
{
    int64_t number = 0;
    struct tr_graph_kg *kg = NULL;
    char text[128];
    char iri[64];
    tr_str made;
    (void)tr_json_i64(tr_json_find(call->args, TR_STR("number")), &number);
    (void)snprintf(iri, sizeof(iri), "trails://team/Task/%d", (int)number);
    (void)snprintf(text, sizeof(text),
                   "{\"name\":\"A task\",\"project\":\"p\","
                   "\"state\":\"open\",\"number\":%d}",
                   (int)number);
    const struct tr_json *fields = json_of(call, text);
    if (!fields)
        return tr_fail(err, TR_E_NOMEM, "no memory");
    TR_TRY(tr_call_kg(call, &kg, err));
    return tr_graph_kg_create(kg, tr_model_find(kg->model, TR_STR("Task")),
                              tr_str_from(iri), fields, &made, err);
}

void c_run_and_create(const struct tr_cap_handler *handler,
                      struct tr_call *call)
{
    struct tr_call_outcome failure = {0};
    (void)handler;
    call_of(call)->host->ran++;
    failure.status = create_task(call, &failure.err);
    if (failure.status == TR_OK)
        return_count(call);
    else
        tr_call_finish(call, &failure);
}

void c_allow(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    tr_call_finish(call, &outcome);
}

void c_deny(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    (void)handler;
    outcome.status = tr_fail(&outcome.err, TR_E_POLICY, "not today");
    tr_call_finish(call, &outcome);
}

void c_allow_later(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    wait_for_test(call);
}

/* Calls. -------------------------------------------------------------------*/

/* Stops the loop, which the test runs while it waits. */
static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct c_call *c = (struct c_call *)(void *)call;
    c->finished++;
    c->outcome = *outcome;
    something_happened(c->host);
}

static const struct tr_call_door_ops door = {.finished = finished};

void c_call_init(struct c_call *c, struct c_host *host, const char *name,
                 const char *args)
{
    static const struct tr_access_authority alice = {.is_authenticated = true,
                                                     .scopes = TR_SCOPE_ALL,
                                                     .principal =
                                                         TR_STR_INIT("alice")};
    const struct tr_cap *cap =
        tr_cap_snapshot_find_cap(host->snapshot, tr_str_from(name));
    struct tr_err err = {0};
    CHECK_ROW(cap != NULL, name);
    *c = (struct c_call){.host = host};
    tr_arena_init(&c->arena, TR_MIB(16));
    c->call = (struct tr_call){
        .loop = host->loop,
        .arena = &c->arena,
        .snapshot = host->snapshot,
        .env = &host->env.calls,
        .handler = &cap->handler,
        .cap = cap,
        .principal = alice.principal,
        .authority = &alice,
        .door = &door,
    };
    CHECK_OK(
        tr_json_read(&c->arena, tr_str_from(args), NULL, &c->call.args, &err),
        &err);
}

void c_call_start(struct c_call *c)
{
    tr_call_invoke(&c->call);
}

void c_call_wait(struct c_call *c)
{
    while (!c->finished)
        run_loop(c->host);
}

void c_call_wait_until_it_waits(struct c_call *c)
{
    while (!c->waiting)
        run_loop(c->host);
}

void c_call_finish(struct c_call *c)
{
    struct tr_call *call = c->waiting;
    c->waiting = NULL;
    if (call->cap)
        return_count(call);
    else
        c_allow(call->handler, call);
}

void c_call_done(struct c_call *c)
{
    CHECK_INT(c->finished, 1);
    tr_arena_done(&c->arena);
}

void c_call_check(struct c_call *c, const char *expected)
{
    struct tr_buf text;
    c_call_wait(c);
    tr_buf_init_fixed(&text, c->text, sizeof(c->text));
    outcome_put(&text, &c->outcome);
    CHECK_STR(tr_buf_str(&text), expected);
    c_call_done(c);
}

void c_check(struct c_host *host, const char *name, const char *args,
             const char *expected)
{
    struct c_call c;
    c_call_init(&c, host, name, args);
    c_call_start(&c);
    c_call_check(&c, expected);
}
