/*
 * Rows in memory, on a store of their own; what people see of an import is
 * tested in test/cli/import_test.py.
 */
#include "base/test.h"
#include "json/writer.h"
#include "support/store.h"
#include "table/inside.h"

#include <unistd.h>

struct world {
    struct store store;
    const struct tr_model *model;
    struct tr_graph_reader *changes;
    struct tr_table_file file;
    struct tr_table_origin origin;
    struct tr_table_counts counts;
    bool replace;
    bool delete_missing;
    bool lands;
    size_t max_batch;
    struct tr_buf told; /* "line:column: why\n" */
};

static void world_open(struct world *w)
{
    struct tr_err err = {0};
    *w = (struct world){.model = store_model()};
    store_open(&w->store);
    tr_buf_init(&w->told, TR_KIB(64));
    CHECK_OK(tr_graph_reader_create(w->store.path, NULL, &w->changes, &err),
             &err);
    w->file =
        (struct tr_table_file){.path = "rows",
                               .fd = -1,
                               .type = tr_model_find(w->model, TR_STR("Task"))};
}

static void world_close(struct world *w)
{
    if (w->file.fd >= 0)
        (void)close(w->file.fd);
    tr_graph_reader_free(w->changes);
    tr_buf_done(&w->told);
    store_close(&w->store);
    tr_model_free(w->model);
}

/* What is in the file from now on. */
static void give(struct world *w, enum tr_table_format format, const char *text)
{
    FILE *file = tmpfile();
    CHECK(file && fwrite(text, 1, strlen(text), file) == strlen(text));
    CHECK(fflush(file) == 0);
    if (w->file.fd >= 0)
        (void)close(w->file.fd);
    w->file.fd = dup(fileno(file));
    CHECK(w->file.fd >= 0);
    (void)fclose(file);
    w->file.format = format;
}

static void tell(void *data, const char *path, tr_place place, tr_str why)
{
    struct world *w = data;
    (void)path;
    tr_buf_putf(&w->told, "%u:%u: %.*s\n", (unsigned)place.line,
                (unsigned)place.column, TR_FMT(why));
}

static tr_status write_rows(struct world *w, struct tr_table *table,
                            struct tr_err *err)
{
    const struct tr_graph_load_opts opts = {.path = w->store.path,
                                            .model = w->model,
                                            .project = TR_STR("team"),
                                            .max_batch = w->max_batch,
                                            .is_dry = !w->lands};
    struct tr_graph_load *load = NULL;
    TR_TRY(tr_graph_load_create(&opts, &load, err));
    tr_status status = tr_table_write(table, load, err);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, err);
    if (status == TR_OK && w->origin.iri.len)
        status = tr_table_find(table, &w->origin, 1, err);
    tr_graph_load_free(load);
    return status;
}

static tr_status import(void *context, struct tr_err *err)
{
    struct world *w = context;
    const struct tr_table_opts opts = {
        .store = w->store.path,
        .reader = w->store.reader,
        .changes = w->changes,
        .model = w->model,
        .files = &w->file,
        .count = 1,
        .skip_bad = !w->delete_missing,
        .replace = w->replace,
        .delete_missing = w->delete_missing,
        .told = tell,
        .data = w,
    };
    struct tr_table *table = NULL;
    tr_buf_clear(&w->told);
    TR_TRY(tr_table_create(&opts, &table, err));
    tr_status status = tr_table_check(table, err);
    if (status == TR_OK)
        status = write_rows(w, table, err);
    w->counts = tr_table_counts(table);
    tr_table_free(table);
    return status;
}

/* What each format has of the same rows: one that is bad, two that are good. */
static const struct {
    enum tr_table_format format;
    const char *text;
    const char *told;
} same[] = {
    {TR_TABLE_CSV, "id,title,code\na,Sweep,1\nb,x,2\nc,Mop,3\n",
     "3:3: title must have at least 2 characters\n"},
    {TR_TABLE_JSON,
     "[{\"id\":\"a\",\"title\":\"Sweep\",\"code\":\"1\"},\n"
     "{\"id\":\"b\",\"title\":\"x\",\"code\":\"2\"},"
     "{\"id\":\"c\",\"title\":\"Mop\",\"code\":\"3\"}]",
     "2:11: title must have at least 2 characters\n"},
    {TR_TABLE_NDJSON,
     "{\"id\":\"a\",\"title\":\"Sweep\",\"code\":\"1\"}\n"
     "{\"id\":\"b\",\"title\":\"x\",\"code\":\"2\"}\n"
     "{\"id\":\"c\",\"title\":\"Mop\",\"code\":\"3\"}\n",
     "2:11: title must have at least 2 characters\n"},
};

