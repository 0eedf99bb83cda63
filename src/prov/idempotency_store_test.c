#include "prov/idempotency_store.h"

#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "json/reader.h"
#include "support/store.h"

static struct tr_prov_idempotency_name
name_of(const char *who, const char *what, const char *key, const char *args)
{
    struct tr_prov_idempotency_name name;
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&arena, tr_str_from(args), NULL, &tree, &err), &err);
    CHECK_OK(tr_prov_idempotency_name_make(tr_str_from(who), tr_str_from(what),
                                           tr_str_from(key), tree, &name, &err),
             &err);
    tr_arena_done(&arena);
    return name;
}

static bool is_same(const unsigned char *a, const unsigned char *b)
{
    return memcmp(a, b, TR_CRYPTO_SHA256_BYTES) == 0;
}

TEST(idempotency_name_tells_whose_it_is_and_what_was_asked)
{
    static const struct {
        const char *who, *what, *key;
    } others[] = {{"b", "c", "k"},  {"a", "d", "k"}, {"a", "c", "l"},
                  {"ac", "", "k"},  {"", "ac", "k"}, {"a", "ck", ""},
                  {"a", "c", "k "}, {"A", "c", "k"}};
    struct tr_prov_idempotency_name one =
        name_of("a", "c", "k", "{\"x\":1,\"y\":2}");
    struct tr_prov_idempotency_name turned =
        name_of("a", "c", "k", "{\"y\":2,\"x\":1}");
    CHECK(is_same(one.id, turned.id));
    CHECK(is_same(one.args, turned.args));
    CHECK(!is_same(one.args, name_of("a", "c", "k", "{\"x\":1}").args));
    for (size_t i = 0; i < TR_LEN(others); i++) {
        struct tr_prov_idempotency_name other = name_of(
            others[i].who, others[i].what, others[i].key, "{\"x\":1,\"y\":2}");
        CHECK_ROW(!is_same(one.id, other.id), others[i].key);
        CHECK_ROW(is_same(one.args, other.args), others[i].key);
    }
}

static void put(struct tr_db *db, const struct tr_prov_idempotency_name *name,
                const char *result, int64_t now_s)
{
    struct tr_err err = {0};
    struct tr_prov_idempotency_result found = {.name = *name,
                                               .result = tr_str_from(result)};
    CHECK_OK(tr_prov_idempotency_put(db, &found, now_s, &err), &err);
}

/* The result that is found at that time, or NULL. */
static const char *find(struct tr_db *db, struct tr_arena *arena,
                        const struct tr_prov_idempotency_name *name,
                        int64_t now_s)
{
    struct tr_err err = {0};
    struct tr_prov_idempotency_result found = {0};
    CHECK_OK(tr_prov_idempotency_find(db, name, now_s, arena, &found, &err),
             &err);
    CHECK(is_same(found.name.id, name->id));
    return found.result.ptr;
}

TEST(idempotency_result_is_found_until_it_expires)
{
    struct store store;
    struct tr_db *db = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_prov_idempotency_name name = name_of("a", "c", "k", "{}");
    struct tr_prov_idempotency_name other = name_of("b", "c", "k", "{}");
    store_open(&store);
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    CHECK(find(db, &arena, &name, 100) == NULL);
    put(db, &name, "{\"value\":1}", 100);
    CHECK_STR(tr_str_from(find(db, &arena, &name, 100)), "{\"value\":1}");
    CHECK(find(db, &arena, &name, 99 + TR_LIMIT_IDEMPOTENCY_S) != NULL);
    CHECK(find(db, &arena, &name, 100 + TR_LIMIT_IDEMPOTENCY_S) == NULL);
    CHECK(find(db, &arena, &other, 100) == NULL);
    /* A result that has expired is replaced. */
    put(db, &name, "{\"value\":2}", 100 + TR_LIMIT_IDEMPOTENCY_S);
    CHECK_STR(
        tr_str_from(find(db, &arena, &name, 100 + TR_LIMIT_IDEMPOTENCY_S)),
        "{\"value\":2}");
    tr_db_close(db);
    tr_arena_done(&arena);
    store_close(&store);
}

TEST(idempotency_results_that_have_expired_go)
{
    struct store store;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    char key[32];
    store_open(&store);
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(key, sizeof(key), "%d", i);
        struct tr_prov_idempotency_name name = name_of("a", "c", key, "{}");
        put(db, &name, "{}", i < 30 ? 100 : 101 + TR_LIMIT_IDEMPOTENCY_S);
    }
    CHECK_INT(store_number(&store, "SELECT count(*) FROM kept", 0), 10);
    tr_db_close(db);
    store_close(&store);
}

TEST(idempotency_result_that_was_tampered_with_is_an_error)
{
    struct store store;
    struct tr_db *db = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_prov_idempotency_result found = {0};
    struct tr_prov_idempotency_name name = name_of("a", "c", "k", "{}");
    store_open(&store);
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_db_open(store.path, NULL, &db, &err), &err);
    put(db, &name, "{}", 100);
    CHECK_OK(tr_db_exec(db, "UPDATE kept SET args = x'00'", &err), &err);
    CHECK_INT(tr_prov_idempotency_find(db, &name, 100, &arena, &found, &err),
              TR_E_IO);
    tr_db_close(db);
    tr_arena_done(&arena);
    store_close(&store);
}
