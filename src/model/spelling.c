#include "base/ascii.h"
#include "model/inside.h"
#include "model/model.h"
#include "model/value_term.h"
#include "rdf/xsd.h"

/* Beside the kinds of a predicate: it leads to a part. */
enum { PART = TR_FIELD_KINDS };

static bool note(struct tr_map *kinds, tr_str predicate, int kind)
{
    uintptr_t set = (uintptr_t)tr_map_find(kinds, predicate);
    set |= (uintptr_t)1 << kind;
    return tr_map_set(kinds, predicate, (void *)set);
}

/* The items of all lists have one predicate. */
static bool note_list(struct tr_map *kinds, const struct tr_field *field)
{
    return note(kinds, TR_STR(TR_RDF_IRI_RDF_REST), PART) &&
           note(kinds, field->iri, PART) &&
           note(kinds, TR_STR(TR_RDF_IRI_RDF_FIRST), (int)field->kind);
}

static bool note_fields(struct tr_map *kinds, const struct tr_shape *shape)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        bool noted = field->list ? note_list(kinds, field)
                                 : note(kinds, field->iri, (int)field->kind);
        if (noted && field->kind == TR_FIELD_OBJECT)
            noted = note(kinds, field->iri, PART) &&
                    (!field->object || note_fields(kinds, field->object));
        if (!noted)
            return false;
    }
    return true;
}

static bool list_parts(struct tr_model_whole *whole)
{
    const struct tr_map *kinds = &whole->kinds;
    tr_str *parts = TR_NEW_ARRAY(&whole->arena, tr_str, kinds->count);
    for (size_t i = 0; parts && i < kinds->count; i++) {
        if ((uintptr_t)kinds->entries[i].value >> PART & 1)
            parts[whole->model.part_count++] = kinds->entries[i].key;
    }
    whole->model.part_predicates = parts;
    return parts != NULL;
}

tr_status tr_model_note_kinds(struct tr_model_making *m)
{
    const struct tr_model *model = &m->whole->model;
    bool noted = true;
    for (size_t i = 0; noted && i < model->count; i++)
        noted = note_fields(&m->whole->kinds, model->types[i]->shape);
    return noted && list_parts(m->whole)
               ? TR_OK
               : tr_fail(m->err, TR_E_NOMEM,
                         "no memory for the types of an app");
}

/* Whether a type has a field of this kind with this predicate. */
static bool declares(const struct tr_model *model, tr_str predicate,
                     enum tr_field_kind kind)
{
    const struct tr_model_whole *whole = (const void *)model;
    uintptr_t kinds = (uintptr_t)tr_map_find(&whole->kinds, predicate);
    return kinds >> kind & 1;
}

tr_status tr_model_each_spelling(const struct tr_model *model,
                                 tr_model_spelling_fn *visit, void *context,
                                 struct tr_err *err)
{
    const struct tr_model_whole *whole = (const void *)model;
    for (size_t i = 0; i < whole->kinds.count; i++) {
        const struct tr_map_entry *entry = &whole->kinds.entries[i];
        for (int kind = 0; kind < TR_FIELD_KINDS; kind++) {
            if (tr_model_kind_has_spellings((enum tr_field_kind)kind) &&
                (uintptr_t)entry->value >> kind & 1)
                TR_TRY(
                    visit(context, entry->key, (enum tr_field_kind)kind, err));
        }
    }
    return TR_OK;
}

/* The kind of a datatype that has several spellings. Most literals are texts,
 * and one letter tells these apart. */
static bool find_kind(tr_str datatype, enum tr_field_kind *out)
{
    static const struct {
        char letter; /* the first behind the namespace */
        enum tr_field_kind kind;
    } kinds[] = {
        {'i', TR_FIELD_INTEGER}, {'b', TR_FIELD_BOOLEAN},
        {'d', TR_FIELD_NUMBER},  {'d', TR_FIELD_DATETIME},
        {'d', TR_FIELD_DECIMAL}, {'d', TR_FIELD_DURATION},
        {'t', TR_FIELD_TIME},
    };
    size_t at = sizeof(TR_RDF_NS_XSD) - 1;
    char letter = datatype.len > at ? datatype.ptr[at] : '\0';
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        *out = kinds[i].kind;
        if (kinds[i].letter == letter &&
            tr_str_eq(datatype, tr_model_kind_datatype(*out)))
            return true;
    }
    *out = TR_FIELD_JSON;
    return tr_str_eq(datatype, TR_STR(TR_RDF_IRI_RDF_JSON));
}

