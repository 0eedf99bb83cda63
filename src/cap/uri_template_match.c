#include "base/limits.h"
#include "base/text.h"
#include "cap/uri_template_parts.h"

/* Values as they stand in the URI, one per variable; `ptr` NULL is absent. */
struct matcher {
    const struct tr_cap_uri_template *uri_template;
    tr_str *values;
    size_t steps;
};

static bool is_path_op(char op)
{
    return op == '\0' || op == '+';
}

/* One variable, once, without modifiers; the query only at the end. */
static bool can_match_part(const struct tr_cap_uri_template *t, size_t i)
{
    const struct tr_cap_uri_part *part = &t->parts[i];
    if (part->is_literal)
        return true;
    for (size_t k = 0; k < part->count; k++) {
        if (part->specs[k].prefix || part->specs[k].explode)
            return false;
    }
    if (part->op == '?' || part->op == '&')
        return i + 1 == t->count;
    if (part->op == '/')
        return true;
    bool after_variable = i > 0 && !t->parts[i - 1].is_literal;
    return is_path_op(part->op) && part->count == 1 && !after_variable;
}

bool tr_cap_uri_template_can_match(
    const struct tr_cap_uri_template *uri_template)
{
    size_t specs = 0;
    for (size_t i = 0; i < uri_template->count; i++) {
        if (!can_match_part(uri_template, i))
            return false;
        specs += uri_template->parts[i].count;
    }
    return specs == uri_template->name_count;
}

static size_t index_of(const struct tr_cap_uri_template *t, tr_str name)
{
    size_t i = 0;
    while (!tr_str_eq(t->names[i], name))
        i++;
    return i;
}

static bool match_from(struct matcher *m, size_t i, tr_str rest);

/* Takes as much as the variable may, then less, until the rest matches. */
static bool match_variable(struct matcher *m, size_t i, tr_str rest)
{
    const struct tr_cap_uri_part *part = &m->uri_template->parts[i];
    const char *ends = part->op == '+' ? "?#" : "/?#";
    size_t most = 0;
    while (most < rest.len && rest.ptr[most] && !strchr(ends, rest.ptr[most]))
        most++;
    for (size_t len = most; len > 0; len--) {
        if (match_from(m, i + 1, tr_str_skip(rest, len))) {
            size_t at = index_of(m->uri_template, part->specs[0].name);
            m->values[at] = (tr_str){rest.ptr, len};
            return true;
        }
    }
    return false;
}

/* {/a,b} from its variable `k` on: segments may be left out from the end. */
static bool match_segments(struct matcher *m, size_t i, size_t k, tr_str rest)
{
    const struct tr_cap_uri_part *part = &m->uri_template->parts[i];
    size_t len = rest.len > 0 && rest.ptr[0] == '/' ? 1 : 0;
    while (len > 0 && len < rest.len && rest.ptr[len] &&
           !strchr("/?#", rest.ptr[len]))
        len++;
    if (k < part->count && len > 1) {
        tr_str *value =
            &m->values[index_of(m->uri_template, part->specs[k].name)];
        *value = (tr_str){rest.ptr + 1, len - 1};
        if (match_segments(m, i, k + 1, tr_str_skip(rest, len)))
            return true;
        *value = (tr_str){NULL, 0};
    }
    return match_from(m, i + 1, rest);
}

static const struct tr_cap_uri_spec *
find_spec(const struct tr_cap_uri_part *part, tr_str name)
{
    for (size_t i = 0; i < part->count; i++) {
        if (tr_str_eq(part->specs[i].name, name))
            return &part->specs[i];
    }
    return NULL;
}

/* `name=value` of the query; the first '=' ends the name. */
static bool match_pair(struct matcher *m, const struct tr_cap_uri_part *part,
                       tr_str pair)
{
    tr_str name = pair;
    tr_str value = {"", 0};
    (void)tr_str_cut(pair, '=', &name, &value);
    const struct tr_cap_uri_spec *spec = find_spec(part, name);
    if (!spec)
        return false;
    size_t at = index_of(m->uri_template, spec->name);
    if (m->values[at].ptr)
        return false; /* the parameter is there twice */
    m->values[at] = value;
    return true;
}

static bool match_query(struct matcher *m, const struct tr_cap_uri_part *part,
                        tr_str rest)
{
    if (rest.len == 0)
        return true;
    if (rest.ptr[0] != part->op || memchr(rest.ptr, '#', rest.len))
        return false;
    rest = tr_str_skip(rest, 1);
    tr_str pair;
    while (tr_str_cut(rest, '&', &pair, &rest)) {
        if (!match_pair(m, part, pair))
            return false;
    }
    return match_pair(m, part, rest);
}

static bool match_from(struct matcher *m, size_t i, tr_str rest)
{
    if (++m->steps > TR_LIMIT_URI_MATCH_STEPS)
        return false;
    if (i == m->uri_template->count)
        return rest.len == 0;
    const struct tr_cap_uri_part *part = &m->uri_template->parts[i];
    if (part->is_literal)
        return tr_str_starts(rest, part->literal) &&
               match_from(m, i + 1, tr_str_skip(rest, part->literal.len));
    if (part->op == '?' || part->op == '&')
        return match_query(m, part, rest);
    if (part->op == '/')
        return match_segments(m, i, 0, rest);
    return match_variable(m, i, rest);
}

/* *is_text is false when the decoded bytes are not UTF-8 or have a NUL, or when
 * a percent escape is broken. */
static tr_status decode(struct tr_arena *arena, tr_str value, tr_str *out,
                        bool *is_text, struct tr_err *err)
{
    char *text = tr_arena_alloc(arena, value.len + 1);
    if (!text)
        return tr_fail(err, TR_E_NOMEM, "no memory to match a URI");
    *is_text = tr_percent_decode(value, text, out) && tr_utf8_is_valid(*out) &&
               !memchr(text, '\0', out->len);
    return TR_OK;
}

/* The variables that have a value, in the template's order. *matched is false
 * when one of them cannot be decoded. */
static tr_status decode_all(const struct matcher *m, struct tr_arena *arena,
                            bool *matched, struct tr_cap_uri_vars *out,
                            struct tr_err *err)
{
    *matched = false;
    size_t count = m->uri_template->name_count;
    struct tr_cap_uri_var *vars =
        TR_NEW_ARRAY(arena, struct tr_cap_uri_var, count);
    size_t found = 0;
    if (!vars)
        return tr_fail(err, TR_E_NOMEM, "no memory to match a URI");
    for (size_t i = 0; i < count; i++) {
        bool is_text = false;
        if (!m->values[i].ptr)
            continue;
        vars[found].name = m->uri_template->names[i];
        TR_TRY(decode(arena, m->values[i], &vars[found].value, &is_text, err));
        if (!is_text)
            return TR_OK;
        found++;
    }
    *matched = true;
    *out = (struct tr_cap_uri_vars){vars, found};
    return TR_OK;
}

tr_status
tr_cap_uri_template_match(const struct tr_cap_uri_template *uri_template,
                          tr_str uri, struct tr_arena *arena, bool *matched,
                          struct tr_cap_uri_vars *out, struct tr_err *err)
{
    *matched = false;
    if (uri.len > TR_LIMIT_URI_BYTES)
        return TR_OK;
    struct matcher m = {
        .uri_template = uri_template,
        .values = TR_NEW_ARRAY(arena, tr_str, uri_template->name_count),
    };
    if (!m.values)
        return tr_fail(err, TR_E_NOMEM, "no memory to match a URI");
    if (!match_from(&m, 0, uri))
        return TR_OK;
    return decode_all(&m, arena, matched, out, err);
}
