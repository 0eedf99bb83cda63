/*
 * test/support/live.h - the settings that calls of a snapshot go by, for tests
 * that set them once it is built.
 */
#ifndef TR_TEST_SUPPORT_LIVE_H
#define TR_TEST_SUPPORT_LIVE_H

#include "cap/live.h"

static inline struct tr_cap_live *
live_of(const struct tr_cap_snapshot *snapshot)
{
    return (struct tr_cap_live *)(uintptr_t)tr_cap_snapshot_live(snapshot);
}

#endif
