/*
 * base/reserved.h - names that are every server's own, so that no project has
 * them: its name begins the IRIs of what it makes, trails://<project>/..., and
 * a path, /<project>/card.
 */
#ifndef TR_BASE_RESERVED_H
#define TR_BASE_RESERVED_H

#include "base/str.h"

#include <stdbool.h>

/* Whether it begins a path or the URI of something built in. */
bool tr_reserved_name(tr_str name);

/* Whether it begins the URI of something built in, such as trails://kg/Task. */
bool tr_reserved_uri(tr_str name);

#endif
