/* A filter finds the nodes that a look at every pair of every node finds, in
 * order: with pairs that are rare or frequent, here and there or in one place,
 * in several graphs, with changes that have not landed, and behind a face. */
#include "base/test.h"
#include "json/build.h"
#include "model/builder.h"
#include "query/query.h"
#include "support/world.h"

enum { NODES = 240, STORED = 200, CHANGES = 120 };
enum { FIELDS = 5, VALUES = 3, ITEM = FIELDS * VALUES, SECRET, PAIRS };
enum { GRAPHS = 2 };

#define NS "http://w/"

static const struct tr_field fields[FIELDS] = {
    {.name = TR_STR_INIT("a"),
     .iri = TR_STR_INIT(NS "a"),
     .kind = TR_FIELD_INTEGER},
    {.name = TR_STR_INIT("b"), .iri = TR_STR_INIT(NS "b")},
    {.name = TR_STR_INIT("c"),
     .iri = TR_STR_INIT(NS "c"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Item")},
    {.name = TR_STR_INIT("d"),
     .iri = TR_STR_INIT(NS "d"),
     .kind = TR_FIELD_INTEGER},
    {.name = TR_STR_INIT("e"),
     .iri = TR_STR_INIT(NS "e"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Item")},
};
static const tr_str integers[VALUES] = {TR_STR_INIT("0"), TR_STR_INIT("-7"),
                                        TR_STR_INIT("123456")};
static const tr_str texts[VALUES] = {TR_STR_INIT(""), TR_STR_INIT("x"),
                                     TR_STR_INIT("two words")};
static const tr_str refs[VALUES] = {TR_STR_INIT(NS "n0"), TR_STR_INIT(NS "n9"),
                                    TR_STR_INIT(NS "elsewhere")};

static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Item"),
               .iri = TR_STR_INIT(NS "Item"),
               .fields = fields,
               .count = FIELDS}},
    {.shape = {.name = TR_STR_INIT("Secret"), .iri = TR_STR_INIT(NS "Secret")},
     .extends = TR_STR_INIT("Item"),
     .is_private = true},
};

/* The store, and what should be in it. */
struct plain {
    struct world world;
    bool has[NODES][PAIRS][GRAPHS];
};

/* A filter, and the nodes that it should find in their order. */
struct wanted {
    size_t pairs[FIELDS + 1];
    size_t count;
    struct tr_json_member members[FIELDS];
    tr_rdf_id ids[NODES];
    size_t found;
};

static const struct tr_model *make_model(void)
{
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("test"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static tr_str name_of(size_t node, char text[32])
{
    int len = snprintf(text, 32, NS "n%zu", node);
    return (tr_str){text, (size_t)len};
}

static tr_rdf_term value_of(size_t pair)
{
    const tr_str *list = pair / VALUES == 1 ? texts : integers;
    if (pair >= ITEM)
        return tr_rdf_term_iri(drafts[pair - ITEM].shape.iri);
    if (fields[pair / VALUES].kind == TR_FIELD_REF)
        return tr_rdf_term_iri(refs[pair % VALUES]);
    return list == texts ? tr_rdf_term_string(texts[pair % VALUES])
                         : tr_rdf_term_typed(integers[pair % VALUES],
                                             TR_STR(TR_RDF_IRI_XSD_INTEGER));
}

static void turn(struct plain *plain, size_t node, size_t pair, size_t graph)
{
    char text[32];
    bool *has = &plain->has[node][pair][graph];
    tr_rdf_quad quad = {
        .subject = tr_rdf_term_iri(name_of(node, text)),
        .predicate = tr_rdf_term_iri(pair < ITEM ? fields[pair / VALUES].iri
                                                 : TR_STR(TR_RDF_IRI_RDF_TYPE)),
        .object = value_of(pair),
    };
    if (graph > 0)
        quad.graph = tr_rdf_term_iri(TR_STR(NS "g"));
    if (*has)
        world_remove_quad(&plain->world, &quad);
    else
        world_add_quad(&plain->world, &quad);
    *has = !*has;
}

/* One in so many of a stretch of nodes has the pair. */
static void spread(struct plain *plain, size_t pair)
{
    static const uint64_t rarities[] = {1, 1, 2, 5, 30};
    uint64_t rarity = rarities[tr_test_random_below(TR_LEN(rarities))];
    size_t first = (size_t)tr_test_random_below(3) * 50;
    size_t end = STORED - (size_t)tr_test_random_below(3) * 20;
    for (size_t node = first; node < end; node++) {
        for (size_t graph = 0; graph < GRAPHS; graph++) {
            if (tr_test_random_below((1 + 3 * graph) * rarity) == 0)
                turn(plain, node, pair, graph);
        }
    }
}

static void open_plain(struct plain *plain, bool changes)
{
    memset(plain->has, 0, sizeof(plain->has));
    world_open(&plain->world);
    tr_model_free(plain->world.model);
    plain->world.model = make_model();
    for (size_t pair = 0; pair < PAIRS; pair++) {
        if (tr_test_random_below(6))
            spread(plain, pair);
    }
    world_land(&plain->world);
    if (!changes)
        return;
    world_change(&plain->world);
    for (size_t i = tr_test_random_below(CHANGES); i > 0; i--)
        turn(plain, (size_t)tr_test_random_below(NODES),
             (size_t)tr_test_random_below(PAIRS),
             (size_t)tr_test_random_below(GRAPHS));
}

static bool has_pair(const struct plain *plain, size_t node, size_t pair)
{
    return plain->has[node][pair][0] || plain->has[node][pair][1];
}

static bool is_match(const struct plain *plain, const struct wanted *wanted,
                     size_t node, bool is_faced)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (!has_pair(plain, node, wanted->pairs[i]))
            return false;
    }
    return !is_faced || !has_pair(plain, node, SECRET);
}

static void random_filter(struct wanted *wanted)
{
    *wanted = (struct wanted){0};
    for (size_t i = 0; i < FIELDS; i++) {
        if (tr_test_random_below(5) < 2)
            continue;
        size_t pair = i * VALUES + (size_t)tr_test_random_below(VALUES);
        tr_rdf_term term = value_of(pair);
        wanted->members[wanted->count] = (struct tr_json_member){
            tr_json_make_text(TR_JSON_STRING, fields[i].name),
            fields[i].kind == TR_FIELD_INTEGER
                ? tr_json_make_integer(term.text)
                : tr_json_make_text(TR_JSON_STRING, term.text)};
        wanted->pairs[wanted->count++] = pair;
    }
}

static void find_plainly(const struct plain *plain, struct wanted *wanted,
                         const struct tr_graph_read_ctx *ctx)
{
    struct tr_err err = {0};
    for (size_t node = 0; node < NODES; node++) {
        char text[32];
        if (is_match(plain, wanted, node, ctx->face != NULL))
            CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, name_of(node, text),
                                           &wanted->ids[wanted->found++], &err),
                     &err);
    }
    qsort(wanted->ids, wanted->found, sizeof(tr_rdf_id), tr_rdf_id_compare);
}

