#include "lua/question.h"

#include "base/limits.h"
#include "fields/json_schema.h"
#include "fields/kind.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "lua/convert.h"
#include "lua/field.h"
#include "lua/json_lib.h"
#include "lua/sandbox.h"
#include "lua/state.h"
#include "schema/verbatim.h"

static const struct tr_lua_option elicit_options[] = {
    {"message", NULL}, {"schema", NULL}, {"fields", NULL},  {"mode", NULL},
    {"url", NULL},     {"key", NULL},    {"meta", "_meta"},
};

static const struct tr_lua_option sample_options[] = {
    {"messages", NULL},
    {"prompt", NULL},
    {"max_tokens", "maxTokens"},
    {"system_prompt", "systemPrompt"},
    {"temperature", NULL},
    {"stop_sequences", "stopSequences"},
    {"include_context", "includeContext"},
    {"model_preferences", "modelPreferences"},
    {"metadata", NULL},
    {"tools", NULL},
    {"tool_choice", "toolChoice"},
    {"key", NULL},
    {"meta", "_meta"},
};

static const struct tr_lua_option roots_options[] = {
    {"key", NULL},
    {"meta", "_meta"},
};

static const struct {
    const char *name;
    const struct tr_lua_option *options;
    size_t count;
} kinds[] = {
    [TR_CALL_ASK_ELICIT] = {"elicit", elicit_options, TR_LEN(elicit_options)},
    [TR_CALL_ASK_SAMPLE] = {"sample", sample_options, TR_LEN(sample_options)},
    [TR_CALL_ASK_ROOTS] = {"roots", roots_options, TR_LEN(roots_options)},
};

/* Whether the value at `index` is a question, and of which kind. */
static bool find_kind(lua_State *L, int index, enum tr_call_ask_kind *out)
{
    const struct tr_lua_refs *refs = &tr_lua_of(L)->refs;
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        if (tr_lua_has_mark(L, index, refs->questions[i])) {
            *out = (enum tr_call_ask_kind)i;
            return true;
        }
    }
    return false;
}

const char *tr_lua_ask_name(enum tr_call_ask_kind kind)
{
    return kinds[kind].name;
}

void tr_lua_push_question(lua_State *L, enum tr_call_ask_kind kind, int index)
{
    if (lua_isnoneornil(L, index)) {
        lua_newtable(L);
    } else {
        luaL_checktype(L, index, LUA_TTABLE);
        lua_pushvalue(L, index);
    }
    struct tr_lua_options o = {L, lua_gettop(L), kinds[kind].name, NULL, NULL};
    tr_lua_options_check(&o, kinds[kind].options, kinds[kind].count);
    tr_lua_set_mark(L, tr_lua_of(L)->refs.questions[kind]);
}

static int make_question(lua_State *L)
{
    enum tr_call_ask_kind kind =
        (enum tr_call_ask_kind)lua_tointeger(L, lua_upvalueindex(1));
    tr_lua_push_question(L, kind, 1);
    return 1;
}

void tr_lua_add_questions(lua_State *L)
{
    struct tr_lua_refs *refs = &tr_lua_of(L)->refs;
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        refs->questions[i] = tr_lua_new_mark(L, "question");
        lua_pop(L, 1);
        lua_pushinteger(L, (lua_Integer)i);
        lua_pushcclosure(L, make_question, 1);
        lua_setfield(L, -2, kinds[i].name);
    }
}

/*
 * Holds a buffer and patterns, so nothing in here may raise. The shape is for
 * whoever registers it again: the patterns that it has are gone.
 */
static tr_status schema_of(struct tr_arena *arena, const struct tr_shape *draft,
                           const struct tr_shape **fields,
                           const struct tr_json **out, struct tr_err *err)
{
    struct tr_field_patterns patterns = {0};
    struct tr_json_writer w;
    struct tr_buf buf;
    const struct tr_shape *shape = NULL;
    tr_str text = {0};

    tr_buf_init(&buf, TR_LIMIT_LUA_SCRATCH);
    tr_jw_init(&w, &buf);
    tr_status st = tr_shape_register(arena, &patterns, draft, &shape, err);
    if (st == TR_OK) {
        tr_shape_write_json_schema(&w, shape, 0);
        st = tr_jw_finish(&w, err);
    }
    if (st == TR_OK && !tr_arena_copy(arena, tr_buf_str(&buf), &text))
        st = tr_fail(err, TR_E_NOMEM, "writing a schema");
    if (st == TR_OK)
        st = tr_json_read(arena, text, NULL, out, err);
    tr_buf_done(&buf);
    tr_field_patterns_done(&patterns);
    *fields = shape;
    return st;
}

