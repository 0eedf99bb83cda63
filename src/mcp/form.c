#include "mcp/form.h"

static tr_str text_of(const struct tr_json *object, const char *key)
{
    return tr_json_text(tr_json_find(object, tr_str_from(key)));
}

static bool is_one_of(tr_str text, const char *const *names)
{
    while (*names && !tr_str_eq(text, tr_str_from(*names)))
        names++;
    return *names != NULL;
}

/*
 * A field may say this of itself, by its type (2025-06-18, client/elicitation,
 * Request Schema).
 */
static const char *const always[] = {"type", "title", "description", NULL};
static const char *const texts[] = {"minLength", "maxLength", "format",
                                    "enum",      "enumNames", NULL};
static const char *const numbers[] = {"minimum", "maximum", NULL};
static const char *const booleans[] = {"default", NULL};
static const char *const formats[] = {"date", "date-time", "email", "uri",
                                      NULL};

static bool is_known(tr_str key, tr_str type, const struct tr_json *value)
{
    if (is_one_of(key, always))
        return true;
    if (tr_str_eq(key, TR_STR("format")))
        return is_one_of(tr_json_text(value), formats);
    if (tr_str_eq(type, TR_STR("string")))
        return is_one_of(key, texts);
    if (tr_str_eq(type, TR_STR("boolean")))
        return is_one_of(key, booleans);
    return is_one_of(key, numbers);
}

static void put_choices(struct tr_json_writer *w, const char *as,
                        const struct tr_json *choices, const char *member)
{
    tr_jw_key(w, as);
    tr_jw_open(w, '[');
    for (size_t i = 0; i < choices->len; i++)
        tr_jw_string(w, text_of(&choices->as.items[i], member));
    tr_jw_close(w, ']');
}

static void put_field(struct tr_json_writer *w, const struct tr_json *field)
{
    const struct tr_json *choices = tr_json_find(field, TR_STR("oneOf"));
    tr_str type = text_of(field, "type");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < field->len; i++) {
        const struct tr_json_member *member = &field->as.members[i];
        if (!is_known(tr_json_text(&member->key), type, &member->value))
            continue;
        tr_jw_key_str(w, tr_json_text(&member->key));
        tr_jw_value(w, &member->value);
    }
    if (tr_json_is(choices, TR_JSON_ARRAY)) {
        put_choices(w, "enum", choices, "const");
        put_choices(w, "enumNames", choices, "title");
    }
    tr_jw_close(w, '}');
}

static void put_fields(struct tr_json_writer *w, const struct tr_json *fields)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < fields->len; i++) {
        const struct tr_json_member *member = &fields->as.members[i];
        tr_jw_key_str(w, tr_json_text(&member->key));
        put_field(w, &member->value);
    }
    tr_jw_close(w, '}');
}

void tr_mcp_form_put_plain(struct tr_json_writer *w,
                           const struct tr_json *schema)
{
    static const char *const known[] = {"type", "required", NULL};
    tr_jw_open(w, '{');
    for (size_t i = 0; i < schema->len; i++) {
        const struct tr_json_member *member = &schema->as.members[i];
        tr_str key = tr_json_text(&member->key);
        bool is_fields = tr_str_eq(key, TR_STR("properties"));
        if (!is_fields && !is_one_of(key, known))
            continue;
        tr_jw_key_str(w, key);
        if (is_fields)
            put_fields(w, &member->value);
        else
            tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

bool tr_mcp_form_is_plain(const struct tr_json *schema)
{
    const struct tr_json *fields = tr_json_find(schema, TR_STR("properties"));
    if (!tr_json_is(fields, TR_JSON_OBJECT))
        return false;
    for (size_t i = 0; i < fields->len; i++) {
        const struct tr_json *field = &fields->as.members[i].value;
        if (field->kind != TR_JSON_OBJECT ||
            tr_str_eq(text_of(field, "type"), TR_STR("array")))
            return false;
    }
    return true;
}
