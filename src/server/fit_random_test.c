/*
 * What a store is fitted to: declarations that differ in what has to be done
 * have different digests, and what was done is not done again, until somebody
 * has lost it.
 */
#include "base/test.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "graph/upkeep.h"
#include "graph/value_set.h"
#include "model/builder.h"
#include "respell/respell.h"
#include "server/app.h"
#include "server/fit.h"
#include "support/lua_world.h"
#include "support/store.h"
#include "values/build.h"

#define PAIRS 400

/* Digests ----------------------------------------------------------------- */

enum { TYPES = 2, FIELDS = 2 };

static const enum tr_field_kind kinds[] = {TR_FIELD_TEXT, TR_FIELD_INTEGER,
                                           TR_FIELD_DECIMAL, TR_FIELD_DATETIME};

struct declared {
    struct {
        unsigned predicate; /* of two */
        unsigned kind;      /* of those above */
        bool is_bare;
    } fields[TYPES][FIELDS];
    unsigned order[TYPES]; /* of an index: none, 0, -0, 0 and 1, 1 and -0 */
};

enum { ORDERS = 5 };

static unsigned below(unsigned count)
{
    return (unsigned)tr_test_random_below(count);
}

static void choose_field(struct declared *d, unsigned type, unsigned field)
{
    d->fields[type][field].predicate = below(2);
    d->fields[type][field].kind = below(TR_LEN(kinds));
    d->fields[type][field].is_bare = below(4) == 0;
}

static struct declared choose(void)
{
    struct declared d;
    memset(&d, 0, sizeof(d));
    for (unsigned t = 0; t < TYPES; t++) {
        for (unsigned f = 0; f < FIELDS; f++)
            choose_field(&d, t, f);
        d.order[t] = below(2) ? below(ORDERS) : 0;
    }
    if (below(2))
        memcpy(d.fields[1], d.fields[0], sizeof(d.fields[1]));
    return d;
}

/* What one type has, the other has from now on. */
static void swap(struct declared *d)
{
    unsigned order = d->order[0];
    d->order[0] = d->order[1];
    d->order[1] = order;
}

static void flip(struct declared *d)
{
    for (unsigned i = 0; i < TYPES * FIELDS; i++)
        d->fields[i / FIELDS][i % FIELDS].predicate ^= 1;
}

/* Another one that is nearly the same. */
static void change(struct declared *d)
{
    unsigned type = below(TYPES);
    switch (below(6)) {
    case 4:
        swap(d);
        break;
    case 5:
        flip(d);
        break;
    case 0:
        d->order[type] = below(ORDERS);
        break;
    case 1:
        choose_field(d, type, below(FIELDS));
        break;
    case 2:
        d->fields[type][below(FIELDS)].is_bare ^= true;
        break;
    default:
        d->fields[type][below(FIELDS)].kind = below(TR_LEN(kinds));
    }
}

static size_t write_order(unsigned order, struct tr_shape_unique *out)
{
    static const tr_str lists[ORDERS][2] = {
        {{0}},
        {TR_STR_INIT("f0")},
        {TR_STR_INIT("-f0")},
        {TR_STR_INIT("f0"), TR_STR_INIT("f1")},
        {TR_STR_INIT("f1"), TR_STR_INIT("-f0")}};
    *out = (struct tr_shape_unique){lists[order], order < 3 ? 1 : 2};
    return order ? 1 : 0;
}

/* NULL for what no app can declare, such as an index over a field that has
 * none. */
static const struct tr_model *make_model(const struct declared *d)
{
    static const tr_str names[] = {TR_STR_INIT("f0"), TR_STR_INIT("f1")};
    static const tr_str types[] = {TR_STR_INIT("A"), TR_STR_INIT("B")};
    static const tr_str iris[] = {TR_STR_INIT("http://e/p"),
                                  TR_STR_INIT("http://e/q")};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    bool ok = tr_model_builder_create(TR_STR("x"), &builder, &err) == TR_OK;
    for (unsigned t = 0; ok && t < TYPES; t++) {
        struct tr_field fields[FIELDS];
        struct tr_shape_unique index;
        for (unsigned f = 0; f < FIELDS; f++)
            fields[f] = (struct tr_field){
                .name = names[f],
                .kind = kinds[d->fields[t][f].kind],
                .iri = iris[d->fields[t][f].predicate],
                .index = d->fields[t][f].is_bare ? TR_FIELD_INDEX_NONE : 0,
                .optional = true};
        struct tr_model_type_draft draft = {
            .shape = {.name = types[t], .fields = fields, .count = FIELDS},
            .indexes = &index,
            .index_count = write_order(d->order[t], &index)};
        ok = tr_model_builder_add_type(builder, &draft, &err) == TR_OK;
    }
    ok = ok && tr_model_build(builder, &model, &err) == TR_OK;
    tr_model_builder_free(builder);
    return ok ? model : NULL;
}

