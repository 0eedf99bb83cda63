#include "prov/tally.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/vec.h"
#include "db/db.h"

#define US_PER_MONTH (INT64_C(30 * 86400) * 1000000)
#define US_PER_HOUR  (INT64_C(3600) * 1000000)

/* How often calls came to what is in a bucket. */
struct times {
    enum tr_prov_unit unit;
    unsigned bucket;
    uint64_t times;
};

/* A call that was over its estimate: the last of them. */
struct over {
    uint64_t actual; /* 0: there was none */
    uint64_t estimate;
    enum tr_prov_unit unit;
};

struct tr_prov_tally_entry {
    struct tr_prov_tally_entry *next;    /* of all */
    struct tr_prov_tally_entry *version; /* the next of the same id */
    tr_str id;
    tr_str version_text;
    TR_VEC(struct times) times;
    struct over over;
    bool warns; /* nobody has warned for an hour */
};

/* Buckets. -----------------------------------------------------------------*/

/* In memory. ---------------------------------------------------------------*/

void tr_prov_tally_init(struct tr_prov_tally *tally)
{
    tr_arena_init(&tally->arena, TR_LIMIT_TALLY_BYTES);
    tr_map_init(&tally->entries, &tally->arena);
    tally->first = tally->last = NULL;
}

void tr_prov_tally_done(struct tr_prov_tally *tally)
{
    tr_arena_done(&tally->arena);
}

void tr_prov_tally_clear(struct tr_prov_tally *tally)
{
    tr_arena_reset(&tally->arena);
    tr_map_init(&tally->entries, &tally->arena);
    tally->first = tally->last = NULL;
}

bool tr_prov_tally_is_empty(const struct tr_prov_tally *tally)
{
    return !tally->first;
}

/* NULL without memory. */
static struct tr_prov_tally_entry *add_entry(struct tr_prov_tally *tally,
                                             tr_str id, tr_str version,
                                             struct tr_prov_tally_entry *others)
{
    struct tr_prov_tally_entry *entry =
        TR_NEW(&tally->arena, struct tr_prov_tally_entry);
    if (!entry || !tr_arena_copy(&tally->arena, id, &entry->id) ||
        !tr_arena_copy(&tally->arena, version, &entry->version_text) ||
        !tr_map_set(&tally->entries, entry->id, entry))
        return NULL;
    entry->version = others;
    entry->next = tally->first;
    tally->first = entry;
    return entry;
}

static struct tr_prov_tally_entry *entry_of(struct tr_prov_tally *tally,
                                            tr_str id, tr_str version)
{
    struct tr_prov_tally_entry *last = tally->last;
    if (last && tr_str_eq(last->id, id) &&
        tr_str_eq(last->version_text, version))
        return last;
    struct tr_prov_tally_entry *first = tr_map_find(&tally->entries, id);
    struct tr_prov_tally_entry *entry = first;
    while (entry && !tr_str_eq(entry->version_text, version))
        entry = entry->version;
    tally->last = entry ? entry : add_entry(tally, id, version, first);
    return tally->last;
}

static void count(struct tr_prov_tally *tally,
                  struct tr_prov_tally_entry *entry, struct times more)
{
    for (size_t i = 0; i < entry->times.count; i++) {
        struct times *one = &entry->times.items[i];
        if (one->unit == more.unit && one->bucket == more.bucket) {
            one->times += more.times;
            return;
        }
    }
    bool is_counted = tr_vec_push(&tally->arena, &entry->times, more);
    (void)is_counted;
}

static bool is_over(uint64_t actual, uint64_t estimate)
{
    return estimate && actual / TR_PROV_OVER >= estimate &&
           actual > estimate * TR_PROV_OVER;
}

void tr_prov_tally_add(struct tr_prov_tally *tally,
                       const struct tr_prov_actual *actual)
{
    struct tr_prov_tally_entry *entry =
        entry_of(tally, actual->id, actual->version);
    unsigned units = actual->has_spent ? TR_PROV_UNITS : 1;
    for (unsigned i = 0; entry && i < units; i++) {
        uint64_t value = actual->of[i];
        uint64_t estimate = actual->estimate[i];
        count(
            tally, entry,
            (struct times){(enum tr_prov_unit)i, tr_prov_bucket_of(value), 1});
        if (is_over(value, estimate))
            entry->over = (struct over){value, estimate, (enum tr_prov_unit)i};
    }
}

void tr_prov_tally_take(struct tr_prov_tally *tally,
                        struct tr_prov_tally *other)
{
    for (const struct tr_prov_tally_entry *from = other->first; from;
         from = from->next) {
        struct tr_prov_tally_entry *to =
            entry_of(tally, from->id, from->version_text);
        for (size_t i = 0; to && i < from->times.count; i++)
            count(tally, to, from->times.items[i]);
        if (to && from->over.actual)
            to->over = from->over;
    }
    tr_prov_tally_clear(other);
}

/* Into the store. ----------------------------------------------------------*/

