/*
 * What rounds and nested calls cost. A call that is answered while it waits is
 * the measure: in rounds it costs the same, in every account.
 */
#include "access/budget.h"
#include "base/limits.h"
#include "base/test.h"
#include "config/config.h"
#include "support/live.h"
#include "support/lua_world.h"

static const char app_text[] =
    "local function ask(ctx, key)\n"
    "  ctx:elicit { key = key, message = 'x', fields = { ok = boolean } }\n"
    "end\n"
    "local function spend(ctx, n) ctx:spend { tokens = n, usd = n / 100 } end\n"
    "local function one(id, tokens, run)\n"
    "  capability(id) { description = 'd', run = run,\n"
    "    cost = { tokens = tokens } }\n"
    "end\n"
    "one('fixed', 5, function(ctx) ask(ctx, 'a') return 'ran' end)\n"
    "one('spends', 0, function(ctx)\n"
    "  spend(ctx, 10) ask(ctx, 'a') return 'ran' end)\n"
    "one('stated', 10, function(ctx)\n"
    "  spend(ctx, 10) ask(ctx, 'a') return 'ran' end)\n"
    "one('thrice', 0, function(ctx)\n"
    "  spend(ctx, 4) ask(ctx, 'a') spend(ctx, 3) ask(ctx, 'b')\n"
    "  spend(ctx, 3) ask(ctx, 'c') return 'ran' end)\n"
    "one('fails', 9, function(ctx)\n"
    "  spend(ctx, 2) ask(ctx, 'a') spend(ctx, 1) error('no') end)\n"
    "one('plain', 7, function() return 'ran' end)\n"
    "one('says', 9, function(ctx) spend(ctx, 2) return 'ran' end)\n"
    "one('makes', 3, function(ctx)\n"
    "  local n = ctx.kg:count('Task')\n"
    "  ctx.kg:create('Task', task(n + 1)) return 'ran' end)\n"
    "one('asks', 6, function(ctx)\n"
    "  spend(ctx, 1) ask(ctx, 'a') spend(ctx, 1) return 'ran' end)\n"
    "one('middle', 1, function(ctx)\n"
    "  ctx:invoke('says', {}) ctx:invoke('plain', {})\n"
    "  ctx:invoke('asks', {}) return 'ran' end)\n"
    "one('above_plain', 1, function(ctx)\n"
    "  ctx:invoke('plain', {}) ask(ctx, 'a') ctx:invoke('plain', {})\n"
    "  return 'ran' end)\n"
    "one('above_says', 1, function(ctx)\n"
    "  ctx:invoke('says', {}) ask(ctx, 'a') spend(ctx, 1)\n"
    "  ctx:invoke('says', {}) return 'ran' end)\n"
    "one('above_makes', 1, function(ctx)\n"
    "  ctx:invoke('makes', {}) ctx:invoke('says', {})\n"
    "  ctx:invoke('makes', {}) ask(ctx, 'a')\n"
    "  ctx:invoke('makes', {}) return 'ran' end)\n"
    "one('above_asks', 1, function(ctx)\n"
    "  ctx:invoke('asks', {}) return 'ran' end)\n"
    "one('above_middle', 1, function(ctx)\n"
    "  spend(ctx, 2) ctx:invoke('middle', {}) ask(ctx, 'b')\n"
    "  ctx:invoke('asks', {}) return 'ran' end)\n"
    "resource 'test://asks' { name = 'r', run = function(ctx)\n"
    "  spend(ctx, 2) ask(ctx, 'a') spend(ctx, 1) return 'ran' end }\n"
    "prompt 'tell' { description = 'd', arguments = { x = text {\n"
    "  optional = true } },\n"
    "  run = function(ctx) spend(ctx, 2) ask(ctx, 'a')\n"
    "    ctx:invoke('says', {}) return 'ran' end }\n"
    "completion { prompt = 'tell', argument = 'x', run = function(ctx)\n"
    "  spend(ctx, 3) ctx:invoke('above_twice', {}) ctx:invoke('plain', {})\n"
    "  return {} end }\n"
    "one('above_twice', 1, function(ctx)\n"
    "  ctx:invoke('says', {}) return ctx:invoke('says', {}) end)\n"
    "resource 'test://plain' { name = 'p', run = function(ctx)\n"
    "  return ctx:invoke('plain', {}) end }\n"
    "prompt 'through' { description = 'd', arguments = { x = text {\n"
    "  optional = true } },\n"
    "  run = function(ctx) return ctx:invoke('plain', {}) end }\n"
    "completion { prompt = 'through', argument = 'x', run = function(ctx)\n"
    "  ctx:invoke('plain', {}) return {} end }\n"
    "one('to_plain', 0, function(ctx) return ctx:invoke('plain', {}) end)\n"
    "one('to_to_plain', 0, function(ctx)\n"
    "  return ctx:invoke('to_plain', {}) end)\n"
    "one('asks_for_plain', 0, function(ctx)\n"
    "  ask(ctx, 'a') return ctx:invoke('plain', {}) end)\n"
    "one('catches', 0, function(ctx)\n"
    "  local ok, e = pcall(ctx.invoke, ctx, 'plain', {})\n"
    "  return (ok and 'ok' or e.code) end)\n"
    "one('takes', 1, function(ctx)\n"
    "  spend(ctx, 2) ctx:invoke('plain', {}) ctx:invoke('says', {})\n"
    "  ctx.kg:next 'c' ctx:sleep(1) return 'ran' end)\n"
    "one('rival', 0, function(ctx) ctx.kg:next 'c' return 'ran' end)\n"
    "one('idle', 0, function() return 'ran' end)\n";

