#include "base/text.h"
#include "config/config.h"
#include "config/known.h"
#include "config/settings.h"
#include "toml/reader.h"

/* What is being loaded, from where, and who hears of mistakes. */
struct loading {
    struct tr_arena *arena;
    struct tr_config *config;
    const struct tr_json *tree;
    tr_str toml;
    char *const *environment;
    const struct tr_config_listener *listener; /* NULL: the first one ends it */
    size_t mistakes;
};

/* Where a value comes from, for the messages about it. */
struct source {
    tr_str toml;
    const struct tr_json *at; /* the value in the tree, or NULL */
    const char *variable;     /* or the variable of the environment */
    bool is_alias;            /* it stands under the setting's older key */
};

static tr_status refuse(const struct tr_config_setting *setting,
                        const struct source *source, const char *why,
                        struct tr_err *err)
{
    if (source->variable)
        return tr_fail(err, TR_E_INVALID, "%s %s", source->variable, why);
    (void)tr_fail(err, TR_E_INVALID, "%s.%s %s",
                  tr_config_setting_section(setting),
                  source->is_alias ? setting->alias : setting->key, why);
    if (source->at && source->at->kind != TR_JSON_BOOL &&
        source->at->kind != TR_JSON_ARRAY && source->at->kind != TR_JSON_OBJECT)
        tr_config_add_place(err, source->toml, tr_json_text(source->at).ptr);
    return TR_E_INVALID;
}

static tr_status refuse_range(const struct tr_config_setting *setting,
                              const struct source *source, struct tr_err *err)
{
    char allowed[128];
    char why[160];
    tr_config_setting_describe(setting, allowed, sizeof(allowed));
    (void)snprintf(why, sizeof(why), "must be %s", allowed);
    return refuse(setting, source, why, err);
}

static bool find_choice(const struct tr_config_setting *setting, tr_str text,
                        int64_t *out)
{
    for (int64_t i = 0; setting->choices[i]; i++) {
        if (tr_str_eq(text, tr_str_from(setting->choices[i]))) {
            *out = i;
            return true;
        }
    }
    return false;
}

static tr_status set(struct tr_config *config,
                     const struct tr_config_setting *setting, tr_str text,
                     const struct source *source, struct tr_err *err)
{
    void *field = (char *)config + setting->offset;
    int64_t number;
    bool is_list = setting->type == TR_CONFIG_SETTING_LIST;
    const char *why = setting->check && !is_list ? setting->check(text) : NULL;

    if (!tr_utf8_is_valid(text))
        why = "must be UTF-8";
    if (why)
        return refuse(setting, source, why, err);
    switch (setting->type) {
    case TR_CONFIG_SETTING_TEXT:
        *(tr_str *)field = text;
        return TR_OK;
    case TR_CONFIG_SETTING_LIST:
        *(struct tr_config_list *)field = (struct tr_config_list){0};
        return TR_OK;
    case TR_CONFIG_SETTING_ICONS:
        *(const struct tr_json **)field = NULL;
        return TR_OK;
    case TR_CONFIG_SETTING_INTEGER:
        if (!tr_str_to_i64(text, &number) || number < setting->min ||
            number > setting->max)
            return refuse_range(setting, source, err);
        break;
    case TR_CONFIG_SETTING_BOOLEAN:
        number = tr_str_eq(text, TR_STR("true"));
        if (!number && !tr_str_eq(text, TR_STR("false")))
            return refuse_range(setting, source, err);
        break;
    case TR_CONFIG_SETTING_CHOICE:
        if (!find_choice(setting, text, &number))
            return refuse_range(setting, source, err);
        break;
    }
    *(int64_t *)field = number;
    return TR_OK;
}

