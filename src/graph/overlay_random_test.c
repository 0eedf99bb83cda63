/* A graph with changes answers as the graph that they would make. */
#include "base/limits.h"
#include "base/test.h"
#include "graph/overlay.h"
#include "rdf/memory_graph.h"
#include "support/quads.h"

static tr_rdf_ids intern(struct tr_graph_overlay *overlay,
                         const tr_rdf_quad *quad)
{
    struct tr_err err = {0};
    tr_rdf_ids ids = {.g = TR_RDF_ID_DEFAULT_GRAPH};
    CHECK_OK(tr_graph_overlay_intern(overlay, &quad->subject, &ids.s, &err),
             &err);
    CHECK_OK(tr_graph_overlay_intern(overlay, &quad->predicate, &ids.p, &err),
             &err);
    CHECK_OK(tr_graph_overlay_intern(overlay, &quad->object, &ids.o, &err),
             &err);
    if (quad->graph.kind != TR_RDF_TERM_NONE)
        CHECK_OK(tr_graph_overlay_intern(overlay, &quad->graph, &ids.g, &err),
                 &err);
    return ids;
}

static void change(struct tr_graph_overlay *overlay, struct quads *quads)
{
    struct tr_err err = {0};
    tr_rdf_quad quad = quads_random();
    bool changed = false;
    if (tr_test_random_below(2)) {
        CHECK_OK(tr_graph_overlay_add(overlay, intern(overlay, &quad), &changed,
                                      &err),
                 &err);
        CHECK(changed == (quads_find(quads, &quad) == quads->count));
        if (changed)
            quads_put(quads, &quad);
        return;
    }
    if (quads->count && tr_test_random_below(2))
        quad = quads->items[tr_test_random_below(quads->count)];
    size_t at = quads_find(quads, &quad);
    CHECK_OK(tr_graph_overlay_remove(overlay, intern(overlay, &quad), &changed,
                                     &err),
             &err);
    CHECK(changed == (at < quads->count));
    if (changed)
        quads_drop(quads, at);
}

/* Applies the changes to what was there before. */
struct replay {
    const struct tr_rdf_graph *graph;
    struct quads quads;
    size_t count;
};

static tr_status apply(void *context, const tr_graph_change *change,
                       struct tr_err *err)
{
    struct replay *replay = context;
    tr_rdf_quad quad;
    TR_TRY(tr_rdf_graph_quad(replay->graph, change->quad, &quad, err));
    size_t at = quads_find(&replay->quads, &quad);
    CHECK(change->is_added == (at == replay->quads.count));
    if (change->is_added)
        quads_put(&replay->quads, &quad);
    else
        quads_drop(&replay->quads, at);
    replay->count++;
    return TR_OK;
}

/* How many changes fit a pattern, by a look at all of them. */
struct tally {
    tr_rdf_ids pattern;
    size_t fitting;
    size_t visited;
};

static bool fits(tr_rdf_id wanted, tr_rdf_id found)
{
    return wanted == TR_RDF_ID_ANY || wanted == found;
}

static tr_status count_fitting(void *context, const tr_graph_change *change,
                               struct tr_err *err)
{
    struct tally *tally = context;
    (void)err;
    tally->fitting += fits(tally->pattern.s, change->quad.s) &&
                      fits(tally->pattern.p, change->quad.p) &&
                      fits(tally->pattern.o, change->quad.o) &&
                      fits(tally->pattern.g, change->quad.g);
    tally->visited++;
    return TR_OK;
}

static void check_tally(struct tr_graph_overlay *overlay, unsigned open)
{
    struct tr_err err = {0};
    tr_rdf_quad quad = quads_random();
    tr_rdf_ids ids = intern(overlay, &quad);
    struct tally all = {.pattern = {open & 1 ? TR_RDF_ID_ANY : ids.s,
                                    open & 2 ? TR_RDF_ID_ANY : ids.p,
                                    open & 4 ? TR_RDF_ID_ANY : ids.o,
                                    open & 8 ? TR_RDF_ID_ANY : ids.g}};
    struct tally some = all;
    CHECK_OK(tr_graph_overlay_each(overlay, count_fitting, &all, &err), &err);
    CHECK_OK(tr_graph_overlay_each_like(overlay, some.pattern, count_fitting,
                                        &some, &err),
             &err);
    CHECK_INT(some.visited, all.fitting);
    CHECK_INT(some.fitting, all.fitting);
    if (open == 14)
        CHECK(tr_graph_overlay_touches(overlay, ids.s) == (all.fitting > 0));
}

static struct tr_rdf_memory_graph *make_below(struct quads *quads)
{
    struct tr_rdf_memory_graph *below = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_create(0, &below, &err), &err);
    quads->count = 0;
    for (size_t i = 0; i < 60; i++) {
        tr_rdf_quad quad = quads_random();
        if (quads_find(quads, &quad) == quads->count)
            quads_put(quads, &quad);
        CHECK_OK(tr_rdf_memory_graph_add(below, &quad, &err), &err);
    }
    CHECK_OK(tr_rdf_memory_graph_index(below, &err), &err);
    return below;
}

TEST(overlay_answers_as_if_its_changes_had_landed)
{
    static struct quads quads;
    static struct replay replay;
    for (size_t n = tr_test_scaled(400); n > 0; n--) {
        struct tr_rdf_memory_graph *below = make_below(&quads);
        struct tr_graph_overlay *overlay = NULL;
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(64));
        replay = (struct replay){.quads = quads};
        CHECK_OK(tr_graph_overlay_create(
                     &arena, tr_rdf_memory_graph_view(below), &overlay, &err),
                 &err);
        for (size_t i = 0; i < 200; i++) {
            change(overlay, &quads);
            if (i % 50 == 0)
                quads_compare(&quads, tr_graph_overlay_view(overlay));
        }
        quads_compare(&quads, tr_graph_overlay_view(overlay));
        replay.graph = tr_graph_overlay_view(overlay);
        CHECK_OK(tr_graph_overlay_each(overlay, apply, &replay, &err), &err);
        CHECK_INT(replay.count, tr_graph_overlay_count(overlay));
        quads_compare(&replay.quads, tr_graph_overlay_view(overlay));
        for (unsigned open = 0; open < 16; open++)
            check_tally(overlay, open);
        for (tr_rdf_id id = 1000; id < 1200; id++) /* of nobody */
            CHECK(!tr_graph_overlay_touches(overlay, id));
        tr_arena_done(&arena);
        tr_rdf_memory_graph_free(below);
    }
}
