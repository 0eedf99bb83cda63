/*
 * Indexes by value through everything that changes a store: calls, imports,
 * other sets of indexes, spelling, compaction, a backup. After each step their
 * rows are those that the quads make; and walks along random ranges, page by
 * page, within a call that has changed something, give what a plain look at all
 * nodes gives.
 */
#include "base/test.h"
#include "graph/load.h"
#include "graph/upkeep.h"
#include "graph/value_set.h"
#include "respell/respell.h"
#include "support/indexed.h"
#include "support/team.h"
#include "values/build.h"
#include "values/index.h"

enum { WORLDS = 60, STEPS = 40 };

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

/* Fields without an index -------------------------------------------------- */

static int64_t ask_db(struct team *team, const char *sql)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    CHECK_OK(tr_db_prepare(team->reader->db, sql, &stmt, NULL), NULL);
    CHECK_OK(tr_db_stmt_step(stmt, &row, NULL), NULL);
    int64_t value = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return value;
}

/* What each of the tables of quads has more than it should. */
static void check_tables(struct team *team)
{
    static const char wanted[] =
        "(SELECT p, o, s, g FROM spo WHERE (o & 15) >= 2"
        " AND p NOT IN (SELECT p FROM bare))";
    char sql[256];
    (void)snprintf(sql, sizeof(sql),
                   "SELECT count(*) FROM (SELECT p, o, s, g FROM pos EXCEPT"
                   " SELECT * FROM %s)",
                   wanted);
    CHECK_INT(ask_db(team, sql), 0);
    (void)snprintf(sql, sizeof(sql),
                   "SELECT count(*) FROM (SELECT * FROM %s EXCEPT"
                   " SELECT p, o, s, g FROM pos)",
                   wanted);
    CHECK_INT(ask_db(team, sql), 0);
    CHECK_INT(ask_db(team, "SELECT count(*) FROM bare WHERE p NOT IN"
                           " (SELECT id FROM term)"),
              0);
}

static bool is_like(tr_rdf_ids pattern, tr_rdf_ids quad)
{
    return (pattern.s == TR_RDF_ID_ANY || pattern.s == quad.s) &&
           (pattern.p == TR_RDF_ID_ANY || pattern.p == quad.p) &&
           (pattern.o == TR_RDF_ID_ANY || pattern.o == quad.o) &&
           (pattern.g == TR_RDF_ID_ANY || pattern.g == quad.g);
}

struct picking {
    tr_rdf_ids pattern;
    tr_rdf_ids all[TR_KIB(2)];
    size_t count;
    size_t fits;
    uint64_t sum;
};

static uint64_t digest(tr_rdf_ids quad)
{
    uint64_t sum = quad.s * 31 + quad.p;
    sum = (sum * 31 + quad.o) * 31 + quad.g;
    return sum * 0x9E3779B97F4A7C15u;
}

static tr_status keep_quad(void *context, tr_rdf_ids quad, struct tr_err *err)
{
    struct picking *all = context;
    (void)err;
    CHECK(all->count < TR_LEN(all->all));
    all->all[all->count++] = quad;
    return TR_OK;
}

static tr_status add_quad(void *context, tr_rdf_ids quad, struct tr_err *err)
{
    struct picking *p = context;
    (void)err;
    CHECK(is_like(p->pattern, quad));
    p->fits++;
    p->sum += digest(quad);
    return TR_OK;
}

/* Patterns of each form: those of the quads that are there, with and without
 * each part. */
