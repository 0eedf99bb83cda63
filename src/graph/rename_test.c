#include "base/limits.h"
#include "base/test.h"
#include "dump/dump.h"
#include "graph/upkeep.h"
#include "model/builder.h"
#include "support/store.h"

#define SIGN "<trails://"

/* A text with another name for the project in its IRIs, and nowhere else; the
 * caller ends the buffer. */
static const char *replace_name(const char *text, const char *from,
                                const char *to, struct tr_buf *out)
{
    char old[80];
    (void)snprintf(old, sizeof(old), SIGN "%s/", from);
    tr_str rest = tr_str_from(text);
    tr_buf_init(out, TR_MIB(64));
    while (rest.len) {
        bool is_old = tr_str_starts(rest, tr_str_from(old));
        if (is_old)
            tr_buf_putf(out, SIGN "%s/", to);
        else
            tr_buf_putc(out, rest.ptr[0]);
        rest = tr_str_skip(rest, is_old ? strlen(old) : 1);
    }
    tr_buf_putc(out, '\0');
    return out->ptr;
}

/* A model with Thing (title: searched, the label) and below it Task. */
static const struct tr_model *make_model(const char *project)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("title"), .search = true}};
    static const struct tr_model_type_draft drafts[] = {
        {.shape = {.name = TR_STR_INIT("Thing"), .fields = fields, .count = 1},
         .label = TR_STR_INIT("title")},
        {.shape = {.name = TR_STR_INIT("Task")},
         .extends = TR_STR_INIT("Thing")},
    };
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(tr_str_from(project), &builder, &err),
             &err);
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

static void load(struct store *store, const char *project, const char *text)
{
    const struct tr_model *model = make_model(project);
    struct tr_err err = {0};
    CHECK_OK(store_load(store, model, text, 0, &err), &err);
    tr_model_free(model);
}

#define IRI(id)                                                                \
    "(SELECT CAST(substr(key, 2) AS TEXT) FROM term WHERE id = " id ")"

/* Quads that only an index has. */
#define STRAYS                                                                 \
    "SELECT count(*) || ' strays' FROM (SELECT s, p, o, g FROM pos UNION ALL"  \
    " SELECT s, p, o, g FROM ops EXCEPT SELECT s, p, o, g FROM spo)"

/* What a store has beside its quads, by IRIs, as lines in one order. */
static const char *const views[] = {
    "SELECT " IRI("s") " || ' ' || " IRI(
        "type") " || ' ' || version || ' ' || ifnull(label, '-') AS line"
                " FROM node ORDER BY line",
    "SELECT " IRI("type") " || ' ' || count AS line FROM type_count"
                          " WHERE count > 0 ORDER BY line",
    "SELECT " IRI(
        "search.rowid") " || ' ' || text AS line FROM search ORDER BY line",
    "SELECT (SELECT count(*) FROM pos) || ' ' || (SELECT count(*) FROM ops)",
    STRAYS,
};

static void put_view(struct store *store, const char *sql, struct tr_buf *out)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = true;
    CHECK_OK(tr_db_prepare(store->reader->db, sql, &stmt, &err), &err);
    for (;;) {
        CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
        if (!row)
            return;
        tr_buf_put(out, tr_db_column_text(stmt, 0));
        tr_buf_putc(out, '\n');
    }
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The quads as lines in the order of their bytes, which ids have no part in. */
static void put_quads(struct store *store, const char *project,
                      struct tr_buf *out)
{
    const struct tr_dump_opts opts = {.format = TR_RDF_NQUADS,
                                      .project = tr_str_from(project)};
    struct tr_err err = {0};
    struct tr_buf text;
    char *lines[1024] = {0};
    size_t count = 0;
    tr_buf_init(&text, TR_MIB(64));
    struct tr_rdf_output output = tr_rdf_output_buf(&text);
    CHECK_OK(tr_dump_quads(store->reader, &opts, &output, &err), &err);
    tr_buf_putc(&text, '\0');
    for (char *line = text.ptr; *line; count++) {
        lines[count] = line;
        line = strchr(line, '\n');
        *line++ = '\0';
    }
    qsort(lines, count, sizeof(*lines), compare_lines);
    for (size_t i = 0; i < count; i++)
        tr_buf_putf(out, "%s\n", lines[i]);
    tr_buf_done(&text);
}

