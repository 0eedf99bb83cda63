#include "lua/define_model.h"

#include "base/file.h"
#include "base/limits.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/define.h"
#include "lua/field.h"
#include "lua/host.h"
#include "lua/pending.h"
#include "model/builder.h"

/* What is being declared. */
struct declaration {
    struct tr_lua_options o;
    tr_str name;
    struct tr_model_builder *model;
    struct tr_arena *arena; /* scratch */
};

_Noreturn static void fail_difference(const struct tr_lua_options *o)
{
    tr_lua_options_fail(o,
                        "was not declared at this place when the app was "
                        "loaded: app.lua must do the same every time",
                        "");
}

/*
 * Takes the next declaration of this state: the first state keeps it, others
 * compare it with what the first one kept.
 */
static void take_place(const struct tr_lua_options *o)
{
    struct tr_lua *lua = tr_lua_of(o->L);
    struct tr_lua_host *host = lua->host;
    tr_str text;
    if (!lua->load)
        tr_lua_options_fail(o, "can only be defined while the app loads", "");
    lua_pushfstring(o->L, "%s %s", o->kind, o->name);
    text.ptr = lua_tolstring(o->L, -1, &text.len);
    size_t index = lua->load->declared++;
    if (!lua->load->model) {
        if (index >= host->declared.count ||
            !tr_str_eq(host->declared.items[index], text))
            fail_difference(o);
    } else if (!tr_arena_copy(&host->arena, text, &text) ||
               !tr_vec_push(&host->arena, &host->declared, text)) {
        tr_lua_raise_nomem(o->L);
    }
    lua_pop(o->L, 1);
}

/* Raises with the message of an error, which names the field that it is in. */
static void check(const struct declaration *d, tr_status status,
                  const struct tr_err *err)
{
    tr_lua_options_check_status(&d->o, status, err, err->at[0] ? "field" : "");
}

static void read_fields(const struct declaration *d, struct tr_shape *shape)
{
    shape->name = d->name;
    shape->iri = tr_lua_option_str(&d->o, "iri");
    shape->description = tr_lua_option_str(&d->o, "description");
    if (tr_lua_option_push(&d->o, "fields") == LUA_TNIL)
        tr_lua_options_fail(&d->o, "'fields' is missing: a table of fields",
                            "");
    tr_lua_read_fields(&d->o, -1, d->arena, shape);
    lua_pop(d->o.L, 1);
}

