/*
 * What the rounds of a call have paid, on its way from one to the next:
 *
 *     {"by": the activity of the round that wrote it,
 *      "for": [[number, id, tokens, micro_usd], ...]}
 *
 * Number 0 is the call itself, the others are what it invoked. A handler that
 * is run again invokes the same in the same order.
 */
#include "cap/cap.h"
#include "json/writer.h"
#include "runtime/budget.h"
#include "runtime/journal.h"
#include "runtime/outcome.h"

static tr_str id_of(const struct tr_call *call)
{
    return call->cap ? call->cap->id : TR_STR("");
}

tr_str tr_call_round_name(struct tr_call *call)
{
    return tr_json_text(
        tr_json_find(tr_call_root(call)->round.paid, TR_STR("by")));
}

static bool is_for(const struct tr_json *entry, const struct tr_call *call)
{
    int64_t number = -1;
    return tr_json_i64(tr_json_at(entry, 0), &number) &&
           (uint64_t)number == call->number &&
           tr_str_eq(tr_json_text(tr_json_at(entry, 1)), id_of(call));
}

bool tr_call_round_paid(struct tr_call *call, enum tr_call_claim claim,
                        struct tr_call_used *out)
{
    const struct tr_call *root = tr_call_root(call);
    const struct tr_json *list = tr_json_find(root->round.paid, TR_STR("for"));
    const struct tr_json *entry = NULL;
    *out = (struct tr_call_used){0};
    if (claim == TR_CALL_CLAIM_TAKEN)
        return false;
    for (size_t i = 0; (entry = tr_json_at(list, i)); i++) {
        if (is_for(entry, call))
            return tr_json_i64(tr_json_at(entry, 2), &out->tokens) &&
                   tr_json_i64(tr_json_at(entry, 3), &out->micro_usd);
    }
    return false;
}

struct tr_call_used tr_call_round_paid_so_far(struct tr_call *call)
{
    struct tr_call_used paid = {0};
    const struct tr_call_round *round = &tr_call_root(call)->round;
    if (round->paid)
        (void)tr_call_round_paid(call, round->claim, &paid);
    return paid;
}

/*
 * A handler that has used less than before, since the graph has changed, has
 * paid what it has paid.
 */
static struct tr_call_used at_least_paid(struct tr_call *call)
{
    struct tr_call_used used = call->used;
    struct tr_call_used paid = tr_call_round_paid_so_far(call);
    if (used.tokens < paid.tokens)
        used.tokens = paid.tokens;
    if (used.micro_usd < paid.micro_usd)
        used.micro_usd = paid.micro_usd;
    return used;
}

/* Without memory the invocation is paid again. */
void tr_call_round_keep(struct tr_call *call)
{
    struct tr_call *root = tr_call_root(call);
    const struct tr_call_charge charge = {
        .number = call->number, .id = id_of(call), .used = at_least_paid(call)};
    (void)tr_vec_push(root->arena, &root->round.charges, charge);
}

static void put_charge(struct tr_json_writer *w, uint64_t number, tr_str id,
                       struct tr_call_used used)
{
    tr_jw_open(w, '[');
    tr_jw_i64(w, (int64_t)number);
    tr_jw_string(w, id);
    tr_jw_i64(w, used.tokens);
    tr_jw_i64(w, used.micro_usd);
    tr_jw_close(w, ']');
}

static void put_charges(const struct tr_call *root, struct tr_json_writer *w)
{
    for (size_t i = 0; i < root->round.charges.count; i++) {
        const struct tr_call_charge *charge = &root->round.charges.items[i];
        put_charge(w, charge->number, charge->id, charge->used);
    }
}

void tr_call_round_put(struct tr_call *root, struct tr_json_writer *w)
{
    char name[TR_CRYPTO_UUID_TEXT];
    tr_jw_open(w, '{');
    if (root->started_ns) {
        tr_crypto_uuid_write(root->activity.id, name);
        tr_jw_put_string(w, "by", (tr_str){name, sizeof(name)});
    }
    tr_jw_key(w, "for");
    tr_jw_open(w, '[');
    put_charges(root, w);
    for (struct tr_call *call = root; call; call = call->child)
        put_charge(w, call->number, id_of(call), at_least_paid(call));
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

/*
 * Numbers begin anew, and find what the tries before have paid; what only an
 * earlier one has invoked stands behind. Nobody else can come with it.
 */
void tr_call_round_repeat(struct tr_call *root)
{
    struct tr_call_round *round = &root->round;
    const struct tr_json *before = tr_json_find(round->paid, TR_STR("for"));
    const struct tr_json *entry = NULL;
    struct tr_json_writer w;
    struct tr_buf text;
    round->invocations = 0;
    if (!round->charges.count)
        return;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "for");
    tr_jw_open(&w, '[');
    put_charges(root, &w);
    for (size_t i = 0; (entry = tr_json_at(before, i)); i++)
        tr_jw_value(&w, entry);
    tr_jw_close(&w, ']');
    tr_jw_close(&w, '}');
    round->paid = tr_call_tree(root, &w, &text);
    round->claim = TR_CALL_CLAIM_OURS;
    round->charges.count = 0;
}
