/*
 * Stored nodes that do not fit their type as it is declared now: somebody has
 * made the type stricter since, or has imported them. They are shown as they
 * are (decision 0023).
 */
#include "base/limits.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "fields/check.h"
#include "fields/value.h"
#include "json/build.h"
#include "json/writer.h"
#include "query/node.h"
#include "runtime/env.h"
#include "runtime/outcome.h"

/* Nodes as the graph has them; they may be older than their type. */
struct stored {
    const struct tr_shape *shape; /* of their type, as it is seen */
    const struct tr_json *nodes;
    size_t count;
    const struct tr_json *asked; /* the names of the fields that the nodes are
                                    to have; NULL: all */
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for an answer");
}

/* The nodes of a value: itself, or the items of a page. */
static const struct tr_json *
nodes_of(const struct tr_cap *cap, const struct tr_json *value, size_t *count)
{
    const struct tr_json *items =
        cap->output_is_page ? tr_json_find(value, TR_STR("items")) : NULL;
    *count = cap->output_is_page ? 0 : 1;
    if (!tr_json_is(items, TR_JSON_ARRAY))
        return value;
    *count = items->len;
    return items->as.items;
}

/* What clients are told. ---------------------------------------------------*/

/* What is written of the nodes that do not fit; bounded by the number of
 * errors. */
struct telling {
    const struct tr_call *call;
    const struct tr_json *asked;
    struct tr_json_writer w;
    struct tr_buf text;
    size_t count; /* errors so far */
};

static bool is_asked(const struct telling *t, tr_str field)
{
    for (size_t i = 0; t->asked && i < t->asked->len; i++) {
        if (tr_str_eq(tr_json_text(&t->asked->as.items[i]), field))
            return true;
    }
    return !t->asked;
}

/* A node that has another type too may be shown with the fields of that. */
static bool is_told(const struct telling *t, const struct tr_field_error *error)
{
    return t->count < TR_LIMIT_FIELD_ERRORS && is_asked(t, error->field) &&
           !tr_str_eq(error->code, TR_STR("unknown_field"));
}

static void tell_node(struct telling *t, const struct tr_json *node,
                      const struct tr_field_errors *errors)
{
    bool is_open = false;
    for (size_t i = 0; i < errors->count; i++) {
        if (!is_told(t, &errors->items[i]))
            continue;
        if (t->count++ == 0)
            tr_jw_open(&t->w, '[');
        if (!is_open) {
            tr_jw_open(&t->w, '{');
            tr_jw_put_string(&t->w, "id",
                             tr_json_text(tr_json_find(node, TR_STR("id"))));
            tr_jw_key(&t->w, "fields");
            tr_jw_open(&t->w, '[');
        }
        is_open = true;
        tr_field_error_write(&t->w, &errors->items[i]);
    }
    if (is_open) {
        tr_jw_close(&t->w, ']');
        tr_jw_close(&t->w, '}');
    }
}

static tr_status tell_all(struct telling *t, const struct stored *stored,
                          struct tr_err *err)
{
    for (size_t i = 0; i < stored->count; i++) {
        struct tr_shape_checked checked;
        tr_status status = tr_shape_check(stored->shape, &stored->nodes[i],
                                          t->call->arena, &checked, err);
        if (status == TR_E_VALIDATION)
            tell_node(t, &stored->nodes[i], &checked.errors);
        else if (status != TR_OK)
            return status;
    }
    return TR_OK;
}

/* The shape with the fields alone that were asked for: the nodes have no others
 * to speak of. Nor is told what is no field. */
static tr_status narrow(const struct tr_call *call, const struct stored *stored,
                        struct tr_shape *out, struct tr_err *err)
{
    const struct telling t = {.asked = stored->asked};
    const struct tr_shape *all = stored->shape;
    *out = *all;
    out->open = true;
    if (!stored->asked)
        return TR_OK;
    struct tr_field *fields =
        TR_NEW_ARRAY(call->arena, struct tr_field, all->count);
    uint32_t *sorted = TR_NEW_ARRAY(call->arena, uint32_t, all->count);
    uint32_t *places = TR_NEW_ARRAY(call->arena, uint32_t, all->count);
    if (!fields || !sorted || !places)
        return fail_memory(err);
    out->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        places[i] = (uint32_t)out->count;
        if (is_asked(&t, all->fields[i].name))
            fields[out->count++] = all->fields[i];
    }
    for (size_t i = 0, count = 0; i < all->count; i++) {
        if (is_asked(&t, all->fields[all->sorted[i]].name))
            sorted[count++] = places[all->sorted[i]];
    }
    out->fields = fields;
    out->sorted = sorted;
    return TR_OK;
}

/* Makes the list of them; NULL when all fit. */
static tr_status list_unfit(const struct tr_call *call,
                            const struct stored *stored,
                            const struct tr_json **out, struct tr_err *err)
{
    struct telling t = {.call = call, .asked = stored->asked};
    struct stored narrowed = *stored;
    struct tr_shape shape;
    *out = NULL;
    TR_TRY(narrow(call, stored, &shape, err));
    narrowed.shape = &shape;
    tr_buf_init(&t.text, TR_LIMIT_MESSAGE);
    tr_jw_init(&t.w, &t.text);
    tr_status status = tell_all(&t, &narrowed, err);
    if (status != TR_OK || t.count == 0) {
        tr_buf_done(&t.text);
        return status;
    }
    tr_jw_close(&t.w, ']');
    *out = tr_call_tree(call, &t.w, &t.text);
    return *out ? TR_OK : fail_memory(err);
}

