#include "db/db.h"

#include "base/test.h"
#include "support/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const steps[] = {
    "CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
    "ALTER TABLE thing ADD COLUMN size INTEGER",
};

#define INSERT "INSERT INTO thing (name, size) VALUES (?1, ?2)"

static struct tr_db *open_store(const struct folder *folder)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_open(folder_path(folder, "a.db"), NULL, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, TR_LEN(steps), &err), &err);
    return db;
}

static tr_status insert(struct tr_db *db, const char *name, int64_t size,
                        struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, INSERT, &stmt, err));
    tr_db_bind_text(stmt, 1, tr_str_from(name));
    tr_db_bind_i64(stmt, 2, size);
    return tr_db_stmt_run(stmt, err);
}

static int64_t count(struct tr_db *db)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    CHECK_OK(tr_db_prepare(db, "SELECT count(*) FROM thing", &stmt, NULL),
             NULL);
    CHECK_OK(tr_db_stmt_step(stmt, &row, NULL), NULL);
    CHECK(row);
    int64_t found = tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return found;
}

TEST(db_gives_back_what_was_bound)
{
    struct folder folder;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row;
    CHECK_OK(tr_db_prepare(db, "SELECT ?1, ?2, ?3, ?4, ?5, ?6", &stmt, &err),
             &err);
    tr_db_bind_i64(stmt, 1, INT64_MIN);
    tr_db_bind_double(stmt, 2, 0.1);
    tr_db_bind_text(stmt, 3, (tr_str){"a\0b", 3});
    tr_db_bind_blob(stmt, 4, (tr_str){"\xff\0", 2});
    tr_db_bind_null(stmt, 5);
    tr_db_bind_text(stmt, 6, (tr_str){NULL, 0});
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(row);
    CHECK(tr_db_column_i64(stmt, 0) == INT64_MIN);
    CHECK(tr_db_column_double(stmt, 1) == 0.1);
    CHECK(tr_str_eq(tr_db_column_text(stmt, 2), (tr_str){"a\0b", 3}));
    CHECK(tr_str_eq(tr_db_column_blob(stmt, 3), (tr_str){"\xff\0", 2}));
    CHECK(tr_db_column_text(stmt, 4).ptr == NULL);
    CHECK(tr_db_column_text(stmt, 5).ptr != NULL);
    CHECK_INT(tr_db_column_text(stmt, 5).len, 0);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(!row);
    CHECK_OK(tr_db_prepare(db, "SELECT 1", &stmt, &err), &err);
    tr_db_bind_i64(stmt, 7, 1); /* there is none */
    CHECK_INT(tr_db_stmt_step(stmt, &row, &err), TR_E_INTERNAL);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_files_are_for_their_owner_alone)
{
    struct folder folder;
    struct stat info;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    CHECK_OK(insert(db, "a", 1, NULL), NULL);
    static const char *const names[] = {"a.db", "a.db-wal", "a.db-shm"};
    for (size_t i = 0; i < TR_LEN(names); i++) {
        CHECK_ROW(stat(folder_path(&folder, names[i]), &info) == 0, names[i]);
        CHECK_ROW((info.st_mode & 0777) == 0600, names[i]);
    }
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_transactions_are_whole)
{
    struct folder folder;
    struct tr_err err = {0};
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    struct tr_db *other = open_store(&folder);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(insert(db, "a", 1, &err), &err);
    CHECK_INT(count(other), 0);
    CHECK_OK(tr_db_commit(db, &err), &err);
    CHECK_INT(count(other), 1);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(insert(db, "b", 1, &err), &err);
    tr_db_rollback(db);
    CHECK_INT(count(db), 1);
    CHECK_INT(insert(db, "a", 2, &err), TR_E_CONFLICT);
    tr_db_close(other);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_parts_of_a_transaction_are_undone_alone)
{
    struct folder folder;
    struct tr_err err = {0};
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_OK(tr_db_savepoint(db, &err), &err);
    CHECK_OK(insert(db, "a", 1, &err), &err);
    CHECK_OK(tr_db_savepoint(db, &err), &err);
    CHECK_OK(insert(db, "b", 1, &err), &err);
    CHECK_OK(tr_db_undo(db, &err), &err);
    CHECK_OK(tr_db_keep(db, &err), &err);
    CHECK_OK(tr_db_commit(db, &err), &err);
    CHECK_INT(count(db), 1);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_reader_sees_one_state_until_it_ends)
{
    struct folder folder;
    struct tr_err err = {0};
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    struct tr_db *reader = open_store(&folder);
    CHECK_OK(tr_db_begin(reader, TR_DB_READ, &err), &err);
    CHECK_INT(count(reader), 0);
    CHECK_OK(insert(db, "a", 1, &err), &err);
    CHECK_INT(count(reader), 0);
    CHECK_OK(tr_db_commit(reader, &err), &err);
    CHECK_INT(count(reader), 1);
    tr_db_close(reader);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_a_question_can_begin_what_reads)
{
    static const char sql[] = "SELECT count(*) FROM thing";
    struct folder folder;
    struct tr_err err = {0};
    int64_t seen = -1;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    struct tr_db *reader = open_store(&folder);
    CHECK_OK(tr_db_begin_with(reader, sql, &seen, &err), &err);
    CHECK_INT(seen, 0);
    CHECK_INT(tr_db_begin_with(reader, sql, &seen, &err), TR_E_INTERNAL);
    CHECK_OK(insert(db, "a", 1, &err), &err);
    CHECK_INT(count(reader), 0);
    tr_db_rollback(reader);
    CHECK_INT(count(reader), 1);
    CHECK_INT(tr_db_begin_with(reader, "SELECT 1 FROM thing WHERE size = 2",
                               &seen, &err),
              TR_E_NOT_FOUND);
    CHECK_OK(insert(db, "b", 1, &err), &err);
    CHECK_INT(count(reader), 2);
    CHECK_OK(tr_db_begin_with(reader, sql, &seen, &err), &err);
    tr_db_close(reader); /* ends it */
    tr_db_close(db);
    folder_close(&folder);
}

