/*
 * The new state of a small import is validated before the writer's lock is
 * taken: on a graph of what the store has now, and of the batch over it. Under
 * the lock it only has to be seen that the store is still the same.
 */
#include "base/limits.h"
#include "graph/load_inside.h"
#include "graph/overlay.h"
#include "graph/store.h"
#include "model/model.h"

static tr_status read_mark(struct tr_graph_load *load,
                           struct tr_graph_load_mark *out, struct tr_err *err)
{
    TR_TRY(tr_graph_epoch_read(load->db, &out->epoch, err));
    return tr_graph_feed_last(load->db, &out->change, err);
}

static tr_status intern(struct tr_graph_overlay *overlay,
                        const struct tr_rdf_graph *batch, tr_rdf_id here,
                        tr_rdf_id *out, struct tr_err *err)
{
    tr_rdf_term term;
    *out = here;
    if (here == TR_RDF_ID_DEFAULT_GRAPH)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(batch, here, &term, err));
    return tr_graph_overlay_intern(overlay, &term, out, err);
}

static tr_status put_quad(struct tr_graph_overlay *overlay,
                          const struct tr_rdf_graph *batch, tr_rdf_ids row,
                          struct tr_err *err)
{
    tr_rdf_ids quad;
    bool changed = false;
    TR_TRY(intern(overlay, batch, row.s, &quad.s, err));
    TR_TRY(intern(overlay, batch, row.p, &quad.p, err));
    TR_TRY(intern(overlay, batch, row.o, &quad.o, err));
    TR_TRY(intern(overlay, batch, row.g, &quad.g, err));
    return tr_graph_overlay_add(overlay, quad, &changed, err);
}

static tr_status fill(struct tr_graph_overlay *overlay,
                      const struct tr_rdf_graph *batch, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_status status = TR_OK;
    tr_rdf_graph_match(batch,
                       (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                    TR_RDF_ID_ANY},
                       &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = put_quad(overlay, batch, row, err);
    tr_status closed = tr_rdf_cursor_close(&cursor, err);
    return status != TR_OK ? status : closed;
}

/* What is in the store may not change meanwhile: a transaction that reads. */
static tr_status check_over_store(struct tr_graph_load *load,
                                  struct tr_err *err)
{
    const struct tr_rdf_graph *batch = tr_rdf_memory_graph_view(load->batch);
    struct tr_graph_overlay *overlay = NULL;
    if (load->was_empty)
        return tr_graph_load_check_shapes(load, batch, err);
    TR_TRY(tr_graph_overlay_create(&load->ahead, &load->stored.base, &overlay,
                                   err));
    TR_TRY(tr_graph_load_hide_gone(load, overlay, err));
    TR_TRY(fill(overlay, batch, err));
    return tr_graph_load_check_shapes(load, tr_graph_overlay_view(overlay),
                                      err);
}

/* After a failure the transaction goes on: the report may have to be written.
 */
static tr_status check_now(struct tr_graph_load *load, struct tr_err *err)
{
    TR_TRY(tr_db_begin(load->db, TR_DB_READ, err));
    TR_TRY(tr_graph_load_note_before(load, err));
    TR_TRY(read_mark(load, &load->mark, err));
    TR_TRY(check_over_store(load, err));
    tr_shacl_validation_free(load->validation);
    load->validation = NULL;
    tr_arena_done(&load->ahead);
    tr_arena_init(&load->ahead, TR_LIMIT_LOAD_AHEAD_BYTES);
    tr_db_rollback(load->db);
    tr_graph_terms_forget(load->terms);
    return TR_OK;
}

static bool is_small(const struct tr_graph_load *load)
{
    size_t most =
        load->opts.max_ahead ? load->opts.max_ahead : TR_LIMIT_LOAD_AHEAD;
    return load->batches == 0 && load->batch_count <= most;
}

/* Others may write between the two: then what they wrote is part of it, too. */
tr_status tr_graph_load_check_ahead(struct tr_graph_load *load,
                                    struct tr_err *err)
{
    struct tr_graph_load_mark now = {0};
    if (!is_small(load) || !load->opts.model || !load->opts.model->shapes)
        return TR_OK;
    for (int tries = 0; tries < TR_LIMIT_LOAD_TRIES; tries++) {
        TR_TRY(check_now(load, err));
        if (load->opts.checked)
            load->opts.checked(load->opts.data);
        TR_TRY(tr_graph_load_begin(load, err));
        TR_TRY(read_mark(load, &now, err));
        load->is_checked =
            now.epoch == load->mark.epoch && now.change == load->mark.change;
        if (load->is_checked)
            return TR_OK;
        tr_db_rollback(load->db);
        load->is_begun = false;
    }
    return tr_fail(err, TR_E_UNAVAILABLE,
                   "others have changed the store each of %d times while the "
                   "import was validated: try again",
                   TR_LIMIT_LOAD_TRIES);
}
