/*
 * bench/graph.c - reading the graph against the bare statements that it needs.
 *
 * Stores of 10,000 and of 2 million tasks. What is asked for again and again is
 * as much in both, from all over them, and must cost the same; of the larger
 * one also whatever there is is asked for, so that caches are cold. A read is a
 * transaction, on both sides.
 */
#include "base/limits.h"
#include "bench.h"
#include "graph/load.h"
#include "graph/schema.h"
#include "json/build.h"
#include "model/builder.h"
#include "pack/body.h"
#include "pack/key.h"
#include "query/node.h"
#include "query/query.h"

#include <sqlite3.h>

#include <assert.h>
#include <unistd.h>

/* Every task has all fields but the mark, which MARKED tasks have. */
enum { MATCHES = 25, FIELDS = 5, MARKED = 100, MARKED_AT = 7 };

/* Tasks that are asked for again and again. */
enum { HOT = 100 };

#define NS "trails://bench/"

/* The bare statements, in the order in which a read needs them. */
enum { BEGIN, FIND, NODE, KEY, WALK, HEAD, HAS, END, STATEMENTS };
static const char *const bare_sql[STATEMENTS] = {
    [BEGIN] = "BEGIN",
    [FIND] = "SELECT id FROM term WHERE key = ?1",
    [NODE] = "SELECT type, version, label, body FROM node WHERE s = ?1",
    [KEY] = "SELECT key FROM term WHERE id = ?1",
    [WALK] = "SELECT s FROM pos WHERE p = ?1 AND k = ?2 ORDER BY s LIMIT 101",
    [HEAD] = "SELECT type, version, label, iri FROM node WHERE s = ?1",
    [HAS] = "SELECT 1 FROM pos WHERE p = ?1 AND k = ?2 AND s = ?3",
    [END] = "ROLLBACK",
};

/* The ids of what tasks have. */
enum { TYPE, CLASS, TITLE, STATUS, BATCH, DONE, OWNER, MARK, WORDS };
static const char *const words[WORDS] = {
    TR_RDF_IRI_RDF_TYPE, NS "Task",      NS "Task#title", NS "Task#status",
    NS "Task#batch",     NS "Task#done", NS "Task#owner", NS "Task#mark",
};

struct side {
    int64_t count;
    char path[64];
    tr_rdf_id ids[WORDS];
    bool is_cold; /* any task may be asked for */
    const struct tr_model *model;
    struct tr_graph_reader *reader;
    struct tr_arena arena;
    sqlite3 *bare;
    sqlite3_stmt *stmts[STATEMENTS];
    uint64_t turn[2]; /* of ours, of theirs */
};

static const struct tr_model *make_model(void)
{
    static const struct tr_field fields[FIELDS + 1] = {
        {.name = TR_STR_INIT("title")},
        {.name = TR_STR_INIT("status")},
        {.name = TR_STR_INIT("batch"), .kind = TR_FIELD_INTEGER},
        {.name = TR_STR_INIT("done"), .kind = TR_FIELD_BOOLEAN},
        {.name = TR_STR_INIT("owner"),
         .kind = TR_FIELD_REF,
         .target = TR_STR_INIT("Task")},
        {.name = TR_STR_INIT("mark"),
         .kind = TR_FIELD_INTEGER,
         .optional = true},
    };
    struct tr_model_type_draft draft = {.shape = {.name = TR_STR("Task"),
                                                  .fields = fields,
                                                  .count = TR_LEN(fields)},
                                        .label = TR_STR("title")};
    const struct tr_model *model = NULL;
    tr_status status = tr_bench_model(&draft, &model, NULL);
    assert(status == TR_OK);
    (void)status;
    return model;
}

static size_t write_iri(int64_t task, char out[64])
{
    return (size_t)snprintf(out, 64, NS "Task/%08lld", (long long)task);
}

static tr_rdf_term task_term(int64_t task, char out[64])
{
    size_t len = write_iri(task, out);
    return tr_rdf_term_iri((tr_str){out, len});
}

static tr_rdf_term typed(char text[24], int64_t value, const char *datatype)
{
    int length = snprintf(text, 24, "%lld", (long long)value);
    return tr_rdf_term_typed((tr_str){text, (size_t)length},
                             tr_str_from(datatype));
}

