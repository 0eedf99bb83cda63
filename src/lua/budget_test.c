/*
 * What calls use: what handlers say of it, what budgets make of it, and what
 * the caller is told.
 */
#include "access/budget.h"

#include "access/authority.h"
#include "base/limits.h"
#include "base/test.h"
#include "config/config.h"
#include "support/live.h"
#include "support/lua_world.h"

static const char app_text[] =
    "local function one(id, cost, run)\n"
    "  capability(id) { description = 'd', run = run, cost = cost,\n"
    "    idempotent = true, input = { n = integer { default = 1 } } }\n"
    "end\n"
    "one('free', nil, function() return 'ran' end)\n"
    "one('fixed', { tokens = 10, usd = 0.5 }, function() return 'ran' end)\n"
    "one('fails', { tokens = 10 }, function() error('no') end)\n"
    "one('refuses', { tokens = 10 }, function(ctx)\n"
    "  return ctx:error('no') end)\n"
    "one('says', { tokens = 10 }, function(ctx, args)\n"
    "  ctx:spend { tokens = args.n }\n"
    "  ctx:spend { tokens = 1, usd = 0.25 } return 'ran' end)\n"
    "one('says_and_fails', { tokens = 10 }, function(ctx, args)\n"
    "  ctx:spend { tokens = args.n } error('no') end)\n"
    "one('writes', { tokens = 10 }, function(ctx, args)\n"
    "  ctx:spend { tokens = 3 }\n"
    "  ctx.kg:create('Task', task(args.n)) return 'ran' end)\n"
    "one('above', nil, function(ctx, args)\n"
    "  return ctx:invoke('says', args) end)\n"
    "one('above_fixed', nil, function(ctx)\n"
    "  ctx:invoke('fixed', {}) return ctx:invoke('fixed', {}) end)\n"
    "one('above_all', { tokens = 50 }, function(ctx)\n"
    "  return ctx:invoke('fixed', {}) end)\n"
    "one('above_failing', nil, function(ctx)\n"
    "  pcall(ctx.invoke, ctx, 'fails', {})\n"
    "  pcall(ctx.invoke, ctx, 'says_and_fails', {}) end)\n"
    "one('sleeps', nil, function(ctx) ctx:sleep(1) return 'ran' end)\n"
    "cap('make', function(ctx)\n"
    "  ctx.kg:create('Task', task(1), { id = 'trails://demo/Task/one' })\n"
    "end)\n"
    "policy 'fine' { run = function() return true end }\n"
    "capability 'all' { description = 'd', idempotent = true,\n"
    "  cost = { tokens = 7 }, input = { task = text },\n"
    "  policy_required = 'fine', preconditions = { { kind = 'state',\n"
    "    type = 'Task', arg = 'task', field = 'state',\n"
    "    one_of = { 'open' } } }, run = function() return 'ran' end }\n"
    "cap('try', function(ctx)\n"
    "  local said = {}\n"
    "  for i, t in ipairs { { tokens = -1 }, { usd = -0.1 }, { tokens = 0.5 "
    "},\n"
    "      { token = 1 }, 7, { tokens = 1e18 }, { usd = 1e9 },\n"
    "      { usd = 0 / 0 } } do\n"
    "    local ok, e = pcall(ctx.spend, ctx, t)\n"
    "    said[i] = ok and 'ok' or tostring(e):gsub('^app.lua:%d+: ', '') end\n"
    "  return table.concat(said, '; ') end)\n";

struct world {
    struct lua_world w;
    struct tr_arena arena;
    struct tr_access_authority authority;
};

static void open_world(struct world *f, const char *toml)
{
    const struct tr_config_load *load = NULL;
    struct tr_err err = {0};
    *f = (struct world){0};
    lua_world_open(&f->w, app_text);
    tr_arena_init(&f->arena, TR_MIB(1));
    CHECK_OK(tr_config_load(&f->arena, tr_str_from(toml), NULL, &load, &err),
             &err);
    CHECK_OK(tr_access_budgets_read(&f->arena, &load->config,
                                    &live_of(f->w.app.snapshot)->budgets, &err),
             &err);
}

static void close_world(struct world *f)
{
    lua_world_close(&f->w);
    tr_arena_done(&f->arena);
}

static void run(struct world *f, struct lua_call *c, const char *name,
                const char *args)
{
    lua_call_init(c, &f->w.app, name, args);
    if (f->authority.scopes)
        c->call.authority = &f->authority;
    lua_call_start(c);
    lua_call_wait(c, 1000);
}

