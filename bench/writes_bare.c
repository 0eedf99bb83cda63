#include "base/arena.h"
#include "base/limits.h"
#include "base/vec.h"
#include "writes.h"

#include <sqlite3.h>

#include <time.h>

/* The tables that a write has rows in, and how they get there. */
enum { TERM, NODE, POS, OPS, COUNT, QUADS, SEARCH, CHANGE, ACTIVITY, TABLES };

static const char *const inserts[TABLES] = {
    [TERM] = "INSERT INTO term VALUES (?1, ?5)",
    [NODE] = "INSERT INTO node VALUES (?1, ?2, ?3, ?5, ?6, ?7)",
    [POS] = "INSERT INTO pos VALUES (?1, ?5, ?2, ?3)",
    [OPS] = "INSERT INTO ops VALUES (?1, ?2, ?3, ?4)",
    [COUNT] = "UPDATE type_count SET count = count + 1 WHERE type = ?1",
    [QUADS] = "UPDATE meta SET value = value + ?1 WHERE key = 3",
    [SEARCH] = "INSERT INTO search (rowid, text) VALUES (?1, ?5)",
    [CHANGE] = "INSERT INTO change VALUES (?1, ?2, ?3, 0, ?4)",
    [ACTIVITY] = "INSERT INTO activity VALUES (?5, ?1, ?2, ?6)",
};

/* The indexes are not sorted by subject: what is new in them, once so. */
static const char sort_new[] =
    "PRAGMA temp_store = MEMORY;"
    "CREATE TEMP TABLE new_pos (s, p, k, g, PRIMARY KEY (s, p, k, g))"
    " WITHOUT ROWID;"
    "CREATE TEMP TABLE new_ops (s, p, o, g, PRIMARY KEY (s, p, o, g))"
    " WITHOUT ROWID;"
    "INSERT INTO new_pos SELECT s, p, k, g FROM s.pos"
    " WHERE s > (SELECT max(id) FROM main.term);"
    "INSERT INTO new_ops SELECT s, p, o, g FROM s.ops"
    " WHERE s > (SELECT max(id) FROM main.term);";

/* What was written of the subject ?1, as numbers and three texts. */
static const char *const selects[TABLES] = {
    [TERM] = "SELECT id, 0, 0, 0, key, NULL, NULL FROM s.term WHERE id = ?1",
    [NODE] = "SELECT s, type, version, 0, label, iri, body FROM s.node"
             " WHERE s = ?1",
    [POS] = "SELECT p, s, g, 0, k, NULL, NULL FROM new_pos WHERE s = ?1",
    [OPS] = "SELECT o, p, s, g, NULL, NULL, NULL FROM new_ops WHERE s = ?1",
    [COUNT] = "SELECT type, 0, 0, 0, NULL, NULL, NULL FROM s.node"
              " WHERE s = ?1",
    [QUADS] = "SELECT (SELECT count(*) FROM new_pos WHERE s = ?1) +"
              " (SELECT count(*) FROM new_ops WHERE s = ?1),"
              " 0, 0, 0, NULL, NULL, NULL",
    [SEARCH] = "SELECT rowid, 0, 0, 0, text, NULL, NULL FROM s.search"
               " WHERE rowid = ?1",
    /* These stand in the order in which they were written: ?1 was the last. */
    [CHANGE] = "SELECT seq, subject, type, kind, NULL, NULL, NULL"
               " FROM s.change WHERE seq > ?1 ORDER BY seq",
    [ACTIVITY] = "SELECT what, who, 0, 0, id, more, NULL FROM s.activity"
                 " WHERE id > ?1 ORDER BY id",
};

enum { NUMBERS = 4, TEXTS = 3 };

struct row {
    int table;
    int64_t numbers[NUMBERS];
    tr_str texts[TEXTS];
};

struct bare {
    sqlite3 *db;
    sqlite3_stmt *inserts[TABLES];
    sqlite3_stmt *selects[TABLES];
    struct tr_arena arena; /* of the rows */
    TR_VEC(struct row) rows;
    int64_t last_change;
    unsigned char last_activity[16];
};

static bool keep(struct bare *bare, int table)
{
    sqlite3_stmt *stmt = bare->selects[table];
    struct row row = {.table = table};
    for (int i = 0; i < NUMBERS; i++)
        row.numbers[i] = sqlite3_column_int64(stmt, i);
    for (int i = 0; i < TEXTS; i++) {
        const char *bytes = sqlite3_column_blob(stmt, NUMBERS + i);
        size_t length = (size_t)sqlite3_column_bytes(stmt, NUMBERS + i);
        if (!tr_arena_copy(&bare->arena, (tr_str){bytes, length},
                           &row.texts[i]))
            return false;
    }
    return tr_vec_push(&bare->arena, &bare->rows, row);
}

/* All rows of one changeset; a table at a time, as a program would. */
static bool collect_one(struct bare *bare)
{
    int64_t subject = sqlite3_column_int64(bare->selects[CHANGE], 1);
    bool good = true;
    for (int table = 0; table < CHANGE && good; table++) {
        sqlite3_stmt *stmt = bare->selects[table];
        (void)sqlite3_bind_int64(stmt, 1, subject);
        while (good && sqlite3_step(stmt) == SQLITE_ROW)
            good = keep(bare, table);
        (void)sqlite3_reset(stmt);
    }
    return good && keep(bare, CHANGE) &&
           sqlite3_step(bare->selects[ACTIVITY]) == SQLITE_ROW &&
           keep(bare, ACTIVITY);
}

