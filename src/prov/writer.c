#include "prov/writer.h"

#include "base/map.h"
#include "db/db.h"
#include "prov/rows.h"

/* When more names than this are remembered, all are forgotten. */
#define NAMES_MAX 4096

struct tr_prov_writer {
    struct tr_arena arena;
    struct tr_map numbers; /* by name; the pointer is the number itself */
    unsigned char packed[TR_PROV_PACKED_MAX];
};

tr_status tr_prov_writer_create(struct tr_prov_writer **out, struct tr_err *err)
{
    struct tr_prov_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return tr_fail(err, TR_E_NOMEM, "no memory for provenance");
    tr_arena_init(&writer->arena, TR_MIB(16));
    tr_map_init(&writer->numbers, &writer->arena);
    *out = writer;
    return TR_OK;
}

void tr_prov_writer_free(struct tr_prov_writer *writer)
{
    if (!writer)
        return;
    tr_arena_done(&writer->arena);
    free(writer);
}

void tr_prov_writer_forget(struct tr_prov_writer *writer)
{
    tr_arena_reset(&writer->arena);
    tr_map_init(&writer->numbers, &writer->arena);
}

static tr_status add_number(struct tr_db *db, tr_str key, int64_t *out,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "INSERT INTO prov_name (key) VALUES (?1)", &stmt,
                         err));
    tr_db_bind_blob(stmt, 1, key);
    TR_TRY(tr_db_stmt_run(stmt, err));
    *out = tr_db_last_id(db);
    return TR_OK;
}

/* Without memory a name is not remembered, and looked up the next time. */
static void remember(struct tr_prov_writer *writer, tr_str key, int64_t number)
{
    tr_str copy;
    if (writer->numbers.count >= NAMES_MAX)
        tr_prov_writer_forget(writer);
    if (!tr_arena_copy(&writer->arena, key, &copy) ||
        !tr_map_set(&writer->numbers, copy, (void *)(intptr_t)number))
        tr_prov_writer_forget(writer);
}

static tr_status number_of(struct tr_prov_writer *writer, struct tr_db *db,
                           tr_str key, int64_t *out, struct tr_err *err)
{
    *out = (int64_t)(intptr_t)tr_map_find(&writer->numbers, key);
    if (*out)
        return TR_OK;
    TR_TRY(tr_prov_find_name(db, key, out, err));
    if (!*out)
        TR_TRY(add_number(db, key, out, err));
    remember(writer, key, *out);
    return TR_OK;
}

/* A row, and the numbers of its names. */
struct row {
    struct tr_prov_row base;
    int64_t what;
    int64_t who;
};

static tr_status find_numbers(struct tr_prov_writer *writer, struct tr_db *db,
                              struct row *row, struct tr_err *err)
{
    TR_TRY(number_of(writer, db, row->base.what, &row->what, err));
    return number_of(writer, db, row->base.who, &row->who, err);
}

/* Inserts `count` rows with one statement: running one costs as much as adding
 * a row. */
static tr_status insert(struct tr_db *db, const char *sql,
                        const struct row *rows, size_t count,
                        struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    int at = 1;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    for (size_t i = 0; i < count; i++) {
        tr_db_bind_blob(stmt, at++, rows[i].base.id);
        tr_db_bind_i64(stmt, at++, rows[i].what);
        tr_db_bind_i64(stmt, at++, rows[i].who);
        tr_db_bind_blob(stmt, at++, rows[i].base.more);
    }
    return tr_db_stmt_run(stmt, err);
}

tr_status tr_prov_count_reads(struct tr_db *db, int64_t more,
                              struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "UPDATE prov_state SET value = value + ?1 WHERE key = 2", &stmt,
        err));
    tr_db_bind_i64(stmt, 1, more);
    return tr_db_stmt_run(stmt, err);
}

/* A commit that was reported as failed may have landed; then its rows come
 * again: IGNORE passes over those that are there. */
#define INSERT_READ "INSERT OR IGNORE INTO activity_read VALUES (?, ?, ?, ?)"
#define FOUR_MORE   ", (?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?), (?, ?, ?, ?)"
#define ROWS        17

static const char insert_read[] = INSERT_READ;
static const char insert_reads[] =
    INSERT_READ FOUR_MORE FOUR_MORE FOUR_MORE FOUR_MORE;

/* Inserts a full group with one statement, a smaller one row by row. */
static tr_status insert_group(struct tr_db *db, const struct row *rows,
                              size_t count, int64_t *added, struct tr_err *err)
{
    size_t step = count == ROWS ? ROWS : 1;
    const char *sql = count == ROWS ? insert_reads : insert_read;
    for (size_t i = 0; i < count; i += step) {
        TR_TRY(insert(db, sql, rows + i, step, err));
        *added += tr_db_changes(db);
    }
    return TR_OK;
}

tr_status tr_prov_write_reads(struct tr_prov_writer *writer, struct tr_db *db,
                              const unsigned char *packed, size_t len,
                              struct tr_err *err)
{
    struct row rows[ROWS];
    size_t count = 0;
    int64_t added = 0;
    for (size_t at = 0; at < len;) {
        at += tr_prov_pack_read(packed + at, &rows[count].base);
        TR_TRY(find_numbers(writer, db, &rows[count], err));
        if (++count < ROWS && at < len)
            continue;
        TR_TRY(insert_group(db, rows, count, &added, err));
        count = 0;
    }
    return tr_prov_count_reads(db, added, err);
}

tr_status tr_prov_write(struct tr_prov_writer *writer, struct tr_db *db,
                        const struct tr_prov_activity *activity,
                        struct tr_err *err)
{
    struct row row = {0};
    size_t len = tr_prov_pack(activity, writer->packed);
    if (!activity->wrote)
        return tr_prov_write_reads(writer, db, writer->packed, len, err);
    (void)tr_prov_pack_read(writer->packed, &row.base);
    TR_TRY(find_numbers(writer, db, &row, err));
    return insert(db, "INSERT INTO activity VALUES (?, ?, ?, ?)", &row, 1, err);
}