#define EVERY                                                                  \
    "[budget]\n"                                                               \
    "capability = ['* 1000 calls/day', '* 1000 tokens/day']\n"                 \
    "principal_capability = ['* 1000 usd/hour']\n"                             \
    "principal = ['* 1000 calls/day', '* 1000 tokens/hour']\n"

struct accounts {
    struct lua_world w;
    struct tr_arena arena;
};

static void open_accounts(struct accounts *f, const char *toml)
{
    const struct tr_config_load *load = NULL;
    *f = (struct accounts){0};
    lua_world_open(&f->w, app_text);
    tr_arena_init(&f->arena, TR_MIB(1));
    CHECK_OK(tr_config_load(&f->arena, tr_str_from(toml), NULL, &load, NULL),
             NULL);
    CHECK_OK(tr_access_budgets_read(&f->arena, &load->config,
                                    &live_of(f->w.app.snapshot)->budgets, NULL),
             NULL);
}

static void close_accounts(struct accounts *f)
{
    lua_world_close(&f->w);
    tr_arena_done(&f->arena);
}

/* All accounts in one line, but for what was claimed. */
static void read_accounts(struct accounts *f, char *out, size_t size)
{
    struct tr_graph_reader *reader = f->w.env.reader;
    struct tr_db_stmt *stmt;
    bool row = false;
    CHECK_OK(tr_graph_reader_begin(reader, NULL), NULL);
    CHECK_OK(tr_db_prepare(
                 reader->db,
                 "SELECT coalesce(group_concat(line, '\n'), '') FROM (SELECT"
                 " printf('%d %s %d: %d %d %d', level, capability, window,"
                 " calls, tokens, micro_usd) AS line FROM budget"
                 " WHERE level < 4 ORDER BY level, capability, window)",
                 &stmt, NULL),
             NULL);
    CHECK_OK(tr_db_stmt_step(stmt, &row, NULL), NULL);
    (void)snprintf(out, size, "%.*s", TR_FMT(tr_db_column_text(stmt, 0)));
    tr_db_stmt_reset(stmt);
    tr_graph_reader_end(reader);
}

#define MOST 8

static void add_answer(char *answers, size_t size, tr_str key)
{
    size_t len = strlen(answers);
    if (len > 1)
        answers[len - 1] = ','; /* instead of the brace */
    (void)snprintf(answers + len, size - len,
                   "\"%.*s\":{\"action\":\"decline\"}}", TR_FMT(key));
}

static void release(struct lua_call *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lua_call_done(&c[i]);
}

/* Answers the newest question until there is none left: so many calls. */
static tr_status call_in_rounds(struct accounts *f, const char *name,
                                struct lua_call *c, size_t *count)
{
    char answers[512] = "{";
    bool has_ended = false;
    tr_status status = TR_OK;
    for (*count = 0; !has_ended; ++*count) {
        struct lua_call *next = &c[*count];
        CHECK(*count < MOST);
        lua_call_init(next, &f->w.app, name, "{}");
        next->asking = LUA_ASK_ROUNDS;
        if (*count)
            lua_call_again(next, next - 1, answers);
        else
            lua_call_start(next);
        lua_call_wait(next, 0);
        status = next->outcome.status;
        has_ended = !next->round_ended;
        if (!has_ended)
            add_answer(answers, sizeof(answers), next->asked);
    }
    return status;
}

