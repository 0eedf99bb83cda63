#include "base/limits.h"
#include "graph/land_inside.h"
#include "graph/store.h"
#include "rdf/term.h"

/* What has landed since the last write, on its way into the tables. */
struct apply {
    struct tr_graph_lander *lander;
    const struct tr_rdf_graph *view; /* the store with the overlay */
    struct tr_arena *arena;
    tr_rdf_id *real;   /* ids in the store of the overlay's new terms */
    tr_rdf_ids *added; /* quads */
    size_t added_count;
    tr_rdf_ids *types; /* changed quads with rdf:type, added or removed */
    size_t type_count;
    tr_rdf_id type; /* rdf:type */
    struct tr_err *err;
};

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for changes");
}

/* Replaces the overlay's id of a new term by one in the store. */
static tr_status make_real(struct apply *apply, tr_rdf_id *id)
{
    if (!tr_graph_id_is_new(*id))
        return TR_OK;
    tr_rdf_id *real = &apply->real[tr_graph_id_new_index(*id)];
    if (*real == TR_RDF_ID_NONE) {
        tr_rdf_term term;
        TR_TRY(tr_rdf_graph_get(apply->view, *id, &term, apply->err));
        TR_TRY(
            tr_graph_terms_add(apply->lander->terms, &term, real, apply->err));
    }
    *id = *real;
    return TR_OK;
}

static tr_status make_quad_real(struct apply *apply, tr_rdf_ids *quad)
{
    TR_TRY(make_real(apply, &quad->s));
    TR_TRY(make_real(apply, &quad->p));
    TR_TRY(make_real(apply, &quad->o));
    return make_real(apply, &quad->g);
}

/* Removed quads go at once; added ones are gathered, to be sorted first. */
static tr_status take_change(void *context, const tr_graph_change *change,
                             struct tr_err *err)
{
    struct apply *apply = context;
    tr_rdf_ids quad = change->quad;
    bool changed;
    if (!change->is_added)
        return tr_graph_quads_remove(apply->lander->db, quad, &changed, err);
    TR_TRY(make_quad_real(apply, &quad));
    apply->added[apply->added_count++] = quad;
    return TR_OK;
}

/* Rows of one table, in the order of its columns. */
struct rows {
    int64_t (*values)[TR_DB_COLUMNS];
    size_t count;
};

static void put_row(struct rows *rows, tr_rdf_id a, tr_rdf_id b, tr_rdf_id c,
                    tr_rdf_id d)
{
    int64_t *row = rows->values[rows->count++];
    row[0] = (int64_t)a;
    row[1] = (int64_t)b;
    row[2] = (int64_t)c;
    row[3] = (int64_t)d;
}