tr_status tr_call_list_unfit(const struct tr_call *call,
                             const struct tr_shape *shape,
                             const struct tr_json *node,
                             const struct tr_json **out, struct tr_err *err)
{
    struct stored stored = {.shape = shape, .nodes = node, .count = 1};
    return list_unfit(call, &stored, out, err);
}

/* Whose fault it is. -------------------------------------------------------*/

static tr_status read_stored(struct tr_call *call, tr_str iri,
                             struct tr_json *out, bool *found)
{
    const enum tr_scope scope = call->cap->guard.scope;
    const struct tr_model_face *face =
        tr_model_face_for(tr_cap_snapshot_model(call->snapshot),
                          scope ? scope : TR_SCOPE_RUNTIME);
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_call_enter(call, face, &kg, &ctx, NULL));
    tr_status status = tr_query_node_read(&ctx, iri, out, found, NULL);
    tr_graph_kg_leave(kg);
    return status;
}

bool tr_call_is_stored(struct tr_call *call, const struct tr_json *value,
                       const struct tr_field_errors *errors)
{
    tr_str iri = tr_json_text(tr_json_find(value, TR_STR("id")));
    struct tr_json stored;
    bool found = false;
    if (!call->cap->stored_shape || !iri.len ||
        read_stored(call, iri, &stored, &found) != TR_OK || !found)
        return false;
    for (size_t i = 0; i < errors->count; i++) {
        const struct tr_json *ours =
            tr_json_find(value, errors->items[i].field);
        const struct tr_json *its =
            tr_json_find(&stored, errors->items[i].field);
        if (!ours != !its || (ours && !tr_field_value_eq(ours, its)))
            return false;
    }
    return !errors->more;
}

/* What clients compare with the schema. ------------------------------------*/

/* A list of which a part is left out would look whole, so a field is there or
 * not. */
static bool has_its_kind(const struct tr_call *call,
                         const struct tr_json_member *member)
{
    struct tr_field_errors errors = {0};
    const struct tr_field *field =
        tr_shape_find(call->cap->stored_shape, tr_json_text(&member->key));
    return !field || tr_field_check(field, &member->value, call->arena, &errors,
                                    NULL) == TR_OK;
}

static bool prune(const struct tr_call *call, const struct tr_json *node,
                  struct tr_json *out)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, node->len);
    size_t count = 0;
    if (!members)
        return false;
    for (size_t i = 0; i < node->len; i++) {
        if (has_its_kind(call, &node->as.members[i]))
            members[count++] = node->as.members[i];
    }
    return tr_json_make_object(call->arena, members, count, out);
}

/* The page with other items. */
static const struct tr_json *page_of(const struct tr_call *call,
                                     const struct tr_json *page,
                                     struct tr_json *items, size_t count)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, page->len);
    if (!members)
        return NULL;
    for (size_t i = 0; i < page->len; i++) {
        members[i] = page->as.members[i];
        if (tr_str_eq(tr_json_text(&members[i].key), TR_STR("items")) &&
            !tr_json_make_array(call->arena, items, count, &members[i].value))
            return NULL;
    }
    return tr_call_object(call, members, page->len);
}

const struct tr_json *tr_call_structured(const struct tr_call *call,
                                         const struct tr_json *value)
{
    size_t count;
    if (!call->cap || !call->cap->stored_shape || !value)
        return NULL;
    const struct tr_json *nodes = nodes_of(call->cap, value, &count);
    struct tr_json *pruned = TR_NEW_ARRAY(call->arena, struct tr_json, count);
    for (size_t i = 0; i < count; i++) {
        if (!pruned || nodes[i].kind != TR_JSON_OBJECT ||
            !prune(call, &nodes[i], &pruned[i]))
            return NULL;
    }
    return call->cap->output_is_page ? page_of(call, value, pruned, count)
                                     : pruned;
}

tr_status tr_call_outcome_show_stored(const struct tr_call *call,
                                      struct tr_call_outcome *outcome,
                                      const struct tr_json *asked,
                                      struct tr_err *err)
{
    const struct tr_json *list = NULL;
    struct stored stored = {.asked = asked};
    struct tr_json_member unfit = {
        .key = tr_json_make_text(TR_JSON_STRING, TR_STR(TR_CALL_META_UNFIT))};
    if (!call->cap || !call->cap->stored_shape)
        return TR_OK;
    stored.shape = call->cap->output_shape;
    stored.nodes = nodes_of(call->cap, outcome->value, &stored.count);
    TR_TRY(list_unfit(call, &stored, &list, err));
    if (!list)
        return TR_OK;
    outcome->structured = tr_call_structured(call, outcome->value);
    if (!outcome->structured)
        return fail_memory(err);
    unfit.value = *list;
    outcome->meta = tr_call_add_meta(call, outcome->meta, &unfit, 1);
    return TR_OK;
}