/* Nothing may stay open: it would hold the checkpoints up. */
static bool collect(struct bare *bare, size_t count)
{
    sqlite3_stmt *change = bare->selects[CHANGE];
    sqlite3_stmt *activity = bare->selects[ACTIVITY];
    bool good = true;
    tr_arena_reset(&bare->arena);
    memset(&bare->rows, 0, sizeof(bare->rows));
    (void)sqlite3_bind_int64(change, 1, bare->last_change);
    (void)sqlite3_bind_blob(activity, 1, bare->last_activity,
                            sizeof(bare->last_activity), SQLITE_TRANSIENT);
    for (size_t i = 0; i < count && good; i++)
        good = sqlite3_step(change) == SQLITE_ROW && collect_one(bare);
    if (good) {
        bare->last_change = sqlite3_column_int64(change, 0);
        memcpy(bare->last_activity, sqlite3_column_blob(activity, 4),
               sizeof(bare->last_activity));
    }
    (void)sqlite3_reset(change);
    (void)sqlite3_reset(activity);
    return good;
}

static bool exec(struct bare *bare, const char *sql)
{
    return sqlite3_exec(bare->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static void bind_text(sqlite3_stmt *stmt, int at, tr_str text, bool is_text)
{
    if (at > sqlite3_bind_parameter_count(stmt))
        return;
    if (is_text)
        (void)sqlite3_bind_text(stmt, at, text.ptr, (int)text.len,
                                SQLITE_STATIC);
    else
        (void)sqlite3_bind_blob(stmt, at, text.ptr, (int)text.len,
                                SQLITE_STATIC);
}

static bool insert(struct bare *bare, const struct row *row)
{
    sqlite3_stmt *stmt = bare->inserts[row->table];
    int count = sqlite3_bind_parameter_count(stmt);
    for (int i = 0; i < NUMBERS && i < count; i++)
        (void)sqlite3_bind_int64(stmt, i + 1, row->numbers[i]);
    bind_text(stmt, 5, row->texts[0],
              row->table == NODE || row->table == SEARCH);
    for (int i = 1; i < TEXTS; i++)
        bind_text(stmt, NUMBERS + 1 + i, row->texts[i], false);
    bool good = sqlite3_step(stmt) == SQLITE_DONE;
    (void)sqlite3_reset(stmt);
    return good;
}

/* A changeset ends with its activity. */
static bool replay(struct bare *bare, size_t group)
{
    size_t in_group = 0;
    bool good = exec(bare, "BEGIN IMMEDIATE");
    for (size_t i = 0; i < bare->rows.count && good; i++) {
        good = insert(bare, &bare->rows.items[i]);
        in_group += bare->rows.items[i].table == ACTIVITY;
        if (good && in_group == group) {
            good = exec(bare, "COMMIT; BEGIN IMMEDIATE");
            in_group = 0;
        }
    }
    return good && exec(bare, "COMMIT");
}

static double time_us(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static bool measure(struct bare *bare, const struct tr_bench_bare *opts,
                    struct tr_bench_writes *best)
{
    if (!collect(bare, opts->warm_up) || !replay(bare, opts->group))
        return false;
    for (size_t i = 0; i < opts->rounds; i++) {
        if (!collect(bare, opts->round))
            return false;
        double count = (double)opts->round;
        double cpu = time_us(CLOCK_THREAD_CPUTIME_ID);
        double wall = time_us(CLOCK_MONOTONIC);
        if (!replay(bare, opts->group))
            return false;
        double rate = count * 1e6 / (time_us(CLOCK_MONOTONIC) - wall);
        if (rate <= best->a_second)
            continue;
        best->a_second = rate;
        best->cpu_us = (time_us(CLOCK_THREAD_CPUTIME_ID) - cpu) / count;
    }
    return true;
}

static bool prepare(struct bare *bare, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v3(bare->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out,
                              NULL) == SQLITE_OK;
}

static bool read_last_change(struct bare *bare)
{
    sqlite3_stmt *stmt = NULL;
    bool good = prepare(bare, "SELECT max(seq) FROM main.change", &stmt) &&
                sqlite3_step(stmt) == SQLITE_ROW;
    if (good)
        bare->last_change = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return good;
}

static bool open_bare(struct bare *bare, const struct tr_bench_bare *opts)
{
    char attach[256];
    (void)snprintf(attach, sizeof(attach), "ATTACH '%s' AS s", opts->after);
    bool good = sqlite3_open(opts->before, &bare->db) == SQLITE_OK &&
                exec(bare, "PRAGMA journal_mode = WAL;"
                           "PRAGMA synchronous = FULL;") &&
                exec(bare, opts->settings) && exec(bare, attach) &&
                exec(bare, sort_new);
    for (int i = 0; i < TABLES && good; i++)
        good = prepare(bare, inserts[i], &bare->inserts[i]) &&
               prepare(bare, selects[i], &bare->selects[i]);
    return good && read_last_change(bare);
}

bool tr_bench_bare_writes(const struct tr_bench_bare *opts,
                          struct tr_bench_writes *out)
{
    struct bare bare = {0};
    tr_arena_init(&bare.arena, TR_MIB(512));
    bool good = open_bare(&bare, opts) && measure(&bare, opts, out);
    if (!good)
        (void)printf("writes: bare SQLite: %s\n", sqlite3_errmsg(bare.db));
    for (int i = 0; i < TABLES; i++) {
        (void)sqlite3_finalize(bare.inserts[i]);
        (void)sqlite3_finalize(bare.selects[i]);
    }
    (void)sqlite3_close(bare.db);
    tr_arena_done(&bare.arena);
    return good;
}
