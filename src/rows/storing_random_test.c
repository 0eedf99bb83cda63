/* Random edits of the tables, beside a plain list of quads. */
#include "base/test.h"
#include "rows/storing.h"
#include "rows/verify.h"
#include "support/quads.h"
#include "support/tables.h"

/* Terms ------------------------------------------------------------------- */

enum { SUBJECTS = 3, PREDICATES = 3, GRAPHS = 3, VALUES = 70 };

/* Values of which a body has room for some, and long ones among them, which
 * take little of it. */
static tr_rdf_term make_value(struct tables *tables, size_t i)
{
    static const size_t lengths[] = {1, 20, 40, 64, 65, 300, 997, 1000, 3000};
    size_t len = lengths[i % TR_LEN(lengths)];
    char *text = tr_arena_alloc(&tables->arena, len);
    CHECK(text);
    for (size_t at = 0; at < len; at++)
        text[at] = (char)('a' + (i + at) % 26);
    switch (i % 5) {
    case 0:
        return tr_rdf_term_lang((tr_str){text, len}, TR_STR("de"));
    case 1:
        return tr_rdf_term_typed((tr_str){text, len}, TR_STR("http://e/type"));
    case 2:
        return tables_iri(tables, "s", i % SUBJECTS);
    default:
        return tr_rdf_term_string((tr_str){text, len});
    }
}

static struct {
    tr_rdf_term subjects[SUBJECTS];
    tr_rdf_term predicates[PREDICATES];
    tr_rdf_term graphs[GRAPHS];
    tr_rdf_term values[VALUES];
} all;

static void make_terms(struct tables *tables)
{
    for (size_t i = 0; i < SUBJECTS; i++)
        all.subjects[i] = tables_iri(tables, "s", i);
    for (size_t i = 0; i < PREDICATES; i++)
        all.predicates[i] = tables_iri(tables, "p", i);
    all.graphs[0] = (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
    for (size_t i = 1; i < GRAPHS; i++)
        all.graphs[i] = tables_iri(tables, "g", GRAPHS - i);
    for (size_t i = 0; i < VALUES; i++)
        all.values[i] = make_value(tables, i);
}

#define PICK(array) ((array)[tr_test_random_below(TR_LEN(array))])

/* Edits ------------------------------------------------------------------- */

/* Changes of one subject, each statement once, and what they make of `quads`.
 */
static size_t make_changes(struct tables *tables, struct quads *quads,
                           const tr_rdf_term *subject, bool grows,
                           struct tr_rows_change *out)
{
    static struct quads seen;
    seen.count = 0;
    for (size_t n = tr_test_random_below(60); n > 0; n--) {
        tr_rdf_quad quad = {.subject = *subject,
                            .predicate = PICK(all.predicates),
                            .object = PICK(all.values),
                            .graph = PICK(all.graphs)};
        bool is_added = tr_test_random_below(5) < (grows ? 4 : 1);
        if (quads_find(&seen, &quad) < seen.count)
            continue;
        size_t at = quads_find(quads, &quad);
        if (is_added && at == quads->count && quads->count > 390)
            continue;
        out[seen.count] = (struct tr_rows_change){
            tables_intern_quad(tables, &quad), is_added};
        quads_put(&seen, &quad);
        if (is_added && at == quads->count)
            quads_put(quads, &quad);
        else if (!is_added && at < quads->count)
            quads_drop(quads, at);
    }
    return seen.count;
}

static void edit_all(struct tables *tables, struct quads *quads, bool grows)
{
    static const struct tr_rows_head head = {.is_kept = true};
    struct tr_rows_change changes[60];
    struct tr_rows_storing storing;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(64));
    tr_rows_storing_init(&storing, tables->db, tables->terms, &arena, &err);
    for (size_t i = 0; i < SUBJECTS; i++) {
        size_t count =
            make_changes(tables, quads, &all.subjects[i], grows, changes);
        if (count)
            CHECK_OK(tr_rows_storing_subject(&storing, changes, count,
                                             changes[0].quad.s, &head),
                     &err);
    }
    CHECK_OK(tr_rows_storing_finish(&storing), &err);
    tr_rows_storing_done(&storing);
    tr_arena_done(&arena);
}

