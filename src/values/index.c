#include "db/db.h"
#include "values/inside.h"

/* Which answer for a type ------------------------------------------------- */

static const struct tr_graph_value_def *
find_def(const struct tr_graph_read_ctx *ctx,
         const struct tr_graph_value_def *wanted)
{
    size_t count;
    const struct tr_graph_value_def *defs =
        tr_graph_value_set_of(ctx->values, wanted->class, &count);
    for (size_t i = 0; i < count; i++) {
        if (tr_graph_value_def_is(&defs[i], wanted))
            return &defs[i];
    }
    return NULL;
}

static tr_status find_index(const struct tr_graph_read_ctx *ctx,
                            const struct tr_model_type *type,
                            const struct tr_model_index *index,
                            const struct tr_graph_value_def **out,
                            struct tr_err *err)
{
    struct tr_graph_value_def wanted = {.count = index->count};
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, type->shape->iri, &wanted.class,
                                 err));
    for (size_t i = 0; i < index->count; i++) {
        wanted.descending[i] = index->parts[i].descending;
        TR_TRY(tr_rdf_graph_find_iri(ctx->graph, index->parts[i].field->iri,
                                     &wanted.predicates[i], err));
    }
    *out = find_def(ctx, &wanted);
    return TR_OK;
}

static tr_status add_indexes(const struct tr_graph_read_ctx *ctx,
                             const struct tr_model_type *type,
                             struct tr_graph_value_indexes *out,
                             struct tr_err *err)
{
    for (size_t i = 0; i < type->index_count; i++) {
        const struct tr_graph_value_def *def = NULL;
        TR_TRY(find_index(ctx, type, &type->indexes[i], &def, err));
        if (def)
            out->items[out->count++] =
                (struct tr_graph_value_index){&type->indexes[i], type, def};
    }
    return TR_OK;
}

tr_status tr_graph_value_indexes_find(const struct tr_graph_read_ctx *ctx,
                                      const struct tr_model_type *type,
                                      struct tr_graph_value_indexes *out,
                                      struct tr_err *err)
{
    size_t room = 0;
    *out = (struct tr_graph_value_indexes){0};
    if (!ctx->values || ctx->values->count == 0)
        return TR_OK;
    for (const struct tr_model_type *at = type; at; at = at->parent)
        room += at->index_count;
    out->items = TR_NEW_ARRAY(ctx->arena, struct tr_graph_value_index, room);
    if (!out->items)
        return tr_fail(err, TR_E_NOMEM, "no memory for indexes");
    for (const struct tr_model_type *at = type; at; at = at->parent)
        TR_TRY(add_indexes(ctx, at, out, err));
    return TR_OK;
}

/* One node ---------------------------------------------------------------- */

tr_status tr_graph_value_key(const struct tr_graph_read_ctx *ctx,
                             const struct tr_graph_value_index *index,
                             tr_rdf_id node, struct tr_key *out, bool *is_there,
                             struct tr_err *err)
{
    struct tr_graph_value_source view = {.graph = ctx->graph};
    tr_rdf_ids row = {node, ctx->values->type, index->def->class,
                      TR_RDF_ID_ANY};
    TR_TRY(tr_rdf_graph_has(ctx->graph, row, is_there, err));
    return *is_there
               ? tr_graph_value_key_make(&view, index->def, node, out, err)
               : TR_OK;
}

/* Groups ------------------------------------------------------------------ */

struct counting {
    struct tr_graph_value_group group;
    char key[TR_KEY_PART_MAX];
    tr_graph_value_group_fn *visit;
    void *context;
    bool stop;
};

static tr_status end_group(struct counting *c, struct tr_err *err)
{
    tr_status status = c->group.count && !c->stop
                           ? c->visit(c->context, &c->group, &c->stop, err)
                           : TR_OK;
    c->group.count = 0;
    return status;
}

static tr_status count_row(struct counting *c, tr_str key, tr_rdf_id node,
                           struct tr_err *err)
{
    if (c->group.count && tr_str_starts(key, c->group.key)) {
        c->group.count++;
        return TR_OK;
    }
    TR_TRY(end_group(c, err));
    size_t len = tr_key_part_len(key);
    if (len == 0 || len > sizeof(c->key))
        return tr_fail(err, TR_E_IO,
                       "the store is damaged: a row of an index has no key");
    memcpy(c->key, key.ptr, len);
    c->group = (struct tr_graph_value_group){{c->key, len}, 1, node};
    return TR_OK;
}

/* SQLite counts what has one part; of several the first one has to be cut off
 * here. */
static tr_status count_rows(const struct tr_graph_read_ctx *ctx,
                            const struct tr_graph_value_def *def,
                            struct counting *c, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    tr_status status = TR_OK;
    bool row;
    TR_TRY(tr_db_prepare(ctx->db,
                         def->count == 1
                             ? "SELECT k, s, count(*) FROM value_row"
                               " WHERE x = ?1 GROUP BY k ORDER BY k"
                             : "SELECT k, s, 1 FROM value_row WHERE x = ?1"
                               " ORDER BY k, s",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, def->number);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row && !c->stop && status == TR_OK) {
        status = count_row(c, tr_db_column_blob(stmt, 0),
                           (tr_rdf_id)tr_db_column_i64(stmt, 1), err);
        if (status == TR_OK)
            c->group.count += (uint64_t)tr_db_column_i64(stmt, 2) - 1;
        if (status == TR_OK)
            TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    if (row)
        tr_db_stmt_reset(stmt);
    return status;
}

static tr_status count_steps(const struct tr_graph_read_ctx *ctx,
                             const struct tr_graph_value_index *index,
                             struct counting *c, struct tr_err *err)
{
    struct tr_graph_value_range all = {.work = SIZE_MAX};
    struct tr_graph_value_walk *walk = NULL;
    struct tr_graph_value_step step;
    TR_TRY(tr_graph_value_walk_open(ctx, index, &all, &walk, NULL, err));
    tr_status status = tr_graph_value_walk_next(walk, &step, err);
    while (status == TR_OK && step.node != TR_RDF_ID_NONE && !c->stop) {
        status = count_row(c, step.key, step.node, err);
        if (status == TR_OK)
            status = tr_graph_value_walk_next(walk, &step, err);
    }
    tr_graph_value_walk_close(walk);
    return status;
}

tr_status tr_graph_value_groups(const struct tr_graph_read_ctx *ctx,
                                const struct tr_graph_value_index *index,
                                tr_graph_value_group_fn *visit, void *context,
                                struct tr_err *err)
{
    struct counting c = {.visit = visit, .context = context};
    bool is_plain = !ctx->changes && !ctx->face;
    TR_TRY(is_plain ? count_rows(ctx, index->def, &c, err)
                    : count_steps(ctx, index, &c, err));
    return end_group(&c, err);
}