/* { "key", { "project", "number" } } */
static const struct tr_shape_unique *
read_names(const struct declaration *d, const char *option, size_t *count)
{
    lua_State *L = d->o.L;
    int type = tr_lua_option_push(&d->o, option);
    if (type != LUA_TNIL && type != LUA_TTABLE)
        tr_lua_options_fail(
            &d->o,
            "must be an array of names, or of arrays of names: ", option);
    *count = type == LUA_TTABLE ? (size_t)lua_rawlen(L, -1) : 0;
    struct tr_shape_unique *out = tr_lua_must_have(
        L, TR_NEW_ARRAY(d->arena, struct tr_shape_unique, *count));
    for (size_t i = 0; i < *count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        out[i].names =
            tr_lua_options_strs(&d->o, option, d->arena, &out[i].count);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return out;
}

static void read_ids(const struct declaration *d,
                     struct tr_model_type_draft *draft)
{
    static const tr_str words[] = {
        [TR_MODEL_IRI_UUID] = TR_STR_INIT("uuid"),
        [TR_MODEL_IRI_CONTENT] = TR_STR_INIT("content"),
        [TR_MODEL_IRI_PRESERVE] = TR_STR_INIT("preserve"),
    };
    tr_str ids = tr_lua_option_str(&d->o, "ids");
    draft->content_fields =
        tr_lua_option_strs(&d->o, "ids_from", d->arena, &draft->content_count);
    draft->has_strategy = tr_lua_option_has(&d->o, "ids");
    for (size_t i = 0; i < TR_LEN(words); i++) {
        if (tr_str_eq(ids, words[i])) {
            draft->strategy = (enum tr_model_iri_strategy)i;
            return;
        }
    }
    if (draft->has_strategy)
        tr_lua_options_fail(&d->o, "'ids' is uuid, content or preserve, not ",
                            ids.ptr);
}

static const struct {
    tr_str word;
    enum tr_model_tool tool;
} tool_words[] = {
    {TR_STR_INIT("create"), TR_MODEL_TOOL_CREATE},
    {TR_STR_INIT("update"), TR_MODEL_TOOL_UPDATE},
    {TR_STR_INIT("delete"), TR_MODEL_TOOL_DELETE},
    {TR_STR_INIT("find"), TR_MODEL_TOOL_FIND},
};

static enum tr_model_tool read_tool(const struct declaration *d, tr_str word)
{
    for (size_t i = 0; i < TR_LEN(tool_words); i++) {
        if (tr_str_eq(word, tool_words[i].word))
            return tool_words[i].tool;
    }
    tr_lua_options_fail(
        &d->o, "'tools' are create, update, delete and find, not ", word.ptr);
}

/* [{"kind", "params"}], as the model keeps them. */
static const struct tr_json *read_conditions(const struct tr_lua_options *o,
                                             struct tr_arena *arena)
{
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    size_t count = 0;
    const struct tr_cap_precondition *list =
        tr_lua_read_conditions(o, "preconditions", arena, &count);
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, count);
    struct tr_json *array = TR_NEW(arena, struct tr_json);
    if (!items || !array)
        tr_lua_raise_nomem(o->L);
    for (size_t i = 0; i < count; i++) {
        struct tr_json_member members[] = {
            {tr_json_make_text(TR_JSON_STRING, TR_STR("kind")),
             tr_json_make_text(TR_JSON_STRING, list[i].kind)},
            {tr_json_make_text(TR_JSON_STRING, TR_STR("params")),
             list[i].params ? *list[i].params : none},
        };
        if (!tr_json_make_object(arena, members, TR_LEN(members), &items[i]))
            tr_lua_raise_nomem(o->L);
    }
    if (!tr_json_make_array(arena, items, count, array))
        tr_lua_raise_nomem(o->L);
    return array;
}

static struct tr_model_guard read_guard(const struct tr_lua_options *o,
                                        struct tr_arena *arena)
{
    struct tr_cap_guard guard = tr_lua_read_guard(o, arena);
    return (struct tr_model_guard){guard.scope, guard.policy_required.items,
                                   guard.policy_required.count};
}

/* create = { scope =, policy_required =, preconditions = }; on the stack. */
static void read_rules(const struct declaration *d, tr_str word,
                       struct tr_model_tool_rules *out)
{
    static const struct tr_lua_option list[] = {
        {"scope", NULL}, {"policy_required", NULL}, {"preconditions", NULL}};
    struct tr_lua_options o = {d->o.L, lua_gettop(d->o.L), "tool", word.ptr,
                               &d->o};
    if (!lua_istable(o.L, -1))
        tr_lua_options_fail(&o, "must be a table, not a ",
                            luaL_typename(o.L, -1));
    tr_lua_options_check(&o, list, TR_LEN(list));
    *out = (struct tr_model_tool_rules){
        .tool = read_tool(d, word),
        .has_scope = tr_lua_option_has(&o, "scope"),
        .has_policies = tr_lua_option_has(&o, "policy_required"),
        .guard = read_guard(&o, d->arena),
        .preconditions = read_conditions(&o, d->arena),
    };
}

