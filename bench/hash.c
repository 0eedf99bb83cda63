/*
 * bench/hash.c - keys that somebody has chosen against keys of chance, in each
 * table that holds what clients choose: they must cost about the same.
 *
 * What is hostile fell into one bucket of the tables as they once were
 * (test/support/hostile.h). First a whole call, by the CPU of the server.
 */
#include "base/limits.h"
#include "base/map.h"
#include "bench.h"
#include "db/db.h"
#include "fields/pattern.h"
#include "graph/overlay.h"
#include "graph/schema.h"
#include "json/build.h"
#include "json/index.h"
#include "mcp/watch.h"
#include "rdf/id_hash.h"
#include "rdf/memory_graph.h"
#include "rdf/term_table.h"
#include "rows/terms.h"
#include "runtime/idempotency_queue.h"
#include "schema/schema.h"
#include "support/hostile.h"

#include <assert.h>
#include <dirent.h>
#include <unistd.h>

enum { KEYS = 32768, CALLS = 3 };

/* Times what is harmless. */
#define AT_MOST 1.5

#define FOLDER "/tmp/trails-bench-XXXXXX"

/* Keys of one kind, and memory for what is made of them. */
struct keys {
    enum hostility kind;
    tr_str texts[KEYS];
    tr_str iris[KEYS]; /* whose keys in the store are hostile */
    struct tr_json numbers[KEYS];
    struct tr_arena arena; /* of the keys */
    struct tr_arena work;  /* of one table */
    struct tr_rdf_memory_graph *nothing;
    struct tr_db *db;
    struct tr_rows_terms *terms; /* a store's, which has all the IRIs */
    char folder[sizeof(FOLDER)]; /* of the store, while it is open */
};

/* A key of the store has one byte before the IRI. */
#define BEFORE "trails://a/key/"