static tr_status set_list(struct tr_arena *arena, struct tr_config *config,
                          const struct tr_config_setting *setting,
                          const struct source *source, struct tr_err *err)
{
    const struct tr_json *array = source->at;
    if (array->kind != TR_JSON_ARRAY)
        return refuse(setting, source, "must be an array of strings", err);
    tr_str *items = TR_NEW_ARRAY(arena, tr_str, array->len);
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for the configuration");
    for (size_t i = 0; i < array->len; i++) {
        struct source item = {.toml = source->toml, .at = &array->as.items[i]};
        items[i] = tr_json_text(item.at);
        const char *why = item.at->kind != TR_JSON_STRING
                              ? "must be an array of strings"
                          : setting->check ? setting->check(items[i])
                                           : NULL;
        if (why)
            return refuse(setting, &item, why, err);
    }
    *(struct tr_config_list *)(void *)((char *)config + setting->offset) =
        (struct tr_config_list){items, array->len};
    return TR_OK;
}

static tr_status set_icons(struct tr_config *config,
                           const struct tr_config_setting *setting,
                           const struct source *source, struct tr_err *err)
{
    const struct tr_json *at;
    tr_status status = tr_config_icons_check(source->at, &at, err);
    if (status != TR_OK) {
        tr_err_prefix(err, "%s.%s", tr_config_setting_section(setting),
                      setting->key);
        tr_config_add_place(err, source->toml,
                            at ? tr_json_text(at).ptr : NULL);
        return status;
    }
    *(const struct tr_json **)(void *)((char *)config + setting->offset) =
        source->at;
    return TR_OK;
}

/* The kind that TOML must have for a setting of a type, and its name. */
static const struct {
    enum tr_json_kind kind;
    const char *name;
} wanted[] = {
    [TR_CONFIG_SETTING_TEXT] = {TR_JSON_STRING, "a string"},
    [TR_CONFIG_SETTING_INTEGER] = {TR_JSON_NUMBER, "an integer"},
    [TR_CONFIG_SETTING_CHOICE] = {TR_JSON_STRING, "a string"},
    [TR_CONFIG_SETTING_BOOLEAN] = {TR_JSON_BOOL, "true or false"},
};

static tr_status set_from_toml(struct tr_arena *arena, struct tr_config *config,
                               const struct tr_config_setting *setting,
                               const struct source *source, struct tr_err *err)
{
    bool on;
    if (setting->type == TR_CONFIG_SETTING_LIST)
        return set_list(arena, config, setting, source, err);
    if (setting->type == TR_CONFIG_SETTING_ICONS)
        return set_icons(config, setting, source, err);
    int64_t choice;
    bool takes_bool = setting->type == TR_CONFIG_SETTING_CHOICE &&
                      find_choice(setting, TR_STR("true"), &choice);
    if (!tr_json_is(source->at, wanted[setting->type].kind) &&
        !(takes_bool && tr_json_is(source->at, TR_JSON_BOOL))) {
        char why[80];
        (void)snprintf(why, sizeof(why), "must be %s, not %s",
                       wanted[setting->type].name,
                       tr_json_kind_name((enum tr_json_kind)source->at->kind));
        return refuse(setting, source, why, err);
    }
    tr_str text = tr_json_bool(source->at, &on)
                      ? tr_str_from(on ? "true" : "false")
                      : tr_json_text(source->at);
    return set(config, setting, text, source, err);
}

static const char *find_variable(char *const *environment, const char *name)
{
    size_t len = strlen(name);
    for (; environment && *environment; environment++) {
        if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
            return *environment + len + 1;
    }
    return NULL;
}

/* Goes on after a mistake when somebody hears of it. */
static tr_status tell(struct loading *loading, tr_status status,
                      const struct tr_err *err)
{
    if (status != TR_E_INVALID || !loading->listener)
        return status;
    loading->listener->tell(loading->listener->data, err);
    loading->mistakes++;
    return TR_OK;
}

