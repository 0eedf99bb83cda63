/*
 * fields/forms.h - what a filter may say of a field, by its kind.
 */
#ifndef TR_FIELDS_FORMS_H
#define TR_FIELDS_FORMS_H

#include "fields/field.h"

/* In the order in which they are told. */
enum tr_field_form {
    TR_FIELD_FORM_MIN,     /* at least */
    TR_FIELD_FORM_MAX,     /* at most */
    TR_FIELD_FORM_ABOVE,   /* greater */
    TR_FIELD_FORM_BELOW,   /* less */
    TR_FIELD_FORM_ONE_OF,  /* equal to one of an array */
    TR_FIELD_FORM_PREFIX,  /* a text that begins so */
    TR_FIELD_FORM_HAS,     /* of many values: one is equal, or fits a form */
    TR_FIELD_FORM_PRESENT, /* true: there is a value */
    TR_FIELD_FORM_ABSENT,  /* true: there is none */
    TR_FIELD_FORMS
};

/* "min", "one_of", ...: the words of filters. */
tr_str tr_field_form_name(enum tr_field_form form);

/* The forms of a field, each as the bit 1 << form. */
unsigned tr_field_forms(const struct tr_field *field);

/* The same for one of its values, as `has` takes them. */
unsigned tr_field_value_forms(const struct tr_field *field);

/* Whether a field may be equal to a value, and whether it has an order. */
bool tr_field_takes_values(const struct tr_field *field);
bool tr_field_is_ordered(const struct tr_field *field);

#endif
