#include "lua/field.h"

#include "base/limits.h"
#include "lua/convert.h"
#include "lua/sandbox.h"
#include "lua/state.h"

/*
 * The key of a field's kind in its table: no string that an author could write.
 */
static const char kind_key = 0;

/* The key of what a ref points to: the name of a type, or true for any node. */
static const char target_key = 0;

static const struct tr_lua_option options[] = {
    {"many", NULL},          {"optional", NULL},      {"required", NULL},
    {"one_of", NULL},        {"pattern", NULL},       {"min_length", NULL},
    {"max_length", NULL},    {"min_value", NULL},     {"max_value", NULL},
    {"min_exclusive", NULL}, {"max_exclusive", NULL}, {"min_count", NULL},
    {"max_count", NULL},     {"default", NULL},       {"title", NULL},
    {"description", NULL},   {"header", NULL},        {"search", NULL},
    {"unique", NULL},        {"iri", NULL},           {"scope", NULL},
    {"min", NULL},           {"max", NULL},           {"by", NULL},
};

static const enum tr_field_kind kinds[] = {
    TR_FIELD_TEXT,    TR_FIELD_INTEGER,  TR_FIELD_NUMBER,
    TR_FIELD_BOOLEAN, TR_FIELD_DATETIME,
};

/* text { ... }: checks the names and marks the table. */
static int make_field(lua_State *L)
{
    const enum tr_field_kind *kind = lua_touserdata(L, 1);
    struct tr_lua_options o = {L, 2, tr_field_kind_name(*kind), NULL, NULL};
    if (!lua_istable(L, 2))
        tr_lua_options_fail(&o, "its options are a table { ... }, not a ",
                            luaL_typename(L, 2));
    lua_settop(L, 2);
    tr_lua_options_check(&o, options, TR_LEN(options));
    lua_pushinteger(L, *kind);
    lua_rawsetp(L, 2, &kind_key);
    (void)lua_getiuservalue(L, 1, 1);
    lua_rawsetp(L, 2, &target_key);
    tr_lua_set_mark(L, tr_lua_of(L)->refs.field);
    return 1;
}

/* A kind, whose user value is the one on top of the stack. */
static void push_kind(lua_State *L, enum tr_field_kind kind)
{
    enum tr_field_kind *own = lua_newuserdatauv(L, sizeof(*own), 1);
    *own = kind;
    luaL_setmetatable(L, "trails.kind");
    lua_insert(L, -2);
    (void)lua_setiuservalue(L, -2, 1);
}

/* ref "Person", which may be followed by { ... }; ref() points to any node. */
static int make_ref(lua_State *L)
{
    if (lua_gettop(L) > 1 ||
        (lua_gettop(L) == 1 && lua_type(L, 1) != LUA_TSTRING))
        return luaL_error(L, "write ref 'Type' or ref(): the name of a "
                             "node_type, or nothing for any");
    if (lua_gettop(L) == 0)
        lua_pushboolean(L, 1);
    push_kind(L, TR_FIELD_REF);
    return 1;
}

void tr_lua_add_fields(lua_State *L)
{
    struct tr_lua *lua = tr_lua_of(L);
    lua->refs.field = tr_lua_new_mark(L, "field");
    lua_pop(L, 1);
    (void)luaL_newmetatable(L, "trails.kind");
    lua_pushcfunction(L, make_field);
    lua_setfield(L, -2, "__call");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        lua_pushnil(L);
        push_kind(L, kinds[i]);
        lua_setfield(L, -3, tr_field_kind_name(kinds[i]));
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, make_ref);
    lua_setfield(L, -2, tr_field_kind_name(TR_FIELD_REF));
}

static tr_str number_of(const struct tr_lua_options *o, const char *name,
                        struct tr_arena *arena)
{
    tr_str text = {NULL, 0};
    int type = tr_lua_option_push(o, name);
    if (type == LUA_TNUMBER) {
        struct tr_json number = tr_lua_to_json(o->L, -1, arena);
        text = tr_json_text(&number);
    } else if (type != LUA_TNIL) {
        tr_lua_options_fail(o, "must be a number: ", name);
    }
    lua_pop(o->L, 1);
    return text;
}

static const struct tr_json *default_of(const struct tr_lua_options *o,
                                        struct tr_arena *arena)
{
    const struct tr_json *value = NULL;
    if (tr_lua_option_push(o, "default") != LUA_TNIL)
        value = tr_lua_to_json_new(o->L, -1, arena);
    lua_pop(o->L, 1);
    return value;
}

/* How many values there are has two spellings: `short_name` is `min` or `max`.
 */
static int64_t count_of(const struct tr_lua_options *o, const char *name,
                        const char *short_name)
{
    if (tr_lua_option_has(o, name) && tr_lua_option_has(o, short_name))
        tr_lua_options_fail(o, "another word for the same is ", name);
    return tr_lua_option_i64(o, tr_lua_option_has(o, name) ? name : short_name);
}

/* As `min = 0` says it too: a field has one value at least, unless told. */
static bool is_optional(const struct tr_lua_options *o)
{
    return tr_lua_option_bool(o, "optional", false) ||
           !tr_lua_option_bool(o, "required", true) ||
           (tr_lua_option_has(o, "min") && !tr_lua_option_i64(o, "min"));
}

/*
 * Takes the target from the top of the stack. Its text is borrowed: the field's
 * table still holds it.
 */
static void take_target(lua_State *L, struct tr_field *field)
{
    field->any_type = lua_isboolean(L, -1);
    if (lua_type(L, -1) == LUA_TSTRING)
        field->target.ptr = lua_tolstring(L, -1, &field->target.len);
    lua_pop(L, 1);
}

