/* A page of nodes has each of them as it is read alone: whole, or what is left
 * of it when the other fields are taken away. Also when the app knows other
 * types than it did when the rows of its nodes were written. */
#include "base/test.h"
#include "json/build.h"
#include "json/writer.h"
#include "model/builder.h"
#include "query/node.h"
#include "query/query.h"
#include "support/world.h"

enum { NODES = 30, STATEMENTS = 400, WORLDS = 200, CHANGES = 20, NAMES = 4 };

#define NS         "trails://test/"
#define FIELD      .optional = true
#define PICK(list) ((list)[tr_test_random_below(TR_LEN(list))])

/* So many that what is wanted of them stands far apart. */
static const struct tr_field wide_fields[] = {
    {.name = TR_STR_INIT("key"), FIELD, .unique = true},
    {.name = TR_STR_INIT("size"), FIELD, .kind = TR_FIELD_INTEGER},
    {.name = TR_STR_INIT("share"), FIELD, .kind = TR_FIELD_NUMBER},
    {.name = TR_STR_INIT("due"), FIELD, .kind = TR_FIELD_DATETIME},
    {.name = TR_STR_INIT("owner"),
     FIELD,
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Wide"),
     .by = TR_STR_INIT("key")},
    {.name = TR_STR_INIT("tags"), FIELD, .many = true},
    {.name = TR_STR_INIT("a"), FIELD},
    {.name = TR_STR_INIT("b"), FIELD},
    {.name = TR_STR_INIT("c"), FIELD},
    {.name = TR_STR_INIT("friends"),
     FIELD,
     .many = true,
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Wide"),
     .by = TR_STR_INIT("key")},
    {.name = TR_STR_INIT("d"), FIELD},
    {.name = TR_STR_INIT("steps"), FIELD, .list = true},
};
static const struct tr_field deep_fields[] = {
    {.name = TR_STR_INIT("extra"), FIELD},
    {.name = TR_STR_INIT("on"), FIELD, .kind = TR_FIELD_BOOLEAN},
};
/* Here another predicate has a name that Wide has too. */
static const struct tr_field other_fields[] = {
    {.name = TR_STR_INIT("a"), FIELD},
    {.name = TR_STR_INIT("size"), FIELD, .kind = TR_FIELD_INTEGER},
};
static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Wide"),
               .fields = wide_fields,
               .count = TR_LEN(wide_fields)}},
    {.shape = {.name = TR_STR_INIT("Other"),
               .fields = other_fields,
               .count = TR_LEN(other_fields)}},
    {.shape = {.name = TR_STR_INIT("Deep"),
               .fields = deep_fields,
               .count = TR_LEN(deep_fields)},
     .extends = TR_STR_INIT("Wide")},
};

static const char *const predicates[] = {
    NS "Wide#key",       NS "Wide#size",     NS "Wide#share",
    NS "Wide#due",       NS "Wide#owner",    NS "Wide#tags",
    NS "Wide#a",         NS "Wide#b",        NS "Wide#c",
    NS "Wide#friends",   NS "Wide#d",        NS "Wide#steps",
    NS "Deep#extra",     NS "Deep#on",       NS "Other#a",
    NS "Other#size",     NS "unknown",       TR_RDF_IRI_RDF_TYPE,
    TR_RDF_IRI_RDF_TYPE, TR_RDF_IRI_RDF_TYPE};
static const char *const classes[] = {NS "Wide", NS "Deep", NS "Other",
                                      NS "Nobody"};
static const char unknown[] = NS "unknown";
static const char *const asked[] = {
    "key",     "size",  "share",     "due",         "owner", "tags",  "a",
    "b",       "c",     "d",         "friends",     "steps", "extra", "on",
    "nothing", "label", "owner_key", "friends_key", unknown};

/* The first so many types. */
static const struct tr_model *make_model(size_t count)
{
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("test"), &builder, &err), &err);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static tr_str name_of(size_t node, char text[32])
{
    int len = snprintf(text, 32, NS "Wide/n%zu", node);
    return (tr_str){text, (size_t)len};
}