static tr_str name_of(void *context, size_t row)
{
    char *name = context;
    (void)snprintf(name, 16, "thing %zu", row);
    return tr_str_from(name);
}

TEST(db_takes_many_rows_at_once)
{
    static const char sql[] = "INSERT OR FAIL INTO thing (id, name, size)"
                              " SELECT c0, CAST(blob AS TEXT), c1 FROM tr_rows";
    struct folder folder;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    char name[16];
    int64_t values[2 * 500];
    bool row;
    for (int64_t i = 0; i < 500; i++) {
        values[2 * i] = i + 7;
        values[2 * i + 1] = -i;
    }
    struct tr_db_rows rows = {values, 2, 500, name_of, name};
    CHECK_OK(tr_db_insert(db, sql, &rows, &err), &err);
    CHECK_INT(count(db), 500);
    CHECK_OK(tr_db_prepare(db, "SELECT name, size FROM thing WHERE id = 506",
                           &stmt, &err),
             &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK_STR(tr_db_column_text(stmt, 0), "thing 499");
    CHECK_INT(tr_db_column_i64(stmt, 1), -499);
    tr_db_stmt_reset(stmt);
    /* The same again, and none: the table shows what it was given. */
    CHECK(tr_db_insert(db, sql, &rows, &err) == TR_E_CONFLICT);
    rows.count = 0;
    CHECK_OK(tr_db_insert(db, sql, &rows, &err), &err);
    CHECK_OK(tr_db_exec(db, sql, &err), &err);
    CHECK_INT(count(db), 500);
    tr_db_close(db);
    folder_close(&folder);
}

/* The sizes that are found, in the order of the keys. */
TEST(db_looks_many_keys_up_at_once)
{
    static const char sql[] = "SELECT r.c1, t.size FROM tr_rows r"
                              " CROSS JOIN thing t WHERE t.id = r.c0";
    static const int64_t keys[] = {3, 30, 1, 10, 7, 70, 2, 20};
    const struct tr_db_rows rows = {.values = keys, .columns = 2, .count = 4};
    const struct tr_db_rows one = {
        .values = keys + 4, .columns = 2, .count = 2};
    static const int64_t found[][2] = {{30, -3}, {10, -1}, {20, -2}};
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    struct tr_db_stmt *other;
    bool row;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    CHECK_OK(tr_db_exec(db,
                        "INSERT INTO thing (id, name, size) VALUES"
                        " (1, 'a', -1), (2, 'b', -2), (3, 'c', -3)",
                        &err),
             &err);
    CHECK_OK(tr_db_select(db, sql, &rows, &stmt, &row, &err), &err);
    /* Another one meanwhile has rows of its own. */
    CHECK_OK(tr_db_select(db, sql, &one, &other, &row, &err), &err);
    CHECK(row && other != stmt);
    CHECK_INT(tr_db_column_i64(other, 0), 20);
    tr_db_stmt_reset(other);
    for (size_t i = 0; i < TR_LEN(found); i++) {
        CHECK_INT(tr_db_column_i64(stmt, 0), found[i][0]);
        CHECK_INT(tr_db_column_i64(stmt, 1), found[i][1]);
        CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
        CHECK_INT(row, i + 1 < TR_LEN(found));
    }
    /* Who begins without rows sees none. */
    CHECK_OK(tr_db_prepare(db, sql, &stmt, &err), &err);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(!row);
    CHECK(tr_db_select(db, "SELECT nothing FROM tr_rows", &rows, &stmt, &row,
                       &err) == TR_E_INTERNAL);
    CHECK(!row);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_second_writer_waits_and_is_told)
{
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *second = NULL;
    struct tr_db_opts hurried = {.busy_ms = 1};
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), &hurried, &second, &err),
             &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    CHECK_INT(tr_db_begin(second, TR_DB_WRITE, &err), TR_E_UNAVAILABLE);
    CHECK_STR(tr_str_from(err.msg),
              "another process is writing to the store: try again");
    tr_db_rollback(db);
    CHECK_OK(tr_db_begin(second, TR_DB_WRITE, &err), &err);
    tr_db_close(second);
    tr_db_close(db);
    folder_close(&folder);
}

