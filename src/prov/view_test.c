#include "prov/view.h"

#include "base/test.h"
#include "db/db.h"
#include "json/writer.h"
#include "support/activity.h"

#define NOON INT64_C(1785240000000000) /* 2026-07-28T12:00:00Z */

struct store {
    struct activity_store base;
    struct tr_db *db; /* that of the base */
    struct tr_buf text;
};

static void store_open(struct store *store)
{
    activity_store_open(&store->base);
    store->db = store->base.db;
    tr_buf_init(&store->text, TR_MIB(64));
}

static void store_close(struct store *store)
{
    tr_buf_done(&store->text);
    activity_store_close(&store->base);
}

static void add(struct store *store, const struct tr_prov_activity *activity)
{
    activity_store_add(&store->base, activity);
}

/* Nodes are called by their number; the store has forgotten number 13. */
static tr_status resolve(void *data, uint64_t id, tr_str *iri,
                         struct tr_err *err)
{
    static char text[64];
    (void)data;
    if (id == 99)
        return tr_fail(err, TR_E_IO, "no such luck");
    int len = snprintf(text, sizeof(text), "http://example.org/%llu",
                       (unsigned long long)id);
    *iri = id == 13 ? (tr_str){NULL, 0} : (tr_str){text, (size_t)len};
    return TR_OK;
}

static const struct tr_prov_resolver resolver = {resolve, NULL};

static tr_str latest(struct store *store, const struct tr_prov_filter *filter)
{
    struct tr_json_writer writer;
    struct tr_prov_next next;
    struct tr_err err = {0};
    tr_buf_clear(&store->text);
    tr_jw_init(&writer, &store->text);
    CHECK_OK(tr_prov_latest(store->db, filter, &resolver, &writer, &next, &err),
             &err);
    CHECK_OK(tr_jw_finish(&writer, &err), &err);
    return tr_buf_str(&store->text);
}

/* How an activity begins. */
#define ID "{\"id\":\"trails:"

/* How every page begins. */
#define CONTEXT                                                                \
    "{\"@context\":{\"prov\":\"http://www.w3.org/ns/prov#\","                  \
    "\"xsd\":\"http://www.w3.org/2001/XMLSchema#\",\"id\":\"@id\","            \
    "\"activities\":\"@graph\",\"kind\":\"@type\","                            \
    "\"tool\":\"prov:Activity\",\"resource\":\"prov:Activity\","               \
    "\"prompt\":\"prov:Activity\",\"completion\":\"prov:Activity\","           \
    "\"command\":\"prov:Activity\",\"policy\":\"prov:Activity\","              \
    "\"trails\":\"trails://meta/\","                                           \
    "\"meta\":\"trails:MetaActivity\",\"scope\":\"trails:scope\","             \
    "\"files\":\"prov:generated\",\"path\":\"trails:path\","                   \
    "\"sha256\":\"trails:sha256\","                                            \
    "\"started\":{\"@id\":\"prov:startedAtTime\","                             \
    "\"@type\":\"xsd:dateTime\"},"                                             \
    "\"ended\":{\"@id\":\"prov:endedAtTime\",\"@type\":\"xsd:dateTime\"},"     \
    "\"agent\":{\"@id\":\"prov:wasAssociatedWith\",\"@type\":\"@id\"},"        \
    "\"parent\":{\"@id\":\"prov:wasInformedBy\",\"@type\":\"@id\"},"           \
    "\"used\":{\"@id\":\"prov:used\",\"@type\":\"@id\"},"                      \
    "\"generated\":{\"@id\":\"prov:generated\",\"@type\":\"@id\"},"            \
    "\"invalidated\":{\"@id\":\"prov:invalidated\",\"@type\":\"@id\"}},"       \
    "\"activities\":["

static size_t count_of(tr_str text, const char *what)
{
    size_t count = 0;
    size_t len = strlen(what);
    for (size_t i = 0; i + len <= text.len; i++)
        count += memcmp(text.ptr + i, what, len) == 0;
    return count;
}

