/*
 * The stage that decides the preconditions of a capability, about nodes as the
 * call sees them now. What it then writes lands only if those nodes are still
 * what they were, so nothing can come in between.
 *
 * Who is refused is told {"precondition": as it was written, "value": the node
 * it is about, "found": its state}.
 */
#include "cap/cap.h"
#include "fields/error.h"
#include "fields/field.h"
#include "json/build.h"
#include "query/named.h"
#include "query/node.h"
#include "runtime/env.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

/* One condition of a call, while it is decided. */
struct decision {
    struct tr_call *call;
    const struct tr_cap_condition *condition;
    const struct tr_cap_precondition *written;
    struct tr_graph_kg *kg;
    struct tr_graph_read_ctx ctx;
    struct tr_call_outcome *refusal;
};

static struct tr_json text(tr_str value)
{
    return tr_json_make_text(TR_JSON_STRING, value);
}

/* {"kind": ..., the parameters} */
static bool make_written(const struct decision *d, struct tr_json *out)
{
    const struct tr_json *params = d->written->params;
    struct tr_json_member *members = TR_NEW_ARRAY(
        d->call->arena, struct tr_json_member, (size_t)params->len + 1);
    if (!members)
        return false;
    members[0] =
        (struct tr_json_member){text(TR_STR("kind")), text(d->written->kind)};
    memcpy(members + 1, params->as.members, params->len * sizeof(*members));
    return tr_json_make_object(d->call->arena, members, (size_t)params->len + 1,
                               out);
}

/* Without memory the refusal has no data. */
static void add_data(const struct decision *d, const struct tr_json *node,
                     const struct tr_json *found)
{
    struct tr_json_member members[3];
    size_t count = 0;
    struct tr_json written;
    if (!make_written(d, &written))
        return;
    members[count++] =
        (struct tr_json_member){text(TR_STR("precondition")), written};
    members[count++] = (struct tr_json_member){text(TR_STR("value")), *node};
    if (found)
        members[count++] =
            (struct tr_json_member){text(TR_STR("found")), *found};
    d->refusal->data = tr_call_object(d->call, members, count);
}

static tr_status refuse_hidden(const struct decision *d)
{
    return tr_fail(&d->refusal->err, TR_E_PRECONDITION,
                   "precondition not met: " TR_FIELD_HIDDEN);
}

static tr_status refuse_absent(const struct decision *d,
                               const struct tr_json *node)
{
    const struct tr_cap_condition *condition = d->condition;
    if (tr_call_hides(d->call, condition->type, NULL))
        return refuse_hidden(d);
    add_data(d, node, NULL);
    return tr_fail(&d->refusal->err, TR_E_PRECONDITION,
                   "precondition not met: %.*s is no %.*s that is there",
                   TR_FMT(condition->arg), TR_FMT(condition->type->name));
}

static tr_status refuse_state(const struct decision *d,
                              const struct tr_json *node,
                              const struct tr_json *found)
{
    const struct tr_cap_condition *condition = d->condition;
    if (tr_call_hides(d->call, condition->type, condition->field))
        return refuse_hidden(d);
    add_data(d, node, found);
    return tr_fail(&d->refusal->err, TR_E_PRECONDITION,
                   "precondition not met: %.*s of %.*s has none of the values "
                   "that it must have",
                   TR_FMT(condition->field->name), TR_FMT(condition->arg));
}

static bool is_same(const struct tr_json *a, const struct tr_json *b)
{
    double left;
    double right;
    if (a->kind != b->kind)
        return false;
    if (a->kind == TR_JSON_NUMBER)
        return tr_str_eq(tr_json_text(a), tr_json_text(b)) ||
               (tr_json_double(a, &left) && tr_json_double(b, &right) &&
                left == right);
    return a->kind == TR_JSON_BOOL
               ? (a->flags & TR_JSON_TRUE) == (b->flags & TR_JSON_TRUE)
               : tr_str_eq(tr_json_text(a), tr_json_text(b));
}