static size_t digits_len(tr_str text)
{
    size_t len = 0;
    while (len < text.len && tr_ascii_is_digit(text.ptr[len]))
        len++;
    return len;
}

static tr_str skip_minus(tr_str text)
{
    return tr_str_skip(text, text.len && text.ptr[0] == '-');
}

static bool is_plain_integer(tr_str text)
{
    tr_str digits = skip_minus(text);
    if (tr_str_eq(text, TR_STR("0")))
        return true;
    return digits.len && digits.ptr[0] != '0' &&
           digits_len(digits) == digits.len;
}

/* 1.5E-3, with so few digits and so small an exponent that none of its digits
 * can be left out and none is missing. */
static bool is_plain_number(tr_str text)
{
    tr_str rest = skip_minus(text);
    if (rest.len < sizeof("1.0E0") - 1 || !tr_ascii_is_digit(rest.ptr[0]) ||
        rest.ptr[0] == '0' || rest.ptr[1] != '.')
        return false;
    rest = tr_str_skip(rest, 2);
    size_t len = digits_len(rest);
    if (len == 0 || len > 14 || (len > 1 && rest.ptr[len - 1] == '0') ||
        len == rest.len || rest.ptr[len] != 'E')
        return false;
    rest = tr_str_skip(rest, len + 1);
    return skip_minus(rest).len <= 2 && is_plain_integer(rest);
}

/* 2026-01-31T12:00:00Z; whether there is such a day is not asked. */
static bool is_plain_time(tr_str text)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    if (text.len != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (form[i] == '0' ? !tr_ascii_is_digit(c) : c != form[i])
            return false;
    }
    return text.ptr[11] != '2' || text.ptr[12] != '4'; /* 24:00:00 */
}

static bool is_plain_decimal(tr_str text)
{
    tr_str digits = skip_minus(text);
    size_t len = digits_len(digits);
    if (len == digits.len)
        return is_plain_integer(text);
    tr_str behind = tr_str_skip(digits, len + 1);
    return len && digits.ptr[len] == '.' &&
           (digits.ptr[0] != '0' || len == 1) && behind.len &&
           digits_len(behind) == behind.len &&
           behind.ptr[behind.len - 1] != '0';
}

/* Whether a look at the bytes tells that it is spelt as we spell it, or has no
 * value. Nearly all literals are, so this decides what an import costs. */
static bool is_plain(enum tr_field_kind kind, tr_str text)
{
    switch (kind) {
    case TR_FIELD_INTEGER:
        return is_plain_integer(text);
    case TR_FIELD_NUMBER:
        return is_plain_number(text);
    case TR_FIELD_BOOLEAN:
        return !tr_str_eq(text, TR_STR("1")) && !tr_str_eq(text, TR_STR("0"));
    case TR_FIELD_DATETIME:
        return is_plain_time(text);
    case TR_FIELD_DECIMAL:
        return is_plain_decimal(text);
    default:
        return false;
    }
}

bool tr_model_spells_otherwise(const tr_rdf_term *literal, struct tr_buf *room,
                               enum tr_field_kind *kind)
{
    tr_rdf_xsd_value value;
    if (literal->kind != TR_RDF_TERM_LITERAL ||
        !find_kind(literal->datatype, kind) || is_plain(*kind, literal->text) ||
        !tr_rdf_xsd_parse(literal, &value))
        return false;
    tr_buf_clear(room);
    if (*kind == TR_FIELD_JSON)
        return tr_model_document_respell(literal->text, room);
    if (*kind == TR_FIELD_NUMBER)
        tr_model_write_number(room, value.as.number);
    else
        tr_rdf_xsd_write_canonical(room, &value);
    return room->failed || !tr_str_eq(tr_buf_str(room), literal->text);
}

tr_status tr_model_spell(const struct tr_model *model, tr_str predicate,
                         tr_rdf_term *object, struct tr_buf *room,
                         bool *changed, struct tr_err *err)
{
    enum tr_field_kind kind;
    *changed = model && tr_model_spells_otherwise(object, room, &kind) &&
               declares(model, predicate, kind);
    if (!*changed)
        return TR_OK;
    TR_TRY(tr_buf_check(room, err));
    object->text = tr_buf_str(room);
    return TR_OK;
}
