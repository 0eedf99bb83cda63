#include "base/test.h"
#include "mcp/watch.h"
#include "support/steps.h"

static struct steps fill(enum hostility kind)
{
    static struct tr_mcp_watch watches[STEPS_KEYS];
    struct tr_mcp_watches all = {0};
    struct steps steps = {0};
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char text[HOSTILE_BYTES];
        CHECK(tr_mcp_watch_add(&all, TR_MCP_WATCHER_SESSION,
                               hostile_text(kind, i, text), NULL, &watches[i]));
    }
    for (size_t i = 0; i < all.bucket_count; i++) {
        size_t together = 0;
        for (const struct tr_mcp_topic *t = all.buckets[i]; t; t = t->next)
            together++;
        steps_add(&steps, together);
    }
    tr_mcp_watches_done(&all);
    return steps;
}

TEST(hash_of_watched_uris_spreads_hostile_ones)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
