#include "base/limits.h"
#include "graph/load_inside.h"

/* Rows that are gathered before they are written, in their order. */
#define CHUNK ((size_t)100000)

static tr_status add(struct tr_graph_load *load,
                     struct tr_graph_value_rows *rows, tr_rdf_id subject,
                     struct tr_err *err)
{
    struct tr_graph_value_source view = {.graph = &load->stored.base};
    TR_TRY(tr_graph_value_rows_add(rows, &load->values, &view, subject, subject,
                                   err));
    tr_graph_terms_trim(load->terms, TR_GRAPH_TERMS_BYTES);
    return TR_OK;
}

static tr_status flush(const struct tr_graph_load *load,
                       struct tr_graph_value_rows *rows, bool is_insert,
                       struct tr_err *err)
{
    struct tr_arena *arena = rows->arena;
    TR_TRY(is_insert ? tr_graph_value_rows_insert(rows, load->db, err)
                     : tr_graph_value_rows_delete(rows, load->db, err));
    *rows = (struct tr_graph_value_rows){.arena = arena};
    tr_arena_reset(arena);
    return TR_OK;
}

static tr_status change(struct tr_graph_load *load,
                        struct tr_graph_value_rows *rows, size_t from,
                        bool is_insert, struct tr_err *err)
{
    const struct tr_graph_load_subject *items =
        (const void *)load->subjects.ptr;
    size_t count = load->subjects.len / sizeof(*items);
    for (size_t i = from; i < count; i++) {
        if (!is_insert && items[i].id >= load->first_id)
            continue; /* it had no rows before */
        TR_TRY(add(load, rows, items[i].id, err));
        if (rows->items.count >= CHUNK)
            TR_TRY(flush(load, rows, is_insert, err));
    }
    return flush(load, rows, is_insert, err);
}

static tr_status run(struct tr_graph_load *load, size_t from, bool is_insert,
                     struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_graph_value_rows rows = {.arena = &arena};
    if (load->values.count == 0)
        return TR_OK;
    tr_arena_init(&arena, TR_LIMIT_CHANGE_BYTES);
    tr_status status = change(load, &rows, from, is_insert, err);
    tr_arena_done(&arena);
    return status;
}

tr_status tr_graph_load_drop_values(struct tr_graph_load *load, size_t from,
                                    struct tr_err *err)
{
    return load->was_empty ? TR_OK : run(load, from, false, err);
}

tr_status tr_graph_load_put_values(struct tr_graph_load *load,
                                   struct tr_err *err)
{
    return run(load, 0, true, err);
}