/* In a transaction, which is undone now and then with all that it did. */
static void make_round(struct tables *tables, struct quads *quads, bool grows)
{
    static struct quads before;
    struct tr_err err = {0};
    before = *quads;
    CHECK_OK(tr_db_begin(tables->db, TR_DB_WRITE, &err), &err);
    tr_rows_terms_renew(tables->terms);
    edit_all(tables, quads, grows);
    if (tr_test_random_below(8) == 0) {
        tr_db_rollback(tables->db);
        tr_rows_terms_forget(tables->terms);
        *quads = before;
    } else {
        CHECK_OK(tr_db_commit(tables->db, &err), &err);
    }
}

TEST(storing_makes_what_a_plain_list_has)
{
    static struct quads quads;
    size_t hubs = 0;
    for (size_t n = tr_test_scaled(100); n > 0; n--) {
        struct tables tables;
        quads.count = 0;
        tables_open(&tables);
        make_terms(&tables);
        for (size_t round = 0; round < 24; round++) {
            struct tr_err err = {0};
            make_round(&tables, &quads, round % 12 < 6);
            CHECK_OK(tr_rows_verify(tables.db, &err), &err);
            quads_compare(&quads, &tables.graph.base);
            hubs += tables_number(tables.db, "SELECT count(*) FROM spo") > 0;
            if (tr_test_random_below(4) == 0)
                tr_rows_terms_forget(tables.terms);
        }
        tables_close(&tables);
    }
    CHECK(hubs > 0);
}

/* Hubs -------------------------------------------------------------------- */

/* Adds or removes the values from `first` on, in pieces of a random size. */
static void change_hub(struct tables *tables, size_t first, size_t count,
                       bool is_added)
{
    static const struct tr_rows_head head = {.is_kept = true};
    struct tr_rows_change *changes =
        TR_NEW_ARRAY(&tables->arena, struct tr_rows_change, count);
    struct tr_rows_storing storing;
    struct tr_arena arena;
    struct tr_err err = {0};
    CHECK(changes);
    for (size_t i = 0; i < count; i++) {
        tr_rdf_quad quad = {.subject = tables_iri(tables, "s", 0),
                            .predicate = tables_iri(tables, "p", 0),
                            .object = tables_iri(tables, "value", first + i)};
        if (i % 2)
            quad.object = tr_rdf_term_string(quad.object.text);
        changes[i] = (struct tr_rows_change){tables_intern_quad(tables, &quad),
                                             is_added};
    }
    tr_arena_init(&arena, TR_MIB(256));
    tr_rows_storing_init(&storing, tables->db, tables->terms, &arena, &err);
    CHECK_OK(tr_rows_storing_subject(&storing, changes, count,
                                     changes[0].quad.s, &head),
             &err);
    CHECK_OK(tr_rows_storing_finish(&storing), &err);
    tr_rows_storing_done(&storing);
    tr_arena_done(&arena);
}

static void check_hub(struct tables *tables, size_t count)
{
    struct tr_err err = {0};
    uint64_t rows = 0;
    tr_rdf_ids any = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    CHECK_OK(tr_rows_verify(tables->db, &err), &err);
    CHECK_OK(tr_rdf_graph_count(&tables->graph.base, any, &rows, &err), &err);
    CHECK_INT(rows, count);
    CHECK(tables_number(tables->db,
                        "SELECT coalesce(max(length(body)), 0) FROM node") <=
          (int64_t)TR_PACK_BODY_MAX);
}

TEST(storing_makes_a_hub_and_packs_what_is_left_of_it)
{
    struct tables tables;
    struct tr_err err = {0};
    size_t count = 1000 + tr_test_scaled(99000);
    tables_open(&tables);
    CHECK_OK(tr_db_begin(tables.db, TR_DB_WRITE, &err), &err);
    change_hub(&tables, 0, 4, true);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM spo"), 0);
    change_hub(&tables, 4, count - 4, true);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM spo"), count);
    check_hub(&tables, count);
    change_hub(&tables, 4, 1, true); /* it is there already */
    check_hub(&tables, count);
    change_hub(&tables, 4, count - 4, false);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM spo"), 0);
    check_hub(&tables, 4);
    change_hub(&tables, 0, 4, false);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM node"), 0);
    check_hub(&tables, 0);
    tables_close(&tables);
}
