#include "support/activity.h"

#include "base/test.h"
#include "crypto/encoding.h"
#include "db/db.h"
#include "prov/measure.h"
#include "prov/writer.h"

void activity_store_open(struct activity_store *store)
{
    static const char *const steps[] = {TR_PROV_SCHEMA TR_PROV_SCHEMA_MEASURED};
    struct tr_err err = {0};
    folder_open(&store->folder);
    (void)snprintf(store->path, sizeof(store->path), "%s",
                   folder_path(&store->folder, "a.db"));
    CHECK_OK(tr_db_open(store->path, NULL, &store->db, &err), &err);
    CHECK_OK(tr_db_upgrade(store->db, steps, TR_LEN(steps), &err), &err);
    CHECK_OK(tr_prov_writer_create(&store->writer, &err), &err);
}

void activity_store_close(struct activity_store *store)
{
    tr_prov_writer_free(store->writer);
    tr_db_close(store->db);
    folder_close(&store->folder);
}

void activity_store_add(struct activity_store *store,
                        const struct tr_prov_activity *activity)
{
    struct tr_err err = {0};
    CHECK_OK(tr_prov_write(store->writer, store->db, activity, &err), &err);
}

int64_t activity_store_ask(struct activity_store *store, const char *sql)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_prepare(store->db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(row);
    int64_t value = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return value;
}

struct tr_prov_activity activity_at(int64_t started_us)
{
    struct tr_crypto_uuid_maker maker = {0};
    struct tr_prov_activity activity = {
        .kind = TR_PROV_ACTIVITY_TOOL,
        .name = TR_STR("look"),
        .version = TR_STR("1.0.0"),
        .started_us = started_us,
        .took_us = 7,
    };
    CHECK_OK(tr_crypto_uuid_maker_next(&maker, started_us, activity.id, NULL),
             NULL);
    return activity;
}

static tr_str pick(const tr_str *texts, size_t count)
{
    return texts[tr_test_random_below(count)];
}

/* A random number, small and large ones alike. */
static uint64_t number(void)
{
    return tr_test_random() >> tr_test_random_below(64);
}

static struct tr_prov_activity_ids ids(uint64_t *items)
{
    struct tr_prov_activity_ids list = {.items = items};
    list.count = tr_test_random_below(3)
                     ? tr_test_random_below(4)
                     : tr_test_random_below(TR_LIMIT_PROV_IDS + 1);
    list.left_out = tr_test_random_below(2) ? 0 : number() / 2;
    for (size_t i = 0; i < list.count; i++)
        items[i] = number();
    return list;
}

static void fill(unsigned char *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (unsigned char)tr_test_random();
}

static tr_str trace(char *text)
{
    static const char digits[] = "0123456789abcdef";
    switch (tr_test_random_below(3)) {
    case 0:
        return TR_STR("");
    case 1:
        return TR_STR("0AF7651916CD43DD8448EB211C80319C");
    default:
        for (size_t i = 0; i < 32; i++)
            text[i] = digits[tr_test_random_below(16)];
        return (tr_str){text, 32};
    }
}

static struct tr_prov_activity_files files(struct tr_prov_activity_file *items,
                                           const tr_str *paths, size_t count)
{
    struct tr_prov_activity_files list = {.items = items};
    list.count = tr_test_random_below(TR_LIMIT_PROV_FILES + 1);
    list.left_out = tr_test_random_below(2) ? 0 : number() / 2;
    for (size_t i = 0; i < list.count; i++) {
        items[i].path = pick(paths, count);
        fill(items[i].sha256, sizeof(items[i].sha256));
    }
    return list;
}