/* One that has everything. */
static struct tr_prov_activity full(void)
{
    static const uint64_t used[] = {5, 13};
    static const uint64_t generated[] = {6};
    static const uint64_t invalidated[] = {7};
    struct tr_prov_activity a = activity_at(NOON);
    activity_read_id("019fa8cd-1200-7000-8000-000000000001", a.id);
    activity_read_id("019fa8cd-1100-7000-8000-000000000002", a.parent);
    a.principal = TR_STR("alice");
    a.trace_id = TR_STR("0af7651916cd43dd8448eb211c80319c");
    a.took_us = 1500000;
    a.ended = TR_PROV_ENDED_REFUSED;
    a.status = TR_E_VALIDATION;
    a.wrote = true;
    a.has_args_digest = a.has_result_digest = true;
    memset(a.args_digest, 0xAB, sizeof(a.args_digest));
    memset(a.result_digest, 0xCD, sizeof(a.result_digest));
    a.used = (struct tr_prov_activity_ids){used, 2, 3};
    a.generated = (struct tr_prov_activity_ids){generated, 1, 0};
    a.invalidated = (struct tr_prov_activity_ids){invalidated, 1, 0};
    a.cost = (struct tr_prov_activity_cost){100, 20, 300, 4, 2500000};
    return a;
}

TEST(latest_shows_every_field)
{
    struct store store;
    struct tr_prov_activity activity = full();
    struct tr_prov_filter filter = {.all = true};
    store_open(&store);
    add(&store, &activity);
    CHECK_STR(
        latest(&store, &filter), CONTEXT
        "{"
        "\"id\":\"trails://prov/019fa8cd-1200-7000-8000-000000000001\","
        "\"kind\":\"tool\",\"name\":\"look\",\"version\":\"1.0.0\","
        "\"principal\":\"alice\","
        "\"agent\":\"trails://prov/agent/"
        "alice\",\"started\":\"2026-07-28T12:00:00Z\","
        "\"ended\":\"2026-07-28T12:00:01.5Z\",\"outcome\":\"refused\","
        "\"status\":\"validation\",\"wrote\":true,"
        "\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\","
        "\"parent\":\"trails://prov/019fa8cd-1100-7000-8000-000000000002\","
        "\"used\":[\"http://example.org/5\"],"
        "\"generated\":[\"http://example.org/6\"],"
        "\"invalidated\":[\"http://example.org/7\"],"
        "\"left_out\":{\"used\":4},"
        "\"digests\":{\"arguments\":\"abababababababababababababababab\","
        "\"result\":\"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd\"},"
        "\"cost\":{\"instructions\":100,\"running_us\":20,"
        "\"result_bytes\":300,\"tokens\":4,\"usd\":2.5}}]}");
    store_close(&store);
}

/* One of a meta-capability that has made a file. */
static struct tr_prov_activity of_meta(void)
{
    static struct tr_prov_activity_file file = {.path = TR_STR_INIT("app.lua")};
    struct tr_prov_activity a = activity_at(NOON);
    activity_read_id("019fa8cd-1200-7000-8000-000000000001", a.id);
    memset(file.sha256, 0xEF, sizeof(file.sha256));
    a.kind = TR_PROV_ACTIVITY_META;
    a.name = TR_STR("trails.meta.gen.shape");
    a.scope = TR_SCOPE_DEV;
    a.files = (struct tr_prov_activity_files){&file, 1, 2};
    return a;
}

#define SHA "efefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefef"