static int compare_rows(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    for (size_t i = 0; i < TR_DB_COLUMNS; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Most of an insert is finding its page: of sorted rows, the next one goes to
 * the page of the last. */
static tr_status insert_rows(struct apply *apply, const char *sql,
                             struct rows *rows)
{
    struct tr_db_rows all = {.values = rows->values[0],
                             .columns = TR_DB_COLUMNS,
                             .count = rows->count};
    if (rows->count == 0)
        return TR_OK;
    qsort(rows->values, rows->count, sizeof(rows->values[0]), compare_rows);
    rows->count = 0;
    return tr_db_insert(apply->lander->db, sql, &all, apply->err);
}

static tr_status insert_quads(struct apply *apply)
{
    struct rows rows = {
        .values = tr_arena_alloc(apply->arena, (apply->added_count + 1) *
                                                   sizeof(rows.values[0]))};
    if (!rows.values)
        return no_memory(apply->err);
    for (size_t i = 0; i < apply->added_count; i++) {
        tr_rdf_ids quad = apply->added[i];
        put_row(&rows, quad.s, quad.p, quad.o, quad.g);
    }
    TR_TRY(insert_rows(apply,
                       "INSERT OR FAIL INTO spo"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       &rows));
    for (size_t i = 0; i < apply->added_count; i++) {
        tr_rdf_ids quad = apply->added[i];
        if (tr_graph_id_is_literal(quad.o) &&
            !tr_graph_value_set_is_bare(&apply->lander->values, quad.p))
            put_row(&rows, quad.p, quad.o, quad.s, quad.g);
    }
    TR_TRY(insert_rows(apply,
                       "INSERT OR FAIL INTO pos"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       &rows));
    for (size_t i = 0; i < apply->added_count; i++) {
        tr_rdf_ids quad = apply->added[i];
        if (!tr_graph_id_is_literal(quad.o))
            put_row(&rows, quad.o, quad.p, quad.s, quad.g);
    }
    return insert_rows(apply,
                       "INSERT OR FAIL INTO ops"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       &rows);
}

static int compare_types(const void *a, const void *b)
{
    const tr_rdf_ids *x = a;
    const tr_rdf_ids *y = b;
    if (x->o != y->o)
        return x->o < y->o ? -1 : 1;
    return (x->s > y->s) - (x->s < y->s);
}

/* A node counts once for its class, in however many graphs that stands. */
static tr_status count_one(struct apply *apply, tr_rdf_ids quad, int64_t *sum)
{
    tr_rdf_ids pattern = {quad.s, quad.p, quad.o, TR_RDF_ID_ANY};
    bool is_new = tr_graph_id_is_new(quad.s) || tr_graph_id_is_new(quad.o);
    bool before = false;
    bool after;
    if (!is_new)
        TR_TRY(tr_rdf_graph_has(&apply->lander->stored.base, pattern, &before,
                                apply->err));
    TR_TRY(tr_rdf_graph_has(apply->view, pattern, &after, apply->err));
    *sum += after - before;
    return TR_OK;
}

static tr_status write_count(struct apply *apply, tr_rdf_id class, int64_t sum)
{
    struct tr_db_stmt *stmt;
    if (sum == 0)
        return TR_OK;
    TR_TRY(make_real(apply, &class));
    TR_TRY(tr_db_prepare(apply->lander->db,
                         "INSERT INTO type_count VALUES (?1, ?2) ON CONFLICT"
                         " DO UPDATE SET count = count + ?2",
                         &stmt, apply->err));
    tr_db_bind_i64(stmt, 1, (int64_t) class);
    tr_db_bind_i64(stmt, 2, sum);
    return tr_db_stmt_run(stmt, apply->err);
}

static tr_status take_type(void *context, const tr_graph_change *change,
                           struct tr_err *err)
{
    struct apply *apply = context;
    (void)err;
    if (change->quad.p == apply->type)
        apply->types[apply->type_count++] = change->quad;
    return TR_OK;
}

/* Must run before quads are written: it compares with what the store had. */
static tr_status write_counts(struct apply *apply)
{
    int64_t sum = 0;
    TR_TRY(tr_rdf_graph_find_iri(apply->view, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &apply->type, apply->err));
    TR_TRY(tr_graph_overlay_each(apply->lander->overlay, take_type, apply,
                                 apply->err));
    qsort(apply->types, apply->type_count, sizeof(tr_rdf_ids), compare_types);
    for (size_t i = 0; i < apply->type_count; i++) {
        const tr_rdf_ids *quad = &apply->types[i];
        bool is_last = i + 1 == apply->type_count;
        if (is_last || compare_types(quad, quad + 1) != 0)
            TR_TRY(count_one(apply, *quad, &sum));
        if (is_last || quad->o != quad[1].o) {
            TR_TRY(write_count(apply, quad->o, sum));
            sum = 0;
        }
    }
    return TR_OK;
}

static tr_status make_real_for_values(void *context, tr_rdf_id *id,
                                      struct tr_err *err)
{
    (void)err; /* it is the same */
    return make_real(context, id);
}

static tr_status write_quads(struct apply *apply)
{
    struct tr_graph_value_source view = {apply->view, make_real_for_values,
                                         apply};
    TR_TRY(write_counts(apply));
    TR_TRY(tr_graph_lander_write_values(apply->lander, &view, apply->err));
    TR_TRY(tr_graph_overlay_each(apply->lander->overlay, take_change, apply,
                                 apply->err));
    return insert_quads(apply);
}

static tr_status remove_row(struct apply *apply, const char *sql,
                            tr_rdf_id subject)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(apply->lander->db, sql, &stmt, apply->err));
    tr_db_bind_i64(stmt, 1, (int64_t)subject);
    return tr_db_stmt_run(stmt, apply->err);
}

