/* From nodes that shapes refuse to the rows that they came from. */
#include "table/inside.h"

void tr_table_note_origins(const struct tr_table *table,
                           const struct tr_table_row *row, tr_str iri)
{
    struct tr_table_origin *origin = tr_map_find(table->origins, iri);
    for (; origin; origin = origin->next) {
        const struct tr_table_cell *cell =
            tr_table_find_cell(row, origin->field);
        origin->path = row->file->path;
        origin->file = (size_t)(row->file - table->opts.files);
        origin->row = row->number;
        origin->place = cell ? cell->place : row->place;
    }
}

tr_status tr_table_find(struct tr_table *table, struct tr_table_origin *origins,
                        size_t count, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_map by_iri;
    tr_status status = TR_OK;
    tr_arena_init(&arena, TR_LIMIT_TABLE_ROW);
    tr_map_init(&by_iri, &arena);
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        origins[i].path = NULL;
        origins[i].next = tr_map_find(&by_iri, origins[i].iri);
        if (!tr_map_set(&by_iri, origins[i].iri, &origins[i]))
            status = tr_fail(err, TR_E_NOMEM, "no memory to find rows");
    }
    table->origins = &by_iri;
    if (status == TR_OK)
        status = tr_table_read_files(table, err);
    table->origins = NULL;
    tr_arena_done(&arena);
    return status;
}

tr_status tr_table_leave_out_rows(struct tr_table *table,
                                  const struct tr_table_origin *origins,
                                  size_t count, bool *more, struct tr_err *err)
{
    uint64_t before = table->counts.bad;
    for (size_t i = 0; i < count; i++) {
        const struct tr_table_origin *origin = &origins[i];
        const struct tr_table_spot spot = {origin->row, origin->file,
                                           origin->place};
        if (origin->path)
            TR_TRY(tr_table_staging_tell(&table->staging, &spot, true,
                                         origin->why, err));
    }
    TR_TRY(tr_table_settle(table, err));
    *more = table->counts.bad > before;
    return TR_OK;
}
