/*
 * graph/overlay.h - a graph with changes that are not in the store yet.
 *
 * A handler reads it after it has written, and the writer validates it before a
 * changeset lands. It has the quads of a graph, without those that are removed,
 * with those that are added. New terms get ids of their own, which the store
 * never gives out. The graph below it must not change while it is used. An
 * overlay lives in an arena and belongs to one thread.
 */
#ifndef TR_GRAPH_OVERLAY_H
#define TR_GRAPH_OVERLAY_H

#include "base/arena.h"
#include "rows/term_id.h"

struct tr_graph_overlay;

TR_NODISCARD tr_status tr_graph_overlay_create(struct tr_arena *arena,
                                               const struct tr_rdf_graph *below,
                                               struct tr_graph_overlay **out,
                                               struct tr_err *err);

/* The read interface; borrowed. */
const struct tr_rdf_graph *
tr_graph_overlay_view(const struct tr_graph_overlay *overlay);

/* The id of a term, here or below; its text is copied when it is new. */
TR_NODISCARD tr_status tr_graph_overlay_intern(struct tr_graph_overlay *overlay,
                                               const tr_rdf_term *term,
                                               tr_rdf_id *out,
                                               struct tr_err *err);

/* Says in whose name changes are made from now on. */
void tr_graph_overlay_begin(struct tr_graph_overlay *overlay, void *by);

/* `*changed` after add: false if present; remove: false if absent. */
TR_NODISCARD tr_status tr_graph_overlay_add(struct tr_graph_overlay *overlay,
                                            tr_rdf_ids quad, bool *changed,
                                            struct tr_err *err);
TR_NODISCARD tr_status tr_graph_overlay_remove(struct tr_graph_overlay *overlay,
                                               tr_rdf_ids quad, bool *changed,
                                               struct tr_err *err);

/* One quad that differs from the graph below. */
typedef struct tr_graph_change {
    tr_rdf_ids quad;
    bool is_added; /* else it is removed */
    void *by;      /* who changed it last: see tr_graph_overlay_begin */
} tr_graph_change;

/* How many changes there are, and each; those taken back do not count. */
size_t tr_graph_overlay_count(const struct tr_graph_overlay *overlay);
typedef tr_status tr_graph_change_fn(void *context,
                                     const tr_graph_change *change,
                                     struct tr_err *err);
TR_NODISCARD tr_status tr_graph_overlay_each(
    const struct tr_graph_overlay *overlay, tr_graph_change_fn *visit,
    void *context, struct tr_err *err);

/*
 * The mark stands where it was put last, at first at the beginning. Changes
 * since the mark can be listed, in any order, and undone. A quad that was added
 * and removed again since then is not listed, but may be counted.
 */
void tr_graph_overlay_mark(struct tr_graph_overlay *overlay);
void tr_graph_overlay_undo(struct tr_graph_overlay *overlay);
size_t tr_graph_overlay_count_since(const struct tr_graph_overlay *overlay);
TR_NODISCARD tr_status tr_graph_overlay_each_since(
    const struct tr_graph_overlay *overlay, tr_graph_change_fn *visit,
    void *context, struct tr_err *err);

/* As tr_graph_overlay_each, for those that match a pattern: cheap with a
 * subject or an object. */
TR_NODISCARD tr_status tr_graph_overlay_each_like(
    const struct tr_graph_overlay *overlay, tr_rdf_ids pattern,
    tr_graph_change_fn *visit, void *context, struct tr_err *err);

/* Whether a changed quad has this subject. */
bool tr_graph_overlay_touches(const struct tr_graph_overlay *overlay,
                              tr_rdf_id subject);

/* Whether an id is of a term that the graph below does not have. */
bool tr_graph_id_is_new(tr_rdf_id id);

/* How many such terms there are, and which of them an id is: from 0. */
size_t tr_graph_overlay_new_count(const struct tr_graph_overlay *overlay);
size_t tr_graph_id_new_index(tr_rdf_id id);

#endif
