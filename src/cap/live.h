/*
 * cap/live.h - the settings that calls go by: those that may change while an
 * app is served. They come with a snapshot, so that nobody sees new ones with
 * old descriptors.
 */
#ifndef TR_CAP_LIVE_H
#define TR_CAP_LIVE_H

#include "fetch/fetch.h"

struct tr_access_budgets;

/* What it points to lives as long as the snapshot. */
struct tr_cap_live {
    tr_str instructions; /* for the model, or empty */
    size_t max_result_bytes;
    uint64_t call_timeout_ms;
    bool errors_as_results; /* errors of calls that have reached a tool */
    bool no_result_meta;    /* results do not name their activity and trace */
    unsigned retries;       /* of a call that was too late; 0: none */
    const struct tr_access_budgets *budgets; /* or NULL */
    const struct tr_fetch_bounds *fetch;     /* NULL: those of the client */
};

struct tr_cap_builder;
struct tr_cap_snapshot;

/* To be filled in before the snapshot is built. */
struct tr_cap_live *tr_cap_registry_live(struct tr_cap_builder *builder);

/* Every call asks for them: they stand first in a snapshot. */
static inline const struct tr_cap_live *
tr_cap_snapshot_live(const struct tr_cap_snapshot *snapshot)
{
    return (const struct tr_cap_live *)(const void *)snapshot;
}

#endif
