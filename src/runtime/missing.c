/*
 * What is said of an instance that is not there: which one may have been meant,
 * and what lists them. All of it is a favour: what cannot be read is not said.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/text.h"
#include "cap/cap.h"
#include "cap/snapshot.h"
#include "model/uri.h"
#include "query/named.h"
#include "query/query.h"
#include "runtime/env.h"
#include "runtime/names.h"
#include "runtime/outcome.h"
#include "runtime/stage.h"

/* So few that all of them can be told, while that takes few bytes: what lists
 * them comes behind. Not every host can read a resource: where no tool lists
 * them, more are told, in more bytes. */
#define FEW    5
#define ENOUGH 64
#define MANY   10
#define MORE   240

/* Those that may have been meant. */
struct guess {
    const struct tr_call *call;
    const struct tr_graph_read_ctx *ctx;
    const struct tr_model_type *type;
    const struct tr_field *key; /* by which they can be named, or NULL */
    tr_str typed;               /* the end of an id, or a key */
    struct tr_nearest nearest;
    struct tr_json found[MANY]; /* as tr_query_page_brief has them */
    size_t count;
    bool is_all;          /* there are no others */
    struct tr_json first; /* the first of the type, when these are not all */
    tr_str lister;        /* what lists them for the caller, or "" */
    bool has_tool;        /* that is a tool */
};

static bool is_same(const struct tr_json *a, const struct tr_json *b)
{
    return tr_str_eq(tr_json_text(tr_json_find(a, TR_STR("id"))),
                     tr_json_text(tr_json_find(b, TR_STR("id"))));
}

static void keep(struct guess *g, const struct tr_json *node)
{
    for (size_t i = 0; i < g->count; i++) {
        if (is_same(&g->found[i], node))
            return;
    }
    if (g->count < TR_LEN(g->found))
        g->found[g->count++] = *node;
}

static tr_str lower(const struct guess *g, tr_str text)
{
    char *copy = tr_arena_alloc(g->ctx->arena, text.len + 1);
    for (size_t i = 0; copy && i < text.len; i++)
        copy[i] = tr_ascii_to_lower(text.ptr[i]);
    return copy ? (tr_str){copy, text.len} : text;
}

static tr_str end_of(const struct guess *g, const struct tr_json *node)
{
    return tr_model_short_id(g->ctx->model, g->type,
                             tr_json_text(tr_json_find(node, TR_STR("id"))));
}

/* The key of a node; empty when it has none. */
static tr_str key_of(const struct guess *g, const struct tr_json *node)
{
    tr_str iri = tr_json_text(tr_json_find(node, TR_STR("id")));
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_str key = {0};
    if (!g->key || tr_graph_node_find(g->ctx, iri, &id, NULL) != TR_OK ||
        tr_query_named_key(g->ctx, g->key, id, &key, NULL) != TR_OK)
        return TR_STR("");
    return key;
}

/* The nearest so far is the first that was found. */
static void compare(struct guess *g, const struct tr_json *nodes)
{
    for (size_t i = 0; i < nodes->len; i++) {
        const struct tr_json *node = &nodes->as.items[i];
        size_t before = g->nearest.distance;
        tr_nearest_offer(&g->nearest, lower(g, end_of(g, node)));
        tr_nearest_offer(
            &g->nearest,
            lower(g, tr_json_text(tr_json_find(node, TR_STR("label")))));
        tr_nearest_offer(&g->nearest, lower(g, key_of(g, node)));
        if (g->nearest.distance < before)
            g->found[0] = *node;
    }
    g->count = g->nearest.best.len > 0;
}

static void look_at_first(struct guess *g)
{
    const struct tr_query query = {
        .type = g->type, .limit = TR_LIMIT_NEAR, .max_work = TR_LIMIT_NEAR};
    struct tr_query_page page = {0};
    struct tr_json nodes = {0};
    if (tr_query_where(g->ctx, &query, &page, NULL) != TR_OK ||
        tr_query_page_brief(g->ctx, &page, &nodes, NULL) != TR_OK)
        return;
    g->is_all =
        !page.next.len && nodes.len <= (uint32_t)(g->has_tool ? FEW : MANY);
    if (!g->is_all) {
        g->first = nodes;
        compare(g, &nodes);
    }
    for (size_t i = 0; g->is_all && i < nodes.len; i++)
        keep(g, &nodes.as.items[i]);
}

/* In a large type the one that was meant is seldom among the first, but nobody
 * mistypes the beginning of a name and its end. */