TEST(latest_shows_what_a_meta_capability_has_made)
{
    struct store store;
    struct tr_prov_activity activity = of_meta();
    struct tr_prov_filter filter = {.all = true};
    store_open(&store);
    add(&store, &activity);
    tr_str text = latest(&store, &filter);
    CHECK_INT(count_of(text, "\"kind\":\"meta\","
                             "\"name\":\"trails.meta.gen.shape\""),
              1);
    CHECK_INT(count_of(text,
                       "\"scope\":\"dev\",\"files\":[{\"id\":\"trails://prov/"
                       "019fa8cd-1200-7000-8000-000000000001#file-1\","
                       "\"path\":\"app.lua\",\"sha256\":\"" SHA
                       "\"}],\"files_left_out\":2,"),
              1);
    store_close(&store);
}

TEST(latest_shows_each_principal_its_own)
{
    static const char *const names[] = {"alice", "bob", "", "alice", "bob"};
    struct store store;
    store_open(&store);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct tr_prov_activity activity = activity_at(NOON + (int64_t)i);
        activity.principal = tr_str_from(names[i]);
        activity.wrote = i % 2;
        add(&store, &activity);
    }
    struct tr_prov_filter filter = {.principal = TR_STR("alice")};
    tr_str text = latest(&store, &filter);
    CHECK_INT(count_of(text, "\"principal\":\"alice\""), 2);
    CHECK_INT(count_of(text, ID), 2);
    filter.principal = TR_STR("");
    text = latest(&store, &filter);
    CHECK_INT(count_of(text, ID), 1);
    CHECK_INT(count_of(text, "\"principal\""), 0);
    filter.principal = TR_STR("alic");
    CHECK_STR(latest(&store, &filter), CONTEXT "]}");
    filter.all = true;
    CHECK_INT(count_of(latest(&store, &filter), ID), 5);
    store_close(&store);
}

TEST(latest_shows_what_has_a_name)
{
    static const char *const names[] = {"look", "see", "look", "looks", ""};
    struct store store;
    store_open(&store);
    for (size_t i = 0; i < 200; i++) {
        struct tr_prov_activity activity = activity_at(NOON + (int64_t)i);
        char version[16];
        int len = snprintf(version, sizeof(version), "1.%zu.0", i % 70);
        activity.name = tr_str_from(names[i % TR_LEN(names)]);
        activity.version = (tr_str){version, (size_t)len};
        activity.wrote = i % 2;
        add(&store, &activity);
    }
    struct tr_prov_filter filter = {
        .all = true, .name = TR_STR("look"), .limit = 1000};
    tr_str text = latest(&store, &filter);
    CHECK_INT(count_of(text, ID), 80);
    CHECK_INT(count_of(text, "\"name\":\"look\""), 80);
    filter.name = TR_STR("loo");
    CHECK_STR(latest(&store, &filter), CONTEXT "]}");
    store_close(&store);
}

TEST(latest_ends_where_time_does)
{
    struct store store;
    struct tr_prov_filter filter = {.all = true, .since_us = NOON + 3};
    store_open(&store);
    for (int64_t i = 0; i < 10; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i);
        activity.wrote = i % 2;
        add(&store, &activity);
    }
    CHECK_INT(count_of(latest(&store, &filter), ID), 7);
    filter.since_us = NOON + 10;
    CHECK_STR(latest(&store, &filter), CONTEXT "]}");
    struct tr_prov_activity later = activity_at(NOON + 5000000);
    add(&store, &later);
    filter.since_us = NOON + 4000000;
    filter.limit = 1; /* what is too old is no next page */
    tr_str text = latest(&store, &filter);
    CHECK_INT(count_of(text, ID), 1);
    CHECK_INT(count_of(text, "\"next\""), 0);
    filter.since_us = INT64_MAX;
    CHECK_STR(latest(&store, &filter), CONTEXT "]}");
    store_close(&store);
}

static tr_status show(struct store *store, const unsigned char *id,
                      const struct tr_prov_filter *filter, struct tr_err *err)
{
    struct tr_json_writer writer;
    tr_buf_clear(&store->text);
    tr_jw_init(&writer, &store->text);
    return tr_prov_show(store->db, id, filter, &resolver, &writer, err);
}

