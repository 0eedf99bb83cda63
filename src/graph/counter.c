/*
 * Counters: numbers without gaps. A call that takes one lands only if the
 * counter is still where it has found it, and raises it in the transaction of
 * its changes; so what fails has taken nothing.
 */
#include "base/limits.h"
#include "base/text.h"
#include "graph/kg.h"
#include "graph/land_inside.h"

static tr_status read_value(struct tr_db *db, tr_str name, int64_t *out,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT value FROM counter WHERE name = ?1", &stmt,
                         err));
    tr_db_bind_text(stmt, 1, name);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Taking numbers. ----------------------------------------------------------*/

/* The last that the call has taken from this counter, or NULL. */
static const struct tr_graph_raise *
find_raise(const struct tr_graph_changeset *set, tr_str name)
{
    for (size_t i = set->raises.count; i > 0; i--)
        if (tr_str_eq(set->raises.items[i - 1].name, name))
            return &set->raises.items[i - 1];
    return NULL;
}

static tr_status check_name(const struct tr_graph_changeset *set, tr_str name,
                            int64_t least, struct tr_err *err)
{
    if (!name.len || name.len > TR_LIMIT_COUNTER_NAME ||
        !tr_utf8_is_valid(name))
        return tr_fail(err, TR_E_INVALID,
                       "the name of a counter is a text of 1 to %zu bytes",
                       TR_LIMIT_COUNTER_NAME);
    if (least < 0)
        return tr_fail(err, TR_E_INVALID, "a counter is never below 0");
    if (set->raises.count >= TR_LIMIT_COUNTERS)
        return tr_fail(err, TR_E_LIMIT, "more than %d numbers at once",
                       TR_LIMIT_COUNTERS);
    return TR_OK;
}

static tr_status read_stored(struct tr_graph_kg *kg, tr_str name, int64_t *out,
                             struct tr_err *err)
{
    TR_TRY(tr_graph_reader_begin(kg->reader, err));
    tr_status status = read_value(kg->reader->db, name, out, err);
    tr_graph_reader_end(kg->reader);
    return status;
}

tr_status tr_graph_kg_next(struct tr_graph_kg *kg, tr_str name, int64_t least,
                           int64_t *out, struct tr_err *err)
{
    struct tr_graph_changeset *set = &kg->changes;
    TR_TRY(check_name(set, name, least, err));
    const struct tr_graph_raise *last = find_raise(set, name);
    struct tr_graph_raise raise = {.is_first = !last};
    if (last)
        raise.from = last->to;
    else
        TR_TRY(read_stored(kg, name, &raise.from, err));
    if (raise.from == INT64_MAX)
        return tr_fail(err, TR_E_LIMIT, "the counter '%.*s' is at its end",
                       TR_FMT(name));
    raise.to = raise.from < least ? least : raise.from + 1;
    if (!tr_arena_copy(set->arena, name, &raise.name) ||
        !tr_vec_push(set->arena, &set->raises, raise))
        return tr_fail(err, TR_E_NOMEM, "no memory for a number");
    *out = raise.to;
    return TR_OK;
}

/* Landing. -----------------------------------------------------------------*/

static tr_status value_of(const struct tr_graph_lander *lander, tr_str name,
                          int64_t *out, struct tr_err *err)
{
    const struct tr_graph_raise *pending = tr_map_find(&lander->counters, name);
    if (!pending)
        return read_value(lander->db, name, out, err);
    *out = pending->to;
    return TR_OK;
}

tr_status tr_graph_landing_job_check_counters(struct tr_graph_landing_job *job)
{
    const struct tr_graph_changeset *set = job->landing->changes;
    for (size_t i = 0; i < set->raises.count; i++) {
        const struct tr_graph_raise *raise = &set->raises.items[i];
        int64_t value = raise->from;
        if (raise->is_first)
            TR_TRY(value_of(job->lander, raise->name, &value, job->err));
        if (value == raise->from)
            continue;
        tr_graph_race_add(&job->landing->race,
                          tr_graph_key_counter(raise->name), 0);
        (void)tr_fail(
            job->err, TR_E_CONFLICT, "the counter '%.*s' is at %lld, not %lld",
            TR_FMT(raise->name), (long long)value, (long long)raise->from);
    }
    return job->landing->race.count ? TR_E_CONFLICT : TR_OK;
}

tr_status tr_graph_landing_job_note_counters(struct tr_graph_landing_job *job)
{
    const struct tr_graph_changeset *set = job->landing->changes;
    for (size_t i = 0; i < set->raises.count; i++) {
        struct tr_graph_raise *raise = &set->raises.items[i];
        if (!tr_map_set(&job->lander->counters, raise->name, raise))
            return tr_fail(job->err, TR_E_NOMEM, "no memory for changes");
    }
    return TR_OK;
}

tr_status tr_graph_lander_write_counters(const struct tr_graph_lander *lander,
                                         struct tr_err *err)
{
    for (size_t i = 0; i < lander->counters.count; i++) {
        const struct tr_graph_raise *raise = lander->counters.entries[i].value;
        struct tr_db_stmt *stmt;
        TR_TRY(tr_db_prepare(lander->db,
                             "INSERT OR REPLACE INTO counter VALUES (?1, ?2)",
                             &stmt, err));
        tr_db_bind_text(stmt, 1, raise->name);
        tr_db_bind_i64(stmt, 2, raise->to);
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    return TR_OK;
}
