/* What fields behind a ref ask for, and those of who refers, is what a look at
 * every node finds: with
 * indexes there and without, of nodes of other types and of none, in several
 * graphs, with changes that have not landed, and behind a face. */
#include "base/test.h"
#include "json/reader.h"
#include "model/builder.h"
#include "query/query.h"
#include "support/world.h"

enum { PEOPLE = 14, TASKS = 40, NODES = PEOPLE + TASKS, GRAPHS = 2 };
enum { WORLDS = 60, FILTERS = 40, CHANGES = 80 };
enum { AGES = 4, BORN = 4, NAMED = 4, SIZES = 3, INDEXES = 4 };

#define NS "http://w/"

/* What may be said of a node. */
enum {
    BEING,
    PERSON,
    SECRET,
    TASK,
    AGE,
    WHEN = AGE + AGES,
    NAME = WHEN + BORN,
    SIZE = NAME + NAMED,
    OWNER = SIZE + SIZES,
    HELPERS = OWNER + PEOPLE,
    PAIRS = HELPERS + PEOPLE
};

static const struct tr_field being_fields[] = {
    {.name = TR_STR_INIT("age"),
     .iri = TR_STR_INIT(NS "age"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
};
static const struct tr_field person_fields[] = {
    {.name = TR_STR_INIT("born"),
     .iri = TR_STR_INIT(NS "born"),
     .kind = TR_FIELD_DATETIME,
     .optional = true},
    {.name = TR_STR_INIT("name"),
     .iri = TR_STR_INIT(NS "name"),
     .optional = true},
};
static const struct tr_field task_fields[] = {
    {.name = TR_STR_INIT("size"),
     .iri = TR_STR_INIT(NS "size"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("owner"),
     .iri = TR_STR_INIT(NS "owner"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .optional = true},
    {.name = TR_STR_INIT("helpers"),
     .iri = TR_STR_INIT(NS "helpers"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Person"),
     .many = true,
     .optional = true},
};

#define NAMES(list)  .names = (list), .count = TR_LEN(list)
#define FIELDS(list) .fields = (list), .count = TR_LEN(list)

static const tr_str by_age[] = {TR_STR_INIT("age")};
static const tr_str by_born[] = {TR_STR_INIT("-born")};
static const tr_str by_name[] = {TR_STR_INIT("name"), TR_STR_INIT("age")};
static const tr_str by_size[] = {TR_STR_INIT("size")};
static const struct tr_shape_unique indexes[INDEXES] = {
    {NAMES(by_age)}, {NAMES(by_born)}, {NAMES(by_name)}, {NAMES(by_size)}};
static const struct tr_model_type_draft drafts[] = {
    {.shape = {.name = TR_STR_INIT("Being"),
               .iri = TR_STR_INIT(NS "Being"),
               FIELDS(being_fields)}},
    {.shape = {.name = TR_STR_INIT("Person"),
               .iri = TR_STR_INIT(NS "Person"),
               FIELDS(person_fields)},
     .extends = TR_STR_INIT("Being")},
    {.shape = {.name = TR_STR_INIT("Secret"), .iri = TR_STR_INIT(NS "Secret")},
     .extends = TR_STR_INIT("Person"),
     .is_private = true},
    {.shape = {.name = TR_STR_INIT("Task"),
               .iri = TR_STR_INIT(NS "Task"),
               FIELDS(task_fields)}},
};
/* The type that each of the indexes is of. */
static const size_t types_of[INDEXES] = {0, 1, 1, 3};

static const char *const ages[AGES] = {"-3", "0", "7", "123456"};
static const char *const born[BORN] = {
    "2026-01-01T09:00:00Z", "2026-01-01T10:00:00Z", "2026-01-01T11:00:00+01:00",
    "2026-02-01T00:00:00Z"};
static const int born_order[BORN] = {0, 1, 1, 2};
static const char *const named[NAMED] = {"Ann", "Anna", "B", "Bob"};
static const char *const sizes[SIZES] = {"1", "2", "3"};

/* The store, and what should be in it. */
struct plain {
    struct world world;
    bool has[NODES][PAIRS][GRAPHS];
    bool is_faced;
};

static const struct tr_model *make_model(unsigned set)
{
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("test"), &builder, &err), &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++) {
        struct tr_model_type_draft draft = drafts[i];
        struct tr_shape_unique wanted[INDEXES];
        draft.indexes = wanted;
        for (size_t k = 0; k < INDEXES; k++) {
            if (types_of[k] == i && set & 1u << k)
                wanted[draft.index_count++] = indexes[k];
        }
        CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
    }
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static size_t below(size_t bound)
{
    return (size_t)tr_test_random_below(bound);
}

static tr_str name_of(size_t node, char text[32])
{
    int len = snprintf(text, 32, NS "n%zu", node);
    return (tr_str){text, (size_t)len};
}

static void make_quad(size_t pair, char text[32], tr_rdf_quad *out)
{
    const char *predicate = TR_RDF_IRI_RDF_TYPE;
    if (pair < AGE)
        out->object = tr_rdf_term_iri(drafts[pair].shape.iri);
    else if (pair < WHEN)
        predicate = NS "age",
        out->object = tr_rdf_term_typed(tr_str_from(ages[pair - AGE]),
                                        TR_STR(TR_RDF_IRI_XSD_INTEGER));
    else if (pair < NAME)
        predicate = NS "born",
        out->object = tr_rdf_term_typed(tr_str_from(born[pair - WHEN]),
                                        TR_STR(TR_RDF_IRI_XSD_DATE_TIME));
    else if (pair < SIZE)
        predicate = NS "name",
        out->object = tr_rdf_term_string(tr_str_from(named[pair - NAME]));
    else if (pair < OWNER)
        predicate = NS "size",
        out->object = tr_rdf_term_typed(tr_str_from(sizes[pair - SIZE]),
                                        TR_STR(TR_RDF_IRI_XSD_INTEGER));
    else
        predicate = pair < HELPERS ? NS "owner" : NS "helpers",
        out->object = tr_rdf_term_iri(name_of((pair - OWNER) % PEOPLE, text));
    out->predicate = tr_rdf_term_iri(tr_str_from(predicate));
}

static void turn(struct plain *plain, size_t node, size_t pair, size_t graph)
{
    char subject[32];
    char object[32];
    bool *has = &plain->has[node][pair][graph];
    tr_rdf_quad quad = {.subject = tr_rdf_term_iri(name_of(node, subject))};
    make_quad(pair, object, &quad);
    if (graph > 0)
        quad.graph = tr_rdf_term_iri(TR_STR(NS "g"));
    if (*has)
        world_remove_quad(&plain->world, &quad);
    else
        world_add_quad(&plain->world, &quad);
    *has = !*has;
}

static bool says(const struct plain *plain, size_t node, size_t pair)
{
    return plain->has[node][pair][0] || plain->has[node][pair][1];
}

/* A field with one value has no other one then. */
static void make_room(struct plain *plain, size_t node, size_t pair)
{
    static const size_t firsts[] = {AGE, WHEN, NAME, SIZE, OWNER};
    size_t i = 0;
    if (pair < AGE || pair >= OWNER)
        return;
    while (pair >= firsts[i + 1])
        i++;
    for (size_t other = firsts[i]; other < firsts[i + 1]; other++) {
        for (size_t graph = 0; graph < GRAPHS && other != pair; graph++) {
            if (plain->has[node][other][graph])
                turn(plain, node, other, graph);
        }
    }
}

/* Who is of a type is of those above it, too. */
static void change_one(struct plain *plain, size_t node, size_t pair)
{
    size_t graph = below(GRAPHS);
    make_room(plain, node, pair);
    if (pair < SECRET && plain->has[node][pair][graph] &&
        says(plain, node, pair + 1))
        return;
    for (size_t above = 0; above < pair && pair <= SECRET; above++) {
        if (!says(plain, node, above))
            turn(plain, node, above, below(GRAPHS));
    }
    turn(plain, node, pair, graph);
}

/* People are mostly Persons and tasks Tasks, but not all, and not only. */
static void make_node(struct plain *plain, size_t node)
{
    bool is_task = node >= PEOPLE;
    if (below(8))
        change_one(plain, node, is_task ? TASK : PERSON - (below(8) == 0));
    if (!is_task && below(5) == 0)
        change_one(plain, node, SECRET);
    for (size_t i = below(5); i > 0; i--) {
        size_t first = is_task ? SIZE : AGE;
        size_t end = is_task ? PAIRS : SIZE;
        change_one(plain, node, first + below(end - first));
    }
}

static void open_plain(struct plain *plain, bool changes)
{
    memset(plain->has, 0, sizeof(plain->has));
    world_open(&plain->world);
    tr_model_free(plain->world.model);
    plain->world.model = make_model((unsigned)below(1u << INDEXES));
    for (size_t node = 0; node < NODES; node++)
        make_node(plain, node);
    world_land(&plain->world);
    if (!changes)
        return;
    world_change(&plain->world);
    for (size_t i = below(CHANGES); i > 0; i--)
        change_one(plain, below(NODES), below(PAIRS));
}

/* Filters ----------------------------------------------------------------- */

enum form {
    EQUAL,
    ONE_OF,
    MIN,
    MAX,
    ABOVE,
    BELOW,
    BETWEEN,
    PREFIX,
    PRESENT,
    ABSENT,
    FORMS
};

struct cond {
    size_t first;  /* of the refs; 0: the node itself */
    bool is_back;  /* of those who refer */
    bool is_alone; /* whether anybody refers */
    size_t field;  /* AGE, WHEN, NAME, SIZE */
    size_t count;  /* of its values */
    enum form form;
    size_t a;
    size_t b;
};

static const char *value_text(size_t field, size_t value)
{
    return field == AGE    ? ages[value]
           : field == WHEN ? born[value]
           : field == NAME ? named[value]
                           : sizes[value];
}

/* Whether a value is below, equal to or above another one. */
static int compare(size_t field, size_t a, size_t b)
{
    if (field == WHEN)
        return born_order[a] - born_order[b];
    return (int)a - (int)b; /* the others are written in their order */
}

static bool fits(const struct cond *cond, size_t value)
{
    int a = compare(cond->field, value, cond->a);
    int b = compare(cond->field, value, cond->b);
    switch (cond->form) {
    case EQUAL:
        return a == 0;
    case ONE_OF:
        return a == 0 || b == 0;
    case MIN:
        return a >= 0;
    case MAX:
        return a <= 0;
    case ABOVE:
        return a > 0;
    case BELOW:
        return a < 0;
    case BETWEEN:
        return a >= 0 && b < 0;
    case PREFIX:
        return strncmp(named[value], named[cond->a],
                       strnlen(named[cond->a], 2)) == 0;
    default:
        return true;
    }
}

/* Sets *any when the node has a value at all. */
static bool node_fits(const struct plain *plain, const struct cond *cond,
                      size_t node, bool *any)
{
    bool found = false;
    for (size_t value = 0; value < cond->count; value++) {
        bool is_there = says(plain, node, cond->field + value);
        *any |= is_there;
        found |= is_there && fits(cond, value);
    }
    return found;
}

/* Whether a node may be seen, and is of a type. */
static bool is_of(const struct plain *plain, size_t node, size_t class)
{
    return says(plain, node, class) &&
           !(plain->is_faced && says(plain, node, SECRET));
}

static bool refers(const struct plain *plain, size_t from, size_t first,
                   size_t to)
{
    return to < PEOPLE && says(plain, from, first + to);
}

static bool holds(const struct plain *plain, const struct cond *cond,
                  size_t node)
{
    bool any = false;
    bool found = false;
    if (!cond->first)
        found = node_fits(plain, cond, node, &any);
    for (size_t other = 0; cond->first && other < NODES; other++) {
        if (!is_of(plain, other, cond->is_back ? TASK : PERSON) ||
            !refers(plain, cond->is_back ? other : node, cond->first,
                    cond->is_back ? node : other))
            continue;
        found |= cond->is_alone || node_fits(plain, cond, other, &any);
        any |= cond->is_alone;
    }
    return cond->form == ABSENT ? !any : found;
}

static void choose_field(struct cond *out, bool of_task)
{
    static const size_t fields[] = {AGE, WHEN, NAME};
    static const size_t counts[] = {AGES, BORN, NAMED};
    size_t field = below(TR_LEN(fields));
    out->field = of_task ? SIZE : fields[field];
    out->count = of_task ? SIZES : counts[field];
}

/* Of a Task: its own, or behind a ref; of a Person: its own, or of a Task that
 * refers to it. */
static void random_cond(struct cond *out, bool of_task)
{
    bool is_across = below(5) > 0;
    *out = (struct cond){.is_back = is_across && !of_task};
    if (is_across)
        out->first = below(2) ? OWNER : HELPERS;
    out->is_alone = out->is_back && below(4) == 0;
    choose_field(out, of_task != is_across);
    do
        out->form = (enum form)below(FORMS);
    while ((out->form == PREFIX && out->field != NAME) ||
           (out->is_alone && out->form < PRESENT));
    out->a = below(out->count);
    out->b = below(out->count);
}

static void put_value(struct tr_buf *out, const struct cond *cond, size_t value)
{
    bool is_text = cond->field == WHEN || cond->field == NAME;
    tr_buf_putf(out, is_text ? "\"%s\"" : "%s", value_text(cond->field, value));
}

static void put_path(struct tr_buf *out, const struct cond *cond)
{
    tr_buf_putf(out, "\"%s%s%s%s\":",
                !cond->is_back ? ""
                : below(2)     ? "^"
                               : "^Task.",
                cond->first == OWNER     ? "owner"
                : cond->first == HELPERS ? "helpers"
                                         : "",
                cond->first && !cond->is_alone ? "." : "",
                cond->is_alone        ? ""
                : cond->field == AGE  ? "age"
                : cond->field == WHEN ? "born"
                : cond->field == NAME ? "name"
                                      : "size");
}

static void put_cond(struct tr_buf *out, const struct cond *cond)
{
    static const char *const words[FORMS] = {
        [MIN] = "min", [MAX] = "max", [ABOVE] = "above", [BELOW] = "below"};
    put_path(out, cond);
    switch (cond->form) {
    case EQUAL:
        put_value(out, cond, cond->a);
        return;
    case ONE_OF:
    case BETWEEN:
        tr_buf_putf(out, cond->form == ONE_OF ? "{\"one_of\":[" : "{\"min\":");
        put_value(out, cond, cond->a);
        tr_buf_putf(out, cond->form == ONE_OF ? "," : ",\"below\":");
        put_value(out, cond, cond->b);
        tr_buf_putf(out, cond->form == ONE_OF ? "]}" : "}");
        return;
    case PREFIX:
        tr_buf_putf(out, "{\"prefix\":\"%.2s\"}", named[cond->a]);
        return;
    case PRESENT:
    case ABSENT:
        tr_buf_putf(out, "{\"%s\":true}",
                    cond->form == PRESENT ? "present" : "absent");
        return;
    default:
        tr_buf_putf(out, "{\"%s\":", words[cond->form]);
        put_value(out, cond, cond->a);
        tr_buf_putf(out, "}");
    }
}

/* One or two conditions of different names, all of which hold. */
struct all {
    struct cond conds[2];
    size_t count;
};

static void random_all(struct all *out, bool of_task)
{
    const struct cond *a = &out->conds[0];
    const struct cond *b = &out->conds[1];
    random_cond(&out->conds[0], of_task);
    random_cond(&out->conds[1], of_task);
    out->count = 1 + below(2);
    if (a->field == b->field && a->first == b->first)
        out->count = 1;
}

static void put_all(struct tr_buf *out, const struct all *all)
{
    for (size_t i = 0; i < all->count; i++) {
        tr_buf_putf(out, i ? "," : "");
        put_cond(out, &all->conds[i]);
    }
}

static bool all_hold(const struct plain *plain, const struct all *all,
                     size_t node)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!holds(plain, &all->conds[i], node))
            return false;
    }
    return true;
}

/* A filter, and perhaps two alternatives beside it. */
struct wanted {
    bool of_task;
    struct all all;
    struct all any[2];
    bool has_any;
    tr_rdf_id ids[NODES];
    size_t found;
};

static const struct tr_json *random_filter(struct plain *plain,
                                           struct wanted *out)
{
    const struct tr_json *root = NULL;
    struct tr_err err = {0};
    struct tr_buf text;
    tr_str copy;
    *out = (struct wanted){.has_any = below(3) == 0, .of_task = below(2)};
    random_all(&out->all, out->of_task);
    random_all(&out->any[0], out->of_task);
    random_all(&out->any[1], out->of_task);
    if (out->has_any && below(2))
        out->all.count = 0;
    tr_buf_init(&text, TR_KIB(4));
    tr_buf_putc(&text, '{');
    put_all(&text, &out->all);
    if (out->has_any) {
        tr_buf_putf(&text, out->all.count ? ",\"any\":[{" : "\"any\":[{");
        put_all(&text, &out->any[0]);
        tr_buf_putf(&text, "},{");
        put_all(&text, &out->any[1]);
        tr_buf_putf(&text, "}]");
    }
    tr_buf_putc(&text, '}');
    CHECK(tr_arena_copy(&plain->world.arena, tr_buf_str(&text), &copy));
    CHECK_OK(tr_json_read(&plain->world.arena, copy, NULL, &root, &err), &err);
    tr_buf_done(&text);
    return root;
}

static void find_plainly(const struct plain *plain,
                         const struct tr_graph_read_ctx *ctx,
                         struct wanted *wanted)
{
    for (size_t node = 0; node < NODES; node++) {
        struct tr_err err = {0};
        char text[32];
        if (!is_of(plain, node, wanted->of_task ? TASK : PERSON) ||
            !all_hold(plain, &wanted->all, node) ||
            (wanted->has_any && !all_hold(plain, &wanted->any[0], node) &&
             !all_hold(plain, &wanted->any[1], node)))
            continue;
        CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, name_of(node, text),
                                       &wanted->ids[wanted->found++], &err),
                 &err);
    }
    qsort(wanted->ids, wanted->found, sizeof(tr_rdf_id), tr_rdf_id_compare);
}

