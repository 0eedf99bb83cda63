#include "rows/storing.h"

#include "base/test.h"
#include "rows/verify.h"
#include "support/quads.h"
#include "support/tables.h"

static tr_status intern(struct tables *tables, const char *iri, tr_rdf_id *out,
                        struct tr_err *err)
{
    tr_rdf_term term = tr_rdf_term_iri(tr_str_from(iri));
    return tr_rows_terms_intern(tables->terms, &term, out, err);
}

/* The subject says a text in a graph, or in none when that is NULL. */
static tr_status try_change(struct tables *tables, tr_str text, const char *g,
                            bool is_added, bool *changed, struct tr_err *err)
{
    tr_rdf_term term = tr_rdf_term_string(text);
    tr_rdf_ids ids = {.g = TR_RDF_ID_DEFAULT_GRAPH};
    TR_TRY(intern(tables, "http://e/a", &ids.s, err));
    TR_TRY(intern(tables, "http://e/p", &ids.p, err));
    TR_TRY(tr_rows_terms_intern(tables->terms, &term, &ids.o, err));
    if (g)
        TR_TRY(intern(tables, g, &ids.g, err));
    return quads_change(tables->db, tables->terms, ids, is_added, changed, err);
}

/* Whether anything has changed. */
static bool change(struct tables *tables, tr_str text, const char *g,
                   bool is_added)
{
    struct tr_err err = {0};
    bool changed = false;
    CHECK_OK(try_change(tables, text, g, is_added, &changed, &err), &err);
    CHECK_OK(tr_rows_verify(tables->db, &err), &err);
    return changed;
}

/* A text of its own for every number. */
static tr_str make_text(struct tables *tables, size_t len, size_t i)
{
    char *text = tr_arena_alloc(&tables->arena, len);
    CHECK(text);
    for (size_t at = 0; at < len; at++)
        text[at] = (char)('a' + (at * at + at / 7) % 26);
    size_t start = len < 12 ? 0 : len / 2;
    for (size_t n = i, at = start; at < start + 6; at++, n /= 10)
        text[at] = (char)('0' + n % 10);
    return (tr_str){text, len};
}

/* So many texts that they are not packed. */
enum { HUB = 20, HUB_BYTES = 200 };

static void change_hub(struct tables *tables, bool is_added)
{
    for (size_t i = 0; i < HUB; i++)
        CHECK(change(tables, make_text(tables, HUB_BYTES, i), NULL, is_added));
}

TEST(storing_puts_a_long_text_once)
{
    struct tables tables;
    tables_open(&tables);
    tables_begin(&tables);
    for (size_t round = 0; round < 2; round++) {
        tr_str text = make_text(&tables, 5000, 0);
        CHECK(change(&tables, text, NULL, true));
        CHECK(!change(&tables, text, NULL, true));
        CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM text"), 1);
        CHECK(change(&tables, text, NULL, false));
        CHECK(!change(&tables, text, NULL, false));
        CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM text"), 0);
        change_hub(&tables, round == 0);
        CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM spo"),
                  round == 0 ? HUB : 0);
    }
    tables_close(&tables);
}

/* Their rows are in another order than their graphs. */
TEST(storing_packs_a_long_text_of_several_graphs_again)
{
    static const char *const graphs[] = {"http://e/g1", "http://e/g2",
                                         "http://e/g3"};
    struct tables tables;
    struct tr_err err = {0};
    tr_rdf_id id;
    tables_open(&tables);
    tables_begin(&tables);
    for (size_t i = 0; i < TR_LEN(graphs); i++)
        CHECK_OK(intern(&tables, graphs[i], &id, &err), &err);
    tr_str text = make_text(&tables, 5000, 0);
    change_hub(&tables, true);
    for (size_t i = TR_LEN(graphs); i > 0; i--)
        CHECK(change(&tables, text, graphs[i - 1], true));
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM spo"),
              HUB + TR_LEN(graphs));
    change_hub(&tables, false);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM spo"), 0);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM pos"),
              TR_LEN(graphs));
    tables_close(&tables);
}