/* Checks a table that is known to be one: its keys. */
static tr_status check_known(struct loading *loading, const char *section,
                             const struct tr_json_member *member,
                             struct tr_err *err)
{
    if (!tr_json_is(&member->value, TR_JSON_OBJECT)) {
        (void)tr_fail(err, TR_E_INVALID, "%s must be a table: [%s]", section,
                      section);
        tr_config_add_place(err, loading->toml, tr_json_text(&member->key).ptr);
        return TR_E_INVALID;
    }
    for (size_t i = 0; !tr_config_is_own(section) && i < member->value.len;
         i++) {
        tr_str key = tr_json_text(&member->value.as.members[i].key);
        if (tr_config_is_key(section, key))
            continue;
        tr_status status =
            tr_config_refuse_unknown(key, section, loading->toml, err);
        TR_TRY(tell(loading, status, err));
    }
    return TR_OK;
}

/* A table in another, as [a.b] is in [a], has the names of both. */
static tr_status check_inner(struct loading *loading, tr_str outer,
                             const struct tr_json_member *member,
                             struct tr_err *err)
{
    char text[128];
    tr_str name = tr_json_text(&member->key);
    int len = snprintf(text, sizeof(text), "%.*s.%.*s", TR_FMT(outer),
                       TR_FMT(tr_utf8_cut(name, sizeof(text) / 2)));
    const char *section = tr_config_find_section((tr_str){text, (size_t)len});
    if (section)
        return check_known(loading, section, member, err);
    tr_status status = tr_config_refuse_unknown((tr_str){text, (size_t)len},
                                                NULL, loading->toml, err);
    tr_config_add_place(err, loading->toml, name.ptr);
    return status;
}

static tr_status check_section(struct loading *loading,
                               const struct tr_json_member *member,
                               struct tr_err *err)
{
    tr_str name = tr_json_text(&member->key);
    const char *section = tr_config_find_section(name);
    const struct tr_json *table = &member->value;
    if (section)
        return check_known(loading, section, member, err);
    if (!tr_config_is_outer(name) || !tr_json_is(table, TR_JSON_OBJECT))
        return tr_config_refuse_unknown(name, NULL, loading->toml, err);
    for (size_t i = 0; i < table->len; i++) {
        tr_status status =
            check_inner(loading, name, &table->as.members[i], err);
        TR_TRY(tell(loading, status, err));
    }
    return TR_OK;
}

static tr_status check_keys(struct loading *loading, struct tr_err *err)
{
    const struct tr_json *tree = loading->tree;
    for (size_t i = 0; i < tree->len; i++) {
        tr_status status = check_section(loading, &tree->as.members[i], err);
        TR_TRY(tell(loading, status, err));
    }
    return TR_OK;
}

/* A dot in its name leads into a table: NULL when there is no such section. */
static const struct tr_json *find_section(const struct tr_json *tree,
                                          tr_str name)
{
    tr_str first;
    while (tr_str_cut(name, '.', &first, &name))
        tree = tr_json_find(tree, first);
    return tr_json_find(tree, name);
}

/* Finds a setting in the file, under its key or the older one; both may be
 * there when they say the same. */
static tr_status find_in_file(const struct loading *loading,
                              const struct tr_config_setting *setting,
                              struct source *out, struct tr_err *err)
{
    char why[96];
    const struct tr_json *section = find_section(
        loading->tree, tr_str_from(tr_config_setting_section(setting)));
    const struct tr_json *old =
        setting->alias ? tr_json_find(section, tr_str_from(setting->alias))
                       : NULL;
    *out = (struct source){
        .toml = loading->toml,
        .at = tr_json_find(section, tr_str_from(setting->key)),
    };
    if (!old)
        return TR_OK;
    const struct source alias = {
        .toml = loading->toml, .at = old, .is_alias = true};
    (void)snprintf(why, sizeof(why),
                   "is the older name of %s.%s, which differs",
                   tr_config_setting_section(setting), setting->key);
    if (out->at && (out->at->kind != old->kind ||
                    !tr_str_eq(tr_json_text(out->at), tr_json_text(old))))
        return refuse(setting, &alias, why, err);
    *out = alias;
    return TR_OK;
}