static tr_status find_row(struct tr_db *db,
                          const struct tr_prov_tally_entry *entry,
                          int64_t month, int64_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db,
                         "SELECT m FROM measured WHERE id = ?1 AND version = ?2"
                         " AND month = ?3",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, entry->id);
    tr_db_bind_text(stmt, 2, entry->version_text);
    tr_db_bind_i64(stmt, 3, month);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status add_row(struct tr_db *db,
                         const struct tr_prov_tally_entry *entry, int64_t month,
                         int64_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT INTO measured (id, version, month, warned)"
                         " VALUES (?1, ?2, ?3, 0)",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, entry->id);
    tr_db_bind_text(stmt, 2, entry->version_text);
    tr_db_bind_i64(stmt, 3, month);
    TR_TRY(tr_db_stmt_run(stmt, err));
    *out = tr_db_last_id(db);
    return TR_OK;
}

static tr_status add_times(struct tr_db *db, int64_t m,
                           const struct times *times, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "INSERT INTO measured_times VALUES (?1, ?2, ?3, ?4)"
                         " ON CONFLICT DO UPDATE SET times = times + ?4",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, m);
    tr_db_bind_i64(stmt, 2, times->unit);
    tr_db_bind_i64(stmt, 3, times->bucket);
    tr_db_bind_i64(stmt, 4, (int64_t)times->times);
    return tr_db_stmt_run(stmt, err);
}

/* Takes note of the warning, unless there was one within the hour. */
static tr_status note_warning(struct tr_db *db,
                              struct tr_prov_tally_entry *entry, int64_t m,
                              int64_t now_us, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db,
        "UPDATE measured SET warned = ?2 WHERE m = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM measured WHERE id = ?3 AND warned > ?4"
        "  AND warned <= ?2)",
        &stmt, err));
    tr_db_bind_i64(stmt, 1, m);
    tr_db_bind_i64(stmt, 2, now_us);
    tr_db_bind_text(stmt, 3, entry->id);
    tr_db_bind_i64(stmt, 4, now_us - US_PER_HOUR);
    TR_TRY(tr_db_stmt_run(stmt, err));
    entry->warns = tr_db_changes(db) > 0;
    return TR_OK;
}

static tr_status run_with(struct tr_db *db, const char *sql, int64_t value,
                          struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    tr_db_bind_i64(stmt, 1, value);
    return tr_db_stmt_run(stmt, err);
}

/* When rows were added: removes those of months that are over, and the oldest
 * of too many. */
static tr_status forget_old(struct tr_db *db, int64_t month, struct tr_err *err)
{
    TR_TRY(
        run_with(db, "DELETE FROM measured WHERE month < ?1", month - 1, err));
    TR_TRY(run_with(db,
                    "DELETE FROM measured WHERE m IN (SELECT m FROM measured"
                    " ORDER BY month DESC, m DESC LIMIT -1 OFFSET ?1)",
                    TR_LIMIT_MEASURED, err));
    return tr_db_exec(db,
                      "DELETE FROM measured_times WHERE m NOT IN"
                      " (SELECT m FROM measured)",
                      err);
}

static tr_status write_entry(struct tr_prov_tally_entry *entry,
                             struct tr_db *db, int64_t now_us, bool *is_new,
                             struct tr_err *err)
{
    int64_t month = now_us / US_PER_MONTH;
    int64_t m = 0;
    TR_TRY(find_row(db, entry, month, &m, err));
    if (!m) {
        TR_TRY(add_row(db, entry, month, &m, err));
        *is_new = true;
    }
    for (size_t i = 0; i < entry->times.count; i++)
        TR_TRY(add_times(db, m, &entry->times.items[i], err));
    entry->warns = false;
    if (!entry->over.actual)
        return TR_OK;
    return note_warning(db, entry, m, now_us, err);
}

tr_status tr_prov_tally_write(struct tr_prov_tally *tally, struct tr_db *db,
                              int64_t now_us, struct tr_err *err)
{
    bool is_new = false;
    for (struct tr_prov_tally_entry *entry = tally->first; entry;
         entry = entry->next)
        TR_TRY(write_entry(entry, db, now_us, &is_new, err));
    return is_new ? forget_old(db, now_us / US_PER_MONTH, err) : TR_OK;
}

void tr_prov_tally_warn(const struct tr_prov_tally *tally)
{
    static const char *const units[TR_PROV_UNITS] = {"micros", "tokens",
                                                     "micro_usd"};
    for (const struct tr_prov_tally_entry *entry = tally->first; entry;
         entry = entry->next) {
        if (entry->warns)
            tr_log(TR_LOG_WARN, "a call was over three times its estimate",
                   TR_LOG_TEXT("name", entry->id),
                   TR_LOG_TEXT("version", entry->version_text),
                   TR_LOG_TEXT("unit", tr_str_from(units[entry->over.unit])),
                   TR_LOG_INT("actual", (int64_t)entry->over.actual),
                   TR_LOG_INT("estimate", (int64_t)entry->over.estimate));
    }
}
