#include "support/uri_template_expand.h"

#include "base/text.h"
#include "cap/uri_template_parts.h"

/* RFC 6570, section 3.2.1 and its appendix A: what an operator does. */
struct behaviour {
    const char *first; /* in front, once something is defined */
    const char *sep;   /* between values */
    const char *if_empty;
    char op;
    bool named; /* name=value */
    bool allows_reserved;
};

static const struct behaviour behaviours[] = {
    {"", ",", "", '\0', false, false}, {"", ",", "", '+', false, true},
    {"#", ",", "", '#', false, true},  {".", ".", "", '.', false, false},
    {"/", "/", "", '/', false, false}, {";", ";", "", ';', true, false},
    {"?", "&", "=", '?', true, false}, {"&", "&", "=", '&', true, false},
};

struct expansion {
    const struct behaviour *how;
    const struct tr_cap_uri_spec *spec;
    struct tr_buf *out;
    bool has_value; /* something of this expression stands there */
    struct tr_err *err;
};

static const struct behaviour *behaviour_of(char op)
{
    const struct behaviour *found = behaviours;
    while (found->op != op)
        found++;
    return found;
}

static void put_encoded(struct tr_buf *out, tr_str text, bool allows_reserved)
{
    const char *reserved = allows_reserved ? ":/?#[]@!$&'()*+,;=" : "";
    for (size_t i = 0; i < text.len; i++) {
        if (allows_reserved && tr_percent_is_encoded(text, i))
            tr_buf_putc(out, '%');
        else
            tr_percent_put(out, (tr_str){text.ptr + i, 1}, reserved);
    }
}

/* The text of a string, number or boolean; false for anything else. */
static bool scalar_text(const struct tr_json *value, tr_str *out)
{
    if (value->kind == TR_JSON_BOOL)
        *out = value->flags & TR_JSON_TRUE ? TR_STR("true") : TR_STR("false");
    else if (value->kind == TR_JSON_STRING || value->kind == TR_JSON_NUMBER)
        *out = tr_json_text(value);
    else
        return false;
    return true;
}

static tr_status fail_value(const struct expansion *e)
{
    return tr_fail(e->err, TR_E_INVALID,
                   "the value of '%.*s' cannot be part of a URI",
                   TR_FMT(e->spec->name));
}

static void separate(struct expansion *e)
{
    tr_buf_put(e->out, tr_str_from(e->has_value ? e->how->sep : e->how->first));
    e->has_value = true;
}

static void put_name(struct expansion *e, tr_str name, bool is_empty)
{
    tr_buf_put(e->out, name);
    tr_buf_put(e->out, is_empty ? tr_str_from(e->how->if_empty) : TR_STR("="));
}

/* The first `count` code points. */
static tr_str prefix_of(tr_str text, unsigned count)
{
    size_t at = 0;
    for (unsigned i = 0; i < count && at < text.len; i++) {
        size_t len = tr_utf8_sequence(tr_str_skip(text, at));
        at += len ? len : 1;
    }
    return (tr_str){text.ptr, at};
}

static tr_status expand_scalar(struct expansion *e, const struct tr_json *value)
{
    tr_str text;
    if (!scalar_text(value, &text))
        return fail_value(e);
    separate(e);
    if (e->how->named)
        put_name(e, e->spec->name, text.len == 0);
    if (e->spec->prefix)
        text = prefix_of(text, e->spec->prefix);
    put_encoded(e->out, text, e->how->allows_reserved);
    return TR_OK;
}

/* An item of a list, or a member of an object with its key. */
static tr_status expand_one(struct expansion *e, const struct tr_json *key,
                            const struct tr_json *value, bool is_first)
{
    tr_str text;
    bool explode = e->spec->explode;
    if (!scalar_text(value, &text))
        return fail_value(e);
    if (explode)
        separate(e);
    else if (!is_first)
        tr_buf_putc(e->out, ',');
    if (key) {
        put_encoded(e->out, tr_json_text(key), e->how->allows_reserved);
        if (explode && e->how->named && text.len == 0)
            tr_buf_put(e->out, tr_str_from(e->how->if_empty));
        else
            tr_buf_putc(e->out, explode ? '=' : ',');
    } else if (explode && e->how->named) {
        put_name(e, e->spec->name, text.len == 0);
    }
    put_encoded(e->out, text, e->how->allows_reserved);
    return TR_OK;
}

static tr_status expand_list(struct expansion *e, const struct tr_json *value)
{
    bool is_object = value->kind == TR_JSON_OBJECT;
    if (e->spec->prefix)
        return fail_value(e);
    if (value->len == 0)
        return TR_OK; /* counts as undefined */
    if (!e->spec->explode) {
        separate(e);
        if (e->how->named)
            put_name(e, e->spec->name, false);
    }
    for (size_t i = 0; i < value->len; i++) {
        const struct tr_json *key =
            is_object ? &value->as.members[i].key : NULL;
        TR_TRY(expand_one(e, key,
                          is_object ? &value->as.members[i].value
                                    : &value->as.items[i],
                          i == 0));
    }
    return TR_OK;
}

static tr_status expand_part(const struct tr_cap_uri_part *part,
                             const struct tr_json *vars, struct tr_buf *out,
                             struct tr_err *err)
{
    struct expansion e = {behaviour_of(part->op), NULL, out, false, err};
    for (size_t i = 0; i < part->count; i++) {
        e.spec = &part->specs[i];
        const struct tr_json *value = tr_json_find(vars, e.spec->name);
        if (!value || value->kind == TR_JSON_NULL)
            continue;
        bool is_list =
            value->kind == TR_JSON_ARRAY || value->kind == TR_JSON_OBJECT;
        TR_TRY(is_list ? expand_list(&e, value) : expand_scalar(&e, value));
    }
    return TR_OK;
}

tr_status uri_template_expand(const struct tr_cap_uri_template *uri_template,
                              const struct tr_json *vars, struct tr_buf *out,
                              struct tr_err *err)
{
    for (size_t i = 0; i < uri_template->count; i++) {
        const struct tr_cap_uri_part *part = &uri_template->parts[i];
        if (part->is_literal)
            put_encoded(out, part->literal, true);
        else
            TR_TRY(expand_part(part, vars, out, err));
    }
    return tr_buf_check(out, err);
}