TEST(storing_takes_a_text_of_16_mib_and_lets_it_go)
{
    struct tables tables;
    tables_open(&tables);
    tables_begin(&tables);
    for (size_t round = 0; round < 2; round++) {
        tr_str text = make_text(&tables, TR_LIMIT_RDF_TERM, round);
        CHECK(change(&tables, text, NULL, true));
        CHECK(tables_number(tables.db, "SELECT length(v) FROM text") >
              (int64_t)text.len);
        CHECK(tables_number(tables.db, "SELECT length(body) FROM node") < 100);
        CHECK(change(&tables, text, NULL, false));
        CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM text"), 0);
        CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM node"), 0);
    }
    tables_close(&tables);
}

/* Bytes on the disk ------------------------------------------------------- */

static bool is_in_file(struct tables *tables, tr_str bytes)
{
    tr_str file = tables_file(tables);
    bool found = memmem(file.ptr, file.len, bytes.ptr, bytes.len);
    free((void *)(uintptr_t)file.ptr);
    return found;
}

/* What no other text has: it is in the key too where the text is short. */
static tr_str mark_of(tr_str text)
{
    return (tr_str){text.ptr + text.len / 2, 6};
}

/* Short and packed, in the index as a whole; not packed; in a row of its own,
 * on a page and on many. */
TEST(storing_leaves_no_byte_of_a_text_that_was_removed)
{
    static const size_t lengths[] = {30, HUB_BYTES, 1500, 100000};
    struct tables tables;
    tables_open(&tables);
    tables_begin(&tables);
    for (size_t hub = 0; hub < 2; hub++) {
        if (hub)
            change_hub(&tables, true);
        for (size_t i = 0; i < TR_LEN(lengths); i++) {
            tr_str text = make_text(&tables, lengths[i], 777000 + i);
            CHECK(change(&tables, text, NULL, true));
            CHECK(change(&tables, TR_STR("stays"), NULL, true));
            tables_commit(&tables);
            CHECK(is_in_file(&tables, mark_of(text)));
            tables_begin(&tables);
            CHECK(change(&tables, text, NULL, false));
            tables_commit(&tables);
            CHECK(!is_in_file(&tables, mark_of(text)));
            CHECK(is_in_file(&tables, TR_STR("stays")));
            tables_begin(&tables);
            CHECK(change(&tables, TR_STR("stays"), NULL, false));
        }
    }
    tables_close(&tables);
}

/* Memory ------------------------------------------------------------------ */

/* A hub comes and goes, with a long text in it. */
static tr_status store_some(struct tables *tables, struct tr_err *err)
{
    for (size_t i = 0; i < 60; i++) {
        char text[2048];
        bool changed;
        (void)snprintf(text, sizeof(text), "%0*zu", i % 10 ? 100 : 2000,
                       i % 30);
        TR_TRY(
            try_change(tables, tr_str_from(text), NULL, i < 30, &changed, err));
        if (!changed)
            return tr_fail(err, TR_E_INTERNAL, "%s was so already", text);
    }
    return TR_OK;
}

static tr_status store_and_undo(void *context, struct tr_err *err)
{
    static const struct tr_db_opts opts = {.no_sync = true};
    const struct tables *made = context;
    struct tables tables = {.folder = made->folder};
    TR_TRY(tr_db_open(folder_path(&tables.folder, "graph.db"), &opts,
                      &tables.db, err));
    tr_status status = tr_db_begin(tables.db, TR_DB_WRITE, err);
    if (status == TR_OK)
        status = tr_rows_terms_create(tables.db, &tables.terms, err);
    if (status == TR_OK)
        status = store_some(&tables, err);
    tr_rows_terms_free(tables.terms);
    tr_db_close(tables.db);
    return status;
}

TEST(storing_gives_up_when_memory_is_short)
{
    struct tables tables;
    tables_open(&tables);
    tr_test_sweep(store_and_undo, &tables);
    CHECK_INT(tables_number(tables.db, "SELECT count(*) FROM node"), 0);
    tables_close(&tables);
}
