/*
 * cap/copy.h - copies of what drafts borrow; for registration.
 *
 * A failure sticks, so that a struct's members are copied one after the other
 * and the result is looked at once.
 */
#ifndef TR_CAP_COPY_H
#define TR_CAP_COPY_H

#include "cap/cap.h"
#include "cap/resource.h"

struct tr_cap_copier {
    struct tr_arena *arena;
    bool failed;
};

void tr_cap_copy_str(struct tr_cap_copier *copier, tr_str *s);
void tr_cap_copy_strs(struct tr_cap_copier *copier, struct tr_cap_strs *strs);
void tr_cap_copy_json(struct tr_cap_copier *copier,
                      const struct tr_json **value);
void tr_cap_copy_guard(struct tr_cap_copier *copier,
                       struct tr_cap_guard *guard);
void tr_cap_copy_about(struct tr_cap_copier *copier,
                       struct tr_cap_about *about);

/* TR_OK, or TR_E_NOMEM when something could not be copied. */
TR_NODISCARD tr_status tr_cap_copy_check(const struct tr_cap_copier *copier,
                                         struct tr_err *err);

#endif