/* What a field of a task is; its text goes to `text`. */
static tr_rdf_term object_of(int64_t count, int64_t task, int word,
                             char text[64])
{
    switch (word) {
    case TYPE:
        return tr_rdf_term_iri(tr_str_from(words[CLASS]));
    case TITLE:
        (void)snprintf(text, 64, "Task number %08lld", (long long)task);
        return tr_rdf_term_string(tr_str_from(text));
    case STATUS:
        return tr_rdf_term_string(TR_STR("open"));
    case BATCH:
        return typed(text, task / MATCHES, TR_RDF_IRI_XSD_INTEGER);
    case DONE:
        return tr_rdf_term_typed(task % 2 ? TR_STR("true") : TR_STR("false"),
                                 TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    case OWNER:
        return task_term(task * 7919 % count, text);
    default:
        return typed(text, 0, TR_RDF_IRI_XSD_INTEGER);
    }
}

static tr_status add_task(const struct tr_rdf_sink *sink, int64_t count,
                          int64_t task)
{
    char iri[64];
    char text[64];
    tr_rdf_quad quad = {.subject = task_term(task, iri)};
    for (int word = 0; word < WORDS; word++) {
        if (word == CLASS ||
            (word == MARK && task % (count / MARKED) != MARKED_AT))
            continue;
        quad.predicate = tr_rdf_term_iri(tr_str_from(words[word]));
        quad.object = object_of(count, task, word, text);
        TR_TRY(sink->quad(sink->context, &quad, NULL));
    }
    return TR_OK;
}

static tr_status load_tasks(const struct side *side,
                            const struct tr_db_opts *db)
{
    struct tr_graph_load_opts opts = {.path = side->path,
                                      .db = *db,
                                      .model = side->model,
                                      .max_work = UINT64_MAX};
    struct tr_graph_load *load = NULL;
    TR_TRY(tr_graph_load_create(&opts, &load, NULL));
    struct tr_rdf_sink sink = tr_graph_load_sink(load);
    tr_status status = TR_OK;
    for (int64_t i = 0; i < side->count && status == TR_OK; i++)
        status = add_task(&sink, side->count, i);
    if (status == TR_OK)
        status = tr_graph_load_finish(load, NULL);
    tr_graph_load_free(load);
    return status;
}

/* Tasks get their numbers in order, whoever is named as an owner first: so do
 * nodes that are created one after the other. */
static tr_status number_terms(struct side *side, struct tr_rows_terms *terms)
{
    char iri[64];
    tr_rdf_id id;
    for (int i = 0; i < WORDS; i++) {
        tr_rdf_term word = tr_rdf_term_iri(tr_str_from(words[i]));
        TR_TRY(tr_rows_terms_intern(terms, &word, &side->ids[i], NULL));
    }
    for (int64_t i = 0; i < side->count; i++) {
        tr_rdf_term task = task_term(i, iri);
        TR_TRY(tr_rows_terms_intern(terms, &task, &id, NULL));
        tr_rows_terms_trim(terms);
    }
    return TR_OK;
}

static tr_status prepare_store(struct side *side, struct tr_db *db)
{
    struct tr_rows_terms *terms = NULL;
    TR_TRY(tr_graph_schema(db, NULL));
    TR_TRY(tr_rows_terms_create(db, &terms, NULL));
    tr_status status = tr_db_begin(db, TR_DB_WRITE, NULL);
    if (status == TR_OK)
        status = number_terms(side, terms);
    if (status == TR_OK)
        status = tr_db_commit(db, NULL);
    tr_rows_terms_free(terms);
    return status;
}

static tr_status fill(struct side *side)
{
    struct tr_db_opts opts = {.no_sync = true, .cache_bytes = TR_MIB(256)};
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(side->path, &opts, &db, NULL));
    tr_status status = prepare_store(side, db);
    tr_db_close(db);
    return status == TR_OK ? load_tasks(side, &opts) : status;
}

