/* Icons as MCP has them: [{src, mimeType?, sizes?, theme?}] (2025-11-25, Icon).
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "config/config.h"
#include "json/json.h"

static bool is_base64(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!tr_ascii_is_alnum(c) && c != '+' && c != '/' && c != '=')
            return false;
    }
    return text.len > 0;
}

/* Visible ASCII, but for what would end a URL in a text or an attribute. */
static bool is_url(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c <= ' ' || c >= 0x7F || strchr("\"'<>\\^`{|}", c))
            return false;
    }
    return text.len > 0;
}

static bool is_image(tr_str type)
{
    tr_str name = tr_str_skip(type, sizeof("image/") - 1);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!tr_ascii_is_alnum(c) && c != '+' && c != '-' && c != '.')
            return false;
    }
    return name.len > 0 && tr_str_starts(type, TR_STR("image/"));
}

/* Whoever shows an icon fetches it: so it is nothing but https, or an image
 * that is all here. */
static const char *check_src(const struct tr_json *value)
{
    static const char why[] = "src must be https://... or "
                              "data:image/...;base64,...";
    static const tr_str https = TR_STR_INIT("https://");
    static const tr_str data = TR_STR_INIT("data:");
    tr_str text = tr_json_text(value);
    tr_str head;
    tr_str body;
    tr_str type;
    tr_str encoding;
    if (!tr_json_is(value, TR_JSON_STRING))
        return why;
    if (text.len > TR_LIMIT_ICON_BYTES)
        return "src is longer than 32 KiB";
    if (tr_str_starts(text, https))
        return is_url(tr_str_skip(text, https.len)) ? NULL : why;
    if (!tr_str_starts(text, data) ||
        !tr_str_cut(tr_str_skip(text, data.len), ',', &head, &body) ||
        !tr_str_cut(head, ';', &type, &encoding) || !is_image(type) ||
        !tr_str_eq(encoding, TR_STR("base64")) || !is_base64(body))
        return why;
    return NULL;
}

static const char *check_type(const struct tr_json *value)
{
    return tr_json_is(value, TR_JSON_STRING) && is_image(tr_json_text(value))
               ? NULL
               : "mimeType must be that of an image, such as image/png";
}

/* 48x48, or any. */
static bool is_size(tr_str text)
{
    tr_str width;
    tr_str height;
    int64_t number;
    return tr_str_eq(text, TR_STR("any")) ||
           (tr_str_cut(text, 'x', &width, &height) &&
            tr_str_to_i64(width, &number) && number > 0 &&
            tr_str_to_i64(height, &number) && number > 0);
}

static const char *check_sizes(const struct tr_json *value)
{
    static const char why[] = "sizes must be a list such as [\"48x48\"], or "
                              "[\"any\"]";
    if (!tr_json_is(value, TR_JSON_ARRAY) || value->len > TR_LIMIT_ICON_SIZES)
        return why;
    for (size_t i = 0; i < value->len; i++) {
        const struct tr_json *size = &value->as.items[i];
        if (!tr_json_is(size, TR_JSON_STRING) || !is_size(tr_json_text(size)))
            return why;
    }
    return NULL;
}

static const char *check_theme(const struct tr_json *value)
{
    tr_str text = tr_json_text(value);
    return tr_json_is(value, TR_JSON_STRING) &&
                   (tr_str_eq(text, TR_STR("light")) ||
                    tr_str_eq(text, TR_STR("dark")))
               ? NULL
               : "theme must be light or dark";
}

static const struct {
    tr_str name;
    const char *(*check)(const struct tr_json *value);
} members[] = {
    {TR_STR_INIT("src"), check_src},
    {TR_STR_INIT("mimeType"), check_type},
    {TR_STR_INIT("sizes"), check_sizes},
    {TR_STR_INIT("theme"), check_theme},
};

static const char *check_member(tr_str name, const struct tr_json *value)
{
    for (size_t i = 0; i < TR_LEN(members); i++) {
        if (tr_str_eq(members[i].name, name))
            return members[i].check(value);
    }
    return "may only have src, mimeType, sizes and theme";
}

/* Returns why it is none, or NULL; `at` is what the reason is about. */
static const char *check_icon(const struct tr_json *icon,
                              const struct tr_json **at)
{
    *at = NULL;
    if (!tr_json_is(icon, TR_JSON_OBJECT))
        return "must be a table with src";
    for (size_t i = 0; i < icon->len; i++) {
        const struct tr_json_member *member = &icon->as.members[i];
        const char *why =
            check_member(tr_json_text(&member->key), &member->value);
        *at = &member->key;
        if (why)
            return why;
    }
    return tr_json_find(icon, TR_STR("src")) ? NULL : "has no src";
}

tr_status tr_config_icons_check(const struct tr_json *icons,
                                const struct tr_json **at, struct tr_err *err)
{
    *at = NULL;
    if (!tr_json_is(icons, TR_JSON_ARRAY) || icons->len > TR_LIMIT_ICONS)
        return tr_fail(err, TR_E_INVALID, "icons is a list of at most %d",
                       TR_LIMIT_ICONS);
    for (size_t i = 0; i < icons->len; i++) {
        const char *why = check_icon(&icons->as.items[i], at);
        if (why)
            return tr_fail(err, TR_E_INVALID, "icon %zu: %s", i + 1, why);
    }
    return TR_OK;
}
