/*
 * What a capability may change: its declaration, as it counts here, and the one
 * judgement of a change by it.
 */
#include "cap/cap.h"
#include "cap/inside.h"
#include "fetch/url.h"
#include "fields/check.h"
#include "model/model.h"
#include "rdf/iri.h"

/* What one that says nothing of its side effects may write in development. */
static const tr_str everything[] = {TR_STR_INIT("*")};

void tr_cap_settle_effects(const struct tr_cap_snapshot *snapshot,
                           struct tr_cap *cap)
{
    struct tr_cap_side_effects *effects = &cap->side_effects;
    effects->is_said |= effects->graph_writes.count > 0 ||
                        effects->external_calls.count > 0 ||
                        cap->read_only == TR_CAP_HINT_YES;
    if (!effects->is_said && snapshot->undeclared_may_write)
        effects->graph_writes = (struct tr_cap_strs){everything, 1};
}

/* As handlers may name a graph: by a prefix of the app's. */
tr_status tr_cap_expand_graphs(struct tr_cap_snapshot *snapshot,
                               struct tr_cap *cap, struct tr_err *err)
{
    const struct tr_cap_strs *writes = &cap->side_effects.graph_writes;
    const struct tr_model *model = snapshot->model;
    if (!model || !model->prefixes || !writes->count)
        return TR_OK;
    tr_str *items = TR_NEW_ARRAY(&snapshot->arena, tr_str, writes->count);
    if (!items)
        return tr_cap_builder_nomem(err);
    for (size_t i = 0; i < writes->count; i++) {
        tr_str prefix;
        tr_str rest;
        items[i] = writes->items[i];
        if (tr_str_cut(items[i], ':', &prefix, &rest) &&
            tr_rdf_prefixes_find(model->prefixes, prefix, &rest))
            TR_TRY(tr_rdf_prefixes_expand(model->prefixes, &snapshot->arena,
                                          writes->items[i], &items[i], err));
    }
    cap->side_effects.graph_writes.items = items;
    return TR_OK;
}

/* The part before the star; false when it has none. */
static bool cut_star(tr_str text, tr_str *out)
{
    if (text.len == 0 || text.ptr[text.len - 1] != '*')
        return false;
    *out = (tr_str){text.ptr, text.len - 1};
    return true;
}

bool tr_cap_is_graph_name(tr_str text)
{
    tr_str prefix = text;
    if (cut_star(text, &prefix) && prefix.len == 0)
        return true;
    for (size_t i = 0; i < prefix.len; i++) {
        if (prefix.ptr[i] == '*')
            return false;
    }
    return tr_str_eq(text, TR_STR("default")) ||
           tr_field_is_absolute_iri(prefix);
}

/* "" is the default graph, which no prefix covers but the empty one. */
static bool covers(tr_str declared, tr_str graph)
{
    tr_str prefix;
    if (cut_star(declared, &prefix))
        return prefix.len == 0 || (graph.len && tr_str_starts(graph, prefix));
    return graph.len ? tr_str_eq(declared, graph)
                     : tr_str_eq(declared, TR_STR("default"));
}

static tr_status refuse_graph(const struct tr_cap *cap, const tr_str *graph,
                              struct tr_err *err)
{
    if (!cap->side_effects.is_said)
        return tr_fail(err, TR_E_INTERNAL,
                       "'%.*s' says nothing of side_effects, so outside "
                       "development it cannot change the graph",
                       TR_FMT(cap->id));
    if (!graph)
        return tr_fail(err, TR_E_INTERNAL,
                       "'%.*s' cannot change the graph: its side_effects "
                       "have no graph_writes",
                       TR_FMT(cap->id));
    return tr_fail(err, TR_E_INTERNAL,
                   "'%.*s' cannot change the graph %.*s, which its "
                   "graph_writes do not have",
                   TR_FMT(cap->id),
                   TR_FMT(graph->len ? *graph : TR_STR("\"default\"")));
}

tr_status tr_cap_may_change(const struct tr_cap *cap, const tr_str *graph,
                            bool is_lost, struct tr_err *err)
{
    const struct tr_cap_strs *writes = &cap->side_effects.graph_writes;
    size_t i = 0;
    while (graph && i < writes->count && !covers(writes->items[i], *graph))
        i++;
    if (i == writes->count)
        return refuse_graph(cap, writes->count ? graph : NULL, err);
    if (is_lost && cap->destructive == TR_CAP_HINT_NO)
        return tr_fail(err, TR_E_INTERNAL,
                       "'%.*s' cannot remove or replace a statement: its "
                       "annotations say destructive = false",
                       TR_FMT(cap->id));
    return TR_OK;
}

tr_status tr_cap_may_fetch(const struct tr_cap *cap,
                           const struct tr_fetch_url *url, struct tr_err *err)
{
    const struct tr_cap_strs *calls = &cap->side_effects.external_calls;
    char place[TR_FETCH_URL_PLACE];
    struct tr_fetch_url prefix;
    for (size_t i = 0; i < calls->count; i++) {
        if (tr_fetch_url_read_prefix(calls->items[i], &prefix, NULL) == TR_OK &&
            tr_fetch_url_is_below(url, &prefix))
            return TR_OK;
    }
    tr_fetch_url_place(url, place);
    return tr_fail(err, TR_E_INTERNAL,
                   "'%.*s' cannot fetch this from %s: its external_calls have "
                   "no beginning of the URL",
                   TR_FMT(cap->id), place);
}

/* What the author says counts; else what follows from the descriptor. */
static bool hint(enum tr_cap_hint said, bool derived)
{
    return said == TR_CAP_HINT_DERIVED ? derived : said == TR_CAP_HINT_YES;
}

bool tr_cap_is_read_only(const struct tr_cap *cap)
{
    return hint(cap->read_only,
                cap->side_effects.graph_writes.count == 0 &&
                    cap->side_effects.external_calls.count == 0);
}

bool tr_cap_is_destructive(const struct tr_cap *cap)
{
    return !tr_cap_is_read_only(cap) && hint(cap->destructive, true);
}

/* One that may write anything and has not said so may also call anybody: MCP's
 * own default stands until somebody says something else. */
bool tr_cap_is_open_world(const struct tr_cap *cap)
{
    const struct tr_cap_side_effects *effects = &cap->side_effects;
    return hint(cap->open_world,
                effects->external_calls.count > 0 ||
                    (!effects->is_said && effects->graph_writes.count > 0));
}
