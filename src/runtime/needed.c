/*
 * What a landing has refused, told in terms of nodes. The writer says that a
 * value must be an instance of a class; what that means to the caller is that
 * it is not there, or that it cannot be deleted.
 */
#include "base/limits.h"
#include "base/text.h"
#include "cap/snapshot.h"
#include "graph/node.h"
#include "json/build.h"
#include "model/uri.h"
#include "runtime/env.h"
#include "runtime/names.h"
#include "runtime/outcome.h"

#define REFUSED " must be an instance of "

/* A refusal that is told again. */
struct telling {
    struct tr_call *call;
    struct tr_graph_kg *kg;
    struct tr_graph_read_ctx ctx; /* as the caller sees it */
    const struct tr_json *fields;
    size_t guesses; /* of what was meant; they cost reads */
};

static tr_str text_of(const struct tr_json *item, const char *key)
{
    const struct tr_json *value = tr_json_find(item, tr_str_from(key));
    return tr_json_is(value, TR_JSON_STRING) ? tr_json_text(value) : TR_STR("");
}

/* The type that a value should have had; NULL: it was refused for another
 * reason, or the author of the shape has said why. */
static const struct tr_model_type *wanted_type(const struct telling *t,
                                               const struct tr_json *item)
{
    tr_str message =
        tr_str_skip(text_of(item, "message"), text_of(item, "field").len);
    if (!tr_str_eq(text_of(item, "code"), TR_STR("class")) ||
        !tr_str_starts(message, TR_STR(REFUSED)))
        return NULL;
    return tr_model_find_iri(t->ctx.model, text_of(item, "constraint"));
}

static bool is_deleted(const struct telling *t, tr_str iri)
{
    const struct tr_graph_changeset *changes = &t->kg->changes;
    for (size_t i = 0; i < changes->ops.count; i++) {
        const struct tr_graph_op *op = &changes->ops.items[i];
        if (op->kind == TR_GRAPH_OP_CLEAR_NODE &&
            tr_str_eq(op->quad.subject.text, iri))
            return true;
    }
    return false;
}

static bool is_needed(const struct telling *t, const struct tr_json *item)
{
    return wanted_type(t, item) && is_deleted(t, text_of(item, "value"));
}

/* A node that needs another. */
struct needing {
    tr_str type;
    tr_str name; /* its label, or the end of its id where people chose that */
    tr_str field;
};

static struct needing needing_of(const struct telling *t,
                                 const struct tr_json *item)
{
    const struct tr_model_type *type = NULL;
    tr_str iri = text_of(item, "node");
    struct needing out = {.field = text_of(item, "field")};
    tr_rdf_id id = TR_RDF_ID_NONE;
    if (tr_graph_node_find(&t->ctx, iri, &id, NULL) == TR_OK &&
        id != TR_RDF_ID_NONE &&
        tr_graph_node_type(&t->ctx, id, &type, NULL) == TR_OK && type) {
        out.type = type->name;
        if (type->strategy != TR_MODEL_IRI_PRESERVE &&
            tr_graph_node_label(&t->ctx, id, &out.name, NULL) != TR_OK)
            out.name = TR_STR("");
    }
    if (!out.name.len)
        out.name = tr_model_short_id(t->ctx.model, NULL, iri);
    out.name = tr_utf8_cut(out.name, TR_LIMIT_SHOWN_NAME);
    return out;
}

static int by_name(const void *a, const void *b)
{
    const struct needing *x = a;
    const struct needing *y = b;
    int order = tr_str_cmp(x->type, y->type);
    if (order == 0)
        order = tr_str_cmp(x->field, y->field);
    return order ? order : tr_str_cmp(x->name, y->name);
}

static bool is_alike(const struct needing *a, const struct needing *b)
{
    return tr_str_eq(a->type, b->type) && tr_str_eq(a->field, b->field);
}

/* Those that need a node, in order; at most as many as there are errors. */
static size_t find_needing(const struct telling *t, tr_str iri,
                           struct needing *list)
{
    size_t count = 0;
    for (size_t i = 0; i < t->fields->len && i < TR_LIMIT_FIELD_ERRORS; i++) {
        const struct tr_json *item = &t->fields->as.items[i];
        if (is_needed(t, item) && tr_str_eq(text_of(item, "value"), iri))
            list[count++] = needing_of(t, item);
    }
    qsort(list, count, sizeof(*list), by_name);
    return count;
}

static void put_type(struct tr_buf *out, tr_str type)
{
    tr_field_message_put(out, type);
    tr_field_message_put(out, type.len ? TR_STR(" ") : TR_STR(""));
}

static void put_short(const struct telling *t, struct tr_buf *out, tr_str iri)
{
    tr_field_message_put(out,
                         tr_utf8_cut(tr_model_short_id(t->ctx.model, NULL, iri),
                                     TR_LIMIT_SHOWN_NAME));
}