static bool open_side(struct side *side, const char *folder, int64_t count)
{
    *side = (struct side){.count = count, .model = make_model()};
    (void)snprintf(side->path, sizeof(side->path), "%s/%lld.db", folder,
                   (long long)count);
    tr_arena_init(&side->arena, TR_MIB(64));
    if (fill(side) != TR_OK ||
        tr_graph_reader_create(side->path, NULL, &side->reader, NULL) !=
            TR_OK ||
        sqlite3_open_v2(side->path, &side->bare, SQLITE_OPEN_READONLY, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(side->bare, "PRAGMA cache_size = -8192", NULL, NULL,
                     NULL) != SQLITE_OK)
        return false;
    for (int i = 0; i < STATEMENTS; i++) {
        if (sqlite3_prepare_v3(side->bare, bare_sql[i], -1,
                               SQLITE_PREPARE_PERSISTENT, &side->stmts[i],
                               NULL) != SQLITE_OK)
            return false;
    }
    return true;
}

static void close_side(struct side *side)
{
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(side->stmts[i]);
    sqlite3_close(side->bare);
    tr_graph_reader_free(side->reader);
    tr_model_free(side->model);
    tr_arena_done(&side->arena);
    (void)unlink(side->path);
}

/* Far from the last one, and both sides ask for the same. */
static int64_t next_task(struct side *side, int who)
{
    uint64_t count = (uint64_t)side->count;
    uint64_t turn = ++side->turn[who];
    uint64_t step = side->is_cold ? 1 : count / HOT;
    return (int64_t)(turn * UINT64_C(0x9E3779B97F4A7C15) % (count / step) *
                     step);
}

static uint64_t get(const void *data)
{
    struct side *side = *(struct side *const *)data;
    char iri[64];
    size_t len = write_iri(next_task(side, 0), iri);
    struct tr_json node = {0};
    bool found = false;
    tr_arena_reset(&side->arena);
    tr_status status = tr_graph_reader_begin(side->reader, NULL);
    struct tr_graph_read_ctx ctx =
        tr_graph_read_ctx_of(side->reader, NULL, side->model, &side->arena);
    if (status == TR_OK)
        status =
            tr_query_node_read(&ctx, (tr_str){iri, len}, &node, &found, NULL);
    tr_graph_reader_end(side->reader);
    assert(status == TR_OK && found && node.len >= FIELDS + 3);
    return node.len;
}

static sqlite3_stmt *ask(struct side *side, int which, int64_t a)
{
    sqlite3_stmt *stmt = side->stmts[which];
    sqlite3_reset(stmt);
    sqlite3_bind_int64(stmt, 1, a);
    return stmt;
}

static void bare_begin(struct side *side)
{
    sqlite3_reset(side->stmts[BEGIN]);
    (void)sqlite3_step(side->stmts[BEGIN]);
}

/* A transaction ends only when no statement is in the middle of its rows. */
static void bare_end(struct side *side)
{
    for (int i = FIND; i < END; i++)
        sqlite3_reset(side->stmts[i]);
    sqlite3_reset(side->stmts[END]);
    (void)sqlite3_step(side->stmts[END]);
}

static uint64_t read_key(struct side *side, uint64_t number)
{
    tr_rdf_id id = tr_rows_id_make(number, TR_ROWS_TAG_IRI);
    sqlite3_stmt *key = ask(side, KEY, (int64_t)id);
    return sqlite3_step(key) == SQLITE_ROW
               ? (uint64_t)sqlite3_column_bytes(key, 0)
               : 0;
}

/* The names of all that a node says. */
static uint64_t read_body(struct side *side, tr_str body)
{
    struct tr_pack_cursor cursor = tr_pack_body_open(body);
    struct tr_pack_value value = {0};
    tr_pack_statement one;
    uint64_t bytes = 0;
    while (tr_pack_cursor_next(&cursor, &one) &&
           tr_pack_value_get(one.v, &value, NULL) == TR_OK) {
        bytes += read_key(side, one.p) + value.text.len;
        if (value.kind == TR_PACK_REFERENCE)
            bytes += read_key(side, value.number);
    }
    return bytes;
}

static uint64_t get_bare(const void *data)
{
    struct side *side = *(struct side *const *)data;
    char key[64];
    size_t len = write_iri(next_task(side, 1), key);
    sqlite3_stmt *find = side->stmts[FIND];
    uint64_t bytes = 0;
    bare_begin(side);
    sqlite3_reset(find);
    sqlite3_bind_blob(find, 1, key, (int)len, SQLITE_STATIC);
    if (sqlite3_step(find) == SQLITE_ROW) {
        sqlite3_stmt *node = ask(side, NODE, sqlite3_column_int64(find, 0));
        if (sqlite3_step(node) == SQLITE_ROW)
            bytes = read_body(side,
                              (tr_str){sqlite3_column_blob(node, 3),
                                       (size_t)sqlite3_column_bytes(node, 3)});
    }
    bare_end(side);
    assert(bytes > 0);
    return bytes;
}

/* How many nodes have all of these values; perhaps with what they look like. */
static uint64_t find(struct side *side, const struct tr_json_member *values,
                     uint32_t count, bool in_brief)
{
    struct tr_json filter = {
        .kind = TR_JSON_OBJECT, .len = count, .as.members = values};
    struct tr_query query = {
        .type = side->model->types[0], .filter = &filter, .limit = MARKED};
    struct tr_json list = {0};
    struct tr_query_page page = {0};
    tr_arena_reset(&side->arena);
    tr_status status = tr_graph_reader_begin(side->reader, NULL);
    struct tr_graph_read_ctx ctx =
        tr_graph_read_ctx_of(side->reader, NULL, side->model, &side->arena);
    if (status == TR_OK)
        status = tr_query_where(&ctx, &query, &page, NULL);
    if (status == TR_OK && in_brief)
        status = tr_query_page_brief(&ctx, &page, &list, NULL);
    tr_graph_reader_end(side->reader);
    assert(status == TR_OK && (!in_brief || list.len == page.count));
    return page.count;
}

static struct tr_json_member member(const char *field, struct tr_json value)
{
    return (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(field)), value};
}