static void look_at_alike(struct guess *g, size_t len)
{
    struct tr_query_page page = {0};
    struct tr_json nodes = {0};
    tr_str begins = tr_utf8_cut(g->typed, len);
    tr_str iris[2];
    bool more;
    if (!len || !tr_model_kg_uri_iris(g->ctx->arena, g->type, begins,
                                      g->ctx->model, iris))
        return;
    const struct tr_query_prefix prefix = {.type = g->type,
                                           .text = g->key ? begins : iris[0],
                                           .limit = TR_LIMIT_NEAR,
                                           .key = g->key};
    if (tr_query_prefix_find(g->ctx, &prefix, &page, &more, NULL) == TR_OK &&
        tr_query_page_brief(g->ctx, &page, &nodes, NULL) == TR_OK)
        compare(g, &nodes);
}

/* The index also has the words of hidden fields: whoever does not see all is
 * told what its label shows. */
static bool may_tell(const struct guess *g, const struct tr_json *node)
{
    tr_str label = lower(g, tr_json_text(tr_json_find(node, TR_STR("label"))));
    tr_str typed = lower(g, g->typed);
    return !g->ctx->face ||
           (label.len && typed.len &&
            memmem(label.ptr, label.len, typed.ptr, typed.len));
}

static void look_at_words(struct guess *g)
{
    const struct tr_query_search search = {.text = g->typed,
                                           .type = g->type,
                                           .limit = TR_LIMIT_NEAR_SHOWN,
                                           .max_work = TR_LIMIT_NEAR};
    struct tr_query_page page = {0};
    struct tr_json nodes = {0};
    bool more;
    if (tr_query_search(g->ctx, &search, &page, &more, NULL) != TR_OK ||
        tr_query_page_brief(g->ctx, &page, &nodes, NULL) != TR_OK)
        return;
    for (size_t i = 0; i < nodes.len && g->count < TR_LIMIT_NEAR_SHOWN; i++) {
        if (may_tell(g, &nodes.as.items[i]))
            keep(g, &nodes.as.items[i]);
    }
}

/* Who may not read the type is told nothing of its instances; what policies
 * say is not known here. */
static bool may_look(const struct guess *g)
{
    const struct tr_cap_guard *guard =
        tr_cap_snapshot_shape_guard(g->call->snapshot, g->type->name);
    return tr_cap_guard_is_shown(guard, tr_call_scopes(g->call)) &&
           !guard->policy_required.count;
}

/* "DOCK-bus (Station bus)": what can be given, and what it is called. */
static void put_node(const struct guess *g, const struct tr_json *node,
                     bool has_label, struct tr_buf *out)
{
    tr_str key = key_of(g, node);
    tr_str id =
        tr_utf8_cut(key.len ? key : end_of(g, node), TR_LIMIT_SHOWN_NAME);
    tr_str label =
        tr_utf8_cut(tr_json_text(tr_json_find(node, TR_STR("label"))),
                    TR_LIMIT_SHOWN_NAME / 2);
    tr_field_message_put(out, id);
    if (!has_label || !label.len || tr_str_eq(id, label))
        return;
    tr_field_message_put(out, TR_STR(" ("));
    tr_field_message_put(out, label);
    tr_field_message_put(out, TR_STR(")"));
}

/* Those that are so many have no labels. */
static void put_nodes(const struct guess *g, const struct tr_json *nodes,
                      size_t count, struct tr_buf *out)
{
    size_t before = out->len;
    for (size_t i = 0; i < count; i++) {
        if (i == MANY || out->len > before + (g->has_tool ? ENOUGH : MORE)) {
            tr_field_message_put(out, TR_STR(", ..."));
            break;
        }
        tr_field_message_put(out, i ? TR_STR(", ") : TR_STR(""));
        put_node(g, &nodes[i], count <= FEW, out);
    }
}

static void put_guess(const struct guess *g, struct tr_buf *out)
{
    if (g->count)
        tr_field_message_put(out, g->is_all ? TR_STR("; known: ")
                                            : TR_STR("; did you mean "));
    put_nodes(g, g->found, g->count, out);
    if (g->count && !g->is_all)
        tr_field_message_put(out, TR_STR("?"));
    if (g->has_tool || !g->first.len)
        return;
    tr_field_message_put(out,
                         g->count ? TR_STR(" known: ") : TR_STR("; known: "));
    put_nodes(g, g->first.as.items, g->first.len, out);
}

static void put_lister(const struct guess *g, struct tr_buf *out)
{
    bool is_asked = g->count && !g->is_all && (g->has_tool || !g->first.len);
    if (!g->lister.len)
        return;
    tr_field_message_put(out, is_asked ? TR_STR(" ") : TR_STR("; "));
    tr_field_message_put(out, g->lister);
    tr_field_message_put(out, TR_STR(" lists them"));
}

