/*
 * test/support/bodies.h - bodies of a subject, and a plain model of what is in
 * them: a sorted array of statements.
 */
#ifndef TR_TEST_SUPPORT_BODIES_H
#define TR_TEST_SUPPORT_BODIES_H

#include "pack/body.h"

/* Statements in order, with their values in memory of their own. */
struct statements {
    tr_pack_statement *items;
    size_t count;
    size_t room;
};

void statements_done(struct statements *list);

/* Whether it is there; *at is where it stands, or would. */
bool statements_find(const struct statements *list,
                     const tr_pack_statement *statement, size_t *at);

/* Each returns whether something changed. The value is copied. */
bool statements_add(struct statements *list,
                    const tr_pack_statement *statement);
bool statements_remove(struct statements *list,
                       const tr_pack_statement *statement);

/* Changes, for tests that write them down. */
tr_pack_change body_add(uint64_t p, tr_str v, uint64_t g);
tr_pack_change body_drop(uint64_t p, tr_str v, uint64_t g);

/* Makes the changes, which must succeed; the buffer then has the new body. */
void body_apply(struct tr_buf *body, tr_pack_change *changes, size_t count);

/* Reads all of a body. */
TR_NODISCARD tr_status body_check(tr_str body, struct tr_err *err);

#endif