/* Answered while it waits, so that there is one round. */
static tr_status call_at_once(struct accounts *f, const char *name)
{
    struct lua_call c;
    struct tr_json answer = {.kind = TR_JSON_OBJECT};
    lua_call_init(&c, &f->w.app, name, "{}");
    c.asking = LUA_ASK_LATER;
    lua_call_start(&c);
    while (!c.finished) {
        struct tr_call *asker = c.asker;
        c.asker = NULL;
        if (asker) {
            c.asks[0].answer = &answer;
            asker->host->resume(asker);
        } else {
            lua_call_turn(&c, 0);
        }
    }
    tr_status status = c.outcome.status;
    lua_call_done(&c);
    return status;
}

static const struct {
    const char *name;
    size_t rounds;
    tr_status status;
} rows[] = {
    {"fixed", 2, TR_OK},         {"spends", 2, TR_OK},
    {"stated", 2, TR_OK},        {"thrice", 4, TR_OK},
    {"fails", 2, TR_E_INTERNAL}, {"above_plain", 2, TR_OK},
    {"above_says", 2, TR_OK},    {"above_makes", 2, TR_OK},
    {"above_asks", 2, TR_OK},    {"above_middle", 4, TR_OK},
    {"test://asks", 2, TR_OK},   {"tell", 2, TR_OK},
};

TEST(budget_of_rounds_is_that_of_one_call)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct accounts f;
        char expected[4096];
        char actual[4096];
        struct lua_call c[MOST];
        size_t rounds = 0;
        open_accounts(&f, EVERY);
        CHECK_ROW(call_at_once(&f, rows[i].name) == rows[i].status,
                  rows[i].name);
        read_accounts(&f, expected, sizeof(expected));
        close_accounts(&f);
        open_accounts(&f, EVERY);
        CHECK_ROW(call_in_rounds(&f, rows[i].name, c, &rounds) ==
                      rows[i].status,
                  rows[i].name);
        CHECK_INT(rounds, rows[i].rounds);
        read_accounts(&f, actual, sizeof(actual));
        CHECK(strlen(expected) > 10);
        CHECK_STR(tr_str_from(actual), expected);
        release(c, rounds);
        close_accounts(&f);
    }
}

/* Who comes twice with the same state pays twice, for everything. */
TEST(budget_of_a_round_that_is_repeated_is_paid_again)
{
    struct accounts f;
    struct lua_call c[MOST];
    struct lua_call again;
    char text[4096];
    size_t count = 0;
    open_accounts(&f, "[budget]\nprincipal = ['* 25 tokens/day']\n");
    CHECK_INT(call_in_rounds(&f, "spends", c, &count), TR_OK);
    read_accounts(&f, text, sizeof(text));
    CHECK_STR(tr_str_from(text), "2  86400: 1 10 100000");
    for (size_t i = 0; i < 3; i++) {
        lua_call_init(&again, &f.w.app, "spends", "{}");
        lua_call_again(&again, &c[0], "{\"a\":{\"action\":\"decline\"}}");
        lua_call_wait(&again, 0);
        CHECK_INT(again.outcome.status, i < 2 ? TR_OK : TR_E_BUDGET);
        lua_call_done(&again);
    }
    read_accounts(&f, text, sizeof(text));
    CHECK_STR(tr_str_from(text), "2  86400: 3 30 300000");
    release(c, count);
    close_accounts(&f);
}

/* The call was paid, so that it may go on; what it spends was not. */
TEST(budget_that_is_used_up_refuses_a_further_round)
{
    static const struct {
        const char *budgets;
        tr_status status; /* of the second round */
    } limits[] = {
        {"[budget]\ncapability = ['spends 1 calls/day']\n", TR_OK},
        {"[budget]\ncapability = ['spends 10 tokens/day']\n", TR_E_BUDGET},
        {"[budget]\nprincipal = ['alice 0.1 usd/day']\n", TR_E_BUDGET},
    };
    for (size_t i = 0; i < TR_LEN(limits); i++) {
        struct accounts f;
        struct lua_call c[MOST];
        size_t count = 0;
        open_accounts(&f, limits[i].budgets);
        CHECK_INT(call_in_rounds(&f, "spends", c, &count), limits[i].status);
        CHECK_INT(count, 2);
        release(c, count);
        CHECK_INT(call_in_rounds(&f, "spends", c, &count), TR_E_BUDGET);
        CHECK_INT(count, 1);
        release(c, count);
        close_accounts(&f);
    }
}

