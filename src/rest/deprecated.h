/*
 * rest/deprecated.h - since when a capability is deprecated, as far as the
 * store remembers.
 */
#ifndef TR_REST_DEPRECATED_H
#define TR_REST_DEPRECATED_H

#include "base/str.h"

#include <stdbool.h>

struct tr_call_env;

/* The time at which the store first published it as that, in Unix time; false
 * when it does not know. */
bool tr_rest_deprecated_since(const struct tr_call_env *env, tr_str id,
                              int64_t *out);

#endif