/* Waits for all others, then opens the store; 0 when that went well. */
static int open_with_others(const char *path, int gate)
{
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    char byte;
    (void)read(gate, &byte, 1);
    if (tr_db_open(path, NULL, &db, &err) != TR_OK ||
        tr_db_upgrade(db, steps, TR_LEN(steps), &err) != TR_OK)
        (void)fprintf(stderr, "%s\n", err.msg);
    tr_db_close(db);
    return db && err.code == TR_OK ? 0 : 1;
}

/* SQLite itself refuses one in ten of these. */
static void open_at_once(const char *path)
{
    enum { OPENERS = 4 };
    pid_t children[OPENERS];
    int gate[2];
    CHECK_INT(pipe(gate), 0);
    for (size_t i = 0; i < OPENERS; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            (void)close(gate[1]);
            _exit(open_with_others(path, gate[0]));
        }
    }
    (void)close(gate[0]);
    (void)close(gate[1]);
    for (size_t i = 0; i < OPENERS; i++) {
        int status = -1;
        CHECK_INT(waitpid(children[i], &status, 0), children[i]);
        CHECK_INT(status, 0);
    }
}

TEST(db_that_is_new_is_opened_by_many_at_once)
{
    enum { ROUNDS = 100 };
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct folder folder;
        folder_open(&folder);
        open_at_once(folder_path(&folder, "a.db"));
        folder_close(&folder);
    }
}

TEST(db_is_brought_up_to_date_and_a_newer_one_refused)
{
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err), &err);
    CHECK_OK(tr_db_upgrade(db, steps, 1, &err), &err);
    CHECK_OK(tr_db_exec(db, "INSERT INTO thing (name) VALUES ('old')", &err),
             &err);
    tr_db_close(db);
    db = open_store(&folder);
    CHECK_INT(count(db), 1);
    CHECK_OK(insert(db, "new", 1, &err), &err);
    CHECK_INT(tr_db_upgrade(db, steps, 1, &err), TR_E_UNSUPPORTED);
    CHECK_STR(tr_str_from(err.msg),
              "the store was made by a newer trails: its schema is 2, this one "
              "knows 1");
    tr_db_close(db);
    folder_close(&folder);
}