static tr_rdf_term random_object(tr_str predicate, char text[32])
{
    static const char *const words[] = {"one", "two", "three", "0", "true"};
    if (tr_str_eq(predicate, TR_STR(TR_RDF_IRI_RDF_TYPE)))
        return tr_rdf_term_iri(tr_str_from(PICK(classes)));
    switch (tr_test_random_below(8)) {
    case 0:
    case 1:
    case 2:
        return tr_rdf_term_string(tr_str_from(PICK(words)));
    case 3:
        return tr_rdf_term_typed(TR_STR("17"), TR_STR(TR_RDF_IRI_XSD_INTEGER));
    case 4:
        return tr_rdf_term_typed(TR_STR("5.0E-1"),
                                 TR_STR(TR_RDF_IRI_XSD_DOUBLE));
    case 5:
        return tr_rdf_term_typed(TR_STR("2026-07-28T12:00:00Z"),
                                 TR_STR(TR_RDF_IRI_XSD_DATE_TIME));
    default:
        return tr_rdf_term_iri(
            name_of((size_t)tr_test_random_below(NODES + 2), text));
    }
}

static void change_one(struct world *world, bool adds)
{
    char node[32];
    char object[32];
    tr_rdf_quad quad = {
        .subject =
            tr_rdf_term_iri(name_of((size_t)tr_test_random_below(NODES), node)),
        .predicate = tr_rdf_term_iri(tr_str_from(PICK(predicates))),
    };
    quad.object = random_object(quad.predicate.text, object);
    if (tr_test_random_below(5) == 0)
        quad.graph = tr_rdf_term_iri(TR_STR(NS "g"));
    if (adds)
        world_add_quad(world, &quad);
    else
        world_remove_quad(world, &quad);
}

static void use_model(struct world *world, size_t count)
{
    tr_model_free(world->model);
    world->model = make_model(count);
}

static void open_random(struct world *world)
{
    world_open(world);
    use_model(world, 1 + (size_t)tr_test_random_below(TR_LEN(drafts)));
    for (size_t i = tr_test_random_below(STATEMENTS); i > 0; i--)
        change_one(world, true);
    world_land(world);
    use_model(world, TR_LEN(drafts));
    if (tr_test_random_below(3))
        return;
    world_change(world);
    for (size_t i = tr_test_random_below(CHANGES); i > 0; i--)
        change_one(world, tr_test_random_below(2));
}

/* One node alone ---------------------------------------------------------- */

/* The ref that a key is shown for, by the names of Wide. */
static bool is_key_of(tr_str name, tr_str ref)
{
    return name.len > 4 && tr_str_starts(name, ref) &&
           tr_str_eq(tr_str_skip(name, ref.len), TR_STR("_key"));
}

static bool is_shown(tr_str key, const tr_str *names, size_t count)
{
    if (tr_str_eq(key, TR_STR("id")) || tr_str_eq(key, TR_STR("_type")) ||
        tr_str_eq(key, TR_STR("_version")))
        return true;
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(key, names[i]) || is_key_of(key, names[i]))
            return true;
    }
    return false;
}

static void read_alone(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                       const tr_str *names, size_t count, struct tr_json *out)
{
    struct tr_err err = {0};
    struct tr_json_member *members;
    size_t kept = 0;
    bool found;
    CHECK_OK(tr_query_node_read_id(ctx, id, out, &found, &err), &err);
    if (!found)
        CHECK_OK(tr_query_node_brief(ctx, id, out, &err), &err);
    members = TR_NEW_ARRAY(ctx->arena, struct tr_json_member, out->len);
    for (size_t i = 0; i < out->len; i++) {
        if (!names ||
            is_shown(tr_json_text(&out->as.members[i].key), names, count))
            members[kept++] = out->as.members[i];
    }
    CHECK(tr_json_make_object(ctx->arena, members, kept, out));
}

static tr_str write_json(struct world *world, const struct tr_json *value)
{
    struct tr_json_writer w;
    struct tr_buf text;
    struct tr_err err = {0};
    tr_str copy;
    tr_buf_init(&text, TR_MIB(4));
    tr_jw_init(&w, &text);
    tr_jw_value(&w, value);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    CHECK(tr_arena_copy(&world->arena, tr_buf_str(&text), &copy));
    tr_buf_done(&text);
    return copy;
}

