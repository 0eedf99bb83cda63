/*
 * access/decide.h - may this caller use that? The only place that says so.
 *
 * Lists are filtered with it, which is a courtesy; every call asks again right
 * before it runs, and that counts.
 */
#ifndef TR_ACCESS_DECIDE_H
#define TR_ACCESS_DECIDE_H

#include "access/authority.h"

enum tr_verdict { TR_ALLOWED, TR_UNAUTHENTICATED, TR_SCOPE_DENIED };

/*
 * Pure. Nobody in particular gets TR_UNAUTHENTICATED for what needs builder or
 * dev: a credential might help. In production nobody has dev.
 */
enum tr_verdict tr_decide(const struct tr_authority *authority,
                          enum tr_scope required, bool is_production);

/* The set of scopes for which tr_decide allows. */
unsigned tr_decide_all(const struct tr_authority *authority,
                       bool is_production);

#endif
