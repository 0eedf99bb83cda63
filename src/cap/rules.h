/*
 * cap/rules.h - what may be registered. Each check fails with TR_E_INVALID and
 * says why; none changes its argument.
 */
#ifndef TR_CAP_RULES_H
#define TR_CAP_RULES_H

#include "cap/cap.h"
#include "cap/resource.h"

/* [A-Za-z0-9_.-], at least one and at most TR_LIMIT_NAME_BYTES. */
bool tr_cap_id_is_valid(tr_str id);

/* Semantic Versioning 2.0.0, the whole of `text`. */
bool tr_cap_is_semver(tr_str text);

TR_NODISCARD tr_status tr_cap_check_draft(const struct tr_cap *cap,
                                          struct tr_err *err);
TR_NODISCARD tr_status tr_cap_resource_check_draft(
    const struct tr_cap_resource *resource, struct tr_err *err);
TR_NODISCARD tr_status tr_cap_template_check_draft(
    const struct tr_cap_resource_template *resource, struct tr_err *err);
TR_NODISCARD tr_status tr_cap_prompt_check_draft(
    const struct tr_cap_prompt *prompt, struct tr_err *err);

/* Checks texts, icons and _meta of a resource, template or prompt. */
TR_NODISCARD tr_status tr_cap_about_check(const struct tr_cap_about *about,
                                          struct tr_err *err);

#endif
