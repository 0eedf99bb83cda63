#include "support/lua_world.h"

#include "base/test.h"

static const char prelude[] =
    "prefixes { ex = 'http://ex.org/' }\n"
    "node_type 'Person' { ids = 'preserve', fields = {\n"
    "  { 'name', text { search = true } },\n"
    "  { 'email', text { pattern = '@', unique = true } } } }\n"
    "node_type 'Task' { label = 'title', fields = {\n"
    "  { 'project', text },\n"
    "  { 'number', integer { min_value = 1 } },\n"
    "  { 'title', text { min_length = 3, search = true } },\n"
    "  { 'state', text { one_of = { 'open', 'done' }, default = 'open' } },\n"
    "  { 'owner', ref 'Person' { optional = true } },\n"
    "  { 'after', ref 'Task' { many = true, optional = true } } },\n"
    "  unique = { { 'project', 'number' } } }\n"
    "node_type 'Bug' { extends = 'Task',\n"
    "  fields = { severity = integer { optional = true } } }\n"
    "node_type 'Note' { ids = 'content', ids_from = { 'text' },\n"
    "  fields = { text = text } }\n"
    "local function cap(id, run)\n"
    "  capability(id) { description = 'd', run = run,\n"
    "    input_schema = '{\"type\":\"object\"}' }\n"
    "end\n"
    "local function code(...)\n"
    "  local ok, e = pcall(...)\n"
    "  assert(not ok, 'it did not fail')\n"
    "  return type(e) == 'table' and e.code or 'text', tostring(e), e\n"
    "end\n"
    "local function task(n, more)\n"
    "  local t = { project = 'p', number = n, title = 'Task ' .. n }\n"
    "  for k, v in pairs(more or {}) do t[k] = v end\n"
    "  return t\n"
    "end\n"
    "cap('count', function(ctx)\n"
    "  return { n = (ctx.kg:count 'Task') }\n"
    "end)\n";

static void open_store(struct lua_world *w)
{
    struct tr_err err = {0};
    *w = (struct lua_world){0};
    folder_open(&w->folder);
    struct tr_graph_store_opts opts = {.folder = w->folder.path};
    CHECK_OK(tr_graph_store_open(&opts, &w->env.store, &err), &err);
    CHECK_OK(tr_graph_store_reader(w->env.store, &w->env.reader, &err), &err);
}

void lua_world_open_bare(struct lua_world *w, const char *source,
                         const struct tr_lua_limits *limits)
{
    open_store(w);
    lua_app_open_with(&w->app, source, limits);
    w->app.env = &w->env;
}

static const char *with_prelude(const char *source)
{
    static char text[TR_KIB(16)];
    int len = snprintf(text, sizeof(text), "%s%s", prelude, source);
    CHECK(len > 0 && (size_t)len < sizeof(text));
    return text;
}

void lua_world_open_with(struct lua_world *w, const char *source,
                         const struct tr_lua_limits *limits)
{
    lua_world_open_bare(w, with_prelude(source), limits);
}

void lua_world_open_in_production(struct lua_world *w, const char *source)
{
    open_store(w);
    lua_app_open_in_production(&w->app, with_prelude(source));
    w->app.env = &w->env;
}

void lua_world_open(struct lua_world *w, const char *source)
{
    lua_world_open_with(w, source, NULL);
}

void lua_world_close(struct lua_world *w)
{
    lua_app_close(&w->app);
    tr_graph_reader_free(w->env.reader);
    tr_graph_store_close(w->env.store);
    folder_close(&w->folder);
}

void lua_world_check(struct lua_world *w, const char *name,
                     const char *expected)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    CHECK_STR(tr_str_from(lua_call_text(&c)), expected);
    lua_call_done(&c);
}

void lua_world_test(const char *source, const char *tasks)
{
    struct lua_world w;
    char expected[32];
    lua_world_open(&w, source);
    lua_world_check(&w, "test", "[{\"type\":\"text\",\"text\":\"ok\"}]");
    (void)snprintf(expected, sizeof(expected), "{\"n\":%s}", tasks);
    lua_world_check(&w, "count", expected);
    lua_world_close(&w);
}

void lua_world_check_fails(struct lua_world *w, const char *name,
                           tr_status status, const char *part)
{
    struct lua_call c;
    lua_call_init(&c, &w->app, name, "{}");
    lua_call_start(&c);
    lua_call_wait(&c, 1000);
    const char *text = lua_call_text(&c);
    if (c.outcome.status != status || !strstr(text, part)) {
        print_error("got: %s\n", text);
        tr_test_fail("the failure", name, __FILE__, __LINE__);
    }
    lua_call_done(&c);
}
