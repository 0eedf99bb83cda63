#include "fields/forms.h"

#include "fields/kind.h"

#define BIT(form) (1u << (form))
#define THERE     (BIT(TR_FIELD_FORM_PRESENT) | BIT(TR_FIELD_FORM_ABSENT))
#define RANGE                                                                  \
    (BIT(TR_FIELD_FORM_MIN) | BIT(TR_FIELD_FORM_MAX) |                         \
     BIT(TR_FIELD_FORM_ABOVE) | BIT(TR_FIELD_FORM_BELOW))

/* What may be said of one value of a kind. */
static unsigned forms_of(enum tr_field_kind kind)
{
    enum tr_rdf_xsd_type xsd = tr_field_kind_row(kind)->xsd;
    bool is_text = xsd == TR_RDF_XSD_STRING || xsd == TR_RDF_XSD_ANY_URI;
    if (!tr_field_kind_has(kind, TR_FIELD_IS_FILTER))
        return 0;
    unsigned forms = BIT(TR_FIELD_FORM_ONE_OF);
    if (tr_field_kind_has(kind, TR_FIELD_HAS_ORDER) && kind != TR_FIELD_BOOLEAN)
        forms |= RANGE;
    return is_text ? forms | BIT(TR_FIELD_FORM_PREFIX) : forms;
}

tr_str tr_field_form_name(enum tr_field_form form)
{
    static const tr_str names[] = {
        [TR_FIELD_FORM_MIN] = TR_STR_INIT("min"),
        [TR_FIELD_FORM_MAX] = TR_STR_INIT("max"),
        [TR_FIELD_FORM_ABOVE] = TR_STR_INIT("above"),
        [TR_FIELD_FORM_BELOW] = TR_STR_INIT("below"),
        [TR_FIELD_FORM_ONE_OF] = TR_STR_INIT("one_of"),
        [TR_FIELD_FORM_PREFIX] = TR_STR_INIT("prefix"),
        [TR_FIELD_FORM_HAS] = TR_STR_INIT("has"),
        [TR_FIELD_FORM_PRESENT] = TR_STR_INIT("present"),
        [TR_FIELD_FORM_ABSENT] = TR_STR_INIT("absent"),
    };
    return names[form];
}

unsigned tr_field_forms(const struct tr_field *field)
{
    if (field->list)
        return THERE;
    if (field->many && tr_field_takes_values(field))
        return BIT(TR_FIELD_FORM_HAS) | THERE;
    return tr_field_value_forms(field) | THERE;
}

unsigned tr_field_value_forms(const struct tr_field *field)
{
    return forms_of(field->kind);
}

bool tr_field_takes_values(const struct tr_field *field)
{
    return !field->list && forms_of(field->kind) != 0;
}

bool tr_field_is_ordered(const struct tr_field *field)
{
    return !field->many && !field->list &&
           (tr_field_has(field, TR_FIELD_HAS_ORDER) ||
            field->kind == TR_FIELD_REF);
}