/* Arguments and results are for whoever may call; only what is stored can be
 * hidden from some. */
static enum tr_scope scope_of(const struct tr_lua_options *o)
{
    tr_str name = tr_lua_option_str(o, "scope");
    enum tr_scope scope = 0;
    if (!tr_lua_option_has(o, "scope"))
        return 0;
    if (!o->within || strcmp(o->within->kind, "node_type") != 0)
        tr_lua_options_fail(o, "'scope' is for the fields of a node_type", "");
    if (!tr_scope_find(name, &scope))
        tr_lua_options_fail(o, "'scope' is runtime, builder or dev, not ",
                            name.ptr);
    return scope;
}

static void read_marked(const struct tr_lua_options *o, struct tr_arena *arena,
                        struct tr_field *field)
{
    lua_rawgetp(o->L, o->index, &kind_key);
    field->kind = (enum tr_field_kind)lua_tointeger(o->L, -1);
    lua_pop(o->L, 1);
    lua_rawgetp(o->L, o->index, &target_key);
    take_target(o->L, field);
    field->many = tr_lua_option_bool(o, "many", false);
    field->optional = is_optional(o);
    field->search = tr_lua_option_bool(o, "search", false);
    field->unique = tr_lua_option_bool(o, "unique", false);
    field->scope = scope_of(o);
    field->title = tr_lua_option_str(o, "title");
    field->description = tr_lua_option_str(o, "description");
    field->header = tr_lua_option_str(o, "header");
    field->iri = tr_lua_option_str(o, "iri");
    field->by = tr_lua_option_str(o, "by");
    field->pattern = tr_lua_option_str(o, "pattern");
    field->min_length = tr_lua_option_i64(o, "min_length");
    field->max_length = tr_lua_option_i64(o, "max_length");
    field->min_count = count_of(o, "min_count", "min");
    field->max_count = count_of(o, "max_count", "max");
    field->min_value = number_of(o, "min_value", arena);
    field->max_value = number_of(o, "max_value", arena);
    field->min_exclusive = number_of(o, "min_exclusive", arena);
    field->max_exclusive = number_of(o, "max_exclusive", arena);
    field->one_of = tr_lua_option_json(o, "one_of", TR_JSON_ARRAY, arena);
    if (tr_lua_option_has(o, "one_of") &&
        !(field->one_of && field->one_of->len))
        tr_lua_options_fail(o, "'one_of' has no value", "");
    field->default_to = default_of(o, arena);
}

/* The field on top of the stack. */
static void read_field(const struct tr_lua_options *o, struct tr_arena *arena,
                       struct tr_field *field)
{
    lua_State *L = o->L;
    const enum tr_field_kind *kind = luaL_testudata(L, -1, "trails.kind");
    struct tr_lua_options own = {L, lua_gettop(L), "field", field->name.ptr, o};
    if (kind) {
        field->kind = *kind;
        (void)lua_getiuservalue(L, -1, 1);
        take_target(L, field);
    } else if (tr_lua_has_mark(L, -1, tr_lua_of(L)->refs.field))
        read_marked(&own, arena, field);
    else
        tr_lua_options_fail(&own,
                            "must be text, integer, number, boolean, datetime "
                            "or ref 'Type', not a ",
                            luaL_typename(L, -1));
}

static int by_name(const void *a, const void *b)
{
    return tr_str_cmp(((const struct tr_field *)a)->name,
                      ((const struct tr_field *)b)->name);
}

/* { name = field } */
static void read_named(const struct tr_lua_options *o, int index,
                       struct tr_arena *arena, struct tr_field *fields)
{
    lua_State *L = o->L;
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1), count++) {
        if (lua_type(L, -2) != LUA_TSTRING)
            tr_lua_options_fail(o, "fields have names; a key is of type ",
                                luaL_typename(L, -2));
        fields[count].name.ptr = lua_tolstring(L, -2, &fields[count].name.len);
        read_field(o, arena, &fields[count]);
    }
    qsort(fields, count, sizeof(*fields), by_name);
}

/* { { "name", field }, ... } */
static void read_listed(const struct tr_lua_options *o, int index,
                        struct tr_arena *arena, struct tr_shape *out,
                        struct tr_field *fields)
{
    lua_State *L = o->L;
    for (size_t i = 0; i < out->count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i + 1);
        if (!lua_istable(L, -1))
            tr_lua_options_fail(o,
                                "an array of fields has items "
                                "{ \"name\", field }",
                                "");
        lua_rawgeti(L, -1, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            tr_lua_options_fail(o,
                                "an array of fields has items "
                                "{ \"name\", field }",
                                "");
        fields[i].name.ptr = lua_tolstring(L, -1, &fields[i].name.len);
        lua_rawgeti(L, -2, 2);
        read_field(o, arena, &fields[i]);
        lua_pop(L, 3);
    }
}

static size_t count_keys(lua_State *L, int index)
{
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        count++;
    return count;
}

void tr_lua_read_fields(const struct tr_lua_options *o, int index,
                        struct tr_arena *arena, struct tr_shape *out)
{
    lua_State *L = o->L;
    index = lua_absindex(L, index);
    if (!lua_istable(L, index))
        tr_lua_options_fail(o, "a table of fields is needed, not a ",
                            luaL_typename(L, index));
    luaL_checkstack(L, 10, NULL);
    out->count = count_keys(L, index);
    struct tr_field *fields = TR_NEW_ARRAY(arena, struct tr_field, out->count);
    if (!fields)
        tr_lua_raise_nomem(L);
    if (lua_rawlen(L, index) > 0 && lua_rawlen(L, index) == out->count)
        read_listed(o, index, arena, out, fields);
    else
        read_named(o, index, arena, fields);
    out->fields = fields;
}
