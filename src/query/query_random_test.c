/* What queries find is what a look at every quad finds, with and without
 * changes that have not landed. */
#include "base/limits.h"
#include "base/test.h"
#include "graph/node.h"
#include "json/build.h"
#include "query/query.h"
#include "support/quads.h"
#include "support/world.h"

enum { NODES = 16, QUADS = 160, CHANGES = 60 };

static const char *const names[NODES] = {
    "http://w/n0",  "http://w/n1",  "http://w/n2",  "http://w/n3",
    "http://w/n4",  "http://w/n5",  "http://w/n6",  "http://w/n7",
    "http://w/n8",  "http://w/n9",  "http://w/n10", "http://w/n11",
    "http://w/n12", "http://w/n13", "http://w/n14", "http://w/n15"};
static const char *const classes[] = {"http://w/Thing", "http://w/Task",
                                      "http://w/Person"};
static const char *const type_names[] = {"Thing", "Task", "Person"};
static const char *const links[] = {"http://w/owner", "http://w/needs",
                                    "http://w/boss", "http://w/other"};
static const char *const texts[] = {"a", "b", "c"};
static const char *const sizes[] = {"0", "1", "2", "5"};

/* The store, and what should be in it. */
struct state {
    struct world world;
    struct quads quads;
};

#define PICK(list) tr_str_from((list)[tr_test_random_below(TR_LEN(list))])

static tr_rdf_term random_value(uint64_t kind)
{
    switch (kind) {
    case 0:
        return tr_rdf_term_iri(PICK(classes));
    case 1:
    case 2:
        return tr_rdf_term_string(PICK(texts));
    case 3:
        return tr_rdf_term_typed(PICK(sizes), TR_STR(TR_RDF_IRI_XSD_INTEGER));
    case 4:
        return tr_rdf_term_typed(tr_test_random_below(2) ? TR_STR("true")
                                                         : TR_STR("false"),
                                 TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    default:
        return tr_rdf_term_iri(PICK(names));
    }
}

static tr_rdf_quad random_quad(void)
{
    static const char type[] = TR_RDF_IRI_RDF_TYPE;
    static const char *const predicates[] = {type, "http://w/title",
                                             "http://w/tag", "http://w/size",
                                             "http://w/done"};
    uint64_t kind = tr_test_random_below(8);
    tr_rdf_quad quad = {
        .subject = tr_rdf_term_iri(PICK(names)),
        .predicate = tr_rdf_term_iri(kind < TR_LEN(predicates)
                                         ? tr_str_from(predicates[kind])
                                         : PICK(links)),
        .object = random_value(kind),
    };
    if (tr_test_random_below(4) == 0)
        quad.graph = tr_rdf_term_iri(TR_STR("http://w/g"));
    return quad;
}

static void add(struct state *state)
{
    tr_rdf_quad quad = random_quad();
    world_add_quad(&state->world, &quad);
    if (quads_find(&state->quads, &quad) == state->quads.count)
        quads_put(&state->quads, &quad);
}

static void drop(struct state *state)
{
    size_t at = (size_t)tr_test_random_below(state->quads.count);
    world_remove_quad(&state->world, &state->quads.items[at]);
    quads_drop(&state->quads, at);
}

static void make_state(struct state *state, bool changes)
{
    world_open(&state->world);
    state->quads.count = 0;
    for (size_t i = tr_test_random_below(QUADS); i > 0; i--)
        add(state);
    world_land(&state->world);
    if (!changes)
        return;
    world_change(&state->world);
    for (size_t i = tr_test_random_below(CHANGES); i > 0; i--) {
        if (state->quads.count && tr_test_random_below(2))
            drop(state);
        else
            add(state);
    }
}

static bool says(const struct state *state, tr_str subject,
                 const char *predicate, const tr_rdf_term *object)
{
    for (size_t i = 0; i < state->quads.count; i++) {
        const tr_rdf_quad *quad = &state->quads.items[i];
        if (tr_str_eq(quad->subject.text, subject) &&
            tr_str_eq(quad->predicate.text, tr_str_from(predicate)) &&
            tr_rdf_term_eq(&quad->object, object))
            return true;
    }
    return false;
}

/* A filter, as JSON and as what it means. */
struct wanted {
    struct tr_json_member members[4];
    const char *predicates[4];
    tr_rdf_term values[4];
    size_t count;
};

static struct tr_json json_of(const tr_rdf_term *term)
{
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_INTEGER)))
        return tr_json_make_integer(term->text);
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_BOOLEAN)))
        return tr_json_make_bool(term->text.len == 4);
    return tr_json_make_text(TR_JSON_STRING, term->text);
}

static void want(struct wanted *wanted, const char *field,
                 const char *predicate, uint64_t kind)
{
    tr_rdf_term value = random_value(kind);
    if (tr_str_eq(value.text, TR_STR("05")))
        value.text = TR_STR("3");
    wanted->members[wanted->count] = (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(field)), json_of(&value)};
    wanted->predicates[wanted->count] = predicate;
    wanted->values[wanted->count++] = value;
}