static tr_status write_row(struct apply *apply, tr_rdf_id subject,
                           tr_rdf_id type, const struct tr_graph_pending *node)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(apply->lander->db,
                         "INSERT OR REPLACE INTO node VALUES (?1, ?2, ?3, ?4)",
                         &stmt, apply->err));
    tr_db_bind_i64(stmt, 1, (int64_t)subject);
    tr_db_bind_i64(stmt, 2, (int64_t)type);
    tr_db_bind_i64(stmt, 3, node->version);
    if (node->row.has_label)
        tr_db_bind_text(stmt, 4, node->row.label);
    else
        tr_db_bind_null(stmt, 4);
    return tr_db_stmt_run(stmt, apply->err);
}

static tr_status write_text(struct apply *apply, tr_rdf_id subject, tr_str text)
{
    struct tr_db_stmt *stmt;
    if (text.len == 0)
        return TR_OK;
    TR_TRY(tr_db_prepare(apply->lander->db,
                         "INSERT INTO search (rowid, text) VALUES (?1, ?2)",
                         &stmt, apply->err));
    tr_db_bind_i64(stmt, 1, (int64_t)subject);
    tr_db_bind_text(stmt, 2, text);
    return tr_db_stmt_run(stmt, apply->err);
}

static tr_status write_node(struct apply *apply,
                            const struct tr_graph_pending *node)
{
    tr_rdf_id subject = node->subject;
    tr_rdf_id type = node->row.type;
    if (!node->exists && !node->is_stored)
        return TR_OK; /* it was created and deleted in between */
    TR_TRY(make_real(apply, &subject));
    if (node->is_stored)
        TR_TRY(
            remove_row(apply, "DELETE FROM search WHERE rowid = ?1", subject));
    if (!node->exists)
        return remove_row(apply, "DELETE FROM node WHERE s = ?1", subject);
    TR_TRY(make_real(apply, &type));
    TR_TRY(write_row(apply, subject, type, node));
    return write_text(apply, subject, node->row.search);
}

static tr_status write_nodes(struct apply *apply)
{
    const struct tr_map *nodes = &apply->lander->nodes;
    for (size_t i = 0; i < nodes->count; i++)
        TR_TRY(write_node(apply, nodes->entries[i].value));
    return TR_OK;
}

/* Also makes the ids in `touched` those of the store. */
static tr_status write_feed(struct apply *apply,
                            struct tr_graph_landing *landing)
{
    for (size_t i = 0; i < landing->touched.count; i++) {
        struct tr_graph_touched *touched = &landing->touched.items[i];
        TR_TRY(make_real(apply, &touched->subject));
        TR_TRY(make_real(apply, &touched->type));
        struct tr_graph_feed_row row = {
            .subject = touched->subject,
            .type = touched->type,
            .kind = (enum tr_graph_feed_kind)touched->change,
        };
        TR_TRY(tr_graph_feed_add(apply->lander->db, &row, apply->err));
    }
    return TR_OK;
}

static tr_status settle(struct tr_graph_lander *lander, struct tr_err *err)
{
    struct tr_arena *arena = &lander->scratch;
    size_t changes = tr_graph_overlay_count(lander->overlay);
    size_t terms = tr_graph_overlay_new_count(lander->overlay);
    struct apply apply = {
        .lander = lander,
        .view = tr_graph_overlay_view(lander->overlay),
        .arena = arena,
        .real = TR_NEW_ARRAY(arena, tr_rdf_id, terms + 1),
        .added = TR_NEW_ARRAY(arena, tr_rdf_ids, changes + 1),
        .types = TR_NEW_ARRAY(arena, tr_rdf_ids, changes + 1),
        .err = err,
    };
    if (!apply.real || !apply.added || !apply.types)
        return no_memory(err);
    TR_TRY(write_quads(&apply));
    TR_TRY(write_nodes(&apply));
    TR_TRY(tr_graph_lander_write_counters(lander, err));
    for (size_t i = 0; i < lander->landings.count; i++)
        TR_TRY(write_feed(&apply, lander->landings.items[i]));
    return TR_OK;
}

tr_status tr_graph_lander_settle(struct tr_graph_lander *lander,
                                 struct tr_err *err)
{
    struct tr_err own = {0};
    tr_status status = lander->broken;
    if (!err)
        err = &own;
    if (status != TR_OK)
        *err = lander->why;
    else if (lander->overlay)
        status = settle(lander, err);
    tr_arena_reset(&lander->scratch);
    tr_graph_lander_drop(lander);
    return status;
}
