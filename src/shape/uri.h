/*
 * shape/uri.h - URI references and what they mean (RFC 3986, section 5).
 */
#ifndef TR_SHAPE_URI_H
#define TR_SHAPE_URI_H

#include "base/arena.h"

/* Views of the parts; `ptr` is NULL for a part that is not there. */
typedef struct tr_uri {
    tr_str scheme;
    tr_str authority;
    tr_str path; /* always there, perhaps empty */
    tr_str query;
    tr_str fragment;
} tr_uri;

/* Takes any text apart; nothing is refused. */
tr_uri tr_uri_split(tr_str text);

/*
 * What `reference` means at `base`, without its fragment, in the arena. With
 * an empty base a relative reference stays what it is. False without memory.
 */
TR_NODISCARD bool tr_uri_resolve(struct tr_arena *arena, tr_str base,
                                 tr_str reference, tr_str *out);

/* Percent-decodes; what is not encoded properly stays. False without memory. */
TR_NODISCARD bool tr_uri_decode(struct tr_arena *arena, tr_str text,
                                tr_str *out);

#endif
