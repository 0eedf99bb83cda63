#include "lua/define.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "cap/registry.h"
#include "fields/field.h"
#include "lua/content.h"
#include "lua/convert.h"
#include "lua/field.h"
#include "lua/host.h"
#include "lua/options.h"
#include "lua/pending.h"
#include "lua/run.h"
#include "lua/sandbox.h"
#include "lua/state.h"

void tr_lua_definition_check(const struct tr_lua_definition *d,
                             tr_status status, const struct tr_err *err)
{
    tr_lua_options_check_status(&d->o, status, err, "");
}

/* `meta` or, as MCP spells it, `_meta`. */
static const struct tr_json *meta_of(const struct tr_lua_definition *d)
{
    const char *name = tr_lua_option_has(&d->o, "_meta") ? "_meta" : "meta";
    return tr_lua_option_json(&d->o, name, TR_JSON_OBJECT, d->arena);
}

struct tr_cap_guard tr_lua_read_guard(const struct tr_lua_options *o,
                                      struct tr_arena *arena)
{
    struct tr_cap_guard guard = {0};
    tr_str scope = tr_lua_option_str(o, "scope");
    if (scope.len && !tr_scope_find(scope, &guard.scope))
        tr_lua_options_fail(o, "'scope' is runtime, builder or dev, not ",
                            scope.ptr);
    guard.policy_required.items = tr_lua_option_strs(
        o, "policy_required", arena, &guard.policy_required.count);
    if (!tr_arena_copy(arena, tr_lua_push_line(o->L), &guard.where))
        tr_lua_raise_nomem(o->L);
    lua_pop(o->L, 1);
    return guard;
}

static struct tr_cap_about read_about(const struct tr_lua_definition *d,
                                      tr_str name)
{
    return (struct tr_cap_about){
        .name = name,
        .title = tr_lua_option_str(&d->o, "title"),
        .description = tr_lua_option_str(&d->o, "description"),
        .icons = tr_lua_option_json(&d->o, "icons", TR_JSON_ARRAY, d->arena),
        .meta = meta_of(d),
        .guard = tr_lua_read_guard(&d->o, d->arena),
    };
}

static const struct tr_json *read_annotations(const struct tr_lua_definition *d)
{
    const struct tr_json *annotations = NULL;
    int top = lua_gettop(d->o.L);
    if (tr_lua_option_push(&d->o, "annotations") != LUA_TNIL) {
        tr_lua_push_annotations(d->o.L, -1, d->o.kind);
        annotations = tr_lua_to_json_new(d->o.L, -1, d->arena);
    }
    lua_settop(d->o.L, top);
    return annotations;
}

/* A resource is called like its URI unless it has a name of its own. */
static tr_str name_or(const struct tr_lua_definition *d, tr_str otherwise)
{
    tr_str name = tr_lua_option_str(&d->o, "name");
    return name.len > 0 ? name : otherwise;
}

/* The app tells with ctx:updated, unless it says that it never will. */
static enum tr_cap_told read_told(const struct tr_lua_definition *d)
{
    return tr_lua_option_bool(&d->o, "updates", true) ? TR_CAP_TOLD_ALL
                                                      : TR_CAP_TOLD_NEVER;
}

static void define_resource(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    struct tr_cap_resource draft = {
        .uri = d->name,
        .about = read_about(d, name_or(d, d->name)),
        .mime_type = tr_lua_option_str(&d->o, "mime_type"),
        .has_size = tr_lua_option_has(&d->o, "size"),
        .size = tr_lua_option_i64(&d->o, "size"),
        .annotations = read_annotations(d),
        .handler = d->handler,
        .told = read_told(d),
    };
    tr_lua_definition_check(
        d, tr_cap_registry_add_resource(d->builder, &draft, &err), &err);
}

static void define_template(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    struct tr_cap_resource_template draft = {
        .uri_template = d->name,
        .about = read_about(d, name_or(d, d->name)),
        .mime_type = tr_lua_option_str(&d->o, "mime_type"),
        .annotations = read_annotations(d),
        .handler = d->handler,
        .told = read_told(d),
    };
    tr_lua_definition_check(
        d, tr_cap_registry_add_template(d->builder, &draft, &err), &err);
}

static void define_prompt(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    if (tr_lua_option_push(&d->o, "arguments") == LUA_TSTRING)
        tr_lua_options_fail(&d->o, "'arguments' are a table of fields", "");
    lua_pop(d->o.L, 1);
    struct tr_cap_prompt draft = {
        .about = read_about(d, d->name),
        .input = tr_lua_read_shape(d, "arguments"),
        .handler = d->handler,
    };
    tr_lua_definition_check(
        d, tr_cap_registry_add_prompt(d->builder, &draft, &err), &err);
}

