#include "lua/field.h"

#include "base/limits.h"
#include "fields/literal.h"
#include "json/reader.h"
#include "lua/convert.h"
#include "lua/sandbox.h"
#include "lua/state.h"
#include "schema/document.h"

/*
 * The key of a field's kind in its table: no string that an author could write.
 */
static const char kind_key = 0;

/* The key of what a ref points to: the name of a type, or true for any node;
 * or of the name of an object. */
static const char target_key = 0;

static const struct tr_lua_option options[] = {
    {"many", NULL},          {"optional", NULL},      {"required", NULL},
    {"one_of", NULL},        {"pattern", NULL},       {"min_length", NULL},
    {"max_length", NULL},    {"min_value", NULL},     {"max_value", NULL},
    {"min_exclusive", NULL}, {"max_exclusive", NULL}, {"min_count", NULL},
    {"max_count", NULL},     {"default", NULL},       {"title", NULL},
    {"description", NULL},   {"header", NULL},        {"search", NULL},
    {"unique", NULL},        {"iri", NULL},           {"scope", NULL},
    {"min", NULL},           {"max", NULL},           {"digits", NULL},
    {"scale", NULL},         {"schema", NULL},        {"by", NULL},
    {"list", NULL},          {"fields", NULL},        {"index", NULL},
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

/* object "Address" { fields = {...} } */
static int make_object(lua_State *L)
{
    if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TSTRING)
        return luaL_error(L, "write object 'Name' { fields = {...} }");
    push_kind(L, TR_FIELD_OBJECT);
    return 1;
}

/* `json` is a library, too: upvalue 1. Other kinds have no members. */
static int read_kind(lua_State *L)
{
    const enum tr_field_kind *kind = luaL_checkudata(L, 1, "trails.kind");
    if (*kind != TR_FIELD_JSON)
        return luaL_error(L, "'%s' is a kind of field, and has no members",
                          tr_field_kind_name(*kind));
    lua_settop(L, 2);
    lua_gettable(L, lua_upvalueindex(1));
    return 1;
}

static int write_kind(lua_State *L)
{
    const enum tr_field_kind *kind = luaL_checkudata(L, 1, "trails.kind");
    lua_settop(L, 3);
    if (*kind == TR_FIELD_JSON)
        lua_settable(L, lua_upvalueindex(1));
    return luaL_error(L, "'%s' is a kind of field, and has no members",
                      tr_field_kind_name(*kind));
}

/* Whether the word alone is a field; a name follows the others. */
static bool is_word(enum tr_field_kind kind)
{
    return kind != TR_FIELD_REF && kind != TR_FIELD_OBJECT;
}

