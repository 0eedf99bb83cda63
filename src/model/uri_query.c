#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"
#include "fields/kind.h"
#include "fields/value.h"
#include "model/uri.h"
#include "model/value_term.h"

/* One query on its way. */
struct parsing {
    struct tr_arena *arena;
    const struct tr_model_type *type;
    struct tr_model_uri_query *out;
    struct tr_model_uri_refusal *why;
    struct tr_err *err;
    tr_str where; /* as it stands there */
    bool has_where;
    bool has_limit;
    bool has_offset;
};

tr_str tr_model_datatype_name(enum tr_field_kind kind)
{
    return tr_str_from(tr_field_kind_row(kind)->short_name);
}

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
}

/* A refusal repeats a name that the client made up, but cut to a bound. */
static tr_str echo(tr_str name)
{
    return tr_utf8_cut(name, TR_LIMIT_NAME_BYTES);
}

static tr_status refuse(struct parsing *p, tr_str field, const char *reason,
                        tr_str expected, const char *message)
{
    *p->why = (struct tr_model_uri_refusal){
        .field = echo(field), .reason = reason, .expected = expected};
    return tr_fail(p->err, TR_E_INVALID, "%s %.*s", message,
                   TR_FMT(p->why->field));
}

static tr_status refuse_where(struct parsing *p, const char *reason,
                              const char *message)
{
    return refuse(p, TR_STR("where"), reason, TR_STR(""), message);
}

/* Refuses what could end a string of a query language. Values are bound and
 * never become such text; this is a second line of defence. */
static bool has_illegal(tr_str text)
{
    static const char illegal[] = {'"', '\\', '\r', '\n', '\0'};
    for (size_t i = 0; i < sizeof(illegal); i++) {
        if (text.len && memchr(text.ptr, illegal[i], text.len))
            return true;
    }
    return false;
}

static bool is_name(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = tr_ascii_is_letter(c) || c == '_';
        if (!letter && (i == 0 || !tr_ascii_is_digit(c)))
            return false;
    }
    return text.len > 0;
}

static bool has_operator(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] && strchr("<>!~", text.ptr[i]))
            return true;
    }
    return false;
}

static tr_status refuse_field(struct parsing *p, tr_str name)
{
    tr_status status =
        refuse(p, name, "unknown_field", TR_STR(""), "there is no field");
    p->why->hint = tr_shape_nearest(p->type->shape, name);
    return status;
}

static tr_status refuse_value(struct parsing *p, const struct tr_field *field)
{
    return refuse(p, field->name, "type_mismatch",
                  tr_model_datatype_name(field->kind),
                  "invalid filter value for");
}

static tr_status read_value(struct parsing *p, const struct tr_field *field,
                            tr_str text, struct tr_json *out)
{
    tr_rdf_term term;
    tr_status status = tr_field_value_read(field, text, p->arena, out);
    if (field->by.len) /* whatever it names, the filter finds out */
        return text.len ? status : TR_E_VALIDATION;
    return status == TR_OK
               ? tr_model_value_to_term(field, out, p->arena, &term, NULL)
               : status;
}

static tr_status take_clause(struct parsing *p, tr_str name, tr_str text)
{
    struct tr_json value = {0};
    if (!is_name(name) && has_operator(name))
        return refuse_where(p, "unsupported_operator",
                            "only = compares, not <, >, ! or ~, in");
    if (!is_name(name))
        return refuse_where(p, "syntax", "a field and = must start");
    const struct tr_field *field = tr_shape_find(p->type->shape, name);
    if (!field)
        return refuse_field(p, name);
    if (tr_field_is_array(field))
        return refuse(p, name, "not_scalar",
                      tr_model_datatype_name(field->kind),
                      "there is no filter on many values:");
    if (field->kind == TR_FIELD_OBJECT)
        return refuse(p, name, "not_scalar",
                      tr_model_datatype_name(field->kind),
                      "there is no filter on an object:");
    tr_status status = read_value(p, field, text, &value);
    if (status == TR_E_VALIDATION)
        return refuse_value(p, field);
    if (status != TR_OK)
        return fail_memory(p->err);
    p->out->field = field;
    p->out->value = value;
    return TR_OK;
}

/* The field, as far as it can be told, of a clause with a wrong character. */
static tr_status refuse_character(struct parsing *p, tr_str clause)
{
    tr_str name = {0};
    tr_str text;
    const struct tr_field *field = tr_str_cut(clause, '=', &name, &text)
                                       ? tr_shape_find(p->type->shape, name)
                                       : NULL;
    return refuse(p, field ? field->name : TR_STR("where"), "illegal_character",
                  field ? tr_model_datatype_name(field->kind) : TR_STR(""),
                  "there is a character that cannot be in a value of");
}

