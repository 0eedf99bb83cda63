#include "graph/change.h"

#include "base/limits.h"
#include "graph/part.h"

void tr_graph_changeset_init(struct tr_graph_changeset *set,
                             struct tr_arena *arena)
{
    *set = (struct tr_graph_changeset){.arena = arena};
}

tr_status tr_graph_changeset_add(struct tr_graph_changeset *set,
                                 enum tr_graph_op_kind kind,
                                 const tr_rdf_quad *quad, struct tr_err *err)
{
    struct tr_graph_op op = {.kind = kind, .by = set->by};
    bool is_clear = kind >= TR_GRAPH_OP_CLEAR_FIELD;
    if (set->may)
        TR_TRY(set->may(set->by, is_clear ? NULL : &quad->graph, false, err));
    if (set->ops.count >= TR_LIMIT_CHANGE_OPS)
        return tr_fail(err, TR_E_LIMIT, "more than %d changes at once",
                       TR_LIMIT_CHANGE_OPS);
    if (!tr_rdf_quad_copy(set->arena, quad, &op.quad) ||
        !tr_vec_push(set->arena, &set->ops, op))
        return tr_fail(err, TR_E_NOMEM, "no memory for a change");
    return TR_OK;
}

tr_status tr_graph_changeset_expect(struct tr_graph_changeset *set,
                                    enum tr_graph_expect_kind kind, tr_str iri,
                                    int64_t version, struct tr_err *err)
{
    struct tr_graph_expect expect = {.kind = kind, .version = version};
    if (set->expects.count >= TR_LIMIT_CHANGE_OPS)
        return tr_fail(err, TR_E_LIMIT, "more than %d changes at once",
                       TR_LIMIT_CHANGE_OPS);
    if (!tr_arena_copy(set->arena, iri, &expect.iri) ||
        !tr_vec_push(set->arena, &set->expects, expect))
        return tr_fail(err, TR_E_NOMEM, "no memory for a change");
    return TR_OK;
}

struct tr_graph_change_mark
tr_graph_changeset_mark(const struct tr_graph_changeset *set)
{
    return (struct tr_graph_change_mark){set->ops.count, set->expects.count,
                                         set->raises.count};
}

void tr_graph_changeset_undo(struct tr_graph_changeset *set,
                             struct tr_graph_change_mark mark)
{
    set->ops.count = mark.ops;
    set->expects.count = mark.expects;
    set->raises.count = mark.raises;
}

static tr_status intern_quad(struct tr_graph_overlay *overlay,
                             const tr_rdf_quad *quad, tr_rdf_ids *out,
                             struct tr_err *err)
{
    out->g = TR_RDF_ID_DEFAULT_GRAPH;
    TR_TRY(tr_graph_overlay_intern(overlay, &quad->subject, &out->s, err));
    TR_TRY(tr_graph_overlay_intern(overlay, &quad->predicate, &out->p, err));
    TR_TRY(tr_graph_overlay_intern(overlay, &quad->object, &out->o, err));
    if (quad->graph.kind != TR_RDF_TERM_NONE)
        TR_TRY(tr_graph_overlay_intern(overlay, &quad->graph, &out->g, err));
    return TR_OK;
}

/* The rows of a pattern, read before any of them is removed. */
struct rows {
    struct tr_arena arena;
    TR_VEC(tr_rdf_ids) quads;
};

static tr_status keep_row(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct rows *rows = context;
    return tr_vec_push(&rows->arena, &rows->quads, row)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a change");
}

/* Where changes are played. */
struct playing {
    const struct tr_model *model;
    struct tr_graph_overlay *overlay;
    struct tr_err *err;
};

/* Removes the rows; those of parts that nothing leads to any more join them. */
static tr_status remove_rows(const struct playing *p, struct rows *rows)
{
    const struct tr_rdf_graph *view = tr_graph_overlay_view(p->overlay);
    bool changed;
    for (size_t i = 0; i < rows->quads.count; i++) {
        tr_rdf_ids row = rows->quads.items[i];
        tr_rdf_ids part = {row.o, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
        bool is_unheld = false;
        TR_TRY(tr_graph_overlay_remove(p->overlay, row, &changed, p->err));
        if (changed)
            TR_TRY(tr_graph_part_is_unheld(view, p->model, row, &is_unheld,
                                           p->err));
        if (is_unheld)
            TR_TRY(tr_rdf_graph_each(view, part, keep_row, rows, p->err));
    }
    return TR_OK;
}

/* Has the parts of a removal that the kind needs. */
static tr_status find_rows(const struct playing *p,
                           const struct tr_graph_op *op, struct rows *rows)
{
    tr_rdf_ids pattern = {
        .p = TR_RDF_ID_ANY, .o = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    const struct tr_rdf_graph *view = tr_graph_overlay_view(p->overlay);
    if (op->kind == TR_GRAPH_OP_REMOVE) {
        TR_TRY(intern_quad(p->overlay, &op->quad, &pattern, p->err));
        return keep_row(rows, pattern, p->err);
    }
    TR_TRY(tr_rdf_graph_find(view, &op->quad.subject, &pattern.s, p->err));
    if (op->kind == TR_GRAPH_OP_CLEAR_FIELD)
        TR_TRY(
            tr_rdf_graph_find(view, &op->quad.predicate, &pattern.p, p->err));
    return tr_rdf_graph_each(view, pattern, keep_row, rows, p->err);
}

static tr_status play_removal(const struct playing *p,
                              const struct tr_graph_op *op)
{
    struct rows rows = {0};
    tr_arena_init(&rows.arena, TR_LIMIT_CHANGE_BYTES);
    tr_status status = find_rows(p, op, &rows);
    if (status == TR_OK)
        status = remove_rows(p, &rows);
    tr_arena_done(&rows.arena);
    return status;
}

static tr_status play_one(const struct playing *p, const struct tr_graph_op *op)
{
    tr_rdf_ids quad = {0};
    bool changed;
    tr_graph_overlay_begin(p->overlay, op->by);
    if (op->kind != TR_GRAPH_OP_ADD)
        return play_removal(p, op);
    TR_TRY(intern_quad(p->overlay, &op->quad, &quad, p->err));
    return tr_graph_overlay_add(p->overlay, quad, &changed, p->err);
}

tr_status tr_graph_changeset_play(const struct tr_graph_changeset *set,
                                  size_t from, const struct tr_model *model,
                                  struct tr_graph_overlay *overlay,
                                  struct tr_err *err)
{
    const struct playing p = {model, overlay, err};
    for (size_t i = from; i < set->ops.count; i++)
        TR_TRY(play_one(&p, &set->ops.items[i]));
    return TR_OK;
}
