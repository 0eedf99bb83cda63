#include "graph/land_inside.h"

#include <stdlib.h>

/* Subjects of changes that an index may know of. */
struct subjects {
    const struct tr_graph_value_set *set;
    tr_rdf_id *items;
    size_t count;
};

static tr_status keep_subject(void *context, const tr_graph_change *change,
                              struct tr_err *err)
{
    struct subjects *to = context;
    (void)err;
    if (tr_graph_value_set_has(to->set, change->quad.p) &&
        (to->count == 0 || to->items[to->count - 1] != change->quad.s))
        to->items[to->count++] = change->quad.s;
    return TR_OK;
}

static tr_status add_rows(struct tr_graph_lander *lander,
                          const struct tr_graph_value_source *view,
                          tr_rdf_id subject, struct tr_graph_value_rows *old,
                          struct tr_graph_value_rows *new, struct tr_err *err)
{
    struct tr_graph_value_source before = {.graph = &lander->stored.base};
    tr_rdf_id real = subject;
    if (!tr_graph_id_is_new(subject))
        TR_TRY(tr_graph_value_rows_add(old, &lander->values, &before, subject,
                                       subject, err));
    TR_TRY(view->real(view->context, &real, err));
    return tr_graph_value_rows_add(new, &lander->values, view, subject, real,
                                   err);
}

tr_status tr_graph_lander_write_values(struct tr_graph_lander *lander,
                                       const struct tr_graph_value_source *view,
                                       struct tr_err *err)
{
    struct tr_arena *arena = &lander->scratch;
    struct tr_graph_value_rows old = {.arena = arena};
    struct tr_graph_value_rows new = {.arena = arena};
    struct subjects subjects = {.set = &lander->values};
    size_t changes = tr_graph_overlay_count(lander->overlay);
    if (lander->values.count == 0 || changes == 0)
        return TR_OK;
    subjects.items = TR_NEW_ARRAY(arena, tr_rdf_id, changes);
    if (!subjects.items)
        return tr_fail(err, TR_E_NOMEM, "no memory for changes");
    TR_TRY(
        tr_graph_overlay_each(lander->overlay, keep_subject, &subjects, err));
    subjects.count = tr_graph_ids_sort(subjects.items, subjects.count);
    for (size_t i = 0; i < subjects.count; i++)
        TR_TRY(add_rows(lander, view, subjects.items[i], &old, &new, err));
    tr_graph_value_rows_differ(&old, &new);
    TR_TRY(tr_graph_value_rows_delete(&old, lander->db, err));
    return tr_graph_value_rows_insert(&new, lander->db, err);
}
