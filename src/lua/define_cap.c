#include "base/limits.h"
#include "cap/cap.h"
#include "cap/registry.h"
#include "json/build.h"
#include "lua/convert.h"
#include "lua/define.h"
#include "lua/field.h"
#include "lua/json_lib.h"
#include "model/builder.h"
#include "schema/verbatim.h"

static const struct tr_lua_option options[] = {
    {"version", NULL},
    {"description", NULL},
    {"input", NULL},
    {"input_schema", NULL},
    {"output", NULL},
    {"preconditions", NULL},
    {"side_effects", NULL},
    {"cost", NULL},
    {"policy_required", NULL},
    {"idempotent", NULL},
    {"deprecates", NULL},
    {"reasoning", NULL},
    {"assurance", NULL},
    {"version_status", NULL},
    {"title", NULL},
    {"scope", NULL},
    {"annotations", NULL},
    {"icons", NULL},
    {"meta", NULL},
    {"_meta", NULL},
    {"run", NULL},
    {"postconditions", NULL},
};

void tr_lua_check_capability(const struct tr_lua_options *o)
{
    tr_lua_options_check(o, options, TR_LEN(options));
}

/* Pushes a table option and describes it, for its own options. */
static bool open_table(const struct tr_lua_options *o, const char *name,
                       struct tr_lua_options *out)
{
    int type = tr_lua_option_push(o, name);
    if (type == LUA_TNIL) {
        lua_pop(o->L, 1);
        return false;
    }
    *out = (struct tr_lua_options){o->L, lua_gettop(o->L), name, NULL, o};
    if (type != LUA_TTABLE)
        tr_lua_options_fail(out, "must be a table, not a ",
                            luaL_typename(o->L, -1));
    return true;
}

static struct tr_cap_strs read_strs(const struct tr_lua_options *o,
                                    const char *name, struct tr_arena *arena)
{
    struct tr_cap_strs strs;
    strs.items = tr_lua_option_strs(o, name, arena, &strs.count);
    return strs;
}

static void read_side_effects(const struct tr_lua_definition *d,
                              struct tr_cap_side_effects *out)
{
    static const struct tr_lua_option list[] = {
        {"graph_writes", NULL},
        {"external_calls", NULL},
        {"provenance", NULL},
        {"regulated", NULL},
    };
    struct tr_lua_options o;
    if (!open_table(&d->o, "side_effects", &o))
        return;
    tr_lua_options_check(&o, list, TR_LEN(list));
    out->is_said = true;
    out->graph_writes = read_strs(&o, "graph_writes", d->arena);
    out->external_calls = read_strs(&o, "external_calls", d->arena);
    if (!tr_lua_option_bool(&o, "provenance", true))
        tr_lua_options_fail(&o, "provenance cannot be turned off", "");
    out->regulated = tr_lua_option_bool(&o, "regulated", false);
    lua_pop(o.L, 1);
}

static void read_cost(const struct tr_lua_definition *d,
                      struct tr_cap_cost *out)
{
    static const struct tr_lua_option list[] = {
        {"tokens", NULL},
        {"usd", NULL},
        {"latency_p50_ms", NULL},
        {"latency_p95_ms", NULL},
    };
    struct tr_lua_options o;
    if (!open_table(&d->o, "cost", &o))
        return;
    tr_lua_options_check(&o, list, TR_LEN(list));
    out->tokens = tr_lua_option_i64(&o, "tokens");
    out->usd = tr_lua_option_double(&o, "usd");
    out->latency_p50_ms = tr_lua_option_double(&o, "latency_p50_ms");
    out->latency_p95_ms = tr_lua_option_double(&o, "latency_p95_ms");
    lua_pop(o.L, 1);
}

static enum tr_cap_hint read_hint(const struct tr_lua_options *o,
                                  const char *name)
{
    if (!tr_lua_option_has(o, name))
        return TR_CAP_HINT_DERIVED;
    return tr_lua_option_bool(o, name, false) ? TR_CAP_HINT_YES
                                              : TR_CAP_HINT_NO;
}

static void read_annotations(const struct tr_lua_definition *d,
                             struct tr_cap *cap)
{
    static const struct tr_lua_option list[] = {
        {"read_only", NULL},
        {"destructive", NULL},
        {"open_world", NULL},
    };
    struct tr_lua_options o;
    if (!open_table(&d->o, "annotations", &o))
        return;
    tr_lua_options_check(&o, list, TR_LEN(list));
    cap->read_only = read_hint(&o, "read_only");
    cap->destructive = read_hint(&o, "destructive");
    cap->open_world = read_hint(&o, "open_world");
    lua_pop(o.L, 1);
}

/* "scope:dev" stands for {kind = "scope", params = {scope = "dev"}}; another
 * text is a kind without parameters. */