TEST(show_finds_one_of_either_table)
{
    struct store store;
    struct tr_err err = {0};
    struct tr_prov_filter filter = {.all = true};
    store_open(&store);
    for (int wrote = 0; wrote < 2; wrote++) {
        struct tr_prov_activity activity = activity_at(NOON + wrote);
        activity.wrote = wrote;
        add(&store, &activity);
        CHECK_OK(show(&store, activity.id, &filter, &err), &err);
        tr_str text = tr_buf_str(&store.text);
        CHECK_INT(count_of(text, ID), 0); /* its context comes first */
        CHECK_INT(count_of(text, "{\"@context\":{\"prov\":"), 1);
        CHECK_INT(count_of(text, "},\"id\":\"trails://prov/"), 1);
        CHECK_INT(count_of(text, wrote ? "\"wrote\":true" : "\"wrote\":false"),
                  1);
    }
    store_close(&store);
}

/* What is another's looks like what is not there. */
TEST(show_has_one_answer_for_all_that_is_not_shown)
{
    static const char *const others[] = {"", "bob", "alic", "alice2"};
    struct store store;
    struct tr_prov_activity activity = activity_at(NOON);
    unsigned char missing[TR_CRYPTO_UUID_BYTES] = {1};
    struct tr_prov_filter filter = {.principal = TR_STR("alice")};
    struct tr_err none = {0};
    store_open(&store);
    activity.principal = TR_STR("alice");
    add(&store, &activity);
    CHECK_OK(show(&store, activity.id, &filter, &none), &none);
    CHECK_INT(show(&store, missing, &filter, &none), TR_E_NOT_FOUND);
    for (size_t i = 0; i < TR_LEN(others); i++) {
        struct tr_err err = {0};
        filter.principal = tr_str_from(others[i]);
        CHECK_INT(show(&store, activity.id, &filter, &err), TR_E_NOT_FOUND);
        CHECK_STR(tr_str_from(err.msg), none.msg);
    }
    store_close(&store);
}

/* Follows `next` to the end; returns how many there were, newest first. */
static size_t walk(struct store *store, struct tr_prov_filter filter,
                   size_t *pages)
{
    unsigned char before[TR_CRYPTO_UUID_BYTES];
    char last[TR_CRYPTO_UUID_TEXT + 1] = "~";
    size_t count = 0;
    for (*pages = 1;; ++*pages) {
        tr_str text = latest(store, &filter);
        tr_buf_putc(&store->text, '\0');
        for (const char *at = store->text.ptr;
             (at = strstr(at, "\"id\":\"trails://prov/")); count++) {
            at += strlen("\"id\":\"trails://prov/");
            CHECK(memcmp(at, last, TR_CRYPTO_UUID_TEXT) < 0);
            memcpy(last, at, TR_CRYPTO_UUID_TEXT);
        }
        const char *next = strstr(store->text.ptr, "\"next\":\"");
        if (!next)
            return count;
        CHECK(text.len > 0);
        activity_read_id(next + 8, before);
        filter.before = before;
    }
}

TEST(latest_comes_in_pages_of_both_tables)
{
    struct store store;
    size_t pages;
    store_open(&store);
    for (int64_t i = 0; i < 25; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i * 7 % 25);
        activity.wrote = i % 3 == 0;
        add(&store, &activity);
    }
    CHECK_INT(
        walk(&store, (struct tr_prov_filter){.all = true, .limit = 10}, &pages),
        25);
    CHECK_INT(pages, 3);
    CHECK_INT(
        walk(&store, (struct tr_prov_filter){.all = true, .limit = 25}, &pages),
        25);
    CHECK_INT(pages, 1);
    CHECK_INT(walk(&store, (struct tr_prov_filter){.all = true}, &pages), 25);
    store_close(&store);
}