/* What is written to `lister` lives as long as that. */
static void find_lister(struct guess *g, struct tr_buf *lister)
{
    if (!tr_cap_snapshot_put_lister(g->call->snapshot, g->type->name,
                                    tr_call_scopes(g->call), lister) ||
        lister->failed != TR_OK)
        return;
    g->lister = tr_buf_str(lister);
    g->has_tool = !tr_str_starts(g->lister, TR_STR("trails:"));
}

/* Those that were found are the nearest, or all. */
static void look(struct guess *g)
{
    tr_nearest_init(&g->nearest, lower(g, g->typed));
    if (!may_look(g))
        return;
    look_at_first(g);
    if (g->is_all)
        return;
    look_at_alike(g, g->typed.len - g->typed.len / 4);
    look_at_alike(g, g->typed.len / 2);
    look_at_words(g);
}

void tr_call_put_missing(const struct tr_call *call,
                         const struct tr_graph_read_ctx *ctx,
                         const struct tr_model_type *type,
                         const struct tr_field *key, tr_str given,
                         struct tr_buf *out)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct guess g = {.call = call, .ctx = ctx, .type = type, .key = key};
    struct tr_buf lister;
    g.typed = tr_utf8_cut(tr_model_short_id(ctx->model, type, given),
                          TR_LIMIT_SHOWN_NAME);
    tr_field_message_put(out, TR_STR("there is no "));
    tr_field_message_put(out, type->name);
    tr_field_message_put(out, TR_STR(" "));
    tr_field_message_put(out, g.typed);
    tr_buf_init_fixed(&lister, text, sizeof(text));
    find_lister(&g, &lister);
    look(&g);
    put_guess(&g, out);
    put_lister(&g, out);
}

tr_status tr_call_fail_missing(struct tr_call *call,
                               const struct tr_model_type *type, tr_str given,
                               struct tr_err *err)
{
    char text[sizeof(err->msg)];
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    struct tr_buf message;
    tr_buf_init_fixed(&message, text, sizeof(text));
    TR_TRY(tr_call_enter(call, tr_call_face(call), &kg, &ctx, err));
    tr_call_put_missing(call, &ctx, type, NULL, given, &message);
    tr_graph_kg_leave(kg);
    return tr_fail(err, TR_E_NOT_FOUND, "%.*s", TR_FMT(tr_buf_str(&message)));
}

/* The type that a node has for the caller; NULL: it is not seen. */
static const struct tr_model_type *type_of(const struct tr_graph_read_ctx *ctx,
                                           tr_str iri)
{
    const struct tr_model_type *type = NULL;
    tr_rdf_id id = TR_RDF_ID_NONE;
    if (tr_graph_node_find(ctx, iri, &id, NULL) != TR_OK ||
        id == TR_RDF_ID_NONE ||
        tr_graph_node_type(ctx, id, &type, NULL) != TR_OK)
        return NULL;
    return type;
}

/* The tool that finds it, or its own resource. */
static void put_reader(const struct tr_call *call,
                       const struct tr_graph_read_ctx *ctx, tr_str iri,
                       struct tr_buf *out)
{
    const struct tr_model_type *type = type_of(ctx, iri);
    size_t before = out->len;
    tr_buf_put(out, TR_STR(" with "));
    size_t name = out->len;
    if (!type || !tr_cap_snapshot_put_lister(call->snapshot, type->name,
                                             tr_call_scopes(call), out)) {
        out->len = before;
    } else if (tr_str_starts(tr_str_skip(tr_buf_str(out), name),
                             TR_STR("trails:"))) {
        out->len = before;
        tr_buf_put(out, TR_STR(" as "));
        tr_model_kg_uri_write(out, type, iri, ctx->model);
    }
}

void tr_call_say_read_again(struct tr_call *call, struct tr_err *err)
{
    char text[sizeof(err->msg)];
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    struct tr_buf from;
    if (!err || err->code != TR_E_CONFLICT || !call->snapshot ||
        !strstr(err->msg, TR_GRAPH_READ_AGAIN) ||
        tr_call_enter(call, tr_call_face(call), &kg, &ctx, NULL) != TR_OK)
        return;
    tr_buf_init_fixed(&from, text, sizeof(text));
    put_reader(call, &ctx, tr_str_from(err->at), &from);
    tr_graph_kg_leave(kg);
    size_t len = strlen(err->msg);
    if (from.failed == TR_OK && len + from.len < sizeof(err->msg))
        (void)snprintf(err->msg + len, sizeof(err->msg) - len, "%.*s",
                       TR_FMT(tr_buf_str(&from)));
}
