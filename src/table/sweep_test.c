/*
 * Each way through an import and an export of rows, with every allocation that
 * fails in turn: rows of two types that refer to each other, what a row
 * replaces, what no row names, rows that are left out in the end, RDF of seeds.
 */
#include "base/test.h"
#include "rdf/writer.h"
#include "support/store.h"
#include "support/team.h"
#include "table/inside.h"
#include "table/replace.h"

#include <unistd.h>

enum { FILES = 2 };

struct world {
    struct store store;
    const struct tr_model *model;
    struct tr_graph_reader *changes;
    struct tr_table_file files[FILES];
    struct tr_table_opts opts;
    struct tr_table_counts counts;
    bool lands;
    tr_str left_out; /* IRI of a node whose row is left out in the end; "" */
    const char *rdf; /* path of a file that is read behind the rows, or NULL */
};

static const char people[] = "id,name,email\n"
                             "ann,Ann,a@b\n"
                             "ben,Ben,b@b\n"
                             "eve,Eve,a@b\n";
static const char tasks[] =
    "[{\"id\":\"t1\",\"name\":\"Sweep\",\"project\":\"P\",\"number\":1,"
    "\"state\":\"open\",\"owner\":\"ann\",\"tags\":[\"x\",\"y\"]},\n"
    "{\"id\":\"t2\",\"name\":\"Mop\",\"project\":\"P\",\"number\":2,"
    "\"state\":\"open\",\"owner\":\"nobody\"},\n"
    "{\"id\":\"t3\",\"name\":\"Dust\",\"project\":\"P\",\"number\":1,"
    "\"state\":\"open\"},\n"
    "{\"id\":\"t4\",\"name\":\"Wax\",\"project\":\"Q\",\"number\":1,"
    "\"state\":\"open\",\"owner\":\"ben\"}]";

static int file_of(const char *text)
{
    FILE *file = tmpfile();
    CHECK(file && fwrite(text, 1, strlen(text), file) == strlen(text));
    CHECK(fflush(file) == 0);
    int fd = dup(fileno(file));
    (void)fclose(file);
    CHECK(fd >= 0);
    return fd;
}

static void world_open(struct world *w)
{
    struct tr_err err = {0};
    *w = (struct world){.model = team_model(), .left_out = TR_STR_INIT("")};
    store_open(&w->store);
    CHECK_OK(tr_graph_reader_create(w->store.path, NULL, &w->changes, &err),
             &err);
    w->files[0] = (struct tr_table_file){
        .path = "people",
        .fd = file_of(people),
        .format = TR_TABLE_CSV,
        .type = tr_model_find(w->model, TR_STR("Person"))};
    w->files[1] =
        (struct tr_table_file){.path = "tasks",
                               .fd = file_of(tasks),
                               .format = TR_TABLE_JSON,
                               .type = tr_model_find(w->model, TR_STR("Task"))};
    w->opts = (struct tr_table_opts){.store = w->store.path,
                                     .reader = w->store.reader,
                                     .changes = w->changes,
                                     .model = w->model,
                                     .files = w->files,
                                     .count = FILES,
                                     .skip_bad = true};
}

static void world_close(struct world *w)
{
    for (size_t i = 0; i < FILES; i++)
        (void)close(w->files[i].fd);
    tr_graph_reader_free(w->changes);
    store_close(&w->store);
    tr_model_free(w->model);
}

static tr_status write_rows(struct world *w, struct tr_table *table,
                            struct tr_err *err)
{
    const struct tr_graph_load_opts opts = {.path = w->store.path,
                                            .model = w->model,
                                            .project = TR_STR("team"),
                                            .is_dry = !w->lands};
    struct tr_graph_load *load = NULL;
    TR_TRY(tr_graph_load_create(&opts, &load, err));
    tr_status status = tr_table_write(table, load, err);
    if (status == TR_OK && w->rdf)
        status = tr_table_replace_rdf(table, w->rdf, load, err);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, err);
    tr_graph_load_free(load);
    return status;
}

/* As if a shape had refused a node, and then again without it. */
static tr_status write_without(struct world *w, struct tr_table *table,
                               struct tr_err *err)
{
    struct tr_table_origin origin = {.iri = w->left_out,
                                     .field = TR_STR("name"),
                                     .why = TR_STR("is refused")};
    bool more = false;
    TR_TRY(tr_table_find(table, &origin, 1, err));
    TR_TRY(tr_table_leave_out_rows(table, &origin, 1, &more, err));
    CHECK(more);
    return write_rows(w, table, err);
}

