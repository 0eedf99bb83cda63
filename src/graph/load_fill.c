/* What types say of imported nodes beside their shapes (model/fill.h). */
#include "graph/load_inside.h"
#include "model/fill.h"

static tr_status is_old(void *context, const tr_rdf_term *node, bool *out,
                        struct tr_err *err)
{
    struct tr_graph_load *load = context;
    tr_rdf_id id = TR_RDF_ID_NONE;
    TR_TRY(tr_graph_terms_find(load->terms, node, &id, err));
    return tr_graph_load_knows(load, id, out, err);
}

/* A batch that is in the store makes room; else it is what was read. */
static tr_status put(void *context, const tr_rdf_quad *quad, struct tr_err *err)
{
    struct tr_graph_load *load = context;
    if (load->batches)
        TR_TRY(tr_graph_load_make_room(load, err));
    load->counts.filled++;
    return tr_graph_load_put(load, quad, err);
}

static tr_status fill_store(struct tr_graph_load *load,
                            struct tr_model_filling *how, struct tr_err *err)
{
    TR_TRY(tr_graph_load_flush(load, err));
    how->graph = &load->stored.base;
    struct tr_graph_load_subject subject;
    for (uint64_t at = 0; tr_graph_load_next(load, &at, &subject);) {
        TR_TRY(tr_model_fill_node(how, subject.id, err));
        tr_graph_terms_trim(load->terms, TR_GRAPH_TERMS_BYTES);
    }
    return TR_OK;
}

tr_status tr_graph_load_fill(struct tr_graph_load *load, struct tr_err *err)
{
    struct tr_model_filling how = {
        .model = load->opts.model,
        .graph = tr_rdf_memory_graph_view(load->batch),
        .only_checks = load->opts.refused != NULL,
        .context = load,
        .is_old = is_old,
        .put = put,
    };
    if (!tr_model_has_filling(how.model))
        return TR_OK;
    TR_TRY(load->batches ? fill_store(load, &how, err)
                         : tr_model_fill_all(&how, err));
    return tr_rdf_memory_graph_index(load->batch, err);
}