static void describe(struct store *store, const char *project,
                     struct tr_buf *out)
{
    struct tr_err err = {0};
    CHECK_OK(tr_graph_reader_begin(store->reader, &err), &err);
    put_quads(store, project, out);
    for (size_t i = 0; i < TR_LEN(views); i++)
        put_view(store, views[i], out);
    tr_graph_reader_end(store->reader);
}

static struct tr_graph_renamed rename_store(struct store *store,
                                            const char *from, const char *to)
{
    const struct tr_graph_renaming asked = {.from = tr_str_from(from),
                                            .to = tr_str_from(to)};
    struct tr_graph_renamed done = {0};
    struct tr_err err = {0};
    CHECK_OK(tr_graph_rename(store->path, &asked, &done, &err), &err);
    return done;
}

static tr_status fail_to_rename(struct store *store, const char *from,
                                const char *to, struct tr_err *err)
{
    const struct tr_graph_renaming asked = {.from = tr_str_from(from),
                                            .to = tr_str_from(to)};
    struct tr_graph_renamed done = {0};
    return tr_graph_rename(store->path, &asked, &done, err);
}

/* A renamed store is as one that has got the renamed text. */
static void check_renamed(const char *text, const char *from, const char *to)
{
    struct tr_buf renamed;
    struct store ours;
    struct store theirs;
    struct tr_buf has;
    struct tr_buf wants;
    tr_buf_init(&has, TR_MIB(64));
    tr_buf_init(&wants, TR_MIB(64));
    store_open(&ours);
    store_open(&theirs);
    load(&ours, from, text);
    load(&theirs, to, replace_name(text, from, to, &renamed));
    CHECK_STR(tr_str_from(rename_store(&ours, from, to).from), from);
    describe(&ours, to, &has);
    describe(&theirs, to, &wants);
    tr_buf_putc(&wants, '\0');
    CHECK_STR(tr_buf_str(&has), wants.ptr);
    store_close(&ours);
    store_close(&theirs);
    tr_buf_done(&has);
    tr_buf_done(&wants);
    tr_buf_done(&renamed);
}

#define THING "<trails://a/Thing>"
#define TITLE "<trails://a/Thing#title>"

static const char simple[] =
    "<trails://a/Thing/1> a " THING " ; " TITLE " \"One\" .\n"
    "<trails://a/Thing/2> a " THING " , <trails://a/Task> ; " TITLE
    " \"Two\" .\n"
    "<http://e/x> <http://e/p> <trails://a/Thing/2> ,\n"
    "  \"see trails://a/Thing/1\" , \"x\"^^<trails://a/unit> , "
    "\"trails://a/x\" .\n"
    "<trails://a/g> { <trails://a/x> <trails://a/q> 5 }\n";

TEST(rename_gives_each_iri_of_the_project_the_new_name)
{
    static const char odd[] =
        "<trails://a/> a <trails://a//> ; <trails://a/%C3%A9?x=/#/> "
        "<trails://a/\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x9A\xB2> , "
        "<trails://a/.well-known/genid/b0> .\n"
        "<trails://a-b/1> a <trails://ab/T> , <trails://a> , <trails://a?x> , "
        "<trails://a#x> , <trails://A/x> , <http://e/trails://a/x> , "
        "<xtrails://a/x> .\n";
    check_renamed(simple, "a", "b");
    check_renamed(simple, "a", "a-much-longer-name-0");
    check_renamed(odd, "a", "b");
    check_renamed(odd, "a", "a0");
    check_renamed("", "a", "b");
}

