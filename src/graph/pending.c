#include "graph/land_inside.h"
#include "rows/bodies.h"

static tr_str key_of(const tr_rdf_id *subject)
{
    return (tr_str){(const char *)subject, sizeof(*subject)};
}

struct tr_graph_pending *
tr_graph_pending_find(const struct tr_graph_lander *lander, tr_rdf_id subject)
{
    return tr_map_find(&lander->nodes, key_of(&subject));
}

/* What the store has of a node. */
static tr_status read_row(struct tr_graph_lander *lander,
                          struct tr_graph_pending *node, struct tr_err *err)
{
    struct tr_rows_body *body;
    TR_TRY(tr_rows_body_read(lander->terms, node->subject, &body, err));
    node->is_said = body->is_there;
    node->is_stored = node->exists = body->is_node;
    node->row.type = body->type;
    node->version = body->version;
    return TR_OK;
}

static tr_status open_node(struct tr_graph_lander *lander, tr_rdf_id subject,
                           struct tr_graph_pending **out, struct tr_err *err)
{
    struct tr_graph_pending *node = tr_graph_pending_find(lander, subject);
    *out = node;
    if (node)
        return TR_OK;
    *out = node = TR_NEW(&lander->arena, struct tr_graph_pending);
    if (!node)
        return tr_fail(err, TR_E_NOMEM, "no memory for changes");
    node->subject = subject;
    if (!tr_graph_id_is_new(subject))
        TR_TRY(read_row(lander, node, err));
    return tr_map_set(&lander->nodes, key_of(&node->subject), node)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for changes");
}

/* A node without quads is gone. */
static tr_status note_node(struct tr_graph_landing_job *job, tr_rdf_id subject)
{
    tr_rdf_ids pattern = {subject, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    struct tr_graph_touched touched = {.subject = subject};
    struct tr_graph_landing *landing = job->landing;
    struct tr_graph_pending *node;
    bool is_there;
    TR_TRY(open_node(job->lander, subject, &node, job->err));
    TR_TRY(tr_rdf_graph_has(job->after, pattern, &is_there, job->err));
    if (is_there) {
        TR_TRY(tr_graph_row_make(job->after, landing->model, subject,
                                 &job->lander->arena, &node->row, job->err));
        touched.change =
            node->exists ? TR_GRAPH_NODE_UPDATED : TR_GRAPH_NODE_CREATED;
        node->version++;
    } else {
        touched.change = TR_GRAPH_NODE_DELETED;
        node->version = 0;
    }
    node->exists = is_there;
    touched.type = node->row.type;
    return tr_vec_push(landing->arena, &landing->touched, touched)
               ? TR_OK
               : tr_fail(job->err, TR_E_NOMEM, "no memory for changes");
}

tr_status tr_graph_landing_job_note_nodes(struct tr_graph_landing_job *job)
{
    for (size_t i = 0; i < job->subject_count; i++)
        TR_TRY(note_node(job, job->subjects[i]));
    return TR_OK;
}