static void check(struct world *f, const char *name, const char *args,
                  tr_status status)
{
    struct lua_call c;
    run(f, &c, name, args);
    if (c.outcome.status != status)
        print_error("%s\n", lua_call_text(&c));
    CHECK_ROW(c.outcome.status == status, name);
    lua_call_done(&c);
}

/* Of all accounts together. */
static int64_t used(struct world *f, const char *sql)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = false;
    struct tr_graph_reader *reader = f->w.env.reader;
    CHECK_OK(tr_graph_reader_begin(reader, &err), &err);
    CHECK_OK(tr_db_prepare(reader->db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t sum = row ? tr_db_column_i64(stmt, 0) : -1;
    tr_db_stmt_reset(stmt);
    tr_graph_reader_end(reader);
    return sum;
}

static const char calls[] = "SELECT sum(calls) FROM budget";
static const char tokens[] = "SELECT sum(tokens) FROM budget";
static const char micro_usd[] = "SELECT sum(micro_usd) FROM budget";

#define EACH "[budget]\nprincipal = ['* 1000 calls/day']\n"

static const struct {
    const char *name;
    tr_status status;
    int64_t calls, tokens, micro_usd;
} rows[] = {
    {"free", TR_OK, 1, 0, 0},
    {"fixed", TR_OK, 1, 10, 500000},
    {"fails", TR_E_INTERNAL, 1, 0, 0},
    {"refuses", TR_OK, 1, 0, 0},
    {"says", TR_OK, 1, 2, 250000},
    {"says_and_fails", TR_E_INTERNAL, 1, 1, 0},
    {"writes", TR_OK, 1, 3, 0},
    {"above", TR_OK, 1, 2, 250000},
    {"above_fixed", TR_OK, 1, 20, 1000000},
    {"above_all", TR_OK, 1, 50, 500000},
    {"above_failing", TR_OK, 1, 1, 0},
    {"sleeps", TR_OK, 1, 0, 0},
};

TEST(budget_counts_what_a_call_has_used)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct world f;
        open_world(&f, EACH);
        check(&f, rows[i].name, "{}", rows[i].status);
        CHECK_INT(used(&f, calls), rows[i].calls);
        CHECK_INT(used(&f, tokens), rows[i].tokens);
        CHECK_INT(used(&f, micro_usd), rows[i].micro_usd);
        close_world(&f);
    }
}

/* Refused before it came to anything. */
TEST(budget_counts_nothing_of_what_did_not_run)
{
    struct world f;
    open_world(&f, EACH);
    check(&f, "says", "{\"n\":\"x\"}", TR_E_VALIDATION);
    CHECK_INT(used(&f, "SELECT count(*) FROM budget"), 0);
    close_world(&f);
}

TEST(budget_of_who_has_no_budget_left_is_refused)
{
    struct world f;
    struct lua_call c;
    open_world(&f, "[budget]\nprincipal_capability = ['free 2 calls/day']\n");
    check(&f, "free", "{}", TR_OK);
    check(&f, "free", "{}", TR_OK);
    run(&f, &c, "free", "{}");
    CHECK_INT(c.outcome.status, TR_E_BUDGET);
    const struct tr_json *data = c.outcome.data;
    const struct tr_json *budget = tr_json_find(data, TR_STR("budget"));
    int64_t n = 0;
    CHECK_STR(tr_json_text(tr_json_find(data, TR_STR("principal"))), "alice");
    CHECK_STR(tr_json_text(tr_json_find(data, TR_STR("capability"))), "free");
    CHECK_STR(tr_json_text(tr_json_find(budget, TR_STR("level"))),
              "principal_capability");
    CHECK_STR(tr_json_text(tr_json_find(budget, TR_STR("unit"))), "calls");
    CHECK_STR(tr_json_text(tr_json_find(budget, TR_STR("window"))), "day");
    CHECK(tr_json_i64(tr_json_find(budget, TR_STR("limit")), &n) && n == 2);
    CHECK(tr_json_i64(tr_json_find(data, TR_STR("spent")), &n) && n == 2);
    CHECK(tr_json_i64(tr_json_find(data, TR_STR("retry_after_s")), &n) &&
          n > 0 && n <= 86400);
    lua_call_done(&c);
    check(&f, "fixed", "{}", TR_OK);
    close_world(&f);
}

