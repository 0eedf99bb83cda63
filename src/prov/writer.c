#include "prov/writer.h"

#include "base/map.h"
#include "db/db.h"
#include "prov/rows.h"

/* More different names than this are not remembered at a time. */
#define NAMES_MAX 4096

struct tr_prov_writer {
    struct tr_arena arena;
    struct tr_map numbers; /* of names: the value is the number itself */
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
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "INSERT INTO prov_name (key) VALUES (?1)", &stmt,
                         err));
    tr_bind_blob(stmt, 1, key);
    TR_TRY(tr_stmt_run(stmt, err));
    *out = tr_db_last_id(db);
    return TR_OK;
}

/* A name that cannot be remembered is looked up the next time. */
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

static tr_status insert(struct tr_prov_writer *writer, struct tr_db *db,
                        const struct tr_prov_row *row, const char *sql,
                        struct tr_err *err)
{
    struct tr_stmt *stmt;
    int64_t what;
    int64_t who;
    TR_TRY(number_of(writer, db, row->what, &what, err));
    TR_TRY(number_of(writer, db, row->who, &who, err));
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_bind_blob(stmt, 1, row->id);
    tr_bind_i64(stmt, 2, what);
    tr_bind_i64(stmt, 3, who);
    tr_bind_blob(stmt, 4, row->more);
    return tr_stmt_run(stmt, err);
}

tr_status tr_prov_write_read(struct tr_prov_writer *writer, struct tr_db *db,
                             const struct tr_prov_row *row, struct tr_err *err)
{
    /* A commit that was reported as failed may have landed; then they come
     * again. */
    static const char sql[] =
        "INSERT OR IGNORE INTO activity_read VALUES (?1, ?2, ?3, ?4)";
    return insert(writer, db, row, sql, err);
}

tr_status tr_prov_count_reads(struct tr_db *db, int64_t more,
                              struct tr_err *err)
{
    struct tr_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "UPDATE prov_state SET value = value + ?1 WHERE key = 2", &stmt,
        err));
    tr_bind_i64(stmt, 1, more);
    return tr_stmt_run(stmt, err);
}

tr_status tr_prov_write(struct tr_prov_writer *writer, struct tr_db *db,
                        const struct tr_activity *activity, struct tr_err *err)
{
    static const char sql[] = "INSERT INTO activity VALUES (?1, ?2, ?3, ?4)";
    struct tr_prov_row row;
    (void)tr_prov_pack(activity, writer->packed);
    (void)tr_prov_pack_read(writer->packed, &row);
    if (activity->wrote)
        return insert(writer, db, &row, sql, err);
    TR_TRY(tr_prov_write_read(writer, db, &row, err));
    return tr_prov_count_reads(db, tr_db_changes(db), err);
}