void tr_lua_add_fields(lua_State *L)
{
    struct tr_lua *lua = tr_lua_of(L);
    lua->refs.field = tr_lua_new_mark(L, "field");
    lua_pop(L, 1);
    (void)luaL_newmetatable(L, "trails.kind");
    lua_pushcfunction(L, make_field);
    lua_setfield(L, -2, "__call");
    lua_getfield(L, -2, tr_field_kind_name(TR_FIELD_JSON));
    lua_pushcclosure(L, read_kind, 1);
    lua_setfield(L, -2, "__index");
    lua_getfield(L, -2, tr_field_kind_name(TR_FIELD_JSON));
    lua_pushcclosure(L, write_kind, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    for (int i = 0; i < TR_FIELD_KINDS; i++) {
        const enum tr_field_kind kind = (enum tr_field_kind)i;
        if (!is_word(kind))
            continue;
        lua_pushnil(L);
        push_kind(L, kind);
        lua_setfield(L, -3, tr_field_kind_name(kind));
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, make_ref);
    lua_setfield(L, -2, tr_field_kind_name(TR_FIELD_REF));
    lua_pushcfunction(L, make_object);
    lua_setfield(L, -2, tr_field_kind_name(TR_FIELD_OBJECT));
}

/* A bound is a value of the kind: a number, or a text such as "2026-01-01". */
static tr_str bound_of(const struct tr_lua_options *o, enum tr_field_kind kind,
                       const char *name, struct tr_arena *arena)
{
    tr_str text = {NULL, 0};
    int type = tr_lua_option_push(o, name);
    bool is_text = type == LUA_TSTRING && tr_field_kind_is_literal(kind);
    if (type == LUA_TNUMBER || is_text) {
        struct tr_json bound = tr_lua_to_json(o->L, -1, arena);
        tr_rdf_xsd_value value;
        text = tr_json_text(&bound);
        if (kind == TR_FIELD_DECIMAL && /* 1e21 has no such text */
            tr_field_literal_read(kind, &bound, &value) &&
            !tr_field_literal_spell(&value, arena, &text))
            tr_lua_raise_nomem(o->L);
    } else if (type != LUA_TNIL) {
        tr_lua_options_fail(o,
                            tr_field_kind_is_literal(kind)
                                ? "must be a text: "
                                : "must be a number: ",
                            name);
    }
    lua_pop(o->L, 1);
    return text;
}

static void read_bounds(const struct tr_lua_options *o, struct tr_arena *arena,
                        struct tr_field *field)
{
    const struct {
        const char *name;
        tr_str *out;
    } bounds[] = {
        {"min_value", &field->min_value},
        {"max_value", &field->max_value},
        {"min_exclusive", &field->min_exclusive},
        {"max_exclusive", &field->max_exclusive},
    };
    for (size_t i = 0; i < TR_LEN(bounds); i++)
        *bounds[i].out = bound_of(o, field->kind, bounds[i].name, arena);
}

/* Of a decimal, as SQL and Django have it: both, or the scale alone. */
static void read_digits(const struct tr_lua_options *o, struct tr_field *field)
{
    field->digits = tr_lua_option_i64(o, "digits");
    field->scale = tr_lua_option_i64(o, "scale");
    if (field->kind != TR_FIELD_DECIMAL)
        return;
    if (tr_lua_option_has(o, "digits") &&
        (!tr_lua_option_has(o, "scale") || field->digits < 1))
        tr_lua_options_fail(o,
                            "'digits' is 1 or more, and 'scale' says how many "
                            "of them stand behind the point: decimal { digits "
                            "= 10, scale = 2 }",
                            "");
    if (tr_lua_option_has(o, "scale") && !field->digits && field->scale < 1)
        tr_lua_options_fail(o,
                            "'scale' is 1 or more, unless 'digits' is said "
                            "too; without a fraction it is an integer",
                            "");
}

const struct tr_json *tr_lua_read_schema(const struct tr_lua_options *o,
                                         struct tr_arena *arena)
{
    struct tr_err err = {0};
    const struct tr_json *schema = NULL;
    if (tr_lua_option_push(o, "schema") == LUA_TSTRING) {
        tr_str text = tr_lua_to_text(o->L, -1, arena);
        tr_status st = tr_json_read(arena, text, NULL, &schema, &err);
        if (st == TR_E_NOMEM)
            tr_lua_raise_nomem(o->L);
        if (st != TR_OK)
            tr_lua_options_fail(o, "schema: ", err.msg);
    } else {
        schema = tr_lua_to_json_new(o->L, -1, arena);
    }
    if (schema->kind != TR_JSON_OBJECT)
        tr_lua_options_fail(o, "a schema is an object", "");
    lua_pop(o->L, 1);
    return schema;
}

static void read_schema(const struct tr_lua_options *o, struct tr_arena *arena,
                        struct tr_field *field)
{
    if (!tr_lua_option_has(o, "schema"))
        return;
    field->schema = tr_lua_read_schema(o, arena);
    field->schema_ops = &tr_schema_document_ops;
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

/* Tables may be in each other without end. */
static void check_depth(const struct tr_lua_options *o)
{
    int depth = 0;
    for (const struct tr_lua_options *at = o->within; at; at = at->within)
        depth += strcmp(at->kind, "field") == 0;
    if (depth >= TR_LIMIT_OBJECT_DEPTH)
        tr_lua_options_fail(o, "objects are at most 3 deep in each other", "");
}

static void read_object(const struct tr_lua_options *o, struct tr_arena *arena,
                        struct tr_field *field)
{
    struct tr_shape *object =
        tr_lua_must_have(o->L, TR_NEW(arena, struct tr_shape));
    check_depth(o);
    object->name = field->target;
    field->target = TR_STR("");
    if (!tr_field_name_is_valid(object->name))
        tr_lua_options_fail(o, "the name of an object is letters, digits and _",
                            "");
    if (tr_lua_option_push(o, "fields") == LUA_TNIL)
        tr_lua_options_fail(o, "'fields' is missing: a table of fields", "");
    tr_lua_read_fields(o, -1, arena, object);
    lua_pop(o->L, 1);
    field->object = object;
}

/* Only nodes are found by their values. */
static enum tr_field_index index_of(const struct tr_lua_options *o)
{
    if (!tr_lua_option_has(o, "index"))
        return TR_FIELD_INDEX_DEFAULT;
    if (!o->within || strcmp(o->within->kind, "node_type") != 0)
        tr_lua_options_fail(o, "'index' is for the fields of a node_type", "");
    return tr_lua_option_bool(o, "index", false) ? TR_FIELD_INDEX_VALUE
                                                 : TR_FIELD_INDEX_NONE;
}

static void read_marked(const struct tr_lua_options *o, struct tr_arena *arena,
                        struct tr_field *field)
{
    lua_rawgetp(o->L, o->index, &kind_key);
    field->kind = (enum tr_field_kind)lua_tointeger(o->L, -1);
    lua_pop(o->L, 1);
    lua_rawgetp(o->L, o->index, &target_key);
    take_target(o->L, field);
    if (field->kind == TR_FIELD_OBJECT)
        read_object(o, arena, field);
    else if (tr_lua_option_has(o, "fields"))
        tr_lua_options_fail(o, "'fields' is for object 'Name' { ... }", "");
    field->many = tr_lua_option_bool(o, "many", false);
    field->list = tr_lua_option_bool(o, "list", false);
    field->optional = is_optional(o);
    field->search = tr_lua_option_bool(o, "search", false);
    field->unique = tr_lua_option_bool(o, "unique", false);
    field->scope = scope_of(o);
    field->index = index_of(o);
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
    read_bounds(o, arena, field);
    read_digits(o, field);
    read_schema(o, arena, field);
    field->one_of = tr_lua_option_json(o, "one_of", TR_JSON_ARRAY, arena);
    if (tr_lua_option_has(o, "one_of") &&
        !(field->one_of && field->one_of->len))
        tr_lua_options_fail(o, "'one_of' has no value", "");
    field->default_to = default_of(o, arena);
}

/* Names all that it may be. */
static void refuse_kind(const struct tr_lua_options *o)
{
    char names[256] = "";
    size_t len = 0;
    for (int i = 0; i < TR_FIELD_KINDS; i++) {
        if (is_word((enum tr_field_kind)i))
            len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
                                    len ? ", " : "",
                                    tr_field_kind_name((enum tr_field_kind)i));
    }
    (void)snprintf(names + len, sizeof(names) - len,
                   ", ref 'Type' or object 'Name' {}, not a %s",
                   luaL_typename(o->L, -1));
    tr_lua_options_fail(o, "must be ", names);
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
        if (field->kind == TR_FIELD_OBJECT)
            tr_lua_options_fail(&own, "'fields' is missing: a table of fields",
                                "");
    } else if (tr_lua_has_mark(L, -1, tr_lua_of(L)->refs.field))
        read_marked(&own, arena, field);
    else
        refuse_kind(&own);
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
    struct tr_field *fields =
        tr_lua_must_have(L, TR_NEW_ARRAY(arena, struct tr_field, out->count));
    if (lua_rawlen(L, index) > 0 && lua_rawlen(L, index) == out->count)
        read_listed(o, index, arena, out, fields);
    else
        read_named(o, index, arena, fields);
    out->fields = fields;
}
