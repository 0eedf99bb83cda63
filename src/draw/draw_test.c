/*
 * Pictures: what texts become, where boxes stand, and that what is written is
 * whole, whatever is drawn.
 */
#include "draw/draw.h"

#include "base/limits.h"
#include "base/test.h"
#include "draw/layout.h"
#include "draw/text.h"
#include "support/world.h"

struct fixture {
    struct tr_arena arena;
    struct tr_draw_picture p;
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(256));
    f->p.arena = &f->arena;
}

static void tear_down(struct fixture *f)
{
    tr_arena_done(&f->arena);
}

TEST(texts_are_cut_to_what_a_picture_can_have)
{
    /* U+202E, which turns what follows. */
    static const char turned[] = {'a', '\xe2', '\x80', '\xae', 'b', '\0'};
    static const char *const rows[][2] = {
        {"plain", "plain"},
        {"  two\n\twords ", "two words"},
        {"red\x1b[31m", "red [31m"},
        {turned, "a b"},
        {"no \xff utf-8", "no utf-8"},
        {"no character \xef\xbf\xbf of XML", "no character of XML"},
        {"exactly so much", "exactly so much"},
        {"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x80\xa6"},
        {"", ""},
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_STR(tr_draw_text(&f.p, tr_str_from(rows[i][0]), 20), rows[i][1]);
    CHECK_INT(tr_draw_columns(TR_STR("a\xe6\xbc\xa2")), 3);
    tear_down(&f);
}

/* Numbers without an order, the same each time. */
static size_t below(uint64_t *state, size_t bound)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(*state >> 33) % bound;
}

/* Boxes, some of them with rows, and arrows between any of them. */
static void fill(struct fixture *f, size_t boxes, size_t edges)
{
    uint64_t state = 7;
    for (size_t i = 0; i < boxes; i++) {
        size_t box =
            tr_draw_add_box(&f->p, TR_STR("Box & <\"'>"), TR_STR("]]>"));
        for (size_t k = below(&state, 5); k > 0; k--)
            (void)tr_draw_add_row(&f->p, box, TR_STR("r&"), TR_STR("<t>"));
    }
    for (size_t i = 0; boxes && i < edges; i++) {
        struct tr_draw_edge edge = {
            .arrow = (enum tr_draw_arrow)below(&state, 3),
            .from = below(&state, boxes),
            .row = TR_DRAW_NO_ROW,
            .to = below(&state, boxes),
            .label = TR_STR("to|\"]"),
        };
        if (f->p.boxes.items[edge.from].rows.count)
            edge.row = 0;
        tr_draw_add_edge(&f->p, edge);
    }
}

static bool overlap(const struct tr_draw_spot *a, const struct tr_draw_spot *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width &&
           a->y < b->y + b->height && b->y < a->y + a->height;
}

static void check_layout(const struct tr_draw_layout *l)
{
    size_t count = l->picture->boxes.count;
    for (size_t i = 0; i < count; i++) {
        const struct tr_draw_spot *at = &l->spots.items[i];
        CHECK(at->x >= 0 && at->x + at->width <= l->width);
        CHECK(at->y >= 0 && at->y + at->height <= l->height);
        for (size_t k = 0; k < i; k++)
            CHECK(!overlap(at, &l->spots.items[k]));
    }
}

TEST(no_box_stands_over_another_or_outside)
{
    static const size_t sizes[][2] = {{0, 0},   {1, 0},   {1, 3},    {2, 1},
                                      {7, 9},   {20, 15}, {40, 120}, {200, 90},
                                      {200, 0}, {60, 400}};
    for (size_t i = 0; i < TR_LEN(sizes); i++) {
        struct tr_draw_layout l;
        struct tr_err err = {0};
        struct fixture f;
        set_up(&f);
        fill(&f, sizes[i][0], sizes[i][1]);
        CHECK_OK(tr_draw_lay_out(&f.p, &l, &err), &err);
        check_layout(&l);
        tear_down(&f);
    }
}

/* An arrow goes to the right, unless it closes a circle. */
TEST(what_refers_stands_left_of_what_it_refers_to)
{
    struct tr_draw_layout l;
    struct tr_err err = {0};
    struct fixture f;
    set_up(&f);
    for (int i = 0; i < 4; i++)
        (void)tr_draw_add_box(&f.p, TR_STR("b"), TR_STR(""));
    static const size_t edges[][2] = {{0, 1}, {1, 2}, {0, 2}, {3, 2}, {2, 0}};
    for (size_t i = 0; i < TR_LEN(edges); i++)
        tr_draw_add_edge(&f.p, (struct tr_draw_edge){.from = edges[i][0],
                                                     .row = TR_DRAW_NO_ROW,
                                                     .to = edges[i][1]});
    CHECK_OK(tr_draw_lay_out(&f.p, &l, &err), &err);
    CHECK(l.spots.items[0].x < l.spots.items[1].x);
    CHECK(l.spots.items[1].x < l.spots.items[2].x);
    CHECK(l.spots.items[3].x == l.spots.items[1].x);
    CHECK(l.routes[4].is_backward && !l.routes[0].is_backward);
    CHECK_INT(l.routes[2].count, 1);
    tear_down(&f);
}

