/*
 * test/support/past.h - stores as programs of earlier schema versions left
 * them.
 *
 * They are made by the table of steps itself (graph/schema.c): what is tested
 * of every version is tested of the next one when it is there.
 */
#ifndef TR_TEST_SUPPORT_PAST_H
#define TR_TEST_SUPPORT_PAST_H

#include "base/arena.h"
#include "db/db.h"

/* Today's version: how many steps there are. */
size_t past_versions(void);

/* The first version that has a table, or one whose rows are there now; 0 when
 * none has it. */
size_t past_version_with(const char *table);

/*
 * Makes the file `to` a store of a version, from 1, with all that one of today,
 * `from`, has and that version could hold.
 */
TR_NODISCARD tr_status past_make(const char *from, const char *to,
                                 size_t version, struct tr_err *err);

/*
 * The names of the tables, with commas, whose rows are not what they were: of
 * those that were there before, in the columns that they had. "" when all are.
 * A row that steps have added is in a fresh store, too, and is no difference.
 */
struct past_stores {
    const char *before;
    const char *after;
    const char *fresh;
};
TR_NODISCARD tr_status past_compare(const struct past_stores *stores,
                                    struct tr_arena *arena, tr_str *out,
                                    struct tr_err *err);

#endif