struct tr_prov_activity activity_random(struct activity_room *room)
{
    static const tr_str names[] = {TR_STR_INIT(""),
                                   TR_STR_INIT("look"),
                                   TR_STR_INIT("research.search"),
                                   TR_STR_INIT("trails://kg/{type}"),
                                   TR_STR_INIT("gr\xC3\xBC\xC3\x9F e"),
                                   TR_STR_INIT("a\0b")};
    static const tr_str versions[] = {TR_STR_INIT(""), TR_STR_INIT("1.0.0"),
                                      TR_STR_INIT("2.0.0-rc.1+b5")};
    static const tr_str principals[] = {
        TR_STR_INIT(""), TR_STR_INIT("alice"), TR_STR_INIT("did:key:z6Mk"),
        TR_STR_INIT("trails://prov/anonymous"), TR_STR_INIT("Zo\xC3\xAB <z>")};
    static const enum tr_scope scopes[] = {0, 0, TR_SCOPE_RUNTIME,
                                           TR_SCOPE_BUILDER, TR_SCOPE_DEV};
    struct tr_prov_activity a = activity_at((int64_t)(number() >> 16));
    a.kind = 1 + (enum tr_prov_activity_kind)tr_test_random_below(7);
    a.name = pick(names, TR_LEN(names));
    a.version = pick(versions, TR_LEN(versions));
    a.principal = pick(principals, TR_LEN(principals));
    a.trace_id = trace(room->text);
    a.took_us = number();
    a.tries = (unsigned)number();
    a.ended = (enum tr_prov_activity_end)tr_test_random_below(
        TR_PROV_ENDED_ASKED + 1);
    a.status = (tr_status)tr_test_random_below(TR_E_INTERNAL + 1);
    if (tr_test_random_below(2))
        fill(a.parent, sizeof(a.parent));
    a.has_args_digest = tr_test_random_below(2);
    if (a.has_args_digest)
        fill(a.args_digest, sizeof(a.args_digest));
    a.has_result_digest = tr_test_random_below(2);
    if (a.has_result_digest)
        fill(a.result_digest, sizeof(a.result_digest));
    a.used = ids(room->lists.used);
    a.generated = ids(room->lists.generated);
    a.invalidated = ids(room->lists.invalidated);
    a.cost = (struct tr_prov_activity_cost){number(), number(), number(),
                                            number(), number()};
    a.scope = scopes[tr_test_random_below(TR_LEN(scopes))];
    if (a.scope)
        a.files = files(room->lists.files, names, TR_LEN(names));
    return a;
}

static void compare_ids(const struct tr_prov_activity_ids *a,
                        const struct tr_prov_activity_ids *b)
{
    CHECK_INT(a->count, b->count);
    CHECK(a->left_out == b->left_out);
    for (size_t i = 0; i < a->count; i++)
        CHECK(a->items[i] == b->items[i]);
}

void activity_compare(const struct tr_prov_activity *a,
                      const struct tr_prov_activity *b)
{
    CHECK(memcmp(a->id, b->id, sizeof(a->id)) == 0);
    CHECK(memcmp(a->parent, b->parent, sizeof(a->parent)) == 0);
    CHECK_INT(a->kind, b->kind);
    CHECK(tr_str_eq(a->name, b->name));
    CHECK(tr_str_eq(a->version, b->version));
    CHECK(tr_str_eq(a->principal, b->principal));
    CHECK(tr_str_eq(a->trace_id, b->trace_id));
    CHECK_INT(a->started_us, b->started_us);
    CHECK(a->took_us == b->took_us);
    CHECK(a->tries == b->tries);
    CHECK_INT(a->ended, b->ended);
    CHECK_INT(a->status, b->status);
    CHECK_INT(a->has_args_digest, b->has_args_digest);
    CHECK_INT(a->has_result_digest, b->has_result_digest);
    CHECK(memcmp(a->args_digest, b->args_digest, TR_PROV_DIGEST_BYTES) == 0);
    CHECK(memcmp(a->result_digest, b->result_digest, TR_PROV_DIGEST_BYTES) ==
          0);
    compare_ids(&a->used, &b->used);
    compare_ids(&a->generated, &b->generated);
    compare_ids(&a->invalidated, &b->invalidated);
    CHECK(memcmp(&a->cost, &b->cost, sizeof(a->cost)) == 0);
    CHECK_INT(a->scope, b->scope);
    CHECK_INT(a->files.count, b->files.count);
    CHECK(a->files.left_out == b->files.left_out);
    for (size_t i = 0; i < a->files.count; i++) {
        CHECK(tr_str_eq(a->files.items[i].path, b->files.items[i].path));
        CHECK(memcmp(a->files.items[i].sha256, b->files.items[i].sha256,
                     TR_CRYPTO_SHA256_BYTES) == 0);
    }
}

struct tr_prov_measured activity_measured(struct tr_db *db, const char *id,
                                          const char *version)
{
    struct tr_prov_measured out = {0};
    struct tr_prov_measured_list list;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_prov_measure_read_all(db, &arena, &list, &err), &err);
    const struct tr_prov_measured *found =
        tr_prov_measured_find(&list, tr_str_from(id), tr_str_from(version));
    if (found)
        memcpy(out.of, found->of, sizeof(out.of));
    tr_arena_done(&arena);
    return out;
}

void activity_read_id(const char *text, unsigned char out[TR_CRYPTO_UUID_BYTES])
{
    char digits[2 * TR_CRYPTO_UUID_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < TR_CRYPTO_UUID_TEXT; i++) {
        if (text[i] != '-' && count < sizeof(digits))
            digits[count++] = text[i];
    }
    CHECK(tr_crypto_hex_read((tr_str){digits, count}, out));
}