/* It says why, and not that it cannot write. */
TEST(db_of_a_newer_schema_is_refused_where_nothing_can_be_written)
{
    const struct tr_db_opts opts = {.read_only = true};
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    folder_open(&folder);
    tr_db_close(open_store(&folder));
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), &opts, &db, &err), &err);
    CHECK_INT(tr_db_upgrade(db, steps, 1, &err), TR_E_UNSUPPORTED);
    CHECK_OK(tr_db_upgrade(db, steps, TR_LEN(steps), &err), &err);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_step_of_the_schema_that_fails_changes_nothing)
{
    static const char *const broken[] = {
        "CREATE TABLE thing (id INTEGER PRIMARY KEY)", "CREATE NONSENSE"};
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err), &err);
    CHECK_INT(tr_db_upgrade(db, broken, TR_LEN(broken), &err), TR_E_INTERNAL);
    CHECK_OK(tr_db_upgrade(db, steps, TR_LEN(steps), &err), &err);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_backup_is_a_store_of_its_own)
{
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *copy = NULL;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    CHECK_OK(insert(db, "a", 1, &err), &err);
    CHECK_OK(tr_db_backup(db, folder_path(&folder, "b.db"), &err), &err);
    CHECK_OK(insert(db, "b", 1, &err), &err);
    CHECK_OK(tr_db_open(folder_path(&folder, "b.db"), NULL, &copy, &err), &err);
    CHECK_INT(count(copy), 1);
    CHECK_OK(tr_db_check(copy, &err), &err);
    CHECK_INT(tr_db_backup(db, folder_path(&folder, "b.db"), &err),
              TR_E_CONFLICT);
    tr_db_close(copy);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_backup_is_for_its_owner_alone_and_replaces_nothing)
{
    struct folder folder;
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    struct tr_err err = {0};
    struct stat info;
    const char *path = folder_path(&folder, "copy.db");
    CHECK_OK(tr_db_backup(db, path, &err), &err);
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0600);
    CHECK(tr_db_backup(db, path, &err) == TR_E_CONFLICT);
    CHECK_INT(stat(path, &info), 0);
    path = folder_path(&folder, "none/copy.db");
    CHECK(tr_db_backup(db, path, &err) == TR_E_IO);
    /* What cannot be copied leaves no empty file. */
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    path = folder_path(&folder, "other.db");
    CHECK(tr_db_backup(db, path, &err) != TR_OK);
    CHECK(stat(path, &info) != 0);
    tr_db_close(db);
    folder_close(&folder);
}

TEST(db_says_what_cannot_be_opened)
{
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    struct tr_db_opts reading = {.read_only = true};
    folder_open(&folder);
    CHECK_INT(tr_db_open(folder_path(&folder, "none/a.db"), NULL, &db, &err),
              TR_E_IO);
    CHECK_INT(tr_db_open(folder_path(&folder, "a.db"), &reading, &db, &err),
              TR_E_IO);
    folder_write(&folder, "a.db", "this is not a store, but it is long enough");
    CHECK_INT(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err),
              TR_E_IO);
    CHECK(strstr(err.msg, "not a store"));
    folder_close(&folder);
}

TEST(db_that_is_read_only_cannot_be_written)
{
    struct folder folder;
    struct tr_err err = {0};
    struct tr_db *reader = NULL;
    struct tr_db_opts reading = {.read_only = true};
    folder_open(&folder);
    struct tr_db *db = open_store(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), &reading, &reader, &err),
             &err);
    CHECK_INT(count(reader), 0);
    CHECK_INT(insert(reader, "a", 1, &err), TR_E_IO);
    tr_db_close(reader);
    tr_db_close(db);
    folder_close(&folder);
}

