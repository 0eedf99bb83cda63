/*
 * A node and what stands around it: what it refers to, and who refers to it, so
 * many of each field at most.
 */
#include "query/node.h"

#include "base/limits.h"
#include "draw/draw.h"
#include "json/writer.h"
#include "model/uri.h"

struct drawing {
    struct tr_draw_picture *p;
    const struct tr_graph_read_ctx *ctx;
    tr_rdf_id id;
    size_t main;
    TR_VEC(tr_rdf_id) ids; /* of the boxes */
};

static size_t add_node(struct drawing *d, tr_rdf_id id, struct tr_err *err,
                       tr_status *status)
{
    struct tr_json brief;
    for (size_t i = 0; i < d->ids.count; i++) {
        if (d->ids.items[i] == id)
            return i;
    }
    *status = tr_query_node_brief(d->ctx, id, &brief, err);
    if (*status != TR_OK)
        return 0;
    tr_str iri = tr_json_text(tr_json_find(&brief, TR_STR("id")));
    const struct tr_json *label = tr_json_find(&brief, TR_STR("label"));
    const struct tr_json *type = tr_json_find(&brief, TR_STR("_type"));
    tr_str end = tr_model_short_id(d->ctx->model, NULL, iri);
    size_t box = tr_draw_add_box(d->p, label ? tr_json_text(label) : end,
                                 type ? tr_json_text(type) : TR_STR(""));
    if (!tr_vec_push(d->p->arena, &d->ids, id))
        d->p->no_memory = true;
    if (!d->p->no_memory)
        d->p->boxes.items[box].about =
            tr_draw_text(d->p, iri, TR_LIMIT_DRAWN_ABOUT);
    return box;
}

/* A value as JSON has it, but a text without its quotes. */
static tr_str text_of(struct drawing *d, const struct tr_json *value)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_str out;
    if (value->kind == TR_JSON_STRING)
        return tr_json_text(value);
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_value(&w, value);
    d->p->no_memory |= tr_jw_finish(&w, NULL) == TR_E_NOMEM;
    out = tr_draw_text(d->p, tr_buf_str(&text), TR_LIMIT_DRAWN_TEXT);
    tr_buf_done(&text);
    return out;
}

/* The node of an IRI, when there is one. */
static tr_status find(struct drawing *d, tr_str iri, tr_rdf_id *out,
                      struct tr_err *err)
{
    bool exists = false;
    TR_TRY(tr_graph_node_find(d->ctx, iri, out, err));
    if (*out != TR_RDF_ID_NONE)
        TR_TRY(tr_graph_node_exists(d->ctx, *out, &exists, err));
    if (!exists)
        *out = TR_RDF_ID_NONE;
    return TR_OK;
}

/* What a ref names, as a box; one that is gone is named in its row alone. */
static tr_status refer(struct drawing *d, size_t row, tr_str field, tr_str iri,
                       struct tr_err *err)
{
    tr_status status = TR_OK;
    tr_rdf_id id;
    TR_TRY(find(d, iri, &id, err));
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    size_t to = add_node(d, id, err, &status);
    if (status == TR_OK)
        tr_draw_add_edge(d->p, (struct tr_draw_edge){.arrow = TR_DRAW_REFERS,
                                                     .from = d->main,
                                                     .row = row,
                                                     .to = to,
                                                     .label = field});
    return status;
}

static tr_status draw_refs(struct drawing *d, tr_str field,
                           const struct tr_json *value, struct tr_err *err)
{
    char text[64];
    bool is_array = value->kind == TR_JSON_ARRAY;
    const struct tr_json *items = is_array ? value->as.items : value;
    size_t count = is_array ? value->len : 1;
    if (count == 0)
        return TR_OK;
    tr_str end = count == 1 ? tr_model_short_id(d->ctx->model, NULL,
                                                tr_json_text(&items[0]))
                            : TR_STR("");
    if (count > TR_LIMIT_DRAWN_NEAR)
        (void)snprintf(text, sizeof(text), "%zu, of which %zu", count,
                       TR_LIMIT_DRAWN_NEAR);
    else
        (void)snprintf(text, sizeof(text), "%zu", count);
    size_t row = tr_draw_add_row(d->p, d->main, field,
                                 end.len ? end : tr_str_from(text));
    for (size_t i = 0; i < count && i < TR_LIMIT_DRAWN_NEAR; i++) {
        if (items[i].kind == TR_JSON_STRING)
            TR_TRY(refer(d, row, field, tr_json_text(&items[i]), err));
    }
    return TR_OK;
}

/* Of a node without a type: its predicates, by their ends. */
static tr_str end_of(tr_str iri)
{
    size_t at = iri.len;
    while (at && !strchr("/#:", iri.ptr[at - 1]))
        at--;
    return at < iri.len ? tr_str_skip(iri, at) : iri;
}