static tr_status import(void *context, struct tr_err *err)
{
    struct world *w = context;
    struct tr_table *table = NULL;
    TR_TRY(tr_table_create(&w->opts, &table, err));
    tr_status status = tr_table_check(table, err);
    if (status == TR_OK)
        status = write_rows(w, table, err);
    if (status == TR_OK && w->left_out.len)
        status = write_without(w, table, err);
    w->counts = tr_table_counts(table);
    tr_table_free(table);
    return status;
}

static void sweep(struct world *w)
{
    struct tr_err err = {0};
    w->lands = false;
    CHECK_OK(import(w, &err), &err); /* readers keep what they know */
    tr_test_sweep(import, w);
}

static void land(struct world *w)
{
    struct tr_err err = {0};
    w->lands = true;
    CHECK_OK(import(w, &err), &err);
}

TEST(rows_that_refer_to_rows_survive_every_allocation_that_fails)
{
    struct world w;
    world_open(&w);
    sweep(&w);
    CHECK_INT(w.counts.rows, 7);
    CHECK_INT(w.counts.bad, 3);
    CHECK_INT(w.counts.created, 4);
    world_close(&w);
}

TEST(rows_that_replace_survive_every_allocation_that_fails)
{
    struct world w;
    world_open(&w);
    land(&w);
    w.opts.replace = true;
    sweep(&w);
    CHECK_INT(w.counts.same, 4);
    world_close(&w);
}

TEST(what_no_row_names_survives_every_allocation_that_fails)
{
    struct world w;
    world_open(&w);
    land(&w);
    (void)close(w.files[1].fd);
    w.files[1].fd =
        file_of("[{\"id\":\"t9\",\"name\":\"New\",\"project\":\"Q\","
                "\"number\":1,\"state\":\"open\"}]");
    (void)close(w.files[0].fd);
    w.files[0].fd = file_of("id,name,email\nben,Ben,c@b\n");
    w.opts.replace = w.opts.delete_missing = true;
    w.opts.skip_bad = false;
    sweep(&w);
    CHECK_INT(w.counts.deleted, 3);
    CHECK_INT(w.counts.changed, 1);
    CHECK_INT(w.counts.created, 1);
    world_close(&w);
}

TEST(rows_that_are_left_out_survive_every_allocation_that_fails)
{
    struct world w;
    world_open(&w);
    w.left_out = TR_STR("trails://team/Person/ann");
    sweep(&w);
    CHECK_INT(w.counts.bad, 5); /* and the task that ann owns */
    CHECK_INT(w.counts.created, 2);
    world_close(&w);
}

TEST(rdf_of_seeds_survives_every_allocation_that_fails)
{
    struct world w;
    char path[256];
    world_open(&w);
    land(&w);
    folder_write(&w.store.folder, "more.ttl",
                 "<trails://team/Person/ben> <trails://team/Thing#name>"
                 " \"Bene\" .\n");
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&w.store.folder, "more.ttl"));
    w.rdf = path;
    w.opts.replace = true;
    sweep(&w);
    w.rdf = NULL;
    world_close(&w);
}

struct dumping {
    struct world *w;
    enum tr_table_format format;
    size_t len;
};

static tr_status dump(void *context, struct tr_err *err)
{
    struct dumping *d = context;
    struct tr_graph_reader *reader = d->w->store.reader;
    const struct tr_table_dump what = {
        .model = d->w->model,
        .type = tr_model_find(d->w->model, TR_STR("Thing")),
        .format = d->format};
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(64));
    struct tr_rdf_output output = tr_rdf_output_buf(&text);
    tr_status status = tr_graph_reader_begin(reader, err);
    if (status == TR_OK) {
        status = tr_table_dump(reader, &what, &output, err);
        tr_graph_reader_end(reader);
    }
    d->len = text.len;
    tr_buf_done(&text);
    return status;
}

TEST(an_export_survives_every_allocation_that_fails)
{
    static const enum tr_table_format formats[] = {
        TR_TABLE_CSV, TR_TABLE_NDJSON, TR_TABLE_JSON};
    struct world w;
    struct tr_err err = {0};
    world_open(&w);
    land(&w);
    for (size_t i = 0; i < TR_LEN(formats); i++) {
        struct dumping d = {&w, formats[i], 0};
        CHECK_OK(dump(&d, &err), &err);
        CHECK(d.len > 200);
        tr_test_sweep(dump, &d);
    }
    world_close(&w);
}