/* So many at once cannot have more than there is. */
TEST(budget_of_many_at_once_is_bounded)
{
    struct world f;
    struct lua_call many[8];
    size_t ran = 0;
    open_world(&f, "[budget]\ncapability = ['sleeps 3 calls/day']\n");
    for (size_t i = 0; i < TR_LEN(many); i++) {
        lua_call_init(&many[i], &f.w.app, "sleeps", "{}");
        lua_call_start(&many[i]);
    }
    for (size_t i = 0; i < TR_LEN(many); i++) {
        lua_call_wait(&many[i], 1000);
        ran += many[i].outcome.status == TR_OK;
        lua_call_done(&many[i]);
    }
    CHECK_INT(ran, 3);
    close_world(&f);
}

TEST(budget_of_a_cancelled_call_is_given_back_if_it_did_not_run)
{
    struct world f;
    struct lua_call c;
    open_world(&f, EACH);
    lua_call_init(&c, &f.w.app, "fixed", "{}");
    lua_call_start(&c);
    CHECK(c.call.state == TR_CALL_HOLDING);
    tr_call_cancel(&c.call);
    lua_call_wait(&c, 0);
    CHECK_INT(c.outcome.status, TR_E_CANCELLED);
    lua_call_done(&c);
    CHECK_INT(used(&f, calls), 0);
    CHECK_INT(used(&f, tokens), 0);
    close_world(&f);
}

/* What is given out again has not run again. */
TEST(budget_of_a_repeated_call_is_that_of_the_first)
{
    static const char args[] = "{\"idempotency_key\":\"k\"}";
    struct world f;
    open_world(&f, "[budget]\ncapability = ['fixed 1 calls/day']\n");
    check(&f, "fixed", args, TR_OK);
    check(&f, "fixed", args, TR_OK);
    CHECK_INT(used(&f, calls), 1);
    check(&f, "fixed", "{\"idempotency_key\":\"l\"}", TR_E_BUDGET);
    check(&f, "fixed", args, TR_OK);
    close_world(&f);
}

TEST(budget_is_bounded_by_the_token_too)
{
    struct world f;
    open_world(&f, "");
    check(&f, "free", "{}", TR_OK);
    f.authority = (struct tr_access_authority){.is_authenticated = true,
                                               .scopes = TR_SCOPE_RUNTIME,
                                               .principal = TR_STR("token:ci"),
                                               .token_id = TR_STR("t1"),
                                               .limits = {.calls_day = 1}};
    check(&f, "free", "{}", TR_OK);
    check(&f, "free", "{}", TR_E_BUDGET);
    check(&f, "fixed", "{}", TR_E_BUDGET);
    f.authority.token_id = TR_STR("t2");
    check(&f, "free", "{}", TR_OK);
    close_world(&f);
}

/* All stages, with ever more room for what they need. */
TEST(stages_survive_without_memory)
{
    struct world f;
    size_t worked = 0;
    open_world(&f, "[budget]\nprincipal = ['* 100000 tokens/day']\n");
    lua_world_check(&f.w, "make", "[]");
    for (size_t max = 0; max < TR_KIB(48); max += 64) {
        struct lua_call c;
        char args[96];
        (void)snprintf(args, sizeof(args),
                       "{\"task\":\"one\",\"idempotency_key\":\"k%zu\"}", max);
        lua_call_init(&c, &f.w.app, "all", args);
        c.arena.max = max;
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK(c.outcome.status != TR_OK || !c.outcome.is_error);
        worked += c.outcome.status == TR_OK;
        lua_call_done(&c);
    }
    CHECK(worked > 10);
    CHECK_INT(used(&f, tokens), (int64_t)worked * 7);
    close_world(&f);
}

TEST(budget_that_cannot_be_is_refused)
{
    struct world f;
    struct lua_call c;
    open_world(&f, "");
    run(&f, &c, "try", "{}");
    CHECK_STR(tr_str_from(lua_call_text(&c)),
              "[{\"type\":\"text\",\"text\":\""
              "ctx:spend: what is spent is not negative; "
              "ctx:spend: what is spent is not negative; "
              "ctx:spend: 'tokens' must be a whole number, not number; "
              "ctx:spend: unknown option 'token', did you mean 'tokens'?; "
              "bad argument #2 to '?' (table expected, got number); "
              "ctx:spend: that is more than one call can spend; "
              "ctx:spend: that is more than one call can spend; "
              "ctx:spend: what is spent is not negative\"}]");
    lua_call_done(&c);
    close_world(&f);
}