/* The next batch, and with it perhaps what half of it are. */
static uint64_t find_batch(struct side *side, bool is_done)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%lld",
                       (long long)(next_task(side, 0) / MATCHES));
    struct tr_json_member members[] = {
        member("done", tr_json_make_bool(true)),
        member("batch", tr_json_make_integer((tr_str){text, (size_t)len})),
    };
    return is_done ? find(side, members, 2, false)
                   : find(side, members + 1, 1, true);
}

static uint64_t where(const void *data)
{
    uint64_t count = find_batch(*(struct side *const *)data, false);
    assert(count == MATCHES);
    return count;
}

static uint64_t where_two(const void *data)
{
    uint64_t count = find_batch(*(struct side *const *)data, true);
    assert(count == MATCHES / 2 || count == MATCHES / 2 + 1);
    return count;
}

static uint64_t where_three(const void *data)
{
    const struct tr_json_member members[] = {
        member("status", tr_json_make_text(TR_JSON_STRING, TR_STR("open"))),
        member("done", tr_json_make_bool(true)),
        member("mark", tr_json_make_integer(TR_STR("0"))),
    };
    uint64_t count = find(*(struct side *const *)data, members, 3, false);
    assert(count == MARKED);
    return count;
}

/* The key of a value that is stored as `kind` says. */
static tr_pack_key key_of(enum tr_pack_kind kind, int64_t number, tr_str text)
{
    struct tr_pack_value value = {.kind = kind, .scalar = number, .text = text};
    tr_pack_key key = {0};
    tr_pack_key_make(&value, TR_RDF_XSD_UNKNOWN, &key);
    return key;
}

static sqlite3_stmt *ask_pos(struct side *side, int which, int predicate,
                             const tr_pack_key *key)
{
    sqlite3_stmt *stmt = ask(side, which, (int64_t)side->ids[predicate]);
    sqlite3_bind_blob(stmt, 2, key->bytes, (int)key->len, SQLITE_TRANSIENT);
    return stmt;
}

static bool has_bare(struct side *side, int64_t id, int predicate,
                     const tr_pack_key *key)
{
    sqlite3_stmt *has = ask_pos(side, HAS, predicate, key);
    sqlite3_bind_int64(has, 3, id);
    return sqlite3_step(has) == SQLITE_ROW;
}

/* Its row has the class and what people call it. */
static bool is_task_bare(struct side *side, int64_t id)
{
    sqlite3_stmt *head = ask(side, HEAD, id);
    return sqlite3_step(head) == SQLITE_ROW &&
           sqlite3_column_int64(head, 0) == (int64_t)side->ids[CLASS];
}

static uint64_t where_bare(const void *data)
{
    struct side *side = *(struct side *const *)data;
    tr_pack_key batch =
        key_of(TR_PACK_INTEGER, next_task(side, 1) / MATCHES, TR_STR(""));
    uint64_t bytes = 0;
    bare_begin(side);
    sqlite3_stmt *walk = ask_pos(side, WALK, BATCH, &batch);
    while (sqlite3_step(walk) == SQLITE_ROW) {
        if (is_task_bare(side, sqlite3_column_int64(walk, 0)))
            bytes += (uint64_t)sqlite3_column_bytes(side->stmts[HEAD], 2) +
                     (uint64_t)sqlite3_column_bytes(side->stmts[HEAD], 3);
    }
    bare_end(side);
    assert(bytes > 0);
    return bytes;
}

static uint64_t where_two_bare(const void *data)
{
    struct side *side = *(struct side *const *)data;
    tr_pack_key batch =
        key_of(TR_PACK_INTEGER, next_task(side, 1) / MATCHES, TR_STR(""));
    tr_pack_key yes = key_of(TR_PACK_TRUE, 0, TR_STR(""));
    uint64_t count = 0;
    bare_begin(side);
    sqlite3_stmt *walk = ask_pos(side, WALK, BATCH, &batch);
    while (sqlite3_step(walk) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(walk, 0);
        count += has_bare(side, id, DONE, &yes) && is_task_bare(side, id);
    }
    bare_end(side);
    assert(count == MATCHES / 2 || count == MATCHES / 2 + 1);
    return count;
}

