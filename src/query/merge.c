#include "query/merge.h"

/*
 * Of one value and the class the row of each node tells whether it has both.
 * With more values few nodes come so far that the class matters, and rows would
 * be read in vain.
 */
static enum tr_query_walk_kind kind_of(const struct tr_query_merge *merge,
                                       size_t pair)
{
    if (merge->pairs.count == 1 && !merge->ctx->changes)
        return TR_QUERY_WALK_NODES;
    return merge->pairs.count == 2 && pair == 0 ? TR_QUERY_WALK_ROWS
                                                : TR_QUERY_WALK_INDEX;
}

tr_status tr_query_merge_open(struct tr_query_merge *merge,
                              const struct tr_graph_read_ctx *ctx,
                              const struct tr_query_pairs *pairs,
                              tr_rdf_id after, size_t work, struct tr_err *err)
{
    size_t count = pairs->count;
    *merge = (struct tr_query_merge){
        .ctx = ctx,
        .walks = TR_NEW_ARRAY(ctx->arena, struct tr_query_walk, count),
        .order = TR_NEW_ARRAY(ctx->arena, struct tr_query_walk *, count),
        .last = after,
        .work = work * count,
    };
    if (!merge->walks || !merge->order)
        return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
    merge->pairs = *pairs;
    for (size_t i = 0; i < count; i++) {
        merge->walks[i] =
            tr_query_walk_open(ctx, pairs->items[i], kind_of(merge, i));
        merge->order[i] = &merge->walks[i];
    }
    return TR_OK;
}

void tr_query_merge_close(struct tr_query_merge *merge)
{
    for (size_t i = 0; i < merge->pairs.count; i++)
        tr_query_walk_close(&merge->walks[i]);
}

/* Whether a row that was met anyway says that a node has the walk's class. */
static bool row_agrees(const struct tr_query_merge *merge,
                       const struct tr_query_walk *walk, tr_rdf_id node)
{
    tr_rdf_id class;
    return walk == &merge->walks[merge->pairs.count - 1] &&
           tr_query_walk_class(&merge->walks[0], node, &class) &&
           class == walk->pair.o;
}

/* The first of the walks leads; the others are asked for what it has found. */
static tr_status ask(struct tr_query_merge *merge, size_t at, tr_rdf_id target,
                     tr_rdf_id *out, struct tr_err *err)
{
    struct tr_query_walk *walk = merge->order[at];
    merge->work--;
    *out = target;
    if (at == 0)
        return tr_query_walk_reach(walk, merge->last + 1, out, err);
    return row_agrees(merge, walk, target)
               ? TR_OK
               : tr_query_walk_meet(walk, target, out, err);
}

/* Who has said no is asked early from now on: it is likely to do so again. */
static void move(struct tr_query_merge *merge, size_t from, size_t to)
{
    struct tr_query_walk *walk = merge->order[from];
    for (; from > to; from--)
        merge->order[from] = merge->order[from - 1];
    merge->order[from] = walk;
}

tr_status tr_query_merge_next(struct tr_query_merge *merge, tr_rdf_id *out,
                              struct tr_err *err)
{
    tr_rdf_id target = TR_RDF_ID_NONE;
    size_t agreed = 0; /* walks that have the target */
    *out = TR_RDF_ID_NONE;
    if (merge->pairs.is_empty)
        return TR_OK;
    while (agreed < merge->pairs.count) {
        tr_rdf_id id;
        merge->is_cut = merge->work == 0;
        if (merge->is_cut)
            return TR_OK;
        TR_TRY(ask(merge, agreed, target, &id, err));
        if (id == TR_QUERY_WALK_END)
            return TR_OK;
        if (id == target) {
            agreed++;
            continue;
        }
        if (agreed > 0)
            merge->last = target;
        /* Who stands on another node leads to it. */
        move(merge, agreed, id == TR_RDF_ID_NONE);
        target = id;
        agreed = id != TR_RDF_ID_NONE;
    }
    merge->last = *out = target;
    return TR_OK;
}

bool tr_query_merge_label(const struct tr_query_merge *merge, tr_str *out)
{
    return tr_query_walk_label(&merge->walks[0], merge->last, out);
}