static void random_filter(struct wanted *wanted, size_t type)
{
    wanted->count = 0;
    if (type < 2 && tr_test_random_below(2))
        want(wanted, "title", "http://w/title", 1);
    if (type < 2 && tr_test_random_below(3) == 0)
        want(wanted, "size", "http://w/size", 3);
    if (type == 1 && tr_test_random_below(3) == 0)
        want(wanted, "done", "http://w/done", 4);
    if (type > 0 && tr_test_random_below(3) == 0)
        want(wanted, "owner", type == 1 ? "http://w/owner" : "http://w/boss",
             5);
}

static bool is_match(const struct state *state, const struct wanted *wanted,
                     size_t type, const char *name)
{
    tr_rdf_term class = tr_rdf_term_iri(tr_str_from(classes[type]));
    tr_str subject = tr_str_from(name);
    if (!says(state, subject, TR_RDF_IRI_RDF_TYPE, &class))
        return false;
    for (size_t i = 0; i < wanted->count; i++) {
        if (!says(state, subject, wanted->predicates[i], &wanted->values[i]))
            return false;
    }
    return true;
}

static size_t name_at(const struct tr_graph_read_ctx *ctx, tr_rdf_id id)
{
    struct tr_err err = {0};
    tr_rdf_term term = {0};
    size_t i = 0;
    CHECK_OK(tr_rdf_graph_get(ctx->graph, id, &term, &err), &err);
    while (i < NODES && !tr_str_eq(term.text, tr_str_from(names[i])))
        i++;
    CHECK(i < NODES);
    return i;
}

/* Page after page; each node comes once, and ids only grow. */
static void take_pages(const struct tr_graph_read_ctx *ctx,
                       struct tr_query *query, bool found[NODES])
{
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    tr_rdf_id last = 0;
    query->limit = 1 + (size_t)tr_test_random_below(5);
    do {
        CHECK_OK(tr_query_where(ctx, query, &page, &err), &err);
        CHECK(page.count <= query->limit);
        CHECK(page.count == query->limit || !page.next.len);
        for (size_t i = 0; i < page.count; i++) {
            CHECK(page.ids[i] > last);
            last = page.ids[i];
            found[name_at(ctx, last)] = true;
        }
        query->after = page.next;
    } while (page.next.len);
    query->after = TR_STR("");
}

static void check_where(struct state *state)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(&state->world);
    struct tr_err err = {0};
    size_t type = (size_t)tr_test_random_below(TR_LEN(classes));
    struct wanted wanted;
    random_filter(&wanted, type);
    struct tr_json filter = {.kind = TR_JSON_OBJECT,
                             .len = (uint32_t)wanted.count,
                             .as.members = wanted.members};
    struct tr_query query = {
        .type = world_type(&state->world, type_names[type]),
        .filter = &filter,
    };
    bool found[NODES] = {false};
    struct tr_query_count count = {0};
    size_t matches = 0;
    bool exists = false;
    take_pages(&ctx, &query, found);
    for (size_t i = 0; i < NODES; i++) {
        CHECK_ROW(found[i] == is_match(state, &wanted, type, names[i]),
                  names[i]);
        matches += found[i];
    }
    CHECK_OK(tr_query_where_count(&ctx, &query, &count, &err), &err);
    CHECK_INT(count.count, matches);
    CHECK(!count.at_least);
    CHECK_OK(tr_query_where_exists(&ctx, &query, &exists, &err), &err);
    CHECK(exists == (matches > 0));
}

/* A step of a path, as text and as what it means. */
struct hop {
    struct tr_query_step step;
    const char *predicates[2];
    bool is_inverse;
};

static struct hop random_hop(void)
{
    static const struct hop hops[] = {
        {{.path = TR_STR_INIT("owner")},
         {"http://w/owner", "http://w/boss"},
         false},
        {{.path = TR_STR_INIT("^owner")},
         {"http://w/owner", "http://w/boss"},
         true},
        {{.path = TR_STR_INIT("needs")}, {"http://w/needs", NULL}, false},
        {{.path = TR_STR_INIT("^needs")}, {"http://w/needs", NULL}, true},
        {{.path = TR_STR_INIT("w:other")}, {"http://w/other", NULL}, false},
        {{.path = TR_STR_INIT("^http://w/other")},
         {"http://w/other", NULL},
         true},
        {{.path = TR_STR_INIT("title")}, {NULL, NULL}, false},
    };
    struct hop hop = hops[tr_test_random_below(TR_LEN(hops))];
    if (tr_test_random_below(2)) {
        hop.step.max = 1 + (size_t)tr_test_random_below(4);
        hop.step.min = (size_t)tr_test_random_below(hop.step.max + 1);
    }
    return hop;
}

static void hop_once(const struct state *state, const struct hop *hop,
                     const bool from[NODES], bool to[NODES])
{
    memset(to, 0, NODES * sizeof(*to));
    for (size_t a = 0; a < NODES; a++) {
        for (size_t b = 0; from[a] && b < NODES; b++) {
            tr_rdf_term object =
                tr_rdf_term_iri(tr_str_from(names[hop->is_inverse ? a : b]));
            tr_str subject = tr_str_from(names[hop->is_inverse ? b : a]);
            for (size_t k = 0; k < 2 && hop->predicates[k]; k++)
                to[b] |= says(state, subject, hop->predicates[k], &object);
        }
    }
}