static void make_texts(struct keys *keys, size_t i)
{
    enum { START = sizeof(BEFORE) - 1 };
    char *text = tr_arena_alloc(&keys->arena, HOSTILE_BYTES);
    char *iri = tr_arena_alloc(&keys->arena, START + HOSTILE_BYTES);
    char *digits = tr_arena_alloc(&keys->arena, HOSTILE_DIGITS);
    assert(text && iri && digits);
    memcpy(iri, BEFORE, START);
    (void)hostile_text(keys->kind, i, iri + START);
    keys->iris[i] = (tr_str){iri, START + HOSTILE_BYTES};
    keys->texts[i] = hostile_text(keys->kind, i, text);
    keys->numbers[i] =
        tr_json_make_integer(hostile_number(keys->kind, i, digits));
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *file;
    while (folder && (file = readdir(folder)))
        (void)unlinkat(dirfd(folder), file->d_name, 0);
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

/* Nothing is ever committed to it. */
static tr_status make_terms(struct keys *keys)
{
    tr_rdf_id id;
    char path[sizeof(keys->folder) + sizeof("/graph.db")];
    if (!mkdtemp(keys->folder))
        return TR_E_IO;
    (void)snprintf(path, sizeof(path), "%s/graph.db", keys->folder);
    TR_TRY(tr_db_open(path, NULL, &keys->db, NULL));
    TR_TRY(tr_graph_schema(keys->db, NULL));
    TR_TRY(tr_db_begin(keys->db, TR_DB_WRITE, NULL));
    TR_TRY(tr_rows_terms_create(keys->db, &keys->terms, NULL));
    for (size_t i = 0; i < KEYS; i++) {
        tr_rdf_term term = tr_rdf_term_iri(keys->iris[i]);
        TR_TRY(tr_rows_terms_intern(keys->terms, &term, &id, NULL));
    }
    return TR_OK;
}

static void make_keys(struct keys *keys, enum hostility kind)
{
    keys->kind = kind;
    memcpy(keys->folder, FOLDER, sizeof(FOLDER));
    tr_arena_init(&keys->arena, TR_MIB(64));
    tr_arena_init(&keys->work, TR_MIB(256));
    for (size_t i = 0; i < KEYS; i++)
        make_texts(keys, i);
    tr_status status =
        tr_rdf_memory_graph_create(TR_MIB(1), &keys->nothing, NULL);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_index(keys->nothing, NULL);
    if (status == TR_OK)
        status = make_terms(keys);
    assert(status == TR_OK);
}

static void free_keys(struct keys *keys)
{
    tr_rows_terms_free(keys->terms);
    tr_db_rollback(keys->db);
    tr_db_close(keys->db);
    remove_folder(keys->folder);
    tr_rdf_memory_graph_free(keys->nothing);
    tr_arena_done(&keys->work);
    tr_arena_done(&keys->arena);
}

static uint64_t fill_map(struct keys *keys)
{
    struct tr_map map;
    tr_map_init(&map, &keys->work);
    for (size_t i = 0; i < KEYS; i++) {
        bool good = tr_map_set(&map, keys->texts[i], keys);
        assert(good);
    }
    return map.count;
}

static uint64_t fill_object(struct keys *keys)
{
    struct tr_json object = {0};
    struct tr_json_member *members =
        TR_NEW_ARRAY(&keys->work, struct tr_json_member, KEYS);
    assert(members);
    for (size_t i = 0; i < KEYS; i++)
        members[i].key = tr_json_make_text(TR_JSON_STRING, keys->texts[i]);
    bool good = tr_json_index_build(&keys->work, members, KEYS, &object);
    assert(good);
    return object.len;
}

static uint64_t fill_term_table(struct keys *keys)
{
    struct tr_rdf_term_table table;
    uint32_t id = 0;
    tr_rdf_term_table_init(&table, TR_MIB(64));
    for (size_t i = 0; i < KEYS; i++) {
        tr_rdf_term term = tr_rdf_term_iri(keys->texts[i]);
        tr_status status = tr_rdf_term_table_add(
            &table, &term, tr_rdf_term_table_hash(&table, &term), &id, NULL);
        assert(status == TR_OK);
    }
    tr_rdf_term_table_done(&table);
    return id;
}

static uint64_t fill_id_set(struct keys *keys)
{
    struct tr_rdf_id_hash set;
    bool is_new = false;
    tr_rdf_id_hash_init(&set);
    for (size_t i = 0; i < KEYS; i++) {
        tr_status status =
            tr_rdf_id_hash_add(&set, hostile_id(keys->kind, i), &is_new, NULL);
        assert(status == TR_OK);
    }
    tr_rdf_id_hash_done(&set);
    return set.count;
}

/* As uniqueItems does it: values with equal hashes are compared. */
static uint64_t check_unique(struct keys *keys)
{
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("uniqueItems")),
        {.kind = TR_JSON_BOOL, .flags = TR_JSON_TRUE}};
    struct tr_json root = {
        .kind = TR_JSON_OBJECT, .len = 1, .as.members = &member};
    struct tr_json list = {
        .kind = TR_JSON_ARRAY, .len = KEYS, .as.items = keys->numbers};
    struct tr_field_patterns patterns = {0};
    struct tr_field_errors errors = {0};
    const struct tr_schema *schema = NULL;
    tr_status status =
        tr_schema_compile(&keys->work, &patterns, &root, NULL, &schema, NULL);
    assert(status == TR_OK);
    status = tr_schema_check(schema, &list, &keys->work, &errors, NULL);
    assert(status == TR_OK);
    tr_field_patterns_done(&patterns);
    return list.len;
}

static struct tr_graph_overlay *make_overlay(struct keys *keys)
{
    struct tr_graph_overlay *overlay = NULL;
    tr_status status = tr_graph_overlay_create(
        &keys->work, tr_rdf_memory_graph_view(keys->nothing), &overlay, NULL);
    assert(status == TR_OK);
    return overlay;
}

static uint64_t fill_quads(struct keys *keys)
{
    struct tr_graph_overlay *overlay = make_overlay(keys);
    bool changed = false;
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t number = (uint64_t)hostile_integer(keys->kind, i);
        tr_rdf_ids quad = {tr_rows_id_make(100, TR_ROWS_TAG_IRI),
                           tr_rows_id_make(7, TR_ROWS_TAG_IRI),
                           tr_rows_id_make(number, TR_ROWS_TAG_INTEGER),
                           TR_RDF_ID_DEFAULT_GRAPH};
        tr_status status = tr_graph_overlay_add(overlay, quad, &changed, NULL);
        assert(status == TR_OK);
    }
    return tr_graph_overlay_count(overlay);
}