TEST(latest_bounds_a_page_whatever_is_asked_for)
{
    struct store store;
    struct tr_prov_filter filter = {.all = true, .limit = SIZE_MAX};
    store_open(&store);
    CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, NULL), NULL);
    for (int64_t i = 0; i < TR_LIMIT_PROV_PAGE + 1; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i);
        add(&store, &activity);
    }
    CHECK_OK(tr_db_commit(store.db, NULL), NULL);
    CHECK_INT(count_of(latest(&store, &filter), ID), TR_LIMIT_PROV_PAGE);
    store_close(&store);
}

/* Alice was here before all the others: her page is empty, but has a next. */
TEST(latest_passes_over_so_many_of_others_at_a_time)
{
    struct store store;
    size_t pages;
    struct tr_prov_filter filter = {.principal = TR_STR("alice")};
    struct tr_prov_activity alice = activity_at(NOON - 1);
    alice.principal = TR_STR("alice");
    store_open(&store);
    CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, NULL), NULL);
    add(&store, &alice);
    for (int64_t i = 0; i < TR_LIMIT_PROV_SCAN; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i);
        add(&store, &activity);
    }
    CHECK_OK(tr_db_commit(store.db, NULL), NULL);
    CHECK_INT(walk(&store, filter, &pages), 1);
    CHECK_INT(pages, 2);
    store_close(&store);
}

/* The place where a page ends among others is a time, and no id of theirs. */
TEST(latest_names_no_activity_of_others)
{
    struct store store;
    unsigned char before[TR_CRYPTO_UUID_BYTES] = {0};
    const struct tr_prov_filter alice = {.principal = TR_STR("alice")};
    const struct tr_prov_filter all = {.all = true};
    struct tr_prov_activity first = activity_at(NOON - 1);
    first.principal = TR_STR("alice");
    store_open(&store);
    CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, NULL), NULL);
    add(&store, &first);
    for (int64_t i = 0; i < TR_LIMIT_PROV_SCAN + 1500; i++) {
        struct tr_prov_activity activity = activity_at(NOON + i);
        add(&store, &activity);
    }
    CHECK_OK(tr_db_commit(store.db, NULL), NULL);
    (void)latest(&store, &alice);
    tr_buf_putc(&store.text, '\0');
    const char *next = strstr(store.text.ptr, "\"next\":\"");
    CHECK(next);
    if (next)
        activity_read_id(next + 8, before);
    CHECK_INT(show(&store, before, &all, NULL), TR_E_NOT_FOUND);
    size_t pages = 0;
    CHECK_INT(walk(&store, alice, &pages), 1);
    store_close(&store);
}

TEST(latest_tells_when_a_node_cannot_be_resolved)
{
    static const uint64_t used[] = {99};
    struct store store;
    struct tr_json_writer writer;
    struct tr_prov_next next;
    struct tr_err err = {0};
    struct tr_prov_filter filter = {.all = true};
    struct tr_prov_activity activity = activity_at(NOON);
    activity.used = (struct tr_prov_activity_ids){used, 1, 0};
    store_open(&store);
    add(&store, &activity);
    tr_jw_init(&writer, &store.text);
    CHECK_INT(
        tr_prov_latest(store.db, &filter, &resolver, &writer, &next, &err),
        TR_E_IO);
    CHECK_STR(tr_str_from(err.msg), "no such luck");
    store_close(&store);
}

static tr_status print_quad(void *context, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    struct tr_buf *out = context;
    const tr_rdf_term *terms[] = {&quad->subject, &quad->predicate,
                                  &quad->object, &quad->graph};
    for (size_t i = 0; i < TR_LEN(terms); i++) {
        if (terms[i]->kind == TR_RDF_TERM_NONE)
            continue;
        tr_rdf_term_write(out, terms[i]);
        tr_buf_putc(out, ' ');
    }
    tr_buf_put(out, TR_STR(".\n"));
    return tr_buf_check(out, err);
}