static void check_page(struct world *world, const struct tr_query_page *page,
                       const tr_str *names, size_t count)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_err err = {0};
    struct tr_json nodes;
    CHECK_OK(names
                 ? tr_query_page_fields(&ctx, page, names, count, &nodes, &err)
                 : tr_query_page_nodes(&ctx, page, &nodes, &err),
             &err);
    CHECK_INT(nodes.len, page->count);
    for (size_t i = 0; i < page->count; i++) {
        struct tr_json alone;
        read_alone(&ctx, page->ids[i], names, count, &alone);
        CHECK_STR(write_json(world, &nodes.as.items[i]),
                  write_json(world, &alone).ptr);
    }
}

/* In no order; some of them are no nodes, but only referred to. */
static void find_some(struct world *world, struct tr_query_page *out)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    out->ids = TR_NEW_ARRAY(&world->arena, tr_rdf_id, NODES + 2);
    out->count = 0;
    size_t first = (size_t)tr_test_random_below(NODES);
    for (size_t i = 0; i < NODES + 2; i++) {
        char text[32];
        struct tr_err err = {0};
        tr_rdf_id id;
        CHECK_OK(tr_graph_node_find(
                     &ctx, name_of((first + i) % (NODES + 2), text), &id, &err),
                 &err);
        if (id != TR_RDF_ID_NONE && tr_test_random_below(4))
            out->ids[out->count++] = id;
    }
}

TEST(page_has_each_node_as_it_is_read_alone)
{
    for (size_t i = tr_test_scaled(WORLDS); i > 0; i--) {
        struct world world;
        struct tr_query_page page = {0};
        tr_str names[NAMES];
        size_t count = (size_t)tr_test_random_below(NAMES + 1);
        open_random(&world);
        find_some(&world, &page);
        for (size_t k = 0; k < count; k++)
            names[k] = tr_str_from(PICK(asked));
        check_page(&world, &page, NULL, 0);
        check_page(&world, &page, names, count);
        world_close(&world);
    }
}

#define RDF(name)  "<" TR_RDF_NS_RDF name ">"
#define WIDE(name) "<" NS "Wide" name ">"

static const char small[] = WIDE("/1") " a " WIDE("") " ; " WIDE(
    "#key") " 'one' ; " WIDE("#d") " 'd' ;" WIDE("#size") " 7 ; " WIDE("#steps")
    WIDE("/1-steps") " ;" WIDE("#friends")
        WIDE("/1") ", " WIDE("/2") " ." WIDE("/1-steps")
            RDF("first") " 'a' ; " RDF("rest")
                RDF("nil") " ." WIDE("/2") " a " WIDE("") ", <" NS
                                                          "Deep> ; <" NS
                                                          "Deep#on> true .";

static tr_status read_page(void *context, struct tr_err *err)
{
    static const tr_str names[] = {TR_STR_INIT("key"), TR_STR_INIT("d"),
                                   TR_STR_INIT("steps"),
                                   TR_STR_INIT("friends")};
    struct world *world = context;
    struct tr_graph_read_ctx ctx = world_read_ctx(world);
    struct tr_query query = {.type = world_type(world, "Wide")};
    struct tr_query_page page;
    struct tr_arena arena;
    struct tr_json nodes;
    tr_arena_init(&arena, TR_MIB(4));
    ctx.arena = &arena;
    tr_graph_terms_forget(world->terms);
    tr_status status = tr_query_where(&ctx, &query, &page, err);
    if (status == TR_OK)
        status = tr_query_page_nodes(&ctx, &page, &nodes, err);
    if (status == TR_OK)
        status = tr_query_page_fields(&ctx, &page, names, TR_LEN(names), &nodes,
                                      err);
    tr_arena_done(&arena);
    return status;
}

TEST(page_says_so_when_there_is_no_memory)
{
    struct world world;
    world_open(&world);
    use_model(&world, TR_LEN(drafts));
    world_add(&world, small);
    world_land(&world);
    CHECK(read_page(&world, NULL) == TR_OK); /* statements are kept */
    tr_test_sweep(read_page, &world);
    world_close(&world);
}