static bool is_one_of(const struct tr_json *list, const struct tr_json *value)
{
    for (size_t i = 0; value && i < list->len; i++) {
        if (is_same(&list->as.items[i], value))
            return true;
    }
    return false;
}

/*
 * Has the write fail if the node has changed by then. A node that the call has
 * changed itself is left out: its own change would be the reason.
 */
static tr_status expect(const struct decision *d, tr_rdf_id id, tr_str iri)
{
    struct tr_err *err = &d->refusal->err;
    struct tr_graph_changeset *changes = &d->kg->changes;
    int64_t version = 0;
    if (tr_graph_read_ctx_touches(&d->ctx, id))
        return TR_OK;
    if (d->condition->kind == TR_CAP_NEEDS_NODE)
        return tr_graph_changeset_expect(changes, TR_GRAPH_EXPECT_PRESENT, iri,
                                         0, err);
    TR_TRY(tr_graph_node_version(&d->ctx, id, &version, err));
    return tr_graph_changeset_expect(changes, TR_GRAPH_EXPECT_VERSION, iri,
                                     version, err);
}

static tr_status check_state(const struct decision *d, tr_rdf_id id,
                             const struct tr_json *value)
{
    struct tr_json node = {0};
    bool found = false;
    TR_TRY(tr_query_node_read_id(&d->ctx, id, &node, &found, &d->refusal->err));
    const struct tr_json *state =
        found ? tr_json_find(&node, d->condition->field->name) : NULL;
    return is_one_of(d->condition->one_of, state)
               ? TR_OK
               : refuse_state(d, value, state);
}

static tr_status check_node(const struct decision *d,
                            const struct tr_json *value)
{
    struct tr_query_named node = {0};
    if (value->kind == TR_JSON_STRING)
        TR_TRY(tr_query_named_find(&d->ctx, d->condition->type,
                                   tr_json_text(value), &node,
                                   &d->refusal->err));
    if (node.id == TR_RDF_ID_NONE)
        return refuse_absent(d, value);
    tr_graph_kg_note_used(d->kg, node.id);
    if (d->condition->kind == TR_CAP_NEEDS_STATE)
        TR_TRY(check_state(d, node.id, value));
    return expect(d, node.id, node.iri);
}

/* An argument that is absent names no node. */
static tr_status check_nodes(struct decision *d)
{
    const struct tr_json *value =
        tr_json_find(d->call->args, d->condition->arg);
    if (!value || value->kind == TR_JSON_NULL)
        return TR_OK;
    TR_TRY(tr_call_kg(d->call, &d->kg, &d->refusal->err));
    TR_TRY(tr_graph_kg_enter(d->kg, &d->ctx, &d->refusal->err));
    tr_status status = TR_OK;
    if (value->kind != TR_JSON_ARRAY)
        status = check_node(d, value);
    for (size_t i = 0;
         value->kind == TR_JSON_ARRAY && status == TR_OK && i < value->len; i++)
        status = check_node(d, &value->as.items[i]);
    tr_graph_kg_leave(d->kg);
    return status;
}

enum tr_call_passage
tr_call_stage_preconditions(struct tr_call *call,
                            struct tr_call_outcome *refusal)
{
    const struct tr_cap *cap = call->cap;
    tr_status status = TR_OK;
    for (size_t i = 0; status == TR_OK && i < cap->precondition_count; i++) {
        struct decision d = {.call = call,
                             .condition = &cap->conditions[i],
                             .written = &cap->preconditions[i],
                             .refusal = refusal};
        if (d.condition->kind != TR_CAP_NEEDS_SCOPE && /* the guard has those */
            d.condition->kind != TR_CAP_NEEDS_NOTHING)
            status = check_nodes(&d);
    }
    refusal->status = status;
    return status == TR_OK ? TR_CALL_PASSED : TR_CALL_REFUSED;
}