#define A    "<trails://prov/019fa8cd-1200-7000-8000-000000000001> "
#define PART "<trails://prov/019fa8cd-1200-7000-8000-000000000001#"
#define P    "<http://www.w3.org/ns/prov#"
#define TYPE "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
#define TIME "^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"

TEST(quads_say_in_prov_o_what_happened)
{
    static const char expected[] = A TYPE P
        "Activity> .\n" A P "startedAtTime> \"2026-07-28T12:00:00Z\"" TIME A P
        "endedAtTime> \"2026-07-28T12:00:01.5Z\"" TIME A P
        "wasAssociatedWith> <trails://prov/agent/alice> .\n"
        "<trails://prov/agent/alice> " TYPE P "Agent> .\n" A P
        "qualifiedAssociation> " PART "association> .\n" PART
        "association> " TYPE P "Association> .\n" PART "association> " P
        "agent> <trails://prov/agent/alice> .\n" PART "association> " P
        "hadPlan> "
        "<trails://prov/plan/tool/look/1.0.0> .\n"
        "<trails://prov/plan/tool/look/1.0.0> " TYPE P "Plan> .\n" A P
        "qualifiedEnd> " PART "end> .\n" PART "end> " TYPE P "End> .\n" PART
        "end> " P "atTime> \"2026-07-28T12:00:01.5Z\"" TIME PART "end> " P
        "hadRole> <trails://prov/outcome/refused> .\n"
        "<trails://prov/outcome/refused> " TYPE P "Role> .\n" A P
        "wasInformedBy> "
        "<trails://prov/019fa8cd-1100-7000-8000-000000000002> .\n" A P
        "used> " PART "arguments> .\n" PART "arguments> " TYPE P
        "Entity> .\n" PART "arguments> " P
        "value> \"abababababababababababababababab\" .\n" A P "generated> " PART
        "result> .\n" PART "result> " TYPE P "Entity> .\n" PART "result> " P
        "value> \"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd\" .\n" A P
        "used> <http://example.org/5> .\n"
        "<http://example.org/5> " TYPE P "Entity> .\n" A P
        "generated> <http://example.org/6> .\n"
        "<http://example.org/6> " TYPE P "Entity> .\n" A P
        "invalidated> <http://example.org/7> .\n"
        "<http://example.org/7> " TYPE P "Entity> .\n";
    struct store store;
    struct tr_err err = {0};
    struct tr_prov_activity activity = full();
    store_open(&store);
    struct tr_rdf_sink sink = {.context = &store.text, .quad = print_quad};
    add(&store, &activity);
    CHECK_OK(tr_prov_quads(store.db, TR_STR(""), &resolver, &sink, &err), &err);
    CHECK_STR(tr_buf_str(&store.text), expected);
    store_close(&store);
}

#define M "<trails://meta/"

TEST(quads_say_what_a_meta_capability_has_made)
{
    static const char *const expected[] = {
        A TYPE P "Activity> .\n",
        A TYPE M "MetaActivity> .\n",
        M "MetaActivity> <http://www.w3.org/2000/01/rdf-schema#subClassOf> " P
          "Activity> .\n",
        A M "scope> \"dev\" .\n",
        A M "op> \"trails.meta.gen.shape\" .\n",
        A P "generated> " PART "file-1> .\n",
        PART "file-1> " TYPE P "Entity> .\n",
        PART "file-1> " M "path> \"app.lua\" .\n",
        PART "file-1> " M "sha256> \"" SHA "\" .\n",
    };
    struct store store;
    struct tr_err err = {0};
    struct tr_prov_activity activity = of_meta();
    store_open(&store);
    struct tr_rdf_sink sink = {.context = &store.text, .quad = print_quad};
    add(&store, &activity);
    CHECK_OK(tr_prov_quads(store.db, TR_STR(""), &resolver, &sink, &err), &err);
    for (size_t i = 0; i < TR_LEN(expected); i++)
        CHECK_ROW(count_of(tr_buf_str(&store.text), expected[i]) == 1,
                  expected[i]);
    store_close(&store);
}

