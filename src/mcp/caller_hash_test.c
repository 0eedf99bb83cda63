#include "base/test.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "support/sample.h"
#include "support/steps.h"

static struct steps fill(enum hostility kind)
{
    struct sample sample;
    struct steps steps = {0};
    sample_open(&sample);
    sample.mcp->opts.max_sessions = STEPS_KEYS;
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char text[HOSTILE_BYTES];
        const struct tr_access_authority who = {
            .is_authenticated = true, .principal = hostile_text(kind, i, text)};
        CHECK(tr_mcp_session_create(sample.mcp, &who));
    }
    for (size_t i = 0; i < TR_MCP_CALLER_BUCKETS; i++) {
        size_t together = 0;
        for (const struct tr_mcp_caller *caller =
                 sample.mcp->table->callers.buckets[i];
             caller; caller = caller->next)
            together++;
        steps_add(&steps, together);
    }
    sample_close(&sample);
    return steps;
}

TEST(hash_of_callers_spreads_hostile_names)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