/* After any number of hops that the step allows. */
static void hop_all(const struct state *state, const struct hop *hop,
                    bool at[NODES])
{
    size_t min = hop->step.max ? hop->step.min : 1;
    size_t max = hop->step.max ? hop->step.max : 1;
    bool reached[NODES] = {false};
    bool next[NODES];
    for (size_t n = 0; n <= max; n++) {
        for (size_t i = 0; i < NODES; i++)
            reached[i] |= at[i] && n >= min;
        hop_once(state, hop, at, next);
        memcpy(at, next, sizeof(next));
    }
    memcpy(at, reached, sizeof(reached));
}

static void check_traverse(struct state *state)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(&state->world);
    struct tr_err err = {0};
    struct tr_query_step steps[4];
    struct tr_query_route route = {
        .steps = steps, .count = (size_t)tr_test_random_below(4), .limit = 50};
    size_t from = (size_t)tr_test_random_below(NODES);
    bool expected[NODES] = {false};
    bool found[NODES] = {false};
    struct tr_query_page page = {0};
    bool more = false;
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_graph_node_find(&ctx, tr_str_from(names[from]), &id, &err),
             &err);
    expected[from] = id != TR_RDF_ID_NONE;
    for (size_t i = 0; i < route.count; i++) {
        struct hop hop = random_hop();
        steps[i] = hop.step;
        hop_all(state, &hop, expected);
    }
    CHECK_OK(tr_query_traverse(&ctx, id, &route, &page, &more, &err), &err);
    CHECK(!more);
    for (size_t i = 0; i < page.count; i++) {
        size_t at = name_at(&ctx, page.ids[i]);
        CHECK_ROW(!found[at], names[at]);
        found[at] = true;
    }
    for (size_t i = 0; i < NODES; i++)
        CHECK_ROW(found[i] == expected[i], names[i]);
}

static bool fits(const tr_rdf_term *wanted, const tr_rdf_term *term)
{
    return !wanted || tr_rdf_term_eq(wanted, term);
}

static void check_match(struct state *state)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(&state->world);
    struct tr_err err = {0};
    tr_rdf_quad quad = random_quad();
    uint64_t open = tr_test_random_below(16);
    struct tr_query_match match = {
        .subject = open & 1 ? NULL : &quad.subject,
        .predicate = open & 2 ? NULL : &quad.predicate,
        .object = open & 4 ? NULL : &quad.object,
        .graph = open & 8 ? NULL : &quad.graph,
        .limit = 1 + (size_t)tr_test_random_below(300),
    };
    struct tr_query_matches matches = {0};
    size_t count = 0;
    for (size_t i = 0; i < state->quads.count; i++) {
        const tr_rdf_quad *q = &state->quads.items[i];
        count += fits(match.subject, &q->subject) &&
                 fits(match.predicate, &q->predicate) &&
                 fits(match.object, &q->object) && fits(match.graph, &q->graph);
    }
    CHECK_OK(tr_query_match_quads(&ctx, &match, &matches, &err), &err);
    CHECK(matches.more == (count > match.limit));
    CHECK_INT(matches.count, matches.more ? match.limit : count);
    for (size_t i = 0; i < matches.count; i++)
        CHECK(quads_find(&state->quads, &matches.items[i]) <
              state->quads.count);
}

static void check_all(bool changes)
{
    static struct state state;
    for (size_t n = tr_test_scaled(400); n > 0; n--) {
        make_state(&state, changes);
        for (size_t i = 0; i < 20; i++) {
            check_where(&state);
            check_traverse(&state);
            check_match(&state);
        }
        world_close(&state.world);
    }
}

TEST(queries_find_what_is_stored)
{
    check_all(false);
}

TEST(queries_find_what_a_call_has_changed)
{
    check_all(true);
}

TEST(search_takes_any_bytes)
{
    struct world world;
    world_open(&world);
    world_add(&world, "w:a a w:Thing ; w:title 'a AOR NTa A' .");
    world_land(&world);
    for (size_t n = tr_test_scaled(20000); n > 0; n--) {
        struct tr_graph_read_ctx ctx = world_read_ctx(&world);
        struct tr_err err = {0};
        struct tr_query_page page = {0};
        struct tr_arena arena;
        char text[12];
        bool more = false;
        static const char odd[] = "\"*^-+(){}: \0\xE4\xC3\x80"
                                  "aAORNT";
        for (size_t i = 0; i < sizeof(text); i++)
            text[i] = odd[tr_test_random_below(sizeof(odd))];
        struct tr_query_search search = {
            .text = {text, (size_t)tr_test_random_below(sizeof(text) + 1)}};
        tr_arena_init(&arena, TR_KIB(64));
        ctx.arena = &arena;
        CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
        tr_arena_done(&arena);
    }
    world_close(&world);
}
