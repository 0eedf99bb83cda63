/*
 * fields/pattern_names.h - Unicode categories by the names ECMA-262 has.
 */
#ifndef TR_FIELDS_PATTERN_NAMES_H
#define TR_FIELDS_PATTERN_NAMES_H

#include "base/buf.h"

/*
 * Copies a pattern with \p{Letter}, \p{General_Category=Letter} and their like
 * as \p{L}, which is all that PCRE2 knows; everything else stays as it is.
 */
void tr_field_pattern_put_names(struct tr_buf *out, tr_str source);

/* Whether ECMA-262 has such a property, as it stands in \p{...}. */
bool tr_field_pattern_is_name(tr_str name);

#endif
