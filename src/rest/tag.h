/*
 * rest/tag.h - entity tags: weak, since the forms of a view differ and mean the
 * same (RFC 9110, 8.8.3).
 */
#ifndef TR_REST_TAG_H
#define TR_REST_TAG_H

#include "project/view.h"
#include "rest/inside.h"
#include "rest/request.h"

/* The tag of what is seen with those scopes, whatever the view; it stands in
 * `text`. */
TR_NODISCARD tr_status tr_rest_tag_make(const struct tr_rest_request *request,
                                        const struct tr_project_asked *asked,
                                        char text[TR_REST_TAG_BYTES],
                                        tr_str *out, struct tr_err *err);

/* Whether a list of If-None-Match has the tag, or a star (RFC 9110, 13.1.2). */
bool tr_rest_tag_is_in(tr_str tag, tr_str list);

#endif
