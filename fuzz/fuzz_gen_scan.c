/*
 * Any bytes as a file of Lua: what Lua itself compiles can be scanned, and it
 * compiles with a declaration put into it as well, of which nothing else of the
 * file notices.
 */
#include "base/limits.h"
#include "gen/declare.h"

#include <lauxlib.h>
#include <lua.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char declaration[] = "capability \"zz\" {\n"
                                  "  run = function(ctx, args)\n"
                                  "    return args\n"
                                  "  end,\n"
                                  "}\n";

static void must(bool holds)
{
    if (!holds)
        abort();
}

static bool compiles(tr_str text)
{
    lua_State *L = luaL_newstate();
    must(L);
    bool is_lua = luaL_loadbufferx(L, text.ptr ? text.ptr : "", text.len, "=x",
                                   "t") == LUA_OK;
    lua_close(L);
    return is_lua;
}

/* A label at the end of a file may be jumped to over locals; not, when
 * something follows it. */
static bool has_label(tr_str text)
{
    return memmem(text.ptr, text.len, "::", 2) != NULL;
}

/* Without the carriage returns that a file of Windows gets. */
static void check_rest(tr_str file, size_t at, tr_str whole)
{
    must(whole.len >= file.len + sizeof(declaration) - 1);
    must(tr_str_starts(whole, (tr_str){file.ptr, at}));
    tr_str behind = tr_str_skip(file, at);
    must(tr_str_eq(tr_str_skip(whole, whole.len - behind.len), behind));
}

static void insert(tr_str file, const struct tr_gen_outline *outline)
{
    static const char *const words[] = {"capability", "node_type", "prompt"};
    for (size_t i = 0; i < TR_LEN(words); i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        must(tr_gen_insert(file, outline, words[i], TR_STR(declaration), &out,
                           NULL) == TR_OK);
        check_rest(file, tr_gen_insert_offset(file, outline, words[i]),
                   tr_buf_str(&out));
        must(has_label(file) || !compiles(file) || compiles(tr_buf_str(&out)));
        tr_buf_done(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str file = {(const char *)data, size < 4096 ? size : 4096};
    struct tr_gen_outline outline;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(16));
    tr_status status = tr_gen_scan(file, &arena, &outline, &err);
    must(status == TR_OK || status == TR_E_LIMIT || status == TR_E_INVALID);
    must(status != TR_E_INVALID || !compiles(file));
    must(status == TR_OK || (err.place.line > 0 && err.place.offset <= size) ||
         status == TR_E_LIMIT);
    if (status == TR_OK)
        insert(file, &outline);
    (void)tr_gen_scan_uses(file, TR_STR("text"));
    (void)tr_gen_scan_has_long_text(file);
    tr_arena_done(&arena);
    return 0;
}