static tr_status write_all(struct tr_draw_picture *p, struct tr_buf *out,
                           struct tr_err *err)
{
    TR_TRY(tr_draw_svg(p, out, err));
    tr_draw_dot(p, out);
    tr_draw_mermaid(p, out);
    p->of_nodes = true;
    tr_draw_mermaid(p, out);
    return tr_buf_check(out, err);
}

TEST(texts_are_escaped_wherever_they_stand)
{
    struct tr_err err = {0};
    struct tr_buf out;
    struct fixture f;
    set_up(&f);
    fill(&f, 3, 4);
    f.p.boxes.items[0].about = TR_STR("\"\\ & <about>");
    f.p.title = TR_STR("\"\\<title>");
    f.p.note = TR_STR("<note>");
    tr_buf_init(&out, TR_MIB(1));
    CHECK_OK(write_all(&f.p, &out, &err), &err);
    tr_buf_putc(&out, '\0');
    CHECK(strstr(out.ptr, "Box &amp; &lt;&quot;&#39;&gt;"));
    CHECK(strstr(out.ptr, "digraph \"\\\"\\\\<title>\""));
    CHECK(strstr(out.ptr, "class c0[\"Box #38; #60;#34;#39;#62;\"]"));
    CHECK(strstr(out.ptr, "-->|\"to#124;#34;#93;\"| n"));
    tr_buf_done(&out);
    tear_down(&f);
}

static tr_status draw_some(void *context, struct tr_err *err)
{
    (void)context;
    struct tr_buf out;
    struct fixture f;
    set_up(&f);
    fill(&f, 6, 8);
    tr_buf_init(&out, TR_MIB(1));
    tr_status status = tr_draw_finish(&f.p, err);
    if (status == TR_OK)
        status = write_all(&f.p, &out, err);
    tr_buf_done(&out);
    tear_down(&f);
    return status;
}

TEST(a_picture_without_memory_is_none)
{
    tr_test_sweep(draw_some, NULL);
}

/* Of a store ---------------------------------------------------------------
 */

static const char things[] =
    "w:a a w:Thing, w:Task ; w:title 'A' ; w:size 3 ; w:tag 'x', 'y' ;"
    " w:owner w:ann ; w:needs w:b, w:a ; w:share 2.5E0 ."
    "w:b a w:Thing, w:Task ; w:title 'B' ; w:needs w:a ."
    "GRAPH w:g { w:b w:needs w:a . w:ann w:boss w:ann . }"
    "w:ann a w:Person ; person:name 'Ann' ."
    "w:odd w:likes w:a ; w:title 'odd', 3 .";

struct scene {
    struct world world;
    const char *node; /* NULL: the types */
    const char *only; /* one of these, or NULL */
    size_t max;       /* bytes */
    size_t edges;     /* that were drawn */
};

static tr_status draw_scene(void *context, struct tr_err *err)
{
    struct scene *scene = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(&scene->world);
    struct tr_arena arena;
    struct tr_draw_picture p = {.arena = &arena};
    tr_rdf_id id = TR_RDF_ID_NONE;
    tr_status status = TR_OK;
    tr_arena_init(&arena, scene->max);
    ctx.arena = &arena;
    if (scene->node)
        status = tr_graph_node_find(&ctx, tr_str_from(scene->node), &id, err);
    if (status == TR_OK)
        status = scene->node
                     ? tr_draw_node(&p, &ctx, id, err)
                     : tr_draw_model(
                           &p, scene->world.model,
                           scene->only ? world_type(&scene->world, scene->only)
                                       : NULL,
                           err);
    scene->edges = p.edges.count;
    tr_arena_done(&arena);
    return status;
}

static const struct {
    const char *node;
    const char *only;
    size_t edges;
} scenes[] = {
    /* Refs of Task to Person and to itself, of Person to itself; extends. */
    {NULL, NULL, 4},
    {NULL, "Person", 3},
    {NULL, "Thing", 2},
    /* To its owner, to what it needs, itself among it; and back from w:b, in
     * two graphs, and from w:odd. */
    {"http://w/a", NULL, 5},
    {"http://w/ann", NULL, 2},
    {"http://w/odd", NULL, 0},
};

static void check_scene(struct scene *scene)
{
    struct tr_err err = {0};
    scene->max = TR_MIB(4);
    CHECK_OK(draw_scene(scene, &err), &err);
    tr_test_sweep(draw_scene, scene);
    tr_status status = TR_E_NOMEM;
    for (scene->max = 0; status == TR_E_NOMEM; scene->max += 16) {
        status = draw_scene(scene, &err);
        CHECK(status == TR_OK || status == TR_E_NOMEM);
    }
}

TEST(types_and_nodes_are_drawn_once_or_not_at_all)
{
    struct scene scene = {0};
    world_open(&scene.world);
    world_add(&scene.world, things);
    world_land(&scene.world);
    for (size_t i = 0; i < TR_LEN(scenes); i++) {
        scene.node = scenes[i].node;
        scene.only = scenes[i].only;
        check_scene(&scene);
        CHECK_INT(scene.edges, scenes[i].edges);
    }
    world_close(&scene.world);
}
