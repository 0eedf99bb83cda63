/* Nothing is indexed by value yet: this goes when what graph/value_index.h
 * promises is there. */
#include "graph/value_index.h"
tr_status tr_graph_value_indexes_find(const struct tr_graph_read_ctx *ctx,
                                      const struct tr_model_type *type,
                                      struct tr_graph_value_indexes *out,
                                      struct tr_err *err)
{
    (void)ctx;
    (void)type;
    (void)err;
    *out = (struct tr_graph_value_indexes){0};
    return TR_OK;
}
tr_status tr_graph_value_walk_open(const struct tr_graph_read_ctx *ctx,
                                   const struct tr_graph_value_index *index,
                                   const struct tr_graph_value_range *range,
                                   struct tr_graph_value_walk **out,
                                   bool *is_inexact, struct tr_err *err)
{
    (void)ctx;
    (void)index;
    (void)range;
    (void)out;
    (void)is_inexact;
    return tr_fail(err, TR_E_INTERNAL, "stub");
}
tr_status tr_graph_value_walk_next(struct tr_graph_value_walk *walk,
                                   struct tr_graph_value_step *out,
                                   struct tr_err *err)
{
    (void)walk;
    (void)out;
    return tr_fail(err, TR_E_INTERNAL, "stub");
}
bool tr_graph_value_walk_is_cut(const struct tr_graph_value_walk *walk)
{
    (void)walk;
    return false;
}
size_t tr_graph_value_walk_rows(const struct tr_graph_value_walk *walk)
{
    (void)walk;
    return 0;
}
void tr_graph_value_walk_close(struct tr_graph_value_walk *walk)
{
    (void)walk;
}
tr_status tr_graph_value_groups(const struct tr_graph_read_ctx *ctx,
                                const struct tr_graph_value_index *index,
                                tr_graph_value_group_fn *visit, void *context,
                                struct tr_err *err)
{
    (void)ctx;
    (void)index;
    (void)visit;
    (void)context;
    return tr_fail(err, TR_E_INTERNAL, "stub");
}
