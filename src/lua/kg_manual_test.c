/*
 * What docs/authoring.md says of ctx.kg: its examples, run.
 */
#include "base/test.h"
#include "lua/kg.h"
#include "support/lua_world.h"

static void read_page(const char *path, char *out, size_t size)
{
    tr_str file = tr_test_read_file(path);
    CHECK(file.len > 0 && file.len < size);
    memcpy(out, file.ptr, file.len);
    out[file.len] = '\0';
    free((void *)(uintptr_t)file.ptr);
}

static void read_manual(char *out, size_t size)
{
    read_page("docs/authoring.md", out, size);
}

/* What follows a text; it must be there. */
static const char *after(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    CHECK_ROW(at != NULL, part);
    return at ? at + strlen(part) : "";
}

/* The first example of a chapter, in Lua. */
static tr_str example_of(const char *text, const char *chapter)
{
    const char *start = after(after(text, chapter), "\n```lua\n");
    const char *end = after(start, "\n```");
    return (tr_str){start, (size_t)(end - start) - strlen("\n```")};
}

/* What stands between the last two backticks of a row. */
static bool last_code(tr_str line, tr_str *out)
{
    const char *end = memrchr(line.ptr, '`', line.len);
    const char *start =
        end ? memrchr(line.ptr, '`', (size_t)(end - line.ptr)) : NULL;
    if (!start)
        return false;
    *out = (tr_str){start + 1, (size_t)(end - start - 1)};
    return true;
}

/* The last column of the table of a chapter, as lines. */
static size_t put_rows(struct tr_buf *out, const char *text,
                       const char *chapter)
{
    size_t count = 0;
    const char *at = after(after(text, chapter), "\n\n|") - 1;
    for (; *at == '|'; at += strcspn(at, "\n") + 1) {
        tr_str line = {at, strcspn(at, "\n")};
        tr_str code;
        if (!last_code(line, &code))
            continue;
        tr_buf_putf(out, "  %.*s\n", TR_FMT(code));
        count++;
    }
    return count;
}

static char manual[TR_KIB(64)];

TEST(kg_examples_of_the_manual_run)
{
    struct lua_world w;
    struct tr_buf source;
    read_manual(manual, sizeof(manual));
    tr_buf_init(&source, TR_KIB(64));
    tr_buf_put(&source, example_of(manual, "\n## Types\n"));
    tr_buf_put(&source, TR_STR("\ncapability 'all' { description = 'd',\n"
                               "run = function(ctx)\n"
                               "  local kg = ctx.kg\n"));
    CHECK_INT(put_rows(&source, manual, "\n## The graph: ctx.kg\n"), 20);
    tr_buf_put(&source,
               TR_STR("  return { same = same.title, version = one._version,\n"
                      "    is_new = is_new, taken = taken, name = name,\n"
                      "    page = #page, open = #open, n = n, exact = exact,\n"
                      "    groups = #by_status, most = by_status[1].max,\n"
                      "    found = #found, owners = #owners, said = #said,\n"
                      "    needed = #needed, ok = ok, was_there = was_there,\n"
                      "    number = number }\n"
                      "end }\n"));
    tr_buf_putc(&source, '\0');
    CHECK_OK(tr_buf_check(&source, NULL), NULL);
    lua_world_open_bare(&w, source.ptr, NULL);
    lua_world_check(
        &w, "all",
        "{\"exact\":true,\"found\":0,\"groups\":2,\"is_new\":true,\"most\":{"
        "\"number\":1},\"n\":2,\"name\":"
        "\"It "
        "flies\",\"needed\":1,\"number\":3,\"ok\":false,\"open\":1,\"owners\":"
        "1,"
        "\"page\":2,\"said\":1,\"same\":\"It flies\",\"taken\":true,"
        "\"version\":1,\"was_there\":true}");
    lua_world_close(&w);
    tr_buf_done(&source);
}

