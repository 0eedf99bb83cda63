#include "base/test.h"
#include "runtime/idempotency_queue.h"
#include "support/steps.h"

/* Each turn is found through those that came to its bucket after it. */
static struct steps fill(enum hostility kind)
{
    static struct tr_call_idempotency_turn all[STEPS_KEYS];
    struct tr_call_idempotency_queue *queue = NULL;
    struct tr_err err = {0};
    struct steps steps = {.keys = STEPS_KEYS};
    CHECK_OK(tr_call_idempotency_queue_create(&queue, &err), &err);
    memset(all, 0, sizeof(all));
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        /* To find digests whose first bytes agree takes a moment each. */
        uint64_t start = kind == HOSTILE ? i << 8 | 7 : tr_test_random();
        memcpy(all[i].name.id, &start, sizeof(start));
        CHECK(tr_call_idempotency_queue_enter(queue, &all[i]) ==
              TR_CALL_IDEMPOTENCY_OURS);
    }
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        for (const struct tr_call_idempotency_turn *t = &all[i]; t; t = t->next)
            steps.sum++;
    }
    tr_call_idempotency_queue_free(queue);
    return steps;
}

TEST(hash_of_running_keys_spreads_digests_that_begin_alike)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