static uint64_t where_three_bare(const void *data)
{
    struct side *side = *(struct side *const *)data;
    tr_pack_key mark = key_of(TR_PACK_INTEGER, 0, TR_STR(""));
    tr_pack_key yes = key_of(TR_PACK_TRUE, 0, TR_STR(""));
    tr_pack_key open = key_of(TR_PACK_STRING, 0, TR_STR("open"));
    uint64_t count = 0;
    bare_begin(side);
    sqlite3_stmt *walk = ask_pos(side, WALK, MARK, &mark);
    while (sqlite3_step(walk) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(walk, 0);
        count += has_bare(side, id, DONE, &yes) &&
                 has_bare(side, id, STATUS, &open) && is_task_bare(side, id);
    }
    bare_end(side);
    assert(count == MARKED);
    return count;
}

/* One question, in both stores. */
struct question {
    const char *names[3]; /* small, large, large and cold; or none of these */
    const char *growth;
    tr_bench_fn *ours;
    tr_bench_fn *bare;
    double at_most; /* times the bare statements */
};

static bool compare(const struct question *question, const char *name,
                    struct side *side, double *ours_ns)
{
    struct tr_bench_row row = {name,           "bare statements",
                               question->ours, question->bare,
                               &side,          1 / question->at_most};
    double bare_ns = 0;
    tr_bench_compare(&row, ours_ns, &bare_ns);
    struct tr_bench_ratio ratio = {name, row.rival, *ours_ns, bare_ns,
                                   row.target};
    return tr_bench_report_ratio(&ratio);
}

static bool bench_question(const struct question *question,
                           struct side sides[2])
{
    double small_ns = 0;
    double large_ns = 0;
    double cold_ns = 0;
    bool met = compare(question, question->names[0], &sides[0], &small_ns);
    sides[1].is_cold = false;
    met = compare(question, question->names[1], &sides[1], &large_ns) && met;
    struct tr_bench_ratio growth = {question->growth, "10k nodes", large_ns,
                                    small_ns, 1 / 1.5};
    met = tr_bench_report_ratio(&growth) && met;
    sides[1].is_cold = true;
    return (!question->names[2] ||
            compare(question, question->names[2], &sides[1], &cold_ns)) &&
           met;
}

static const struct question questions[] = {
    {{"graph get, 10k nodes", "graph get, 2M nodes", "graph get, any of 2M"},
     "graph get, 2M against 10k",
     get,
     get_bare,
     3},
    {{"graph where-25, 10k nodes", "graph where-25, 2M nodes",
      "graph where-25, any of 2M"},
     "graph where-25, 2M against 10k",
     where,
     where_bare,
     2},
    {{"graph where, two fields, 10k nodes", "graph where, two fields, 2M nodes",
      "graph where, two fields, any of 2M"},
     "graph where, two fields, 2M against 10k",
     where_two,
     where_two_bare,
     2},
    {{"graph where, rarest of three 100, 10k",
      "graph where, rarest of three 100, 2M", NULL},
     "graph where, three fields, 2M against 10k",
     where_three,
     where_three_bare,
     2.5},
};

static bool bench_sides(const char *folder, const char *only)
{
    static const int64_t counts[] = {10000, 2000000};
    struct side sides[2] = {{0}, {0}};
    bool met = open_side(&sides[0], folder, counts[0]) &&
               open_side(&sides[1], folder, counts[1]);
    if (!met)
        (void)printf("graph: the stores cannot be made\n");
    for (size_t i = 0; sides[1].bare && i < TR_LEN(questions); i++) {
        if (strstr(questions[i].names[0], only))
            met = bench_question(&questions[i], sides) && met;
    }
    for (size_t i = 0; i < TR_LEN(sides); i++)
        close_side(&sides[i]);
    return met;
}

bool tr_bench_graph(const char *only)
{
    char folder[] = "/tmp/trails-bench-XXXXXX";
    bool is_asked = false;
    for (size_t i = 0; i < TR_LEN(questions); i++)
        is_asked = is_asked || strstr(questions[i].names[0], only);
    if (!is_asked)
        return true;
    if (!mkdtemp(folder))
        return false;
    bool met = bench_sides(folder, only);
    (void)rmdir(folder);
    return met;
}
