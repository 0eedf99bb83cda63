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

static tr_status drop(struct tr_graph_load *load,
                      struct tr_graph_value_rows *rows, struct tr_err *err)
{
    const tr_rdf_id *fresh = (const void *)load->fresh.ptr;
    size_t count = load->fresh.len / sizeof(*fresh);
    for (size_t i = 0; i < count; i++) {
        TR_TRY(add(load, rows, fresh[i], err));
        if (rows->items.count >= CHUNK)
            TR_TRY(flush(load, rows, false, err));
    }
    return flush(load, rows, false, err);
}

static tr_status put(struct tr_graph_load *load,
                     struct tr_graph_value_rows *rows, struct tr_err *err)
{
    struct tr_graph_load_subject subject;
    for (uint64_t at = 0; tr_graph_load_next(load, &at, &subject);) {
        TR_TRY(add(load, rows, subject.id, err));
        if (rows->items.count >= CHUNK)
            TR_TRY(flush(load, rows, true, err));
    }
    return flush(load, rows, true, err);
}

typedef tr_status change_fn(struct tr_graph_load *load,
                            struct tr_graph_value_rows *rows,
                            struct tr_err *err);

static tr_status run(struct tr_graph_load *load, change_fn *change,
                     struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_graph_value_rows rows = {.arena = &arena};
    if (load->values.count == 0)
        return TR_OK;
    tr_arena_init(&arena, TR_LIMIT_CHANGE_BYTES);
    tr_status status = change(load, &rows, err);
    tr_arena_done(&arena);
    return status;
}

tr_status tr_graph_load_drop_values(struct tr_graph_load *load,
                                    struct tr_err *err)
{
    tr_status status = run(load, drop, err);
    tr_buf_clear(&load->fresh);
    return status;
}

tr_status tr_graph_load_put_values(struct tr_graph_load *load,
                                   struct tr_err *err)
{
    return run(load, put, err);
}