/* "Requirement DOCK-41, DOCK-42, ... (field components), TestCase ..." */
static void put_needing(struct tr_buf *out, const struct needing *list,
                        size_t count)
{
    size_t shown =
        count < TR_LIMIT_NEEDED_SHOWN ? count : TR_LIMIT_NEEDED_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        bool goes_on = i + 1 < shown && is_alike(&list[i], &list[i + 1]);
        if (i == 0 || !is_alike(&list[i - 1], &list[i]))
            put_type(out, list[i].type);
        tr_field_message_put(out, list[i].name);
        if (i + 1 == shown && shown < count)
            tr_field_message_put(out, TR_STR(", ..."));
        if (!goes_on) {
            tr_field_message_put(out, TR_STR(" (field "));
            tr_field_message_put(out, list[i].field);
            tr_field_message_put(out, TR_STR(")"));
        }
        tr_field_message_put(out, i + 1 < shown ? TR_STR(", ") : TR_STR(""));
    }
}

static void put_needed(const struct telling *t, tr_str iri, struct tr_buf *out)
{
    struct needing list[TR_LIMIT_FIELD_ERRORS] = {0};
    size_t count = find_needing(t, iri, list);
    tr_field_message_put(out, TR_STR("cannot delete "));
    put_short(t, out, iri);
    tr_field_message_put(out, TR_STR(": still needed by "));
    put_needing(out, list, count);
}

/* The sentence about the node that is needed; "" when that is not all that is
 * wrong. */
static tr_str say_needed(const struct telling *t)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    tr_str copy = {0};
    tr_str iri = text_of(tr_json_at(t->fields, 0), "value");
    tr_buf_init_fixed(&message, text, sizeof(text));
    for (size_t i = 0; i < t->fields->len; i++) {
        const struct tr_json *item = &t->fields->as.items[i];
        if (!is_needed(t, item) || !tr_str_eq(text_of(item, "value"), iri))
            return TR_STR("");
    }
    put_needed(t, iri, &message);
    return tr_arena_copy(t->call->arena, tr_buf_str(&message), &copy)
               ? copy
               : TR_STR("");
}

/* What is to be said of one field; "" when the writer's words will do. */
static void put_told(struct telling *t, const struct tr_json *item,
                     struct tr_buf *out)
{
    const struct tr_model_type *type = wanted_type(t, item);
    if (!type)
        return;
    if (is_needed(t, item)) {
        const struct needing who = needing_of(t, item);
        tr_field_message_put(out, who.field);
        tr_field_message_put(out, TR_STR(" of "));
        put_type(out, who.type);
        tr_field_message_put(out, who.name);
        tr_field_message_put(out, TR_STR(" still needs "));
        put_short(t, out, text_of(item, "value"));
    } else if (t->guesses++ < TR_LIMIT_NEAR_SHOWN) {
        tr_buf_putf(out, "%.*s: ", TR_FMT(text_of(item, "field")));
        tr_call_put_missing(t->call, &t->ctx, type, NULL,
                            text_of(item, "value"), out);
    }
}

static bool tell_item(struct telling *t, const struct tr_json *item,
                      struct tr_json *out)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    struct tr_json_member *members =
        TR_NEW_ARRAY(t->call->arena, struct tr_json_member, item->len);
    tr_str copy;
    *out = *item;
    tr_buf_init_fixed(&message, text, sizeof(text));
    put_told(t, item, &message);
    if (!message.len)
        return true;
    if (!members || !tr_arena_copy(t->call->arena, tr_buf_str(&message), &copy))
        return false;
    for (size_t i = 0; i < item->len; i++) {
        members[i] = item->as.members[i];
        if (tr_str_eq(tr_json_text(&members[i].key), TR_STR("message")))
            members[i].value = tr_json_make_text(TR_JSON_STRING, copy);
    }
    return tr_json_make_object(t->call->arena, members, item->len, out);
}

static const struct tr_json *tell_all(struct telling *t)
{
    struct tr_arena *arena = t->call->arena;
    struct tr_json_member fields = {
        .key = tr_json_make_text(TR_JSON_STRING, TR_STR("fields"))};
    struct tr_json *items = TR_NEW_ARRAY(arena, struct tr_json, t->fields->len);
    for (size_t i = 0; items && i < t->fields->len; i++) {
        if (!tell_item(t, &t->fields->as.items[i], &items[i]))
            return NULL;
    }
    return items && tr_json_make_array(arena, items, t->fields->len,
                                       &fields.value)
               ? tr_call_object(t->call, &fields, 1)
               : NULL;
}

const struct tr_json *tr_call_tell_landing(struct tr_call *call,
                                           const struct tr_json *data,
                                           tr_str *needed)
{
    struct telling t = {.call = call,
                        .fields = tr_json_find(data, TR_STR("fields"))};
    if (!tr_json_at(t.fields, 0) ||
        tr_call_enter(call, tr_call_face(call), &t.kg, &t.ctx, NULL) != TR_OK)
        return data;
    *needed = say_needed(&t);
    const struct tr_json *told = tell_all(&t);
    tr_graph_kg_leave(t.kg);
    return told ? told : data;
}