/* The environment goes before the file, and the file before the default. */
static tr_status load_setting(const struct loading *loading,
                              const struct tr_config_setting *setting,
                              enum tr_config_origin *origin, struct tr_err *err)
{
    struct tr_config *config = loading->config;
    struct source file;
    struct source variable = {.variable = setting->variable};
    const char *value = setting->variable ? find_variable(loading->environment,
                                                          setting->variable)
                                          : NULL;
    TR_TRY(find_in_file(loading, setting, &file, err));
    TR_TRY(set(config, setting, tr_str_from(setting->fallback), &file, err));
    *origin = TR_CONFIG_FROM_DEFAULT;
    if (file.at) {
        TR_TRY(set_from_toml(loading->arena, config, setting, &file, err));
        *origin = TR_CONFIG_FROM_FILE;
    }
    if (value) {
        TR_TRY(set(config, setting, tr_str_from(value), &variable, err));
        *origin = TR_CONFIG_FROM_ENVIRONMENT;
    }
    return TR_OK;
}

static tr_status load_settings(struct loading *loading,
                               enum tr_config_origin *origins,
                               struct tr_err *err)
{
    for (size_t i = 0; i < tr_config_setting_count(); i++) {
        tr_status status =
            load_setting(loading, tr_config_setting_at(i), &origins[i], err);
        TR_TRY(tell(loading, status, err));
    }
    return TR_OK;
}

tr_status tr_config_load(struct tr_arena *arena, tr_str toml,
                         char *const *environment,
                         const struct tr_config_load **out, struct tr_err *err)
{
    return tr_config_load_whole(arena, toml, environment, NULL, out, err);
}

tr_status tr_config_load_whole(struct tr_arena *arena, tr_str toml,
                               char *const *environment,
                               const struct tr_config_listener *listener,
                               const struct tr_config_load **out,
                               struct tr_err *err)
{
    struct tr_config_load *load = TR_NEW(arena, struct tr_config_load);
    enum tr_config_origin *origins =
        TR_NEW_ARRAY(arena, enum tr_config_origin, tr_config_setting_count());
    if (!load || !origins)
        return tr_fail(err, TR_E_NOMEM, "no memory for the configuration");
    struct loading loading = {.arena = arena,
                              .config = &load->config,
                              .toml = toml,
                              .environment = environment,
                              .listener = listener};
    TR_TRY(tr_toml_read(arena, toml, &loading.tree, err));
    TR_TRY(check_keys(&loading, err));
    TR_TRY(load_settings(&loading, origins, err));
    if (loading.mistakes)
        return tr_fail(err, TR_E_INVALID, "%zu mistakes", loading.mistakes);
    load->origins = origins;
    load->own = (struct tr_config_own){
        .app = tr_json_find(loading.tree, TR_STR("app")),
        .toml = toml,
        .environment = environment,
    };
    *out = load;
    return TR_OK;
}

enum tr_config_origin
tr_config_project_origin(const struct tr_config_load *load)
{
    return load->origins[TR_CONFIG_PROJECT_NAME];
}

tr_status tr_config_name_project(struct tr_arena *arena, tr_str name,
                                 enum tr_config_origin origin,
                                 const struct tr_config_load **load,
                                 struct tr_err *err)
{
    struct tr_config_load *copy = TR_NEW(arena, struct tr_config_load);
    enum tr_config_origin *origins =
        TR_NEW_ARRAY(arena, enum tr_config_origin, tr_config_setting_count());
    if (!copy || !origins)
        return tr_fail(err, TR_E_NOMEM, "no memory for the configuration");
    *copy = **load;
    memcpy(origins, copy->origins,
           tr_config_setting_count() * sizeof(*origins));
    origins[TR_CONFIG_PROJECT_NAME] = origin;
    copy->origins = origins;
    if (!tr_arena_copy(arena, name, &copy->config.project.name))
        return tr_fail(err, TR_E_NOMEM, "no memory for the configuration");
    *load = copy;
    return TR_OK;
}
