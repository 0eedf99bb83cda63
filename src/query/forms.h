/*
 * query/forms.h - what a filter may say of a field, by its kind.
 */
#ifndef TR_QUERY_FORMS_H
#define TR_QUERY_FORMS_H

#include "fields/field.h"

/* In the order in which they are told. */
enum tr_query_form {
    TR_QUERY_FORM_MIN,     /* at least */
    TR_QUERY_FORM_MAX,     /* at most */
    TR_QUERY_FORM_ABOVE,   /* greater */
    TR_QUERY_FORM_BELOW,   /* less */
    TR_QUERY_FORM_ONE_OF,  /* equal to one of an array */
    TR_QUERY_FORM_PREFIX,  /* a text that begins so */
    TR_QUERY_FORM_HAS,     /* of many values: one is equal, or fits a form */
    TR_QUERY_FORM_PRESENT, /* true: there is a value */
    TR_QUERY_FORM_ABSENT,  /* true: there is none */
    TR_QUERY_FORMS
};

/* "min", "one_of", ...: the words of filters. */
tr_str tr_query_form_name(enum tr_query_form form);

/* The forms of a field, each as the bit 1 << form. */
unsigned tr_query_forms(const struct tr_field *field);

/* The same for one of its values, as `has` takes them. */
unsigned tr_query_value_forms(const struct tr_field *field);

/* Whether a field may be equal to a value, and whether it has an order. */
bool tr_query_takes_values(const struct tr_field *field);
bool tr_query_is_ordered(const struct tr_field *field);

#endif