TEST(rename_joins_what_has_the_new_name_already)
{
    static const char both[] =
        "<trails://a/Thing/1> a " THING " ; " TITLE " \"One\" .\n"
        "<trails://b/Thing/2> a <trails://b/Thing> , <trails://b/Task> ;\n"
        "  <trails://b/Thing#title> \"Two\" .\n"
        "<http://e/y> <trails://b/p> \"x\" ; <http://e/r> <trails://b/Thing/1> "
        ".\n"
        /* The same statement under both names, and datatypes of both. */
        "<http://e/x> <trails://a/p> <trails://a/o> , \"x\"^^<trails://a/u> ,\n"
        "   \"y\"^^<trails://a/u> , \"z\"^^<trails://a/v> .\n"
        "<http://e/x> <trails://b/p> <trails://b/o> , \"x\"^^<trails://b/u> .\n"
        "<trails://a/g> { <http://e/x> <trails://a/p> \"y\"^^<trails://a/u> }\n"
        "<trails://b/g> { <http://e/x> <trails://b/p> \"y\"^^<trails://b/u> "
        "}\n";
    struct tr_buf renamed;
    struct store ours;
    struct store theirs;
    struct tr_buf has;
    struct tr_buf wants;
    tr_buf_init(&has, TR_MIB(1));
    tr_buf_init(&wants, TR_MIB(1));
    store_open(&ours);
    store_open(&theirs);
    /* As when a folder was moved: each name had its own app. */
    load(&ours, "a", "<trails://a/Thing/1> a " THING " ; " TITLE " \"One\" .");
    load(&ours, "b", both);
    load(&theirs, "b", replace_name(both, "a", "b", &renamed));
    struct tr_graph_renamed done = rename_store(&ours, "a", "b");
    CHECK_INT(done.joined, 7); /* Thing, title, Thing/1, p, o, u, g */
    CHECK_INT(done.iris, 8);   /* v */
    describe(&ours, "b", &has);
    describe(&theirs, "b", &wants);
    tr_buf_putc(&wants, '\0');
    CHECK_STR(tr_buf_str(&has), wants.ptr);
    store_close(&ours);
    store_close(&theirs);
    tr_buf_done(&has);
    tr_buf_done(&wants);
    tr_buf_done(&renamed);
}

/* One of few terms, of both names and of neither, so that they meet. */
static void put_term(struct tr_buf *out, bool is_object)
{
    static const char *const names[] = {"a", "b", "c"};
    unsigned kind = (unsigned)tr_test_random_below(is_object ? 4 : 2);
    unsigned which = (unsigned)tr_test_random_below(4);
    const char *name = names[tr_test_random_below(TR_LEN(names))];
    if (kind < 2)
        tr_buf_putf(out, SIGN "%s/%u> ", name, which);
    else if (kind == 2)
        tr_buf_putf(out, "\"%u\"^^" SIGN "%s/%u> ", which % 2, name, which);
    else
        tr_buf_putf(out, "\"trails://a/%u\" ", which);
}

static void put_random_quads(struct tr_buf *out)
{
    for (uint64_t left = 1 + tr_test_random_below(200); left > 0; left--) {
        bool has_graph = tr_test_random_below(2);
        if (has_graph) {
            put_term(out, false);
            tr_buf_putf(out, "{ ");
        }
        for (int i = 0; i < 3; i++)
            put_term(out, i == 2);
        tr_buf_putf(out, has_graph ? "}\n" : ".\n");
    }
    tr_buf_putc(out, '\0');
}

TEST(rename_of_random_quads_is_as_their_renamed_text)
{
    for (int round = 0; round < 6; round++) {
        struct tr_buf text;
        tr_buf_init(&text, TR_MIB(1));
        put_random_quads(&text);
        check_renamed(text.ptr, "a", "b");
        tr_buf_done(&text);
    }
}

