/*
 * What indexes by value and fields without one are to those who share a store
 * (decisions 0033 and 0034): facts of the transaction that one is in, told by
 * the epoch, dropped where values change all over, and no part of an answer.
 */
#include "graph/value_set.h"

#include "audit/audit.h"
#include "base/test.h"
#include "graph/load.h"
#include "graph/upkeep.h"
#include "json/writer.h"
#include "query/query.h"
#include "respell/respell.h"
#include "support/indexed.h"
#include "support/team.h"
#include "values/index.h"

/* Sets of support/indexed.h: its indexes, and its fields without one. */
enum { NONE = 0, INDEXES = 0x1F, BARE = 0x1E0, ALL = INDEXES | BARE };

#define TASK "trails://team/Task"
#define NODE "<" TASK "/"

/* Values in one spelling, but for the last node's. */
static const char text[] =
    "@prefix t: <trails://team/Thing#> . @prefix k: <trails://team/Task#> ."
    "@prefix x: <http://www.w3.org/2001/XMLSchema#> ." NODE "a> a <" TASK
    "> , <trails://team/Thing> ; t:name \"a\" ; t:size 2 ;"
    " k:due \"2026-01-02T00:00:00Z\"^^x:dateTime ; k:rank 1.5 ." NODE
    "b> a <" TASK "> , <trails://team/Thing> ; t:name \"b\" ; t:size 10 ;"
    " k:owner " NODE "a> ." NODE "c> a <" TASK
    "> , <trails://team/Thing> ; t:name \"a\" ;"
    " k:due \"2026-01-01T00:00:00Z\"^^x:dateTime ; k:rank -1.5 .";

static void load(struct team *team, const char *turtle)
{
    struct tr_graph_load_opts opts = {.path = tr_graph_store_path(team->store),
                                      .project = TR_STR("team")};
    struct tr_graph_load *load = NULL;
    struct tr_err err = {0};
    tr_str rest = tr_str_from(turtle);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    CHECK_OK(tr_graph_load_create(&opts, &load, &err), &err);
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    CHECK_OK(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, &err), &err);
    CHECK_OK(tr_graph_load_finish(load, &err), &err);
    tr_graph_load_free(load);
}

/* Another app opens the store. */
static void fit(struct team *team, unsigned set)
{
    const struct tr_model *model = indexed_model(set);
    struct tr_err err = {0};
    CHECK_OK(indexed_fit(tr_graph_store_path(team->store), NULL, model, &err),
             &err);
    tr_model_free(model);
}

static void open_team(struct team *team, unsigned set)
{
    team_open(team);
    tr_model_free(team->model);
    team->model = indexed_model(set);
    load(team, text);
}