/* Every way to the capability `plain`. */
TEST(budget_of_a_capability_holds_however_it_is_reached)
{
    static const char *const ways[] = {
        "plain",        "to_plain",  "to_to_plain",
        "test://plain", "through#x", "asks_for_plain",
    };
    static const char *const budgets[] = {
        "[budget]\ncapability = ['plain 2 calls/day']\n",
        "[budget]\ncapability = ['plain 14 tokens/day']\n",
        "[budget]\nprincipal_capability = ['* 2 calls/hour']\n",
    };
    for (size_t i = 0; i < TR_LEN(budgets) * TR_LEN(ways); i++) {
        const char *way = ways[i % TR_LEN(ways)];
        struct accounts f;
        struct lua_call c[MOST];
        size_t count = 0;
        open_accounts(&f, budgets[i / TR_LEN(ways)]);
        for (size_t j = 0; j < 3; j++) {
            tr_status status = call_in_rounds(&f, way, c, &count);
            CHECK_ROW(status == (j < 2 ? TR_OK : TR_E_BUDGET), way);
            const struct tr_json *data = c[count - 1].outcome.data;
            CHECK_ROW((j == 2) == (data != NULL), way);
            release(c, count);
        }
        CHECK_INT(call_in_rounds(&f, "plain", c, &count), TR_E_BUDGET);
        release(c, count);
        lua_world_check(&f.w, "catches",
                        "[{\"type\":\"text\",\"text\":\"budget\"}]");
        close_accounts(&f);
    }
}

/*
 * For a caller, what a tool, a resource or a prompt invokes is a part of it; a
 * completion is none, and what it invokes counts.
 */
TEST(budget_of_a_caller_counts_calls_once)
{
    static const struct {
        const char *name;
        const char *expected; /* its account */
    } calls[] = {
        {"idle", "2  86400: 1 0 0"},
        {"to_plain", "2  86400: 1 7 0"},
        {"to_to_plain", "2  86400: 1 7 0"},
        {"above_twice", "2  86400: 1 4 40000"},
        {"test://plain", "2  86400: 1 7 0"},
        {"through#x", "2  86400: 1 7 0"},
        {"tell#x", "2  86400: 2 14 70000"},
    };
    for (size_t i = 0; i < TR_LEN(calls); i++) {
        struct accounts f;
        struct lua_call c[MOST];
        char text[4096];
        size_t count = 0;
        open_accounts(&f, "[budget]\nprincipal = ['* 100 calls/day',"
                          " '* 1000 tokens/day']\n");
        CHECK_ROW(call_in_rounds(&f, calls[i].name, c, &count) == TR_OK,
                  calls[i].name);
        read_accounts(&f, text, sizeof(text));
        CHECK_STR(tr_str_from(text), calls[i].expected);
        release(c, count);
        close_accounts(&f);
    }
}

/* One that only looks costs nothing: no budget of calls concerns it. */
TEST(budget_refuses_a_completion_when_nothing_is_left_to_spend)
{
    struct accounts f;
    struct lua_call c[MOST];
    size_t count = 0;
    open_accounts(&f, "[budget]\nprincipal = ['* 14 tokens/day']\n");
    for (size_t i = 0; i < 2; i++) {
        CHECK_INT(call_in_rounds(&f, "tell#x", c, &count),
                  i ? TR_E_BUDGET : TR_OK);
        release(c, count);
    }
    close_accounts(&f);
}

/* The same call, with others that are first in some of its tries. */
static void read_race(unsigned lost, char *out, size_t size)
{
    struct accounts f;
    struct lua_call c;
    open_accounts(&f, EVERY);
    struct tr_cap_live *live = live_of(f.w.app.snapshot);
    const struct tr_access_budgets *budgets = live->budgets;
    live->retries = 5;
    lua_call_init(&c, &f.w.app, "takes", "{}");
    lua_call_start(&c);
    while (c.call.state != TR_CALL_RUNNING || c.call.child)
        lua_call_turn(&c, 0);
    for (unsigned i = 0; i < lost; i++) {
        while (c.call.retried < i)
            lua_call_turn(&c, 300);
        live->budgets = NULL; /* the rival's are free of charge */
        lua_check(&f.w.app, "rival", "{}",
                  "[{\"type\":\"text\",\"text\":\"ran\"}]");
        live->budgets = budgets;
    }
    lua_call_wait(&c, 1000);
    CHECK_INT(c.outcome.status, TR_OK);
    CHECK_INT(c.call.retried, lost);
    read_accounts(&f, out, size);
    lua_call_done(&c);
    close_accounts(&f);
}

TEST(budget_of_a_call_that_is_run_again_is_paid_once)
{
    char once[1024];
    char again[1024];
    read_race(0, once, sizeof(once));
    CHECK(strstr(once, "takes"));
    for (unsigned lost = 1; lost <= 3; lost += 2) {
        read_race(lost, again, sizeof(again));
        CHECK_STR(tr_str_from(again), once);
    }
}