TEST(rename_goes_there_and_back)
{
    struct store store;
    struct tr_buf before;
    struct tr_buf after;
    tr_buf_init(&before, TR_MIB(1));
    tr_buf_init(&after, TR_MIB(1));
    store_open(&store);
    load(&store, "a", simple);
    describe(&store, "a", &before);
    CHECK_INT(rename_store(&store, "", "b").iris, 9);
    CHECK_INT(rename_store(&store, "", "a").iris, 9);
    CHECK_STR(tr_str_from(rename_store(&store, "", "a").from), "");
    describe(&store, "a", &after);
    tr_buf_putc(&before, '\0');
    CHECK_STR(tr_buf_str(&after), before.ptr);
    store_close(&store);
    tr_buf_done(&before);
    tr_buf_done(&after);
}

TEST(rename_refuses_what_it_cannot_tell_or_would_lose)
{
    static const struct {
        const char *text;
        const char *remembered;
        const char *from;
        const char *why;
    } rows[] = {
        {"<trails://a/1> a <trails://b/T> .", NULL, "",
         "the store has IRIs of 'a' and of 'b': say which to rename"},
        {"<trails://a/1> a <trails://a/T> .", "x", "a",
         "the store is of project 'x', not of 'a'"},
        {"<trails://a/1> a <trails://a/T> . <trails://c/1> a <trails://a/T> .",
         NULL, "a", "two nodes would both be <trails://c/1>"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct store store;
        struct tr_err err = {0};
        store_open(&store);
        if (rows[i].remembered)
            (void)rename_store(&store, "", rows[i].remembered);
        load(&store, "a", rows[i].text);
        int64_t quads = store_number(&store, "SELECT count(*) FROM spo", 0);
        CHECK_INT(fail_to_rename(&store, rows[i].from, "c", &err),
                  TR_E_CONFLICT);
        CHECK_STR(tr_str_from(err.msg), rows[i].why);
        CHECK_INT(store_number(&store, "SELECT count(*) FROM spo", 0), quads);
        store_close(&store);
    }
}

/* A store with one node, whose IRI has so many bytes; false when that is more
 * than can be read. */
static bool open_long(struct store *store, size_t len)
{
    struct tr_err err = {0};
    struct tr_buf text;
    tr_buf_init(&text, len + 64);
    tr_buf_putf(&text, SIGN "a/");
    while (text.len < len + 1)
        tr_buf_putc(&text, 'x');
    tr_buf_putf(&text, "> a <http://e/T> .%c", '\0');
    store_open(store);
    tr_status status = store_load(store, NULL, text.ptr, 0, &err);
    tr_buf_done(&text);
    return status == TR_OK;
}

/* What can be read as a resource, or at all, can be read afterwards. */
TEST(rename_refuses_a_name_that_makes_an_iri_too_long)
{
    static const size_t limits[] = {TR_LIMIT_URI_BYTES, TR_LIMIT_RDF_TERM};
    for (size_t i = 0; i < TR_LEN(limits); i++) {
        struct store store;
        struct tr_err err = {0};
        char why[128];
        size_t len = limits[i];
        bool is_open = open_long(&store, len);
        for (; !is_open && len > limits[i] - 64;
             is_open = open_long(&store, --len))
            store_close(&store);
        CHECK(is_open);
        char name[64] = "b";
        memset(name, 'b', limits[i] - len + 2);
        (void)snprintf(why, sizeof(why),
                       "an IRI of %zu bytes would get more than %zu: choose a "
                       "shorter name",
                       len, limits[i]);
        CHECK_INT(fail_to_rename(&store, "", name, &err), TR_E_LIMIT);
        CHECK_STR(tr_str_from(err.msg), why);
        CHECK_INT(rename_store(&store, "", name + 1).iris, 1);
        store_close(&store);
    }
}

static void exec(struct store *store, const char *sql)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db, sql, &err), &err);
    tr_db_close(db);
}

