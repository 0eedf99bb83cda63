#include "graph/kg.h"

#include "base/limits.h"

void tr_graph_kg_init(struct tr_graph_kg *kg, struct tr_graph_reader *reader,
                      const struct tr_model *model, struct tr_arena *arena)
{
    *kg =
        (struct tr_graph_kg){.reader = reader, .model = model, .arena = arena};
    tr_graph_changeset_init(&kg->changes, arena);
    tr_arena_init(&kg->overlay_arena, TR_LIMIT_CHANGE_BYTES);
}

void tr_graph_kg_done(struct tr_graph_kg *kg)
{
    tr_arena_done(&kg->overlay_arena);
}

static void drop_overlay(struct tr_graph_kg *kg)
{
    kg->overlay = NULL;
    kg->played = 0;
    tr_arena_reset(&kg->overlay_arena);
}

/* The overlay is made anew when the store below it has changed. */
static tr_status renew_overlay(struct tr_graph_kg *kg, struct tr_err *err)
{
    int64_t state = 0;
    TR_TRY(tr_db_state(kg->reader->db, &state, err));
    if (state != kg->state)
        drop_overlay(kg);
    kg->state = state;
    if (!kg->overlay)
        TR_TRY(tr_graph_overlay_create(
            &kg->overlay_arena, &kg->reader->stored.base, &kg->overlay, err));
    tr_status status = tr_graph_changeset_play(&kg->changes, kg->played,
                                               kg->model, kg->overlay, err);
    kg->played = kg->changes.ops.count;
    return status;
}

tr_status tr_graph_kg_enter(struct tr_graph_kg *kg,
                            struct tr_graph_read_ctx *out, struct tr_err *err)
{
    TR_TRY(tr_graph_reader_begin(kg->reader, err));
    *out = (struct tr_graph_read_ctx){
        .db = kg->reader->db,
        .terms = kg->reader->terms,
        .graph = &kg->reader->stored.base,
        .model = kg->model,
        .arena = kg->arena,
        .values = &kg->reader->values,
        .scans = kg->scans,
    };
    if (kg->changes.ops.count == 0)
        return TR_OK;
    tr_status status = renew_overlay(kg, err);
    if (status != TR_OK) {
        drop_overlay(kg);
        tr_graph_reader_end(kg->reader);
        return status;
    }
    out->changes = kg->overlay;
    out->graph = tr_graph_overlay_view(kg->overlay);
    return TR_OK;
}

void tr_graph_kg_leave(struct tr_graph_kg *kg)
{
    tr_graph_reader_end(kg->reader);
}

void tr_graph_kg_note_used(struct tr_graph_kg *kg, tr_rdf_id id)
{
    bool is_last =
        kg->used.count > 0 && kg->used.items[kg->used.count - 1] == id;
    if (tr_graph_id_is_new(id) || is_last ||
        kg->used.count >= TR_LIMIT_PROV_IDS)
        return;
    (void)tr_vec_push(kg->arena, &kg->used, id);
}

struct tr_graph_change_mark tr_graph_kg_mark(const struct tr_graph_kg *kg)
{
    return tr_graph_changeset_mark(&kg->changes);
}

void tr_graph_kg_undo(struct tr_graph_kg *kg, struct tr_graph_change_mark mark)
{
    if (kg->changes.ops.count != mark.ops)
        drop_overlay(kg);
    tr_graph_changeset_undo(&kg->changes, mark);
}
