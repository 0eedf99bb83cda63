/*
 * access/scopes.h - sets of scopes as text.
 */
#ifndef TR_ACCESS_SCOPES_H
#define TR_ACCESS_SCOPES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/scope.h"

/*
 * "runtime, builder": names with commas between them, and spaces around them.
 * TR_E_INVALID for none, an empty one, and one that is unknown, which the
 * message names.
 */
TR_NODISCARD tr_status tr_scopes_parse(tr_str text, unsigned *out,
                                       struct tr_err *err);

/* "builder,runtime": sorted, `between` between them. */
void tr_scopes_write(struct tr_buf *out, unsigned scopes, const char *between);

#endif
