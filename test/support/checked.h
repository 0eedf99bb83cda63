/*
 * test/support/checked.h - a sample whose every message is held against the
 * schema of its revision; a wrong one ends the test.
 */
#ifndef TR_TEST_SUPPORT_CHECKED_H
#define TR_TEST_SUPPORT_CHECKED_H

#include "support/sample.h"
#include "support/wire.h"

struct checked {
    struct sample sample;
    struct wire wire;
    bool has_schemas; /* without them nothing is checked */
};

void checked_open(struct checked *checked);
void checked_open_with(struct checked *checked, sample_add_fn *add);
void checked_close(struct checked *checked);

/*
 * Checks messages that do not pass through the sample's own client; `data` is
 * the struct checked.
 */
void checked_sends(struct checked *checked, tr_str message);
void checked_saw(void *data, tr_str event_id, tr_str message);

/* Says the revision of messages without a session. */
void checked_speaks(struct checked *checked, tr_str revision);

#endif
