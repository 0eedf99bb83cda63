#include "prov/journal_store.h"

#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "support/store.h"

#define LIFE_S 3600

static tr_status put(struct tr_db *db, const char *who, size_t len,
                     int64_t now_s, struct tr_err *err)
{
    static const char zeros[TR_LIMIT_IDEMPOTENCY_RESULT_BYTES];
    struct tr_prov_idempotency_result journal = {.result = {zeros, len},
                                                 .life_s = LIFE_S};
    TR_TRY(tr_prov_journal_name_make(tr_str_from(who), &journal.name, err));
    return tr_prov_journal_put(db, &journal, now_s, err);
}

static struct tr_db *open(struct store *store)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    store_open(store);
    CHECK_OK(tr_db_open(store->path, NULL, &db, &err), &err);
    return db;
}

static void close(struct store *store, struct tr_db *db)
{
    tr_db_close(db);
    store_close(store);
}

TEST(a_journal_is_found_by_its_name)
{
    struct store store;
    struct tr_db *db = open(&store);
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_prov_idempotency_name read;
    struct tr_prov_idempotency_result found;
    struct tr_prov_idempotency_result journal = {.result = TR_STR("[1]"),
                                                 .life_s = LIFE_S};
    char text[TR_PROV_JOURNAL_NAME];
    tr_str name = {text, sizeof(text)};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_prov_journal_name_make(TR_STR("a"), &journal.name, &err), &err);
    CHECK_OK(tr_prov_journal_put(db, &journal, 100, &err), &err);
    tr_prov_journal_name_write(&journal.name, text);
    CHECK(tr_prov_journal_name_read(name, &read));
    CHECK_OK(tr_prov_idempotency_find(db, &read, 100, &arena, &found, &err),
             &err);
    CHECK_STR(found.result, "[1]");
    text[0] = 'g';
    CHECK(!tr_prov_journal_name_read(name, &read));
    CHECK(!tr_prov_journal_name_read(TR_STR(""), &read));
    CHECK(!tr_prov_journal_name_read(TR_STR("00"), &read));
    tr_arena_done(&arena);
    close(&store, db);
}

TEST(a_caller_has_so_many_journals_and_others_have_theirs)
{
    struct store store;
    struct tr_db *db = open(&store);
    struct tr_err err = {0};
    for (int i = 0; i < TR_LIMIT_JOURNALS_OWN; i++)
        CHECK_OK(put(db, "", 1, 100, &err), &err);
    CHECK_INT(put(db, "", 1, 100, &err), TR_E_UNAVAILABLE);
    CHECK(strstr(err.msg, "too many calls of this caller wait for answers"));
    CHECK_OK(put(db, "b", 1, 100, &err), &err);
    /* What others keep for an idempotency key is not counted. */
    CHECK_OK(tr_db_exec(db,
                        "INSERT INTO kept VALUES (x'00', x'00', "
                        "zeroblob(1000), 1000000)",
                        &err),
             &err);
    /* When their time is over there is room again, and they are gone. */
    CHECK_OK(put(db, "", 1, 100 + LIFE_S, &err), &err);
    CHECK_INT(store_number(&store, "SELECT count(*) FROM kept", 0), 2);
    close(&store, db);
}

TEST(a_caller_has_so_many_bytes_of_journals)
{
    struct store store;
    struct tr_db *db = open(&store);
    struct tr_err err = {0};
    size_t most = TR_LIMIT_IDEMPOTENCY_RESULT_BYTES;
    for (size_t n = 0; n < TR_LIMIT_JOURNALS_OWN_BYTES / most; n++)
        CHECK_OK(put(db, "a", most, 100, &err), &err);
    CHECK_INT(put(db, "a", 1, 100, &err), TR_E_UNAVAILABLE);
    CHECK_OK(put(db, "b", most, 100, &err), &err);
    close(&store, db);
}

TEST(all_callers_have_so_many_journals)
{
    struct store store;
    struct tr_db *db = open(&store);
    struct tr_err err = {0};
    char who[32];
    for (int i = 0; i < TR_LIMIT_JOURNALS; i++) {
        (void)snprintf(who, sizeof(who), "%d", i);
        CHECK_OK(put(db, who, 1, 100, &err), &err);
    }
    CHECK_INT(put(db, "another", 1, 100, &err), TR_E_UNAVAILABLE);
    CHECK(strstr(err.msg, "too many calls of all callers wait"));
    close(&store, db);
}

TEST(all_callers_have_so_many_bytes_of_journals)
{
    struct store store;
    struct tr_db *db = open(&store);
    struct tr_err err = {0};
    char who[32];
    size_t most = TR_LIMIT_IDEMPOTENCY_RESULT_BYTES;
    for (size_t n = 0; n < TR_LIMIT_JOURNALS_BYTES / most; n++) {
        (void)snprintf(who, sizeof(who), "%zu", n);
        CHECK_OK(put(db, who, most, 100, &err), &err);
    }
    CHECK_INT(put(db, "another", 1, 100, &err), TR_E_UNAVAILABLE);
    close(&store, db);
}