/* Who the agent is, for what a principal may be called. */
TEST(quads_name_agents_and_graphs)
{
    static const struct {
        const char *principal;
        const char *agent;
    } rows[] = {
        {"", "<trails://prov/anonymous>"},
        {"did:key:z6Mk", "<did:key:z6Mk>"},
        {"https://example.org/me", "<https://example.org/me>"},
        {"trails://prov/anonymous",
         "<trails://prov/agent/trails%3A%2F%2Fprov%2Fanonymous>"},
        {"a b<", "<trails://prov/agent/a%20b%3C>"},
    };
    struct store store;
    struct tr_err err = {0};
    char expected[128];
    store_open(&store);
    struct tr_rdf_sink sink = {.context = &store.text, .quad = print_quad};
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_prov_activity activity = activity_at(NOON + (int64_t)i);
        activity.principal = tr_str_from(rows[i].principal);
        add(&store, &activity);
    }
    CHECK_OK(tr_prov_quads(store.db, TR_STR("urn:g"), &resolver, &sink, &err),
             &err);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        (void)snprintf(expected, sizeof(expected),
                       P "wasAssociatedWith> %s <urn:g> .\n", rows[i].agent);
        CHECK_ROW(count_of(tr_buf_str(&store.text), expected) == 1, expected);
    }
    CHECK_INT(count_of(tr_buf_str(&store.text), " <urn:g> .\n"),
              count_of(tr_buf_str(&store.text), "\n"));
    store_close(&store);
}

static tr_status refuse_quad(void *context, const tr_rdf_quad *quad,
                             struct tr_err *err)
{
    (void)context;
    (void)quad;
    return tr_fail(err, TR_E_IO, "the disk is full");
}

TEST(quads_stop_when_nobody_takes_them)
{
    struct store store;
    struct tr_prov_activity activity = full();
    struct tr_rdf_sink sink = {.quad = refuse_quad};
    store_open(&store);
    add(&store, &activity);
    CHECK_INT(tr_prov_quads(store.db, TR_STR(""), &resolver, &sink, NULL),
              TR_E_IO);
    /* The walk has been given up: the store can be written to again. */
    CHECK_OK(tr_db_begin(store.db, TR_DB_WRITE, NULL), NULL);
    CHECK_OK(tr_db_commit(store.db, NULL), NULL);
    store_close(&store);
}

static tr_status sum_id(void *data, uint64_t id, struct tr_err *err)
{
    (void)err;
    *(uint64_t *)data += id;
    return TR_OK;
}

TEST(each_id_finds_those_of_reads_and_writes)
{
    struct store store;
    uint64_t sum = 0;
    struct tr_prov_activity activity = full();
    static const uint64_t read[] = {1000};
    struct tr_prov_activity other = activity_at(NOON);
    other.used = (struct tr_prov_activity_ids){read, 1, 0};
    store_open(&store);
    add(&store, &activity);
    add(&store, &other);
    CHECK_OK(tr_prov_each_id(store.db, sum_id, &sum, NULL), NULL);
    CHECK_INT(sum, 5 + 13 + 6 + 7 + 1000);
    store_close(&store);
}

TEST(views_refuse_a_store_whose_rows_are_broken)
{
    struct store store;
    struct tr_json_writer writer;
    struct tr_prov_next next;
    struct tr_err err = {0};
    struct tr_prov_filter filter = {.all = true};
    struct tr_prov_activity activity = full();
    store_open(&store);
    add(&store, &activity);
    CHECK_OK(tr_db_exec(store.db, "UPDATE activity SET what = 77", &err), &err);
    tr_jw_init(&writer, &store.text);
    CHECK_INT(
        tr_prov_latest(store.db, &filter, &resolver, &writer, &next, &err),
        TR_E_IO);
    CHECK_STR(tr_str_from(err.msg), "the store has an activity that is none");
    store_close(&store);
}