static const struct tr_json *schema_of_fields(const struct tr_lua_options *o,
                                              struct tr_arena *arena,
                                              const struct tr_shape **fields)
{
    struct tr_shape draft = {0};
    struct tr_err err = {0};
    const struct tr_json *schema = NULL;
    (void)tr_lua_option_push(o, "fields");
    tr_lua_read_fields(o, -1, arena, &draft);
    for (size_t i = 0; i < draft.count; i++)
        if (!tr_field_has(&draft.fields[i], TR_FIELD_IS_ASKED))
            (void)luaL_error(o->L,
                             "elicit: field '%s': nobody can be asked "
                             "for a %s; ask for a text",
                             draft.fields[i].name.ptr,
                             tr_field_kind_name(draft.fields[i].kind));
    tr_status st = schema_of(arena, &draft, fields, &schema, &err);
    if (st == TR_E_NOMEM)
        tr_lua_raise_nomem(o->L);
    if (st != TR_OK)
        (void)luaL_error(o->L, "elicit: field '%s': %s", err.at, err.msg);
    lua_pop(o->L, 1);
    return schema;
}

/* Whether answers can be held against it. Nothing in here may raise. */
static tr_status judge(struct tr_arena *arena, const struct tr_json *schema,
                       struct tr_err *err)
{
    struct tr_field_patterns patterns = {0};
    const struct tr_schema_verbatim *made = NULL;
    tr_str text = {0};
    tr_status st = tr_lua_write_json(schema, arena, &text, err);
    if (st == TR_OK)
        st = tr_schema_verbatim_register(arena, &patterns, text, &made, err);
    tr_field_patterns_done(&patterns);
    return st;
}

static const struct tr_json *schema_as_given(const struct tr_lua_options *o,
                                             struct tr_arena *arena)
{
    struct tr_err err = {0};
    const struct tr_json *schema = tr_lua_read_schema(o, arena);
    tr_status judged = judge(arena, schema, &err);
    if (judged == TR_E_NOMEM)
        tr_lua_raise_nomem(o->L);
    if (judged != TR_OK)
        tr_lua_options_fail(o, "schema: ", err.msg);
    return schema;
}

/* Members of a request, at most so many as a question has. */
struct params {
    struct tr_json_member members[8];
    size_t count;
};

static void put(struct params *params, const char *key, struct tr_json value)
{
    params->members[params->count++] = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(key)), value};
}

static void put_text(struct params *params, const char *key, tr_str text)
{
    put(params, key, tr_json_make_text(TR_JSON_STRING, text));
}

static tr_str text_option(const struct tr_lua_options *o, const char *name,
                          struct tr_arena *arena)
{
    (void)tr_lua_option_str(o, name);
    if (tr_lua_option_push(o, name) != LUA_TSTRING)
        tr_lua_options_fail(o, "needs the option ", name);
    tr_str text = tr_lua_to_text(o->L, -1, arena);
    lua_pop(o->L, 1);
    return text;
}

static const struct tr_json *finish_params(lua_State *L, struct tr_arena *arena,
                                           struct params *params)
{
    struct tr_json *value = TR_NEW(arena, struct tr_json);
    if (!value ||
        !tr_json_make_object(arena, params->members, params->count, value))
        tr_lua_raise_nomem(L);
    return value;
}

static const struct tr_json *elicit_params(const struct tr_lua_options *o,
                                           struct tr_arena *arena,
                                           const struct tr_shape **fields)
{
    struct params params = {0};
    tr_str mode = tr_lua_option_str(o, "mode");
    bool is_url = tr_str_eq(mode, TR_STR("url")) ||
                  (mode.len == 0 && tr_lua_option_has(o, "url"));
    if (mode.len > 0 && !is_url && !tr_str_eq(mode, TR_STR("form")))
        tr_lua_options_fail(o, "'mode' is \"form\" or \"url\"", "");
    put_text(&params, "mode", is_url ? TR_STR("url") : TR_STR("form"));
    put_text(&params, "message", text_option(o, "message", arena));
    if (is_url)
        put_text(&params, "url", text_option(o, "url", arena));
    else if (tr_lua_option_has(o, "fields"))
        put(&params, "requestedSchema", *schema_of_fields(o, arena, fields));
    else if (tr_lua_option_has(o, "schema"))
        put(&params, "requestedSchema", *schema_as_given(o, arena));
    else
        tr_lua_options_fail(o, "needs 'fields' or 'schema'", "");
    const struct tr_json *meta =
        tr_lua_option_json(o, "meta", TR_JSON_OBJECT, arena);
    if (meta)
        put(&params, "_meta", *meta);
    return finish_params(o->L, arena, &params);
}