static int64_t ask(struct team *team, const char *sql)
{
    struct tr_db *db = NULL;
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_open(tr_graph_store_path(team->store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    int64_t value = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    tr_db_close(db);
    return value;
}

#define INDEX_COUNT "SELECT count(*) FROM value_index"
#define BARE_COUNT  "SELECT count(*) FROM bare"
#define EPOCH       "SELECT value FROM meta WHERE key = 1"

static void check_sound(struct team *team)
{
    struct tr_audit_compared found;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(tr_graph_store_path(team->store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_audit_compare(db, &found, &err), &err);
    CHECK_INT(found.extra + found.missing + found.unknown + found.counted, 0);
    tr_db_close(db);
}

/* Answers ----------------------------------------------------------------- */

static void put_page(const struct tr_graph_read_ctx *ctx,
                     const struct tr_query *query, struct tr_buf *out)
{
    struct tr_query_page page;
    struct tr_err err = {0};
    CHECK_OK(tr_query_where(ctx, query, &page, &err), &err);
    for (size_t i = 0; i < page.count; i++) {
        tr_rdf_term term;
        CHECK_OK(tr_rdf_graph_get(ctx->graph, page.ids[i], &term, &err), &err);
        tr_buf_putf(out, "%.1s",
                    term.text.ptr + term.text.len - 1); /* a, b or c */
    }
    tr_buf_putc(out, ' ');
}

/* What filters and orders find: by what has an index, and by what has none. */
static void put_answers(struct team *team, struct tr_buf *out)
{
    static const struct {
        const char *filter;
        const char *order;
    } asked[] = {
        {"{}", "due"},
        {"{}", "-due"},
        {"{}", "-rank"},
        {"{\"size\":{\"min\":3}}", ""},
        {"{\"name\":\"a\"}", "size"},
        {"{\"rank\":{\"below\":\"1.5\"}}", ""},
        {"{\"owner\":\"" TASK "/a\"}", "-due"},
        {"{\"due\":{\"present\":false}}", "name"},
    };
    tr_buf_clear(out);
    for (size_t i = 0; i < TR_LEN(asked); i++) {
        struct team_call call;
        struct tr_graph_read_ctx ctx;
        team_begin(&call, team);
        CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
        struct tr_query query = {.type =
                                     tr_model_find(team->model, TR_STR("Task")),
                                 .filter = team_json(&call, asked[i].filter),
                                 .order = tr_str_from(asked[i].order)};
        put_page(&ctx, &query, out);
        tr_graph_kg_leave(&call.kg);
        team_end(&call);
    }
}

static void check_answers(struct team *team)
{
    struct tr_buf out;
    tr_buf_init(&out, TR_KIB(4));
    put_answers(team, &out);
    CHECK_STR(tr_buf_str(&out), "cab acb acb b ac c b b ");
    tr_buf_done(&out);
}

static size_t count_indexes(struct team *team)
{
    struct team_call call;
    struct tr_graph_read_ctx ctx;
    struct tr_values_indexes found;
    team_begin(&call, team);
    CHECK_OK(tr_graph_kg_enter(&call.kg, &ctx, &call.err), &call.err);
    CHECK_OK(tr_values_indexes_find(&ctx,
                                    tr_model_find(team->model, TR_STR("Task")),
                                    &found, &call.err),
             &call.err);
    tr_graph_kg_leave(&call.kg);
    team_end(&call);
    return found.count;
}

TEST(value_set_of_an_app_that_the_store_was_not_fitted_to_changes_no_answer)
{
    static const unsigned fitted[] = {NONE, INDEXES, BARE, ALL, 0x95};
    for (size_t i = 0; i < TR_LEN(fitted); i++) {
        struct team team;
        open_team(&team, ALL);
        fit(&team, fitted[i]);
        check_answers(&team); /* with what it has */
        check_sound(&team);
        tr_model_free(team.model);
        team.model = indexed_model(NONE);
        check_answers(&team); /* with what it did not ask for */
        team_close(&team);
    }
}

TEST(value_set_has_no_index_that_is_declared_and_not_built)
{
    struct team team;
    open_team(&team, INDEXES);
    CHECK_INT(count_indexes(&team), 0);
    fit(&team, INDEXES);
    CHECK_INT(count_indexes(&team), 5);
    fit(&team, 0x03); /* both of Thing's */
    CHECK_INT(count_indexes(&team), 2);
    team_close(&team);
}

/* Transactions ------------------------------------------------------------ */

static size_t count_literals(struct tr_graph_reader *reader, const char *iri)
{
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_NONE, TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    struct tr_err err = {0};
    tr_rdf_ids row;
    size_t count = 0;
    CHECK_OK(tr_rdf_graph_find_iri(&reader->stored.base, tr_str_from(iri),
                                   &pattern.p, &err),
             &err);
    tr_rdf_graph_match(&reader->stored.base, pattern, &cursor);
    while (tr_rdf_cursor_next(&cursor, &row))
        count++;
    CHECK_OK(tr_rdf_cursor_end(&cursor, TR_OK, &err), &err);
    return count;
}

/* While somebody reads, another app takes rows out or puts them in. */
TEST(value_set_is_that_of_the_state_that_is_read)
{
    static const unsigned fitted[] = {ALL, NONE, BARE, INDEXES};
    struct team team;
    struct tr_err err = {0};
    size_t indexes = 0;
    open_team(&team, ALL);
    for (size_t i = 0; i < TR_LEN(fitted); i++) {
        CHECK_OK(tr_graph_reader_begin(team.reader, &err), &err);
        fit(&team, fitted[i]);
        CHECK_INT(count_literals(team.reader, "trails://team/Thing#name"), 3);
        CHECK_INT(team.reader->values.count, indexes);
        tr_graph_reader_end(team.reader);
        CHECK_OK(tr_graph_reader_begin(team.reader, &err), &err);
        indexes = fitted[i] & INDEXES ? 5 : 0;
        CHECK_INT(team.reader->values.count, indexes);
        CHECK_INT(team.reader->values.bare_count, fitted[i] & BARE ? 4 : 0);
        CHECK_INT(count_literals(team.reader, "trails://team/Thing#name"), 3);
        tr_graph_reader_end(team.reader);
        check_answers(&team);
    }
    team_close(&team);
}

/* The writer of a server that has the store open all the time. */
TEST(value_set_that_another_app_has_made_is_kept_by_who_writes)
{
    static const unsigned fitted[] = {ALL, NONE, BARE, INDEXES, NONE};
    struct team team;
    open_team(&team, NONE);
    for (size_t i = 0; i < TR_LEN(fitted); i++) {
        struct team_call call;
        char iri[64];
        tr_str made;
        fit(&team, fitted[i]);
        team_begin(&call, &team);
        (void)snprintf(iri, sizeof(iri), TASK "/%zu", i);
        CHECK_OK(team_create(&call, "Task", iri,
                             "{\"name\":\"n\",\"size\":1,\"rank\":\"0.5\"}",
                             &made),
                 &call.err);
        CHECK_OK(team_land(&call), &call.err);
        team_end(&call);
        check_sound(&team);
        CHECK_INT(ask(&team, INDEX_COUNT), fitted[i] & INDEXES ? 5 : 0);
        CHECK_INT(ask(&team, BARE_COUNT), fitted[i] & BARE ? 4 : 0);
    }
    team_close(&team);
}

/* What changes them ------------------------------------------------------- */

static void respell(struct team *team, uint64_t values)
{
    struct tr_respell_done done;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(tr_graph_store_path(team->store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_respell_store(db, team->model, &done, &err), &err);
    tr_db_close(db);
    CHECK_INT(done.values, values);
}

TEST(value_set_is_dropped_where_spellings_change_and_only_there)
{
    struct team team;
    open_team(&team, ALL);
    fit(&team, ALL);
    respell(&team, 0); /* for the first time: all are spelt well */
    CHECK_INT(ask(&team, INDEX_COUNT), 5);
    CHECK_INT(ask(&team, BARE_COUNT), 0); /* it works on the tables */
    check_sound(&team);
    fit(&team, ALL);
    CHECK_INT(ask(&team, BARE_COUNT), 4);
    load(&team, "<" TASK "/d> a <" TASK "> ; <trails://team/Thing#size> 007 .");
    check_sound(&team);
    CHECK_INT(ask(&team, "DELETE FROM spelt RETURNING 1"), 1);
    respell(&team, 1);
    CHECK_INT(ask(&team, INDEX_COUNT), 0);
    CHECK_INT(ask(&team, BARE_COUNT), 0);
    check_sound(&team);
    fit(&team, ALL);
    CHECK_INT(ask(&team, INDEX_COUNT), 5);
    CHECK_INT(ask(&team, BARE_COUNT), 4);
    check_sound(&team);
    team_close(&team);
}

static void rename_store(struct team *team, const char *from, const char *to)
{
    const struct tr_graph_renaming asked = {.from = tr_str_from(from),
                                            .to = tr_str_from(to)};
    struct tr_graph_renamed done;
    struct tr_err err = {0};
    CHECK_OK(
        tr_graph_rename(tr_graph_store_path(team->store), &asked, &done, &err),
        &err);
}

/* Keys have ids, which a name is none of, until two become one. */
TEST(value_set_stays_when_the_project_gets_a_name_and_goes_when_iris_join)
{
    struct team team;
    open_team(&team, ALL);
    fit(&team, ALL);
    rename_store(&team, "team", "other");
    CHECK_INT(ask(&team, INDEX_COUNT), 5);
    CHECK_INT(ask(&team, BARE_COUNT), 4);
    check_sound(&team);
    rename_store(&team, "other", "team");
    load(&team, "<http://e/x> <trails://third/Thing#size> 5 .");
    rename_store(&team, "team", "third");
    CHECK_INT(ask(&team, INDEX_COUNT), 0);
    CHECK_INT(ask(&team, BARE_COUNT), 0);
    check_sound(&team);
    team_close(&team);
}

static void compact(struct team *team)
{
    struct tr_graph_compacted done;
    struct tr_err err = {0};
    CHECK_OK(
        tr_graph_compact(tr_graph_store_path(team->store), NULL, &done, &err),
        &err);
}

static void restore(struct team *team)
{
    char copy[128];
    struct tr_err err = {0};
    (void)snprintf(copy, sizeof(copy), "%s",
                   folder_path(&team->folder, "copy.db"));
    CHECK_OK(tr_db_backup(team->reader->db, copy, &err), &err);
    CHECK_OK(
        tr_graph_restore(tr_graph_store_path(team->store), NULL, copy, &err),
        &err);
}

/* Who builds, drops, compacts, restores or renames raises it. */
TEST(value_set_is_told_by_the_epoch)
{
    struct team team;
    open_team(&team, ALL);
    int64_t before = ask(&team, EPOCH);
    for (int step = 0; step < 7; step++) {
        switch (step) {
        case 0:
            fit(&team, ALL);
            break;
        case 1:
            fit(&team, INDEXES);
            break;
        case 2:
            fit(&team, NONE);
            break;
        case 3:
            fit(&team, BARE);
            break;
        case 4:
            compact(&team);
            break;
        case 5:
            restore(&team);
            break;
        default:
            rename_store(&team, "team", "other");
        }
        int64_t after = ask(&team, EPOCH);
        CHECK(after > before);
        before = after;
    }
    team_close(&team);
}

TEST(value_set_that_is_as_the_app_has_it_is_left_alone)
{
    struct team team;
    open_team(&team, ALL);
    fit(&team, ALL);
    int64_t before = ask(&team, EPOCH);
    fit(&team, ALL);
    CHECK_INT(ask(&team, EPOCH), before);
    team_close(&team);
}
