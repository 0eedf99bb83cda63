#include "model/value_term.h"

#include "base/time.h"
#include "fields/literal.h"
#include "json/build.h"
#include "json/number.h"
#include "model/inside.h"
#include "rdf/iri.h"
#include "rdf/xsd.h"

#include <math.h>

/* An integer has at most so many digits: 1e999999999 is a short text too. */
#define DIGITS_MAX 1000

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a value");
}

tr_str tr_model_kind_datatype(enum tr_field_kind kind)
{
    return tr_str_from(tr_field_kind_row(kind)->datatype);
}

static tr_status refuse(struct tr_err *err, const char *expected)
{
    return tr_fail(err, TR_E_VALIDATION, "must be %s", expected);
}

/* A buffer in the arena; `max` is enough for what will be written. */
static bool open_text(struct tr_arena *arena, size_t max, struct tr_buf *out)
{
    char *room = tr_arena_alloc(arena, max);
    if (room)
        tr_buf_init_fixed(out, room, max);
    return room != NULL;
}

static tr_status integer_text(const struct tr_json *value,
                              struct tr_arena *arena, tr_str *out,
                              struct tr_err *err)
{
    struct tr_buf text;
    if (value->kind != TR_JSON_NUMBER)
        return refuse(err, "an integer");
    tr_json_decimal decimal = tr_json_decimal_of(tr_json_text(value));
    if (!tr_json_decimal_is_integer(decimal))
        return refuse(err, "an integer");
    if (tr_json_decimal_top(&decimal) > DIGITS_MAX)
        return refuse(err, "an integer of at most 1000 digits");
    if (!open_text(arena, (size_t)tr_json_decimal_top(&decimal) + 4, &text))
        return fail_memory(err);
    tr_rdf_xsd_decimal_write(&text, &decimal);
    *out = tr_buf_str(&text);
    return tr_buf_check(&text, err);
}

/* -0 is equal to 0, and has to be found as that. */
void tr_model_write_number(struct tr_buf *out, double number)
{
    tr_rdf_xsd_float_write(out, number == 0 ? 0 : number, false);
}

static tr_status number_text(const struct tr_json *value,
                             struct tr_arena *arena, tr_str *out,
                             struct tr_err *err)
{
    struct tr_buf text;
    double number = 0;
    if (!tr_json_double(value, &number))
        return refuse(err, "a number that a double can hold");
    if (!open_text(arena, (size_t)TR_JSON_DOUBLE_TEXT_MAX + 8, &text))
        return fail_memory(err);
    tr_model_write_number(&text, number);
    *out = tr_buf_str(&text);
    return tr_buf_check(&text, err);
}

/* RFC 3339 has 't' and 'z' too, which XSD has not. */
static tr_str upper(tr_str text, char *room)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        room[i] = (char)(c == 't' || c == 'z' ? c & ~0x20 : c);
    }
    return (tr_str){room, text.len};
}

static tr_status time_text(const struct tr_json *value, struct tr_arena *arena,
                           tr_str *out, struct tr_err *err)
{
    tr_str given = tr_json_text(value);
    tr_rdf_xsd_value parsed;
    struct tr_buf text;
    tr_time time;
    if (value->kind != TR_JSON_STRING ||
        tr_time_parse(given, &time, NULL) != TR_OK)
        return refuse(err, "an RFC 3339 date and time");
    char *room = tr_arena_alloc(arena, given.len);
    if (!room || !open_text(arena, given.len + 16, &text))
        return fail_memory(err);
    tr_rdf_term term =
        tr_rdf_term_typed(upper(given, room), TR_STR(TR_RDF_IRI_XSD_DATE_TIME));
    if (!tr_rdf_xsd_parse(&term, &parsed))
        return refuse(err, "a time that xsd:dateTime can say: no leap second, "
                           "at most 14 hours from UTC");
    tr_rdf_xsd_write_canonical(&text, &parsed);
    *out = tr_buf_str(&text);
    return tr_buf_check(&text, err);
}

static tr_status iri_text(const struct tr_json *value, tr_str *out,
                          struct tr_err *err)
{
    *out = tr_json_text(value);
    if (value->kind != TR_JSON_STRING || tr_rdf_iri_check(*out, NULL) != TR_OK)
        return refuse(err, "an absolute IRI");
    return TR_OK;
}

static tr_status form_text(enum tr_field_kind kind, const struct tr_json *value,
                           struct tr_arena *arena, tr_str *out,
                           struct tr_err *err)
{
    tr_rdf_xsd_value literal;
    if (!tr_field_literal_read(kind, value, &literal))
        return refuse(err, tr_field_kind_row(kind)->expected);
    return tr_field_literal_spell(&literal, arena, out) ? TR_OK
                                                        : fail_memory(err);
}

/* The lexical form of a literal, or the IRI. */
static tr_status text_of(enum tr_field_kind kind, const struct tr_json *value,
                         struct tr_arena *arena, tr_str *out,
                         struct tr_err *err)
{
    bool on = false;
    switch (kind) {
    case TR_FIELD_TEXT:
        *out = tr_json_text(value);
        return value->kind == TR_JSON_STRING ? TR_OK : refuse(err, "text");
    case TR_FIELD_INTEGER:
        return integer_text(value, arena, out, err);
    case TR_FIELD_NUMBER:
        return number_text(value, arena, out, err);
    case TR_FIELD_BOOLEAN:
        if (!tr_json_bool(value, &on))
            return refuse(err, "true or false");
        *out = on ? TR_STR("true") : TR_STR("false");
        return TR_OK;
    case TR_FIELD_DATETIME:
        return time_text(value, arena, out, err);
    case TR_FIELD_REF:
        return iri_text(value, out, err);
    case TR_FIELD_JSON:
        return tr_model_document_spell(value, arena, out, err);
    default:
        return form_text(kind, value, arena, out, err);
    }
}