static void read_short(const struct tr_lua_options *o, struct tr_arena *arena,
                       struct tr_cap_precondition *out)
{
    tr_str text;
    tr_str scope;
    struct tr_json *params = TR_NEW(arena, struct tr_json);
    text.ptr = lua_tolstring(o->L, -1, &text.len);
    out->kind = text;
    if (!tr_str_starts(text, TR_STR("scope:")))
        return;
    (void)tr_str_cut(text, ':', &out->kind, &scope);
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("scope")),
        tr_json_make_text(TR_JSON_STRING, scope),
    };
    if (!params || !tr_json_make_object(arena, &member, 1, params))
        tr_lua_raise_nomem(o->L);
    out->params = params;
}

/*
 * The parameters of a precondition: they stand beside its kind, or in a table
 * `params` of their own.
 */
static const struct tr_json *read_params(const struct tr_lua_options *o,
                                         struct tr_arena *arena)
{
    static const char *const names[] = {"arg", "field", "one_of", "scope",
                                        "type"};
    struct tr_json_member members[TR_LEN(names)];
    struct tr_json *params = TR_NEW(arena, struct tr_json);
    size_t count = 0;
    if (tr_lua_option_has(o, "params"))
        return tr_lua_option_json(o, "params", TR_JSON_OBJECT, arena);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        if (tr_lua_option_push(o, names[i]) != LUA_TNIL)
            members[count++] = (struct tr_json_member){
                tr_json_make_text(TR_JSON_STRING, tr_str_from(names[i])),
                tr_lua_to_json(o->L, -1, arena)};
        lua_pop(o->L, 1);
    }
    if (!params || !tr_json_make_object(arena, members, count, params))
        tr_lua_raise_nomem(o->L);
    return params;
}

/* The condition on top of the stack. */
static void read_condition(const struct tr_lua_options *within,
                           struct tr_arena *arena, const char *noun,
                           struct tr_cap_precondition *out)
{
    static const struct tr_lua_option list[] = {
        {"kind", NULL},   {"params", NULL}, {"arg", NULL},  {"field", NULL},
        {"one_of", NULL}, {"scope", NULL},  {"type", NULL},
    };
    struct tr_lua_options o = *within;
    if (lua_type(o.L, -1) == LUA_TSTRING) {
        read_short(&o, arena, out);
        return;
    }
    if (!lua_istable(o.L, -1))
        tr_lua_options_fail(&o, noun,
                            " has a text such as \"scope:dev\", or "
                            "{kind=, ...}");
    o.index = lua_gettop(o.L);
    tr_lua_options_check(&o, list, TR_LEN(list));
    out->kind = tr_lua_option_str(&o, "kind");
    out->params = read_params(&o, arena);
}

const struct tr_cap_precondition *
tr_lua_read_conditions(const struct tr_lua_options *o, const char *option,
                       struct tr_arena *arena, size_t *count)
{
    struct tr_lua_options own;
    *count = 0;
    if (!open_table(o, option, &own))
        return NULL;
    *count = (size_t)lua_rawlen(o->L, own.index);
    struct tr_cap_precondition *list = tr_lua_must_have(
        o->L, TR_NEW_ARRAY(arena, struct tr_cap_precondition, *count));
    for (size_t i = 0; i < *count; i++) {
        lua_rawgeti(o->L, own.index, (lua_Integer)i + 1);
        read_condition(o, arena, option, &list[i]);
        lua_pop(o->L, 1);
    }
    lua_pop(o->L, 1);
    return list;
}

/* Reads the options whose value is one of a few words. */
static void read_words(const struct tr_lua_definition *d, struct tr_cap *cap)
{
    tr_str reasoning = tr_lua_option_str(&d->o, "reasoning");
    tr_str assurance = tr_lua_option_str(&d->o, "assurance");
    tr_str status = tr_lua_option_str(&d->o, "version_status");
    if (reasoning.len && !tr_cap_reasoning_find(reasoning, &cap->reasoning))
        tr_lua_options_fail(&d->o, "'reasoning' is none, rdfs or owl-rl, not ",
                            reasoning.ptr);
    if (assurance.len && !tr_cap_assurance_find(assurance, &cap->assurance))
        tr_lua_options_fail(&d->o, "'assurance' is L1, L2 or L3, not ",
                            assurance.ptr);
    if (status.len && !tr_cap_version_status_find(status, &cap->version_status))
        tr_lua_options_fail(&d->o,
                            "'version_status' is active, deprecated, "
                            "experimental or retired, not ",
                            status.ptr);
}

/* "app.lua:7: capability 'c': input", left on the stack. */
static tr_str push_where(const struct tr_lua_definition *d, const char *part)
{
    lua_State *L = d->o.L;
    tr_str where;
    luaL_where(L, 1);
    where.ptr = lua_pushfstring(L, "%s%s '%s': %s", lua_tostring(L, -1),
                                d->o.kind, d->o.name, part);
    where.len = strlen(where.ptr);
    lua_remove(L, -2);
    return where;
}

