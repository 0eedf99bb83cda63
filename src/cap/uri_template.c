#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/vec.h"
#include "cap/uri_template_parts.h"

struct compiler {
    struct tr_arena *arena;
    tr_str text;
    size_t at;
    TR_VEC(struct tr_cap_uri_part) parts;
    TR_VEC(tr_str) names;
    struct tr_err *err;
};

static tr_status fail_here(const struct compiler *c, const char *message)
{
    return tr_fail_in(c->err, TR_E_SYNTAX, c->text, c->at, "%s", message);
}

static tr_status fail_memory(const struct compiler *c)
{
    return tr_fail(c->err, TR_E_NOMEM, "no memory for a URI template");
}

/* The next character, or NUL at the end. */
static char peek(const struct compiler *c)
{
    return c->at < c->text.len ? c->text.ptr[c->at] : '\0';
}

/* RFC 6570, section 2.1 */
static tr_status read_literal(struct compiler *c)
{
    size_t start = c->at;
    while (c->at < c->text.len && peek(c) != '{') {
        char ch = peek(c);
        if ((unsigned char)ch <= ' ' || ch == 0x7F || strchr("\"<>\\^`|}", ch))
            return fail_here(c, "this character cannot stand in a template");
        if (ch == '%' && !tr_percent_is_encoded(c->text, c->at))
            return fail_here(c, "two digits of base 16 follow %");
        c->at++;
    }
    struct tr_cap_uri_part part = {
        .is_literal = true,
        .literal = {c->text.ptr + start, c->at - start},
    };
    return tr_vec_push(c->arena, &c->parts, part) ? TR_OK : fail_memory(c);
}

/* RFC 6570, section 2.3: varname = varchar *( ["."] varchar ) */
static tr_status read_name(struct compiler *c, tr_str *out)
{
    size_t start = c->at;
    bool after_dot = true;
    while (c->at < c->text.len) {
        char ch = peek(c);
        if (ch == '.' && after_dot)
            return fail_here(c, "a name has no two dots in a row");
        if (ch == '%' && tr_percent_is_encoded(c->text, c->at))
            c->at += 2;
        else if (!tr_ascii_is_alnum(ch) && ch != '_' && ch != '.')
            break;
        after_dot = ch == '.';
        c->at++;
    }
    if (after_dot)
        return fail_here(c, "expected the name of a variable");
    *out = (tr_str){c->text.ptr + start, c->at - start};
    return TR_OK;
}

/* RFC 6570, section 2.4: ":" and a number from 1 to 9999, or "*" */
static tr_status read_modifier(struct compiler *c, struct tr_cap_uri_spec *spec)
{
    if (peek(c) == '*') {
        c->at++;
        spec->explode = true;
        return TR_OK;
    }
    if (peek(c) != ':')
        return TR_OK;
    c->at++;
    size_t start = c->at;
    while (tr_ascii_is_digit(peek(c)) && c->at - start < 5)
        spec->prefix =
            spec->prefix * 10 + (unsigned)(c->text.ptr[c->at++] - '0');
    if (c->at == start || c->text.ptr[start] == '0' || spec->prefix > 9999)
        return fail_here(c, "a prefix is a number from 1 to 9999");
    return TR_OK;
}

static tr_status add_name(struct compiler *c, tr_str name)
{
    for (size_t i = 0; i < c->names.count; i++) {
        if (tr_str_eq(c->names.items[i], name))
            return TR_OK;
    }
    return tr_vec_push(c->arena, &c->names, name) ? TR_OK : fail_memory(c);
}

static tr_status read_specs(struct compiler *c, struct tr_cap_uri_part *part)
{
    TR_VEC(struct tr_cap_uri_spec) specs = {0};
    do {
        struct tr_cap_uri_spec spec = {0};
        c->at++; /* the brace, the operator or the comma before it */
        TR_TRY(read_name(c, &spec.name));
        TR_TRY(read_modifier(c, &spec));
        TR_TRY(add_name(c, spec.name));
        if (!tr_vec_push(c->arena, &specs, spec))
            return fail_memory(c);
    } while (peek(c) == ',');
    if (peek(c) != '}')
        return fail_here(c, "expected ',' or '}' after a variable");
    c->at++;
    part->specs = specs.items;
    part->count = specs.count;
    return TR_OK;
}

/* RFC 6570, section 2.2; the operators "=,!@|" are reserved. */
static tr_status read_expression(struct compiler *c)
{
    struct tr_cap_uri_part part = {0};
    char op = c->at + 1 < c->text.len ? c->text.ptr[c->at + 1] : '\0';
    if (op && strchr("+#./;?&", op)) {
        part.op = op;
        c->at++;
    }
    TR_TRY(read_specs(c, &part));
    return tr_vec_push(c->arena, &c->parts, part) ? TR_OK : fail_memory(c);
}

tr_status tr_cap_uri_template_compile(struct tr_arena *arena, tr_str text,
                                      const struct tr_cap_uri_template **out,
                                      struct tr_err *err)
{
    struct compiler c = {.arena = arena, .text = text, .err = err};
    if (text.len > TR_LIMIT_URI_BYTES)
        return tr_fail(err, TR_E_LIMIT, "a URI template has at most %zu bytes",
                       TR_LIMIT_URI_BYTES);
    if (!tr_utf8_is_valid(text))
        return fail_here(&c, "a URI template is UTF-8");
    while (c.at < text.len)
        TR_TRY(peek(&c) == '{' ? read_expression(&c) : read_literal(&c));
    struct tr_cap_uri_template *made =
        TR_NEW(arena, struct tr_cap_uri_template);
    if (!made)
        return fail_memory(&c);
    *made = (struct tr_cap_uri_template){c.parts.items, c.parts.count,
                                         c.names.items, c.names.count};
    *out = made;
    return TR_OK;
}

size_t
tr_cap_uri_template_var_count(const struct tr_cap_uri_template *uri_template)
{
    return uri_template->name_count;
}

tr_str tr_cap_uri_template_var(const struct tr_cap_uri_template *uri_template,
                               size_t i)
{
    return uri_template->names[i];
}
