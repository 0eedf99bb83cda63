#include "base/limits.h"
#include "base/test.h"
#include "graph/overlay_inside.h"
#include "rdf/memory_graph.h"
#include "support/steps.h"

static uint64_t old_mix(uint64_t a, uint64_t b)
{
    return (a ^ b * UINT64_C(0x9E3779B97F4A7C15)) *
           UINT64_C(0xD6E8FEB86659FD93);
}

static uint64_t old_hash_quad(tr_rdf_ids quad)
{
    uint64_t hash = old_mix(old_mix(quad.s, quad.p), old_mix(quad.o, quad.g));
    return hash ^ hash >> 32;
}

static uint64_t old_hash_object(tr_rdf_ids quad)
{
    uint64_t hash = old_mix(2, quad.o);
    return hash ^ hash >> 32;
}

/* One value of a field: what is hostile has the integer i << 42. */
static tr_rdf_ids make_quad(enum hostility kind, size_t i)
{
    uint64_t number = (uint64_t)hostile_integer(kind, i);
    return (tr_rdf_ids){tr_rows_id_make(100, TR_ROWS_TAG_IRI),
                        tr_rows_id_make(7, TR_ROWS_TAG_IRI),
                        tr_rows_id_make(number, TR_ROWS_TAG_INTEGER),
                        TR_RDF_ID_DEFAULT_GRAPH};
}

struct scene {
    struct tr_rdf_memory_graph *below;
    struct tr_arena arena;
    struct tr_graph_overlay *overlay;
};

static void open_scene(struct scene *scene)
{
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_create(TR_MIB(1), &scene->below, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(scene->below, &err), &err);
    tr_arena_init(&scene->arena, TR_MIB(256));
    CHECK_OK(tr_graph_overlay_create(&scene->arena,
                                     tr_rdf_memory_graph_view(scene->below),
                                     &scene->overlay, &err),
             &err);
}

static void close_scene(struct scene *scene)
{
    tr_arena_done(&scene->arena);
    tr_rdf_memory_graph_free(scene->below);
}

static struct steps count_steps(const struct tr_graph_overlay *overlay,
                                int order)
{
    struct steps steps = {0};
    for (size_t i = 0; i < overlay->buckets; i++) {
        size_t together = 0;
        const struct tr_graph_overlay_entry *e = overlay->tables[order][i];
        for (; e; e = order == TR_GRAPH_BY_O ? e->next_by_o : e->next_by_quad)
            together++;
        steps_add(&steps, together);
    }
    return steps;
}

static struct steps fill_quads(enum hostility kind, int order)
{
    struct scene scene;
    struct tr_err err = {0};
    open_scene(&scene);
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        bool changed = false;
        CHECK_OK(tr_graph_overlay_add(scene.overlay, make_quad(kind, i),
                                      &changed, &err),
                 &err);
        CHECK(changed);
    }
    struct steps steps = count_steps(scene.overlay, order);
    close_scene(&scene);
    return steps;
}

TEST(hash_of_quads_spreads_integers_that_are_shifted)
{
    enum { BUCKETS = 1 << 12 };
    static size_t old[2][BUCKETS];
    struct steps steps[2] = {{0}, {0}};
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        tr_rdf_ids quad = make_quad(HOSTILE, i);
        old[0][old_hash_quad(quad) % BUCKETS]++;
        old[1][old_hash_object(quad) % BUCKETS]++;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        steps_add(&steps[0], old[0][i]);
        steps_add(&steps[1], old[1][i]);
    }
    /* Once, a step for each other key in a good part of the table. */
    CHECK(steps[0].sum > 100.0 * STEPS_KEYS);
    CHECK(steps[1].sum > 100.0 * STEPS_KEYS);
    steps_compare(fill_quads(HOSTILE, TR_GRAPH_BY_QUAD),
                  fill_quads(HARMLESS, TR_GRAPH_BY_QUAD));
    steps_compare(fill_quads(HOSTILE, TR_GRAPH_BY_O),
                  fill_quads(HARMLESS, TR_GRAPH_BY_O));
}

/* Those who write several nodes choose subjects too. */
TEST(hash_of_quads_depends_on_every_part)
{
    static const uint64_t parts[][4] = {
        {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (size_t part = 0; part < TR_LEN(parts); part++) {
        struct scene scene;
        struct tr_err err = {0};
        open_scene(&scene);
        for (uint64_t i = 0; i < STEPS_KEYS; i++) {
            bool changed = false;
            uint64_t id = (i + 8) << 46;
            tr_rdf_ids quad = {9 + parts[part][0] * id, 9 + parts[part][1] * id,
                               9 + parts[part][2] * id,
                               9 + parts[part][3] * id};
            CHECK_OK(tr_graph_overlay_add(scene.overlay, quad, &changed, &err),
                     &err);
        }
        struct steps steps = count_steps(scene.overlay, TR_GRAPH_BY_QUAD);
        CHECK_INT(steps.keys, STEPS_KEYS);
        CHECK(steps.sum < 1.6 * STEPS_KEYS);
        close_scene(&scene);
    }
}

static struct steps fill_terms(enum hostility kind)
{
    struct scene scene;
    struct tr_err err = {0};
    struct steps steps = {0};
    open_scene(&scene);
    for (size_t i = 0; i < STEPS_KEYS; i++) {
        char text[HOSTILE_BYTES];
        tr_rdf_term term = tr_rdf_term_iri(hostile_text(kind, i, text));
        tr_rdf_id id = TR_RDF_ID_NONE;
        CHECK_OK(tr_graph_overlay_intern(scene.overlay, &term, &id, &err),
                 &err);
    }
    for (size_t i = 0; i < scene.overlay->term_buckets; i++) {
        size_t together = 0;
        const struct tr_graph_overlay_term *made = scene.overlay->by_term[i];
        for (; made; made = made->next_by_term)
            together++;
        steps_add(&steps, together);
    }
    close_scene(&scene);
    return steps;
}

TEST(hash_of_new_terms_spreads_hostile_iris)
{
    steps_compare(fill_terms(HOSTILE), fill_terms(HARMLESS));
}
