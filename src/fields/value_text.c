#include "base/arena.h"
#include "base/ascii.h"
#include "fields/kind.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/reader.h"

/* XSD allows a '+' and leading zeros (XSD 1.1 Part 2), which JSON does not
 * (RFC 8259, 6). */
static tr_status read_number(tr_str text, struct tr_arena *arena,
                             struct tr_json *out)
{
    const struct tr_json *number = NULL;
    bool is_minus = text.len && text.ptr[0] == '-';
    bool has_sign = is_minus || (text.len && text.ptr[0] == '+');
    tr_str digits = tr_str_skip(text, has_sign);
    while (digits.len > 1 && digits.ptr[0] == '0' &&
           tr_ascii_is_digit(digits.ptr[1]))
        digits = tr_str_skip(digits, 1);
    if (!digits.len || !tr_ascii_is_digit(digits.ptr[0]) ||
        !tr_ascii_is_digit(digits.ptr[digits.len - 1]))
        return TR_E_VALIDATION;
    char *room = tr_arena_alloc(arena, digits.len + 1);
    if (!room)
        return TR_E_NOMEM;
    room[0] = '-';
    memcpy(room + 1, digits.ptr, digits.len);
    tr_str json = {room + !is_minus, digits.len + is_minus};
    tr_status status = tr_json_read(arena, json, NULL, &number, NULL);
    if (status != TR_OK)
        return status == TR_E_NOMEM ? status : TR_E_VALIDATION;
    *out = *number;
    return TR_OK;
}

static tr_status read_bool(tr_str text, struct tr_json *out)
{
    bool yes = tr_str_eq(text, TR_STR("true")) || tr_str_eq(text, TR_STR("1"));
    bool no = tr_str_eq(text, TR_STR("false")) || tr_str_eq(text, TR_STR("0"));
    *out = tr_json_make_bool(yes);
    return yes || no ? TR_OK : TR_E_VALIDATION;
}

static tr_status read_document(tr_str text, struct tr_arena *arena,
                               struct tr_json *out)
{
    const struct tr_json *value = NULL;
    tr_status status = tr_json_read(arena, text, NULL, &value, NULL);
    if (status != TR_OK)
        return status == TR_E_NOMEM ? status : TR_E_VALIDATION;
    *out = *value;
    return TR_OK;
}

/* 12.0 is not in the lexical space of xsd:integer, but JSON takes it for an
 * integer: so it is refused here. */
tr_status tr_field_value_read(const struct tr_field *field, tr_str text,
                              struct tr_arena *arena, struct tr_json *out)
{
    tr_status status = TR_OK;
    if (tr_field_has(field, TR_FIELD_IS_NUMBER))
        status = read_number(text, arena, out);
    else if (field->kind == TR_FIELD_BOOLEAN)
        status = read_bool(text, out);
    else if (field->kind == TR_FIELD_JSON)
        status = read_document(text, arena, out);
    else
        *out = tr_json_make_text(TR_JSON_STRING, text);
    return status == TR_OK && field->kind == TR_FIELD_INTEGER &&
                   !(out->flags & TR_JSON_INTEGER)
               ? TR_E_VALIDATION
               : status;
}

const struct tr_json *tr_field_value_choices(const struct tr_field *field,
                                             size_t *count)
{
    static const struct tr_json both[] = {
        {.kind = TR_JSON_STRING, .len = 4, .as.text = "true"},
        {.kind = TR_JSON_STRING, .len = 5, .as.text = "false"},
    };
    bool is_boolean = field->kind == TR_FIELD_BOOLEAN && !field->one_of;
    *count = field->one_of ? field->one_of->len : is_boolean ? TR_LEN(both) : 0;
    return field->one_of ? field->one_of->as.items : both;
}
