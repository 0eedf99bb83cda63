/* Quads that an import takes away: of nodes that it replaces or deletes. */
#include "base/limits.h"
#include "graph/load_inside.h"
#include "graph/overlay.h"
#include "rdf/term.h"

tr_status tr_graph_load_remove(struct tr_graph_load *load, tr_rdf_ids quad,
                               struct tr_err *err)
{
    TR_TRY(tr_graph_load_make_room(load, err));
    return tr_graph_load_push(&load->gone, &quad, sizeof(quad), err);
}

static size_t count_of(const struct tr_graph_load *load)
{
    return load->gone.len / sizeof(tr_rdf_ids);
}

/* Before anything of them goes: rows of indexes are made of what is there. */
static tr_status note_subjects(struct tr_graph_load *load, struct tr_err *err)
{
    const tr_rdf_ids *gone = (const void *)load->gone.ptr;
    for (size_t i = 0; i < count_of(load); i++) {
        const struct tr_graph_load_subject subject = {gone[i].s, gone[i].s};
        if (i == 0 || gone[i].s != gone[i - 1].s)
            TR_TRY(tr_graph_load_note(load, &subject, err));
    }
    return tr_graph_load_drop_values(load, err);
}

static tr_status remove_one(struct tr_graph_load *load, tr_rdf_ids quad,
                            tr_rdf_id type, struct tr_err *err)
{
    bool changed = false;
    TR_TRY(tr_graph_quads_remove(load->db, quad, &changed, err));
    load->counts.removed += changed;
    return changed && quad.p == type
               ? tr_graph_load_push(&load->classes, &quad.o, sizeof(quad.o),
                                    err)
               : TR_OK;
}

tr_status tr_graph_load_gone(struct tr_graph_load *load, struct tr_err *err)
{
    const tr_rdf_ids *gone = (const void *)load->gone.ptr;
    tr_rdf_id type = TR_RDF_ID_NONE;
    if (count_of(load) == 0)
        return TR_OK;
    TR_TRY(tr_rdf_graph_find_iri(&load->stored.base,
                                 TR_STR(TR_RDF_IRI_RDF_TYPE), &type, err));
    load->has_gone = true;
    TR_TRY(note_subjects(load, err));
    for (size_t i = 0; i < count_of(load); i++)
        TR_TRY(remove_one(load, gone[i], type, err));
    tr_buf_clear(&load->gone);
    return TR_OK;
}

tr_status tr_graph_load_hide_gone(const struct tr_graph_load *load,
                                  struct tr_graph_overlay *overlay,
                                  struct tr_err *err)
{
    const tr_rdf_ids *gone = (const void *)load->gone.ptr;
    for (size_t i = 0; i < count_of(load); i++) {
        bool changed;
        TR_TRY(tr_graph_overlay_remove(overlay, gone[i], &changed, err));
    }
    return TR_OK;
}
