#include "runtime/journal.h"

#include "base/limits.h"
#include "crypto/random.h"
#include "graph/kg.h"
#include "json/build.h"

/*
 * Parents and children share one journal: what a child does is a part of what
 * its parent does.
 */
const struct tr_json *tr_call_replayed(struct tr_call *call)
{
    call = tr_call_root(call);
    const struct tr_json *value = tr_json_at(call->replay, call->journal_at);
    if (value)
        call->journal_at++;
    return value;
}

tr_status tr_call_record(struct tr_call *call, struct tr_json value,
                         struct tr_err *err)
{
    call = tr_call_root(call);
    if (call->journal.count == TR_LIMIT_JOURNAL)
        return tr_fail(err, TR_E_LIMIT,
                       "more than %d calls of now, random, fetch and invoke",
                       TR_LIMIT_JOURNAL);
    if (!tr_vec_push(call->arena, &call->journal, value))
        return tr_fail(err, TR_E_NOMEM, "no memory for the call's journal");
    return TR_OK;
}

/* The names of new nodes. --------------------------------------------------*/

bool tr_call_names(struct tr_arena *arena, const struct tr_graph_kg *kg,
                   struct tr_json *out)
{
    char text[64];
    tr_str kept;
    int len = snprintf(
        text, sizeof(text), "%llx %llx %llx", (unsigned long long)kg->seed,
        (unsigned long long)kg->now_ms, (unsigned long long)kg->named);
    if (!tr_arena_copy(arena, (tr_str){text, (size_t)len}, &kept))
        return false;
    *out = tr_json_make_text(TR_JSON_STRING, kept);
    return true;
}

/* The text is not checked: the journal was sealed by us. */
void tr_call_take_names(struct tr_graph_kg *kg, const struct tr_json *names)
{
    char text[64];
    char *at = text;
    (void)snprintf(text, sizeof(text), "%.*s", TR_FMT(tr_json_text(names)));
    kg->seed = strtoull(at, &at, 16) | 1;
    kg->now_ms = strtoull(at, &at, 16);
    kg->named = strtoull(at, &at, 16);
}

/* {"kg": names} */
static tr_status record(struct tr_call *call, const struct tr_graph_kg *drawn,
                        struct tr_err *err)
{
    struct tr_json entry;
    struct tr_json_member member = {
        .key = tr_json_make_text(TR_JSON_STRING, TR_STR("kg"))};
    if (!tr_call_names(call->arena, drawn, &member.value) ||
        !tr_json_make_object(call->arena, &member, 1, &entry))
        return tr_fail(err, TR_E_NOMEM, "no memory for the call's journal");
    return tr_call_record(call, entry, err);
}

tr_status tr_call_fix_names(struct tr_call *call, struct tr_graph_kg *kg,
                            struct tr_err *err)
{
    struct tr_graph_kg drawn = {.now_ms = kg->now_ms};
    if (kg->seed)
        return TR_OK;
    const struct tr_json *entry = tr_call_replayed(call);
    const struct tr_json *names = tr_json_find(entry, TR_STR("kg"));
    if (entry && !names)
        return tr_fail(err, TR_E_INTERNAL,
                       "the handler took another way than before its question");
    if (names) {
        tr_call_take_names(kg, names);
        return TR_OK;
    }
    TR_TRY(tr_crypto_random_bytes(&drawn.seed, sizeof(drawn.seed), err));
    drawn.seed |= 1;
    TR_TRY(record(call, &drawn, err));
    kg->seed = drawn.seed;
    return TR_OK;
}