/* Page by page; in an order those of a page are sorted here. */
static void check_pages(const struct tr_graph_read_ctx *ctx,
                        const struct wanted *wanted, struct tr_query query)
{
    tr_rdf_id found[NODES];
    size_t count = 0;
    do {
        struct tr_query_page page;
        struct tr_err err = {0};
        CHECK_OK(tr_query_where(ctx, &query, &page, &err), &err);
        for (size_t i = 0; i < page.count; i++, count++)
            found[count % NODES] = page.ids[i];
        query.after = page.next;
    } while (query.after.len);
    CHECK_INT(count, wanted->found);
    if (query.order.len)
        qsort(found, count, sizeof(tr_rdf_id), tr_rdf_id_compare);
    for (size_t i = 0; i < count; i++)
        CHECK_INT(found[i], wanted->ids[i]);
}

static void check_filter(struct plain *plain,
                         const struct tr_graph_read_ctx *ctx)
{
    static const char *const orders[][2] = {
        {"", ""}, {"", "age"}, {"size", "-born"}, {"-owner", ""}};
    struct wanted wanted;
    struct tr_query_count count;
    struct tr_err err = {0};
    bool exists;
    struct tr_query query = {.filter = random_filter(plain, &wanted),
                             .limit = 1 + below(NODES)};
    query.type = tr_model_find(ctx->model,
                               tr_str_from(wanted.of_task ? "Task" : "Person"));
    query.order =
        tr_str_from(orders[below(TR_LEN(orders))][wanted.of_task ? 0 : 1]);
    find_plainly(plain, ctx, &wanted);
    check_pages(ctx, &wanted, query);
    CHECK_OK(tr_query_where_count(ctx, &query, &count, &err), &err);
    CHECK(count.count == wanted.found && !count.at_least);
    CHECK_OK(tr_query_where_exists(ctx, &query, &exists, &err), &err);
    CHECK(exists == (wanted.found > 0));
    query.max_work = 1 + below(NODES);
    CHECK_OK(tr_query_where_count(ctx, &query, &count, &err), &err);
    CHECK(count.at_least ? count.count <= wanted.found
                         : count.count == wanted.found);
}