/* The table of tools is on top of the stack. */
static void read_tool_table(const struct declaration *d,
                            struct tr_model_type_draft *draft)
{
    lua_State *L = d->o.L;
    struct tr_model_tool_rules *rules =
        tr_lua_must_have(L, TR_NEW_ARRAY(d->arena, struct tr_model_tool_rules,
                                         TR_LEN(tool_words)));
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        bool is_named = lua_type(L, -2) == LUA_TSTRING;
        tr_str word;
        if (!is_named && lua_type(L, -1) != LUA_TSTRING)
            tr_lua_options_fail(&d->o, "'tools' has names of tools", "");
        word.ptr = lua_tolstring(L, is_named ? -2 : -1, &word.len);
        unsigned tool = read_tool(d, word);
        if (draft->tools & tool)
            tr_lua_options_fail(&d->o, "'tools' names twice ", word.ptr);
        draft->tools |= tool;
        if (is_named)
            read_rules(d, word, &rules[draft->tool_rules_count++]);
    }
    draft->tool_rules = rules;
}

/* { "find", create = { ... } }: ready-made capabilities. */
static void read_tools(const struct declaration *d,
                       struct tr_model_type_draft *draft)
{
    lua_State *L = d->o.L;
    int type = tr_lua_option_push(&d->o, "tools");
    tr_str word;
    if (type == LUA_TSTRING) {
        word.ptr = lua_tolstring(L, -1, &word.len);
        draft->tools = read_tool(d, word);
    } else if (type == LUA_TTABLE) {
        read_tool_table(d, draft);
    } else if (type != LUA_TNIL) {
        tr_lua_options_fail(&d->o, "'tools' must be a table, not a ",
                            luaL_typename(L, -1));
    }
    lua_pop(L, 1);
}

static void declare_type(const struct declaration *d)
{
    struct tr_err err = {0};
    struct tr_model_type_draft draft = {
        .extends = tr_lua_option_str(&d->o, "extends"),
        .label = tr_lua_option_str(&d->o, "label"),
        .where = tr_lua_push_line(d->o.L),
        .has_guard = tr_lua_option_has(&d->o, "scope") ||
                     tr_lua_option_has(&d->o, "policy_required"),
        .guard = read_guard(&d->o, d->arena),
        .is_private = tr_lua_option_bool(&d->o, "private", false),
    };
    read_tools(d, &draft);
    draft.shape.open = tr_lua_option_bool(&d->o, "open", false);
    read_fields(d, &draft.shape);
    draft.shape.unique = read_names(d, "unique", &draft.shape.unique_count);
    draft.indexes = read_names(d, "indexes", &draft.index_count);
    read_ids(d, &draft);
    check(d, tr_model_builder_add_type(d->model, &draft, &err), &err);
}

static void declare_shape(const struct declaration *d)
{
    struct tr_err err = {0};
    struct tr_model_shape_draft draft = {
        .target = tr_lua_option_str(&d->o, "target"),
        .target_subjects_of = tr_lua_option_str(&d->o, "target_subjects_of"),
        .where = tr_lua_push_line(d->o.L),
    };
    read_fields(d, &draft.shape);
    check(d, tr_model_builder_add_shape(d->model, &draft, &err), &err);
}

static const struct tr_lua_option type_options[] = {
    {"description", NULL}, {"extends", NULL}, {"iri", NULL},
    {"label", NULL},       {"ids", NULL},     {"ids_from", NULL},
    {"unique", NULL},      {"fields", NULL},  {"open", NULL},
    {"tools", NULL},       {"scope", NULL},   {"policy_required", NULL},
    {"private", NULL},     {"indexes", NULL},
};

static const struct tr_lua_option shape_options[] = {
    {"description", NULL},        {"iri", NULL},    {"target", NULL},
    {"target_subjects_of", NULL}, {"fields", NULL},
};

static const struct kind {
    const char *name;
    const struct tr_lua_option *options;
    size_t option_count;
    void (*declare)(const struct declaration *d);
} kinds[] = {
    {"node_type", type_options, TR_LEN(type_options), declare_type},
    {"shape", shape_options, TR_LEN(shape_options), declare_shape},
};

