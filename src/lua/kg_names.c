#include "lua/kg_names.h"

#include "graph/kg.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/journal.h"
#include "lua/random.h"
#include "lua/run.h"

struct tr_json tr_lua_kg_names(lua_State *L, struct tr_arena *arena,
                               const struct tr_kg *kg)
{
    char text[64];
    tr_str kept;
    int len = snprintf(
        text, sizeof(text), "%llx %llx %llx", (unsigned long long)kg->seed,
        (unsigned long long)kg->now_ms, (unsigned long long)kg->named);
    if (!tr_arena_copy(arena, (tr_str){text, (size_t)len}, &kept))
        tr_lua_raise_nomem(L);
    return tr_json_make_text(TR_JSON_STRING, kept);
}

/* What comes from a journal was written by us, and sealed. */
void tr_lua_kg_take_names(struct tr_kg *kg, const struct tr_json *names)
{
    char text[64];
    char *at = text;
    (void)snprintf(text, sizeof(text), "%.*s", TR_FMT(tr_json_text(names)));
    kg->seed = strtoull(at, &at, 16) | 1;
    kg->now_ms = strtoull(at, &at, 16);
    kg->named = strtoull(at, &at, 16);
}

void tr_lua_kg_fix_names(lua_State *L, struct tr_lua_run *run, struct tr_kg *kg)
{
    if (kg->seed)
        return;
    const struct tr_json *replayed = tr_lua_replayed(L, run, "kg");
    if (replayed) {
        tr_lua_kg_take_names(kg, replayed);
        return;
    }
    struct tr_kg drawn = {.seed = tr_lua_random_entropy() | 1,
                          .now_ms = kg->now_ms};
    struct tr_json names = tr_lua_kg_names(L, run->call->arena, &drawn);
    tr_lua_record(L, run, "kg", &names); /* may raise: then it is not fixed */
    kg->seed = drawn.seed;
}