static void check_all(bool changes, bool is_faced)
{
    static struct plain plain;
    plain.is_faced = is_faced;
    for (size_t n = tr_test_scaled(WORLDS); n > 0; n--) {
        struct tr_err err = {0};
        open_plain(&plain, changes);
        struct tr_graph_read_ctx ctx = world_read_ctx(&plain.world);
        if (is_faced) {
            ctx.face = tr_model_face_for(ctx.model, 0);
            ctx.model = ctx.face->model;
            CHECK_OK(tr_model_face_graph(ctx.face, ctx.graph,
                                         &plain.world.arena, &ctx.graph, &err),
                     &err);
        }
        for (size_t i = 0; i < FILTERS; i++) {
            struct tr_arena arena;
            tr_arena_init(&arena, TR_MIB(16));
            ctx.arena = &arena;
            check_filter(&plain, &ctx);
            tr_arena_done(&arena);
        }
        world_close(&plain.world);
    }
}

TEST(fields_behind_a_ref_are_those_of_its_nodes)
{
    check_all(false, false);
}

TEST(fields_behind_a_ref_are_as_a_call_has_changed_them)
{
    check_all(true, false);
}

TEST(fields_behind_a_ref_are_seen_of_what_may_be_seen)
{
    check_all(false, true);
    check_all(true, true);
}