/* Pushes {role = "user", content = {type = "text", text = <top>}}. */
static void push_user_message(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "text");
    lua_pushliteral(L, "text");
    lua_setfield(L, -2, "type");
    lua_createtable(L, 0, 2);
    lua_insert(L, -2);
    lua_setfield(L, -2, "content");
    lua_pushliteral(L, "user");
    lua_setfield(L, -2, "role");
}

/* A message may be a string; its content, too. */
static void push_message(lua_State *L)
{
    if (lua_type(L, -1) == LUA_TSTRING) {
        push_user_message(L);
        return;
    }
    if (!lua_istable(L, -1))
        (void)luaL_error(L, "sample: a message is a string or a table");
    lua_pushliteral(L, "content");
    if (lua_rawget(L, -2) != LUA_TSTRING) {
        lua_pop(L, 1);
        return;
    }
    push_user_message(L);
    lua_pushliteral(L, "role");
    if (lua_rawget(L, -3) == LUA_TSTRING)
        lua_setfield(L, -2, "role");
    else
        lua_pop(L, 1);
    lua_remove(L, -2);
}

/* Pushes the array of messages: of `messages`, or of `prompt`. */
static void push_messages(const struct tr_lua_options *o)
{
    lua_State *L = o->L;
    lua_newtable(L);
    int out = lua_gettop(L);
    if (tr_lua_option_push(o, "prompt") == LUA_TSTRING) {
        push_user_message(L);
        lua_rawseti(L, out, 1);
        return;
    }
    if (tr_lua_option_push(o, "messages") != LUA_TTABLE)
        tr_lua_options_fail(o, "needs 'messages' or 'prompt'", "");
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        push_message(L);
        lua_rawseti(L, out, i);
    }
    lua_settop(L, out);
    tr_lua_mark_array(L);
}

static const struct tr_json *sample_params(const struct tr_lua_options *o,
                                           struct tr_arena *arena)
{
    lua_State *L = o->L;
    tr_lua_options_push_json(o, sample_options, TR_LEN(sample_options));
    int out = lua_gettop(L);
    push_messages(o);
    lua_settop(L, out + 1);
    lua_setfield(L, out, "messages");
    lua_pushnil(L);
    lua_setfield(L, out, "prompt");
    lua_pushnil(L);
    lua_setfield(L, out, "key");
    if (!tr_lua_option_has(o, "max_tokens")) { /* MCP wants it */
        lua_pushinteger(L, TR_LIMIT_LUA_SAMPLE_TOKENS);
        lua_setfield(L, out, "maxTokens");
    }
    const struct tr_json *params = tr_lua_to_json_new(L, out, arena);
    lua_settop(L, out - 1);
    return params;
}

static const struct tr_json *roots_params(const struct tr_lua_options *o,
                                          struct tr_arena *arena)
{
    struct params params = {0};
    const struct tr_json *meta =
        tr_lua_option_json(o, "meta", TR_JSON_OBJECT, arena);
    if (meta)
        put(&params, "_meta", *meta);
    return finish_params(o->L, arena, &params);
}

void tr_lua_read_question(lua_State *L, struct tr_arena *arena,
                          struct tr_call_ask *ask)
{
    if (!find_kind(L, -1, &ask->kind))
        (void)luaL_error(L,
                         "ask: a question is made by elicit, sample or "
                         "roots; this is a %s",
                         luaL_typename(L, -1));
    struct tr_lua_options o = {L, lua_gettop(L), kinds[ask->kind].name, NULL,
                               NULL};
    if (tr_lua_option_has(&o, "key"))
        ask->key = text_option(&o, "key", arena);
    if (ask->kind == TR_CALL_ASK_ELICIT)
        ask->params = elicit_params(&o, arena, &ask->fields);
    else if (ask->kind == TR_CALL_ASK_SAMPLE)
        ask->params = sample_params(&o, arena);
    else
        ask->params = roots_params(&o, arena);
}
