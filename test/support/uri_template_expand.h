/*
 * test/support/uri_template_expand.h - a URI template with its values filled
 * in: what matching is held against.
 */
#ifndef TR_TEST_SUPPORT_URI_TEMPLATE_EXPAND_H
#define TR_TEST_SUPPORT_URI_TEMPLATE_EXPAND_H

#include "base/buf.h"
#include "cap/uri_template.h"

struct tr_json;

/*
 * Appends the expansion. `vars` is an object whose values are strings,
 * numbers, booleans, lists or objects of these; null and absent are undefined.
 * Fails with TR_E_INVALID when a value is of another kind, or is a list where
 * the template has a prefix modifier.
 */
TR_NODISCARD tr_status uri_template_expand(
    const struct tr_cap_uri_template *uri_template, const struct tr_json *vars,
    struct tr_buf *out, struct tr_err *err);

#endif
