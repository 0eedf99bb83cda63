/*
 * builtin/prov_resource.h - what was done, as resources: one activity, and
 * pages of them; for this folder only.
 *
 *     trails://prov/latest       the caller's newest
 *     trails://prov/{id}         one
 *     trails://prov{?principal,capability,since,limit}
 *
 * Callers with runtime see their own activities, those with builder all. Nobody
 * in particular has no own: in production nobody sees one that its connection
 * was told of, and no list.
 */
#ifndef TR_BUILTIN_PROV_RESOURCE_H
#define TR_BUILTIN_PROV_RESOURCE_H

#include "builtin/reply.h"
#include "prov/view.h"

/* Which activities the caller may see. TR_E_NOT_FOUND: not even its own. */
TR_NODISCARD tr_status
tr_builtin_prov_filter(const struct tr_builtin_reply *reply,
                       struct tr_prov_filter *out, struct tr_err *err);

/* Writes a page. */
TR_NODISCARD tr_status tr_builtin_prov_put(struct tr_builtin_reply *reply,
                                           const struct tr_prov_filter *filter,
                                           struct tr_prov_next *next,
                                           struct tr_err *err);

/* The handler of pages, in a file of its own. */
tr_status tr_builtin_render_activities(struct tr_builtin_reply *reply,
                                       struct tr_err *err);

#endif
