#include "prov/published.h"

#include "base/test.h"
#include "db/db.h"
#include "support/folder.h"

static const char *const steps[] = {
    TR_PROV_SCHEMA_DEPRECATED,
    TR_PROV_SCHEMA_PUBLISHED,
    TR_PROV_SCHEMA_SINCE,
};

struct fixture {
    struct folder folder;
    struct tr_arena arena;
    struct tr_db *db;
};

static void upgrade(struct fixture *f, size_t count)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_upgrade(f->db, steps, count, &err), &err);
}

static void open_fixture(struct fixture *f, size_t count)
{
    struct tr_err err = {0};
    folder_open(&f->folder);
    tr_arena_init(&f->arena, TR_KIB(64));
    CHECK_OK(tr_db_open(folder_path(&f->folder, "a.db"), NULL, &f->db, &err),
             &err);
    upgrade(f, count);
}

static void close_fixture(struct fixture *f)
{
    tr_db_close(f->db);
    tr_arena_done(&f->arena);
    folder_close(&f->folder);
}

static void run(struct fixture *f, const char *sql)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_exec(f->db, sql, &err), &err);
}

static void check(struct fixture *f, const char *id, const char *version,
                  const char *content, int64_t since)
{
    struct tr_prov_published found;
    struct tr_err err = {0};
    int64_t at = -1;
    CHECK_OK(
        tr_prov_published_read(f->db, tr_str_from(id), &f->arena, &found, &err),
        &err);
    CHECK_STR(found.version, version);
    CHECK_STR(found.content, content);
    CHECK_OK(tr_prov_deprecated_read(f->db, tr_str_from(id), &at, &err), &err);
    CHECK_INT(at, since);
}

static void write(struct fixture *f, const char *version, const char *content,
                  int64_t since)
{
    const struct tr_prov_published row = {tr_str_from(version),
                                          tr_str_from(content)};
    struct tr_err err = {0};
    CHECK_OK(tr_prov_published_write(f->db, TR_STR("a"), &row, since, &err),
             &err);
    check(f, "a", version, content, since);
}

static bool has_any(struct fixture *f)
{
    struct tr_err err = {0};
    bool out = false;
    CHECK_OK(tr_prov_deprecated_any(f->db, &out, &err), &err);
    return out;
}

TEST(what_was_published_is_what_was_written_last)
{
    struct fixture f;
    open_fixture(&f, TR_LEN(steps));
    check(&f, "a", "", "", 0);
    write(&f, "1.0.0", "{}", 0);
    CHECK(!has_any(&f));
    write(&f, "1.0.0", "{}", 1700000000);
    CHECK(has_any(&f));
    write(&f, "", "", 1700000001);
    write(&f, "2.0.0", "{\"a\":1}", 0);
    CHECK(!has_any(&f));
    check(&f, "b", "", "", 0);
    close_fixture(&f);
}

TEST(two_tables_of_before_become_one)
{
    struct fixture f;
    open_fixture(&f, TR_LEN(steps) - 1);
    run(&f, "INSERT INTO deprecated VALUES ('both', 17), ('time', 18)");
    run(&f, "INSERT INTO published VALUES ('both', '1.0.0', 'B'),"
            " ('content', '2.0.0', 'C')");
    upgrade(&f, TR_LEN(steps));
    check(&f, "both", "1.0.0", "B", 17);
    check(&f, "time", "", "", 18);
    check(&f, "content", "2.0.0", "C", 0);
    CHECK(has_any(&f));
    close_fixture(&f);
}

static tr_status read_and_write(void *context, struct tr_err *err)
{
    struct fixture *f = context;
    struct tr_prov_published row;
    int64_t since;
    tr_arena_done(&f->arena);
    tr_arena_init(&f->arena, TR_KIB(64));
    TR_TRY(tr_prov_published_read(f->db, TR_STR("a"), &f->arena, &row, err));
    TR_TRY(tr_prov_deprecated_read(f->db, TR_STR("a"), &since, err));
    return tr_prov_published_write(f->db, TR_STR("a"), &row, since, err);
}

TEST(no_allocation_that_fails_changes_what_was_published)
{
    struct fixture f;
    open_fixture(&f, TR_LEN(steps));
    write(&f, "1.0.0", "{\"long enough\": \"to be allocated\"}", 7);
    tr_test_sweep(read_and_write, &f);
    check(&f, "a", "1.0.0", "{\"long enough\": \"to be allocated\"}", 7);
    close_fixture(&f);
}
