/*
 * schema/uri.h - URI references in JSON Schemas (RFC 3986, section 5).
 */
#ifndef TR_SCHEMA_URI_H
#define TR_SCHEMA_URI_H

#include "base/arena.h"

/*
 * What `reference` means at `base`, without its fragment, in the arena. With
 * an empty base a relative reference stays what it is. False without memory.
 */
TR_NODISCARD bool tr_schema_uri_resolve(struct tr_arena *arena, tr_str base,
                                        tr_str reference, tr_str *out);

/* Percent-decodes; what is not encoded properly stays. False without memory. */
TR_NODISCARD bool tr_schema_uri_decode(struct tr_arena *arena, tr_str text,
                                       tr_str *out);

#endif