static void define_completion(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    tr_str prompt = tr_lua_option_str(&d->o, "prompt");
    struct tr_cap_completion draft = {
        .kind = prompt.len > 0 ? TR_CAP_REF_PROMPT : TR_CAP_REF_RESOURCE,
        .ref = d->name,
        .argument = tr_lua_option_str(&d->o, "argument"),
        .handler = d->handler,
        .where = tr_lua_push_line(d->o.L),
    };
    tr_lua_definition_check(
        d, tr_cap_registry_add_completion(d->builder, &draft, &err), &err);
}

static void define_policy(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    struct tr_cap_policy draft = {
        .name = d->name,
        .description = tr_lua_option_str(&d->o, "description"),
        .handler = d->handler,
    };
    tr_lua_definition_check(
        d, tr_cap_registry_add_policy(d->builder, &draft, &err), &err);
}

static const struct tr_lua_option resource_options[] = {
    {"name", NULL},
    {"title", NULL},
    {"description", NULL},
    {"mime_type", NULL},
    {"size", NULL},
    {"icons", NULL},
    {"annotations", NULL},
    {"meta", NULL},
    {"_meta", NULL},
    {"scope", NULL},
    {"policy_required", NULL},
    {"updates", NULL},
    {"run", NULL},
};

static const struct tr_lua_option template_options[] = {
    {"name", NULL},        {"title", NULL},
    {"description", NULL}, {"mime_type", NULL},
    {"icons", NULL},       {"annotations", NULL},
    {"meta", NULL},        {"_meta", NULL},
    {"scope", NULL},       {"policy_required", NULL},
    {"updates", NULL},     {"run", NULL},
};

static const struct tr_lua_option prompt_options[] = {
    {"title", NULL},     {"description", NULL},
    {"arguments", NULL}, {"icons", NULL},
    {"meta", NULL},      {"_meta", NULL},
    {"scope", NULL},     {"policy_required", NULL},
    {"run", NULL},
};

static const struct tr_lua_option completion_options[] = {
    {"prompt", NULL},
    {"template", NULL},
    {"argument", NULL},
    {"run", NULL},
};

static const struct tr_lua_option policy_options[] = {
    {"description", NULL},
    {"run", NULL},
};

static const struct {
    const char *name;
    const struct tr_lua_option *options; /* NULL: see define_cap.c */
    size_t option_count;
    void (*define)(const struct tr_lua_definition *d);
} kinds[] = {
    [TR_LUA_CAPABILITY] = {"capability", NULL, 0, tr_lua_define_capability},
    [TR_LUA_RESOURCE] = {"resource", resource_options, TR_LEN(resource_options),
                         define_resource},
    [TR_LUA_TEMPLATE] = {"resource_template", template_options,
                         TR_LEN(template_options), define_template},
    [TR_LUA_PROMPT] = {"prompt", prompt_options, TR_LEN(prompt_options),
                       define_prompt},
    [TR_LUA_COMPLETION] = {"completion", completion_options,
                           TR_LEN(completion_options), define_completion},
    [TR_LUA_POLICY] = {"policy", policy_options, TR_LEN(policy_options),
                       define_policy},
};

/* Appends the function of the options to the state's handlers. */
static void keep_function(const struct tr_lua_options *o, size_t index)
{
    lua_State *L = o->L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, tr_lua_of(L)->refs.handlers);
    if (tr_lua_option_push(o, "run") == LUA_TNIL)
        tr_lua_options_fail(o, "'run' is missing: the function to run", "");
    if (!lua_isfunction(L, -1))
        tr_lua_options_fail(o, "'run' must be a function, not ",
                            luaL_typename(L, -1));
    lua_rawseti(L, -2, (lua_Integer)index + 1);
    lua_pop(L, 1);
}

/* Adds a handler to those of the host; NULL without memory. */
static const struct tr_lua_handler *
add_handler(lua_State *L, enum tr_lua_kind kind, tr_str name)
{
    struct tr_lua_host *host = tr_lua_of(L)->host;
    struct tr_lua_handler *handler =
        TR_NEW(&host->arena, struct tr_lua_handler);
    tr_str where = tr_lua_push_line(L);
    if (!handler || !tr_arena_copy(&host->arena, name, &handler->name) ||
        !tr_arena_copy(&host->arena, where, &handler->where) ||
        !tr_vec_push(&host->arena, &host->handlers, handler))
        return NULL;
    lua_pop(L, 1);
    handler->host = host;
    handler->kind = kind;
    handler->index = host->handlers.count - 1;
    return handler;
}

/*
 * Raises unless this is what the first state registered; called in the states
 * of other loops.
 */
static void compare(const struct tr_lua_options *o, size_t index,
                    enum tr_lua_kind kind, tr_str name)
{
    const struct tr_lua_host *host = tr_lua_of(o->L)->host;
    const struct tr_lua_handler *known =
        index < host->handlers.count ? host->handlers.items[index] : NULL;
    if (known && known->kind == kind && tr_str_eq(known->name, name))
        return;
    tr_lua_options_fail(o,
                        "was not registered at this place when the app was "
                        "loaded: app.lua must do the same every time",
                        "");
}