/* node_type "Name" { ... }: the second of the two calls. */
static int declare_named(lua_State *L)
{
    const struct kind *kind = &kinds[lua_tointeger(L, lua_upvalueindex(1))];
    struct declaration d = {.o = {L, 1, kind->name, NULL, NULL}};
    d.name.ptr = lua_tolstring(L, lua_upvalueindex(2), &d.name.len);
    d.o.name = d.name.ptr;
    tr_lua_pending_end(L, lua_upvalueindex(3));
    if (!lua_istable(L, 1))
        tr_lua_options_fail(&d.o, "its name is followed by a table { ... }, ",
                            "not by something else");
    lua_settop(L, 1);
    tr_lua_options_check(&d.o, kind->options, kind->option_count);
    take_place(&d.o);
    d.model = tr_lua_of(L)->load->model;
    if (!d.model) /* another loop's state: it was declared before */
        return 0;
    d.arena = tr_lua_scratch(L);
    kind->declare(&d);
    return 0;
}

static int begin_declaration(lua_State *L)
{
    lua_Integer kind = lua_tointeger(L, lua_upvalueindex(1));
    const char *word = kinds[kind].name;
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) > 1)
        return luaL_error(L, "write %s 'Name' { ... }: a name, then a table",
                          word);
    lua_pushinteger(L, kind);
    lua_pushvalue(L, 1);
    tr_lua_pending_begin(L, word);
    lua_pushcclosure(L, declare_named, 3);
    return 1;
}

/* prefixes { ex = "http://example.org/" } */
static int declare_prefixes(lua_State *L)
{
    const struct tr_lua_load *load = tr_lua_of(L)->load;
    struct tr_lua_options o = {L, 1, "prefixes", NULL, NULL};
    struct tr_model_builder *model = load ? load->model : NULL;
    struct tr_err err = {0};
    if (!lua_istable(L, 1))
        tr_lua_options_fail(&o, "write prefixes { name = 'http://...' }", "");
    if (!load)
        tr_lua_options_fail(&o, "can only be defined while the app loads", "");
    lua_settop(L, 1);
    for (lua_pushnil(L); model && lua_next(L, 1); lua_pop(L, 1)) {
        tr_str name;
        tr_str iri;
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            tr_lua_options_fail(&o, "names and IRIs are strings", "");
        name.ptr = lua_tolstring(L, -2, &name.len);
        iri.ptr = lua_tolstring(L, -1, &iri.len);
        struct tr_lua_options own = {L, 1, "prefix", name.ptr, NULL};
        tr_status st = tr_model_builder_add_prefix(model, name, iri, &err);
        tr_lua_options_check_status(&own, st, &err, "");
    }
    return 0;
}

/* shape_file "shapes/person.ttl" */
static int declare_file(lua_State *L)
{
    const struct tr_lua *lua = tr_lua_of(L);
    struct tr_err err = {0};
    tr_str path;
    tr_str text;
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) > 1)
        return luaL_error(L, "write shape_file 'shapes/name.ttl'");
    path.ptr = lua_tolstring(L, 1, &path.len);
    struct tr_lua_options o = {L, 1, "shape_file", path.ptr, NULL};
    take_place(&o);
    if (!lua->load->model)
        return 0;
    if (!lua->load->folder || strlen(path.ptr) != path.len)
        tr_lua_options_fail(&o, "there is no such file", "");
    tr_status st =
        tr_file_read_below(tr_lua_scratch(L), lua->load->folder, path.ptr,
                           TR_LIMIT_SHAPE_FILE, &text, &err);
    tr_lua_options_check_status(&o, st, &err, "");
    st = tr_model_builder_add_turtle(lua->load->model, text, path, &err);
    tr_lua_options_check_status(&o, st, &err, "");
    return 0;
}

void tr_lua_add_model(lua_State *L)
{
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(L, begin_declaration, 1);
        lua_setfield(L, -2, kinds[i].name);
    }
    lua_pushcfunction(L, declare_prefixes);
    lua_setfield(L, -2, "prefixes");
    lua_pushcfunction(L, declare_file);
    lua_setfield(L, -2, "shape_file");
}