/* A cursor can be read: it must not name what may not be seen. */
static void check_next(const struct plain *plain, tr_str next, bool is_faced)
{
    int64_t node = 0;
    CHECK(tr_str_to_i64(tr_str_skip(next, sizeof(NS "n") - 1), &node));
    CHECK(!is_faced || !has_pair(plain, (size_t)node, SECRET));
}

/* The pages from `query` on have the nodes from `at` on, each in its place. */
static void check_pages(const struct plain *plain,
                        const struct tr_graph_read_ctx *ctx,
                        const struct wanted *wanted, struct tr_query query,
                        size_t at)
{
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    struct tr_graph_read_ctx own = *ctx;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(16));
    own.arena = &arena;
    at += query.skip;
    do {
        CHECK_OK(tr_query_where(&own, &query, &page, &err), &err);
        CHECK(page.count <= query.limit);
        CHECK(page.count == 0 || page.skip == 0);
        CHECK(page.count == query.limit || !page.next.len || query.max_work);
        for (size_t i = 0; i < page.count; i++) {
            CHECK(at < wanted->found);
            CHECK_INT(page.ids[i], wanted->ids[at++]);
        }
        CHECK(!page.next.len || !tr_str_eq(page.next, query.after));
        if (page.next.len)
            check_next(plain, page.next, ctx->face != NULL);
        query.after = page.next;
        query.skip = page.skip;
    } while (page.next.len);
    CHECK(at == wanted->found || (at > wanted->found && query.skip > 0));
    tr_arena_done(&arena);
}

