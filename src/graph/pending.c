#include "graph/land_inside.h"

static tr_str key_of(const tr_rdf_id *subject)
{
    return (tr_str){(const char *)subject, sizeof(*subject)};
}

struct tr_pending *tr_pending_find(const struct tr_lander *lander,
                                   tr_rdf_id subject)
{
    return tr_map_find(&lander->nodes, key_of(&subject));
}

/* What the store has of a node. */
static tr_status read_row(struct tr_db *db, struct tr_pending *node,
                          struct tr_err *err)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "SELECT type, version FROM node WHERE s = ?1",
                         &stmt, err));
    tr_bind_i64(stmt, 1, (int64_t)node->subject);
    TR_TRY(tr_stmt_step(stmt, &node->is_stored, err));
    if (node->is_stored) {
        node->row.type = (tr_rdf_id)tr_column_i64(stmt, 0);
        node->version = tr_column_i64(stmt, 1);
    }
    node->exists = node->is_stored;
    tr_stmt_reset(stmt);
    return TR_OK;
}

static tr_status open_node(struct tr_lander *lander, tr_rdf_id subject,
                           struct tr_pending **out, struct tr_err *err)
{
    struct tr_pending *node = tr_pending_find(lander, subject);
    *out = node;
    if (node)
        return TR_OK;
    *out = node = TR_NEW(&lander->arena, struct tr_pending);
    if (!node)
        return tr_fail(err, TR_E_NOMEM, "no memory for changes");
    node->subject = subject;
    if (!tr_id_is_new(subject))
        TR_TRY(read_row(lander->db, node, err));
    return tr_map_set(&lander->nodes, key_of(&node->subject), node)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for changes");
}

/* One of which nothing is said any more is gone. */
static tr_status note_node(struct tr_flight *step, tr_rdf_id subject)
{
    tr_rdf_ids pattern = {subject, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_touched touched = {.subject = subject};
    struct tr_landing *landing = step->landing;
    struct tr_pending *node;
    bool is_there;
    TR_TRY(open_node(step->lander, subject, &node, step->err));
    TR_TRY(tr_rdf_graph_has(step->after, pattern, &is_there, step->err));
    if (is_there) {
        TR_TRY(tr_row_make(step->after, landing->model, subject,
                           &step->lander->arena, &node->row, step->err));
        touched.fate = node->exists ? TR_UPDATED : TR_CREATED;
        node->version++;
    } else {
        touched.fate = TR_DELETED;
        node->version = 0;
    }
    node->exists = is_there;
    touched.type = node->row.type;
    return tr_vec_push(landing->arena, &landing->touched, touched)
               ? TR_OK
               : tr_fail(step->err, TR_E_NOMEM, "no memory for changes");
}

tr_status tr_flight_note_nodes(struct tr_flight *step)
{
    for (size_t i = 0; i < step->subject_count; i++)
        TR_TRY(note_node(step, step->subjects[i]));
    return TR_OK;
}