static tr_status draw_members(struct drawing *d,
                              const struct tr_model_type *type,
                              const struct tr_json *node, struct tr_err *err)
{
    for (size_t i = 0; i < node->len; i++) {
        const struct tr_json_member *member = &node->as.members[i];
        tr_str name = tr_json_text(&member->key);
        const struct tr_field *field =
            type ? tr_shape_find(type->shape, name) : NULL;
        bool is_own =
            tr_str_eq(name, TR_STR("id")) || tr_str_starts(name, TR_STR("_"));
        if (!field && (type || is_own))
            continue;
        if (field && field->kind == TR_FIELD_REF)
            TR_TRY(draw_refs(d, name, &member->value, err));
        else
            (void)tr_draw_add_row(d->p, d->main, field ? name : end_of(name),
                                  text_of(d, &member->value));
    }
    return TR_OK;
}

/* Who refers to it ------------------------------------------------------- */

/* The name that the subject's type has for a predicate, or its end. */
static tr_status name_of(struct drawing *d, tr_rdf_ids row, tr_str *out,
                         struct tr_err *err)
{
    const struct tr_model_type *type = NULL;
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    TR_TRY(tr_graph_read_ctx_term(d->ctx, row.p, text, &term, err));
    TR_TRY(tr_graph_node_type(d->ctx, row.s, &type, err));
    for (size_t i = 0; type && i < type->shape->count; i++) {
        if (tr_str_eq(type->shape->fields[i].iri, term.text)) {
            *out = type->shape->fields[i].name;
            return TR_OK;
        }
    }
    *out = end_of(term.text);
    return TR_OK;
}

static tr_status draw_referrer(struct drawing *d, tr_rdf_ids row,
                               struct tr_err *err)
{
    tr_status status = TR_OK;
    tr_str name;
    TR_TRY(name_of(d, row, &name, err));
    size_t from = add_node(d, row.s, err, &status);
    if (status != TR_OK || from == d->main)
        return status; /* that stands in a row of its own */
    tr_draw_add_edge(d->p, (struct tr_draw_edge){.arrow = TR_DRAW_REFERS,
                                                 .from = from,
                                                 .row = TR_DRAW_NO_ROW,
                                                 .to = d->main,
                                                 .label = name});
    if (!d->p->no_memory && !d->p->boxes.items[from].rows.count)
        d->p->edges.items[d->p->edges.count - 1].row =
            tr_draw_add_row(d->p, from, name, TR_STR(""));
    return TR_OK;
}

static tr_status draw_referrers(struct drawing *d, struct tr_err *err)
{
    const tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, d->id,
                                TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    size_t count = 0;
    tr_rdf_ids last = {0};
    tr_rdf_ids row;
    char text[96];
    tr_rdf_graph_match(d->ctx->graph, pattern, &cursor);
    while (status == TR_OK && count <= 2 * TR_LIMIT_DRAWN_NEAR &&
           !d->p->no_memory && tr_rdf_cursor_next(&cursor, &row)) {
        /* What two graphs say stands side by side. */
        bool is_new = row.s != last.s || row.p != last.p;
        last = row;
        count += is_new;
        if (is_new && count <= 2 * TR_LIMIT_DRAWN_NEAR)
            status = draw_referrer(d, row, err);
    }
    TR_TRY(tr_rdf_cursor_end(&cursor, status, err));
    if (count <= 2 * TR_LIMIT_DRAWN_NEAR)
        return TR_OK;
    (void)snprintf(text, sizeof(text),
                   "More refer to it: %zu of them are shown.",
                   2 * TR_LIMIT_DRAWN_NEAR);
    d->p->note = tr_draw_text(d->p, tr_str_from(text), TR_LIMIT_DRAWN_ABOUT);
    return TR_OK;
}

tr_status tr_draw_node(struct tr_draw_picture *p,
                       const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                       struct tr_err *err)
{
    struct drawing d = {.p = p, .ctx = ctx, .id = id};
    const struct tr_model_type *type = NULL;
    tr_status status = TR_OK;
    struct tr_json node;
    bool found = false;
    p->of_nodes = true;
    TR_TRY(tr_query_node_read_id(ctx, id, &node, &found, err));
    if (!found)
        return tr_fail(err, TR_E_NOT_FOUND, "there is no such node");
    TR_TRY(tr_graph_node_type(ctx, id, &type, err));
    d.main = add_node(&d, id, err, &status);
    TR_TRY(status);
    TR_TRY(tr_draw_finish(p, err));
    p->boxes.items[d.main].is_main = true;
    p->title = p->boxes.items[d.main].title;
    TR_TRY(draw_members(&d, type, &node, err));
    TR_TRY(draw_referrers(&d, err));
    return tr_draw_finish(p, err);
}
