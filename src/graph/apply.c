#include "base/limits.h"
#include "graph/land_inside.h"
#include "graph/store.h"
#include "rdf/term.h"
#include "rows/storing.h"

/* A node, and its id in the store. */
struct node {
    tr_rdf_id s;
    const struct tr_graph_pending *pending;
};

/* What has landed since the last write, on its way into the tables. */
struct apply {
    struct tr_graph_lander *lander;
    const struct tr_rdf_graph *view; /* the store with the overlay */
    struct tr_arena *arena;
    tr_rdf_id *real; /* ids in the store of the overlay's new terms */
    struct tr_rows_change *changes;
    size_t change_count;
    struct node *nodes; /* in the order of their rows */
    size_t node_count;
    tr_rdf_ids *types; /* changed quads with rdf:type, added or removed */
    size_t type_count;
    tr_rdf_id type; /* rdf:type */
    struct tr_rows_storing storing;
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
            tr_rows_terms_add(apply->lander->terms, &term, real, apply->err));
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

static tr_status take_change(void *context, const tr_graph_change *change,
                             struct tr_err *err)
{
    struct apply *apply = context;
    struct tr_rows_change *to = &apply->changes[apply->change_count++];
    (void)err;
    *to = (struct tr_rows_change){change->quad, change->is_added};
    return make_quad_real(apply, &to->quad);
}

static int compare_changes(const void *a, const void *b)
{
    const struct tr_rows_change *x = a;
    const struct tr_rows_change *y = b;
    return (x->quad.s > y->quad.s) - (x->quad.s < y->quad.s);
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

static tr_status gather_changes(struct apply *apply)
{
    TR_TRY(tr_graph_overlay_each(apply->lander->overlay, take_change, apply,
                                 apply->err));
    qsort(apply->changes, apply->change_count, sizeof(*apply->changes),
          compare_changes);
    return TR_OK;
}

static int compare_nodes(const void *a, const void *b)
{
    const struct node *x = a;
    const struct node *y = b;
    return (x->s > y->s) - (x->s < y->s);
}

/* What was created and deleted in between has no row, and gets no number. */
static tr_status gather_nodes(struct apply *apply)
{
    const struct tr_map *nodes = &apply->lander->nodes;
    for (size_t i = 0; i < nodes->count; i++) {
        const struct tr_graph_pending *pending = nodes->entries[i].value;
        struct node node = {pending->subject, pending};
        if (!pending->exists && !pending->is_said)
            continue;
        TR_TRY(make_real(apply, &node.s));
        apply->nodes[apply->node_count++] = node;
    }
    qsort(apply->nodes, apply->node_count, sizeof(*apply->nodes),
          compare_nodes);
    return TR_OK;
}

static tr_status remove_text(struct apply *apply, tr_rdf_id subject)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(apply->lander->db,
                         "DELETE FROM search WHERE rowid = ?1", &stmt,
                         apply->err));
    tr_db_bind_i64(stmt, 1, (int64_t)subject);
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

/* `*at` is the first change of the node, or of one behind it. */
static tr_status write_row(struct apply *apply, const struct node *node,
                           size_t *at)
{
    const struct tr_graph_pending *pending = node->pending;
    struct tr_rows_head head = {.is_node = pending->exists,
                                .type = pending->row.type,
                                .version = pending->version,
                                .is_new = !pending->is_said};
    const struct tr_rows_change *first = &apply->changes[*at];
    size_t count = 0;
    if (pending->exists)
        TR_TRY(make_real(apply, &head.type));
    if (pending->row.has_label)
        head.label = pending->row.label;
    while (*at + count < apply->change_count && first[count].quad.s == node->s)
        count++;
    *at += count;
    return tr_rows_storing_subject(&apply->storing, first, count, node->s,
                                   &head);
}

static tr_status write_node(struct apply *apply, const struct node *node,
                            size_t *at)
{
    const struct tr_graph_pending *pending = node->pending;
    TR_TRY(write_row(apply, node, at));
    if (pending->is_stored)
        TR_TRY(remove_text(apply, node->s));
    return pending->exists ? write_text(apply, node->s, pending->row.search)
                           : TR_OK;
}

static tr_status write_nodes(struct apply *apply)
{
    size_t at = 0;
    for (size_t i = 0; i < apply->node_count; i++)
        TR_TRY(write_node(apply, &apply->nodes[i], &at));
    if (at != apply->change_count)
        return tr_fail(apply->err, TR_E_INTERNAL,
                       "a quad has changed of what is no node");
    return tr_rows_storing_finish(&apply->storing);
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

static tr_status write_all(struct apply *apply)
{
    struct tr_graph_lander *lander = apply->lander;
    TR_TRY(write_counts(apply));
    TR_TRY(gather_changes(apply));
    TR_TRY(gather_nodes(apply));
    TR_TRY(write_nodes(apply));
    TR_TRY(tr_graph_lander_write_counters(lander, apply->err));
    for (size_t i = 0; i < lander->landings.count; i++)
        TR_TRY(write_feed(apply, lander->landings.items[i]));
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
        .changes = TR_NEW_ARRAY(arena, struct tr_rows_change, changes + 1),
        .nodes = TR_NEW_ARRAY(arena, struct node, lander->nodes.count + 1),
        .types = TR_NEW_ARRAY(arena, tr_rdf_ids, changes + 1),
        .err = err,
    };
    if (!apply.real || !apply.changes || !apply.nodes || !apply.types)
        return no_memory(err);
    tr_rows_storing_init(&apply.storing, lander->db, lander->terms, arena, err);
    tr_status status = write_all(&apply);
    tr_rows_storing_done(&apply.storing);
    return status;
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