static void check_patterns(const struct tr_graph_read_ctx *ctx)
{
    static struct picking p;
    p.count = 0;
    CHECK_OK(tr_rdf_graph_each(ctx->graph,
                               (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                            TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                               keep_quad, &p, NULL),
             NULL);
    for (unsigned parts = 0; p.count && parts < 16; parts++) {
        tr_rdf_ids quad = p.all[below(p.count)];
        size_t wanted = 0;
        uint64_t sum = 0;
        p.pattern = (tr_rdf_ids){parts & 1 ? quad.s : TR_RDF_ID_ANY,
                                 parts & 2 ? quad.p : TR_RDF_ID_ANY,
                                 parts & 4 ? quad.o : TR_RDF_ID_ANY,
                                 parts & 8 ? quad.g : TR_RDF_ID_ANY};
        p.fits = 0;
        p.sum = 0;
        for (size_t i = 0; i < p.count; i++) {
            wanted += is_like(p.pattern, p.all[i]);
            sum += is_like(p.pattern, p.all[i]) ? digest(p.all[i]) : 0;
        }
        CHECK_OK(tr_rdf_graph_each(ctx->graph, p.pattern, add_quad, &p, NULL),
                 NULL);
        CHECK_INT(p.fits, wanted);
        CHECK(p.sum == sum);
    }
}

/* Rows and quads ---------------------------------------------------------- */

static void check_rows(struct team *team)
{
    struct tr_values_checked found;
    struct tr_err err = {0};
    CHECK_OK(tr_graph_reader_begin(team->reader, &err), &err);
    check_tables(team);
    CHECK_OK(tr_values_check(team->reader->db, &found, &err), &err);
    CHECK_INT(found.extra, 0);
    CHECK_INT(found.missing, 0);
    tr_graph_reader_end(team->reader);
}

/* Walks ------------------------------------------------------------------- */

struct seen {
    struct tr_key key;
    tr_rdf_id node;
};

struct asked {
    const struct tr_values_index *index;
    struct tr_values_range range;
    const tr_rdf_term *equal[TR_LIMIT_INDEX_FIELDS];
    tr_rdf_term terms[TR_LIMIT_INDEX_FIELDS];
    tr_rdf_term low;
    tr_rdf_term high;
};

/* A part of a key as if it ascended. */
static struct tr_key part_of(const struct asked *asked, tr_str key, size_t part)
{
    struct tr_key out = {0};
    size_t len = tr_key_part_len(key);
    for (size_t i = 0; i < part; i++) {
        key = tr_str_skip(key, len);
        len = tr_key_part_len(key);
    }
    bool is_none = (unsigned char)key.ptr[0] == 0xFF;
    for (size_t i = 0; i < len; i++)
        out.bytes[i] = (char)(asked->index->def->descending[part] && !is_none
                                  ? ~key.ptr[i]
                                  : key.ptr[i]);
    out.len = len;
    return out;
}

static struct tr_key key_of(const struct tr_graph_read_ctx *ctx,
                            const tr_rdf_term *term)
{
    struct tr_key key = {0};
    tr_rdf_id id = TR_RDF_ID_NONE;
    if (term && term->kind == TR_RDF_TERM_IRI)
        CHECK_OK(tr_rdf_graph_find(ctx->graph, term, &id, NULL), NULL);
    tr_key_put(&key, term, id, false);
    return key;
}

static bool is_bounded(const struct tr_graph_read_ctx *ctx,
                       const struct asked *asked, tr_str part)
{
    const struct tr_values_range *range = &asked->range;
    struct tr_key low = key_of(ctx, range->low);
    struct tr_key high = key_of(ctx, range->high);
    const struct tr_key *kind = range->low ? &low : &high;
    if (!range->low && !range->high)
        return true;
    if (range->low && range->high && low.bytes[0] != high.bytes[0])
        return false;
    int above = range->low ? tr_str_cmp(part, tr_key_str(&low)) : 1;
    int beyond = range->high ? tr_str_cmp(part, tr_key_str(&high)) : -1;
    return part.ptr[0] == kind->bytes[0] &&
           (range->is_above ? above > 0 : above >= 0) &&
           (range->is_below ? beyond < 0 : beyond <= 0);
}

static bool fits(const struct tr_graph_read_ctx *ctx, const struct asked *asked,
                 tr_str key)
{
    const struct tr_values_range *range = &asked->range;
    struct tr_key_value value;
    for (size_t i = 0; i < range->equal_count; i++) {
        struct tr_key part = part_of(asked, key, i);
        struct tr_key wanted = key_of(ctx, range->equal[i]);
        if (!tr_str_eq(tr_key_str(&part), tr_key_str(&wanted)))
            return false;
    }
    if (range->equal_count == asked->index->def->count)
        return true;
    struct tr_key part = part_of(asked, key, range->equal_count);
    CHECK(tr_key_read(tr_key_str(&part), &value));
    switch (range->want) {
    case TR_VALUES_BETWEEN:
        return is_bounded(ctx, asked, tr_key_str(&part));
    case TR_VALUES_PREFIX:
        return value.kind == TR_KEY_TEXT_OF &&
               tr_str_starts(value.text, range->prefix);
    case TR_VALUES_PRESENT:
        return value.kind != TR_KEY_NONE;
    case TR_VALUES_ABSENT:
        return value.kind == TR_KEY_NONE;
    default:
        return true;
    }
}

static bool is_absent(const struct asked *asked, const struct seen *seen)
{
    size_t at = asked->range.equal_count;
    if (!asked->range.backward || at == asked->index->def->count)
        return false;
    struct tr_key part = part_of(asked, tr_key_str(&seen->key), at);
    return (unsigned char)part.bytes[0] == 0xFF;
}

static bool comes_before(const struct asked *asked, const struct seen *a,
                         const struct seen *b)
{
    int order = tr_str_cmp(tr_key_str(&a->key), tr_key_str(&b->key));
    if (is_absent(asked, a) != is_absent(asked, b))
        return is_absent(asked, b);
    if (order != 0)
        return asked->range.backward ? order > 0 : order < 0;
    return a->node < b->node;
}

/* What there should be, in its order. */
static size_t look_at_all(const struct tr_graph_read_ctx *ctx,
                          const struct asked *asked,
                          struct seen out[INDEXED_NODES])
{
    size_t count = 0;
    for (size_t i = 0; i < INDEXED_NODES; i++) {
        struct seen one = {.node = TR_RDF_ID_NONE};
        bool is_there = false;
        CHECK_OK(
            tr_rdf_graph_find_iri(ctx->graph, indexed_node(i), &one.node, NULL),
            NULL);
        if (one.node != TR_RDF_ID_NONE)
            CHECK_OK(tr_values_key(ctx, asked->index, one.node, &one.key,
                                   &is_there, NULL),
                     NULL);
        if (!is_there || !fits(ctx, asked, tr_key_str(&one.key)))
            continue;
        size_t at = count++;
        for (; at && comes_before(asked, &one, &out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = one;
    }
    return count;
}

static tr_rdf_term value_of(const struct asked *asked, size_t part)
{
    return indexed_value(asked->index->declared->parts[part].field->name);
}

static void ask(struct asked *asked)
{
    struct tr_values_range *range = &asked->range;
    size_t count = asked->index->def->count;
    range->equal = asked->equal;
    range->equal_count = below(count + 1);
    range->backward = below(2);
    for (size_t i = 0; i < range->equal_count; i++) {
        asked->terms[i] = value_of(asked, i);
        asked->equal[i] = below(4) ? &asked->terms[i] : NULL;
    }
    if (range->equal_count == count)
        return;
    asked->low = value_of(asked, range->equal_count);
    asked->high = value_of(asked, range->equal_count);
    range->want = (enum tr_values_want)below(5);
    range->is_above = below(2);
    range->is_below = below(2);
    range->low = below(3) ? &asked->low : NULL;
    range->high = below(3) ? &asked->high : NULL;
    range->prefix = below(2) ? TR_STR("a") : TR_STR("");
}

/* Page by page. */
static void check_walk(const struct tr_graph_read_ctx *ctx, struct asked *asked)
{
    struct seen wanted[INDEXED_NODES];
    struct seen last;
    struct tr_values_spot after;
    size_t count = look_at_all(ctx, asked, wanted);
    size_t given = 0;
    for (bool more = true; more;) {
        struct tr_values_walk *walk = NULL;
        struct tr_values_step step = {0};
        bool is_inexact;
        size_t page = 1 + below(5);
        CHECK_OK(tr_values_walk_open(ctx, asked->index, &asked->range, &walk,
                                     &is_inexact, NULL),
                 NULL);
        for (; more && page && !is_inexact; page--) {
            CHECK_OK(tr_values_walk_next(walk, &step, NULL), NULL);
            more = step.node != TR_RDF_ID_NONE;
            CHECK(more == (given < count));
            if (!more)
                break;
            CHECK_INT(step.node, wanted[given].node);
            CHECK(tr_str_eq(step.key, tr_key_str(&wanted[given].key)));
            last = wanted[given++];
            after = (struct tr_values_spot){tr_key_str(&last.key), last.node};
            asked->range.after = &after;
        }
        more = more && !is_inexact;
        CHECK(!tr_values_walk_is_cut(walk));
        tr_values_walk_close(walk);
    }
}

struct summing {
    uint64_t count;
    tr_str last;
    char room[TR_KEY_PART_MAX];
};

static tr_status add_group(void *context, const struct tr_values_group *group,
                           bool *stop, struct tr_err *err)
{
    struct summing *sum = context;
    (void)stop;
    (void)err;
    CHECK(sum->count == 0 || tr_str_cmp(sum->last, group->key) < 0);
    memcpy(sum->room, group->key.ptr, group->key.len);
    sum->last = (tr_str){sum->room, group->key.len};
    sum->count += group->count;
    return TR_OK;
}

static void check_index(const struct tr_graph_read_ctx *ctx,
                        const struct tr_values_index *index)
{
    struct asked all = {.index = index};
    struct seen wanted[INDEXED_NODES];
    struct summing sum = {0};
    for (int i = 0; i < 4; i++) {
        struct asked asked = {.index = index};
        ask(&asked);
        check_walk(ctx, &asked);
    }
    CHECK_OK(tr_values_groups(ctx, index, add_group, &sum, NULL), NULL);
    CHECK_INT(sum.count, look_at_all(ctx, &all, wanted));
}

/* What is refused is left out. */
static bool is_taken(tr_status status)
{
    return status == TR_OK;
}

static void change(struct team_call *call)
{
    tr_str node = indexed_node(below(INDEXED_NODES));
    bool found;
    for (size_t i = below(5); i > 0; i--) {
        tr_rdf_quad quad = indexed_quad();
        (void)is_taken(
            tr_graph_kg_put_quad(&call->kg, &quad, below(3) > 0, NULL));
    }
    if (below(4) == 0)
        (void)is_taken(tr_graph_kg_delete(&call->kg, node, NULL, &found, NULL));
}

static void check_walks(struct team *team)
{
    struct tr_values_indexes found;
    struct tr_graph_read_ctx ctx;
    struct team_call call;
    team_begin(&call, team);
    if (below(2))
        change(&call);
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    const struct tr_model_type *type =
        tr_model_find(team->model, below(2) ? TR_STR("Task") : TR_STR("Thing"));
    CHECK_OK(tr_values_indexes_find(&ctx, type, &found, &call.err), &call.err);
    size_t declared = type->index_count;
    if (type->parent)
        declared += type->parent->index_count;
    CHECK_INT(found.count, declared);
    check_patterns(&ctx);
    for (size_t i = 0; i < found.count; i++)
        check_index(&ctx, &found.items[i]);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
}

/* Steps ------------------------------------------------------------------- */

static void write_some(struct team *team)
{
    struct team_call call;
    tr_str iri;
    team_begin(&call, team);
    change(&call);
    if (below(3) == 0)
        (void)is_taken(team_create(
            &call, "Task", indexed_node(below(INDEXED_NODES)).ptr,
            "{\"name\":\"new\",\"size\":3,\"due\":\"2026-01-01T00:00:00Z\"}",
            &iri));
    team->model = below(2) ? team->model : NULL; /* no shapes are checked */
    (void)is_taken(team_land(&call));
    team->model = call.kg.model;
    team_end(&call);
}

static void import_some(struct team *team)
{
    struct tr_err err = {0};
    struct tr_graph_load_opts opts = {.path = tr_graph_store_path(team->store),
                                      .model = NULL,
                                      .project = TR_STR("team"),
                                      .max_batch = below(2) ? 2 : 0};
    struct tr_graph_load *load = NULL;
    CHECK_OK(tr_graph_load_create(&opts, &load, &err), &err);
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    for (size_t i = below(9); i > 0; i--) {
        tr_rdf_quad quad = indexed_quad();
        CHECK_OK(sink.quad(sink.context, &quad, &err), &err);
    }
    CHECK_OK(tr_graph_load_finish(load, &err), &err);
    tr_graph_load_free(load);
}

static void build(struct team *team)
{
    struct tr_values_built built;
    struct tr_err err = {0};
    struct tr_values_wanted wanted = {.model = team->model};
    struct tr_db *db = NULL;
    CHECK_OK(tr_db_open(tr_graph_store_path(team->store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_values_sync(db, &wanted, &built, &err), &err);
    CHECK_OK(tr_values_sync(db, &wanted, &built, &err), &err);
    CHECK_INT(built.built + built.dropped, 0);
    tr_db_close(db);
}

static void put_right(struct team *team)
{
    struct tr_respell_done respelt;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    CHECK_OK(tr_db_open(tr_graph_store_path(team->store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_respell_store(db, team->model, &respelt, &err), &err);
    tr_db_close(db);
}

static void choose_indexes(struct team *team)
{
    tr_model_free(team->model);
    team->model = indexed_model((unsigned)below(INDEXED_SETS));
    build(team);
}

static void restore_backup(struct team *team)
{
    struct tr_err err = {0};
    const char *path = tr_graph_store_path(team->store);
    char copy[160];
    (void)snprintf(copy, sizeof(copy), "%s.backup", path);
    CHECK_OK(tr_db_backup(team->reader->db, copy, &err), &err);
    write_some(team);
    CHECK_OK(tr_graph_restore(path, NULL, copy, &err), &err);
    (void)remove(copy);
}

static void take_step(struct team *team)
{
    struct tr_graph_compacted compacted;
    struct tr_err err = {0};
    const char *path = tr_graph_store_path(team->store);
    switch (below(16)) {
    case 0:
        CHECK_OK(tr_graph_compact(path, NULL, &compacted, &err), &err);
        break;
    case 1:
        put_right(team);
        build(team);
        break;
    case 2:
        restore_backup(team);
        break;
    case 3:
    case 4:
        choose_indexes(team);
        break;
    case 5:
    case 6:
    case 7:
        import_some(team);
        break;
    default:
        write_some(team);
    }
}

TEST(index_by_value_is_what_the_quads_make_of_it)
{
    for (size_t n = tr_test_scaled(WORLDS); n > 0; n--) {
        struct team team;
        team_open(&team);
        choose_indexes(&team);
        for (int i = 0; i < STEPS; i++) {
            take_step(&team);
            check_rows(&team);
            check_walks(&team);
        }
        team_close(&team);
    }
}

/* Single faults ----------------------------------------------------------- */

TEST(index_by_value_with_a_fault_is_found_out)
{
    static const char *const sql[] = {
        "DELETE FROM value_row WHERE (x, k, s) IN temp.picked",
        "UPDATE value_row SET k = k || x'00' WHERE (x, k, s) IN temp.picked",
        "UPDATE value_row SET s = s + 160000 WHERE (x, k, s) IN temp.picked",
        "INSERT INTO value_row SELECT x, x'7FFF', s FROM temp.picked",
        "INSERT INTO value_row SELECT 1000, k, s FROM temp.picked",
    };
    struct team team;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    team_open(&team);
    tr_model_free(team.model);
    team.model = indexed_model(INDEXED_SETS - 1);
    struct tr_values_wanted asked = {.model = team.model};
    struct tr_values_built indexed;
    for (int i = 0; i < 20; i++)
        import_some(&team);
    CHECK_OK(tr_db_open(tr_graph_store_path(team.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_values_sync(db, &asked, &indexed, &err), &err);
    CHECK(indexed.rows > 10);
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        struct tr_values_checked found;
        CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
        CHECK_OK(tr_values_check(db, &found, &err), &err);
        CHECK_INT(found.extra + found.missing, 0);
        CHECK_OK(tr_db_exec(db,
                            "CREATE TEMP TABLE picked AS SELECT x, k, s"
                            " FROM value_row ORDER BY random() LIMIT 1",
                            &err),
                 &err);
        CHECK_OK(tr_db_exec(db, sql[below(TR_LEN(sql))], &err), &err);
        CHECK_INT(tr_db_changes(db), 1);
        CHECK_OK(tr_values_check(db, &found, &err), &err);
        CHECK(found.extra + found.missing > 0);
        tr_db_rollback(db);
    }
    tr_db_close(db);
    team_close(&team);
}