static void define(lua_State *L, enum tr_lua_kind kind, tr_str name)
{
    struct tr_lua *lua = tr_lua_of(L);
    struct tr_lua_definition d = {
        .o = {L, lua_gettop(L), kinds[kind].name, name.ptr, NULL},
        .name = name,
    };
    if (!lua->load)
        tr_lua_options_fail(&d.o, "can only be defined while the app loads",
                            "");
    if (kinds[kind].options)
        tr_lua_options_check(&d.o, kinds[kind].options,
                             kinds[kind].option_count);
    else
        tr_lua_check_capability(&d.o);
    size_t index = lua->load->count;
    keep_function(&d.o, index);
    lua->load->count++;
    if (!lua->load->builder) {
        compare(&d.o, index, kind, name);
        return;
    }
    d.builder = lua->load->builder;
    d.arena = tr_lua_scratch(L);
    d.handler = (struct tr_cap_handler){
        .run = tr_lua_run_start,
        .data = add_handler(L, kind, name),
    };
    if (!d.handler.data)
        tr_lua_raise_nomem(L);
    kinds[kind].define(&d);
}

/* capability "id" { ... }: the second of the two calls. */
static int define_named(lua_State *L)
{
    tr_str name;
    enum tr_lua_kind kind =
        (enum tr_lua_kind)lua_tointeger(L, lua_upvalueindex(1));
    name.ptr = lua_tolstring(L, lua_upvalueindex(2), &name.len);
    tr_lua_pending_end(L, lua_upvalueindex(3));
    if (!lua_istable(L, 1)) {
        struct tr_lua_options o = {L, 1, kinds[kind].name, name.ptr, NULL};
        tr_lua_options_fail(&o, "its name is followed by a table { ... }, ",
                            "not by something else");
    }
    lua_settop(L, 1);
    define(L, kind, name);
    return 0;
}

static int begin_definition(lua_State *L)
{
    lua_Integer kind = lua_tointeger(L, lua_upvalueindex(1));
    const char *word = kinds[kind].name;
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) > 1)
        return luaL_error(L, "write %s 'name' { ... }: a name, then a table",
                          word);
    lua_pushinteger(L, kind);
    lua_pushvalue(L, 1);
    tr_lua_pending_begin(L, word);
    lua_pushcclosure(L, define_named, 3);
    return 1;
}

/* completion { prompt = "name", argument = "x", run = ... } */
static int define_unnamed(lua_State *L)
{
    struct tr_lua_options o = {L, 1, "completion", NULL, NULL};
    if (!lua_istable(L, 1))
        tr_lua_options_fail(&o, "write completion { prompt = ..., ", "... }");
    lua_settop(L, 1);
    tr_str prompt = tr_lua_option_str(&o, "prompt");
    tr_str uri_template = tr_lua_option_str(&o, "template");
    if ((prompt.len > 0) == (uri_template.len > 0))
        tr_lua_options_fail(
            &o, "'prompt' or 'template' is needed, and not both", "");
    define(L, TR_LUA_COMPLETION, prompt.len > 0 ? prompt : uri_template);
    return 0;
}

/*
 * extension "id" { ... }: an extension of MCP that the app takes part in. It
 * has no handler; clients are told of its settings. The second of two calls.
 */
static int define_extension(lua_State *L)
{
    const struct tr_lua *lua = tr_lua_of(L);
    struct tr_cap_extension draft;
    struct tr_err err = {0};
    draft.id.ptr = lua_tolstring(L, lua_upvalueindex(1), &draft.id.len);
    struct tr_lua_options o = {L, 1, "extension", draft.id.ptr, NULL};
    tr_lua_pending_end(L, lua_upvalueindex(2));
    if (!lua_istable(L, 1))
        tr_lua_options_fail(&o, "its settings are a table, not a ",
                            luaL_typename(L, 1));
    struct tr_cap_builder *builder = lua->load ? lua->load->builder : NULL;
    if (!lua->load)
        tr_lua_options_fail(&o, "can only be defined while the app loads", "");
    if (!builder) /* another loop's state: it was registered before */
        return 0;
    draft.settings = tr_lua_to_json_new(L, 1, tr_lua_scratch(L));
    if (draft.settings->kind == TR_JSON_ARRAY && draft.settings->len == 0) {
        static const struct tr_json empty = {.kind = TR_JSON_OBJECT};
        draft.settings = &empty;
    }
    tr_lua_options_check_status(
        &o, tr_cap_registry_add_extension(builder, &draft, &err), &err, "");
    return 0;
}

static int begin_extension(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) > 1)
        return luaL_error(L, "write extension 'prefix/name' { ... }: a name, "
                             "then a table");
    lua_pushvalue(L, 1);
    tr_lua_pending_begin(L, "extension");
    lua_pushcclosure(L, define_extension, 2);
    return 1;
}

void tr_lua_add_definers(lua_State *L)
{
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(
            L, i == TR_LUA_COMPLETION ? define_unnamed : begin_definition, 1);
        lua_setfield(L, -2, kinds[i].name);
    }
    lua_pushcfunction(L, begin_extension);
    lua_setfield(L, -2, "extension");
}