static const char beside[] =
    "INSERT INTO spelt VALUES ('trails://a/T#n', 'integer'),"
    " ('trails://ab/T#n', 'integer'), ('http://e/n', 'integer');"
    "INSERT INTO counter VALUES ('trails://a/T/1', 7), ('trails://b/T/1', 9),"
    " ('trails://a/T/2', 5), ('tickets of trails://a/', 3);"
    "INSERT INTO kept VALUES (x'01', x'', 'x trails://a/1 xtrails://a/2 \"'"
    " || 'trails://a/3\" trails://ab/ trails://a', 99),"
    " (x'02', x'', 'nothing', 99), (x'03', x'', 'a\\ntrails://a/4', 99);";

TEST(rename_has_what_is_found_by_a_text_and_what_is_kept)
{
    struct store store;
    store_open(&store);
    load(&store, "a", simple);
    exec(&store, beside);
    CHECK_INT(rename_store(&store, "", "b").results, 2);
    CHECK_INT(store_number(&store,
                           "SELECT count(*) = 3 AND sum(predicate IN"
                           " ('trails://b/T#n', 'trails://ab/T#n',"
                           " 'http://e/n')) = 3 FROM spelt",
                           0),
              1);
    CHECK_INT(store_number(&store,
                           "SELECT group_concat(name || value, ' ') ="
                           " 'tickets of trails://a/3 trails://b/T/19"
                           " trails://b/T/25' FROM (SELECT * FROM counter"
                           " ORDER BY name)",
                           0),
              1);
    CHECK_INT(store_number(&store,
                           "SELECT CAST(result AS TEXT) = 'x trails://b/1"
                           " xtrails://a/2 \"trails://b/3\" trails://ab/"
                           " trails://a' FROM kept WHERE id = x'01'",
                           0),
              1);
    CHECK_INT(store_number(&store,
                           "SELECT CAST(result AS TEXT) ="
                           " 'a\\ntrails://b/4' FROM kept WHERE id = x'03'",
                           0),
              1);
    store_close(&store);
}

static tr_status rename_dry(void *context, struct tr_err *err)
{
    static const struct tr_graph_renaming asked = {
        .from = TR_STR_INIT("a"), .to = TR_STR_INIT("b"), .is_dry = true};
    const struct store *store = context;
    struct tr_graph_renamed done;
    TR_TRY(tr_graph_rename(store->path, &asked, &done, err));
    CHECK_INT(done.iris, 9);
    CHECK_INT(done.joined, 3);
    return TR_OK;
}

static tr_status refuse(void *data, struct tr_db *db, const char *from,
                        struct tr_err *err)
{
    (void)data;
    (void)db;
    CHECK_STR(tr_str_from(from), "a");
    return tr_fail(err, TR_E_IO, "no");
}

/* Whatever fails, and a run for show, leaves all as it was. */
TEST(rename_happens_as_a_whole_or_not_at_all)
{
    struct tr_graph_renaming asked = {
        .from = TR_STR("a"), .to = TR_STR("b"), .landed = refuse};
    struct tr_graph_renamed done;
    struct store store;
    struct tr_err err = {0};
    struct tr_buf before;
    struct tr_buf after;
    tr_buf_init(&before, TR_MIB(1));
    tr_buf_init(&after, TR_MIB(1));
    store_open(&store);
    load(&store, "a", simple);
    load(&store, "b",
         "<http://e/x> <trails://b/q> <trails://b/Thing> ; "
         "<http://e/p> \"x\"^^<trails://b/unit> .");
    exec(&store, beside);
    describe(&store, "a", &before);
    CHECK_INT(tr_graph_rename(store.path, &asked, &done, &err), TR_E_IO);
    CHECK_OK(rename_dry(&store, &err), &err);
    tr_test_sweep(rename_dry, &store);
    describe(&store, "a", &after);
    tr_buf_putc(&before, '\0');
    CHECK_STR(tr_buf_str(&after), before.ptr);
    CHECK_INT(store_number(&store, "SELECT count(*) FROM project", 0), 0);
    store_close(&store);
    tr_buf_done(&before);
    tr_buf_done(&after);
}