static uint64_t fill_new_terms(struct keys *keys)
{
    struct tr_graph_overlay *overlay = make_overlay(keys);
    tr_rdf_id id = TR_RDF_ID_NONE;
    for (size_t i = 0; i < KEYS; i++) {
        tr_rdf_term term = tr_rdf_term_iri(keys->texts[i]);
        tr_status status = tr_graph_overlay_intern(overlay, &term, &id, NULL);
        assert(status == TR_OK);
    }
    return id;
}

static uint64_t fill_watches(struct keys *keys)
{
    struct tr_mcp_watches all = {0};
    struct tr_mcp_watch *watches =
        TR_NEW_ARRAY(&keys->work, struct tr_mcp_watch, KEYS);
    assert(watches);
    for (size_t i = 0; i < KEYS; i++) {
        bool good = tr_mcp_watch_add(&all, TR_MCP_WATCHER_SESSION,
                                     keys->texts[i], NULL, &watches[i]);
        assert(good);
    }
    uint64_t count = all.topic_count;
    tr_mcp_watches_done(&all);
    return count;
}

/* Digests of which somebody has looked for those that begin alike. Fewer: the
 * table does not grow, and as many do not run at once. */
static uint64_t fill_queue(struct keys *keys)
{
    enum { RUNNING = 1024 };
    struct tr_call_idempotency_queue *queue = NULL;
    struct tr_call_idempotency_turn *all =
        TR_NEW_ARRAY(&keys->work, struct tr_call_idempotency_turn, RUNNING);
    tr_status status = tr_call_idempotency_queue_create(&queue, NULL);
    uint64_t ours = 0;
    assert(all && status == TR_OK);
    for (size_t i = 0; i < RUNNING; i++) {
        uint64_t start = (uint64_t)hostile_integer(keys->kind, i + 1);
        memcpy(all[i].name.id, &start, sizeof(start));
        ours += tr_call_idempotency_queue_enter(queue, &all[i]) ==
                TR_CALL_IDEMPOTENCY_OURS;
    }
    tr_call_idempotency_queue_free(queue);
    return ours;
}

static uint64_t find_terms(struct keys *keys)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    for (size_t i = 0; i < KEYS; i++) {
        tr_rdf_term term = tr_rdf_term_iri(keys->iris[i]);
        tr_status status = tr_rows_terms_find(keys->terms, &term, &id, NULL);
        assert(status == TR_OK);
    }
    return id;
}

static const struct {
    const char *name;
    uint64_t (*work)(struct keys *keys);
} tables[] = {
    {"hash of a map", fill_map},
    {"hash of a JSON object", fill_object},
    {"hash of terms in memory", fill_term_table},
    {"hash of terms in the store", find_terms},
    {"hash of a set of ids", fill_id_set},
    {"hash of uniqueItems", check_unique},
    {"hash of changed quads", fill_quads},
    {"hash of new terms", fill_new_terms},
    {"hash of watched URIs", fill_watches},
    {"hash of running keys", fill_queue},
};

/* What a row measures: one table, and both kinds of keys. */
struct subject {
    uint64_t (*work)(struct keys *keys);
    struct keys *keys; /* by enum hostility */
};

static uint64_t run(const struct subject *subject, enum hostility kind)
{
    struct keys *keys = &subject->keys[kind];
    tr_arena_reset(&keys->work);
    return subject->work(keys);
}

static uint64_t run_hostile(const void *data)
{
    return run(data, HOSTILE);
}

static uint64_t run_harmless(const void *data)
{
    return run(data, HARMLESS);
}