/* From any node on, whether it matches or not. */
static void check_from(const struct plain *plain,
                       const struct tr_graph_read_ctx *ctx,
                       const struct wanted *wanted, struct tr_query query,
                       size_t node)
{
    struct tr_err err = {0};
    char text[32];
    tr_rdf_id id = TR_RDF_ID_NONE;
    size_t at = 0;
    query.after = name_of(node, text);
    CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, query.after, &id, &err), &err);
    if (id == TR_RDF_ID_NONE)
        return;
    while (at < wanted->found && wanted->ids[at] <= id)
        at++;
    check_pages(plain, ctx, wanted, query, at);
}

static void check_sums(const struct tr_graph_read_ctx *ctx,
                       const struct wanted *wanted, struct tr_query query)
{
    struct tr_err err = {0};
    struct tr_query_count count = {0};
    bool exists = false;
    CHECK_OK(tr_query_where_count(ctx, &query, &count, &err), &err);
    CHECK_INT(count.count, wanted->found);
    CHECK(!count.at_least);
    CHECK_OK(tr_query_where_exists(ctx, &query, &exists, &err), &err);
    CHECK(exists == (wanted->found > 0));
    query.max_work = 1 + (size_t)tr_test_random_below(NODES);
    CHECK_OK(tr_query_where_count(ctx, &query, &count, &err), &err);
    CHECK(count.at_least ? count.count <= wanted->found
                         : count.count == wanted->found);
    tr_status status = tr_query_where_exists(ctx, &query, &exists, &err);
    CHECK(status == TR_E_LIMIT ||
          (status == TR_OK && exists == (wanted->found > 0)));
}

static void check_filter(struct plain *plain,
                         const struct tr_graph_read_ctx *ctx)
{
    struct wanted wanted;
    random_filter(&wanted);
    struct tr_json filter = {.kind = TR_JSON_OBJECT,
                             .len = (uint32_t)wanted.count,
                             .as.members = wanted.members};
    size_t type = ctx->face ? 0 : (size_t)tr_test_random_below(2);
    struct tr_query query = {
        .type = tr_model_find(ctx->model, drafts[type].shape.name),
        .filter = &filter,
        .limit = 1 + (size_t)tr_test_random_below(NODES),
    };
    wanted.pairs[wanted.count++] = ITEM + type;
    find_plainly(plain, &wanted, ctx);
    check_pages(plain, ctx, &wanted, query, 0);
    if (wanted.count > 1)
        check_sums(ctx, &wanted, query);
    query.max_work = (size_t)tr_test_random_below(12);
    query.skip = (size_t)tr_test_random_below(3) * 4;
    check_pages(plain, ctx, &wanted, query, 0);
    check_from(plain, ctx, &wanted, query, (size_t)tr_test_random_below(NODES));
    query.skip = 0;
    size_t places = tr_test_random_below(8) ? 0 : NODES;
    for (size_t node = 0; node < places; node++)
        check_from(plain, ctx, &wanted, query, node);
}

static void check_all(bool changes, bool is_faced)
{
    static struct plain plain;
    struct tr_err err = {0};
    for (size_t n = tr_test_scaled(30); n > 0; n--) {
        open_plain(&plain, changes);
        struct tr_graph_read_ctx ctx = world_read_ctx(&plain.world);
        if (is_faced) {
            ctx.face = tr_model_face_for(ctx.model, 0);
            ctx.model = ctx.face->model;
            CHECK_OK(tr_model_face_graph(ctx.face, ctx.graph,
                                         &plain.world.arena, &ctx.graph, &err),
                     &err);
        }
        for (size_t i = 0; i < 40; i++) {
            struct tr_arena arena;
            tr_arena_init(&arena, TR_MIB(16));
            ctx.arena = &arena;
            check_filter(&plain, &ctx);
            tr_arena_done(&arena);
        }
        world_close(&plain.world);
    }
}

TEST(where_finds_what_has_all_values)
{
    check_all(false, false);
}

TEST(where_finds_what_a_call_has_changed)
{
    check_all(true, false);
}

TEST(where_finds_what_may_be_seen)
{
    check_all(false, true);
}

TEST(where_finds_what_may_be_seen_of_changes)
{
    check_all(true, true);
}
