/*
 * rest/form.h - what a capability gives, in the type that a request wants.
 *
 * In JSON it is the value itself. In JSON-LD an object has the context of what
 * it promises beside its members, and anything else stands in such an object; a
 * value with words of JSON-LD in it is data there, which says nothing.
 * People get the text, or the value as one can read it.
 */
#ifndef TR_REST_FORM_H
#define TR_REST_FORM_H

#include "rest/request.h"

#define TR_REST_TYPE_JSON     TR_STR_INIT("application/json")
#define TR_REST_TYPE_LD       TR_STR_INIT("application/ld+json")
#define TR_REST_TYPE_TURTLE   TR_STR_INIT("text/turtle")
#define TR_REST_TYPE_MARKDOWN TR_STR_INIT("text/markdown; charset=utf-8")

/* Writes it to the door's buffer, which has nothing else. */
void tr_rest_form_write(struct tr_rest_request *request,
                        const struct tr_call_outcome *outcome);

/* The first text that was said; or empty. */
tr_str tr_rest_form_said(const struct tr_call_outcome *outcome);

#endif
