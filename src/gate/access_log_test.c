#include "gate/access_log.h"

#include "base/test.h"

static uint64_t count_of(const struct tr_gate_codes *codes, int code)
{
    uint64_t count = 0;
    for (size_t i = 0; i < TR_GATE_CODES; i++)
        if (codes->items[i].code == code)
            count += codes->items[i].count;
    return count;
}

TEST(codes_are_told_apart_until_there_are_too_many)
{
    struct tr_gate_codes sum = {0};
    struct tr_gate_codes one = {0};
    for (int i = 0; i < TR_GATE_CODES - 1; i++)
        tr_gate_codes_count(&one, -1000 - i, 1);
    tr_gate_codes_count(&one, -5, 5);
    CHECK_INT(count_of(&one, -5), 0);
    CHECK_INT(count_of(&one, 0), 5); /* others */
    tr_gate_codes_add(&sum, &one);
    tr_gate_codes_add(&sum, &one);
    struct tr_gate_codes more = {.items = {{-1, 4}, {-1000, 2}}};
    tr_gate_codes_add(&sum, &more);
    CHECK_INT(count_of(&sum, -1000), 4);
    CHECK_INT(count_of(&sum, -1001), 2);
    CHECK_INT(count_of(&sum, -1), 0); /* all entries are in use */
    CHECK_INT(count_of(&sum, 0), 14);
}

TEST(steps_only_grow_and_a_duration_has_its_own)
{
    struct tr_gate_histogram sum = {{0}, 0};
    for (size_t i = 1; i < TR_GATE_STEPS - 1; i++)
        CHECK(tr_gate_step_bounds[i] > tr_gate_step_bounds[i - 1]);
    for (size_t i = 0; i < TR_GATE_STEPS - 1; i++) {
        struct tr_gate_histogram one = {{0}, 0};
        tr_gate_histogram_count(&one, tr_gate_step_bounds[i]);
        tr_gate_histogram_count(&one, tr_gate_step_bounds[i] + 1);
        CHECK_INT(one.steps[i], 1);
        CHECK_INT(one.steps[i + 1], 1);
        CHECK_INT(one.micros, 2 * tr_gate_step_bounds[i] + 1);
        tr_gate_histogram_add(&sum, &one);
    }
    CHECK_INT(tr_gate_histogram_total(&sum), 2 * (TR_GATE_STEPS - 1));
}
