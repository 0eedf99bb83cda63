/*
 * The origins that whoever runs the server has named in settings of the app:
 * as good as those of fetch.allow.
 */
#include "base/limits.h"
#include "config/config.h"
#include "fetch/fetch.h"
#include "json/json.h"
#include "server/env.h"

#define VARIABLES TR_STR("TRAILS_APP_")

struct naming {
    tr_str *items; /* TR_LIMIT_FETCH_ALLOW of them */
    size_t count;
};

/* "https://api.example.com" of "https://api.example.com/v1"; empty when the
 * text is no URL. */
static tr_str origin_of(tr_str text)
{
    static const char ends[] = {'/', '?', '#'};
    size_t at = 0;
    while (at < text.len && text.ptr[at] != ':')
        at++;
    if (!tr_str_starts(tr_str_skip(text, at), TR_STR("://")))
        return (tr_str){NULL, 0};
    for (at += 3; at < text.len && !memchr(ends, text.ptr[at], sizeof(ends));
         at++)
        continue;
    tr_str origin = {text.ptr, at};
    return tr_fetch_check_allow(origin) ? (tr_str){NULL, 0} : origin;
}

static void add(struct naming *naming, tr_str text)
{
    tr_str origin = origin_of(text);
    if (origin.len && naming->count < TR_LIMIT_FETCH_ALLOW)
        naming->items[naming->count++] = origin;
}

static void add_value(struct naming *naming, const struct tr_json *value)
{
    if (value->kind == TR_JSON_STRING)
        add(naming, tr_json_text(value));
    for (uint32_t i = 0; value->kind == TR_JSON_ARRAY && i < value->len; i++)
        add_value(naming, &value->as.items[i]);
}

tr_status tr_server_name_origins(struct tr_arena *arena,
                                 const struct tr_config_load *load,
                                 struct tr_fetch_opts *out, struct tr_err *err)
{
    const struct tr_json *app = load->own.app;
    struct naming naming = {.count = out->allow_count};
    if (out->allow_count > TR_LIMIT_FETCH_ALLOW)
        return TR_OK; /* the client says that there are too many */
    naming.items = TR_NEW_ARRAY(arena, tr_str, TR_LIMIT_FETCH_ALLOW);
    if (!naming.items)
        return tr_fail(err, TR_E_NOMEM, "no memory for the settings of fetch");
    for (size_t i = 0; i < out->allow_count; i++)
        naming.items[i] = out->allow[i];
    for (uint32_t i = 0; app && i < app->len; i++)
        add_value(&naming, &app->as.members[i].value);
    char *const *at = load->own.environment;
    for (tr_str name, value; at && *at; at++) {
        if (tr_str_starts(tr_str_from(*at), VARIABLES) &&
            tr_str_cut(tr_str_from(*at), '=', &name, &value))
            add(&naming, value);
    }
    out->allow = naming.items;
    out->allow_count = naming.count;
    return TR_OK;
}
