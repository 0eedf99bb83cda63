#include "base/test.h"
#include "json/build.h"
#include "json/index.h"
#include "support/steps.h"

static bool is_taken(const void *table, size_t slot)
{
    return ((const uint32_t *)table)[slot] != 0;
}

static struct steps fill(enum hostility kind)
{
    struct tr_arena arena;
    struct tr_json object = {0};
    tr_arena_init(&arena, SIZE_MAX);
    struct tr_json_member *members =
        TR_NEW_ARRAY(&arena, struct tr_json_member, STEPS_KEYS);
    CHECK(members != NULL);
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char *text = tr_arena_alloc(&arena, HOSTILE_BYTES);
        CHECK(text != NULL);
        members[i].key =
            tr_json_make_text(TR_JSON_STRING, hostile_text(kind, i, text));
    }
    CHECK(tr_json_index_build(&arena, members, STEPS_KEYS, &object));
    CHECK_INT(object.len, STEPS_KEYS);
    const struct tr_json_index_head *head = tr_json_index_head(&object);
    struct steps steps =
        steps_of_slots(tr_json_index_slots(head), head->slot_count, is_taken);
    tr_arena_done(&arena);
    return steps;
}

TEST(hash_of_a_wide_object_spreads_hostile_keys)
{
    steps_compare(fill(HOSTILE), fill(HARMLESS));
}
