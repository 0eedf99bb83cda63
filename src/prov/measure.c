#include "prov/measure.h"

#include "base/vec.h"
#include "db/db.h"
#include "prov/tally.h"

/* How often calls of one capability came to what is in each bucket. */
struct histogram {
    uint64_t times[TR_PROV_UNITS][TR_PROV_BUCKETS];
};

/* The least value that so many calls of a hundred did not exceed. */
static uint64_t percentile(const uint64_t times[TR_PROV_BUCKETS],
                           uint64_t count, unsigned percent)
{
    uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    uint64_t seen = 0;
    for (unsigned i = 0; i < TR_PROV_BUCKETS; i++) {
        seen += times[i];
        if (seen >= rank && seen > 0)
            return tr_prov_bucket_value(i);
    }
    return 0;
}

static void sum_up(const struct histogram *histogram,
                   struct tr_prov_measured *out)
{
    for (unsigned unit = 0; unit < TR_PROV_UNITS; unit++) {
        const uint64_t *times = histogram->times[unit];
        struct tr_prov_percentiles *of = &out->of[unit];
        *of = (struct tr_prov_percentiles){0};
        for (unsigned i = 0; i < TR_PROV_BUCKETS; i++)
            of->count += times[i];
        of->p50 = percentile(times, of->count, 50);
        of->p95 = percentile(times, of->count, 95);
    }
}

/* Adds a row whose columns from `at` on are unit, bucket, times; what a damaged
 * store has elsewhere is passed over. */
static void add_row(struct histogram *histogram, struct tr_db_stmt *stmt,
                    int at)
{
    int64_t unit = tr_db_column_i64(stmt, at);
    int64_t bucket = tr_db_column_i64(stmt, at + 1);
    int64_t times = tr_db_column_i64(stmt, at + 2);
    if (unit >= 0 && unit < TR_PROV_UNITS && bucket >= 0 &&
        bucket < TR_PROV_BUCKETS && times > 0)
        histogram->times[unit][bucket] += (uint64_t)times;
}

/* The one whose rows come now, and what they have said so far. */
struct walk {
    struct tr_arena *arena;
    struct tr_prov_measured_list *out;
    struct histogram histogram;
};

/* Ends the one before, and begins one, when a row is of another. */
static bool turn_to(struct walk *walk, tr_str id, tr_str version)
{
    struct tr_prov_measured next = {0};
    struct tr_prov_measured *last =
        walk->out->count ? &walk->out->items[walk->out->count - 1] : NULL;
    if (last && tr_str_eq(last->id, id) && tr_str_eq(last->version, version))
        return true;
    if (last)
        sum_up(&walk->histogram, last);
    walk->histogram = (struct histogram){0};
    return tr_arena_copy(walk->arena, id, &next.id) &&
           tr_arena_copy(walk->arena, version, &next.version) &&
           tr_vec_push(walk->arena, walk->out, next);
}

tr_status tr_prov_measure_read_all(struct tr_db *db, struct tr_arena *arena,
                                   struct tr_prov_measured_list *out,
                                   struct tr_err *err)
{
    struct walk walk = {.arena = arena, .out = out};
    struct tr_db_stmt *stmt;
    bool row;
    *out = (struct tr_prov_measured_list){0};
    TR_TRY(tr_db_prepare(db,
                         "SELECT id, version, unit, bucket, times FROM measured"
                         " JOIN measured_times USING (m) ORDER BY id, version",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        if (!turn_to(&walk, tr_db_column_text(stmt, 0),
                     tr_db_column_text(stmt, 1))) {
            tr_db_stmt_reset(stmt);
            return tr_fail(err, TR_E_NOMEM, "no memory for what was measured");
        }
        add_row(&walk.histogram, stmt, 2);
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    if (out->count)
        sum_up(&walk.histogram, &out->items[out->count - 1]);
    return TR_OK;
}

static int order(const struct tr_prov_measured *one, tr_str id, tr_str version)
{
    int by_id = tr_str_cmp(one->id, id);
    return by_id ? by_id : tr_str_cmp(one->version, version);
}

const struct tr_prov_measured *
tr_prov_measured_find(const struct tr_prov_measured_list *list, tr_str id,
                      tr_str version)
{
    size_t from = 0;
    size_t to = list->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int is = order(&list->items[middle], id, version);
        if (is == 0)
            return &list->items[middle];
        if (is < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}
