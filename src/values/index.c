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
                             struct tr_values_indexes *out, struct tr_err *err)
{
    for (size_t i = 0; i < type->index_count; i++) {
        const struct tr_graph_value_def *def = NULL;
        TR_TRY(find_index(ctx, type, &type->indexes[i], &def, err));
        if (def)
            out->items[out->count++] =
                (struct tr_values_index){&type->indexes[i], type, def};
    }
    return TR_OK;
}

tr_status tr_values_indexes_find(const struct tr_graph_read_ctx *ctx,
                                 const struct tr_model_type *type,
                                 struct tr_values_indexes *out,
                                 struct tr_err *err)
{
    size_t room = 0;
    *out = (struct tr_values_indexes){0};
    if (!ctx->values || ctx->values->count == 0)
        return TR_OK;
    for (const struct tr_model_type *at = type; at; at = at->parent)
        room += at->index_count;
    out->items = TR_NEW_ARRAY(ctx->arena, struct tr_values_index, room);
    if (!out->items)
        return tr_fail(err, TR_E_NOMEM, "no memory for indexes");
    for (const struct tr_model_type *at = type; at; at = at->parent)
        TR_TRY(add_indexes(ctx, at, out, err));
    return TR_OK;
}

/* One node ---------------------------------------------------------------- */

tr_status tr_values_key(const struct tr_graph_read_ctx *ctx,
                        const struct tr_values_index *index, tr_rdf_id node,
                        struct tr_key *out, bool *is_there, struct tr_err *err)
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
    struct tr_values_group group;
    char key[TR_KEY_PART_MAX];
    tr_values_group_fn *visit;
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
    if (len == 0 || len > sizeof(c->key)) {
        (void)tr_fail(err, TR_E_IO,
                      "the store is damaged: a row of an index has no key");
        return TR_E_IO;
    }
    memcpy(c->key, key.ptr, len);
    c->group = (struct tr_values_group){{c->key, len}, 1, node};
    return TR_OK;
}

/* The first row of which the key is not below `low`. */
static tr_status find_row(const struct tr_graph_read_ctx *ctx, int64_t number,
                          const struct tr_key *low, struct counting *c,
                          bool *found, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(ctx->db,
                         "SELECT k, s FROM value_row WHERE x = ?1 AND k >= ?2"
                         " ORDER BY k, s LIMIT 1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, number);
    tr_db_bind_blob(stmt, 2, tr_key_str(low));
    TR_TRY(tr_db_stmt_step(stmt, found, err));
    if (!*found)
        return TR_OK;
    tr_status status = count_row(c, tr_db_column_blob(stmt, 0),
                                 (tr_rdf_id)tr_db_column_i64(stmt, 1), err);
    tr_db_stmt_reset(stmt);
    return status;
}

static tr_status count_between(const struct tr_graph_read_ctx *ctx,
                               int64_t number, tr_str low,
                               const struct tr_key *high, uint64_t *out,
                               struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(ctx->db,
                         "SELECT count(*) FROM value_row WHERE x = ?1"
                         " AND k >= ?2 AND k < ?3",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, number);
    tr_db_bind_blob(stmt, 2, low);
    tr_db_bind_blob(stmt, 3, tr_key_str(high));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (uint64_t)tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* From group to group: to count the rows between two keys costs half of looking
 * at the key of each. */
static tr_status count_rows(const struct tr_graph_read_ctx *ctx,
                            const struct tr_graph_value_def *def,
                            struct counting *c, struct tr_err *err)
{
    struct tr_key at = {.len = 0};
    while (!c->stop) {
        bool found;
        TR_TRY(find_row(ctx, def->number, &at, c, &found, err));
        if (!found)
            return TR_OK;
        memcpy(at.bytes, c->group.key.ptr, c->group.key.len);
        at.len = c->group.key.len;
        tr_values_follow(&at);
        TR_TRY(count_between(ctx, def->number, c->group.key, &at,
                             &c->group.count, err));
        TR_TRY(end_group(c, err));
    }
    return TR_OK;
}

static tr_status count_steps(const struct tr_graph_read_ctx *ctx,
                             const struct tr_values_index *index,
                             struct counting *c, struct tr_err *err)
{
    struct tr_values_range all = {.work = SIZE_MAX};
    struct tr_values_walk *walk = NULL;
    struct tr_values_step step;
    TR_TRY(tr_values_walk_open(ctx, index, &all, &walk, NULL, err));
    tr_status status = tr_values_walk_next(walk, &step, err);
    while (status == TR_OK && step.node != TR_RDF_ID_NONE && !c->stop) {
        status = count_row(c, step.key, step.node, err);
        if (status == TR_OK)
            status = tr_values_walk_next(walk, &step, err);
    }
    tr_values_walk_close(walk);
    return status;
}

tr_status tr_values_groups(const struct tr_graph_read_ctx *ctx,
                           const struct tr_values_index *index,
                           tr_values_group_fn *visit, void *context,
                           struct tr_err *err)
{
    struct counting c = {.visit = visit, .context = context};
    bool is_plain = !ctx->changes && !ctx->face;
    TR_TRY(is_plain ? count_rows(ctx, index->def, &c, err)
                    : count_steps(ctx, index, &c, err));
    return end_group(&c, err);
}