TEST(kg_manual_shows_how_to_catch_what_is_wrong_with_a_field)
{
    struct lua_world w;
    char source[1024];
    read_manual(manual, sizeof(manual));
    tr_str example = example_of(manual, "\n## The graph: ctx.kg\n");
    (void)snprintf(source, sizeof(source), "%.*s\n", TR_FMT(example));
    lua_world_open_bare(&w, source, NULL);
    lua_check(&w.app, "tag",
              "{\"name\":\"a name that is longer than it may be\"}",
              "error: [{\"type\":\"text\",\"text\":\"name must have at most 20 "
              "characters\"}]");
    for (size_t i = 0; i < 2; i++) {
        struct lua_call c;
        lua_call_init(&c, &w.app, "tag", "{\"name\":\"short\"}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        CHECK(strstr(lua_call_text(&c), "\"trails://demo/Tag/"));
        lua_call_done(&c);
    }
    lua_world_close(&w);
}

TEST(kg_manual_shows_how_to_number)
{
    struct lua_world w;
    char source[1024];
    read_manual(manual, sizeof(manual));
    tr_str example = example_of(manual, "\n**Numbers.**");
    (void)snprintf(source, sizeof(source), "%.*s\n", TR_FMT(example));
    lua_world_open_bare(&w, source, NULL);
    for (int i = 1001; i < 1004; i++) {
        struct lua_call c;
        char expected[32];
        lua_call_init(&c, &w.app, "open_ticket", "{\"title\":\"It rattles\"}");
        lua_call_start(&c);
        lua_call_wait(&c, 0);
        (void)snprintf(expected, sizeof(expected), "\"T-%d\"", i);
        CHECK(strstr(lua_call_text(&c), expected));
        lua_call_done(&c);
    }
    lua_world_close(&w);
}

static const char tickets[] =
    "  local acme = kg:create('Account', { domain = 'acme.example' })\n"
    "  local ada = kg:create('Agent', { name = 'Ada', account = acme })\n"
    "  local bob = kg:create('Agent', { name = 'Bob' })\n"
    "  local function ticket(title, state, more)\n"
    "    more.title, more.state = title, state\n"
    "    kg:create('Ticket', more)\n"
    "  end\n"
    "  ticket('The bell rings', 'open', { owner = ada, size = 8,\n"
    "    due = '2026-07-28T13:30:00+02:00', tags = { 'urgent' } })\n"
    "  ticket('The wheel turns', 'waiting', { owner = bob, size = 3 })\n"
    "  ticket('A lamp is out', 'open', { due = '2026-07-28T12:00:00Z' })\n"
    "  ticket('It is done', 'closed', { size = 1, owner = ada,\n"
    "    due = '2026-01-01T00:00:00Z' })\n"
    "  local now = '2026-07-28T12:00:00Z'\n";

static const char counts[] = "[2,1,1,3,2,1,1,2,1,0,1]";

/* The app of docs/queries.md: its types, capabilities and filters. */
TEST(kg_examples_of_queries_run)
{
    struct lua_world w;
    struct tr_buf source;
    read_page("docs/queries.md", manual, sizeof(manual));
    tr_buf_init(&source, TR_KIB(64));
    tr_buf_put(&source, example_of(manual, "# Queries\n"));
    tr_buf_putc(&source, '\n');
    tr_buf_put(&source, example_of(manual, "\n## Order and pages\n"));
    tr_buf_putc(&source, '\n');
    tr_buf_put(&source, example_of(manual, "\n## Numbers\n"));
    tr_buf_putf(&source,
                "\ncapability 'all' { description = 'd', run = function(ctx)\n"
                "  local kg, counts = ctx.kg, {}\n%s"
                "  local function count(type, filter)\n"
                "    counts[#counts + 1] = kg:count(type, filter)\n"
                "  end\n",
                tickets);
    CHECK_INT(put_rows(&source, manual, "\n## Filters\n"), 11);
    tr_buf_putf(&source, "  return counts\nend }\n");
    tr_buf_putc(&source, '\0');
    CHECK_OK(tr_buf_check(&source, NULL), NULL);
    lua_world_open_bare(&w, source.ptr, NULL);
    lua_world_check(&w, "all", counts);
    lua_world_check(&w, "newest", "[\"A lamp is out\",\"The bell rings\"]");
    lua_world_check(&w, "load",
                    "{\"average\":8,\"count\":{\"closed\":1,\"open\":2,"
                    "\"waiting\":1},\"more\":false,\"size\":8}");
    lua_world_close(&w);
    tr_buf_done(&source);
}