TEST(rows_of_each_format_are_checked_and_land)
{
    for (size_t i = 0; i < TR_LEN(same); i++) {
        struct world w;
        struct tr_err err = {0};
        world_open(&w);
        give(&w, same[i].format, same[i].text);
        w.lands = true;
        CHECK_OK(import(&w, &err), &err);
        CHECK_STR(tr_buf_str(&w.told), same[i].told);
        CHECK_INT(w.counts.rows, 3);
        CHECK_INT(w.counts.bad, 1);
        CHECK_INT(w.counts.created, 2);
        CHECK_INT(store_number(&w.store, "SELECT count(*) FROM node", 0), 2);
        w.replace = true;
        CHECK_OK(import(&w, &err), &err);
        CHECK_INT(w.counts.same, 2);
        CHECK_INT(w.counts.created, 0);
        world_close(&w);
    }
}

TEST(a_node_is_found_in_the_row_that_it_came_from)
{
    struct world w;
    struct tr_err err = {0};
    world_open(&w);
    give(&w, TR_TABLE_CSV, same[0].text);
    w.origin.iri = TR_STR("trails://team/Task/c");
    w.origin.field = TR_STR("code");
    CHECK_OK(import(&w, &err), &err);
    CHECK(w.origin.path && strcmp(w.origin.path, "rows") == 0);
    CHECK_INT(w.origin.place.line, 4);
    CHECK_INT(w.origin.place.column, 7);
    w.origin.field = TR_STR("other");
    CHECK_OK(import(&w, &err), &err);
    CHECK_INT(w.origin.place.column, 1);
    w.origin = (struct tr_table_origin){.iri = TR_STR("trails://team/Task/b")};
    CHECK_OK(import(&w, &err), &err);
    CHECK(!w.origin.path);
    world_close(&w);
}

/* Nothing lands, so that each round finds the same store. */
TEST(an_import_survives_every_allocation_that_fails)
{
    for (size_t i = 0; i < TR_LEN(same); i++) {
        struct world w;
        struct tr_err err = {0};
        world_open(&w);
        give(&w, same[i].format, same[i].text);
        w.origin.iri = TR_STR("trails://team/Task/c");
        CHECK_OK(import(&w, &err), &err); /* readers keep what they know */
        tr_test_sweep(import, &w);
        world_close(&w);
    }
}

/* Rows of 25 kilobytes each: what the caches of terms hold at most is small
 * beside all of them. */
enum { TITLE = 25000, MANY = 800 };

static void give_many(struct world *w, size_t rows, char letter)
{
    char title[TITLE + 1];
    FILE *file = tmpfile();
    CHECK(file && fputs("id,title,code\n", file) >= 0);
    memset(title, letter, TITLE);
    title[TITLE] = '\0';
    for (size_t i = 0; i < rows; i++)
        CHECK(fprintf(file, "n%zu,%zu%s,%zu\n", i, i, title, i) > 0);
    CHECK(fflush(file) == 0);
    if (w->file.fd >= 0)
        (void)close(w->file.fd);
    w->file.fd = dup(fileno(file));
    (void)fclose(file);
    w->file.format = TR_TABLE_CSV;
}

static void import_all(void *context)
{
    struct tr_err err = {0};
    CHECK_OK(import(context, &err), &err);
}

/* The most that each step holds: a new store, all changed, all but one gone. */
enum { STEPS = 3 };

static void weigh(size_t rows, size_t most[STEPS])
{
    struct world w;
    world_open(&w);
    w.lands = true;
    w.max_batch = 500;
    give_many(&w, rows, 'a');
    most[0] = tr_test_most_bytes(import_all, &w);
    CHECK_INT(w.counts.created, rows);
    w.replace = true;
    give_many(&w, rows, 'b');
    most[1] = tr_test_most_bytes(import_all, &w);
    CHECK_INT(w.counts.changed, rows);
    w.delete_missing = true;
    give_many(&w, 1, 'b');
    most[2] = tr_test_most_bytes(import_all, &w);
    CHECK_INT(w.counts.deleted, rows - 1);
    world_close(&w);
}

TEST(the_memory_of_an_import_does_not_grow_with_its_rows)
{
    size_t some[STEPS];
    size_t many[STEPS];
    weigh(MANY, some);
    weigh(2 * MANY, many);
    for (size_t i = 0; i < STEPS; i++) {
        print_message("step %zu: %zu KiB, with twice the rows %zu KiB\n", i,
                      some[i] / TR_KIB(1), many[i] / TR_KIB(1));
        CHECK(some[i] > TR_MIB(1));
        CHECK(many[i] < some[i] + MANY * TITLE / 2); /* of what came to it */
    }
}