static bool bench_tables(const char *only)
{
    struct keys *keys = calloc(2, sizeof(*keys));
    bool met = true;
    assert(keys);
    make_keys(&keys[HOSTILE], HOSTILE);
    make_keys(&keys[HARMLESS], HARMLESS);
    for (size_t i = 0; i < TR_LEN(tables); i++) {
        struct subject subject = {tables[i].work, keys};
        struct tr_bench_row row = {tables[i].name, "harmless keys",
                                   run_hostile,    run_harmless,
                                   &subject,       1 / AT_MOST};
        if (strstr(row.name, only))
            met = tr_bench_report(&row) && met;
        (void)fflush(stdout);
    }
    free_keys(&keys[HOSTILE]);
    free_keys(&keys[HARMLESS]);
    free(keys);
    return met;
}

/* A whole call ------------------------------------------------------------- */

#define CREATE "hash of a call, 32768 values"
#define META                                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static bool make_request(struct tr_buf *out, enum hostility kind)
{
    struct tr_buf body;
    tr_buf_init(&body, TR_MIB(1));
    tr_buf_put(&body,
               TR_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                      "\"tools/call\",\"params\":{\"name\":\"create_bag\","
                      "\"arguments\":{\"numbers\":["));
    for (size_t i = 0; i < KEYS; i++) {
        if (i)
            tr_buf_putc(&body, ',');
        tr_buf_put_i64(&body, hostile_integer(kind, i));
    }
    tr_buf_put(&body, TR_STR("]}," META "}}"));
    tr_buf_putf(out,
                "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n"
                "Accept: application/json, text/event-stream\r\n"
                "Content-Type: application/json\r\n"
                "MCP-Protocol-Version: 2026-07-28\r\n"
                "Mcp-Method: tools/call\r\nMcp-Name: create_bag\r\n"
                "Content-Length: %zu\r\n\r\n",
                body.len);
    tr_buf_put(out, tr_buf_str(&body));
    bool good =
        tr_buf_check(&body, NULL) == TR_OK && tr_buf_check(out, NULL) == TR_OK;
    tr_buf_done(&body);
    return good;
}

/* The CPU of one call: the best of some, all of which must succeed. */
static double measure_calls(const struct tr_bench_server *server,
                            enum hostility kind)
{
    char answer[8192] = "";
    struct tr_buf request;
    double best_ns = 1e18;
    tr_buf_init(&request, TR_MIB(2));
    bool good = make_request(&request, kind);
    for (int i = 0; good && i < CALLS; i++) {
        double before_ns = tr_bench_cpu_ns(server->pid);
        good = tr_bench_ask(server, tr_buf_str(&request), answer,
                            sizeof(answer)) &&
               strstr(answer, "trails://bench/Bag/") != NULL;
        double ns = tr_bench_cpu_ns(server->pid) - before_ns;
        best_ns = ns < best_ns ? ns : best_ns;
    }
    if (!good)
        (void)fprintf(stderr, "bench: %s: %.300s\n", CREATE, answer);
    tr_buf_done(&request);
    return good ? best_ns : -1;
}

static bool bench_call(const char *only)
{
    static const char *const argv[] = {"build/release/trails", "serve",
                                       "bench/hash_app",       "--http",
                                       "127.0.0.1:0",          NULL};
    char folder[] = FOLDER;
    struct tr_bench_server server = {0};
    struct tr_bench_ratio row = {CREATE, "harmless values", -1, -1,
                                 1 / AT_MOST};
    if (!strstr(CREATE, only))
        return true;
    if (!mkdtemp(folder))
        return false;
    (void)setenv("TRAILS_STORE", folder, 1);
    if (tr_bench_program_start(argv, &server)) {
        row.theirs_ns = measure_calls(&server, HARMLESS);
        row.ours_ns = measure_calls(&server, HOSTILE);
    }
    tr_bench_server_stop(&server);
    (void)unsetenv("TRAILS_STORE");
    remove_folder(folder);
    return row.ours_ns > 0 && row.theirs_ns > 0 && tr_bench_report_ratio(&row);
}

bool tr_bench_hash(const char *only)
{
    bool met = bench_call(only);
    for (size_t i = 0; i < TR_LEN(tables); i++) {
        if (strstr(tables[i].name, only))
            return bench_tables(only) && met;
    }
    return met;
}
