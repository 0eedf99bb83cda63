/*
 * cap/uri_template.h - URI templates (RFC 6570, all four levels), and matching.
 *
 * Matching is for what templates of resources look like: literals, {var},
 * {+var}, {/var}, {?a,b} and {&a,b}, without modifiers. A compiled template
 * lives in the arena it was compiled into and is immutable.
 */
#ifndef TR_CAP_URI_TEMPLATE_H
#define TR_CAP_URI_TEMPLATE_H

#include "base/buf.h"
#include "json/json.h"

struct tr_cap_uri_template;

struct tr_cap_uri_var {
    tr_str name;
    tr_str value; /* percent-decoded */
};

struct tr_cap_uri_vars {
    const struct tr_cap_uri_var *items; /* in the order of the template */
    size_t count;
};

/* Fails with TR_E_SYNTAX and the place, or TR_E_LIMIT. */
TR_NODISCARD tr_status tr_cap_uri_template_compile(
    struct tr_arena *arena, tr_str text, const struct tr_cap_uri_template **out,
    struct tr_err *err);

/* Whether tr_cap_uri_template_match supports all parts of the template. */
bool tr_cap_uri_template_can_match(
    const struct tr_cap_uri_template *uri_template);

/* Names of the variables, in order, without repetition. */
size_t
tr_cap_uri_template_var_count(const struct tr_cap_uri_template *uri_template);
tr_str tr_cap_uri_template_var(const struct tr_cap_uri_template *uri_template,
                               size_t i);

/*
 * Whether `uri` is an expansion of the template, and of which values: {var}
 * takes what has no '/', '?' or '#', {+var} what has no '?' or '#', query
 * parameters come in any order and may be absent, unknown ones do not match.
 * *matched is the verdict, and *out is set when it is true; fails with
 * TR_E_NOMEM only.
 */
TR_NODISCARD tr_status
tr_cap_uri_template_match(const struct tr_cap_uri_template *uri_template,
                          tr_str uri, struct tr_arena *arena, bool *matched,
                          struct tr_cap_uri_vars *out, struct tr_err *err);

#endif
