#include "query/forms.h"

#define BIT(form) (1u << (form))
#define THERE     (BIT(TR_QUERY_FORM_PRESENT) | BIT(TR_QUERY_FORM_ABSENT))
#define CHOICE    (BIT(TR_QUERY_FORM_ONE_OF) | THERE)
#define RANGE                                                                  \
    (BIT(TR_QUERY_FORM_MIN) | BIT(TR_QUERY_FORM_MAX) |                         \
     BIT(TR_QUERY_FORM_ABOVE) | BIT(TR_QUERY_FORM_BELOW) | CHOICE)

/* What may be said of one value of a kind. */
static const struct {
    unsigned forms;
    bool is_ordered;
} kinds[] = {
    [TR_FIELD_TEXT] = {RANGE | BIT(TR_QUERY_FORM_PREFIX), true},
    [TR_FIELD_INTEGER] = {RANGE, true},
    [TR_FIELD_NUMBER] = {RANGE, true},
    [TR_FIELD_BOOLEAN] = {CHOICE, true},
    [TR_FIELD_DATETIME] = {RANGE, true},
    [TR_FIELD_REF] = {CHOICE, true},
    [TR_FIELD_OBJECT] = {THERE, false},
};

tr_str tr_query_form_name(enum tr_query_form form)
{
    static const tr_str names[] = {
        [TR_QUERY_FORM_MIN] = TR_STR_INIT("min"),
        [TR_QUERY_FORM_MAX] = TR_STR_INIT("max"),
        [TR_QUERY_FORM_ABOVE] = TR_STR_INIT("above"),
        [TR_QUERY_FORM_BELOW] = TR_STR_INIT("below"),
        [TR_QUERY_FORM_ONE_OF] = TR_STR_INIT("one_of"),
        [TR_QUERY_FORM_PREFIX] = TR_STR_INIT("prefix"),
        [TR_QUERY_FORM_HAS] = TR_STR_INIT("has"),
        [TR_QUERY_FORM_PRESENT] = TR_STR_INIT("present"),
        [TR_QUERY_FORM_ABSENT] = TR_STR_INIT("absent"),
    };
    return names[form];
}

unsigned tr_query_forms(const struct tr_field *field)
{
    if (field->list || field->kind == TR_FIELD_OBJECT)
        return THERE;
    return field->many ? BIT(TR_QUERY_FORM_HAS) | THERE
                       : kinds[field->kind].forms;
}

unsigned tr_query_value_forms(const struct tr_field *field)
{
    return kinds[field->kind].forms & ~THERE;
}

bool tr_query_takes_values(const struct tr_field *field)
{
    return !field->list && tr_query_value_forms(field) != 0;
}

bool tr_query_is_ordered(const struct tr_field *field)
{
    return !field->many && !field->list && kinds[field->kind].is_ordered;
}