/* Whether this process holds a lock on a file: another one has to ask. */
static bool is_locked(const char *path)
{
    int status = 1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int fd = open(path, O_RDWR | O_CLOEXEC);
        bool asked = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0;
        _exit(asked && lock.l_type != F_UNLCK ? 0 : 1);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    return status == 0;
}

/*
 * POSIX forgets all locks of a process on a file of which it closes one
 * descriptor. Then other processes think that nobody uses the store, and the
 * last of them removes its log.
 */
TEST(db_a_connection_leaves_the_locks_of_the_others_alone)
{
    struct folder folder;
    struct tr_db *other = NULL;
    struct tr_err err = {0};
    folder_open(&folder);
    const char *path = folder_path(&folder, "a.db");
    struct tr_db *db = open_store(&folder);
    CHECK_OK(insert(db, "a", 1, &err), &err);
    CHECK(is_locked(path));
    CHECK_OK(tr_db_open(path, NULL, &other, &err), &err);
    CHECK(is_locked(path));
    tr_db_close(other);
    CHECK(is_locked(path));
    tr_db_close(db);
    CHECK(!is_locked(path));
    folder_close(&folder);
}

/* Each code point alone, but for those that are no characters. */
static size_t write_character(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = len; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00U >> len) | c);
    return len;
}

struct one_word {
    char text[16];
    size_t len;
    size_t count;
};

static bool take_one(void *context, tr_str word)
{
    struct one_word *one = context;
    CHECK(word.len <= sizeof(one->text));
    memcpy(one->text, word.ptr, word.len);
    one->len = word.len;
    one->count++;
    return true;
}

static struct one_word word_of(struct tr_db *db, tr_str text)
{
    struct one_word one = {0};
    struct tr_db_word_sink sink = {take_one, &one};
    struct tr_err err = {0};
    CHECK_OK(tr_db_each_word(db, text, &sink, &err), &err);
    CHECK(one.count <= 1);
    return one;
}

static void check_in_index(struct tr_db *db, const struct one_word *one,
                           uint32_t c)
{
    struct tr_db_stmt *stmt;
    struct tr_err err = {0};
    bool row = false;
    CHECK_OK(tr_db_prepare(db,
                           "SELECT 1 FROM words WHERE term = ?1 AND doc = ?2",
                           &stmt, &err),
             &err);
    tr_db_bind_text(stmt, 1, (tr_str){one->text, one->len});
    tr_db_bind_i64(stmt, 2, c);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    CHECK(row);
    tr_db_stmt_reset(stmt);
}

/* Who searches for a word of the index finds it, as it is its own only word. */
TEST(db_words_are_those_of_an_index)
{
    struct folder folder;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    folder_open(&folder);
    CHECK_OK(tr_db_open(folder_path(&folder, "a.db"), NULL, &db, &err), &err);
    CHECK_OK(tr_db_exec(db,
                        "CREATE VIRTUAL TABLE texts USING fts5(text,"
                        " tokenize = '" TR_DB_WORDS "');"
                        "CREATE VIRTUAL TABLE words USING"
                        " fts5vocab(texts, instance)",
                        &err),
             &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
    for (uint32_t c = 1; c < 0x30000; c += c < 0x3000 ? 1 : 7) {
        char text[4];
        struct tr_db_stmt *stmt;
        size_t len = write_character(c, text);
        if (c >= 0xD800 && c < 0xE000)
            continue;
        struct one_word one = word_of(db, (tr_str){text, len});
        if (!one.count)
            continue;
        struct one_word again = word_of(db, (tr_str){one.text, one.len});
        CHECK_INT(again.count, 1);
        CHECK(again.len == one.len && !memcmp(again.text, one.text, one.len));
        CHECK_OK(
            tr_db_prepare(db, "INSERT INTO texts (rowid, text) VALUES (?1, ?2)",
                          &stmt, &err),
            &err);
        tr_db_bind_i64(stmt, 1, c);
        tr_db_bind_text(stmt, 2, (tr_str){text, len});
        CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
        if (c < 0x800)
            check_in_index(db, &one, c);
    }
    CHECK_OK(tr_db_commit(db, &err), &err);
    tr_db_close(db);
    folder_close(&folder);
}