/*
 * Notes the types that refs point to, to be checked at the end: they may be
 * declared later.
 */
static void need_types(const struct tr_lua_definition *d,
                       const struct tr_shape *shape)
{
    lua_State *L = d->o.L;
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        struct tr_err err = {0};
        if (!field->target.len)
            continue;
        lua_pushfstring(L, "field '%s'", field->name.ptr);
        tr_str where = push_where(d, lua_tostring(L, -1));
        tr_lua_definition_check(
            d,
            tr_model_builder_need_type(tr_lua_of(L)->load->model, field->target,
                                       where, &err),
            &err);
        lua_pop(L, 2);
    }
}

/* The name of a type or a shape, which may be declared later; "" when it is a
 * table of fields. */
static tr_str read_shape_name(const struct tr_lua_definition *d,
                              const char *option)
{
    lua_State *L = d->o.L;
    struct tr_err err = {0};
    tr_str name = {0};
    if (tr_lua_option_push(&d->o, option) == LUA_TSTRING) {
        name.ptr = lua_tolstring(L, -1, &name.len);
        tr_str where = push_where(d, option);
        tr_lua_definition_check(
            d,
            tr_model_builder_need_shape(tr_lua_of(L)->load->model, name, where,
                                        &err),
            &err);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return name;
}

const struct tr_shape *tr_lua_read_shape(const struct tr_lua_definition *d,
                                         const char *name)
{
    struct tr_shape draft = {0};
    struct tr_err err = {0};
    const struct tr_shape *shape = NULL;
    int type = tr_lua_option_push(&d->o, name);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        tr_lua_read_fields(&d->o, -1, d->arena, &draft);
        tr_status st = tr_shape_register(tr_cap_registry_arena(d->builder),
                                         tr_cap_registry_patterns(d->builder),
                                         &draft, &shape, &err);
        tr_lua_options_check_status(&d->o, st, &err, "field");
        need_types(d, shape);
    }
    lua_pop(d->o.L, 1);
    return shape;
}

/* Reads input_schema, which is JSON text, kept as it is, or a table. */
static const struct tr_schema_verbatim *
read_schema(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    tr_str text = {0};
    const struct tr_schema_verbatim *schema = NULL;
    int type = tr_lua_option_push(&d->o, "input_schema");
    if (type == LUA_TSTRING) {
        text.ptr = lua_tolstring(d->o.L, -1, &text.len);
    } else if (type != LUA_TNIL) {
        struct tr_json tree = tr_lua_to_json(d->o.L, -1, d->arena);
        tr_lua_definition_check(
            d, tr_lua_write_json(&tree, d->arena, &text, &err), &err);
    }
    if (text.len > 0) {
        tr_status st = tr_schema_verbatim_register(
            tr_cap_registry_arena(d->builder),
            tr_cap_registry_patterns(d->builder), text, &schema, &err);
        tr_lua_options_check_status(&d->o, st, &err, "input_schema");
    }
    lua_pop(d->o.L, 1);
    return schema;
}

void tr_lua_define_capability(const struct tr_lua_definition *d)
{
    struct tr_err err = {0};
    const char *meta = tr_lua_option_has(&d->o, "_meta") ? "_meta" : "meta";
    if (tr_lua_option_has(&d->o, "input") &&
        tr_lua_option_has(&d->o, "input_schema"))
        tr_lua_options_fail(&d->o, "it has 'input' or 'input_schema', not both",
                            "");
    struct tr_cap cap = {
        .id = d->name,
        .version = tr_lua_option_str(&d->o, "version"),
        .description = tr_lua_option_str(&d->o, "description"),
        .input_shape = tr_lua_read_shape(d, "input"),
        .output_shape = tr_lua_read_shape(d, "output"),
        .input_name = read_shape_name(d, "input"),
        .output_name = read_shape_name(d, "output"),
        .input_schema = read_schema(d),
        .guard = tr_lua_read_guard(&d->o, d->arena),
        .idempotent = tr_lua_option_bool(&d->o, "idempotent", false),
        .deprecates = tr_lua_option_str(&d->o, "deprecates"),
        .handler = d->handler,
        .title = tr_lua_option_str(&d->o, "title"),
        .icons = tr_lua_option_json(&d->o, "icons", TR_JSON_ARRAY, d->arena),
        .meta = tr_lua_option_json(&d->o, meta, TR_JSON_OBJECT, d->arena),
    };
    read_words(d, &cap);
    cap.preconditions = tr_lua_read_conditions(&d->o, "preconditions", d->arena,
                                               &cap.precondition_count);
    cap.postconditions = tr_lua_read_conditions(
        &d->o, "postconditions", d->arena, &cap.postcondition_count);
    read_side_effects(d, &cap.side_effects);
    read_cost(d, &cap.cost);
    read_annotations(d, &cap);
    tr_lua_definition_check(d, tr_cap_registry_add_cap(d->builder, &cap, &err),
                            &err);
}