static bool is_due(struct tr_db *db, const struct tr_model *model)
{
    bool spelling = false;
    bool indexes = false;
    struct tr_err err = {0};
    CHECK_OK(tr_respell_is_due(db, model, &spelling, &err), &err);
    CHECK_OK(tr_values_is_due(db, model, &indexes, &err), &err);
    return spelling || indexes;
}

static void fit(struct tr_db *db, const struct tr_model *model)
{
    const struct tr_values_wanted wanted = {.model = model};
    struct tr_respell_done respelt;
    struct tr_values_built built;
    struct tr_err err = {0};
    CHECK_OK(tr_respell_store(db, model, &respelt, &err), &err);
    CHECK_OK(tr_values_sync(db, &wanted, &built, &err), &err);
    CHECK(!is_due(db, model));
}

/* Whether it was a pair. */
static bool compare(struct tr_db *db, unsigned *due)
{
    struct declared d = choose();
    const struct tr_model *one = make_model(&d);
    const struct tr_model *same = make_model(&d);
    change(&d);
    const struct tr_model *other = make_model(&d);
    bool is_pair = one && other;
    if (is_pair) {
        fit(db, one);
        CHECK(tr_server_fit_digest(one, NULL) ==
              tr_server_fit_digest(same, NULL));
        if (is_due(db, other)) {
            CHECK(tr_server_fit_digest(one, NULL) !=
                  tr_server_fit_digest(other, NULL));
            (*due)++;
        }
    }
    tr_model_free(one);
    tr_model_free(same);
    tr_model_free(other);
    return is_pair;
}

TEST(declarations_with_one_digest_need_the_same)
{
    struct store store;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    unsigned due = 0;
    size_t pairs = tr_test_scaled(PAIRS);
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    for (size_t n = 0; n < pairs;)
        n += compare(db, &due);
    CHECK(due > 0);
    tr_db_close(db);
    store_close(&store);
}

/* What was done ----------------------------------------------------------- */

static const char source[] =
    "node_type 'Task' { fields = { n = integer { index = true } } }";

static int64_t number(const struct lua_world *world, const char *sql)
{
    struct tr_db *db = NULL;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_open(tr_graph_store_path(world->env.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t found = row ? tr_db_column_i64(stmt, 0) : -1;
    tr_db_close(db);
    return found;
}

static void lose(const struct lua_world *world,
                 tr_status (*how)(struct tr_db *db, struct tr_err *err))
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(tr_graph_store_path(world->env.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(how(db, &err), &err);
    CHECK_OK(tr_db_commit(db, &err), &err);
    tr_db_close(db);
}

static tr_status lose_spelling(struct tr_db *db, struct tr_err *err)
{
    return tr_db_exec(db, "DELETE FROM spelt", err);
}

#define SPELT   "SELECT count(*) FROM spelt"
#define INDEXES "SELECT count(*) FROM value_index"

/* Nobody takes a row of `spelt` away: who does so sees who looks at it. */
TEST(a_store_that_fits_is_not_looked_through)
{
    struct lua_world world;
    lua_world_open_bare(&world, source, NULL);
    CHECK_INT(number(&world, SPELT), 0);
    tr_server_app_fit(world.env.store, world.app.snapshot);
    CHECK_INT(number(&world, SPELT), 1);
    CHECK_INT(number(&world, INDEXES), 1);
    lose(&world, lose_spelling);
    tr_server_app_fit(world.env.store, world.app.snapshot);
    CHECK_INT(number(&world, SPELT), 0);

    /* Whatever may have lost something raises the epoch. */
    lose(&world, tr_graph_epoch_raise);
    tr_server_app_fit(world.env.store, world.app.snapshot);
    CHECK_INT(number(&world, SPELT), 1);
    lose(&world, tr_graph_value_set_drop);
    CHECK_INT(number(&world, INDEXES), 0);
    tr_server_app_fit(world.env.store, world.app.snapshot);
    CHECK_INT(number(&world, INDEXES), 1);
    lua_world_close(&world);
}