static tr_status take_where(struct parsing *p, tr_str raw)
{
    tr_str clause;
    tr_str name;
    tr_str text;
    char *room = tr_arena_alloc(p->arena, raw.len + 1);
    if (!room)
        return fail_memory(p->err);
    if (has_illegal(raw))
        return refuse_character(p, raw);
    if (!tr_percent_decode(raw, room, &clause))
        return refuse_where(p, "syntax", "a % is without its digits in");
    if (has_illegal(clause) || !tr_utf8_is_valid(clause))
        return refuse_character(p, clause);
    p->out->where = clause;
    if (tr_str_cut(clause, '=', &name, &text))
        return take_clause(p, name, text);
    if (has_operator(clause))
        return refuse_where(p, "unsupported_operator",
                            "only = compares, not <, >, ! or ~, in");
    return refuse_where(p, "syntax", "there is no = in");
}

/* Takes digits only, and saturates. */
static bool read_count(tr_str text, size_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        if (count < SIZE_MAX / 100)
            count = count * 10 + (size_t)(text.ptr[i] - '0');
    }
    *out = count;
    return text.len > 0;
}

static tr_status take_count(struct parsing *p, tr_str name, tr_str text,
                            bool *has, size_t *out)
{
    if (*has)
        return refuse(p, name, "syntax", TR_STR("xsd:integer"),
                      "it is there twice:");
    *has = true;
    return read_count(text, out)
               ? TR_OK
               : refuse(p, name, "type_mismatch", TR_STR("xsd:integer"),
                        "a number of instances must be the value of");
}

static tr_status take_parameter(struct parsing *p, tr_str pair)
{
    tr_str name = pair;
    tr_str value = TR_STR("");
    bool has_value = tr_str_cut(pair, '=', &name, &value);
    if (has_value && tr_str_eq(name, TR_STR("where"))) {
        if (p->has_where)
            return refuse_where(p, "multiple_clauses", "there can be one");
        p->has_where = true;
        p->where = value;
        return TR_OK;
    }
    if (has_value && tr_str_eq(name, TR_STR("limit")))
        return take_count(p, name, value, &p->has_limit, &p->out->limit);
    if (has_value && tr_str_eq(name, TR_STR("offset")))
        return take_count(p, name, value, &p->has_offset, &p->out->offset);
    if (has_value && tr_str_eq(name, TR_STR("cursor")) && value.len &&
        !p->out->cursor.len) {
        p->out->cursor = value;
        return TR_OK;
    }
    return refuse(p, name, "syntax", TR_STR(""),
                  "there are where, limit and offset, not");
}

static tr_status check_depth(struct parsing *p)
{
    if (p->out->limit > TR_LIMIT_PAGE)
        p->out->limit = TR_LIMIT_PAGE;
    if (p->has_offset && p->out->cursor.len)
        return refuse(p, TR_STR("offset"), "syntax", TR_STR(""),
                      "a cursor goes without");
    if (p->out->offset > TR_LIMIT_OFFSET)
        return refuse(
            p, TR_STR("offset"), "offset_too_deep", TR_STR("xsd:integer"),
            "narrow it with where, or follow `next`, instead of this");
    return TR_OK;
}

tr_status tr_model_uri_query_parse(struct tr_arena *arena,
                                   const struct tr_model_type *type,
                                   tr_str text, struct tr_model_uri_query *out,
                                   struct tr_model_uri_refusal *why,
                                   struct tr_err *err)
{
    struct parsing p = {
        .arena = arena, .type = type, .out = out, .why = why, .err = err};
    tr_str pair;
    *out = (struct tr_model_uri_query){.limit = TR_LIMIT_PAGE_DEFAULT};
    *why = (struct tr_model_uri_refusal){0};
    if (text.len && memchr(text.ptr, '#', text.len))
        return refuse(&p, TR_STR("uri"), "syntax", TR_STR(""),
                      "there is a # in the");
    while (tr_str_cut(text, '&', &pair, &text))
        TR_TRY(take_parameter(&p, pair));
    if (text.len)
        TR_TRY(take_parameter(&p, text));
    if (p.has_where)
        TR_TRY(take_where(&p, p.where));
    return check_depth(&p);
}