tr_status tr_model_value_to_term(const struct tr_field *field,
                                 const struct tr_json *value,
                                 struct tr_arena *arena, tr_rdf_term *out,
                                 struct tr_err *err)
{
    tr_str text = {0};
    tr_status status = text_of(field->kind, value, arena, &text, err);
    if (status == TR_E_VALIDATION) {
        tr_err_prefix(err, "%.*s", TR_FMT(field->name));
        tr_err_set_at(err, "%.*s", TR_FMT(field->name));
    }
    if (status == TR_OK)
        *out =
            field->kind == TR_FIELD_REF
                ? tr_rdf_term_iri(text)
                : tr_rdf_term_typed(text, tr_model_kind_datatype(field->kind));
    return status;
}

static tr_status copy_text(enum tr_json_kind kind, tr_str text,
                           struct tr_arena *arena, struct tr_json *out,
                           struct tr_err *err)
{
    if (!tr_arena_copy(arena, text, &text))
        return fail_memory(err);
    *out = tr_json_make_text(kind, text);
    return TR_OK;
}

static tr_status integer_json(const tr_rdf_xsd_value *value,
                              struct tr_arena *arena, struct tr_json *out,
                              struct tr_err *err)
{
    struct tr_buf text;
    if (!open_text(arena, value->term.text.len + 2, &text))
        return fail_memory(err);
    tr_rdf_xsd_write_canonical(&text, value);
    *out = tr_json_make_integer(tr_buf_str(&text));
    return tr_buf_check(&text, err);
}

static tr_status number_json(double number, struct tr_arena *arena,
                             struct tr_json *out, struct tr_err *err)
{
    char text[TR_JSON_DOUBLE_TEXT_MAX];
    size_t len = tr_json_double_write(number, text);
    return copy_text(TR_JSON_NUMBER, (tr_str){text, len}, arena, out, err);
}

/* An object with `count` members of texts, each a key and a value. */
static tr_status object_json(const tr_str pairs[4], size_t count,
                             struct tr_arena *arena, struct tr_json *out,
                             struct tr_err *err)
{
    struct tr_json_member members[2];
    for (size_t i = 0; i < count; i++) {
        members[i].key = tr_json_make_text(TR_JSON_STRING, pairs[2 * i]);
        TR_TRY(copy_text(TR_JSON_STRING, pairs[2 * i + 1], arena,
                         &members[i].value, err));
    }
    return tr_json_make_object(arena, members, count, out) ? TR_OK
                                                           : fail_memory(err);
}

/* JSON cannot hold NaN, infinity and ill-typed literals: they are objects. */
static tr_status literal_json(const tr_rdf_term *term, struct tr_arena *arena,
                              struct tr_json *out, struct tr_err *err)
{
    tr_rdf_xsd_value value;
    enum tr_rdf_xsd_type type = tr_rdf_xsd_type_of(term->datatype);
    if (type == TR_RDF_XSD_STRING)
        return copy_text(TR_JSON_STRING, term->text, arena, out, err);
    if ((type == TR_RDF_XSD_INTEGER || type == TR_RDF_XSD_BOOLEAN ||
         type == TR_RDF_XSD_DOUBLE) &&
        tr_rdf_xsd_parse(term, &value)) {
        if (type == TR_RDF_XSD_INTEGER)
            return integer_json(&value, arena, out, err);
        if (type == TR_RDF_XSD_DOUBLE && isfinite(value.as.number))
            return number_json(value.as.number, arena, out, err);
        *out = tr_json_make_bool(value.as.boolean);
        if (type == TR_RDF_XSD_BOOLEAN)
            return TR_OK;
    }
    tr_str pairs[] = {TR_STR("value"), term->text,
                      term->language.len ? TR_STR("language") : TR_STR("type"),
                      term->language.len ? term->language : term->datatype};
    return object_json(pairs, 2, arena, out, err);
}

/* Whether the field has the literal as a text. */
static bool is_text(enum tr_field_kind kind, const tr_rdf_term *term)
{
    return (kind == TR_FIELD_DATETIME || tr_field_kind_is_literal(kind)) &&
           tr_str_eq(term->datatype, tr_model_kind_datatype(kind));
}

tr_status tr_model_value_from_term(const struct tr_field *field,
                                   const tr_rdf_term *term,
                                   struct tr_arena *arena, struct tr_json *out,
                                   struct tr_err *err)
{
    bool is_iri = term->kind != TR_RDF_TERM_LITERAL;
    tr_str pairs[] = {TR_STR("id"), term->text, TR_STR(""), TR_STR("")};
    if (is_iri && !(field && field->kind == TR_FIELD_REF))
        return object_json(pairs, 1, arena, out, err);
    if (is_iri || (field && is_text(field->kind, term)))
        return copy_text(TR_JSON_STRING, term->text, arena, out, err);
    if (field && field->kind == TR_FIELD_JSON &&
        tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_RDF_JSON))) {
        tr_status status = tr_model_document_read(term->text, arena, out, err);
        if (status != TR_E_VALIDATION)
            return status;
    }
    return literal_json(term, arena, out, err);
}
